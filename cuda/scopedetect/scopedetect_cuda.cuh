/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Scratch, launches and sums over a block, which the stages of the CUDA backend
 * share. */
#pragma once

#include "common/chain.cuh"
#include "common/memory.h"
#include "scopedetect/scopedetect_score_core.h"
#include "scopedetect/scopedetect_stages.h"

/* An argument of a kernel by value, whose address the functions of the headers
 * can take. */
#define IN const __grid_constant__

static_assert (sizeof (ScopedetectRounds) < 3900, "must fit as arguments");

/* ---- Scratch ---- */

/* Counted while the plane is looked for; 0 before and after. */
struct _ScopedetectVotes {
  uint32_t inliers[SCOPEDETECT_PLANES], looked, blocks;
};

#define SCOPEDETECT_SCORE_BINS 256 /* and of the scores in one of them */
#define SCOPEDETECT_CHUNK 4096     /* scores that a block takes over */
#define SCOPEDETECT_MAX_CHUNKS \
 (SCOPEDETECT_MAX_POINTS * SCOPEDETECT_MAX_NEIGHBOURS * 2 / SCOPEDETECT_CHUNK)

struct _ScopedetectBins {
  /* Of each model: how many scores are in each bin, and in each bin of the one
   * that holds the threshold. */
  int bin[SCOPEDETECT_BATCH][2][SCOPEDETECT_SCORE_BINS];
  /* Of each chunk of scores: how many are above the threshold, and on it. */
  int2 chunk[SCOPEDETECT_BATCH][SCOPEDETECT_MAX_CHUNKS];
};

static_assert (SCOPEDETECT_MAX_KEPT % 32 == 0, "whole words");

/* How far a model's hypotheses are decided. */
struct _ScopedetectSieve {
  int kept, sifted; /* their number; the number before the last ones */
  int next;         /* hypothesis that is looked at next */
  uint32_t gone[SCOPEDETECT_MAX_KEPT / 32]; /* a bit a hypothesis after that: it
                                               is like one that is kept */
};

#define SCOPEDETECT_SHARED_BY 5 /* blocks that score a pose with all points */
#define SCOPEDETECT_SHARED_POSES 256 /* of a model: those scored so */

/* What the blocks of a hypothesis hand to the one of them that is done last,
 * which leaves all but the totals as zeros. */
struct _ScopedetectShares {
  ScopedetectTotals totals[SCOPEDETECT_SHARED_BY];
  long long off; /* of the segments that are taken; bits: which are */
  uint32_t bits[SCOPEDETECT_SEGMENT_WORDS];
  uint32_t done;
};

/* ---- Launches ---- */

/* Queues @kernel, which calls await_previous () before all else. */
template <class... Params, class... Args>
static inline const char *
scopedetect_launch (const Device *dev, void (*kernel) (Params...), dim3 blocks,
    dim3 threads, size_t shared, const Args &...args)
{
  bool overlap = false;

  TRY (chain_may_overlap (&overlap));
  return launch_after (dev, overlap, kernel, blocks, threads, shared, args...);
}

/* The hypotheses are those in the other place. */
void scopedetect_change_places (ScopedetectHypotheses *hypotheses);

/* Puts the hypotheses of each model in order. */
const char *scopedetect_order_cuda (
    const Device *dev, int n_models, ScopedetectHypotheses *hypotheses);

/* ---- Sums over the threads of a block ----
 *
 * Of structs of integers: their order does not matter. */

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
fold_lanes (long long (&v)[N], int lane)
{
#pragma unroll
  for (int j = 0; j < H; j++) {
    long long give = lane & H ? v[j] : v[j + H];
    long long keep = lane & H ? v[j + H] : v[j];

    v[j] = keep + __shfl_xor_sync (ALL_LANES, give, H);
  }
  if constexpr (H > 1)
    fold_lanes<H / 2> (v, lane);
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
  fold_lanes<P / 2> (v, lane);
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
