/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parts of the full SCOPE that take long, as loops. */
#include "scopedetect/scopedetect_cpu.h"
#include "scopedetect/scopedetect_extra.h"

static void
add_points (const ScopedetectWork *w, const ScopedetectShape *s, Pose pose,
    const ScopedetectTiles *tiles, ScopedetectMask *mask,
    ScopedetectExtras *out)
{
  const double *weight = w->params.weight;
  Turn r = turn_of (pose.q);

  for (int i = 0; i < s->n; i++) {
    ScopedetectSight at;
    int cell;

    if (!scopedetect_sight (w, s, &r, pose.t, i, &at))
      continue;
    if (weight[SCOPEDETECT_FPFH] > 0)
      scopedetect_add_feature_of (
          w, s, i, scopedetect_point_at_cpu (w, at.x, at.y), at.v, out);
    if (weight[SCOPEDETECT_WALK] > 0)
      scopedetect_add_stroll (w, s, &r, pose.t, &at, out);
    if (weight[SCOPEDETECT_OCCLUSION] > 0 &&
        (cell = scopedetect_tile_at (tiles, at.x, at.y)) >= 0)
      (scopedetect_is_hidden (at.v) ? mask->hidden : mask->seen)[cell / 32] |=
          (uint32_t) 1 << cell % 32;
  }
}

static void
set_extra (
    const ScopedetectWork *w, const ScopedetectShape *s, ScopedetectSample *a)
{
  int view = scopedetect_view_of (w, s, a->pose);
  ScopedetectTiles tiles = scopedetect_tiles (w, s, a->pose);
  ScopedetectExtras t;
  ScopedetectMask mask;

  memset (&t, 0, sizeof t);
  memset (&mask, 0, sizeof mask);
  add_points (w, s, a->pose, &tiles, &mask, &t);
  for (int i = 0; i < SCOPEDETECT_MASK_WORDS; i++) {
    uint32_t bits = scopedetect_boundary (&mask, i);

    for (int k = 0; k < 32; k++)
      if (bits >> k & 1)
        scopedetect_add_boundary (w, &tiles, 32 * i + k, &t);
  }
  scopedetect_extra_parts (&w->params, &t,
      (int) (s->edge_first[view + 1] - s->edge_first[view]), a->part);
  a->score = scopedetect_weigh (&w->params, a->part);
}

static void
set_extras_of_samples (void *data, int begin, int end)
{
  const ScopedetectBatch *b = data;

  for (int i = begin; i < end; i++)
    set_extra (b->w, b->model, &b->sample[i]);
}

void
scopedetect_extra_cpu (ScopedetectWork *w)
{
  for (int m = 0; m < w->n_models; m++) {
    ScopedetectBatch b = scopedetect_batch (w, m);

    parallel_for (b.n, 1, set_extras_of_samples, &b);
  }
}
