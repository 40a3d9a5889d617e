/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parts that segments have in a pose's score (thesis, section 1.2.1, round
 * 3): which of them it takes, how far those are from it, and which others it
 * ought to take with them. */
#pragma once

#include "scopedetect/scopedetect_score.h"
#include "scopedetect/scopedetect_segment.h"

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
