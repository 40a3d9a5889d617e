/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is computed of a point's neighbourhood: Fast Point Feature Histograms
 * (Rusu, Blodow and Beetz, ICRA 2009) in PCL's form, which adds no own SPFH and
 * divides by squared distances; principal curvatures; normals of planes. */
#pragma once

#include "scopedetect/scopedetect_cloud.h"

/* Bin 0 to 10 of an angle atan2 (y, x) in [-pi, pi], found without the angle:
 * by the directions of the bins' borders, (cos, sin) of (2 k + 1) pi / 11. */
BOTH int
scopedetect_angle_bin (float y, float x)
{
  const float c[5] = {
      .95949297f, .65486073f, .14231484f, -.41541501f, -.84125353f};
  const float s[5] = {
      .28173256f, .75574957f, .98982144f, .90963200f, .54064082f};
  float a = y < 0 ? -y : y;
  int k = 0;

  while (k < 5 && c[k] * a - s[k] * x > 0)
    k++;
  return y < 0 ? 5 - k : 5 + k;
}

BOTH int
scopedetect_unit_bin (float v)
{
  int b = (int) floorf (11 * ((v + 1) * .5f));

  return b < 0 ? 0 : b > 10 ? 10 : b;
}

/* The three bins, 0 to 32, of two points with normals; false where they have
 * no frame: one point, or a normal along the line.  As PCL has it, the point
 * whose normal lies nearer to the line is the first. */
BOTH bool
scopedetect_pair (ScopedetectVec p1, ScopedetectVec n1, ScopedetectVec p2,
    ScopedetectVec n2, int bin[3])
{
  ScopedetectVec d = scopedetect_sub (p2, p1), v, w;
  float length = scopedetect_norm (d), per, a1, a2, f3, v_norm;

  if (!(length > 0))
    return false;
  per = 1 / length;
  a1 = scopedetect_dot (n1, d) * per;
  a2 = scopedetect_dot (n2, d) * per;
  f3 = a1;
  if (fabsf (a1) < fabsf (a2)) { /* acos |a1| > acos |a2| */
    ScopedetectVec n = n1;

    n1 = n2, n2 = n;
    d = scopedetect_scale (d, -1);
    f3 = -a2;
  }
  v = scopedetect_cross (d, n1);
  v_norm = scopedetect_norm (v);
  if (!(v_norm > 0))
    return false;
  v = scopedetect_scale (v, 1 / v_norm);
  w = scopedetect_cross (n1, v);
  bin[0] =
      scopedetect_angle_bin (scopedetect_dot (w, n2), scopedetect_dot (n1, n2));
  bin[1] = 11 + scopedetect_unit_bin (scopedetect_dot (v, n2));
  bin[2] = 22 + scopedetect_unit_bin (f3);
  return true;
}

/* The eigenvector of the least eigenvalue of a symmetric positive 3 x 3 matrix
 * (xx, xy, xz, yy, yz, zz): Newton's steps from 0, below which the
 * characteristic polynomial has no root, then the longest product of two
 * rows. */
BOTH ScopedetectVec
scopedetect_least_axis (const float m[6])
{
  float tr = m[0] + m[3] + m[5], s = tr > 0 ? 1 / tr : 0;
  float a = m[0] * s, b = m[1] * s, c = m[2] * s, d = m[3] * s, e = m[4] * s;
  float f = m[5] * s, l = 0;
  float c1 = a * d + a * f + d * f - b * b - c * c - e * e;
  float c0 = a * (d * f - e * e) - b * (b * f - c * e) + c * (b * e - c * d);
  ScopedetectVec r0, r1, r2, p, q, r;
  float pp, qq, rr;

  for (int k = 0; k < 8; k++) {
    float value = ((1 - l) * l - c1) * l + c0; /* det (M - l I), falling */
    float slope = (2 - 3 * l) * l - c1;

    if (!(slope < 0) || !(value > 0))
      break;
    l -= value / slope;
  }
  r0 = scopedetect_vec (a - l, b, c);
  r1 = scopedetect_vec (b, d - l, e);
  r2 = scopedetect_vec (c, e, f - l);
  p = scopedetect_cross (r0, r1);
  q = scopedetect_cross (r0, r2);
  r = scopedetect_cross (r1, r2);
  pp = scopedetect_dot (p, p), qq = scopedetect_dot (q, q);
  rr = scopedetect_dot (r, r);
  if (qq > pp)
    p = q, pp = qq;
  return scopedetect_unit (rr > pp ? r : p);
}

/* Any unit vector across @n. */
BOTH ScopedetectVec
scopedetect_across (ScopedetectVec n)
{
  ScopedetectVec e = fabsf (n.x) < .57f ? scopedetect_vec (1, 0, 0)
                                        : scopedetect_vec (0, 1, 0);

  return scopedetect_unit (scopedetect_cross (n, e));
}

/* The normals of a point's neighbours in its tangent plane, added up in whole
 * parts of SCOPEDETECT_SPREAD, so in any order. */
typedef struct {
  ScopedetectVec e1, e2; /* of the plane */
  long long u, v, uu, uv, vv;
} ScopedetectSpread;

#define SCOPEDETECT_SPREAD 4194304 /* squares of 320 of them fit */

BOTH ScopedetectSpread
scopedetect_spread (ScopedetectVec up)
{
  ScopedetectVec e1 = scopedetect_across (up);
  ScopedetectSpread s = {e1, scopedetect_cross (up, e1), 0, 0, 0, 0, 0};

  return s;
}

BOTH void
scopedetect_spread_add (ScopedetectSpread *s, ScopedetectVec normal)
{
  int u =
      (int) floorf (scopedetect_dot (normal, s->e1) * SCOPEDETECT_SPREAD + .5f);
  int v =
      (int) floorf (scopedetect_dot (normal, s->e2) * SCOPEDETECT_SPREAD + .5f);

  s->u += u, s->v += v;
  s->uu += (long long) u * u;
  s->uv += (long long) u * v;
  s->vv += (long long) v * v;
}

/* Principal curvatures as PCL has them: the covariance of the @n neighbours'
 * normals in the tangent plane, about their mean; its eigenvalues over the
 * number of neighbours, and as a frame the normal, the direction of the larger
 * one, and their product. */
BOTH void
scopedetect_curvature (
    ScopedetectCloud *c, int i, const ScopedetectSpread *s, int n)
{
  ScopedetectVec up = c->normal[i], dir;
  ScopedetectTurn frame;
  const float unit =
      1 / ((float) SCOPEDETECT_SPREAD * (float) SCOPEDETECT_SPREAD);
  float uu = (float) (n * s->uu - s->u * s->u) / (float) n * unit;
  float uv = (float) (n * s->uv - s->u * s->v) / (float) n * unit;
  float vv = (float) (n * s->vv - s->v * s->v) / (float) n * unit;
  float h = (uu - vv) / 2, root = sqrtf (h * h + uv * uv);

  c->pc1[i] = ((uu + vv) / 2 + root) / (float) n;
  c->pc2[i] = ((uu + vv) / 2 - root) / (float) n;
  c->pc2[i] = c->pc2[i] > 0 ? c->pc2[i] : 0;
  /* of the two forms of the eigenvector the longer one */
  dir = h > 0 ? scopedetect_add (scopedetect_scale (s->e1, h + root),
                    scopedetect_scale (s->e2, uv))
              : scopedetect_add (scopedetect_scale (s->e1, uv),
                    scopedetect_scale (s->e2, root - h));
  dir = root > 0 ? scopedetect_unit (dir) : s->e1;
  frame.x = up, frame.y = dir, frame.z = scopedetect_cross (up, dir);
  c->frame[i] = scopedetect_quat_of (frame);
}

/* A bin of the simplified histogram of a point with @n neighbours, which count
 * the point itself. */
BOTH float
scopedetect_spfh (int count, int n)
{
  return n > 1 ? (float) count * 100 / (float) (n - 1) : 0;
}

/* What the SPFH of a neighbour at @x weighs in the FPFH of the point at @at. */
BOTH float
scopedetect_fpfh_weight (ScopedetectVec x, ScopedetectVec at)
{
  ScopedetectVec d = scopedetect_sub (x, at);
  float d2 = scopedetect_dot (d, d);

  return d2 > 0 ? 1 / d2 : 0;
}

/* What makes an angle's 11 bins percents. */
BOTH float
scopedetect_fpfh_scale (const float bins[11])
{
  float sum = 0;

  for (int b = 0; b < 11; b++)
    sum += bins[b];
  return sum > 0 ? 100 / sum : 0;
}

BOTH int16_t
scopedetect_code_of (float percent)
{
  return (int16_t) (percent * SCOPEDETECT_CODE_SCALE + .5f);
}
