/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What runs add to the sums of their pieces: their depth is summed over lanes,
 * the rest has a closed form. */
#pragma once

#include "gpuccl/gpuccl_tile_union.cuh"

/* What runs have in depth: the sum; the greatest of 65535 - z, and of z, in the
 * upper and lower half of one word; of u and of ~u. */
struct RunDepth {
  uint32_t sum, ends;
  int32_t max_u, low_u;
};

/* Of each run of a row, in the lane of its start.  Each lane adds what the one
 * has that is 1, 2, 4 ... to its right, as far as its run goes. */
template <bool RAYS>
static __device__ __forceinline__ void
add_up_runs (RunDepth *s, uint32_t left)
{
  int step = 1;

  for (uint32_t more = left >> 1; more; more &= more >> step, step *= 2) {
    bool in = more >> threadIdx.x % 32 & 1;
    uint32_t sum = __shfl_down_sync (ALL_LANES, s->sum, step);
    uint32_t ends = __shfl_down_sync (ALL_LANES, s->ends, step);

    if (RAYS) {
      int32_t u = __shfl_down_sync (ALL_LANES, s->max_u, step);
      int32_t low_u = __shfl_down_sync (ALL_LANES, s->low_u, step);

      s->max_u = in ? max (s->max_u, u) : s->max_u;
      s->low_u = in ? max (s->low_u, low_u) : s->low_u;
    }
    s->sum += in ? sum : 0;
    s->ends = in ? __vmaxu2 (s->ends, ends) : s->ends;
  }
}

/* The same in full; @z of the lane's pixel (x, y). */
template <Depth DEPTH>
static __device__ __forceinline__ Part
run_depth (const GpucclWork &w, uint32_t left, uint32_t z, int x, int y)
{
  RunDepth d = {z, (65535 - z) << 16 | z};
  Part s = {};

  if (!DEPTH)
    return s;
  if (w.rays.known) {
    d.max_u = gpuccl_ray (w.rays.x, x, z);
    d.low_u = ~d.max_u;
    add_up_runs<true> (&d, left);
  } else
    add_up_runs<false> (&d, left);
  s.z = d.sum;
  s.max_z = d.ends & 65535, s.low_z = d.ends >> 16;
  s.max_u = d.max_u, s.low_u = d.low_u;
  if (w.rays.known) /* in a row, v goes one way with z */
    set_rays (&s.max_v, &s.low_v, w.rays.y, y, s);
  return s;
}

/* The run that starts at the lane's pixel, in row @y of the tile. */
static __device__ __forceinline__ void
set_run (Part *s, uint32_t left, int y)
{
  int x = threadIdx.x % 32;
  uint32_t n;

  s->columns = run_mask (left, x);
  s->rows = 1u << y;
  n = (uint32_t) __popc (s->columns);
  s->n_x = n | (n * (2 * x + n - 1) / 2) << 11;
  s->y = n * (uint32_t) y;
}

/* Adds the runs of row @i of the warp's; @number: of the lane's pixel. */
template <Depth DEPTH>
static __device__ __forceinline__ void
add_row (const GpucclArgs &a, Tile *t, const Rows &r, int i, uint32_t number)
{
  int lane = threadIdx.x % 32, row = first_row () + i;
  uint32_t left = r.left[i + 1], starts = r.foreground[i + 1] & ~left;
  Part s;

  if (!starts)
    return;
  s = run_depth<DEPTH> (a.w, left, whole_depth<DEPTH> (r.depth[i + 1]),
      blockIdx.x * TILE + lane, blockIdx.y * TILE + row);
  if (!(starts >> lane & 1))
    return;
  set_run (&s, left, row);
  if (number < NEAR_SUMS)
    add_part<DEPTH> (a.w, &t->sums, number, s);
  else if (t->first + number < a.p.max_pieces)
    add_far<DEPTH> (
        a.w, &a.p.pieces[t->first + number], s, TILE * (uint32_t) row + lane);
}
