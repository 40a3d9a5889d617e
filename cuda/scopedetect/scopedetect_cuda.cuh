/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parts of the CUDA backend that lie in files of their own.  Kernels take
 * the work by value, as __grid_constant__, so that the functions of the headers
 * can be given its address. */
#pragma once

#include "common/chain.cuh"
#include "common/memory.h"
#include "scopedetect/scopedetect_core.h"

static_assert (sizeof (ScopedetectWork) < 3900, "must fit as an argument");

/* What scopedetect_observe_cuda.cu, _features_cuda.cu and _segment_cuda.cu need
 * of their own. */
typedef struct _ScopedetectObserveCuda ScopedetectObserveCuda;
typedef struct _ScopedetectChooseCuda ScopedetectChooseCuda;
typedef struct _ScopedetectScoreCuda ScopedetectScoreCuda;
typedef struct _ScopedetectClusterCuda ScopedetectClusterCuda;
typedef struct _ScopedetectRecords ScopedetectRecords;

/* The backend's own memory. */
typedef struct {
  DeviceMemory memory; /* of all that the others point to */
  bool overlaps; /* kernels may start before those before them have ended */
  int bound;     /* hypotheses of a model that there may be now; only the device
                    knows how many there are */
  /* As w->hypothesis, with which it changes places. */
  ScopedetectHypothesis *spare;
  uint64_t *sorted; /* [model][SCOPEDETECT_MAX_KEPT]: keys, in order */
  ScopedetectObserveCuda *observe;
  ScopedetectChooseCuda *choose; /* device memory, as is: */
  ScopedetectScoreCuda *score;
  ScopedetectClusterCuda *cluster;
  ScopedetectRecords *records; /* host memory */
} ScopedetectCuda;

static inline ScopedetectCuda *
scopedetect_cuda (const ScopedetectWork *w)
{
  return (ScopedetectCuda *) w->state;
}

/* scopedetect_observe_cuda.cu: makes and frees what c->observe points to, with
 * memory of @m; the work has its sizes by then.  Freeing takes NULL and what
 * was made in part, once @m is freed. */
const char *scopedetect_observe_open_cuda (
    DeviceMemory *m, const ScopedetectWork *w, ScopedetectObserveCuda **o);
void scopedetect_observe_close_cuda (ScopedetectObserveCuda *o);

/* Memory of scopedetect_round1_cuda.cu, scopedetect_score_cuda.cu and
 * scopedetect_cluster_cuda.cu. */
const char *scopedetect_choose_open_cuda (
    DeviceMemory *m, ScopedetectChooseCuda **c);
const char *scopedetect_score_open_cuda (
    DeviceMemory *m, ScopedetectScoreCuda **c);
const char *scopedetect_cluster_open_cuda (
    DeviceMemory *m, ScopedetectClusterCuda **c);

/* Memory of the graphs; freeing takes NULL. */
const char *scopedetect_repeat_open_cuda (ScopedetectRecords **r);
void scopedetect_repeat_close_cuda (ScopedetectRecords *r);

/* The hypotheses are those in the other place. */
void scopedetect_change_places (ScopedetectWork *w);

/* Puts the hypotheses of each model in order. */
const char *scopedetect_order_cuda (const Device *dev, ScopedetectWork *w);

const char *scopedetect_observe_cuda (const Device *dev, ScopedetectWork *w);
const char *scopedetect_points_cuda (const Device *dev, ScopedetectWork *w);
const char *scopedetect_segments_cuda (const Device *dev, ScopedetectWork *w);
const char *scopedetect_match_cuda (const Device *dev, ScopedetectWork *w);
const char *scopedetect_choose_cuda (const Device *dev, ScopedetectWork *w);
const char *scopedetect_verify_cuda (const Device *dev, ScopedetectWork *w);
const char *scopedetect_cluster_cuda (
    const Device *dev, ScopedetectWork *w, int n);
const char *scopedetect_refine_cuda (const Device *dev, ScopedetectWork *w,
    int steps, float gate, float min_gate);
const char *scopedetect_align_cuda (
    const Device *dev, ScopedetectWork *w, int k);
const char *scopedetect_climb_cuda (
    const Device *dev, ScopedetectWork *w, int steps);
const char *scopedetect_score_cuda (
    const Device *dev, ScopedetectWork *w, int n);
const char *scopedetect_measure_cuda (const Device *dev, ScopedetectWork *w);
const char *scopedetect_repeat_cuda (const Device *dev, ScopedetectWork *w,
    const char *(*queue) (void *data), void *data);

/* Queues @kernel, which calls await_previous () before all else. */
template <class... Params, class... Args>
static inline const char *
scopedetect_launch (const Device *dev, const ScopedetectWork *w,
    void (*kernel) (Params...), dim3 blocks, dim3 threads, size_t shared,
    const Args &...args)
{
  return launch_after (dev, scopedetect_cuda (w)->overlaps, kernel, blocks,
      threads, shared, args...);
}

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
