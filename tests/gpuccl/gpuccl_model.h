/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The simplest model of a scene, an earlier depth frame with its pose, and what
 * a later one is against it: classes as in the paper's figure 1.  A Kinect of
 * 640 x 480 pixels; poses are 4 x 4, from camera to world. */
#pragma once

#include <math.h>

#include "common/pose_core.h"
#include "gpuccl_find.h"

#define KINECT_F 585.
#define KINECT_CX 320.
#define KINECT_CY 240.
#define KINECT_PIXELS (640 * 480)

typedef struct {
  double m[3][4];
} PoseRows;

static inline bool
pose_read (const char *path, PoseRows *pose)
{
  FILE *file = fopen (path, "r");
  int n = 0;

  for (int i = 0; file && i < 12; i++)
    n += fscanf (file, "%lf", &pose->m[i / 4][i % 4]);
  if (file)
    fclose (file);
  return n == 12;
}

static inline void
pose_apply (const PoseRows *p, const double v[3], double out[3])
{
  for (int i = 0; i < 3; i++)
    out[i] =
        p->m[i][0] * v[0] + p->m[i][1] * v[1] + p->m[i][2] * v[2] + p->m[i][3];
}

static inline void
pose_apply_inverse (const PoseRows *p, const double v[3], double out[3])
{
  double d[3];

  for (int i = 0; i < 3; i++)
    d[i] = v[i] - p->m[i][3];
  for (int i = 0; i < 3; i++)
    out[i] = p->m[0][i] * d[0] + p->m[1][i] * d[1] + p->m[2][i] * d[2];
}

/* As gpuccl takes it. */
static inline Pose64
pose_to_params (const PoseRows *p)
{
  Pose64 out = {.t = {p->m[0][3], p->m[1][3], p->m[2][3]}};

  quat64_of_rows (p->m[0], 4, out.q);
  return out;
}

static inline bool
model_point (const uint16_t *depth, int x, int y, double out[3])
{
  double z =
      x < 0 || y < 0 || x >= 640 || y >= 480 ? 0 : depth[y * 640 + x] / 1000.;

  out[0] = (x - KINECT_CX) * z / KINECT_F;
  out[1] = (y - KINECT_CY) * z / KINECT_F;
  out[2] = z;
  return z > 0;
}

/* How far @v is from the point that @depth has where @v would be seen. */
static inline double
model_distance (const uint16_t *depth, const double v[3])
{
  double at[3], d = 0;

  if (v[2] <= 0 ||
      !model_point (depth, (int) lround (KINECT_CX + KINECT_F * v[0] / v[2]),
          (int) lround (KINECT_CY + KINECT_F * v[1] / v[2]), at))
    return NAN;
  for (int i = 0; i < 3; i++)
    d += (v[i] - at[i]) * (v[i] - at[i]);
  return sqrt (d);
}

/* The classes of @depth, taken at @pose, against @model, taken at @model_pose;
 * written to the map of @in, and the depth with it. */
static inline void
model_classify (const uint16_t *model, const PoseRows *model_pose,
    const uint16_t *depth, const PoseRows *pose, Input *in)
{
  for (int i = 0; i < KINECT_PIXELS; i++) {
    double v[3], world[3], d;
    int x = i % 640, y = i / 640;
    bool there = model_point (depth, x, y, v);

    pose_apply (pose, v, world);
    pose_apply_inverse (model_pose, world, v);
    d = there ? model_distance (model, v) : NAN;
    *depth_at (in, x, y) = depth[i];
    *map_at (in, x, y) = !there ? GPUCCL_MISSING
        : isnan (d)             ? GPUCCL_NO_CORRESPONDENCE
        : d < .02               ? GPUCCL_INLIER
        : d < .035              ? GPUCCL_POTENTIAL_OUTLIER
                                : GPUCCL_OUTLIER;
  }
}
