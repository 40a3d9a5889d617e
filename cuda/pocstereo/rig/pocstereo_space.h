/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From a disparity to a point: the rig's matrix Q, [X Y Z W] = Q [x y d 1],
 * d = x_left - x_right, as OpenCV's stereoRectify makes it.  For parallel
 * cameras Q is
 *
 *   1 0  0     -cx
 *   0 1  0     -cy
 *   0 0  0      f
 *   0 0 -1/Tx  (cx - cx')/Tx
 *
 * with Tx < 0 if the right camera is on the right.  In verged rigs cx != cx',
 * and disparities below 0 are points, too. */
#pragma once

#include "common/device.h"

C_BEGIN

typedef struct {
  float q[16]; /* row by row */
} PocstereoSpace;

/* A rectified pair without a matrix Q. @fx, @fy, @cx, @cy: of the left view,
 * pixels; @cx_right: of the right view; @baseline: from the left camera to the
 * right one, in the unit of the points; below 0 if the right camera is on the
 * left. */
typedef struct {
  double fx, fy, cx, cy, cx_right, baseline;
} PocstereoCamera;

/* Error: a number is not finite, even as a float, or depth does not depend on
 * disparity. */
const char *pocstereo_space_from_q (PocstereoSpace *self, const double q[16]);
/* Error: a number is not finite, a focal length is not above 0, or the baseline
 * is 0. */
const char *pocstereo_space_from_camera (
    PocstereoSpace *self, const PocstereoCamera *camera);

C_END
