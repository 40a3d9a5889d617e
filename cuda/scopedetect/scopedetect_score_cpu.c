/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Scores of poses, as loops. */
#include "scopedetect/scopedetect_cpu.h"
#include "scopedetect/scopedetect_score_core.h"

static void
segment_parts (const ScopedetectWork *w, const ScopedetectShape *s, Pose pose,
    float part[SCOPEDETECT_N_PARTS])
{
  int n = w->lattice.width * w->lattice.height, taken = 0;
  uint32_t bits[SCOPEDETECT_SEGMENT_WORDS] = {0};
  Turn r = turn_of (pose.q);
  long long cut = 0, off = 0;

  for (int i = 0; i < n; i++) {
    float d;

    if (!scopedetect_is_taken (
            scopedetect_takes (w, s, &r, pose.t, &w->segment[i], &d)))
      continue;
    bits[i / 32] |= (uint32_t) 1 << i % 32, taken++;
    off += scopedetect_off (w, d);
  }
  for (int i = 0; i < n; i++)
    if (bits[i / 32] >> i % 32 & 1)
      cut += scopedetect_cut (&w->segment[i], bits);
  scopedetect_segment_parts (cut, off, taken, part);
}

void
scopedetect_score_one_cpu (const ScopedetectWork *w, const ScopedetectShape *s,
    int points, ScopedetectHypothesis *a)
{
  Turn r = turn_of (a->pose.q);
  int view = scopedetect_view_of (w, s, a->pose), n = points ? points : s->n;
  uint32_t first = s->edge_first[view], last = s->edge_first[view + 1];
  ScopedetectTotals t;

  memset (&t, 0, sizeof t);
  for (int i = 0; i < n; i++)
    scopedetect_add_point (w, s, &r, a->pose.t, view, i, &t);
  for (uint32_t i = first; i < last; i++)
    if ((int) s->edge[i] < n)
      scopedetect_add_edge (
          w, vec_transform (&r, a->pose.t, s->x[s->edge[i]]), &t);
  scopedetect_parts (&t, a->part);
  if (w->has_segments && !points)
    segment_parts (w, s, a->pose, a->part);
  a->score = scopedetect_weigh (&w->params, a->part);
}

static void
score_hypotheses (void *data, int begin, int end)
{
  const ScopedetectBatch *b = data;

  for (int i = begin; i < end; i++)
    scopedetect_score_one_cpu (b->w, b->model, b->points, &b->hypothesis[i]);
}

const char *
scopedetect_score_cpu (const Device *dev, ScopedetectWork *w, int n)
{
  (void) dev;
  for (int m = 0; m < w->n_models; m++) {
    ScopedetectBatch b = scopedetect_batch (w, m);

    b.points = n < b.model->n ? n : b.model->n;
    parallel_for (b.n, 4, score_hypotheses, &b);
  }
  scopedetect_order_cpu (w);
  return NULL;
}
