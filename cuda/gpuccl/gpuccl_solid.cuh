/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A tile while it is looked at, and the short way through one that is full and
 * hangs together. */
#pragma once

#include "gpuccl/gpuccl_tile_sums.cuh"

#define NEAR_SUMS 128 /* in shared memory; of more pieces in global memory */

struct Tile {
  GpucclRow rows[TILE];
  uint32_t parents[TILE * TILE]; /* of starts of runs */
  uint16_t piece[TILE * TILE];   /* of roots: which of the tile's pieces */
  TileSum sums[NEAR_SUMS];
  uint32_t roots[NEAR_SUMS];
  uint32_t counts[WARPS]; /* of roots */
  uint32_t first;         /* of its pieces, among all */
};

/* Whether the warp's rows are full, and each hangs together and with the one
 * above: most tiles of a large component do in all their rows. */
static __device__ __forceinline__ bool
is_solid (const Rows &r)
{
  bool solid = true;

#pragma unroll
  for (int i = 1; i <= ROWS; i++)
    solid &= r.links[i].foreground == ALL_LANES &&
        r.links[i].left == ALL_LANES << 1 &&
        (threadIdx.x / 32 + i == 1 || r.links[i].up == ALL_LANES);
  return solid;
}

/* The one piece of a solid tile. */
template <bool DEPTH>
static __device__ __forceinline__ void
write_solid (const GpucclArgs &a, Tile *t, const Rows &r)
{
  const uint32_t across = TILE * (TILE - 1) / 2;
  int lane = threadIdx.x % 32, y = threadIdx.x / 32 * ROWS;
  size_t at = (size_t) blockIdx.x * TILE +
      (size_t) (blockIdx.y * TILE + y) * a.w.frame.width;
  uint32_t first;

  if (threadIdx.x == 0) {
    clear_sum (&t->sums[0]);
    t->first = atomicAdd (&a.p.counters->n_pieces, 1u);
  }
  __syncthreads ();
  add_depth<DEPTH> (a.w, r, &t->sums[0]);
  first = t->first;
  if (lane < ROWS) {
    a.w.labels[at + (size_t) lane * a.w.frame.width] = first;
    a.p.rows[(size_t) (blockIdx.y * TILE + y + lane) * a.p.tiles_x +
        blockIdx.x] = {ALL_LANES, 1};
  }
  __syncthreads ();
  if (threadIdx.x || first >= a.p.max_pieces)
    return;
  t->sums[0].n_x = TILE * TILE | TILE * across << 11;
  t->sums[0].y = TILE * across;
  t->sums[0].columns = t->sums[0].rows = ALL_LANES;
  a.p.pieces[first] = frame_sum (t->sums[0], 0, a.w.frame.width);
  a.p.parents[first] = first;
}
