/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Scores of poses, as loops. */
#include "scopedetect/scopedetect_cpu.h"
#include "scopedetect/scopedetect_score.h"
#include "scopedetect/scopedetect_segment.h"

/* The parts that segments have in a pose's score: which of them it takes, how
 * far those are from it, and which others it ought to take with them. */
static void
segment_parts (const ScopedetectWork *w, const ScopedetectShape *s,
    ScopedetectPose pose, float part[SCOPEDETECT_N_PARTS])
{
  int n = w->lattice.width * w->lattice.height, taken = 0;
  uint64_t bits[SCOPEDETECT_SEGMENT_WORDS] = {0};
  ScopedetectTurn r = scopedetect_turn (pose.q);
  long long cut = 0, off = 0;

  for (int i = 0; i < n; i++) {
    float d;

    if (scopedetect_takes (w, s, &r, pose.t, &w->segment[i], &d) <= .5f)
      continue;
    bits[i / 64] |= (uint64_t) 1 << i % 64;
    d /= .5f * (float) w->params.segment_sigma;
    off += scopedetect_step_of (-fminf (d * d / 2, 8));
    taken++;
  }
  for (int i = 0; i < n; i++)
    for (int k = 0; bits[i / 64] >> i % 64 & 1 && k < w->segment[i].n_near;
         k++) {
      int j = w->segment[i].near[k];
      float a = w->segment[i].affinity[k];

      if (!(bits[j / 64] >> j % 64 & 1))
        cut += scopedetect_step_of (.05f * scopedetect_log ((1 - a) / a));
    }
  part[SCOPEDETECT_AFFINITY] = (float) cut / SCOPEDETECT_ONE;
  part[SCOPEDETECT_SEGMENT] =
      scopedetect_ratio (off, (long long) taken * SCOPEDETECT_ONE);
}

void
scopedetect_score_one_cpu (const ScopedetectWork *w, const ScopedetectShape *s,
    int points, ScopedetectSample *a)
{
  ScopedetectTurn r = scopedetect_turn (a->pose.q);
  int view = scopedetect_view_of (w, s, a->pose), n = points ? points : s->n;
  uint32_t first = s->edge_first[view], last = s->edge_first[view + 1];
  ScopedetectTotals t;

  memset (&t, 0, sizeof t);
  for (int i = 0; i < n; i++)
    scopedetect_add_point (w, s, &r, a->pose.t, view, i, &t);
  for (uint32_t i = first; i < last; i++)
    if ((int) s->edge[i] < n)
      scopedetect_add_edge (
          w, scopedetect_apply (&r, a->pose.t, s->x[s->edge[i]]), &t);
  scopedetect_parts (&t, a->part);
  if (w->has_segments && !points)
    segment_parts (w, s, a->pose, a->part);
  a->score = scopedetect_weigh (&w->params, a->part);
}

const char *
scopedetect_score_cpu (const Device *dev, ScopedetectWork *w, int n)
{
  (void) dev;
  for (int m = 0; m < w->n_models; m++) {
    ScopedetectSample *out = w->sample + (size_t) m * SCOPEDETECT_MAX_KEPT;
    const ScopedetectShape *s = &w->model[m];

#pragma omp parallel for schedule(dynamic, 4)
    for (int i = 0; i < w->counts->n_samples[m]; i++)
      scopedetect_score_one_cpu (w, s, n < s->n ? n : s->n, &out[i]);
  }
  scopedetect_order_cpu (w);
  return NULL;
}
