/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Threads, pixels and neighbours, which the kernels of an observation share. */
#pragma once

#include "common/scan.cuh"
#include "scopedetect/scopedetect_cuda.cuh"
#include "scopedetect/scopedetect_features_core.h"

#define SCOPEDETECT_NUMBERED 0x80000000u
#define SCOPEDETECT_NO_CELL 0xffffffffu

#define SCOPEDETECT_PIXELS 1024 /* pixels of a block that numbers voxels */

static __device__ __forceinline__ int
index_of_thread (void)
{
  return (int) (blockIdx.x * blockDim.x + threadIdx.x);
}

/* The pixel of a thread; false if it lies outside the frame. */
static __device__ __forceinline__ bool
pixel_of_thread (const ScopedetectScene &s, int *x, int *y)
{
  *x = blockIdx.x * blockDim.x + threadIdx.x;
  *y = blockIdx.y * blockDim.y + threadIdx.y;
  return *x < s.width && *y < s.height;
}

/* The sum of the numbers of all lanes of a warp; it is below 2^53. */
static __device__ __forceinline__ long long
warp_sum_long (long long v)
{
  int high = (int) warp_sum ((uint32_t) (int) (v >> 27));

  return ((long long) high << 27) + warp_sum ((uint32_t) (v & 0x7ffffff));
}

/* A cell of the grid, packed as in ScopedetectListed. */
BOTH uint32_t
scopedetect_packed_cell (int x, int y, int z)
{
  return ((uint32_t) x & 31) | ((uint32_t) y & 31) << 5 |
      ((uint32_t) z & 31) << 10;
}

/* ---- Neighbours in a cloud, by a warp ----
 *
 * They are those of scopedetect_near (), in its order. */

/* The shared memory of a warp: the cells around a point, their starts in the
 * list, less the number of points in earlier cells, and these numbers. */
typedef struct {
  uint32_t before[32], start[32], cell[32];
  uint16_t near[SCOPEDETECT_NEAR];
} ScopedetectReach;

/* Sets the cells around @x; returns the number of their points. */
static __device__ __forceinline__ uint32_t
scopedetect_reach (const ScopedetectGrid &g, Vec x, ScopedetectReach *r)
{
  int lane = threadIdx.x % 32;
  int u = scopedetect_cell (x.x, g.cell) + lane % 3 - 1;
  int v = scopedetect_cell (x.y, g.cell) + lane / 3 % 3 - 1;
  int w = scopedetect_cell (x.z, g.cell) + lane / 9 - 1;
  uint32_t hash = scopedetect_hash (u, v, w) & g.mask, start = g.start[hash];
  uint32_t count = lane < 27 ? g.start[hash + 1] - start : 0, all;
  uint32_t before = warp_sum_before (count, &all);

  r->before[lane] = before;
  r->start[lane] = start - before;
  r->cell[lane] = scopedetect_packed_cell (u, v, w);
  __syncwarp ();
  return all;
}

/* Sets r->near to the neighbours of @x; returns how many. All lanes call. */
static __device__ __forceinline__ int
scopedetect_near_warp (
    const ScopedetectCloud &c, Vec x, float radius, ScopedetectReach *r)
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

      p = c.grid.listed[r->start[cell] + i];
      d = vec_sub (p.x, x);
      /* the second test drops points of another cell with the same hash */
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
