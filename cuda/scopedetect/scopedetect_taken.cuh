/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which segments a pose takes, a lane a segment; its key points over lanes. */
#pragma once

#include "scopedetect/scopedetect_cuda.cuh"
#include "scopedetect/scopedetect_taken.h"

static_assert (SCOPEDETECT_KEYS == 16, "half a warp's lanes");

/* As scopedetect_takes (), by half a warp, a lane a key point: added up in
 * their order.  All lanes call, and see it. */
static __device__ __forceinline__ float
takes_half (const ScopedetectWork *w, const ScopedetectShape *s, const Turn *r,
    Vec t, const ScopedetectSegment *g, float *off)
{
  int n = g->n_keys, key = threadIdx.x % SCOPEDETECT_KEYS;
  float chance = 0, far = 0, sum = 0, sum_far = 0;

  if (key < n)
    chance = scopedetect_takes_key (w, s, r, t, g, key, &far);
#pragma unroll
  for (int k = 0; k < SCOPEDETECT_KEYS; k++) { /* of none: 0, which adds none */
    sum += __shfl_sync (ALL_LANES, chance, k, SCOPEDETECT_KEYS);
    sum_far += __shfl_sync (ALL_LANES, far, k, SCOPEDETECT_KEYS);
  }
  *off = n ? sum_far / (float) n : 2 * (float) w->params.segment_sigma;
  return n ? sum / (float) n : 0;
}

/* As scopedetect_takes (), of the segment of each lane, NULL where it has none:
 * @off is set where that is more than 0.  Those whose middles are near go one
 * after the other, two at once.  All lanes call. */
static __device__ __forceinline__ float
takes_warp (const ScopedetectWork *w, const ScopedetectShape *s, const Turn *r,
    Vec t, const ScopedetectSegment *g, float *off)
{
  int own = g ? (int) (g - w->segment) : 0, lane = threadIdx.x % 32;
  uint32_t near =
      __ballot_sync (ALL_LANES, g && scopedetect_may_take (w, s, r, t, g));
  float chance = 0;

  while (near) {
    uint32_t rest = near & (near - 1);
    int first = __ffs ((int) near) - 1;
    int second = rest ? __ffs ((int) rest) - 1 : first;
    int i = __shfl_sync (ALL_LANES, own, lane < 16 ? first : second);
    float far, of_half = takes_half (w, s, r, t, &w->segment[i], &far);
    int from = lane == second ? 16 : 0;
    float mine = __shfl_sync (ALL_LANES, of_half, from);
    float my_far = __shfl_sync (ALL_LANES, far, from);

    if (lane == first || lane == second)
      chance = mine, *off = my_far;
    near = rest & (rest - 1);
  }
  return chance;
}
