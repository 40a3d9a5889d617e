/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loops over hypotheses and scores of poses, which the CPU's stages share. */
#pragma once

#include "common/parallel.h"
#include "scopedetect/scopedetect_stages.h"

/* A function that works on one hypothesis of @model. */
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

/* Calls @task for all hypotheses of a batch; a thread takes @grain hypotheses
 * at a time. */
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

/* The number of points of @s, at most @n. */
static inline int
scopedetect_first_points (const ScopedetectShape *s, int n)
{
  return s->n < n ? s->n : n;
}

/* Sets parts and score of a hypothesis by the first @n points of @s; 0: by all
 * points and by segments. */
void scopedetect_score_one_cpu (const ScopedetectScoring *scoring,
    const ScopedetectShape *s, int n, ScopedetectHypothesis *hypothesis);

/* Sorts the hypotheses of each model. */
void scopedetect_order_cpu (
    const ScopedetectModels *models, const ScopedetectHypotheses *hypotheses);
