/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the CPU's stages of the rounds share. */
#pragma once

#include "common/parallel.h"
#include "scopedetect/scopedetect_stages.h"

/* The hypotheses of one model: what most loops go over. */
typedef struct {
  const ScopedetectShape *model;
  ScopedetectHypothesis *hypothesis;
  int n;
} ScopedetectBatch;

static inline ScopedetectBatch
scopedetect_batch (
    const ScopedetectModels *models, const ScopedetectHypotheses *all, int m)
{
  return (ScopedetectBatch){&models->shape[m],
      all->of + (size_t) m * SCOPEDETECT_MAX_KEPT, all->n[m]};
}

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
