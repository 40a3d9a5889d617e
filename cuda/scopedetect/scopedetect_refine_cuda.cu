/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Gauss-Newton refinement and measurement of hypotheses, a block each. */
#include "scopedetect/scopedetect_refine_core.h"
#include "scopedetect/scopedetect_score.cuh"

#define REFINE_THREADS 128
#define MEASURE_THREADS 512

typedef struct {
  SumShared<ScopedetectSums> sums;
  Pose pose;
  bool done;
} RefineShared;

static __device__ __forceinline__ const ScopedetectSums &
sum_points_by_block (const ScopedetectScene *scene, const ScopedetectShape *s,
    int n, Pose p, Vec c, float gate, SumShared<ScopedetectSums> &shared)
{
  Turn r = turn_of (p.q);
  ScopedetectSums sums = {};

  for (int i = threadIdx.x; i < n; i += blockDim.x)
    scopedetect_sum_point (
        &sums, scene, &r, p.t, c, s->radius, s->x[i], s->normal[i], gate);
  return sum_block (sums, shared);
}

static __global__ void
__launch_bounds__ (REFINE_THREADS)
    refine_poses_kernel (IN ScopedetectScene scene, IN ScopedetectModels models,
        IN ScopedetectHypotheses h, int points, int steps, float gate,
        float min_gate)
{
  __shared__ RefineShared shared;
  const ScopedetectShape *s = &models.shape[blockIdx.y];
  int n = min (s->n, points);
  ScopedetectHypothesis *a;

  allow_next ();
  await_previous ();
  if (!(a = hypothesis_of_block (&h)))
    return;
  if (threadIdx.x == 0)
    shared.pose = a->pose, shared.done = false;
  __syncthreads ();
  for (int k = 0; k < steps && !shared.done; k++) {
    Pose p = shared.pose;
    Turn r = turn_of (p.q);
    Vec c = vec_transform (&r, p.t, s->centre);
    const ScopedetectSums &sums =
        sum_points_by_block (&scene, s, n, p, c, gate, shared.sums);

    if (threadIdx.x == 0)
      shared.done = !scopedetect_step (&sums, c, s->radius, gate, &shared.pose);
    gate = fmaxf (gate * .85f, min_gate);
    __syncthreads ();
  }
  if (threadIdx.x == 0)
    a->pose = shared.pose;
}

const char *
scopedetect_refine_poses_cuda (const Device *dev, const ScopedetectScene *scene,
    const ScopedetectModels *models, int points, int steps, float gate,
    float min_gate, ScopedetectHypotheses *hypotheses)
{
  dim3 blocks (hypotheses->bound, models->n);

  if (!steps)
    return NULL;
  return scopedetect_launch (dev, refine_poses_kernel, blocks, REFINE_THREADS,
      0, *scene, *models, *hypotheses, points, steps, gate, min_gate);
}

/* ---- Measurements ---- */

/* Extends the box of the block by the box of a thread. */
static __device__ __forceinline__ void
join_boxes (ImageBox *to, const ImageBox &b)
{
  atomicMin (&to->x0, b.x0);
  atomicMin (&to->y0, b.y0);
  atomicMax (&to->x1, b.x1);
  atomicMax (&to->y1, b.y1);
}

static __global__ void
__launch_bounds__ (MEASURE_THREADS) measure_poses_kernel (
    IN ScopedetectScene scene, IN ScopedetectModels models,
    IN ScopedetectHypotheses h, float tolerance, ScopedetectMeasure *measure)
{
  __shared__ SumShared<ScopedetectSums> shared;
  __shared__ ImageBox box, seen;
  const ImageBox none = {INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN};
  const ScopedetectShape *s = &models.shape[blockIdx.y];
  ImageBox my_box = none, my_seen = none;
  const ScopedetectHypothesis *a;
  Turn r;

  allow_next ();
  await_previous ();
  if (!(a = hypothesis_of_block (&h)))
    return;
  if (threadIdx.x == 0)
    box = seen = none;
  r = turn_of (a->pose.q);
  for (int i = threadIdx.x; i < s->n; i += blockDim.x)
    scopedetect_grow (&scene, &r, a->pose.t, s->x[i], s->normal[i], tolerance,
        &my_box, &my_seen);
  sum_points_by_block (&scene, s, s->n, a->pose,
      vec_transform (&r, a->pose.t, s->centre), tolerance, shared);
  join_boxes (&box, my_box);
  join_boxes (&seen, my_seen);
  __syncthreads ();
  if (threadIdx.x == 0) {
    ScopedetectMeasure *out =
        &measure[blockIdx.y * SCOPEDETECT_FOUND + blockIdx.x];

    out->sums = shared.total;
    out->box = box, out->seen = seen;
  }
}

const char *
scopedetect_measure_poses_cuda (const Device *dev,
    const ScopedetectScene *scene, const ScopedetectModels *models,
    float tolerance, const ScopedetectHypotheses *hypotheses,
    ScopedetectMeasure *measure)
{
  dim3 blocks (min (hypotheses->bound, SCOPEDETECT_FOUND), models->n);

  return scopedetect_launch (dev, measure_poses_kernel, blocks, MEASURE_THREADS,
      0, *scene, *models, *hypotheses, tolerance, measure);
}
