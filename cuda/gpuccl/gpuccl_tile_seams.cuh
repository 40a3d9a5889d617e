/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What others know of a tile: its rows, its links across its edges, and the
 * pieces along them. */
#pragma once

#include "gpuccl/gpuccl_tile_sums.cuh"

/* A tile while it is looked at. */
struct Tile {
  uint32_t parents[TILE * TILE]; /* of its pixels */
  uint16_t piece[TILE * TILE];   /* of roots: which of the tile's pieces */
  TileSums sums;                 /* of the first pieces */
  uint32_t roots[NEAR_SUMS];
  uint2
      last[TILE_WARPS]; /* of each warp's last row: foreground, links to left */
  uint32_t n, first;    /* its pieces; their place among all */
};

static __device__ __forceinline__ uint32_t
this_tile (const GpucclArgs &a)
{
  return blockIdx.y * a.p.tiles_x + blockIdx.x;
}

/* Whether (x, y) of map value @value and depth @z is foreground. */
template <Depth DEPTH>
static __device__ __forceinline__ bool
is_foreground (const GpucclWork &w, int x, int y, uint8_t value, uint32_t z)
{
  return is_set (w, x, y, value) && (!DEPTH || whole_depth<DEPTH> (z));
}

template <Depth DEPTH>
static __device__ __forceinline__ bool
linked_at_all (const GpucclLink &l, uint32_t a, uint32_t b)
{
  return DEPTH && l.k ? linked<DEPTH, true> (l, a, b)
                      : linked<DEPTH, false> (l, a, b);
}

/* By the first warp: links of the tile's first row, to both corners too. */
template <Depth DEPTH, bool EIGHT>
static __device__ __forceinline__ void
write_upper_seam (const GpucclArgs &a, const Rows &r)
{
  uint32_t up_left = 0, up_right = 0;

  if (EIGHT) {
    int lane = threadIdx.x, x = blockIdx.x * TILE + (lane ? TILE : -1);
    int y = blockIdx.y * TILE - 1;
    bool link = false;

    if ((lane == 0 || lane == 31) && r.foreground[1] >> lane & 1) {
      uint32_t z = depth_at<DEPTH> (a.w, x, y);
      uint8_t value = value_at (a.w.frame, x, y);

      link = is_foreground<DEPTH> (a.w, x, y, value, z) &&
          linked_at_all<DEPTH> (a.w.link, r.depth[1], z);
    }
    up_right = __ballot_sync (ALL_LANES, link);
    up_left = r.up_left[1] | (up_right & 1);
    up_right = r.up_right[1] | (up_right & 1u << 31);
  }
  if (threadIdx.x == 0)
    *(uint4 *) &a.p.seams[this_tile (a)].up =
        make_uint4 (r.up[1], up_left, up_right, 1);
}

/* By one warp, a lane a row: links of the tile's first column, but to corners,
 * which are the upper seams'. */
template <Depth DEPTH, bool EIGHT>
static __device__ __forceinline__ void
write_left_seam (const GpucclArgs &a, const Beside &b)
{
  int lane = threadIdx.x % 32, x = blockIdx.x * TILE;
  int y = blockIdx.y * TILE + lane;
  uint32_t own = b.depth, other = b.depth_left, left_up = 0, left_down = 0;
  uint32_t set =
      __ballot_sync (ALL_LANES, is_foreground<DEPTH> (a.w, x, y, b.value, own));
  uint32_t beside = __ballot_sync (
      ALL_LANES, is_foreground<DEPTH> (a.w, x - 1, y, b.value_left, other));
  uint32_t left = set & beside &
      __ballot_sync (ALL_LANES, linked_at_all<DEPTH> (a.w.link, own, other));

  if (EIGHT) {
    uint32_t up = __shfl_up_sync (ALL_LANES, other, 1);
    uint32_t down = __shfl_down_sync (ALL_LANES, other, 1);

    left_up = set & beside << 1 &
        __ballot_sync (ALL_LANES, linked_at_all<DEPTH> (a.w.link, own, up));
    left_down = set & beside >> 1 &
        __ballot_sync (ALL_LANES, linked_at_all<DEPTH> (a.w.link, own, down));
  }
  if (lane == 0)
    *(uint4 *) &a.p.seams[this_tile (a)].left =
        make_uint4 (left, left_up, left_down, 0);
}

/* To others of the tile too: the last of the rows. */
static __device__ __forceinline__ void
write_rows (const GpucclArgs &a, Tile *t, const Rows &r)
{
  uint4 *two =
      (uint4 *) &a.p.rows[this_tile (a) * TILE + threadIdx.x / 32 * WARP_ROWS];

  if (threadIdx.x % 32)
    return;
#pragma unroll
  for (int i = 1; i <= WARP_ROWS; i += 2)
    two[i / 2] = make_uint4 (r.foreground[i], r.foreground[i] & ~r.left[i],
        r.foreground[i + 1], r.foreground[i + 1] & ~r.left[i + 1]);
  t->last[threadIdx.x / 32] =
      make_uint2 (r.foreground[WARP_ROWS], r.left[WARP_ROWS]);
}

/* What the warp above has written of the row above. */
static __device__ __forceinline__ void
see_above (const Tile &t, Rows *r)
{
  uint2 above = t.last[threadIdx.x / 32 - 1];

  r->foreground[0] = above.x;
  r->left[0] = above.y;
  r->up[1] &= above.x;
  r->up_left[1] &= above.x << 1;
  r->up_right[1] &= above.x >> 1;
}

/* The pieces of the tile's edges, @pieces being those of the lane's pixels. */
static __device__ __forceinline__ void
write_edges (const GpucclArgs &a, const uint32_t pieces[WARP_ROWS])
{
  GpucclEdges *e = &a.p.edges[this_tile (a)];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

  if (warp == 0)
    e->top[lane] = pieces[0];
  if (warp == TILE_WARPS - 1)
    e->bottom[lane] = pieces[WARP_ROWS - 1];
  if (lane == 0 || lane == TILE - 1)
#pragma unroll
    for (int i = 0; i < WARP_ROWS; i += 2)
      *(uint2 *) &(lane ? e->right : e->left)[WARP_ROWS * warp + i] =
          make_uint2 (pieces[i], pieces[i + 1]);
}
