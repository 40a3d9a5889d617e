/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Refinement of poses by Gauss and Newton, as loops. */
#include "scopedetect/scopedetect_cpu.h"
#include "scopedetect/scopedetect_refine_core.h"

typedef struct {
  ScopedetectBatch batch;
  const ScopedetectScene *scene;
  int points, steps;
  float gate, min_gate; /* of the first step; of all */
} Refinement;

static void
refine_pose (const Refinement *a, Pose *p)
{
  const ScopedetectShape *s = a->batch.model;
  int n = scopedetect_first_points (s, a->points);
  float gate = a->gate;

  for (int k = 0; k < a->steps; k++) {
    Turn r = turn_of (p->q);
    Vec c = vec_transform (&r, p->t, s->centre);
    ScopedetectSums sums;

    memset (&sums, 0, sizeof sums);
    for (int i = 0; i < n; i++)
      scopedetect_sum_point (
          &sums, a->scene, &r, p->t, c, s->radius, s->x[i], s->normal[i], gate);
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
    refine_pose (a, &a->batch.hypothesis[i].pose);
}

const char *
scopedetect_refine_poses_cpu (const Device *dev, const ScopedetectScene *scene,
    const ScopedetectModels *models, int points, int steps, float gate,
    float min_gate, ScopedetectHypotheses *hypotheses)
{
  (void) dev;
  for (int m = 0; m < models->n; m++) {
    Refinement a = {scopedetect_batch (models, hypotheses, m), scene, points,
        steps, gate, min_gate};

    parallel_for (a.batch.n, 4, refine_hypotheses, &a);
  }
  return NULL;
}

typedef struct {
  ScopedetectBatch batch;
  const ScopedetectScene *scene;
  float tolerance;
  ScopedetectMeasure *out;
} Measuring;

static void
measure_pose (const Measuring *m, Pose p, ScopedetectMeasure *out)
{
  const ImageBox none = {INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN};
  const ScopedetectShape *s = m->batch.model;
  Turn r = turn_of (p.q);
  Vec c = vec_transform (&r, p.t, s->centre);

  memset (out, 0, sizeof *out);
  out->box = out->seen = none;
  for (int i = 0; i < s->n; i++) {
    scopedetect_sum_point (&out->sums, m->scene, &r, p.t, c, s->radius, s->x[i],
        s->normal[i], m->tolerance);
    scopedetect_grow (m->scene, &r, p.t, s->x[i], s->normal[i], m->tolerance,
        &out->box, &out->seen);
  }
}

static void
measure_hypotheses (void *data, int begin, int end)
{
  const Measuring *m = data;

  for (int i = begin; i < end; i++)
    measure_pose (m, m->batch.hypothesis[i].pose, &m->out[i]);
}

const char *
scopedetect_measure_poses_cpu (const Device *dev, const ScopedetectScene *scene,
    const ScopedetectModels *models, float tolerance,
    const ScopedetectHypotheses *hypotheses, ScopedetectMeasure *measure)
{
  (void) dev;
  for (int k = 0; k < models->n; k++) {
    Measuring m = {scopedetect_batch (models, hypotheses, k), scene, tolerance,
        measure + k * SCOPEDETECT_FOUND};

    parallel_for (m.batch.n, 4, measure_hypotheses, &m);
  }
  return NULL;
}
