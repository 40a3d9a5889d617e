/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What others know of a tile: its rows, its links across its edges, and the
 * pieces along them. */
#pragma once

#include "gpuccl/gpuccl_tile_sums.cuh"

#define NEAR_SUMS 128 /* in shared memory; of more pieces in global memory */

/* A tile while it is looked at. */
struct Tile {
  uint32_t parents[TILE * TILE]; /* of its pixels */
  uint16_t piece[TILE * TILE];   /* of roots: which of the tile's pieces */
  TileSum sums[NEAR_SUMS];
  uint32_t roots[NEAR_SUMS];
  uint32_t n, first;                 /* its pieces; their place among all */
  uint32_t left, left_up, left_down; /* as in GpucclSeams */
};

static __device__ __forceinline__ uint32_t
this_tile (const GpucclArgs &a)
{
  return blockIdx.y * a.p.tiles_x + blockIdx.x;
}

/* Corners are the upper seam's. */
template <bool EIGHT>
static __device__ __forceinline__ void
note_left_seam (Tile *t, const Rows &r)
{
  int warp = threadIdx.x / 32;

  if (threadIdx.x % 32)
    return;
  if (r.seam_left)
    atomicOr (&t->left, r.seam_left << ROWS * warp);
  if (EIGHT && r.seam_left_up)
    atomicOr (
        &t->left_up, (r.seam_left_up & (warp ? ~0u : ~1u)) << ROWS * warp);
  if (EIGHT && r.seam_left_down)
    atomicOr (&t->left_down,
        r.seam_left_down << ROWS * warp &
            (warp < WARPS - 1 ? ~0u : ALL_LANES >> 1));
}

/* By the first warp, once the left seam is noted; the corners too. */
template <Depth DEPTH, bool EIGHT>
static __device__ __forceinline__ void
write_seams (const GpucclArgs &a, const Tile &t, const Rows &r)
{
  GpucclSeams s = {r.up[1], 0, 0, t.left, 0, 0, 1, 0};

  if (EIGHT) {
    int x = (blockIdx.x + 1) * TILE, y = blockIdx.y * TILE;
    bool unknown, link = false;

    if (threadIdx.x == 31 && r.foreground[1] >> 31 &&
        foreground_at (a.w, x, y - 1, &unknown)) {
      uint32_t z = depth_at<DEPTH> (a.w, x, y - 1);

      link = (!DEPTH || whole_depth<DEPTH> (z)) &&
          linked<DEPTH, true> (a.w.link, r.depth[1], z);
    }
    s.up_left = r.up_left[1] | (r.seam_left_up & 1);
    s.up_right = r.up_right[1] | __ballot_sync (ALL_LANES, link);
    s.left_up = t.left_up, s.left_down = t.left_down;
  }
  if (threadIdx.x == 0)
    a.p.seams[this_tile (a)] = s;
}

static __device__ __forceinline__ void
write_rows (const GpucclArgs &a, const Rows &r)
{
  uint4 *two =
      (uint4 *) &a.p.rows[this_tile (a) * TILE + threadIdx.x / 32 * ROWS];

  if (threadIdx.x % 32 == 0)
#pragma unroll
    for (int i = 1; i <= ROWS; i += 2)
      two[i / 2] = make_uint4 (r.foreground[i], r.foreground[i] & ~r.left[i],
          r.foreground[i + 1], r.foreground[i + 1] & ~r.left[i + 1]);
}

/* The pieces of the tile's edges, @pieces being those of the lane's pixels. */
static __device__ __forceinline__ void
write_edges (const GpucclArgs &a, const uint32_t pieces[ROWS])
{
  GpucclEdges *e = &a.p.edges[this_tile (a)];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

  if (warp == 0)
    e->top[lane] = pieces[0];
  if (warp == WARPS - 1)
    e->bottom[lane] = pieces[ROWS - 1];
  if (lane == 0 || lane == TILE - 1)
    *(uint4 *) &(lane ? e->right : e->left)[ROWS * warp] =
        make_uint4 (pieces[0], pieces[1], pieces[2], pieces[3]);
}
