/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Refinement of poses by Gauss and Newton, as loops. */
#include "scopedetect/scopedetect_cpu.h"
#include "scopedetect/scopedetect_refine_core.h"

typedef struct {
  ScopedetectBatch batch;
  int steps;
  float gate, min_gate; /* of the first step; of all */
} Refinement;

static void
refine_one (const Refinement *a, Pose *p)
{
  const ScopedetectShape *s = a->batch.model;
  float gate = a->gate;

  for (int k = 0; k < a->steps; k++) {
    Turn r = turn_of (p->q);
    Vec c = vec_transform (&r, p->t, s->centre);
    ScopedetectSums sums;

    memset (&sums, 0, sizeof sums);
    for (int i = 0; i < a->batch.points; i++)
      scopedetect_sum_point (&sums, &a->batch.w->scene, &r, p->t, c, s->radius,
          s->x[i], s->normal[i], gate);
    if (!scopedetect_step (&sums, c, s->radius, gate, p))
      break;
    gate = fmaxf (gate * .85f, a->min_gate);
  }
}

static void
refine_hypotheses (void *data, int begin, int end)
{
  const Refinement *a = data;

  for (int i = begin; i < end; i++)
    refine_one (a, &a->batch.hypothesis[i].pose);
}

const char *
scopedetect_refine_cpu (const Device *dev, ScopedetectWork *w, int steps,
    float gate, float min_gate)
{
  (void) dev;
  for (int m = 0; m < w->n_models; m++) {
    Refinement a = {scopedetect_batch (w, m), steps, gate, min_gate};

    parallel_for (a.batch.n, 4, refine_hypotheses, &a);
  }
  return NULL;
}

static void
measure_one (const ScopedetectWork *w, const ScopedetectShape *s, Pose p,
    ScopedetectMeasure *out)
{
  const ImageBox none = {INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN};
  Turn r = turn_of (p.q);
  Vec c = vec_transform (&r, p.t, s->centre);

  memset (out, 0, sizeof *out);
  out->box = out->seen = none;
  for (int i = 0; i < s->n; i++) {
    scopedetect_sum_point (&out->sums, &w->scene, &r, p.t, c, s->radius,
        s->x[i], s->normal[i], (float) w->params.tolerance);
    scopedetect_grow (w, &r, p.t, s->x[i], s->normal[i], &out->box, &out->seen);
  }
}

typedef struct {
  ScopedetectBatch batch;
  ScopedetectMeasure *out;
} Measuring;

static void
measure_hypotheses (void *data, int begin, int end)
{
  const Measuring *m = data;
  const ScopedetectBatch *b = &m->batch;

  for (int i = begin; i < end; i++)
    measure_one (b->w, b->model, b->hypothesis[i].pose, &m->out[i]);
}

const char *
scopedetect_measure_cpu (const Device *dev, ScopedetectWork *w)
{
  (void) dev;
  for (int m = 0; m < w->n_models; m++) {
    Measuring measuring = {
        scopedetect_batch (w, m), w->measure + m * SCOPEDETECT_FOUND};

    parallel_for (measuring.batch.n, 4, measure_hypotheses, &measuring);
  }
  return NULL;
}
