/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Inside of the scene `rgbd`: what stands where, how a ray meets it, and the
 * steps of a frame.  The world is the camera's resting place: x right, y down,
 * z forward, metres. */
#pragma once

#include "scene/rgbd.h"
#include "scene/rgbd_pose.h"

#define RGBD_FLOOR 1.05 /* below the camera */

/* Frames until what is newly seen is part of the tracker's model. */
#define RGBD_LEARNS 5

typedef enum { RGBD_BOX, RGBD_CYLINDER, RGBD_SPHERE, RGBD_ROOM } RgbdShape;

/* Fills the box of @half to each side of its middle; a cylinder's axis is y,
 * and a room is a box seen from the inside. */
typedef struct {
  RgbdShape shape;
  double half[3];
  RgbdPose pose; /* to the world, or to the robot */
} RgbdSolid;

#define RGBD_FURNITURE 24 /* at most */
#define RGBD_PARTS 15

/* Everything of one frame, in the world. */
typedef struct {
  int width, height;
  double f, cx, cy; /* pixels */
  RgbdPose camera, camera_before;
  RgbdPose robot, robot_before, robot_rest;
  RgbdSolid furniture[RGBD_FURNITURE];
  int n_furniture;
} RgbdPlan;

RgbdPlan rgbd_plan (
    const RgbdParams *params, int width, int height, uint64_t number);
RgbdPose rgbd_camera (const RgbdParams *params, uint64_t number);
RgbdPose rgbd_robot (const RgbdParams *params, uint64_t number);
int rgbd_furnish (const RgbdParams *params, RgbdSolid *furniture);

extern const RgbdSolid rgbd_parts[RGBD_PARTS];
extern const double rgbd_extent[3];

/* A solid as seen by the camera: the rays of the pixels in its own frame. */
typedef struct {
  RgbdShape shape;
  float half[3];
  float eye[3];                    /* where they start */
  float ray[3], right[3], down[3]; /* of the first pixel; what a column and a
                                      row add; 1 long along the optical axis */
  ImageBox box;                    /* the pixels that may see it */
} RgbdTarget;

/* @pose is that of the solid in the camera. */
RgbdTarget rgbd_aim (
    const RgbdPlan *plan, const RgbdSolid *solid, const RgbdPose *pose);

/* Depth at which a ray meets the solid, and how much of its direction is
 * along the surface's normal there; false where it does not. */
bool rgbd_meet (
    const RgbdTarget *target, const float ray[3], float *z, float *facing);

enum {
  RGBD_SEES_GRAZING = 1, /* the surface is seen at a grazing angle */
  RGBD_SEES_NEW = 2,     /* the model has nothing there yet */
};

struct _Rgbd {
  int width, height;
  float *z;            /* of what is seen */
  float *model_z;      /* of what the tracker's model has there */
  float *model_facing; /* as rgbd_meet () has it */
  uint8_t *sees;       /* RGBD_SEES_… */
  uint16_t *labels;    /* 1 where the robot is seen */
  uint16_t *depth;     /* measured, millimetres */
};

/* Fills all but depth; returns the pixels of the robot, hidden ones too. */
uint64_t rgbd_cast (Rgbd *scene, const RgbdPlan *plan);
void rgbd_sense (Rgbd *scene, const RgbdPlan *plan, const RgbdParams *params,
    uint64_t number);
void rgbd_classify (const Rgbd *scene, const RgbdPlan *plan, uint8_t *classes);
