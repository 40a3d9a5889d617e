/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Gauss-Newton refinement of poses, as loops. */
#include <stddef.h>

#include "common/vectors.h"
#include "scopedetect/scopedetect_cpu.h"
#include "scopedetect/scopedetect_refine_core.h"

typedef struct {
  const ScopedetectScene *scene;
  int points, steps;
  float gate, min_gate; /* of the first step; minimum */
} Refinement;

/* Of a row: those of a, b and e of ScopedetectSums, which lie side by side. */
#define PRODUCTS 28

_Static_assert(offsetof (ScopedetectSums, a) == 0 &&
        offsetof (ScopedetectSums, b) == 21 * sizeof (long long) &&
        offsetof (ScopedetectSums, e) == 27 * sizeof (long long),
    "the sums of a row's products lie one behind the other");

/* Adds the products of row @j, as scopedetect_sum_point () does. */
INLINED void
add_row (ScopedetectSums *sums, const float j[7])
{
  float product[PRODUCTS];
  long long *to = (long long *) (void *) sums;
  int k = 0;

  for (int a = 0; a < 6; a++) {
    for (int b = a; b < 6; b++)
      product[k++] = j[a] * j[b];
    product[21 + a] = j[a] * j[6];
  }
  product[27] = j[6] * j[6];
#pragma omp simd
  for (int i = 0; i < PRODUCTS; i++)
    to[i] += scopedetect_fix (product[i]);
  sums->n++;
}

/* Sums the first @n points of @s. */
VECTORS_WHOLE static void
sum_points (const ScopedetectScene *scene, const ScopedetectShape *s, int n,
    const Turn *r, Vec t, Vec c, float gate, ScopedetectSums *sums)
{
  for (int i = 0; i < n; i++) {
    float j[7];

    if (scopedetect_point_row (scene, r, t, c, s->radius, s->x[i], s->normal[i],
            gate, &sums->front, j))
      add_row (sums, j);
  }
}

static void
refine_pose (const void *in, const ScopedetectShape *s,
    ScopedetectHypothesis *hypothesis)
{
  const Refinement *a = in;
  int n = scopedetect_first_points (s, a->points);
  Pose *p = &hypothesis->pose;
  float gate = a->gate;

  for (int k = 0; k < a->steps; k++) {
    Turn r = turn_of (p->q);
    Vec c = vec_transform (&r, p->t, s->centre);
    ScopedetectSums sums;

    memset (&sums, 0, sizeof sums);
    sum_points (a->scene, s, n, &r, p->t, c, gate, &sums);
    if (!scopedetect_step (&sums, c, s->radius, gate, p))
      break;
    gate = fmaxf (gate * .85f, a->min_gate);
  }
}

const char *
scopedetect_refine_poses_cpu (const Device *dev, const ScopedetectScene *scene,
    const ScopedetectModels *models, int points, int steps, float gate,
    float min_gate, ScopedetectHypotheses *hypotheses)
{
  (void) dev;
  scopedetect_for_each_hypothesis (models, hypotheses, 4, refine_pose,
      &(Refinement){scene, points, steps, gate, min_gate});
  return NULL;
}

typedef struct {
  const ScopedetectScene *scene;
  float tolerance;
  const ScopedetectHypothesis *first; /* of all models */
  ScopedetectMeasure *out;
} Measuring;

static void
measure_pose (const void *in, const ScopedetectShape *s,
    ScopedetectHypothesis *hypothesis)
{
  const ImageBox none = {INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN};
  const Measuring *a = in;
  size_t i = (size_t) (hypothesis - a->first);
  ScopedetectMeasure *out =
      &a->out[i / SCOPEDETECT_MAX_KEPT * SCOPEDETECT_FOUND +
          i % SCOPEDETECT_MAX_KEPT];
  Pose p = hypothesis->pose;
  Turn r = turn_of (p.q);
  Vec c = vec_transform (&r, p.t, s->centre);

  memset (out, 0, sizeof *out);
  out->box = out->seen = none;
  for (int j = 0; j < s->n; j++) {
    scopedetect_sum_point (&out->sums, a->scene, &r, p.t, c, s->radius, s->x[j],
        s->normal[j], a->tolerance);
    scopedetect_grow (a->scene, &r, p.t, s->x[j], s->normal[j], a->tolerance,
        &out->box, &out->seen);
  }
}

const char *
scopedetect_measure_poses_cpu (const Device *dev, const ScopedetectScene *scene,
    const ScopedetectModels *models, float tolerance,
    const ScopedetectHypotheses *hypotheses, ScopedetectMeasure *measure)
{
  (void) dev;
  scopedetect_for_each_hypothesis (models, hypotheses, 4, measure_pose,
      &(Measuring){scene, tolerance, hypotheses->of, measure});
  return NULL;
}
