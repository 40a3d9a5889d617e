/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The links of a tile across its edges. */
#pragma once

#include "gpuccl/gpuccl_links.cuh"

/* What a warp knows of its rows; [0] is the row above. */
struct Rows {
  Pixel pixels[ROWS + 1];
  RowLinks links[ROWS + 1];
};

/* The links of column 0 to the tile on the left; a lane a row. */
template <bool DEPTH, bool EIGHT>
static __device__ __forceinline__ void
left_seam (const GpucclWork &w, GpucclSeams *s)
{
  int lane = threadIdx.x % 32, x = blockIdx.x * TILE;
  int y = blockIdx.y * TILE + lane;
  bool unknown;
  Pixel p = load_pixel<DEPTH> (w, x, y, &unknown);
  Pixel q = load_pixel<DEPTH> (w, x - 1, y, &unknown);
  uint32_t left = __ballot_sync (ALL_LANES, q.foreground);
  uint32_t links = __ballot_sync (ALL_LANES,
      linked<DEPTH> (w, p.foreground && q.foreground, p.link, q.link));

  s->left = links;
  s->left_up = s->left_down = 0;
  if (EIGHT) {
    uint32_t z = __shfl_up_sync (ALL_LANES, q.link, 1);
    bool both = p.foreground && (left << 1 >> lane & 1);

    s->left_up = __ballot_sync (ALL_LANES, linked<DEPTH> (w, both, p.link, z));
    z = __shfl_down_sync (ALL_LANES, q.link, 1);
    both = p.foreground && (left >> 1 >> lane & 1);
    s->left_down =
        __ballot_sync (ALL_LANES, linked<DEPTH> (w, both, p.link, z));
  }
}

/* The links of row 0 upwards; the corners too. */
template <bool DEPTH, bool EIGHT>
static __device__ __forceinline__ void
upper_seam (const GpucclWork &w, const Rows &r, GpucclSeams *s)
{
  int lane = threadIdx.x % 32, x = blockIdx.x * TILE, y = blockIdx.y * TILE;
  bool unknown;

  s->up = r.links[1].up;
  s->up_left = s->up_right = 0;
  if (EIGHT) {
    Pixel corner =
        load_pixel<DEPTH> (w, lane ? x + TILE : x - 1, y - 1, &unknown);
    bool link = linked<DEPTH> (w,
        (lane == 0 || lane == 31) && r.pixels[1].foreground &&
            corner.foreground,
        r.pixels[1].link, corner.link);
    uint32_t corners = __ballot_sync (ALL_LANES, link);

    s->up_left = r.links[1].up_left | (corners & 1);
    s->up_right = r.links[1].up_right | (corners & 1u << 31);
  }
}

template <bool DEPTH, bool EIGHT>
static __device__ __forceinline__ void
write_seams (const GpucclArgs &a, const Rows &r)
{
  GpucclSeams *to = &a.p.seams[blockIdx.y * a.p.tiles_x + blockIdx.x], s = {};
  int warp = threadIdx.x / 32;

  if (warp == 0)
    upper_seam<DEPTH, EIGHT> (a.w, r, &s);
  else if (warp == 1)
    left_seam<DEPTH, EIGHT> (a.w, &s);
  if (threadIdx.x == 0) {
    to->up = s.up, to->up_left = s.up_left, to->up_right = s.up_right;
    to->used = 1;
  } else if (threadIdx.x == 32)
    to->left = s.left, to->left_up = s.left_up, to->left_down = s.left_down;
}
