/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rigid motions: tx ty tz in metres and a unit quaternion, w first, as in the
 * metadata.  Only + - * / and square roots, which every machine rounds
 * alike. */
#pragma once

#include <math.h>
#include <string.h>

#include "scene/scene.h"

typedef struct {
  double t[3], q[4];
} RgbdPose;

/* As fractions of 2^32. */
static inline uint32_t
rgbd_turns (double n)
{
  return (uint32_t) (int64_t) (n * 4294967296.);
}

static inline uint32_t
rgbd_degrees (double n)
{
  return rgbd_turns (n / 360);
}

/* The turn by @turn / 2^32 about axis 0, 1 or 2, then the way to (@x, @y,
 * @z). */
static inline RgbdPose
rgbd_pose_of (int axis, uint32_t turn, double x, double y, double z)
{
  uint32_t half = (uint32_t) ((int32_t) turn / 2);
  double s = scene_sin (half), c = scene_sin (half + (1u << 30));
  double n = sqrt (s * s + c * c);
  RgbdPose p = {{x, y, z}, {c / n, 0, 0, 0}};

  p.q[1 + axis] = s / n;
  return p;
}

/* The quaternion as a matrix. */
static inline void
rgbd_pose_axes (const RgbdPose *p, double m[3][3])
{
  double w = p->q[0], x = p->q[1], y = p->q[2], z = p->q[3];

  m[0][0] = 1 - 2 * (y * y + z * z);
  m[0][1] = 2 * (x * y - w * z);
  m[0][2] = 2 * (x * z + w * y);
  m[1][0] = 2 * (x * y + w * z);
  m[1][1] = 1 - 2 * (x * x + z * z);
  m[1][2] = 2 * (y * z - w * x);
  m[2][0] = 2 * (x * z - w * y);
  m[2][1] = 2 * (y * z + w * x);
  m[2][2] = 1 - 2 * (x * x + y * y);
}

static inline void
rgbd_pose_apply (const RgbdPose *p, const double v[3], double out[3])
{
  double m[3][3];

  rgbd_pose_axes (p, m);
  for (int i = 0; i < 3; i++)
    out[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2] + p->t[i];
}

/* First @b, then @a. */
static inline RgbdPose
rgbd_pose_chain (const RgbdPose *a, const RgbdPose *b)
{
  const double *p = a->q, *q = b->q;
  RgbdPose c = {{0},
      {p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
          p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
          p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
          p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]}};

  rgbd_pose_apply (a, b->t, c.t);
  return c;
}

static inline RgbdPose
rgbd_pose_inverse (const RgbdPose *p)
{
  RgbdPose turn = {{0}, {p->q[0], -p->q[1], -p->q[2], -p->q[3]}}, back = turn;
  double away[3] = {-p->t[0], -p->t[1], -p->t[2]};

  rgbd_pose_apply (&turn, away, back.t);
  return back;
}
