/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Vectors, unit quaternions (w first) and poses, for both backends.  Nothing
 * here but + - * / and sqrt, which IEEE rounds alike everywhere; exponential
 * and logarithm are polynomials for that reason. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "common/both.h"

typedef struct {
  float x, y, z;
} ScopedetectVec;

typedef struct {
  float w, x, y, z;
} ScopedetectQuat;

/* From the model to the camera: x' = q x q* + t. */
typedef struct {
  ScopedetectQuat q;
  ScopedetectVec t;
} ScopedetectPose;

/* The columns of a rotation. */
typedef struct {
  ScopedetectVec x, y, z;
} ScopedetectTurn;

BOTH ScopedetectVec
scopedetect_vec (float x, float y, float z)
{
  ScopedetectVec v = {x, y, z};

  return v;
}

BOTH ScopedetectVec
scopedetect_add (ScopedetectVec a, ScopedetectVec b)
{
  return scopedetect_vec (a.x + b.x, a.y + b.y, a.z + b.z);
}

BOTH ScopedetectVec
scopedetect_sub (ScopedetectVec a, ScopedetectVec b)
{
  return scopedetect_vec (a.x - b.x, a.y - b.y, a.z - b.z);
}

BOTH ScopedetectVec
scopedetect_scale (ScopedetectVec a, float s)
{
  return scopedetect_vec (a.x * s, a.y * s, a.z * s);
}

BOTH float
scopedetect_dot (ScopedetectVec a, ScopedetectVec b)
{
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

BOTH ScopedetectVec
scopedetect_cross (ScopedetectVec a, ScopedetectVec b)
{
  return scopedetect_vec (
      a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

BOTH float
scopedetect_norm (ScopedetectVec a)
{
  return sqrtf (scopedetect_dot (a, a));
}

/* Of length 1; nothing stays nothing. */
BOTH ScopedetectVec
scopedetect_unit (ScopedetectVec a)
{
  float n = scopedetect_norm (a);

  return n > 0 ? scopedetect_scale (a, 1 / n) : a;
}

/* ---- Rotations ---- */

BOTH ScopedetectQuat
scopedetect_quat (float w, float x, float y, float z)
{
  ScopedetectQuat q = {w, x, y, z};

  return q;
}

BOTH ScopedetectQuat
scopedetect_times (ScopedetectQuat a, ScopedetectQuat b)
{
  ScopedetectQuat r = {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
      a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
      a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};

  return r;
}

BOTH ScopedetectQuat
scopedetect_conjugate (ScopedetectQuat a)
{
  ScopedetectQuat r = {a.w, -a.x, -a.y, -a.z};

  return r;
}

BOTH float
scopedetect_quat_dot (ScopedetectQuat a, ScopedetectQuat b)
{
  return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
}

BOTH ScopedetectQuat
scopedetect_quat_unit (ScopedetectQuat a)
{
  float n = sqrtf (scopedetect_quat_dot (a, a));
  ScopedetectQuat r = {a.w / n, a.x / n, a.y / n, a.z / n};
  ScopedetectQuat one = {1, 0, 0, 0};

  return n > 0 ? r : one;
}

BOTH ScopedetectTurn
scopedetect_turn (ScopedetectQuat q)
{
  float xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
  float xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
  float wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
  ScopedetectTurn r = {{1 - 2 * (yy + zz), 2 * (xy + wz), 2 * (xz - wy)},
      {2 * (xy - wz), 1 - 2 * (xx + zz), 2 * (yz + wx)},
      {2 * (xz + wy), 2 * (yz - wx), 1 - 2 * (xx + yy)}};

  return r;
}

/* The quaternion of a rotation, from its largest component. */
BOTH ScopedetectQuat
scopedetect_quat_of (ScopedetectTurn r)
{
  float t = r.x.x + r.y.y + r.z.z;
  ScopedetectQuat q;

  if (t > 0)
    q = scopedetect_quat (1 + t, r.y.z - r.z.y, r.z.x - r.x.z, r.x.y - r.y.x);
  else if (r.x.x >= r.y.y && r.x.x >= r.z.z)
    q = scopedetect_quat (
        r.y.z - r.z.y, 1 + r.x.x - r.y.y - r.z.z, r.y.x + r.x.y, r.z.x + r.x.z);
  else if (r.y.y >= r.z.z)
    q = scopedetect_quat (
        r.z.x - r.x.z, r.y.x + r.x.y, 1 + r.y.y - r.x.x - r.z.z, r.z.y + r.y.z);
  else
    q = scopedetect_quat (
        r.x.y - r.y.x, r.z.x + r.x.z, r.z.y + r.y.z, 1 + r.z.z - r.x.x - r.y.y);
  return scopedetect_quat_unit (q);
}

BOTH ScopedetectVec
scopedetect_rotate (const ScopedetectTurn *r, ScopedetectVec v)
{
  return scopedetect_vec (r->x.x * v.x + r->y.x * v.y + r->z.x * v.z,
      r->x.y * v.x + r->y.y * v.y + r->z.y * v.z,
      r->x.z * v.x + r->y.z * v.y + r->z.z * v.z);
}

BOTH ScopedetectVec
scopedetect_apply (const ScopedetectTurn *r, ScopedetectVec t, ScopedetectVec p)
{
  return scopedetect_add (scopedetect_rotate (r, p), t);
}

/* The inverse rotation. */
BOTH ScopedetectVec
scopedetect_unrotate (const ScopedetectTurn *r, ScopedetectVec v)
{
  return scopedetect_vec (scopedetect_dot (r->x, v), scopedetect_dot (r->y, v),
      scopedetect_dot (r->z, v));
}

/* The same frame with its second and third axis reversed: (n, pc, n x pc) to
 * (n, -pc, -n x pc). */
BOTH ScopedetectQuat
scopedetect_flip (ScopedetectQuat q)
{
  ScopedetectQuat r = {-q.x, q.w, q.z, -q.y};

  return r;
}

/* @p after a small rotation @w, radians, about the camera, and a step @v. */
BOTH ScopedetectPose
scopedetect_moved (ScopedetectPose p, ScopedetectVec w, ScopedetectVec v)
{
  ScopedetectQuat d = {1, w.x / 2, w.y / 2, w.z / 2};
  ScopedetectTurn r;

  d = scopedetect_quat_unit (d);
  r = scopedetect_turn (d);
  p.q = scopedetect_quat_unit (scopedetect_times (d, p.q));
  p.t = scopedetect_add (scopedetect_rotate (&r, p.t), v);
  return p;
}

/* ---- Functions that libm would round otherwise on each backend ---- */

/* 2^n for -126 <= n <= 127. */
BOTH float
scopedetect_pow2 (int n)
{
  uint32_t bits = (uint32_t) (n + 127) << 23;
  float f;

  memcpy (&f, &bits, sizeof f);
  return f;
}

/* e^x for x <= 0, 0 below -87; relative error 3e-7. */
BOTH float
scopedetect_exp (float x)
{
  float t = x * 1.44269504f, r, p;
  int n;

  if (!(x > -87))
    return 0;
  n = (int) (t - .5f); /* to the nearest, as t <= 0 */
  r = (t - (float) n) * .69314718f;
  p = 1 +
      r *
          (1 +
              r *
                  (.5f +
                      r *
                          (.16666667f +
                              r *
                                  (.041666667f +
                                      r * (.0083333333f + r * .0013888889f)))));
  return p * scopedetect_pow2 (n);
}

/* ln x for normal x > 0; absolute error 3e-7 of what is near 1. */
BOTH float
scopedetect_log (float x)
{
  uint32_t bits;
  int n;
  float m, s, z;

  memcpy (&bits, &x, sizeof bits);
  n = (int) (bits >> 23) - 127;
  bits = (bits & 0x7fffff) | 0x3f800000;
  memcpy (&m, &bits, sizeof m);
  if (m > 1.41421356f)
    m /= 2, n++;
  s = (m - 1) / (m + 1);
  z = s * s;
  return (float) n * .69314718f +
      2 * s *
      (1 + z * (.33333333f + z * (.2f + z * (.14285714f + z * .11111111f))));
}
