/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The scene `rgbd`: a furnished room as a hand-held depth camera sees it, and
 * a small robot in it that stands still until it starts to drive.  With the
 * depth comes what a tracker that knows only the room and the robot at rest
 * makes of each pixel.  A frame is a pure function of params and number. */
#pragma once

#include "scene/scene.h"

C_BEGIN

#define RGBD_MAX_SIZE 4096

/* Where the robot drives to: the six data sets of Korn, Sanders and Pauli
 * (VISAPP 2017), section 4. */
typedef enum {
  RGBD_PARALLEL, /* sideways, parallel to the image plane */
  RGBD_TOWARDS,  /* nearer, across the view */
  RGBD_FRONTAL,  /* its front to the camera, straight to it */
  RGBD_AWAY,     /* straight away from the camera */
  RGBD_PASS,     /* through the view and out of it */
  RGBD_ROTATION, /* turning on the spot */
} RgbdPath;

/* What the frames show.  Speed 1 is 8 mm or 1.2 degrees a frame; noise 2 is
 * about a Kinect's, 0 is exact depth. */
typedef struct {
  SCENE_BEGINS;
  RgbdPath path;
  uint64_t motion_start; /* the first frame in which the robot has moved */
} RgbdParams;

RgbdParams rgbd_defaults (void);

/* What a tracker says about a pixel: Korn, Sanders and Pauli, figure 1. */
typedef enum {
  RGBD_MISSING,           /* no depth */
  RGBD_INLIER,            /* less than 2 cm from the model */
  RGBD_POTENTIAL_OUTLIER, /* less than 3.5 cm */
  RGBD_OUTLIER,           /* more */
  RGBD_NO_CORRESPONDENCE, /* the model has nothing there yet */
  RGBD_OUT_OF_VOLUME,     /* the model ends before */
} RgbdClass;

/* The truth about a frame.  Poses are tx ty tz in metres and a unit
 * quaternion, w first; cameras look along z, y points down. */
typedef struct {
  double fx, fy, cx, cy;
  double camera[7]; /* from the camera to the world */
  double robot[7];  /* from the robot, whose middle is the origin, to the
                       camera */
  double extent[3]; /* of the robot, along its own axes */
  SceneObject object;
} RgbdTruth;

typedef struct _Rgbd Rgbd;

const char *rgbd_new (Rgbd **scene, int width, int height);
void rgbd_free (Rgbd *scene);

/* Renders frame @number into @img, IMAGE_GRAY16 of the scene's size:
 * millimetres, 0 where there is no depth.  @classes takes an RgbdClass and the
 * model's number, which is 0, for each pixel; @labels 1 where the robot is
 * seen, else 0.  All but @img may be NULL. */
const char *rgbd_render (Rgbd *scene, const RgbdParams *params, uint64_t number,
    const Image *img, RgbdTruth *truth, uint8_t *classes, uint16_t *labels);

C_END
