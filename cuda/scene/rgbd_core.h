/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Interface between the files of the scene `rgbd`: solids and movers, casting
 * rays, and the steps of a frame.  The world is that of the camera at rest: x
 * right, y down, z forward, metres. */
#pragma once

#include "common/memory.h"
#include "scene/rgbd.h"
#include "scene/rgbd_pose.h"

#define RGBD_FLOOR 1.05 /* below the camera */

/* Frames until a newly seen surface is part of the tracker's model. */
#define RGBD_LEARNS 5

/* Number of views, RGBD_LEARNS frames apart, of which the model is made. */
#define RGBD_VIEWS 24

typedef enum { RGBD_BOX, RGBD_CYLINDER, RGBD_SPHERE, RGBD_ROOM } RgbdShape;

/* A solid that fills the box of @half to each side of its middle; the axis of a
 * cylinder is y, and a room is a box seen from inside. */
typedef struct {
  RgbdShape shape;
  double half[3];
  Pose64 pose; /* to the world, or to the robot */
} RgbdSolid;

#define RGBD_FURNITURE 24 /* at most */
#define RGBD_PARTS 9      /* the most parts of a mover */

/* A body that moves as a whole. */
typedef struct {
  RgbdSolid parts[RGBD_PARTS]; /* poses to the body */
  int n_parts;
  double extent[3];
  const char *label;
} RgbdBody;

/* A body in a frame: its pose, its pose until it moved, and its pose in the
 * latest of the earlier views; to the world. */
typedef struct {
  const RgbdBody *body;
  Pose64 now, rest, before;
} RgbdMover;

/* A radial distortion: a point at radius r, focal lengths from the axis, is
 * seen at r (1 + k[0] r^2 + k[1] r^4 + k[2] r^6), which grows with r. */
typedef struct {
  double k[3];
  double min, max; /* of the factor, within the frame */
} RgbdLens;

/* All data of one frame, in the world. */
typedef struct {
  int width, height;
  double f, cx, cy; /* pixels */
  RgbdLens lens;
  Pose64 camera;
  Pose64 views[RGBD_VIEWS]; /* the camera in earlier views, the latest first */
  RgbdMover movers[RGBD_MAX_OBJECTS];
  int n_movers;
  RgbdSolid furniture[RGBD_FURNITURE];
  int n_furniture;
} RgbdPlan;

RgbdPlan rgbd_plan (
    const RgbdParams *params, int width, int height, uint64_t number);
Pose64 rgbd_camera (const RgbdParams *params, uint64_t number);
/* The number of movers; the body of mover @mover; its pose. */
int rgbd_count (const RgbdParams *params);
const RgbdBody *rgbd_body (const RgbdParams *params, int mover);
Pose64 rgbd_pose (const RgbdParams *params, int mover, uint64_t number);

RgbdLens rgbd_lens (double distortion);
/* The factor of the distortion; 1 without distortion.  @r2 is the square of the
 * radius. */
double rgbd_lens_factor (const RgbdLens *lens, double r2);

/* A solid as seen by the camera: the pixels' rays in the solid's axes. */
typedef struct {
  RgbdShape shape;
  float half[3];
  float eye[3];                    /* the start of the rays */
  float ray[3], right[3], down[3]; /* of the first pixel; difference from column
                                      to column, from row to row; 1 long along
                                      the optical axis */
  ImageBox box;                    /* pixels that may see the solid */
} RgbdTarget;

/* Prepares a solid for casting; @pose is its pose in the camera's axes. */
RgbdTarget rgbd_aim (
    const RgbdPlan *plan, const RgbdSolid *solid, const Pose64 *pose);

/* Finds the depth at which a ray meets the solid, and the part of its direction
 * along the surface's normal there.  Returns false if the ray does not meet
 * it. */
bool rgbd_meet (
    const RgbdTarget *target, const float ray[3], float *z, float *facing);

/* The undistorted positions of the pixels of row @y: column x is at (across[x],
 * y + bend[x]). */
typedef struct {
  float across[RGBD_MAX_SIZE], bend[RGBD_MAX_SIZE];
} RgbdRow;

/* Casts row @y of rays at @n solids, as rgbd_meet () does, and keeps depths
 * nearer than @z. */
void rgbd_cast_row (const RgbdTarget *targets, int n, int y, const RgbdRow *row,
    float *z, float *facing);

/* The views that the tracker has seen. */
typedef struct {
  float view[RGBD_VIEWS][3][4]; /* from the camera to an earlier view */
  int width, height;
  float f, cx, cy;
  RgbdLens lens;
  ImageBox known; /* pixels that surely were in the latest view */
  int n_parts;    /* number of parts of all movers, as they stood in the latest
                     view */
  RgbdTarget parts[RGBD_MAX_OBJECTS * RGBD_PARTS];
  float eye[RGBD_MAX_OBJECTS * RGBD_PARTS][3]; /* the camera of that view, in
                                                  each part's axes */
} RgbdViews;

RgbdViews rgbd_views (const RgbdPlan *plan);
/* Whether the point at depth @z of the undistorted pixel (@x, @y) was within
 * the latest view, and no mover hid it there.  @moves: the point itself is on a
 * mover.  The pixels in `known` were within the view. */
bool rgbd_was_in_view (const RgbdViews *memory, float x, float y, float z);
bool rgbd_was_uncovered (
    const RgbdViews *memory, float x, float y, float z, bool moves);

enum {
  RGBD_GRAZING = 1, /* the surface is seen at a grazing angle */
  RGBD_HIDDEN = 2,  /* until now, a mover hid the surface */
};

struct _Rgbd {
  int width, height;
  float *z;             /* depth of the surface that is seen */
  float *facing;        /* cosine of the angle between the surface's normal and
                           the ray, not negative; if NULL, noise does not grow
                           with the angle */
  float *model_z;       /* of the tracker's model; infinite: no surface */
  float *model_facing;  /* as rgbd_meet () gives it */
  uint8_t *marks;       /* RGBD_GRAZING and RGBD_HIDDEN */
  uint16_t *labels;     /* 1 + the mover that is seen; 0: none */
  float *across, *bend; /* as in RgbdRow, for the distortion below */
  double distortion;    /* 0: across and bend are not set */
  uint16_t *depth; /* measured, millimetres, in rows of width + 2: the frame has
                      a border of zeros */
  DeviceMemory memory; /* of all arrays */
};

static inline uint16_t *
rgbd_depth_row (const Rgbd *scene, int y)
{
  return scene->depth + (size_t) (y + 1) * (scene->width + 2) + 1;
}

/* Sets the lens by @params, and the rows of its distortion. */
void rgbd_set_lens (
    Rgbd *scene, const RgbdPlan *plan, const RgbdParams *params);
void rgbd_get_row (const Rgbd *scene, int y, RgbdRow *row);

/* Sets all members but depth, and @full to the number of pixels of each mover,
 * including hidden ones. */
void rgbd_cast (
    Rgbd *scene, const RgbdPlan *plan, uint64_t full[RGBD_MAX_OBJECTS]);
void rgbd_sense (Rgbd *scene, const RgbdPlan *plan, const RgbdParams *params,
    uint64_t number);
void rgbd_classify (const Rgbd *scene, const RgbdPlan *plan,
    const RgbdParams *params, uint8_t *classes);
