/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Poses as the truth of a scene has them, in doubles: tx ty tz qw qx qy qz. */
#pragma once

/* @v, rotated by @q: v + 2 q x (q x v + w v). */
static inline void
turn (const double q[4], const double v[3], double out[3])
{
  double a[3], b[3];

  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;

    a[i] = q[1 + j] * v[k] - q[1 + k] * v[j] + q[0] * v[i];
  }
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;

    b[i] = q[1 + j] * a[k] - q[1 + k] * a[j];
  }
  for (int i = 0; i < 3; i++)
    out[i] = v[i] + 2 * b[i];
}

/* @v from the coordinates of what has the pose to those around it. */
static inline void
carry (const double pose[7], const double v[3], double out[3])
{
  turn (pose + 3, v, out);
  for (int i = 0; i < 3; i++)
    out[i] += pose[i];
}

/* The inverse. */
static inline void
carry_back (const double pose[7], const double v[3], double out[3])
{
  double q[4] = {pose[3], -pose[4], -pose[5], -pose[6]};
  double d[3] = {v[0] - pose[0], v[1] - pose[1], v[2] - pose[2]};

  turn (q, d, out);
}
