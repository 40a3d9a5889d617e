/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How a disparity becomes a point: the rig's matrix Q, [X Y Z W] =
 * Q [x y d 1], d = x_left - x_right, as OpenCV's stereoRectify makes it.  For
 * parallel cameras Q is
 *
 *   1 0  0     -cx
 *   0 1  0     -cy
 *   0 0  0      f
 *   0 0 -1/Tx  (cx - cx')/Tx
 *
 * where Tx < 0 for a right camera that is on the right; in verged rigs
 * cx != cx', and disparities below 0 are points, too.  All 16 numbers count. */
#pragma once

#include "common/device.h"

C_BEGIN

typedef struct {
  float q[16]; /* row by row */
} PocstereoSpace;

/* A rectified pair without a matrix.  @fx, @fy, @cx, @cy: of the left view,
 * pixels; @cx_right: of the right one; @baseline: from the left camera to the
 * right one, the unit that points will have, below 0 where that is on the left.
 */
typedef struct {
  double fx, fy, cx, cy, cx_right, baseline;
} PocstereoCamera;

/* Fails where a number is not finite, even as a float, or depth does not depend
 * on disparity. */
const char *pocstereo_space_from_q (PocstereoSpace *self, const double q[16]);
/* Fails where a number is not finite, a focal length not above 0, or the
 * baseline 0. */
const char *pocstereo_space_from_camera (
    PocstereoSpace *self, const PocstereoCamera *camera);

C_END

/* ---- From disparity to space, for kernels and for loops ---- */

/* In the left rectified camera: x right, y down, z forward; the unit is that of
 * the rig's baseline.  sigma: of z. */
typedef struct {
  float x, y, z, sigma;
} PocstereoSpacePoint;

/* Larger numbers are overflow, and so is what is no number. */
#define POCSTEREO_SPACE_MAX 1e30f

BOTH bool
pocstereo_space_is_sane (float v)
{
  return v > -POCSTEREO_SPACE_MAX && v < POCSTEREO_SPACE_MAX;
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
