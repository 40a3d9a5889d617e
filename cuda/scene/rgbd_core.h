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

/* How many views, each RGBD_LEARNS frames before the next, the model is made
 * of. */
#define RGBD_VIEWS 24

typedef enum { RGBD_BOX, RGBD_CYLINDER, RGBD_SPHERE, RGBD_ROOM } RgbdShape;

/* Fills the box of @half to each side of its middle; a cylinder's axis is y,
 * and a room is a box seen from the inside. */
typedef struct {
  RgbdShape shape;
  double half[3];
  Pose64 pose; /* to the world, or to the robot */
} RgbdSolid;

#define RGBD_FURNITURE 24 /* at most */
#define RGBD_PARTS 9      /* of what moves, at most */

/* What moves in one piece. */
typedef struct {
  RgbdSolid parts[RGBD_PARTS]; /* poses to the whole */
  int n_parts;
  double extent[3];
  const char *label;
} RgbdBody;

/* The same in a frame: where it is, where it stood until it moved, and where it
 * was at the latest of the earlier views; to the world. */
typedef struct {
  const RgbdBody *body;
  Pose64 now, rest, before;
} RgbdMover;

/* A radial distortion: a point at radius r, focal lengths from the axis, is
 * seen at r (1 + k[0] r^2 + k[1] r^4 + k[2] r^6), which grows with r. */
typedef struct {
  double k[3];
  double min, max; /* of that factor, within the frame */
} RgbdLens;

/* Everything of one frame, in the world. */
typedef struct {
  int width, height;
  double f, cx, cy; /* pixels */
  RgbdLens lens;
  Pose64 camera;
  Pose64 views[RGBD_VIEWS]; /* where it was before, the latest first */
  RgbdMover movers[RGBD_MAX_OBJECTS];
  int n_movers;
  RgbdSolid furniture[RGBD_FURNITURE];
  int n_furniture;
} RgbdPlan;

RgbdPlan rgbd_plan (
    const RgbdParams *params, int width, int height, uint64_t number);
Pose64 rgbd_camera (const RgbdParams *params, uint64_t number);
/* How many things move; what the one of number @mover is; where it is. */
int rgbd_count (const RgbdParams *params);
const RgbdBody *rgbd_body (const RgbdParams *params, int mover);
Pose64 rgbd_pose (const RgbdParams *params, int mover, uint64_t number);

RgbdLens rgbd_lens (double distortion);
/* 1 for a lens without distortion; @r2 is the square of the radius. */
double rgbd_lens_factor (const RgbdLens *lens, double r2);

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
    const RgbdPlan *plan, const RgbdSolid *solid, const Pose64 *pose);

/* Depth at which a ray meets the solid, and how much of its direction is
 * along the surface's normal there; false where it does not. */
bool rgbd_meet (
    const RgbdTarget *target, const float ray[3], float *z, float *facing);

/* Where the pixels of row @y would be without distortion: column x at
 * (across[x], y + bend[x]). */
typedef struct {
  float across[RGBD_MAX_SIZE], bend[RGBD_MAX_SIZE];
} RgbdRow;

/* What the tracker has seen until now. */
typedef struct {
  float view[RGBD_VIEWS][3][4]; /* from the camera to an earlier one */
  int width, height;
  float f, cx, cy;
  RgbdLens lens;
  ImageBox known; /* pixels that surely were in the latest view */
  int n_parts;    /* of all that moves, as they stood at the latest */
  RgbdTarget parts[RGBD_MAX_OBJECTS * RGBD_PARTS];
  float eye[RGBD_MAX_OBJECTS * RGBD_PARTS][3]; /* the camera there, to each */
} RgbdMemory;

RgbdMemory rgbd_memory (const RgbdPlan *plan);
/* Of the point at depth @z of what would be pixel (@x, @y) without distortion:
 * was it within the frame before, and was all that moves, then, out of its way?
 * @moves: the point itself is on something that can move.
 * Of pixels in `known`, the first is always so. */
bool rgbd_was_in_view (const RgbdMemory *memory, float x, float y, float z);
bool rgbd_was_uncovered (
    const RgbdMemory *memory, float x, float y, float z, bool moves);

enum {
  RGBD_GRAZING = 1, /* the surface is seen at a grazing angle */
  RGBD_HIDDEN = 2,  /* it was hidden by what moves until now */
};

struct _Rgbd {
  int width, height;
  float *z;             /* of what is seen */
  float *facing;        /* the cosine of the angle between its normal and the
                           ray, not negative; NULL: unknown, and then noise
                           does not grow with the angle */
  float *model_z;       /* of the tracker's model there; infinite: nothing */
  float *model_facing;  /* as rgbd_meet () has it */
  uint8_t *marks;       /* RGBD_GRAZING and RGBD_HIDDEN */
  uint16_t *labels;     /* 1 where the first of what moves is seen, … */
  float *across, *bend; /* as in RgbdRow, of the distortion below */
  double distortion;    /* 0: the two are not filled */
  uint16_t *depth; /* measured, millimetres, in rows of width + 2: the frame
                      has a rim of zeros */
};

static inline uint16_t *
rgbd_depth_row (const Rgbd *scene, int y)
{
  return scene->depth + (size_t) (y + 1) * (scene->width + 2) + 1;
}

/* Makes the lens that of @params; the rows of what it shows. */
void rgbd_set_lens (
    Rgbd *scene, const RgbdPlan *plan, const RgbdParams *params);
void rgbd_get_row (const Rgbd *scene, int y, RgbdRow *row);

/* Fills all but depth, and in @full the pixels of each thing that moves, hidden
 * ones too. */
void rgbd_cast (
    Rgbd *scene, const RgbdPlan *plan, uint64_t full[RGBD_MAX_OBJECTS]);
void rgbd_sense (Rgbd *scene, const RgbdPlan *plan, const RgbdParams *params,
    uint64_t number);
void rgbd_classify (const Rgbd *scene, const RgbdPlan *plan,
    const RgbdParams *params, uint8_t *classes);
