/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Refinement of poses by Gauss and Newton, as loops. */
#include "scopedetect/scopedetect_cpu.h"
#include "scopedetect/scopedetect_refine.h"

static void
refine_one (const ScopedetectWork *w, const ScopedetectShape *s,
    ScopedetectPose *p, int steps, float gate, float least)
{
  int n = s->n < w->params.points ? s->n : w->params.points;

  for (int k = 0; k < steps; k++) {
    ScopedetectTurn r = scopedetect_turn (p->q);
    ScopedetectVec c = scopedetect_apply (&r, p->t, s->centre);
    ScopedetectSums sums;

    memset (&sums, 0, sizeof sums);
    for (int i = 0; i < n; i++)
      scopedetect_sum_point (&sums, &w->scene, &r, p->t, c, s->radius, s->x[i],
          s->normal[i], gate);
    if (!scopedetect_step (&sums, c, s->radius, gate, p))
      break;
    gate = fmaxf (gate * .85f, least);
  }
}

const char *
scopedetect_refine_cpu (
    const Device *dev, ScopedetectWork *w, int steps, float gate, float least)
{
  (void) dev;
  for (int m = 0; m < w->n_models; m++) {
    ScopedetectSample *s = w->sample + (size_t) m * SCOPEDETECT_MAX_KEPT;

#pragma omp parallel for schedule(dynamic, 4)
    for (int i = 0; i < w->counts->n_samples[m]; i++)
      refine_one (w, &w->model[m], &s[i].pose, steps, gate, least);
  }
  return NULL;
}

static void
measure_one (const ScopedetectWork *w, const ScopedetectShape *s,
    ScopedetectPose p, ScopedetectMeasure *out)
{
  const ImageBox none = {INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN};
  ScopedetectTurn r = scopedetect_turn (p.q);
  ScopedetectVec c = scopedetect_apply (&r, p.t, s->centre);

  memset (out, 0, sizeof *out);
  out->box = out->seen = none;
  for (int i = 0; i < s->n; i++) {
    scopedetect_sum_point (&out->sums, &w->scene, &r, p.t, c, s->radius,
        s->x[i], s->normal[i], (float) w->params.tolerance);
    scopedetect_grow (w, &r, p.t, s->x[i], s->normal[i], &out->box, &out->seen);
  }
}

const char *
scopedetect_measure_cpu (const Device *dev, ScopedetectWork *w)
{
  (void) dev;
  for (int m = 0; m < w->n_models; m++) {
    const ScopedetectSample *s = w->sample + (size_t) m * SCOPEDETECT_MAX_KEPT;

#pragma omp parallel for schedule(dynamic, 4)
    for (int i = 0; i < w->counts->n_samples[m]; i++)
      measure_one (
          w, &w->model[m], s[i].pose, &w->measure[m * SCOPEDETECT_FOUND + i]);
  }
  return NULL;
}
