/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Hill climbing of round 3 (thesis, section 1.2): the gradient of the parts
 * depth, normal and edge by the pose. Visibility counts as constant. */
#pragma once

#include "scopedetect/scopedetect_score_core.h"

#define SCOPEDETECT_GRADIENT 1024.f /* steps a unit in sums */

/* Sums of gradients by a translation along x, y, z, metres, and by a rotation
 * about the model's centre, half radians, as in a quaternion. */
typedef struct {
  long long range[6], normal[6], edge[6];
  long long seen, edge_seen;
} ScopedetectSlope;

BOTH void
scopedetect_add_slope (long long sum[6], long long v, Vec t, Vec w)
{
  const float g[6] = {t.x, t.y, t.z, 2 * w.x, 2 * w.y, 2 * w.z};

  for (int k = 0; k < 6; k++)
    sum[k] +=
        v * (long long) (g[k] * SCOPEDETECT_GRADIENT + (g[k] < 0 ? -.5f : .5f));
}

/* Adds the gradient of the depth of a point @off behind the frame's surface,
 * whose normal is @on: only a motion across the surface changes the depth. */
BOTH void
scopedetect_range_slope (const ScopedetectScoring *w, ScopedetectSlope *out,
    long long v, Vec p, Vec on, float off, float s)
{
  float sigma = (float) w->params.range_sigma * s, k;
  Vec g;

  if (fabsf (off) > 2 * sigma || !(on.z < -.2f))
    return;
  k = -off / (sigma * sigma) / on.z;
  g = vec_scale (on, k);
  scopedetect_add_slope (out->range, v, g, vec_cross (p, g));
}

/* Adds the gradient of point @i to the sums. @c: the model's centre in camera
 * coordinates. */
BOTH void
scopedetect_climb_point (const ScopedetectScoring *w, const ScopedetectShape *s,
    const Turn *r, Vec t, Vec c, int view, int i, ScopedetectSlope *out)
{
  Vec p = vec_transform (r, t, s->x[i]);
  Vec n = vec_rotate (r, s->normal[i]), on;
  float facing = -vec_dot (n, p) / vec_norm (p), off, d, k;
  int edge = s->ved[(size_t) view * s->n + i], x, y;
  ScopedetectPixel o;
  long long v;

  if (!(facing > SCOPEDETECT_FRONT) ||
      !scopedetect_project (&w->scene, p, &x, &y))
    return;
  o = w->scene.pixel[(size_t) y * w->scene.width + x];
  if (!(o.z > 0))
    return;
  off = p.z - o.z;
  on = vec (o.nx, o.ny, o.nz);
  v = scopedetect_step_of (
      scopedetect_visible (off, (float) w->params.visible_sigma));
  out->seen += v;
  scopedetect_range_slope (w, out, v, vec_sub (p, c), on, off,
      scopedetect_noise (w->noise, 0, 1 - facing, edge));
  k = scopedetect_noise (w->noise, 1, 1 - facing, edge);
  k = k > s->normal_var[i] ? k : s->normal_var[i];
  d = 1 - vec_dot (n, on);
  k *= (float) w->params.normal_sigma;
  if (d < 2 * k)
    scopedetect_add_slope (out->normal, v, vec (0, 0, 0),
        vec_scale (vec_cross (n, on), d / (k * k)));
}

/* Adds a point of a range edge: the gradient of the edge image's logarithm is a
 * central difference. */
BOTH void
scopedetect_climb_edge (
    const ScopedetectScoring *w, Vec p, Vec c, ScopedetectSlope *out)
{
  const ScopedetectScene *s = &w->scene;
  const ScopedetectPixel *o;
  float gu, gv, z;
  Vec g;
  long long v;
  int x, y;

  if (!scopedetect_project (s, p, &x, &y) || x < 1 || y < 1 ||
      x + 1 >= s->width || y + 1 >= s->height)
    return;
  z = scopedetect_farthest (s, x, y);
  if (!(z > 0))
    return;
  v = scopedetect_step_of (
      scopedetect_visible (p.z - z, (float) w->params.visible_sigma));
  out->edge_seen += v;
  o = &s->pixel[(size_t) y * s->width + x];
  gu = (o[1].edge - o[-1].edge) / 2 * s->fx / p.z;
  gv = (o[s->width].edge - o[-s->width].edge) / 2 * s->fy / p.z;
  g = vec (gu, gv, -(gu * p.x + gv * p.y) / p.z);
  scopedetect_add_slope (out->edge, v, g, vec_cross (vec_sub (p, c), g));
}

/* Sets @g to the score's gradient, scaled to length 1; false if it is 0. */
BOTH bool
scopedetect_uphill (
    const ScopedetectScoring *w, const ScopedetectSlope *s, float g[6])
{
  const double *weight = w->params.weight;
  double sum = 0;

  for (int k = 0; k < 6; k++) {
    double v = 0;

    if (s->seen)
      v += (weight[SCOPEDETECT_XYZ] * (double) s->range[k] +
               weight[SCOPEDETECT_NORMAL] * (double) s->normal[k]) /
          (double) s->seen;
    if (s->edge_seen)
      v += weight[SCOPEDETECT_EDGE] * (double) s->edge[k] /
          (double) s->edge_seen;
    g[k] = (float) v;
    sum += v * v;
  }
  sum = sqrt (sum);
  for (int k = 0; k < 6; k++)
    g[k] = sum > 0 ? (float) (g[k] / sum) : 0;
  return sum > 1e-9;
}

/* Pose @p after a step along @g; it rotates about the model's centre @c. */
BOTH Pose
scopedetect_stepped (Pose p, Vec c, const float g[6], float step)
{
  p.t = vec_sub (p.t, c);
  p = pose_moved (p, vec (2 * step * g[3], 2 * step * g[4], 2 * step * g[5]),
      vec (step * g[0], step * g[1], step * g[2]));
  p.t = vec_add (p.t, c);
  return p;
}
