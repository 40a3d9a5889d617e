/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Neighbours in a cloud, looked for by a warp: what scopedetect_near () finds,
 * in its order. */
#pragma once

#include "scopedetect/scopedetect_observe_cuda.cuh"

/* A warp's own shared memory: the cells around a point, where the list has
 * them, and how many points are listed before, the empty ones left out. */
typedef struct {
  uint32_t before[32], start[32], cell[32];
  uint16_t near[SCOPEDETECT_NEAR];
} ScopedetectReach;

/* Sets the cells around @x; returns how many points they hold. */
static __device__ __forceinline__ uint32_t
scopedetect_reach (const ScopedetectGrid &g, Vec x, ScopedetectReach *r)
{
  int lane = threadIdx.x % 32;
  int u = scopedetect_cell (x.x, g.cell) + lane % 3 - 1;
  int v = scopedetect_cell (x.y, g.cell) + lane / 3 % 3 - 1;
  int w = scopedetect_cell (x.z, g.cell) + lane / 9 - 1;
  uint32_t hash = scopedetect_hash (u, v, w) & g.mask, start = g.start[hash];
  uint32_t count = lane < 27 ? g.start[hash + 1] - start : 0, sum = count;

  for (int step = 1; step < 32; step *= 2) {
    uint32_t left = __shfl_up_sync (ALL_LANES, sum, step);

    sum += lane >= step ? left : 0;
  }
  r->before[lane] = sum - count;
  r->start[lane] = start - (sum - count);
  r->cell[lane] = scopedetect_packed_cell (u, v, w);
  __syncwarp ();
  return __shfl_sync (ALL_LANES, sum, 31);
}

/* The neighbours of @x to r->near; returns how many.  All lanes call. */
static __device__ __forceinline__ int
scopedetect_near_warp (const ScopedetectCloud &c,
    const ScopedetectListed *listed, Vec x, float radius, ScopedetectReach *r)
{
  int lane = threadIdx.x % 32, n = 0;
  uint32_t all = scopedetect_reach (c.grid, x, r);

  for (uint32_t first = 0; first < all; first += 32) {
    uint32_t i = first + lane, cell = 0, mask;
    ScopedetectListed p;
    bool is_near = false;

    for (int step = 16; step; step /= 2)
      cell += r->before[cell + step] <= i ? step : 0;
    if (i < all) {
      Vec d;

      p = listed[r->start[cell] + i];
      d = vec_sub (p.x, x);
      /* or of another cell with the same hash */
      is_near = !(vec_dot (d, d) > radius * radius) &&
          p.cell_and_number >> 16 == r->cell[cell];
    }
    mask = __ballot_sync (ALL_LANES, is_near);
    if (is_near) {
      int to = n + __popc (mask & ((1u << lane) - 1));

      if (to < SCOPEDETECT_NEAR)
        r->near[to] = (uint16_t) p.cell_and_number;
    }
    n += __popc (mask);
  }
  __syncwarp ();
  return min (n, SCOPEDETECT_NEAR);
}
