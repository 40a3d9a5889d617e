/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Bingham Procrustean alignment (J. Glover, S. Popovic, arXiv:1304.7399). Given
 * pairs of points and of oriented features, the rotation has a Bingham
 * distribution p (q) ~ exp (q^T C q), and C is a sum over the pairs; its mode
 * is the eigenvector of C's largest eigenvalue. The pairs are drawn from the
 * segments that the pose takes. */
#pragma once

#include "common/random.h"
#include "scopedetect/scopedetect_refine_core.h"
#include "scopedetect/scopedetect_segment_core.h"

#define SCOPEDETECT_MAX_PAIRS 128 /* segments of an alignment */

/* The concentration of the distribution of a feature's normal, whose deviation
 * is 8.1 degrees. */
#define SCOPEDETECT_CONCENTRATION 100.

/* Integer sums over pairs (a, b): a b^T, a and b. */
typedef struct {
  long long ab[9], a[3], b[3], n;
} ScopedetectPairs;

/* Adds the pair of @a on the model and @b in the scene. Both have lengths of
 * about 1, from origins near their means. */
BOTH void
scopedetect_add_pair (ScopedetectPairs *s, Vec a, Vec b)
{
  const float u[3] = {a.x, a.y, a.z}, v[3] = {b.x, b.y, b.z};

  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++)
      s->ab[3 * i + j] += scopedetect_fix (u[i] * v[j]);
    s->a[i] += scopedetect_fix (u[i]);
    s->b[i] += scopedetect_fix (v[i]);
  }
  s->n++;
}

/* Sets @c to Horn's matrix N of the centred pairs, times @weight: q^T N q is
 * the sum of b^T R (q) a. */
BOTH void
scopedetect_horn (const ScopedetectPairs *p, double weight, double c[4][4])
{
  double s[3][3], trace;

  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      s[i][j] = weight *
          ((double) p->ab[3 * i + j] / SCOPEDETECT_FIX -
              (double) p->a[i] / SCOPEDETECT_FIX * (double) p->b[j] /
                  SCOPEDETECT_FIX / (double) p->n);
  trace = s[0][0] + s[1][1] + s[2][2];
  c[0][0] = trace;
  c[0][1] = c[1][0] = s[1][2] - s[2][1];
  c[0][2] = c[2][0] = s[2][0] - s[0][2];
  c[0][3] = c[3][0] = s[0][1] - s[1][0];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      c[i + 1][j + 1] = s[i][j] + s[j][i] - (i == j ? trace : 0);
}

BOTH double
scopedetect_form (const double c[4][4], Quat q)
{
  const double v[4] = {q.w, q.x, q.y, q.z};
  double sum = 0;

  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      sum += v[i] * c[i][j] * v[j];
  return sum;
}

/* Adds a pair of features: the rotation is @q or its flip @f, and the mode the
 * likelier of both by @c. @z: the certainty of curvature's direction. */
BOTH void
scopedetect_add_feature (double c[4][4], Quat q, Quat f, double z)
{
  bool other = scopedetect_form (c, f) > scopedetect_form (c, q);
  Quat mode = other ? f : q, flip = other ? q : f;
  const double m[4] = {mode.w, mode.x, mode.y, mode.z};
  const double g[4] = {flip.w, flip.x, flip.y, flip.z};

  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      c[i][j] +=
          -SCOPEDETECT_CONCENTRATION * ((i == j) - m[i] * m[j] - g[i] * g[j]) -
          z * g[i] * g[j];
}

/* The certainty of a feature's direction of curvature: 0 to 100. */
BOTH double
scopedetect_sureness (float pc1, float pc2)
{
  double z = 10 * ((double) fmaxf (pc1, 1e-20f) / fmaxf (pc2, 1e-20f) - 1);

  return z < 100 ? z : 100;
}

/* Applies the Jacobi rotation that makes a[p][q] zero. */
BOTH void
scopedetect_jacobi (double a[4][4], double v[4][4], int p, int q)
{
  double theta, t, c, s;

  if (a[p][q] == 0)
    return;
  theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
  t = (theta >= 0 ? 1 : -1) / (fabs (theta) + sqrt (theta * theta + 1));
  c = 1 / sqrt (t * t + 1);
  s = t * c;
  for (int k = 0; k < 4; k++) {
    double x = a[k][p], y = a[k][q];

    a[k][p] = c * x - s * y, a[k][q] = s * x + c * y;
  }
  for (int k = 0; k < 4; k++) {
    double x = a[p][k], y = a[q][k];

    a[p][k] = c * x - s * y, a[q][k] = s * x + c * y;
    x = v[k][p], y = v[k][q];
    v[k][p] = c * x - s * y, v[k][q] = s * x + c * y;
  }
}

/* The eigenvector of the largest eigenvalue of a symmetric matrix, by six
 * sweeps of Jacobi's method, after which the matrix is diagonal. */
BOTH Quat
scopedetect_mode (double c[4][4])
{
  double v[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
  int best = 0;

  for (int sweep = 0; sweep < 6; sweep++)
    for (int p = 0; p < 3; p++)
      for (int q = p + 1; q < 4; q++)
        scopedetect_jacobi (c, v, p, q);
  for (int k = 1; k < 4; k++)
    best = c[k][k] > c[best][best] ? k : best;
  return quat_unit (quat ((float) v[0][best], (float) v[1][best],
      (float) v[2][best], (float) v[3][best]));
}

/* The pose with rotation @q in which the pairs' means agree. @a and @b: origins
 * of pairs on the model and in the scene; @radius: their unit, metres. */
BOTH Pose
scopedetect_means_agree (
    const ScopedetectPairs *p, Quat q, Vec a, Vec b, float radius)
{
  float k = radius / SCOPEDETECT_FIX / (float) p->n;
  Vec ma = {(float) p->a[0] * k, (float) p->a[1] * k, (float) p->a[2] * k};
  Vec mb = {(float) p->b[0] * k, (float) p->b[1] * k, (float) p->b[2] * k};
  Turn r = turn_of (q);
  Pose out;

  out.q = q;
  out.t = vec_sub (vec_add (b, mb), vec_rotate (&r, vec_add (a, ma)));
  return out;
}

/* ---- The segments of an alignment ---- */

#define SCOPEDETECT_STRIDE 7919 /* a prime above SCOPEDETECT_MAX_SEGMENTS */

/* Segment @i in the order in which alignment @k of the hypothesis draws them: a
 * permutation of all, so that the first SCOPEDETECT_MAX_PAIRS are from anywhere
 * on the object. */
BOTH int
scopedetect_nth_segment (
    const ScopedetectScoring *w, const ScopedetectHypothesis *a, int k, int i)
{
  uint32_t n = (uint32_t) w->segments.n;
  uint32_t first =
      random_below (w->params.seed + a->id, (uint64_t) k << 32 | n, n);

  return (int) (((uint32_t) i * SCOPEDETECT_STRIDE + first) % n);
}

/* The point of the model on which segment @i lies, if alignment @k of the
 * hypothesis draws the segment, by @chance; else -1. */
BOTH int
scopedetect_drawn (const ScopedetectScoring *w, const ScopedetectShape *s,
    const ScopedetectHypothesis *a, const Turn *r, int k, int i, float chance)
{
  if (!(chance > 0 &&
          random_unit (w->params.seed + a->id,
              (uint64_t) k << 32 | (uint32_t) i) < chance))
    return -1;
  return scopedetect_nearest (
      s, vec_unrotate (r, vec_sub (w->segments.segment[i].x, a->pose.t)));
}

/* The point of the view's range edges at a segment's edge; -1: none. */
BOTH int
scopedetect_edge_match (const ScopedetectParams *params,
    const ScopedetectShape *s, const Turn *r, Vec t, int view,
    const ScopedetectSegment *g)
{
  Vec p = vec_unrotate (r, vec_sub (g->edge, t));
  float sigma = (float) params->segment_sigma, min_d2 = sigma * sigma;
  int best = -1;

  if (!g->has_edge)
    return -1;
  for (uint32_t k = s->edge_first[view]; k < s->edge_first[view + 1]; k++) {
    Vec d = vec_sub (s->x[s->edge[k]], p);
    float d2 = vec_dot (d, d);

    if (d2 < min_d2)
      min_d2 = d2, best = (int) s->edge[k];
  }
  return best;
}

/* Adds the pair of point @j of the model and @x. @c: the model's centre in
 * camera coordinates. */
BOTH void
scopedetect_pair_up (
    ScopedetectPairs *pairs, const ScopedetectShape *s, Vec c, int j, Vec x)
{
  float scale = 1 / s->radius;

  scopedetect_add_pair (pairs, vec_scale (vec_sub (s->x[j], s->centre), scale),
      vec_scale (vec_sub (x, c), scale));
}

/* The two rotations of the model that a pair of features allows. */
typedef struct {
  Quat turn, flip;
  double sureness; /* of the direction of curvature; < 0: no pair */
} ScopedetectOriented;

/* The pair of the features of segment @g and of point @j of the model. @frame:
 * frames of the cloud's points. */
BOTH ScopedetectOriented
scopedetect_oriented (const Quat *frame, const ScopedetectShape *s,
    const ScopedetectSegment *g, int j)
{
  Quat back = quat_conjugate (s->frame[j]);
  ScopedetectOriented o = {back, back, -1};

  if (g->point < 0)
    return o;
  o.turn = quat_times (frame[g->point], back);
  o.flip = quat_times (scopedetect_flip (frame[g->point]), back);
  o.sureness = scopedetect_sureness (s->pc1[j], s->pc2[j]);
  return o;
}

/* The mode of the poses by the pairs and @n features. @c: the model's centre in
 * camera coordinates. */
BOTH Pose
scopedetect_aligned (const ScopedetectParams *params, const ScopedetectShape *s,
    const ScopedetectPairs *pairs, const ScopedetectOriented *o, int n, Vec c)
{
  float per = s->radius / (float) params->segment_sigma;
  double m[4][4];

  scopedetect_horn (pairs, (double) per * per, m);
  for (int i = 0; i < n; i++)
    if (o[i].sureness >= 0)
      scopedetect_add_feature (m, o[i].turn, o[i].flip, o[i].sureness);
  return scopedetect_means_agree (
      pairs, scopedetect_mode (m), s->centre, c, s->radius);
}
