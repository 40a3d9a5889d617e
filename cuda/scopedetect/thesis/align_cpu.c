/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Alignment of round 2 and hill climbing of round 3, as loops. */
#include "scopedetect/scopedetect_cpu.h"
#include "scopedetect/scopedetect_score_core.h"
#include "scopedetect/thesis/align_core.h"
#include "scopedetect/thesis/climb_core.h"

static const float steps[3] = {.6f, 1, 1.6f};

/* Draws segments and the model's points on which they lie; returns how many. */
static int
draw_segments_of_pose (const ScopedetectScoring *w, const ScopedetectShape *s,
    const ScopedetectHypothesis *a, int k, int segment[SCOPEDETECT_MAX_PAIRS],
    int point[SCOPEDETECT_MAX_PAIRS])
{
  Turn r = turn_of (a->pose.q);
  int found = 0;

  for (int i = 0; i < w->segments.n && found < SCOPEDETECT_MAX_PAIRS; i++) {
    int g = scopedetect_nth_segment (w, a, k, i), j;
    float off,
        chance = scopedetect_takes (
            &w->params, s, &r, a->pose.t, &w->segments.segment[g], &off);

    j = scopedetect_drawn (w, s, a, &r, k, g, chance);
    if (j >= 0)
      segment[found] = g, point[found++] = j;
  }
  return found;
}

/* Sets @out to a hypothesis's alignment; false with fewer than three segments.
 */
static bool
aligned_pose (const ScopedetectScoring *w, const Quat *frame,
    const ScopedetectShape *s, const ScopedetectHypothesis *a, int k, Pose *out)
{
  Turn r = turn_of (a->pose.q);
  Vec c = vec_transform (&r, a->pose.t, s->centre);
  int segment[SCOPEDETECT_MAX_PAIRS], point[SCOPEDETECT_MAX_PAIRS];
  ScopedetectOriented oriented[SCOPEDETECT_MAX_PAIRS];
  int n = draw_segments_of_pose (w, s, a, k, segment, point);
  int view = scopedetect_view_of (w->view, s, a->pose);
  ScopedetectPairs pairs;

  if (n < 3)
    return false;
  memset (&pairs, 0, sizeof pairs);
  for (int i = 0; i < n; i++) {
    const ScopedetectSegment *g = &w->segments.segment[segment[i]];
    int edge = scopedetect_edge_match (&w->params, s, &r, a->pose.t, view, g);

    scopedetect_pair_up (&pairs, s, c, point[i], g->x);
    if (edge >= 0)
      scopedetect_pair_up (&pairs, s, c, edge, g->edge);
    oriented[i] = scopedetect_oriented (frame, s, g, point[i]);
  }
  *out = scopedetect_aligned (&w->params, s, &pairs, oriented, n, c);
  return true;
}

typedef struct {
  const ScopedetectScoring *scoring;
  const Quat *frame;
  int k; /* number of the alignment */
} Alignment;

static void
align_pose (const void *in, const ScopedetectShape *s,
    ScopedetectHypothesis *hypothesis)
{
  const Alignment *a = in;
  ScopedetectHypothesis next = *hypothesis;

  if (!aligned_pose (a->scoring, a->frame, s, hypothesis, a->k, &next.pose))
    return;
  scopedetect_score_one_cpu (a->scoring, s,
      scopedetect_first_points (s, a->scoring->params.points), &next);
  if (next.score > hypothesis->score)
    *hypothesis = next;
}

const char *
scopedetect_align_poses_cpu (const Device *dev,
    const ScopedetectScoring *scoring, const Quat *frame,
    const ScopedetectModels *models, int k, ScopedetectHypotheses *hypotheses)
{
  (void) dev;
  scopedetect_for_each_hypothesis (
      models, hypotheses, 4, align_pose, &(Alignment){scoring, frame, k});
  scopedetect_order_cpu (models, hypotheses);
  return NULL;
}

/* ---- Round 3 ---- */

static bool
slope_at_pose (const ScopedetectScoring *w, const ScopedetectShape *s, int n,
    Pose pose, Vec c, float g[6])
{
  Turn r = turn_of (pose.q);
  int view = scopedetect_view_of (w->view, s, pose);
  ScopedetectSlope slope;

  memset (&slope, 0, sizeof slope);
  for (int i = 0; i < n; i++)
    scopedetect_climb_point (w, s, &r, pose.t, c, view, i, &slope);
  for (uint32_t k = s->edge_first[view]; k < s->edge_first[view + 1]; k++)
    if ((int) s->edge[k] < n)
      scopedetect_climb_edge (
          w, vec_transform (&r, pose.t, s->x[s->edge[k]]), c, &slope);
  return scopedetect_uphill (w, &slope, g);
}

typedef struct {
  const ScopedetectScoring *scoring;
  int steps;
} Climb;

/* Moves a hypothesis uphill. Each step has the best of three lengths, even if
 * the score falls; the next step starts with this length. The best pose on the
 * way is kept. */
static void
climb_from_pose (
    const void *in, const ScopedetectShape *s, ScopedetectHypothesis *best)
{
  const ScopedetectScoring *w = ((const Climb *) in)->scoring;
  ScopedetectHypothesis at = *best;
  int n = scopedetect_first_points (s, w->params.points);
  float length = .01f;

  scopedetect_score_one_cpu (w, s, n, best);
  for (int k = 0; k < ((const Climb *) in)->steps; k++) {
    Turn r = turn_of (at.pose.q);
    Vec c = vec_transform (&r, at.pose.t, s->centre);
    ScopedetectHypothesis next = at;
    float g[6], chosen = length;

    if (!slope_at_pose (w, s, n, at.pose, c, g))
      return;
    next.score = SCOPEDETECT_DROPPED;
    for (int t = 0; t < 3; t++) {
      ScopedetectHypothesis try = at;

      try.pose = scopedetect_stepped (at.pose, c, g, length * steps[t]);
      scopedetect_score_one_cpu (w, s, n, &try);
      if (try.score > next.score)
        next = try, chosen = length * steps[t];
    }
    at = next, length = chosen;
    if (at.score > best->score)
      *best = at;
  }
}

const char *
scopedetect_climb_poses_cpu (const Device *dev,
    const ScopedetectScoring *scoring, const ScopedetectModels *models,
    int steps, ScopedetectHypotheses *hypotheses)
{
  (void) dev;
  scopedetect_for_each_hypothesis (
      models, hypotheses, 1, climb_from_pose, &(Climb){scoring, steps});
  return NULL;
}
