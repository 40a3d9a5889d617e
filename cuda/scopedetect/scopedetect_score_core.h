/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parts of a score (thesis, section 1.2.1), by the formulas and the noise
 * model of the original SCOPE. Sums are integers: their order does not matter.
 */
#pragma once

#include "scopedetect/scopedetect_round1_core.h"
#include "scopedetect/scopedetect_segment_core.h"

#define SCOPEDETECT_ONE 4096    /* steps a unit of visibilities and terms */
#define SCOPEDETECT_WORST -20.f /* of a part that cannot be computed */

/* The sums from which the parts of a pose's score are computed. */
typedef struct {
  long long seen, free, front; /* visibilities; points in free space; points
                                  that face the camera */
  long long range, normal, normal_seen, l, a, b, colour_seen;
  long long table, n_table, edge, edge_seen, n_edge;
} ScopedetectTotals;

BOTH long long
scopedetect_step_of (float v)
{
  return (long long) (v * SCOPEDETECT_ONE + (v < 0 ? -.5f : .5f));
}

/* log N(d; 0, sigma s) - log N(0; 0, sigma), d capped at two deviations. */
BOTH float
scopedetect_log_normal (float d, float sigma, float s)
{
  float x = d / (sigma * s);

  x = x < 2 ? x : 2;
  return -x * x / 2 - math_log (s);
}

/* The factor of the noise model for a point: the mean of the factors for its
 * slope, 0 facing the camera to 1, and for its distance to a range edge. */
BOTH float
scopedetect_noise (
    const ScopedetectNoise *noise, int channel, float slope, int edge)
{
  int k = (int) (slope * (SCOPEDETECT_SLOPES - 1) + .5f);

  k = k < 0 ? 0 : k >= SCOPEDETECT_SLOPES ? SCOPEDETECT_SLOPES - 1 : k;
  return .5f * (noise->slope[channel][k] + noise->edge[channel][edge]);
}

/* The visibility of a point @off behind the measured depth: 1 before it, down
 * to 0 at four deviations. */
BOTH float
scopedetect_visible (float off, float sigma)
{
  float x = off / sigma;

  return off < 0 ? 1 : x > 4 ? 0 : math_exp (-x * x / 2);
}

BOTH void
scopedetect_add_colour (const ScopedetectScoring *w, const ScopedetectPixel *o,
    Vec lab, float slope, int edge, long long v, ScopedetectTotals *t)
{
  const ScopedetectNoise *noise = w->noise;
  float sigma = (float) w->params.lab_sigma;

  if (o->l > 90 && o->l > lab.x + 10) /* a highlight */
    return;
  t->colour_seen += v;
  t->l += v *
      scopedetect_step_of (scopedetect_log_normal (fabsf (o->l - lab.x), sigma,
          scopedetect_noise (noise, 2, slope, edge)));
  t->a += v *
      scopedetect_step_of (scopedetect_log_normal (fabsf (o->a - lab.y), sigma,
          scopedetect_noise (noise, 3, slope, edge)));
  t->b += v *
      scopedetect_step_of (scopedetect_log_normal (fabsf (o->b - lab.z), sigma,
          scopedetect_noise (noise, 4, slope, edge)));
}

/* Adds point @i of @s in the pose @r, @t; @view: the nearest stored view. */
BOTH void
scopedetect_add_point (const ScopedetectScoring *w, const ScopedetectShape *s,
    const Turn *r, Vec t, int view, int i, ScopedetectTotals *out)
{
  const ScopedetectScene *scene = &w->scene;
  Vec p = vec_transform (r, t, s->x[i]);
  Vec n = vec_rotate (r, s->normal[i]);
  float facing = -vec_dot (n, p) / vec_norm (p), slope, off, d, k;
  int edge = s->ved[(size_t) view * s->n + i], x, y;
  ScopedetectPixel o;
  long long v;

  if (w->plane->is_found && (d = scopedetect_height (w->plane->plane, p)) < 0) {
    d /= (float) w->params.visible_sigma;
    d = d < -4 ? -4 : d;
    out->table += scopedetect_step_of (-d * d / 2);
  }
  out->n_table++;
  if (!(facing > SCOPEDETECT_FRONT))
    return;
  out->front++;
  if (!scopedetect_project (scene, p, &x, &y))
    return;
  o = scene->pixel[(size_t) y * scene->width + x];
  if (!(o.z > 0))
    return;
  slope = 1 - facing;
  off = p.z - o.z;
  v = scopedetect_step_of (
      scopedetect_visible (off, (float) w->params.visible_sigma));
  out->seen += v;
  out->free += off < -(float) w->params.free_gap;
  out->range += v *
      scopedetect_step_of (
          scopedetect_log_normal (fabsf (off), (float) w->params.range_sigma,
              scopedetect_noise (w->noise, 0, slope, edge)));
  k = scopedetect_noise (w->noise, 1, slope, edge);
  k = k > s->normal_var[i] ? k : s->normal_var[i];
  d = 1 - (n.x * o.nx + n.y * o.ny + n.z * o.nz);
  if (k <= .3f) {
    out->normal_seen += v;
    out->normal += v *
        scopedetect_step_of (
            scopedetect_log_normal (d, (float) w->params.normal_sigma, k));
  }
  if (s->has_colour && scene->has_colour)
    scopedetect_add_colour (w, &o, s->lab[i], slope, edge, v, out);
}

/* The largest depth within two pixels; 0 without depth. */
BOTH float
scopedetect_farthest (const ScopedetectScene *s, int x, int y)
{
  float z = 0;

  for (int k = 0; k < 25; k++) {
    int u = x + k % 5 - 2, v = y + k / 5 - 2;

    if (u >= 0 && v >= 0 && u < s->width && v < s->height)
      z = fmaxf (z, s->z[(size_t) v * s->width + u]);
  }
  return z;
}

/* Adds a point of a range edge of the model, at @p in camera coordinates. */
BOTH void
scopedetect_add_edge (
    const ScopedetectScoring *w, Vec p, ScopedetectTotals *out)
{
  int x, y;
  float z;
  long long v;

  out->n_edge++;
  if (!scopedetect_project (&w->scene, p, &x, &y))
    return;
  z = scopedetect_farthest (&w->scene, x, y);
  if (!(z > 0))
    return;
  v = scopedetect_step_of (
      scopedetect_visible (p.z - z, (float) w->params.visible_sigma));
  out->edge_seen += v;
  out->edge += v *
      scopedetect_step_of (
          w->scene.pixel[(size_t) y * w->scene.width + x].edge);
}

/* The stored view nearest to the camera. */
BOTH int
scopedetect_view_of (const Vec *view, const ScopedetectShape *s, Pose pose)
{
  Turn r = turn_of (pose.q);
  Vec eye =
      vec_scale (vec_unrotate (&r, vec_transform (&r, pose.t, s->centre)), -1);
  int best = 0;
  float max_along = -1e9f;

  for (int v = 0; v < SCOPEDETECT_VIEWS; v++) {
    float along = vec_dot (view[v], eye);

    if (along > max_along)
      max_along = along, best = v;
  }
  return best;
}

BOTH float
scopedetect_ratio (long long a, long long b)
{
  return b > 0 ? (float) ((double) a / (double) b) : SCOPEDETECT_WORST;
}

/* The logarithm of a ratio, at least SCOPEDETECT_WORST. */
BOTH float
scopedetect_log_part (long long a, long long b)
{
  float r = b > 0 ? scopedetect_ratio (a, b) : 0;

  return r > 2.1e-9f ? math_log (r) : SCOPEDETECT_WORST;
}

/* The parts of a score from its sums, but for those of segments. */
BOTH void
scopedetect_parts (const ScopedetectTotals *t, float part[SCOPEDETECT_N_PARTS])
{
  const long long one = SCOPEDETECT_ONE;

  for (int k = 0; k < SCOPEDETECT_N_PARTS; k++)
    part[k] = 0;
  part[SCOPEDETECT_XYZ] = scopedetect_ratio (t->range, t->seen * one);
  part[SCOPEDETECT_NORMAL] =
      scopedetect_ratio (t->normal, t->normal_seen * one);
  part[SCOPEDETECT_VISIBILITY] = scopedetect_log_part (t->seen, t->front * one);
  part[SCOPEDETECT_EDGE] = scopedetect_ratio (t->edge, t->edge_seen * one);
  part[SCOPEDETECT_EDGE_VISIBILITY] =
      scopedetect_log_part (t->edge_seen, t->n_edge * one);
  if (t->colour_seen) {
    part[SCOPEDETECT_LIGHTNESS] =
        scopedetect_ratio (t->l, t->colour_seen * one);
    part[SCOPEDETECT_COLOUR_A] = scopedetect_ratio (t->a, t->colour_seen * one);
    part[SCOPEDETECT_COLOUR_B] = scopedetect_ratio (t->b, t->colour_seen * one);
  }
  part[SCOPEDETECT_TABLE] = scopedetect_ratio (t->table, t->n_table * one);
  part[SCOPEDETECT_FREE] = -scopedetect_ratio (t->free, t->front);
}

/* The weighted sum of the parts of a score, in 1/65536. */
BOTH int32_t
scopedetect_weigh (
    const ScopedetectParams *p, const float part[SCOPEDETECT_N_PARTS])
{
  float sum = 0;

  for (int k = 0; k < SCOPEDETECT_N_PARTS; k++)
    sum += (float) p->weight[k] * part[k];
  return sum < -32000 ? -32000 * 65536 : (int32_t) (sum * 65536);
}

/* ---- The parts of segments (1.2.1, round 3) ----
 *
 * A pose takes some segments. Their distance from the model costs; so do their
 * neighbours of the same object that the pose does not take. */

/* Whether a pose takes a segment with the likelihood @chance. */
BOTH bool
scopedetect_is_taken (float chance)
{
  return chance > .5f;
}

/* The cost of a taken segment with key points @off from the model on average.
 */
BOTH long long
scopedetect_off (const ScopedetectParams *params, float off)
{
  float d = off / (.5f * (float) params->segment_sigma);

  return scopedetect_step_of (-fminf (d * d / 2, 8));
}

/* The cost of the neighbours of segment @g that the pose does not take. @bits:
 * the segments that it takes. */
BOTH long long
scopedetect_cut (const ScopedetectSegment *g, const uint32_t *bits)
{
  long long sum = 0;

  for (int k = 0; k < g->n_near; k++) {
    int j = g->near[k];
    float a = g->affinity[k];

    if (!(bits[j / 32] >> j % 32 & 1))
      sum += scopedetect_step_of (.05f * math_log ((1 - a) / a));
  }
  return sum;
}

BOTH void
scopedetect_segment_parts (
    long long cut, long long off, int taken, float part[SCOPEDETECT_N_PARTS])
{
  part[SCOPEDETECT_AFFINITY] = (float) cut / SCOPEDETECT_ONE;
  part[SCOPEDETECT_SEGMENT] =
      scopedetect_ratio (off, (long long) taken * SCOPEDETECT_ONE);
}
