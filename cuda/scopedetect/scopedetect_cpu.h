/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the CPU's stages of the rounds share. */
#pragma once

#include "common/parallel.h"
#include "scopedetect/scopedetect_stages.h"

/* A task of one hypothesis of @model. */
typedef void (*ScopedetectTask) (const void *in, const ScopedetectShape *model,
    ScopedetectHypothesis *hypothesis);

typedef struct {
  const ScopedetectShape *model;
  ScopedetectHypothesis *hypothesis;
  ScopedetectTask task;
  const void *in;
} ScopedetectTasks;

static inline void
scopedetect_do_tasks (void *data, int begin, int end)
{
  const ScopedetectTasks *t = data;

  for (int i = begin; i < end; i++)
    t->task (t->in, t->model, &t->hypothesis[i]);
}

/* Does @task for all hypotheses of the batch; a thread takes @grain at a
 * time. */
static inline void
scopedetect_for_each_hypothesis (const ScopedetectModels *models,
    const ScopedetectHypotheses *h, int grain, ScopedetectTask task,
    const void *in)
{
  for (int m = 0; m < models->n; m++) {
    ScopedetectTasks t = {
        &models->shape[m], h->of + (size_t) m * SCOPEDETECT_MAX_KEPT, task, in};

    parallel_for (h->n[m], grain, scopedetect_do_tasks, &t);
  }
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
