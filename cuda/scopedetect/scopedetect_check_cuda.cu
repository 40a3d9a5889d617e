/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Round 1: a thread a hypothesis looks at it with few points, some warps at
 * each sample with more; or draws hypotheses, as the thesis has it. */
#include "scopedetect/scopedetect_choose.cuh"
#include "scopedetect/scopedetect_score.cuh"

#define THREADS 256
#define WARPS 8 /* of a block that looks at samples */

static_assert (SCOPEDETECT_SCORE_BINS == THREADS, "a thread a bin");

static __global__ void
__launch_bounds__ (THREADS) check_kernel (
    const __grid_constant__ ScopedetectWork w, ScopedetectChooseCuda *c)
{
  __shared__ int count[SCOPEDETECT_SCORE_BINS];
  int m = blockIdx.y, id = blockIdx.x * THREADS + threadIdx.x;
  int k = w.params.neighbours, n = w.n_queries * k * 2;
  const uint16_t *near = w.neighbour + (size_t) m * w.room_queries * k;
  const ScopedetectShape *s = &w.model[m];
  int few = min (s->n, SCOPEDETECT_FEW);

  allow_next ();
  await_previous ();
  count[threadIdx.x] = 0;
  __syncthreads ();
  if (id < n) {
    int score = INT16_MIN;

    if (near[id / 2] != UINT16_MAX)
      score = scopedetect_agreement (&w.scene, s,
          scopedetect_hypothesis (&w, m, (uint32_t) id), few,
          (float) w.params.tolerance);
    scopedetect_scores_of (w, m)[id] = (int16_t) score;
    atomicAdd (&count[(score - INT16_MIN) / SCOPEDETECT_SCORE_BINS], 1);
  }
  scopedetect_add_counts (count, c->bin[m][0]);
}

/* At random a query has one hypothesis or none: 0, or 1 + its number. */
static __global__ void
__launch_bounds__ (THREADS)
    draw_kernel (const __grid_constant__ ScopedetectWork w)
{
  int m = blockIdx.y, q = blockIdx.x * THREADS + threadIdx.x;
  uint32_t id, each = 2 * (uint32_t) w.params.neighbours;

  allow_next ();
  await_previous ();
  if (q < w.n_queries)
    scopedetect_scores_of (w, m)[q] = scopedetect_draw (&w, m, q, &id)
        ? (int16_t) (1 + id - (uint32_t) q * each)
        : 0;
}

const char *
scopedetect_check_cuda (
    const Device *dev, const ScopedetectWork *w, ScopedetectChooseCuda *c)
{
  dim3 blocks (
      max (1, ceil_div (scopedetect_n_scores (*w), THREADS)), w->n_models);

  if (w->params.random)
    return scopedetect_launch (dev, w, draw_kernel, blocks, THREADS, 0, *w);
  return scopedetect_launch (dev, w, check_kernel, blocks, THREADS, 0, *w, c);
}

/* ---- More points ---- */

/* What warp @part of @parts adds to a pose's score: sum and count. */
static __device__ __forceinline__ int2
verify (const ScopedetectWork *w, const ScopedetectShape *s, Pose p, int n,
    int part, int parts)
{
  Turn r = turn_of (p.q);
  int sum = 0, front = 0, value;

  for (int i = 32 * part + threadIdx.x % 32; i < n; i += 32 * parts)
    if (w->params.random)
      sum += scopedetect_is_free (w, vec_transform (&r, p.t, s->x[i]));
    else if (scopedetect_agree (&w->scene, &r, p.t, s->x[i], s->normal[i],
                 (float) w->params.tolerance, &value))
      front++, sum += value;
  return int2{
      (int) warp_sum ((uint32_t) sum), (int) warp_sum ((uint32_t) front)};
}

/* PARTS warps a sample. */
template <int PARTS>
static __global__ void __launch_bounds__ (32 * WARPS)
    verify_kernel (const __grid_constant__ ScopedetectWork w)
{
  __shared__ int2 found[WARPS];
  int m = blockIdx.y, warp = threadIdx.x / 32;
  int i = blockIdx.x * (WARPS / PARTS) + warp / PARTS;
  const ScopedetectShape *s = &w.model[m];
  ScopedetectSample *a = w.sample + (size_t) m * SCOPEDETECT_MAX_KEPT + i;
  int n = min (s->n, w.params.points);
  bool there;
  int2 v;

  allow_next ();
  await_previous ();
  there = i < w.counts->n_samples[m];
  if (there)
    found[warp] = verify (&w, s, a->pose, n, warp % PARTS, PARTS);
  __syncthreads ();
  if (!there || threadIdx.x % (32 * PARTS))
    return;
  v = found[warp];
  for (int k = 1; k < PARTS; k++)
    v.x += found[warp + k].x, v.y += found[warp + k].y;
  a->score = w.params.random ? scopedetect_free_score (&w, v.x, n)
                             : scopedetect_agreement_of (v.x, v.y);
}

const char *
scopedetect_verify_cuda (const Device *dev, ScopedetectWork *w)
{
  int bound = scopedetect_cuda (w)->bound;
  bool few = bound <= 4096; /* not enough to keep the device busy */
  dim3 blocks (ceil_div (bound, few ? WARPS / 4 : WARPS), w->n_models);

  TRY (scopedetect_launch (dev, w, few ? verify_kernel<4> : verify_kernel<1>,
      blocks, 32 * WARPS, 0, *w));
  return scopedetect_order_cuda (dev, w);
}
