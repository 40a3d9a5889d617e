/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Over-segmentation by k-means on position, normal and colour (thesis, section
 * 1.2), and the segments that a pose takes. Seeds lie on a lattice; a pixel
 * joins one of the nine segments around it. */
#pragma once

#include "scopedetect/scopedetect_observe_core.h"
#include "scopedetect/scopedetect_round1_core.h"

/* The angle between seeds, radians: 7 cells of pi / 1000. */
#define SCOPEDETECT_SEED_ANGLE .022f
#define SCOPEDETECT_MAX_SEEDS 4096 /* about: the lattice widens */
#define SCOPEDETECT_MIN_PIXELS 5   /* of a segment */
#define SCOPEDETECT_NO_SEGMENT (-1)
/* Steps of k-means. The original takes up to 50, until no pixel changes. */
#define SCOPEDETECT_MEANS 10
#define SCOPEDETECT_MAX_AFFINITY .9f
/* Maximum distance of neighbouring segments, metres. */
#define SCOPEDETECT_TOUCH .02f

/* The seed whose cell holds pixel (@x, @y). */
BOTH int
scopedetect_seed_of (const ScopedetectLattice *l, int x, int y)
{
  return y / l->step * l->width + x / l->step;
}

/* The first label of a pixel: its cell's seed, if it may be of an object. */
BOTH int
scopedetect_first_label (const ScopedetectScene *s, const ScopedetectBounds *b,
    const ScopedetectLattice *l, int x, int y)
{
  const ScopedetectPixel *p = &s->pixel[(size_t) y * s->width + x];

  return scopedetect_is_wanted (s, b, p, scopedetect_unproject (s, x, y, p->z))
      ? scopedetect_seed_of (l, x, y)
      : SCOPEDETECT_NO_SEGMENT;
}

/* The distance of a pixel from a segment in position, normal and colour. */
BOTH float
scopedetect_segment_distance (const ScopedetectParams *params, bool has_colour,
    const ScopedetectSegment *s, const ScopedetectPixel *p, Vec at)
{
  Vec d = vec_sub (at, s->x), n, c;
  float xyz = 1 / (float) (params->segment_sigma * params->segment_sigma);
  float lab = 1 / (float) (params->lab_sigma * params->lab_sigma), sum;

  n = vec_sub (vec (p->nx, p->ny, p->nz), s->n);
  sum = vec_dot (d, d) * xyz + vec_dot (n, n) * (1 / .09f);
  if (!has_colour)
    return sum;
  c = vec_sub (vec (p->l, p->a, p->b), s->lab);
  return sum + vec_dot (c, c) * lab;
}

/* The segment nearest to pixel (@x, @y). */
BOTH int
scopedetect_segment_of (const ScopedetectScene *scene,
    const ScopedetectParams *params, const ScopedetectSegments *segments, int x,
    int y)
{
  const ScopedetectPixel *p = &scene->pixel[(size_t) y * scene->width + x];
  const ScopedetectLattice *l = &segments->lattice;
  Vec at = scopedetect_unproject (scene, x, y, p->z);
  int cx = x / l->step, cy = y / l->step;
  int best = SCOPEDETECT_NO_SEGMENT;
  float min_distance = 1e9f;

  for (int k = 0; k < 9; k++) {
    int u = cx + k % 3 - 1, v = cy + k / 3 - 1, i;
    float d;

    if (u < 0 || v < 0 || u >= l->width || v >= l->height)
      continue;
    i = v * l->width + u;
    if (!segments->segment[i].count)
      continue;
    d = scopedetect_segment_distance (
        params, scene->has_colour, &segments->segment[i], p, at);
    if (d < min_distance)
      min_distance = d, best = i;
  }
  return best;
}

/* The pixels that may belong to segment @i: of its cell and the eight around
 * it. */
BOTH ImageBox
scopedetect_segment_window (
    const ScopedetectScene *s, const ScopedetectLattice *l, int i)
{
  int step = l->step, x = i % l->width * step;
  int y = i / l->width * step;
  ImageBox b = {x - step, y - step, x + 2 * step, y + 2 * step};

  b.x0 = b.x0 < 0 ? 0 : b.x0;
  b.y0 = b.y0 < 0 ? 0 : b.y0;
  b.x1 = b.x1 > s->width ? s->width : b.x1;
  b.y1 = b.y1 > s->height ? s->height : b.y1;
  return b;
}

/* Sums over a segment's pixels: position in micrometres, normal in 1e-6, colour
 * in 1/256. They are integers, so that their order does not matter. */
typedef struct {
  long long sum[9];
  int count;
} ScopedetectSegmentSum;

BOTH void
scopedetect_segment_add (
    ScopedetectSegmentSum *s, const ScopedetectPixel *p, Vec at)
{
  s->count++;
  s->sum[0] += (long long) (at.x * 1e6f);
  s->sum[1] += (long long) (at.y * 1e6f);
  s->sum[2] += (long long) (at.z * 1e6f);
  s->sum[3] += (long long) (p->nx * 1e6f);
  s->sum[4] += (long long) (p->ny * 1e6f);
  s->sum[5] += (long long) (p->nz * 1e6f);
  s->sum[6] += (long long) (p->l * 256);
  s->sum[7] += (long long) (p->a * 256);
  s->sum[8] += (long long) (p->b * 256);
}

/* Sets @g to the means of its pixels; with too few pixels it is no segment. */
BOTH void
scopedetect_segment_set (ScopedetectSegment *g, const ScopedetectSegmentSum *s)
{
  const long long *sum = s->sum;
  float n = (float) s->count;

  g->count = s->count < SCOPEDETECT_MIN_PIXELS ? 0 : s->count;
  if (!g->count)
    return;
  g->x = vec ((float) sum[0] / n * 1e-6f, (float) sum[1] / n * 1e-6f,
      (float) sum[2] / n * 1e-6f);
  g->n = vec_unit (vec ((float) sum[3], (float) sum[4], (float) sum[5]));
  g->lab = vec ((float) sum[6] / n / 256, (float) sum[7] / n / 256,
      (float) sum[8] / n / 256);
}

/* The step of the lattice of key points: a quarter of the seeds'. */
BOTH int
scopedetect_key_step (const ScopedetectLattice *l)
{
  return l->step / 4;
}

/* The squared distance from a point to the nearest of key points @first to
 * @last - 1 of a segment, metres. */
BOTH float
scopedetect_key_gap (Vec x, const ScopedetectSegment *g, int first, int last)
{
  float min_d2 = 1e9f;

  for (int i = first; i < last; i++) {
    Vec d = vec_sub (x, g->key[i]);

    min_d2 = fminf (min_d2, vec_dot (d, d));
  }
  return min_d2;
}

/* The affinity of two segments, the likelihood that they are of one object: 0
 * unless they touch. @gap: the squared distance of their nearest key points. */
BOTH float
scopedetect_affinity (const ScopedetectScene *s, const ScopedetectSegment *a,
    const ScopedetectSegment *b, float gap)
{
  Vec n = vec_sub (a->n, b->n);
  Vec c = vec_sub (a->lab, b->lab);
  float edge = 0, sum;
  int counted = 0;

  if (!(gap < SCOPEDETECT_TOUCH * SCOPEDETECT_TOUCH))
    return 0;
  for (int k = 0; k <= 10; k++) { /* on the line between the centres */
    Vec p = vec_add (a->x, vec_scale (vec_sub (b->x, a->x), (float) k / 10));
    int u, v;

    if (scopedetect_project (s, p, &u, &v))
      edge += s->pixel[(size_t) v * s->width + u].edge, counted++;
  }
  sum = 2 * sqrtf (gap) + .3f * vec_dot (n, n);
  sum += counted ? .1f * math_exp (edge / (float) counted) : 0;
  if (s->has_colour)
    sum += .001f * vec_dot (c, c);
  return math_exp (-sum);
}

/* The number of segment @k of the 25 around segment @i; -1 if it is @i or one
 * of both is no segment. */
BOTH int
scopedetect_segment_beside (const ScopedetectSegments *segments, int i, int k)
{
  const ScopedetectLattice *l = &segments->lattice;
  int u = i % l->width + k % 5 - 2, v = i / l->width + k / 5 - 2;
  int j = v * l->width + u;

  if (u < 0 || v < 0 || u >= l->width || v >= l->height || j == i ||
      !segments->segment[i].count || !segments->segment[j].count)
    return -1;
  return j;
}

/* Whether the centre of segment @g is so near that it may be part of the model.
 */
BOTH bool
scopedetect_may_take (const ScopedetectParams *params,
    const ScopedetectShape *s, const Turn *r, Vec t,
    const ScopedetectSegment *g)
{
  Vec p = vec_unrotate (r, vec_sub (g->x, t));
  int i = g->count ? scopedetect_nearest (s, p) : -1;

  return i >= 0 &&
      !(vec_norm (vec_sub (s->x[i], p)) >
          fmaxf (g->radius, (float) params->segment_sigma));
}

/* The likelihood that key point @k of segment @g lies on the model. @far: its
 * distance from the model, at most two deviations. */
BOTH float
scopedetect_takes_key (const ScopedetectParams *params,
    const ScopedetectShape *s, const Turn *r, Vec t,
    const ScopedetectSegment *g, int k, float *far)
{
  const float sigma = (float) params->segment_sigma;
  Vec p = vec_unrotate (r, vec_sub (g->key[k], t));
  int i = scopedetect_nearest (s, p);
  float d = i < 0 ? 1e9f : vec_norm (vec_sub (s->x[i], p));
  float turn;

  *far = fminf (d, 2 * sigma);
  if (d > sigma)
    return 0;
  /* turn is about the squared angle of the normals; .89 is .04 / .15^2 / 2 */
  turn = 2 * (1 - vec_dot (vec_rotate (r, s->normal[i]), g->key_normal[k]));
  return math_exp (-d * d / (2 * sigma * sigma) - .89f * turn);
}

/* The likelihood that segment @g is part of the model. @off: the mean distance
 * of its key points from the model. */
BOTH float
scopedetect_takes (const ScopedetectParams *params, const ScopedetectShape *s,
    const Turn *r, Vec t, const ScopedetectSegment *g, float *off)
{
  float sum = 0, sum_far = 0;

  *off = 2 * (float) params->segment_sigma;
  if (!scopedetect_may_take (params, s, r, t, g) || !g->n_keys)
    return 0;
  for (int k = 0; k < g->n_keys; k++) {
    float far;

    sum += scopedetect_takes_key (params, s, r, t, g, k, &far);
    sum_far += far;
  }
  *off = sum_far / (float) g->n_keys;
  return sum / (float) g->n_keys;
}
