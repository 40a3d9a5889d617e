/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rotations in double precision, as files hold them. */
#pragma once

#include <math.h>

/* Sets @q to the unit quaternion, w first, of the rotation matrix whose row i
 * begins at @r[i * @stride].  Row k of @products is four times part k of the
 * quaternion times each part; that of the largest part is never near 0 (S. W.
 * Shepperd, Quaternion from Rotation Matrix, Journal of Guidance and Control
 * 1(3), 1978). */
static inline void
quat_of_rows (const double *r, int stride, double q[4])
{
  const double *x = r, *y = r + stride, *z = r + 2 * stride;
  const double wx = z[1] - y[2], wy = x[2] - z[0], wz = y[0] - x[1];
  const double xy = y[0] + x[1], xz = x[2] + z[0], yz = y[2] + z[1];
  const double products[4][4] = {{1 + x[0] + y[1] + z[2], wx, wy, wz},
      {wx, 1 + x[0] - y[1] - z[2], xy, xz},
      {wy, xy, 1 - x[0] + y[1] - z[2], yz},
      {wz, xz, yz, 1 - x[0] - y[1] + z[2]}};
  double length = 0;
  int k = 0;

  for (int i = 1; i < 4; i++)
    if (products[i][i] > products[k][k])
      k = i;
  for (int i = 0; i < 4; i++)
    length += products[k][i] * products[k][i];
  for (int i = 0; i < 4; i++)
    q[i] = products[k][i] / sqrt (length);
}
