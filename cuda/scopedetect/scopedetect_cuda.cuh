/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Scratch, launches and a block's sums, which the CUDA backend's stages share.
 */
#pragma once

#include "common/chain.cuh"
#include "common/memory.h"
#include "scopedetect/scopedetect_score_core.h"
#include "scopedetect/scopedetect_stages.h"

/* Marks an argument of a kernel that is passed by value and whose address may
 * be taken. */
#define IN const __grid_constant__

static_assert (sizeof (ScopedetectRounds) < 3900, "must fit as arguments");

/* ---- Scratch ---- */

/* Counters of find_plane (), which are zeros before and after the stage. */
struct _ScopedetectVotes {
  uint32_t inliers[SCOPEDETECT_PLANES], looked, blocks;
};

#define SCOPEDETECT_SCORE_BINS 256 /* of scores, and of the scores in a bin */
#define SCOPEDETECT_CHUNK 4096     /* scores of a block */
#define SCOPEDETECT_MAX_CHUNKS \
 (SCOPEDETECT_MAX_POINTS * SCOPEDETECT_MAX_NEIGHBOURS * 2 / SCOPEDETECT_CHUNK)

struct _ScopedetectBins {
  /* Of each model: the number of scores in each bin; and of each score in the
   * bin that holds the threshold. */
  int bin[SCOPEDETECT_BATCH][2][SCOPEDETECT_SCORE_BINS];
  /* Of each chunk: scores above the threshold, and equal to it. */
  int2 chunk[SCOPEDETECT_BATCH][SCOPEDETECT_MAX_CHUNKS];
};

static_assert (SCOPEDETECT_MAX_KEPT % 32 == 0, "whole words");

/* The state of the clustering of a model's hypotheses, between launches. */
struct _ScopedetectSieve {
  int kept, sifted; /* kept hypotheses; those of them that have sifted */
  int next;         /* next hypothesis to decide */
  uint32_t gone[SCOPEDETECT_MAX_KEPT /
      32]; /* a bit for each undecided hypothesis: it is like a kept one */
};

#define SCOPEDETECT_SHARED_BY 5 /* blocks that score a pose with all points */
#define SCOPEDETECT_SHARED_POSES 256 /* of a model, at most */

/* The shares of a hypothesis's blocks, which the last of them adds up. It
 * leaves zeros but for the totals. */
struct _ScopedetectShares {
  ScopedetectTotals totals[SCOPEDETECT_SHARED_BY];
  long long off; /* cost of the taken segments; bits: a bit for each */
  uint32_t bits[SCOPEDETECT_SEGMENT_WORDS];
  uint32_t done;
};

/* ---- Launches ---- */

/* Queues @kernel, which must call await_previous () before all else. */
template <class... Params, class... Args>
static inline const char *
scopedetect_launch (const Device *dev, void (*kernel) (Params...), dim3 blocks,
    dim3 threads, size_t shared, const Args &...args)
{
  bool overlap = false;

  TRY (chain_may_overlap (&overlap));
  return launch_after (dev, overlap, kernel, blocks, threads, shared, args...);
}

/* Exchanges the arrays `of` and `spare` of the hypotheses. */
void scopedetect_change_places (ScopedetectHypotheses *hypotheses);

/* Sorts the hypotheses of each model. */
const char *scopedetect_order_cuda (
    const Device *dev, int n_models, ScopedetectHypotheses *hypotheses);

/* ---- Sums of structs of integers over the threads of a block ---- */

#define SCOPEDETECT_MAX_WARPS 16

/* Shared memory of sum_block (); @T consists of long long. */
template <class T> struct SumShared {
  long long of_warp[SCOPEDETECT_MAX_WARPS][32];
  T total;
};

/* Adds the numbers of lanes @H apart: each keeps a half of the 2 @H sums. */
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

/* The sum over a warp of one member of the struct, which the lane chooses:
 * member @lane % P. */
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

/* The sum over a block, for all threads, until the next call. All threads call.
 */
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
