/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Cameras and poses.  Pose is in single precision, for what a pixel or a point
 * computes; Pose64 is in double precision, for the poses that callers give and
 * get.  Only + - * / and sqrt, which IEEE 754 rounds alike on all machines. */
#pragma once

#include <math.h>
#include <stdbool.h>

#include "common/vec.h"

/* A camera whose lens has the distortion k1 k2 p1 p2 k3 of Brown and Conrady,
 * all 0 without distortion; pixels. */
typedef struct {
  double fx, fy, cx, cy;
  double distortion[5];
} Camera;

/* Sets @ray to x and y of the ray of length 1 along the axis that pixel (@u,
 * @v) sees: the distortion is taken out by iteration, as OpenCV does.  Returns
 * false if the ray does not come back to the pixel, as beyond the edge for
 * which the model of the lens was made. */
BOTH bool
camera_ray (const Camera *c, double u, double v, double ray[2])
{
  const double *d = c->distortion;
  double x0 = (u - c->cx) / c->fx, y0 = (v - c->cy) / c->fy, x = x0, y = y0;
  double radial = 1, dx = 0, dy = 0;

  for (int i = 0; i <= 20; i++) {
    double r2 = x * x + y * y;

    radial = 1 + r2 * (d[0] + r2 * (d[1] + r2 * d[4]));
    dx = 2 * d[2] * x * y + d[3] * (r2 + 2 * x * x);
    dy = d[2] * (r2 + 2 * y * y) + 2 * d[3] * x * y;
    if (i == 20)
      break;
    x = (x0 - dx) / radial;
    y = (y0 - dy) / radial;
  }
  ray[0] = x;
  ray[1] = y;
  return fabs (x * radial + dx - x0) * c->fx < .5 &&
      fabs (y * radial + dy - y0) * c->fy < .5;
}

/* A rotation and a translation: x' = q x q* + t. */
typedef struct {
  Quat q;
  Vec t;
} Pose;

/* A rotation and a translation in double precision: metres, and a unit
 * quaternion, w first. */
typedef struct {
  double t[3], q[4];
} Pose64;

/* Pose @p after a small rotation by @w, radians about each axis of the camera,
 * and a translation by @v. */
BOTH Pose
pose_moved (Pose p, Vec w, Vec v)
{
  Quat d = {1, w.x / 2, w.y / 2, w.z / 2};
  Turn r;

  d = quat_unit (d);
  r = turn_of (d);
  p.q = quat_unit (quat_times (d, p.q));
  p.t = vec_add (vec_rotate (&r, p.t), v);
  return p;
}

/* The pose of seven numbers: translation tx, ty, tz, then quaternion qw, qx,
 * qy, qz of any length but 0. */
BOTH Pose
pose_from (const double pose[7])
{
  Pose p = {quat_unit (quat ((float) pose[3], (float) pose[4], (float) pose[5],
                (float) pose[6])),
      {(float) pose[0], (float) pose[1], (float) pose[2]}};

  return p;
}

/* ---- Double precision ---- */

BOTH Pose64
pose64_identity (void)
{
  Pose64 p = {{0, 0, 0}, {1, 0, 0, 0}};

  return p;
}

/* Sets @out to the product of @a and @b: it rotates by @b, then by @a. */
BOTH void
quat64_times (const double a[4], const double b[4], double out[4])
{
  out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

/* Sets @out to @v, rotated by the unit quaternion @q. */
BOTH void
quat64_rotate (const double q[4], const double v[3], double out[3])
{
  double x = q[2] * v[2] - q[3] * v[1], y = q[3] * v[0] - q[1] * v[2],
         z = q[1] * v[1] - q[2] * v[0];

  out[0] = v[0] + 2 * (q[0] * x + q[2] * z - q[3] * y);
  out[1] = v[1] + 2 * (q[0] * y + q[3] * x - q[1] * z);
  out[2] = v[2] + 2 * (q[0] * z + q[1] * y - q[2] * x);
}

/* Sets @m to the matrix of the unit quaternion @q, row by row. */
BOTH void
quat64_matrix (const double q[4], double m[3][3])
{
  double w = q[0], x = q[1], y = q[2], z = q[3];

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

/* Sets @q to the unit quaternion of the rotation matrix whose row i begins
 * at @r[i * @stride].  Row k of @products is four times part k of the
 * quaternion times each part; that of the largest part is never near 0 (S.
 * W. Shepperd, Quaternion from Rotation Matrix, Journal of Guidance and
 * Control 1(3), 1978). */
BOTH void
quat64_of_rows (const double *r, int stride, double q[4])
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

/* Scales the quaternion to length 1. */
BOTH void
pose64_unit (Pose64 *p)
{
  double n = 1 /
      sqrt (p->q[0] * p->q[0] + p->q[1] * p->q[1] + p->q[2] * p->q[2] +
          p->q[3] * p->q[3]);

  for (int i = 0; i < 4; i++)
    p->q[i] *= n;
}

/* The product: @b moves a point first, then @a. */
BOTH Pose64
pose64_times (Pose64 a, Pose64 b)
{
  Pose64 r;

  quat64_rotate (a.q, b.t, r.t);
  for (int i = 0; i < 3; i++)
    r.t[i] += a.t[i];
  quat64_times (a.q, b.q, r.q);
  pose64_unit (&r);
  return r;
}

BOTH Pose64
pose64_inverse (Pose64 p)
{
  Pose64 r = {{0, 0, 0}, {p.q[0], -p.q[1], -p.q[2], -p.q[3]}};
  double t[3];

  quat64_rotate (r.q, p.t, t);
  for (int i = 0; i < 3; i++)
    r.t[i] = -t[i];
  return r;
}

/* The rotation of @p, in single precision. */
BOTH Turn
pose64_turn (const Pose64 *p)
{
  return turn_of (quat (
      (float) p->q[0], (float) p->q[1], (float) p->q[2], (float) p->q[3]));
}

/* The translation of @p, in single precision. */
BOTH Vec
pose64_place (const Pose64 *p)
{
  return vec ((float) p->t[0], (float) p->t[1], (float) p->t[2]);
}
