/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the CPU's stages of the rounds share. */
#pragma once

#include "common/parallel.h"
#include "scopedetect/scopedetect_stages.h"

/* A task of one hypothesis of @model. */
typedef void (*ScopedetectTask) (const void *in, const ScopedetectShape *model,
    ScopedetectHypothesis *hypothesis);

/* Does @task for all hypotheses of the batch; a thread takes @grain at a
 * time. */
void scopedetect_for_each_hypothesis (const ScopedetectModels *models,
    const ScopedetectHypotheses *hypotheses, int grain, ScopedetectTask task,
    const void *in);

/* The first @n points of @s, or all if there are fewer. */
static inline int
scopedetect_first_points (const ScopedetectShape *s, int n)
{
  return s->n < n ? s->n : n;
}

/* Parts and score of a hypothesis, with @n points of @s; 0: with all, and with
 * segments. */
void scopedetect_score_one_cpu (const ScopedetectScoring *scoring,
    const ScopedetectShape *s, int n, ScopedetectHypothesis *hypothesis);

/* Puts the hypotheses of each model in order. */
void scopedetect_order_cpu (
    const ScopedetectModels *models, const ScopedetectHypotheses *hypotheses);
