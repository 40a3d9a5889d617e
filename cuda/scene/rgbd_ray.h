/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where a ray meets a solid.  The solid lies in its own frame, so that a box is
 * three pairs of parallel planes. */
#pragma once

#include "scene/rgbd_core.h"

/* What is nearer than this is not seen. */
#define RGBD_NEAREST .05f

/* Between which depths a ray is between planes, and how much of its direction
 * is along the normal of those where it comes in and goes out. */
typedef struct {
  float enter, leave, enter_facing, leave_facing;
} RgbdSpan;

#define RGBD_WHOLE ((RgbdSpan){-INFINITY, INFINITY, 0, 0})

/* Cuts the span down to what is between two planes, @half to each side of the
 * middle; @eye and @ray are along their normal. */
BOTH RgbdSpan
rgbd_cut (RgbdSpan s, float half, float eye, float ray)
{
  float face = fabsf (ray) < 1e-9f ? 1e-9f : fabsf (ray);
  float once = 1 / copysignf (face, ray), reach = copysignf (half, ray);
  float in = (-reach - eye) * once, out = (reach - eye) * once;
  bool later = in > s.enter, sooner = out < s.leave;

  return (RgbdSpan){later ? in : s.enter, sooner ? out : s.leave,
      later ? face : s.enter_facing, sooner ? face : s.leave_facing};
}

BOTH bool
rgbd_meet_sphere (
    const RgbdTarget *t, const float d[3], float *z, float *facing)
{
  const float *e = t->eye;
  float a = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  float b = e[0] * d[0] + e[1] * d[1] + e[2] * d[2];
  float c = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] - t->half[0] * t->half[0];
  float root = b * b - a * c;

  if (root <= 0)
    return false;
  root = sqrtf (root);
  *z = (-b - root) / a;
  *facing = root / t->half[0];
  return *z >= RGBD_NEAREST;
}

BOTH bool
rgbd_meet_cylinder (
    const RgbdTarget *t, const float d[3], float *z, float *facing)
{
  const float *e = t->eye;
  float a = d[0] * d[0] + d[2] * d[2];
  float b = e[0] * d[0] + e[2] * d[2];
  float c = e[0] * e[0] + e[2] * e[2] - t->half[0] * t->half[0];
  float root = b * b - a * c, in;
  RgbdSpan s;

  a = a < 1e-12f ? 1e-12f : a;
  if (root <= 0)
    return false;
  root = sqrtf (root);
  in = (-b - root) / a;
  s = rgbd_cut (RGBD_WHOLE, t->half[1], e[1], d[1]);
  if (s.enter > s.leave || in > s.leave || (-b + root) / a < s.enter)
    return false;
  *z = in > s.enter ? in : s.enter;
  *facing = in > s.enter ? root / t->half[0] : s.enter_facing;
  return *z >= RGBD_NEAREST;
}
