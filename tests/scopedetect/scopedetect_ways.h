/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ways in which scopedetect explains a frame: those of `explain`, and what the
 * thesis compares in its table 2.1, of which they are a part.  The full score
 * has ten parts, as the thesis's: with segments and colour. */
#pragma once

#include "scopedetect/scopedetect.h"

enum {
  WAY_CONTEST,
  WAY_ONE_STAGE,
  WAY_TWO_STAGE,
  WAY_FIRST_STAGE, /* alone */
  WAY_BASELINE, /* one stage by the full score, without the cost of overlap */
  N_WAYS,
  N_EXPLAINED = WAY_TWO_STAGE + 1 /* by the properties as they are */
};

static const char *const way_name[] = {
    "contest", "one-stage", "two-stage", "stage 1", "baseline"};

static inline ScopedetectExplained
way_explain (int way)
{
  return way == WAY_CONTEST  ? SCOPEDETECT_CONTEST
      : way == WAY_TWO_STAGE ? SCOPEDETECT_TWO_STAGE
                             : SCOPEDETECT_ONE_STAGE;
}

/* How poses are ranked in @way. */
static inline void
way_rank (ScopedetectParams *p, int way)
{
  if (way != WAY_BASELINE)
    return;
  p->weight[SCOPEDETECT_AFFINITY] = p->weight[SCOPEDETECT_SEGMENT] = 1;
  for (int k = SCOPEDETECT_LIGHTNESS; k <= SCOPEDETECT_COLOUR_B; k++)
    p->weight[k] = .2;
}

/* How objects are chosen among them: @preset, but for what makes the way. */
static inline void
way_choose (ScopedetectParams *p, const ScopedetectParams *preset, int way)
{
  bool first = way == WAY_FIRST_STAGE;

  p->explain = way_explain (way);
  p->weight_unexplained =
      first ? preset->first_weight_unexplained : preset->weight_unexplained;
  p->weight_object =
      first ? preset->first_weight_object : preset->weight_object;
  p->weight_overlap = way == WAY_BASELINE ? 0
      : first                             ? preset->first_weight_overlap
                                          : preset->weight_overlap;
}
