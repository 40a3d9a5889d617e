/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Alignment of rounds 2 and 3, as loops. */
#include "common/random.h"
#include "scopedetect/scopedetect_align.h"
#include "scopedetect/scopedetect_climb.h"
#include "scopedetect/scopedetect_cpu.h"
#include "scopedetect/scopedetect_segment.h"

#define MOST_PAIRS 128

/* A segment and the model's point that it lies on, or -1: an edge. */
typedef struct {
  int segment, point;
} Match;

static const float steps[3] = {.6f, 1, 1.6f};

/* The next segments' middles and edges, and what they lie on. */
static int
draw_matches (const ScopedetectWork *w, const ScopedetectShape *s,
    const ScopedetectSample *a, int k, Match *match, ScopedetectPairs *pairs)
{
  ScopedetectTurn r = scopedetect_turn (a->pose.q);
  ScopedetectVec c = scopedetect_apply (&r, a->pose.t, s->centre);
  float scale = 1 / s->radius;
  int n = w->lattice.width * w->lattice.height, found = 0;

  for (int i = 0; i < n && found < MOST_PAIRS; i++) {
    const ScopedetectSegment *g = &w->segment[i];
    ScopedetectVec p =
        scopedetect_unrotate (&r, scopedetect_sub (g->x, a->pose.t));
    int j = g->count ? scopedetect_nearest (s, p) : -1;

    if (j < 0 ||
        random_unit (
            w->params.seed + a->id, (uint64_t) k << 32 | (uint32_t) i) >=
            scopedetect_takes (w, s, &r, a->pose.t, g, NULL))
      continue;
    match[found].segment = i;
    match[found++].point = j;
    scopedetect_add_pair (pairs,
        scopedetect_scale (scopedetect_sub (s->x[j], s->centre), scale),
        scopedetect_scale (scopedetect_sub (g->x, c), scale));
  }
  return found;
}

/* Edges of the drawn segments, which have no orientation. */
static void
add_edges (const ScopedetectWork *w, const ScopedetectShape *s,
    ScopedetectPose pose, const Match *match, int n, ScopedetectPairs *pairs)
{
  ScopedetectTurn r = scopedetect_turn (pose.q);
  ScopedetectVec c = scopedetect_apply (&r, pose.t, s->centre);
  float sigma = (float) w->params.segment_sigma, scale = 1 / s->radius;
  int view = scopedetect_view_of (w, s, pose);

  for (int i = 0; i < n; i++) {
    const ScopedetectSegment *g = &w->segment[match[i].segment];
    ScopedetectVec p =
        scopedetect_unrotate (&r, scopedetect_sub (g->edge, pose.t));
    float least = sigma * sigma;
    int best = -1;

    for (uint32_t k = s->edge_first[view]; k < s->edge_first[view + 1]; k++) {
      ScopedetectVec d = scopedetect_sub (s->x[s->edge[k]], p);
      float d2 = scopedetect_dot (d, d);

      if (g->has_edge && d2 < least)
        least = d2, best = (int) s->edge[k];
    }
    if (best >= 0)
      scopedetect_add_pair (pairs,
          scopedetect_scale (scopedetect_sub (s->x[best], s->centre), scale),
          scopedetect_scale (scopedetect_sub (g->edge, c), scale));
  }
}

/* The pose that segments ask for; false where there are fewer than three. */
static bool
aligned (const ScopedetectWork *w, const ScopedetectShape *s,
    const ScopedetectSample *a, int k, ScopedetectPose *out)
{
  ScopedetectTurn r = scopedetect_turn (a->pose.q);
  ScopedetectVec c = scopedetect_apply (&r, a->pose.t, s->centre);
  float per = s->radius / (float) w->params.segment_sigma;
  ScopedetectPairs pairs;
  Match match[MOST_PAIRS];
  double m[4][4];
  int n;

  memset (&pairs, 0, sizeof pairs);
  n = draw_matches (w, s, a, k, match, &pairs);
  if (n < 3)
    return false;
  add_edges (w, s, a->pose, match, n, &pairs);
  scopedetect_horn (&pairs, (double) per * per, m);
  for (int i = 0; i < n; i++) {
    int point = w->segment[match[i].segment].point, j = match[i].point;
    ScopedetectQuat back = scopedetect_conjugate (s->frame[j]);

    if (point >= 0)
      scopedetect_add_feature (m,
          scopedetect_times (w->cloud.frame[point], back),
          scopedetect_times (scopedetect_flip (w->cloud.frame[point]), back),
          scopedetect_sureness (s->pc1[j], s->pc2[j]));
  }
  *out = scopedetect_means_agree (
      &pairs, scopedetect_mode (m), s->centre, c, s->radius);
  return true;
}

const char *
scopedetect_align_cpu (const Device *dev, ScopedetectWork *w, int k)
{
  (void) dev;
  for (int m = 0; m < w->n_models; m++) {
    ScopedetectSample *out = w->sample + (size_t) m * SCOPEDETECT_MAX_KEPT;
    const ScopedetectShape *s = &w->model[m];
    int n = s->n < w->params.points ? s->n : w->params.points;

#pragma omp parallel for schedule(dynamic, 4)
    for (int i = 0; i < w->counts->n_samples[m]; i++) {
      ScopedetectSample next = out[i];

      if (!aligned (w, s, &out[i], k, &next.pose))
        continue;
      scopedetect_score_one_cpu (w, s, n, &next);
      if (next.score > out[i].score)
        out[i] = next;
    }
  }
  scopedetect_order_cpu (w);
  return NULL;
}

/* ---- Round 3 ---- */

static bool
slope_at (const ScopedetectWork *w, const ScopedetectShape *s, int n,
    ScopedetectPose pose, ScopedetectVec c, float g[6])
{
  ScopedetectTurn r = scopedetect_turn (pose.q);
  int view = scopedetect_view_of (w, s, pose);
  ScopedetectSlope slope;

  memset (&slope, 0, sizeof slope);
  for (int i = 0; i < n; i++)
    scopedetect_climb_point (w, s, &r, pose.t, c, view, i, &slope);
  for (uint32_t k = s->edge_first[view]; k < s->edge_first[view + 1]; k++)
    if ((int) s->edge[k] < n)
      scopedetect_climb_edge (
          w, scopedetect_apply (&r, pose.t, s->x[s->edge[k]]), c, &slope);
  return scopedetect_uphill (w, &slope, g);
}

/* Each step is the best of three lengths, even if it leads down, and the next
 * one starts with its length; what was best on the way is kept. */
static void
climb_one (const ScopedetectWork *w, const ScopedetectShape *s,
    ScopedetectSample *best, int n_steps)
{
  ScopedetectSample at = *best;
  int n = s->n < w->params.points ? s->n : w->params.points;
  float length = .01f;

  scopedetect_score_one_cpu (w, s, n, best);
  for (int k = 0; k < n_steps; k++) {
    ScopedetectTurn r = scopedetect_turn (at.pose.q);
    ScopedetectVec c = scopedetect_apply (&r, at.pose.t, s->centre);
    ScopedetectSample next = at;
    float g[6], chosen = length;

    if (!slope_at (w, s, n, at.pose, c, g))
      return;
    next.score = SCOPEDETECT_DROPPED;
    for (int t = 0; t < 3; t++) {
      ScopedetectSample try = at;

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
scopedetect_climb_cpu (const Device *dev, ScopedetectWork *w, int n_steps)
{
  (void) dev;
  for (int m = 0; m < w->n_models; m++) {
    ScopedetectSample *out = w->sample + (size_t) m * SCOPEDETECT_MAX_KEPT;

#pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < w->counts->n_samples[m]; i++)
      climb_one (w, &w->model[m], &out[i], n_steps);
  }
  return NULL;
}
