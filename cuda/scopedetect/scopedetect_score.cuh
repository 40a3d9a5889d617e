/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The score of a pose by a block, a thread some points. */
#pragma once

#include "scopedetect/scopedetect_cuda.cuh"

/* Shared memory of a block that scores a pose. */
typedef struct {
  SumShared<ScopedetectTotals> totals;
  ScopedetectHypothesis hypothesis;
} ScoreShared;

/* The view of scopedetect_view_of (), computed by a warp. */
static __device__ __forceinline__ int
view_by_warp (const ScopedetectScoring *w, const ScopedetectShape *s,
    const Turn *r, Vec t)
{
  Vec eye = vec_scale (vec_unrotate (r, vec_transform (r, t, s->centre)), -1);
  float max_along = -1e9f;
  int best = 0;

  for (int v = threadIdx.x % 32; v < SCOPEDETECT_VIEWS; v += 32) {
    float along = vec_dot (w->view[v], eye);

    if (along > max_along)
      max_along = along, best = v;
  }
  for (int step = 16; step; step /= 2) {
    float along = __shfl_xor_sync (ALL_LANES, max_along, step);
    int v = __shfl_xor_sync (ALL_LANES, best, step);

    if (along > max_along || (along == max_along && v < best))
      max_along = along, best = v;
  }
  return best;
}

/* Sums over the first @n points of the model and over its range edges; the
 * share of block @part of @parts. */
static __device__ __forceinline__ const ScopedetectTotals &
total_points_by_block (const ScopedetectScoring *w, const ScopedetectShape *s,
    int n, int part, int parts, ScoreShared &shared)
{
  const Pose &pose = shared.hypothesis.pose;
  Turn r = turn_of (pose.q);
  int view = view_by_warp (w, s, &r, pose.t);
  int first = part * blockDim.x + threadIdx.x, step = parts * blockDim.x;
  int last = (int) s->edge_first[view + 1];
  ScopedetectTotals t = {};

  for (int i = first; i < n; i += step)
    scopedetect_add_point (w, s, &r, pose.t, view, i, &t);
  for (int i = (int) s->edge_first[view] + first; i < last; i += step)
    if ((int) s->edge[i] < n)
      scopedetect_add_edge (
          w, vec_transform (&r, pose.t, s->x[s->edge[i]]), &t);
  return sum_block (t, shared.totals);
}

/* Scores shared.hypothesis by the first @n points of @s. All threads call. */
static __device__ void
score_by_block (const ScopedetectScoring *w, const ScopedetectShape *s, int n,
    ScoreShared &shared)
{
  const ScopedetectTotals &t = total_points_by_block (w, s, n, 0, 1, shared);
  ScopedetectHypothesis &a = shared.hypothesis;

  if (threadIdx.x == 0) {
    scopedetect_parts (&t, a.part);
    a.score = scopedetect_weigh (&w->params, a.part);
  }
  __syncthreads ();
}

/* The hypothesis that this block computes; NULL if there are fewer hypotheses
 * than blocks. */
static __device__ __forceinline__ ScopedetectHypothesis *
hypothesis_of_block (const ScopedetectHypotheses *h)
{
  int m = blockIdx.y;

  return (int) blockIdx.x < h->n[m]
      ? &h->of[(size_t) m * SCOPEDETECT_MAX_KEPT + blockIdx.x]
      : NULL;
}

/* Copies a hypothesis with all threads of a block, which all call. */
static __device__ __forceinline__ void
copy_hypothesis_by_block (
    ScopedetectHypothesis *to, const ScopedetectHypothesis *from)
{
  __syncthreads (); /* no thread still reads the old one */
  if (threadIdx.x < sizeof *to / sizeof (uint32_t))
    ((uint32_t *) to)[threadIdx.x] = ((const uint32_t *) from)[threadIdx.x];
  __syncthreads ();
}

/* ---- Segments that a pose takes ---- */

static_assert (SCOPEDETECT_KEYS == 16, "half a warp's lanes");

/* As scopedetect_takes (), by half a warp, a lane for each key point; the sum
 * is in the CPU's order. All lanes call. */
static __device__ __forceinline__ float
takes_by_half_warp (const ScopedetectScoring *w, const ScopedetectShape *s,
    const Turn *r, Vec t, const ScopedetectSegment *g, float *off)
{
  int n = g->n_keys, key = threadIdx.x % SCOPEDETECT_KEYS;
  float chance = 0, far = 0, sum = 0, sum_far = 0;

  if (key < n)
    chance = scopedetect_takes_key (&w->params, s, r, t, g, key, &far);
#pragma unroll
  for (int k = 0; k < SCOPEDETECT_KEYS; k++) { /* missing key points add 0 */
    sum += __shfl_sync (ALL_LANES, chance, k, SCOPEDETECT_KEYS);
    sum_far += __shfl_sync (ALL_LANES, far, k, SCOPEDETECT_KEYS);
  }
  *off = n ? sum_far / (float) n : 2 * (float) w->params.segment_sigma;
  return n ? sum / (float) n : 0;
}

/* As scopedetect_takes () for the segment of each lane, which may be NULL; @off
 * is set where the result is above 0. Segments with a near centre are computed
 * two at once, one by each half of the warp. All lanes call. */
static __device__ __forceinline__ float
takes_by_warp (const ScopedetectScoring *w, const ScopedetectShape *s,
    const Turn *r, Vec t, const ScopedetectSegment *g, float *off)
{
  const ScopedetectSegment *segment = w->segments.segment;
  int own = g ? (int) (g - segment) : 0, lane = threadIdx.x % 32;
  uint32_t near = __ballot_sync (
      ALL_LANES, g && scopedetect_may_take (&w->params, s, r, t, g));
  float chance = 0;

  while (near) {
    uint32_t rest = near & (near - 1);
    int first = __ffs ((int) near) - 1;
    int second = rest ? __ffs ((int) rest) - 1 : first;
    int i = __shfl_sync (ALL_LANES, own, lane < 16 ? first : second);
    float far, of_half = takes_by_half_warp (w, s, r, t, &segment[i], &far);
    int from = lane == second ? 16 : 0;
    float mine = __shfl_sync (ALL_LANES, of_half, from);
    float my_far = __shfl_sync (ALL_LANES, far, from);

    if (lane == first || lane == second)
      chance = mine, *off = my_far;
    near = rest & (rest - 1);
  }
  return chance;
}
