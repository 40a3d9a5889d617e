/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Vectors and unit quaternions (w first), for both backends.  The
 * functions use only + - * / and sqrt, which IEEE 754 rounds alike on all
 * machines. */
#pragma once

#include <math.h>

#include "common/both.h"

typedef struct {
  float x, y, z;
} Vec;

typedef struct {
  float w, x, y, z;
} Quat;

/* A rotation matrix, as its columns. */
typedef struct {
  Vec x, y, z;
} Turn;

BOTH Vec
vec (float x, float y, float z)
{
  Vec v = {x, y, z};

  return v;
}

BOTH Vec
vec_add (Vec a, Vec b)
{
  return vec (a.x + b.x, a.y + b.y, a.z + b.z);
}

BOTH Vec
vec_sub (Vec a, Vec b)
{
  return vec (a.x - b.x, a.y - b.y, a.z - b.z);
}

BOTH Vec
vec_scale (Vec a, float s)
{
  return vec (a.x * s, a.y * s, a.z * s);
}

BOTH float
vec_dot (Vec a, Vec b)
{
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

BOTH Vec
vec_cross (Vec a, Vec b)
{
  return vec (
      a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

BOTH float
vec_norm (Vec a)
{
  return sqrtf (vec_dot (a, a));
}

/* @a, scaled to length 1; the zero vector stays. */
BOTH Vec
vec_unit (Vec a)
{
  float n = vec_norm (a);

  return n > 0 ? vec_scale (a, 1 / n) : a;
}

/* ---- Rotations ---- */

BOTH Quat
quat (float w, float x, float y, float z)
{
  Quat q = {w, x, y, z};

  return q;
}

/* The product: it rotates by @b, then by @a. */
BOTH Quat
quat_times (Quat a, Quat b)
{
  Quat r = {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
      a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
      a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};

  return r;
}

/* The inverse rotation of a unit quaternion. */
BOTH Quat
quat_conjugate (Quat a)
{
  Quat r = {a.w, -a.x, -a.y, -a.z};

  return r;
}

BOTH float
quat_dot (Quat a, Quat b)
{
  return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
}

/* @a, scaled to length 1; of zero, the identity. */
BOTH Quat
quat_unit (Quat a)
{
  float n = sqrtf (quat_dot (a, a));
  Quat r = {a.w / n, a.x / n, a.y / n, a.z / n};
  Quat one = {1, 0, 0, 0};

  return n > 0 ? r : one;
}

/* The matrix of a unit quaternion. */
BOTH Turn
turn_of (Quat q)
{
  float xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
  float xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
  float wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
  Turn r = {{1 - 2 * (yy + zz), 2 * (xy + wz), 2 * (xz - wy)},
      {2 * (xy - wz), 1 - 2 * (xx + zz), 2 * (yz + wx)},
      {2 * (xz + wy), 2 * (yz - wx), 1 - 2 * (xx + yy)}};

  return r;
}

/* The unit quaternion of a matrix.  The largest component comes first, so that
 * no division is by a small number. */
BOTH Quat
quat_of (Turn r)
{
  float t = r.x.x + r.y.y + r.z.z;
  Quat q;

  if (t > 0)
    q = quat (1 + t, r.y.z - r.z.y, r.z.x - r.x.z, r.x.y - r.y.x);
  else if (r.x.x >= r.y.y && r.x.x >= r.z.z)
    q = quat (
        r.y.z - r.z.y, 1 + r.x.x - r.y.y - r.z.z, r.y.x + r.x.y, r.z.x + r.x.z);
  else if (r.y.y >= r.z.z)
    q = quat (
        r.z.x - r.x.z, r.y.x + r.x.y, 1 + r.y.y - r.x.x - r.z.z, r.z.y + r.y.z);
  else
    q = quat (
        r.x.y - r.y.x, r.z.x + r.x.z, r.z.y + r.y.z, 1 + r.z.z - r.x.x - r.y.y);
  return quat_unit (q);
}

BOTH Vec
vec_rotate (const Turn *r, Vec v)
{
  return vec (r->x.x * v.x + r->y.x * v.y + r->z.x * v.z,
      r->x.y * v.x + r->y.y * v.y + r->z.y * v.z,
      r->x.z * v.x + r->y.z * v.y + r->z.z * v.z);
}

/* @p, rotated by @r and moved by @t. */
BOTH Vec
vec_transform (const Turn *r, Vec t, Vec p)
{
  return vec_add (vec_rotate (r, p), t);
}

/* @v, rotated by the inverse of @r. */
BOTH Vec
vec_unrotate (const Turn *r, Vec v)
{
  return vec (vec_dot (r->x, v), vec_dot (r->y, v), vec_dot (r->z, v));
}
