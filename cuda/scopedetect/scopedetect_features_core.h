/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Features of a point's neighbourhood: Fast Point Feature Histograms (Rusu,
 * Blodow and Beetz, ICRA 2009) in PCL's form, which adds no own SPFH and
 * divides by squared distances; principal curvatures; normals of planes. */
#pragma once

#include "common/math_core.h"
#include "scopedetect/scopedetect_cloud_core.h"

/* The bin, 0 to 10, of the angle atan2 (y, x): the direction (x, y) is compared
 * with the borders of the bins, at (2 k + 1) pi / 11. */
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

/* The three bins, 0 to 32, of two points with normals. Returns false if the
 * points have no frame: they are one, or a normal lies along their line. As in
 * PCL, the point whose normal is nearer to the line is the first. */
BOTH bool
scopedetect_pair (Vec p1, Vec n1, Vec p2, Vec n2, int bin[3])
{
  Vec d = vec_sub (p2, p1), v, w;
  float length = vec_norm (d), per, a1, a2, f3, v_norm;

  if (!(length > 0))
    return false;
  per = 1 / length;
  a1 = vec_dot (n1, d) * per;
  a2 = vec_dot (n2, d) * per;
  f3 = a1;
  if (fabsf (a1) < fabsf (a2)) { /* acos |a1| > acos |a2| */
    Vec n = n1;

    n1 = n2, n2 = n;
    d = vec_scale (d, -1);
    f3 = -a2;
  }
  v = vec_cross (d, n1);
  v_norm = vec_norm (v);
  if (!(v_norm > 0))
    return false;
  v = vec_scale (v, 1 / v_norm);
  w = vec_cross (n1, v);
  bin[0] = scopedetect_angle_bin (vec_dot (w, n2), vec_dot (n1, n2));
  bin[1] = 11 + scopedetect_unit_bin (vec_dot (v, n2));
  bin[2] = 22 + scopedetect_unit_bin (f3);
  return true;
}

/* The eigenvector of the smallest eigenvalue of a symmetric positive 3 x 3
 * matrix (xx, xy, xz, yy, yz, zz). Newton's method finds the eigenvalue from 0,
 * below all roots of the characteristic polynomial; the eigenvector is the
 * longest cross product of two rows. */
BOTH Vec
scopedetect_min_axis (const float m[6])
{
  float tr = m[0] + m[3] + m[5], s = tr > 0 ? 1 / tr : 0;
  float a = m[0] * s, b = m[1] * s, c = m[2] * s, d = m[3] * s, e = m[4] * s;
  float f = m[5] * s, l = 0;
  float c1 = a * d + a * f + d * f - b * b - c * c - e * e;
  float c0 = a * (d * f - e * e) - b * (b * f - c * e) + c * (b * e - c * d);
  Vec r0, r1, r2, p, q, r;
  float pp, qq, rr;

  for (int k = 0; k < 8; k++) {
    float value = ((1 - l) * l - c1) * l + c0; /* det (M - l I), falling */
    float slope = (2 - 3 * l) * l - c1;

    if (!(slope < 0) || !(value > 0))
      break;
    l -= value / slope;
  }
  r0 = vec (a - l, b, c);
  r1 = vec (b, d - l, e);
  r2 = vec (c, e, f - l);
  p = vec_cross (r0, r1);
  q = vec_cross (r0, r2);
  r = vec_cross (r1, r2);
  pp = vec_dot (p, p), qq = vec_dot (q, q);
  rr = vec_dot (r, r);
  if (qq > pp)
    p = q, pp = qq;
  return vec_unit (rr > pp ? r : p);
}

/* A unit vector perpendicular to @n. */
BOTH Vec
scopedetect_across (Vec n)
{
  Vec e = fabsf (n.x) < .57f ? vec (1, 0, 0) : vec (0, 1, 0);

  return vec_unit (vec_cross (n, e));
}

/* Sums over the normals of a point's neighbours in its tangent plane, in whole
 * parts of SCOPEDETECT_SPREAD, so that their order does not matter. */
typedef struct {
  Vec e1, e2; /* of the plane */
  long long u, v, uu, uv, vv;
} ScopedetectSpread;

#define SCOPEDETECT_SPREAD 4194304 /* squares of 320 of them fit */

BOTH ScopedetectSpread
scopedetect_spread (Vec up)
{
  Vec e1 = scopedetect_across (up);
  ScopedetectSpread s = {e1, vec_cross (up, e1), 0, 0, 0, 0, 0};

  return s;
}

BOTH void
scopedetect_spread_add (ScopedetectSpread *s, Vec normal)
{
  int u = (int) floorf (vec_dot (normal, s->e1) * SCOPEDETECT_SPREAD + .5f);
  int v = (int) floorf (vec_dot (normal, s->e2) * SCOPEDETECT_SPREAD + .5f);

  s->u += u, s->v += v;
  s->uu += (long long) u * u;
  s->uv += (long long) u * v;
  s->vv += (long long) v * v;
}

/* Principal curvatures as in PCL: eigenvalues of the covariance of the @n
 * neighbours' normals in the tangent plane, divided by @n. The frame is the
 * normal, the direction of the larger curvature, and their cross product. */
BOTH void
scopedetect_curvature (
    ScopedetectCloud *c, int i, const ScopedetectSpread *s, int n)
{
  Vec up = c->normal[i], dir;
  Turn frame;
  const float unit =
      1 / ((float) SCOPEDETECT_SPREAD * (float) SCOPEDETECT_SPREAD);
  float uu = (float) (n * s->uu - s->u * s->u) / (float) n * unit;
  float uv = (float) (n * s->uv - s->u * s->v) / (float) n * unit;
  float vv = (float) (n * s->vv - s->v * s->v) / (float) n * unit;
  float h = (uu - vv) / 2, root = sqrtf (h * h + uv * uv);

  c->pc1[i] = ((uu + vv) / 2 + root) / (float) n;
  c->pc2[i] = ((uu + vv) / 2 - root) / (float) n;
  c->pc2[i] = c->pc2[i] > 0 ? c->pc2[i] : 0;
  /* two formulas give the eigenvector; the longer result is the more exact */
  dir = h > 0 ? vec_add (vec_scale (s->e1, h + root), vec_scale (s->e2, uv))
              : vec_add (vec_scale (s->e1, uv), vec_scale (s->e2, root - h));
  dir = root > 0 ? vec_unit (dir) : s->e1;
  frame.x = up, frame.y = dir, frame.z = vec_cross (up, dir);
  c->frame[i] = quat_of (frame);
}

/* A bin of a point's simplified histogram; @n counts the point itself. */
BOTH float
scopedetect_spfh (int count, int n)
{
  return n > 1 ? (float) count * 100 / (float) (n - 1) : 0;
}

/* The weight of the SPFH of a neighbour at @x in a point's FPFH. */
BOTH float
scopedetect_fpfh_weight (Vec x, Vec at)
{
  Vec d = vec_sub (x, at);
  float d2 = vec_dot (d, d);

  return d2 > 0 ? 1 / d2 : 0;
}

/* The factor that scales an angle's 11 bins to percents. */
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

/* ---- Colour: CIE Lab (D65) of sRGB ---- */

BOTH float
scopedetect_lab_f (float t)
{
  return t > .008856452f ? math_cbrt (t) : 7.787037f * t + .13793103f;
}

/* The linear light of a component from 0 to 255. A polynomial stands for the
 * power of 2.4: exact at 0 and 1, off by less than 0.002 between. */
BOTH float
scopedetect_linear (float c)
{
  float v = c / 255;

  return v * (.012522878f + v * (.682171111f + v * .305306011f));
}

BOTH Vec
scopedetect_lab (float red, float green, float blue)
{
  float r = scopedetect_linear (red), g = scopedetect_linear (green);
  float b = scopedetect_linear (blue);
  float x = (.4124f * r + .3576f * g + .1805f * b) / .9505f;
  float y = .2126f * r + .7152f * g + .0722f * b;
  float z = (.0193f * r + .1192f * g + .9505f * b) / 1.089f;
  float fx = scopedetect_lab_f (x), fy = scopedetect_lab_f (y);
  float fz = scopedetect_lab_f (z);

  return vec (116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz));
}
