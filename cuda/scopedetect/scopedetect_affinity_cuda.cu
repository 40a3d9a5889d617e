/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which segments may be of one object. */
#include "scopedetect/scopedetect_observe_cuda.cuh"
#include "scopedetect/scopedetect_segment.h"

#define WARPS 4 /* of a block */

/* The square of the gap between key point @x, of each half a warp's lanes one,
 * and the @n key points of a segment: of all lanes the least. */
static __device__ __forceinline__ float
key_gap (Vec x, bool is_key, const ScopedetectSegment *g, int n)
{
  int first = threadIdx.x % 32 / SCOPEDETECT_KEYS * SCOPEDETECT_KEYS / 2;
  int last = min (first + SCOPEDETECT_KEYS / 2, n);
  float gap = is_key ? scopedetect_key_gap (x, g, first, last) : 1e9f;

  return __int_as_float (warp_least (__float_as_int (gap)));
}

/* A warp a segment, a lane for each that may touch it. */
static __global__ void
near_kernel (const __grid_constant__ ScopedetectWork w, int n)
{
  int i = thread_index () / 32, lane = threadIdx.x % 32, own = -1, keys = 0, to;
  int key = lane % SCOPEDETECT_KEYS;
  ScopedetectSegment *g = &w.segment[i];
  float a = 0, own_gap = 0;
  uint32_t mask;
  bool is_key;
  Vec x;

  await_previous ();
  if (i >= n)
    return;
  if (lane < 25)
    own = scopedetect_segment_beside (&w, i, lane);
  if (own >= 0)
    keys = w.segment[own].n_keys;
  is_key = key < g->n_keys;
  x = g->key[key];
#pragma unroll 5
  for (int k = 0; k < 25; k++) {
    int j = __shfl_sync (ALL_LANES, own, k);
    int theirs = __shfl_sync (ALL_LANES, keys, k);
    float gap = key_gap (x, is_key, &w.segment[max (j, 0)], theirs);

    own_gap = lane == k ? gap : own_gap;
  }
  if (own >= 0)
    a = scopedetect_affinity (&w, g, &w.segment[own], own_gap);
  mask = __ballot_sync (ALL_LANES, a > .5f);
  to = __popc (mask & ((1u << lane) - 1));
  if (a > .5f && to < SCOPEDETECT_AFFINE) {
    g->near[to] = own;
    g->affinity[to] = fminf (a, SCOPEDETECT_MOST_AFFINE);
  }
  if (lane == 0)
    g->n_near = min (__popc (mask), SCOPEDETECT_AFFINE);
}

const char *
scopedetect_affinities_cuda (const Device *dev, const ScopedetectWork *w)
{
  int n = w->lattice.width * w->lattice.height;

  return scopedetect_launch (dev, w, near_kernel, dim3 (ceil_div (n, WARPS)),
      dim3 (32 * WARPS), 0, *w, n);
}
