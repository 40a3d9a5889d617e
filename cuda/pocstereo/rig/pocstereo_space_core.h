/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From disparity to space, for kernels and for loops. */
#pragma once

#include "pocstereo/rig/pocstereo_space.h"

/* In the left rectified camera: x right, y down, z forward; the unit is that of
 * the rig's baseline.  sigma: of z. */
typedef struct {
  float x, y, z, sigma;
} PocstereoSpacePoint;

/* Larger numbers are overflow, and so is what is no number. */
#define POCSTEREO_SPACE_MOST 1e30f

BOTH bool
pocstereo_space_is_sane (float v)
{
  return v > -POCSTEREO_SPACE_MOST && v < POCSTEREO_SPACE_MOST;
}

/* The point of disparity @d, whose standard deviation is @sigma, at pixel (@x,
 * @y) of the left rectified view; all pixels.  To first order, sigma of z is
 * |dz/dd| sigma.  False, and all 0, if there is no point in front of the
 * camera. */
BOTH bool
pocstereo_space_point (const PocstereoSpace *s, float x, float y, float d,
    float sigma, PocstereoSpacePoint *point)
{
  const float *q = s->q, *r = q + 4, *t = q + 8, *u = q + 12;
  float w = u[0] * x + u[1] * y + u[2] * d + u[3];
  float z = t[0] * x + t[1] * y + t[2] * d + t[3];
  float slope = (t[2] * w - u[2] * z) / (w * w);
  PocstereoSpacePoint p = {(q[0] * x + q[1] * y + q[2] * d + q[3]) / w,
      (r[0] * x + r[1] * y + r[2] * d + r[3]) / w, z / w,
      (slope < 0 ? -slope : slope) * sigma};
  PocstereoSpacePoint none = {0, 0, 0, 0};
  bool good = p.z > 0 && pocstereo_space_is_sane (p.x) &&
      pocstereo_space_is_sane (p.y) && pocstereo_space_is_sane (p.z) &&
      pocstereo_space_is_sane (p.sigma);

  *point = good ? p : none;
  return good;
}
