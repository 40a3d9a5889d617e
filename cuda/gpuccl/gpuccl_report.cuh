/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What GPUCCL_RUN reports to the host, by some rows of blocks while others
 * write labels: numbers, candidates, and the sums of the largest components in
 * order.
 */
#pragma once

#include "gpuccl/gpuccl_choose.cuh"

/* So many reported components are put in order; where more may be wanted the
 * host does it. */
#define RANKED 512

/* The reported components that may be among the first ones: all, or where these
 * are too many those of at least this bin; in any order.  There may be more of
 * them than there is room for. */
struct Wanted {
  uint32_t bin, n;
  unsigned long long keys[RANKED];
};

/* The sum of the thread's own value and of those after it in the block. */
static __device__ __forceinline__ uint32_t
sum_from (uint32_t v)
{
  __shared__ uint32_t warps[WARPS];
  uint32_t lane = threadIdx.x % 32;

  for (uint32_t step = 1; step < 32; step *= 2) {
    uint32_t other = __shfl_down_sync (ALL_LANES, v, step);

    v += lane + step < 32 ? other : 0;
  }
  if (lane == 0)
    warps[threadIdx.x / 32] = v;
  __syncthreads ();
  for (uint32_t i = threadIdx.x / 32 + 1; i < WARPS; i++)
    v += warps[i];
  return v;
}

/* By a block, a thread a bin. */
static __device__ __forceinline__ void
find_bin (const GpucclArgs &a, Wanted *w)
{
  uint32_t own = a.p.bins[threadIdx.x], from = sum_from (own);

  if (from >= a.w.most_sums && from - own < a.w.most_sums)
    w->bin = threadIdx.x;
}

static __device__ __forceinline__ bool
is_wanted (const Wanted &w, unsigned long long key)
{
  return gpuccl_bin ((uint32_t) (key >> 32)) >= w.bin;
}

/* By a block. */
static __device__ __forceinline__ void
find_wanted (const GpucclArgs &a, Wanted *w)
{
  uint32_t n = a.p.counters->n_sums;

  if (threadIdx.x == 0)
    w->n = w->bin = 0;
  __syncthreads ();
  if (n > RANKED) {
    find_bin (a, w);
    __syncthreads ();
  }
#pragma unroll 4
  for (uint32_t i = threadIdx.x; i < n; i += THREADS) {
    unsigned long long key = a.p.reported.keys[i];
    uint32_t at = is_wanted (*w, key) ? atomicAdd (&w->n, 1u) : RANKED;

    if (at < RANKED)
      w->keys[at] = key;
  }
  __syncthreads ();
}

/* What is known but for sums and the candidates' extents, by one warp, once
 * these are chosen. */
static __device__ __forceinline__ void
report (const GpucclArgs &a)
{
  const GpucclCounters *c = a.p.counters;
  uint32_t area = (uint32_t) (c->largest >> 32), n = a.p.top->n;
  GpucclResult *r = a.w.result;

  if (threadIdx.x < n) {
    unsigned long long key = a.p.top->keys[threadIdx.x];

    r->candidates[threadIdx.x].area = (uint32_t) (key >> 32);
    r->candidates[threadIdx.x].label = gpuccl_key_label (key);
  }
  if (threadIdx.x)
    return;
  r->n_labels = c->n_labels;
  r->largest_area = area;
  r->largest_label = area ? gpuccl_key_label (c->largest) : 0;
  r->n_unknown = c->n_unknown;
  r->n_candidates = n;
  r->n_sums = c->n_sums;
  r->n_missing = c->n_pieces > a.p.max_pieces ? c->n_pieces : 0;
  r->iterations = 0;
}

/* By one block. */
static __device__ __forceinline__ void
report_all (const GpucclArgs &a)
{
  if (a.few) {
    choose (a);
    __syncthreads ();
  }
  if (threadIdx.x < 32)
    report (a);
}

/* How many come before it, by a warp. */
static __device__ __forceinline__ uint32_t
rank_of (const Wanted &w, unsigned long long key)
{
  uint32_t rank = 0;

  for (uint32_t i = threadIdx.x % 32; i < w.n; i += 32)
    rank += w.keys[i] > key;
  return warp_sum (rank);
}

/* Copies the sums that are wanted to the host, a warp a sum: each to its place,
 * or all as they come where the host puts them in order.  By all blocks that
 * report, of which this is @block, but the first. */
static __device__ __forceinline__ void
report_sums (const GpucclArgs &a, const Wanted &w, uint32_t block)
{
  const uint32_t words = sizeof (GpucclSum) / sizeof (unsigned long long);
  unsigned long long *to = (unsigned long long *) a.w.result->sums;
  const GpucclList list = a.p.reported;
  bool in_order = w.n <= RANKED;
  uint32_t n = a.p.counters->n_sums, lane = threadIdx.x % 32;
  uint32_t room = in_order ? min (a.w.max_sums, a.w.most_sums) : a.w.max_sums;

  if (block == 1 && threadIdx.x == 0)
    a.w.result->in_order = in_order;
  for (uint32_t i = (block - 1) * WARPS + threadIdx.x / 32; i < n;
       i += (GPUCCL_REPORT_ROWS * gridDim.x - 1) * WARPS) {
    const GpucclSum *from = &a.p.pieces[list.roots[i]];
    unsigned long long key = list.keys[i];
    uint32_t at = i;

    if (in_order && !is_wanted (w, key))
      continue;
    if (in_order)
      at = rank_of (w, key);
    if (at < room && lane < words)
      to[at * words + lane] = ((const unsigned long long *) from)[lane];
  }
}

static __device__ __forceinline__ void
report_to_host (const GpucclArgs &a)
{
  __shared__ Wanted wanted;
  uint32_t block = blockIdx.y * gridDim.x + blockIdx.x;

  if (block == 0) {
    report_all (a);
  } else if (block == 1 || (block - 1) * WARPS < a.p.counters->n_sums) {
    find_wanted (a, &wanted);
    report_sums (a, wanted, block);
  }
}
