/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The scene `rgbd`: a furnished room as a hand-held depth camera sees it, and
 * small robots in it that stand still until they start to drive.  With the
 * depth comes the class of each pixel by a tracker that knows only the room and
 * the robot at rest.  A frame is a pure function of params and number. */
#pragma once

#include "scene/scene.h"

C_BEGIN

#define RGBD_MAX_SIZE 4096
#define RGBD_MAX_OBJECTS 4

/* The robot's path.  The first six are the data sets of Korn, Sanders and Pauli
 * (VISAPP 2017), section 4; RGBD_AXES is their figure 9, in which a machine
 * takes the robot's place. */
typedef enum {
  RGBD_PARALLEL,
  RGBD_TOWARDS,
  RGBD_FRONTAL,
  RGBD_AWAY,
  RGBD_PASS,
  RGBD_ROTATION,
  RGBD_VISIT,
  RGBD_AXES,
  RGBD_PEOPLE, /* two persons near the camera in the robots' place */
} RgbdPath;

/* The camera's path; each but the first has a hand's tremor. */
typedef enum {
  RGBD_STILL,
  RGBD_SWAY,
  RGBD_ORBIT, /* around a point 2 m away */
  RGBD_WALK,
  RGBD_SHAKE,
  RGBD_JUMP,
} RgbdMotion;

/* The params of a frame.  Speed 1 is 8 mm or 1.2 degrees a frame; noise 2 is
 * about a Kinect's, 0 is exact depth. */
typedef struct {
  SCENE_BEGINS;
  RgbdPath path;
  uint64_t motion_start; /* of the first mover; others start later */
  RgbdMotion camera;
  int robots;
  double distortion;
  double depth_spacing; /* of the pixels with depth */
} RgbdParams;

RgbdParams rgbd_defaults (void);

/* The tracker's class of a pixel: Korn, Sanders and Pauli, figure 1. */
typedef enum {
  RGBD_MISSING,           /* no depth */
  RGBD_INLIER,            /* less than 2 cm from the model */
  RGBD_POTENTIAL_OUTLIER, /* less than 3.5 cm */
  RGBD_OUTLIER,           /* more */
  RGBD_NO_CORRESPONDENCE, /* the model has no surface there yet */
  RGBD_OUT_OF_VOLUME,     /* the model ends before this point */
} RgbdClass;

/* The truth about a frame.  Poses are tx ty tz in metres and a unit
 * quaternion, w first; cameras look along z, y points down. */
typedef struct {
  double fx, fy, cx, cy;
  double distortion[5]; /* k1 k2 p1 p2 k3 */
  double camera[7];     /* from the camera to the world */
  int n_objects;
  SceneThing objects[RGBD_MAX_OBJECTS];
} RgbdTruth;

typedef struct _Rgbd Rgbd;

const char *rgbd_new (Rgbd **scene, int width, int height);
void rgbd_free (Rgbd *scene);

/* Renders frame @number into @img, IMAGE_GRAY16 of the scene's size:
 * millimetres, 0 without depth.  Sets @classes to an RgbdClass and the model's
 * number, 0, for each pixel, and @labels to 1 for the first object, 2 for the
 * second, and so on, else 0.  All but @img may be NULL. */
const char *rgbd_render (Rgbd *scene, const RgbdParams *params, uint64_t number,
    const Image *img, RgbdTruth *truth, uint8_t *classes, uint16_t *labels);

C_END
