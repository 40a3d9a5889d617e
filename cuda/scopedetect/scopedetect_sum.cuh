/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sums over the threads of a block, of structs of integers: their order does
 * not matter. */
#pragma once

#include "scopedetect/scopedetect_cuda.cuh"

#define SCOPEDETECT_MAX_WARPS 16

/* What a block needs to add up @T, which holds nothing but long long. */
template <class T> struct SumShared {
  long long of_warp[SCOPEDETECT_MAX_WARPS][32];
  T total;
};

/* Of 2 H numbers a lane, those of the lanes @H apart go together: each keeps
 * one half of them. */
template <int H, int N>
static __device__ __forceinline__ void
fold (long long (&v)[N], int lane)
{
#pragma unroll
  for (int j = 0; j < H; j++) {
    long long give = lane & H ? v[j] : v[j + H];
    long long keep = lane & H ? v[j + H] : v[j];

    v[j] = keep + __shfl_xor_sync (ALL_LANES, give, H);
  }
  if constexpr (H > 1)
    fold<H / 2> (v, lane);
}

/* The sum over a warp of number @lane % P of the struct. */
template <int P, class T>
static __device__ __forceinline__ long long
sum_warp (const T &mine, int lane)
{
  constexpr int N = sizeof (T) / sizeof (long long);
  long long v[P] = {};

  static_assert (N <= P && (P == 16 || P == 32), "one number a lane");
  memcpy (v, &mine, sizeof mine);
  fold<P / 2> (v, lane);
  return P == 32 ? v[0] : v[0] + __shfl_xor_sync (ALL_LANES, v[0], 16);
}

/* The sum over a block, whose threads all call; it is there for all of them
 * until they call again. */
template <class T>
static __device__ const T &
sum_block (const T &mine, SumShared<T> &shared)
{
  constexpr int N = sizeof (T) / sizeof (long long), P = N > 16 ? 32 : 16;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  long long sum = sum_warp<P> (mine, lane);

  shared.of_warp[warp][lane] = sum;
  __syncthreads ();
  if (threadIdx.x < N) {
    sum = 0;
    for (int i = 0; i < (int) blockDim.x / 32; i++)
      sum += shared.of_warp[i][lane];
    ((long long *) &shared.total)[lane] = sum;
  }
  __syncthreads ();
  return shared.total;
}

/* How many threads of the block before this one have @flag; how many there are
 * goes to @total.  @shared: a word a warp, and one more.  All threads call. */
static __device__ __forceinline__ int
count_before (bool flag, int *shared, int *total)
{
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, before = 0, sum = 0;
  uint32_t mask = __ballot_sync (ALL_LANES, flag);

  __syncthreads (); /* those who read the last counts have them */
  if (lane == 0)
    shared[warp] = __popc (mask);
  __syncthreads ();
  for (int i = 0; i < (int) blockDim.x / 32; i++) {
    before += i < warp ? shared[i] : 0;
    sum += shared[i];
  }
  *total = sum;
  return before + __popc (mask & ((1u << lane) - 1));
}
