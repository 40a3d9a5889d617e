/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Poses of the scene: tx ty tz in metres and a unit quaternion, w first, as in
 * the metadata.  Only + - * / and square roots, which every machine rounds
 * alike. */
#pragma once

#include <math.h>
#include <string.h>

#include "common/pose_core.h"
#include "scene/scene.h"

/* Turns and degrees as fractions of 2^32 of a turn. */
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

/* The rotation by @turn / 2^32 about axis 0, 1 or 2, then the translation by
 * (@x, @y, @z). */
static inline Pose64
rgbd_pose_of (int axis, uint32_t turn, double x, double y, double z)
{
  uint32_t half = (uint32_t) ((int32_t) turn / 2);
  double s = math_sin_turn (half), c = math_sin_turn (half + (1u << 30));
  double n = sqrt (s * s + c * c);
  Pose64 p = {{x, y, z}, {c / n, 0, 0, 0}};

  p.q[1 + axis] = s / n;
  return p;
}

static inline void
rgbd_pose_apply (const Pose64 *p, const double v[3], double out[3])
{
  double m[3][3];

  quat64_matrix (p->q, m);
  for (int i = 0; i < 3; i++)
    out[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2] + p->t[i];
}

/* The pose that applies @b, then @a. */
static inline Pose64
rgbd_pose_chain (const Pose64 *a, const Pose64 *b)
{
  Pose64 c;

  quat64_times (a->q, b->q, c.q);
  rgbd_pose_apply (a, b->t, c.t);
  return c;
}

static inline Pose64
rgbd_pose_inverse (const Pose64 *p)
{
  Pose64 turn = {{0}, {p->q[0], -p->q[1], -p->q[2], -p->q[3]}}, back = turn;
  double away[3] = {-p->t[0], -p->t[1], -p->t[2]};

  rgbd_pose_apply (&turn, away, back.t);
  return back;
}
