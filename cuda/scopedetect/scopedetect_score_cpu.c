/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Scores of poses, as loops. */
#include "scopedetect/scopedetect_cpu.h"
#include "scopedetect/scopedetect_score_core.h"

static void
set_segment_parts (const ScopedetectScoring *w, const ScopedetectShape *s,
    Pose pose, float part[SCOPEDETECT_N_PARTS])
{
  const ScopedetectSegment *segment = w->segments.segment;
  int n = w->segments.n, taken = 0;
  uint32_t bits[SCOPEDETECT_SEGMENT_WORDS] = {0};
  Turn r = turn_of (pose.q);
  long long cut = 0, off = 0;

  for (int i = 0; i < n; i++) {
    float d;

    if (!scopedetect_is_taken (
            scopedetect_takes (&w->params, s, &r, pose.t, &segment[i], &d)))
      continue;
    bits[i / 32] |= (uint32_t) 1 << i % 32, taken++;
    off += scopedetect_off (&w->params, d);
  }
  for (int i = 0; i < n; i++)
    if (bits[i / 32] >> i % 32 & 1)
      cut += scopedetect_cut (&segment[i], bits);
  scopedetect_segment_parts (cut, off, taken, part);
}

void
scopedetect_score_one_cpu (const ScopedetectScoring *w,
    const ScopedetectShape *s, int points, ScopedetectHypothesis *a)
{
  Turn r = turn_of (a->pose.q);
  int view = scopedetect_view_of (w->view, s, a->pose),
      n = points ? points : s->n;
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
  if (w->segments.n && !points)
    set_segment_parts (w, s, a->pose, a->part);
  a->score = scopedetect_weigh (&w->params, a->part);
}

typedef struct {
  const ScopedetectScoring *scoring;
  int points; /* 0: all */
} Scoring;

static void
score_pose (const void *in, const ScopedetectShape *s,
    ScopedetectHypothesis *hypothesis)
{
  const Scoring *a = in;

  scopedetect_score_one_cpu (
      a->scoring, s, scopedetect_first_points (s, a->points), hypothesis);
}

const char *
scopedetect_score_poses_cpu (const Device *dev,
    const ScopedetectScoring *scoring, const ScopedetectModels *models,
    int points, ScopedetectShares *shares, ScopedetectHypotheses *hypotheses)
{
  (void) dev, (void) shares;
  scopedetect_for_each_hypothesis (
      models, hypotheses, 4, score_pose, &(Scoring){scoring, points});
  scopedetect_order_cpu (models, hypotheses);
  return NULL;
}
