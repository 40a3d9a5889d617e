/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The union of a tile's runs.  Within a warp's rows a run takes the label of
 * the first above it that it must be united with; what is left, further ones
 * and those of other warps, is united in shared memory. */
#pragma once

#include "gpuccl/gpuccl_tile_seams.cuh"

/* The row of the tile where the warp's begin. */
static __device__ __forceinline__ int
first_row (void)
{
  return threadIdx.x / 32 * ROWS;
}

static __device__ __forceinline__ uint32_t
up_needed (const Rows &r, int i)
{
  return (uint32_t) gpuccl_up_needed (
      r.up[i], r.left[i], r.left[i - 1], (uint64_t) r.up[i] << 1);
}

/* The label of the run that holds the lane's pixel, row by row: where it
 * starts, or the label of the first run above it that it must be united with,
 * if that is the warp's too.  Returns the rows in which the lane's link upwards
 * is yet to be looked at. */
static __device__ __forceinline__ uint32_t
label_rows (Tile *t, const Rows &r, uint32_t label[ROWS])
{
  int lane = threadIdx.x % 32;
  uint32_t later = first_row () ? up_needed (r, 1) >> lane & 1 : 0;

#pragma unroll
  for (int i = 0; i < ROWS; i++) {
    uint32_t left = r.left[i + 1], set = r.foreground[i + 1];
    uint32_t needed = i ? up_needed (r, i + 1) : 0;
    bool in = set >> lane & 1;
    int start = in ? start_of (set & ~left, lane) : lane;

    label[i] = (uint32_t) (TILE * (first_row () + i) + start);
    if (needed) {
      uint32_t own = in ? needed & run_mask (left, start) : 0;
      int from = __ffs ((int) own) - 1;
      uint32_t above = __shfl_sync (ALL_LANES, label[i ? i - 1 : 0], from & 31);

      if (own)
        label[i] = above;
      if (needed >> lane & 1 && lane != from)
        later |= 1u << i;
    }
    t->parents[TILE * (first_row () + i) + lane] = label[i];
  }
  return later;
}

/* Unites the lane's runs with those above over the links that are left. */
template <bool EIGHT>
static __device__ __forceinline__ void
unite_rows (Tile *t, const Rows &r, const uint32_t label[ROWS], uint32_t later)
{
  int lane = threadIdx.x % 32;

#pragma unroll
  for (int i = 0; i < ROWS; i++) {
    uint32_t above = 0, left, right, up_left, up_right;

    if (i)
      above = label[i - 1];
    else if (first_row ())
      above = parent_of (t->parents, TILE * (first_row () - 1) + lane);
    if (later >> i & 1)
      unite (t->parents, label[i], above);
    if (!EIGHT || (!i && !first_row ()))
      continue;
    left = __shfl_up_sync (ALL_LANES, above, 1);
    right = __shfl_down_sync (ALL_LANES, above, 1);
    up_left = (uint32_t) gpuccl_up_left_needed (r.up_left[i + 1], r.left[i + 1],
        (uint64_t) r.up[i + 1] << 1, r.up[i + 1], r.left[i]);
    up_right = (uint32_t) gpuccl_up_right_needed (r.up_right[i + 1],
        r.left[i + 1] >> 1, r.up[i + 1] >> 1, r.up[i + 1], r.left[i] >> 1);
    if (up_left >> lane & 1)
      unite (t->parents, label[i], left);
    if (up_right >> lane & 1)
      unite (t->parents, label[i], right);
  }
}
