/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The candidates of GPUCCL_RUN: the largest of the components that are listed.
 * If the list can only be short, as in small frames, no kernel waits until
 * candidates are chosen: each warp that needs one searches the list. */
#pragma once

#include "gpuccl/gpuccl_run.cuh"

/* The lane's largest key below @last, of @n listed components. */
static __device__ __forceinline__ unsigned long long
largest_key_of_lane (
    const GpucclArgs &a, uint32_t n, unsigned long long last, uint32_t *root)
{
  unsigned long long best = 0;

  for (uint32_t i = threadIdx.x % 32; i < n; i += 32) {
    unsigned long long key = __ldcg (&a.p.listed.keys[i]);

    if (key < last && key > best)
      best = key, *root = __ldcg (&a.p.listed.roots[i]);
  }
  return best;
}

/* One warp finds the largest keys of @n listed components, each for the lane of
 * its rank, and sets @own_root to its root.  The warp takes the largest key
 * again and again; the lane that had it searches its next key. */
static __device__ __forceinline__ unsigned long long
choose_by_warp (const GpucclArgs &a, uint32_t n, uint32_t *own_root)
{
  uint32_t root = 0;
  unsigned long long best = largest_key_of_lane (a, n, ~0ull, &root), own = 0;

  for (uint32_t rank = 0; rank < min (n, GPUCCL_CANDIDATES); rank++) {
    unsigned long long max_key = lanes_max (best);
    int from = __ffs ((int) __ballot_sync (ALL_LANES, best == max_key)) - 1;
    uint32_t its = __shfl_sync (ALL_LANES, root, from);

    if (threadIdx.x % 32 == rank)
      own = max_key, *own_root = its;
    if (best == max_key)
      best = largest_key_of_lane (a, n, max_key, &root);
  }
  return own;
}

static __device__ __forceinline__ void
set_candidate (
    const GpucclArgs &a, uint32_t rank, unsigned long long key, uint32_t root)
{
  a.p.top->keys[rank] = key;
  a.p.top->roots[rank] = root;
}

/* One block chooses the largest of the listed components.  If there are as many
 * threads as components, each counts the keys before its own. */
static __device__ __forceinline__ void
choose_candidates (const GpucclArgs &a)
{
  __shared__ unsigned long long keys[THREADS];
  uint32_t n = *(volatile uint32_t *) &a.p.counters->n_listed;
  uint32_t k = min (n, GPUCCL_CANDIDATES), rank = 0;
  unsigned long long own = __ldcg (&a.p.listed.keys[threadIdx.x]);
  uint32_t root = __ldcg (&a.p.listed.roots[threadIdx.x]);

  if (threadIdx.x == 0)
    a.p.top->n = k;
  if (n > THREADS) {
    if (threadIdx.x >= 32)
      return;
    own = choose_by_warp (a, n, &root);
    if (threadIdx.x < k)
      set_candidate (a, threadIdx.x, own, root);
    return;
  }
  keys[threadIdx.x] = own;
  __syncthreads ();
  for (uint32_t i = 0; i < n; i++)
    rank += keys[i] > own;
  if (threadIdx.x < n && rank < k)
    set_candidate (a, rank, own, root);
}

/* The list, or the candidates alone.  A lane has one of the first 32 keys, or
 * 0. */
struct Listed {
  uint32_t n;
  const unsigned long long *keys;
  unsigned long long own;
};

/* Reads the list before the warp knows whether it needs it. */
static __device__ __forceinline__ Listed
load_list (const GpucclArgs &a)
{
  uint32_t lane = threadIdx.x % 32;
  Listed l;

  l.n = a.few ? a.p.counters->n_listed : a.p.top->n;
  l.keys = a.few ? a.p.listed.keys : a.p.top->keys;
  l.own = l.keys[a.few ? lane : min (lane, GPUCCL_CANDIDATES - 1u)];
  l.own = lane < l.n ? l.own : 0;
  return l;
}

/* The number of listed components before the component of @label, found by a
 * warp; for a candidate, less than GPUCCL_CANDIDATES. */
static __device__ __forceinline__ uint32_t
rank_of_label (const Listed &l, uint32_t label)
{
  unsigned long long key = l.own, other;
  uint32_t found, rank, lane = threadIdx.x % 32;

  found = __ballot_sync (ALL_LANES, gpuccl_key_label (key) == label);
  for (uint32_t i = 32; !found && i < l.n; i += 32) {
    key = i + lane < l.n ? l.keys[i + lane] : 0;
    found = __ballot_sync (ALL_LANES, gpuccl_key_label (key) == label);
  }
  if (!found)
    return GPUCCL_CANDIDATES;
  key = __shfl_sync (ALL_LANES, key, __ffs ((int) found) - 1);
  rank = (uint32_t) __popc (__ballot_sync (ALL_LANES, l.own > key));
  for (uint32_t i = 32; i < l.n; i += 32) {
    other = i + lane < l.n ? l.keys[i + lane] : 0;
    rank += (uint32_t) __popc (__ballot_sync (ALL_LANES, other > key));
  }
  return rank;
}
