/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Parts of the full SCOPE that take long: computed in round 3, with all points,
 * and each only where it weighs anything.  Features once more; the boundaries
 * of what hides the object; and a walk over what hangs together with it
 * (formulas, but for the walk's, as in the original SCOPE). */
#pragma once

#include "common/random.h"
#include "scopedetect/scopedetect_score_core.h"

/* Pixels of a walk: two bits of a number each. */
#define SCOPEDETECT_STROLL 32

/* A walk does not step on an edge that is likelier than 1 in 5 (logarithm). */
#define SCOPEDETECT_WALL -1.6f

#define SCOPEDETECT_MASK 128 /* cells to a side */
#define SCOPEDETECT_MASK_COLUMNS (SCOPEDETECT_MASK / 32)
#define SCOPEDETECT_MASK_WORDS (SCOPEDETECT_MASK * SCOPEDETECT_MASK_COLUMNS)

/* Sums over the points of a pose, and over the boundary of its mask. */
typedef struct {
  long long feature, feature_seen, walk, walk_seen, edge, n_edge;
} ScopedetectFull;

/* Where the frame shows a point of the model. */
typedef struct {
  int x, y;
  long long v; /* visibility, steps */
} ScopedetectSight;

/* Where cells of a mask lie in the frame. */
typedef struct {
  int x, y; /* pixel that the first one begins with; may be outside */
  int side; /* of a cell, pixels */
} ScopedetectTiles;

/* A bit a cell: it has points of the model that are seen, or hidden. */
typedef struct {
  uint32_t seen[SCOPEDETECT_MASK_WORDS], hidden[SCOPEDETECT_MASK_WORDS];
} ScopedetectMask;

BOTH bool
scopedetect_wants_full (const ScopedetectParams *p)
{
  return p->weight[SCOPEDETECT_FPFH] > 0 ||
      p->weight[SCOPEDETECT_OCCLUSION] > 0 || p->weight[SCOPEDETECT_WALK] > 0;
}

/* Looks for point @i of @s, whose pose is @r and @t; false where it faces away
 * or the frame has no depth. */
BOTH bool
scopedetect_sight (const ScopedetectWork *w, const ScopedetectShape *s,
    const Turn *r, Vec t, int i, ScopedetectSight *out)
{
  Vec p = vec_transform (r, t, s->x[i]);
  Vec n = vec_rotate (r, s->normal[i]);
  float facing = -vec_dot (n, p) / vec_norm (p), z;

  if (!(facing > SCOPEDETECT_FRONT) ||
      !scopedetect_project (&w->scene, p, &out->x, &out->y))
    return false;
  z = w->scene.z[(size_t) out->y * w->scene.width + out->x];
  if (!(z > 0))
    return false;
  out->v = scopedetect_step_of (
      scopedetect_visible (p.z - z, (float) w->params.visible_sigma));
  return true;
}

/* ---- Features ---- */

/* Adds how far the FPFH of point @i is from that of point @o of the scene,
 * which lies there; -1: none does, which is as bad as can be. */
BOTH void
scopedetect_add_feature_of (const ScopedetectWork *w, const ScopedetectShape *s,
    int i, int o, long long v, ScopedetectFull *out)
{
  float sigma = s->feature_sigma * SCOPEDETECT_CODE_SCALE, x2 = 4;

  if (o >= 0) {
    const int16_t *a = s->code + (size_t) i * SCOPEDETECT_CODE;
    const int16_t *b = w->cloud.code + (size_t) o * SCOPEDETECT_CODE;
    int d2 = 0;

    for (int k = 0; k < SCOPEDETECT_BINS; k++)
      d2 += (a[k] - b[k]) * (a[k] - b[k]);
    if ((float) d2 < 4 * sigma * sigma)
      x2 = (float) d2 / (sigma * sigma);
  }
  out->feature_seen += v;
  out->feature += v * scopedetect_step_of (-x2 / 2);
}

/* ---- Boundaries of what hides the object ---- */

/* Cells for a pose: of half the frame's resolution, or larger, so that the
 * model's points leave none empty and all of it fits. */
BOTH ScopedetectTiles
scopedetect_tiles (
    const ScopedetectWork *w, const ScopedetectShape *s, Pose pose)
{
  const ScopedetectScene *scene = &w->scene;
  Turn r = turn_of (pose.q);
  Vec c = vec_transform (&r, pose.t, s->centre);
  float far = fmaxf (c.z, .01f), near = fmaxf (c.z - s->radius, far / 2);
  float scale = fmaxf (scene->fx, scene->fy) / near;
  float side = fmaxf (1.5f * s->spacing, 2.5f * s->radius / SCOPEDETECT_MASK);
  float x = scene->fx * c.x / far + scene->cx;
  float y = scene->fy * c.y / far + scene->cy;
  ScopedetectTiles t;

  side = fminf (fmaxf (side * scale, 2), SCOPEDETECT_MAX_SIDE);
  t.side = (int) side;
  t.side += (float) t.side < side;
  t.x = (int) fmaxf (fminf (x, 1e6f), -1e6f) - t.side * (SCOPEDETECT_MASK / 2);
  t.y = (int) fmaxf (fminf (y, 1e6f), -1e6f) - t.side * (SCOPEDETECT_MASK / 2);
  return t;
}

/* Number of the cell that a pixel lies in; -1 if there is none. */
BOTH int
scopedetect_tile_at (const ScopedetectTiles *t, int x, int y)
{
  int u = x - t->x, v = y - t->y;

  if (u < 0 || v < 0 || u >= SCOPEDETECT_MASK * t->side ||
      v >= SCOPEDETECT_MASK * t->side)
    return -1;
  return v / t->side * SCOPEDETECT_MASK + u / t->side;
}

/* Whether a point of visibility @v counts as hidden. */
BOTH bool
scopedetect_is_hidden (long long v)
{
  return 2 * v < SCOPEDETECT_ONE;
}

/* Of the cells of word @i, those that are hidden and lie beside one that is
 * seen. */
BOTH uint32_t
scopedetect_boundary (const ScopedetectMask *m, int i)
{
  int column = i % SCOPEDETECT_MASK_COLUMNS;
  uint32_t seen = m->seen[i], near = seen << 1 | seen >> 1;

  if (column > 0)
    near |= m->seen[i - 1] >> 31;
  if (column + 1 < SCOPEDETECT_MASK_COLUMNS)
    near |= m->seen[i + 1] << 31;
  if (i >= SCOPEDETECT_MASK_COLUMNS)
    near |= m->seen[i - SCOPEDETECT_MASK_COLUMNS];
  if (i + SCOPEDETECT_MASK_COLUMNS < SCOPEDETECT_MASK_WORDS)
    near |= m->seen[i + SCOPEDETECT_MASK_COLUMNS];
  return m->hidden[i] & ~seen & near;
}

/* Adds the likeliest edge in cell @k of the boundary and the cells around it.
 */
BOTH void
scopedetect_add_boundary (const ScopedetectWork *w, const ScopedetectTiles *t,
    int k, ScopedetectFull *out)
{
  const ScopedetectScene *s = &w->scene;
  int x = t->x + (k % SCOPEDETECT_MASK - 1) * t->side;
  int y = t->y + (k / SCOPEDETECT_MASK - 1) * t->side;
  int right = x + 3 * t->side, low = y + 3 * t->side;
  float best = SCOPEDETECT_WORST;

  right = right < s->width ? right : s->width;
  low = low < s->height ? low : s->height;
  x = x > 0 ? x : 0;
  for (y = y > 0 ? y : 0; y < low; y++)
    for (int u = x; u < right; u++)
      best = fmaxf (best, s->pixel[(size_t) y * s->width + u].edge);
  out->n_edge++;
  out->edge += scopedetect_step_of (best);
}

/* ---- What hangs together with the object ---- */

/* Walks from a pixel, at random but always the same way: at each step to one of
 * four neighbours, unless an edge is there, or no depth. */
BOTH void
scopedetect_stroll (const ScopedetectWork *w, int *x, int *y)
{
  const ScopedetectScene *s = &w->scene;
  uint64_t way =
      random_u64 (w->params.seed, (uint64_t) *y * (uint64_t) s->width + *x);

  for (int k = 0; k < SCOPEDETECT_STROLL; k++, way >>= 2) {
    int step = way & 2 ? 1 : -1;
    int u = *x + (way & 1 ? step : 0), v = *y + (way & 1 ? 0 : step);
    const ScopedetectPixel *p;

    if (u < 0 || v < 0 || u >= s->width || v >= s->height)
      continue;
    p = &s->pixel[(size_t) v * s->width + u];
    if (p->z > 0 && p->edge <= SCOPEDETECT_WALL)
      *x = u, *y = v;
  }
}

/* Adds how far from the model it is where a walk from @at ends. */
BOTH void
scopedetect_add_stroll (const ScopedetectWork *w, const ScopedetectShape *s,
    const Turn *r, Vec t, const ScopedetectSight *at, ScopedetectFull *out)
{
  const ScopedetectScene *scene = &w->scene;
  float sigma = (float) w->params.segment_sigma, d = 2 * sigma;
  int x = at->x, y = at->y, j;
  Vec p;

  if (at->v == 0) /* it may be anywhere */
    return;
  scopedetect_stroll (w, &x, &y);
  p = scopedetect_unproject (
      scene, x, y, scene->z[(size_t) y * scene->width + x]);
  p = vec_unrotate (r, vec_sub (p, t));
  if ((j = scopedetect_nearest (s, p)) >= 0)
    d = vec_norm (vec_sub (p, s->x[j]));
  out->walk_seen += at->v;
  out->walk +=
      at->v * scopedetect_step_of (scopedetect_log_normal (d, sigma, 1));
}

/* From sums to parts; those that weigh nothing stay 0.  @n_edges: points of the
 * model on range edges, of its view. */
BOTH void
scopedetect_full_parts (const ScopedetectParams *p, const ScopedetectFull *t,
    int n_edges, float part[SCOPEDETECT_N_PARTS])
{
  const long long one = SCOPEDETECT_ONE;

  if (p->weight[SCOPEDETECT_FPFH] > 0)
    part[SCOPEDETECT_FPFH] =
        scopedetect_ratio (t->feature, t->feature_seen * one);
  if (p->weight[SCOPEDETECT_OCCLUSION] > 0 && t->n_edge > 0)
    part[SCOPEDETECT_OCCLUSION] =
        scopedetect_ratio (t->edge, (t->n_edge + n_edges) * one);
  if (p->weight[SCOPEDETECT_WALK] > 0)
    part[SCOPEDETECT_WALK] = scopedetect_ratio (t->walk, t->walk_seen * one);
}
