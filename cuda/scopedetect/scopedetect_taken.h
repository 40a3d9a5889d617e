/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parts that segments have in a pose's score (thesis, section 1.2.1, round
 * 3): which of them it takes, how far those are from it, and which others it
 * ought to take with them.  And which of them it is aligned by. */
#pragma once

#include "scopedetect/scopedetect_align.h"
#include "scopedetect/scopedetect_score.h"
#include "scopedetect/scopedetect_segment.h"

#define SCOPEDETECT_MOST_PAIRS 128 /* segments that a pose is aligned by */

/* Whether a pose takes a segment that is likely to be part of the model by
 * @chance. */
BOTH bool
scopedetect_is_taken (float chance)
{
  return chance > .5f;
}

/* What it costs that the key points of a segment that is taken are @off from
 * the model on average. */
BOTH long long
scopedetect_off (const ScopedetectWork *w, float off)
{
  float d = off / (.5f * (float) w->params.segment_sigma);

  return scopedetect_step_of (-fminf (d * d / 2, 8));
}

/* What it costs to take segment @g without those that it belongs to; a bit of
 * @bits for each that is taken. */
BOTH long long
scopedetect_cut (const ScopedetectSegment *g, const uint32_t *bits)
{
  long long sum = 0;

  for (int k = 0; k < g->n_near; k++) {
    int j = g->near[k];
    float a = g->affinity[k];

    if (!(bits[j / 32] >> j % 32 & 1))
      sum += scopedetect_step_of (.05f * scopedetect_log ((1 - a) / a));
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

/* The point of the model that segment @i, if alignment @k of the sample draws
 * it, lies on; else -1.  It is part of the model by @chance. */
BOTH int
scopedetect_drawn (const ScopedetectWork *w, const ScopedetectShape *s,
    const ScopedetectSample *a, const ScopedetectTurn *r, int k, int i,
    float chance)
{
  if (!(chance > 0 &&
          random_unit (w->params.seed + a->id,
              (uint64_t) k << 32 | (uint32_t) i) < chance))
    return -1;
  return scopedetect_nearest (s,
      scopedetect_unrotate (r, scopedetect_sub (w->segment[i].x, a->pose.t)));
}

/* The point on a range edge of the model, in the view's list, that a segment's
 * edge lies on, or -1: an edge has no orientation. */
BOTH int
scopedetect_edge_match (const ScopedetectWork *w, const ScopedetectShape *s,
    const ScopedetectTurn *r, ScopedetectVec t, int view,
    const ScopedetectSegment *g)
{
  ScopedetectVec p = scopedetect_unrotate (r, scopedetect_sub (g->edge, t));
  float sigma = (float) w->params.segment_sigma, least = sigma * sigma;
  int best = -1;

  if (!g->has_edge)
    return -1;
  for (uint32_t k = s->edge_first[view]; k < s->edge_first[view + 1]; k++) {
    ScopedetectVec d = scopedetect_sub (s->x[s->edge[k]], p);
    float d2 = scopedetect_dot (d, d);

    if (d2 < least)
      least = d2, best = (int) s->edge[k];
  }
  return best;
}

/* Adds the pair of point @j of the model, whose centre is at @c, and @x. */
BOTH void
scopedetect_pair_up (ScopedetectPairs *pairs, const ScopedetectShape *s,
    ScopedetectVec c, int j, ScopedetectVec x)
{
  float scale = 1 / s->radius;

  scopedetect_add_pair (pairs,
      scopedetect_scale (scopedetect_sub (s->x[j], s->centre), scale),
      scopedetect_scale (scopedetect_sub (x, c), scale));
}

/* A pair of features as turns of the model: one, or the other. */
typedef struct {
  ScopedetectQuat turn, flip;
  double sureness; /* of the direction of curvature; < 0: there is no pair */
} ScopedetectOriented;

/* What segment @g says that lies on point @j of the model. */
BOTH ScopedetectOriented
scopedetect_oriented (const ScopedetectWork *w, const ScopedetectShape *s,
    const ScopedetectSegment *g, int j)
{
  ScopedetectQuat back = scopedetect_conjugate (s->frame[j]);
  ScopedetectOriented o = {back, back, -1};

  if (g->point < 0)
    return o;
  o.turn = scopedetect_times (w->cloud.frame[g->point], back);
  o.flip =
      scopedetect_times (scopedetect_flip (w->cloud.frame[g->point]), back);
  o.sureness = scopedetect_sureness (s->pc1[j], s->pc2[j]);
  return o;
}

/* The pose that pairs and @n features ask for; @c: where the centre is. */
BOTH ScopedetectPose
scopedetect_aligned (const ScopedetectWork *w, const ScopedetectShape *s,
    const ScopedetectPairs *pairs, const ScopedetectOriented *o, int n,
    ScopedetectVec c)
{
  float per = s->radius / (float) w->params.segment_sigma;
  double m[4][4];

  scopedetect_horn (pairs, (double) per * per, m);
  for (int i = 0; i < n; i++)
    if (o[i].sureness >= 0)
      scopedetect_add_feature (m, o[i].turn, o[i].flip, o[i].sureness);
  return scopedetect_means_agree (
      pairs, scopedetect_mode (m), s->centre, c, s->radius);
}
