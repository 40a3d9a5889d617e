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
