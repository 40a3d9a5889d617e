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

/* Whether the warp's rows are full, and each hangs together and with the one
 * above: most tiles of a large component do in all their rows. */
static __device__ __forceinline__ bool
is_solid (const Rows &r)
{
  bool solid = true;

#pragma unroll
  for (int i = 1; i <= ROWS; i++)
    solid &= r.foreground[i] == ALL_LANES && r.left[i] == ALL_LANES << 1 &&
        (threadIdx.x / 32 + i == 1 || r.up[i] == ALL_LANES);
  return solid;
}

static __device__ __forceinline__ bool
is_empty (const Rows &r)
{
  return !(
      r.foreground[1] | r.foreground[2] | r.foreground[3] | r.foreground[4]);
}

/* Where a row's links upwards lead to: bit i is pixel i.  What follows from
 * others is left out. */
struct Upwards {
  uint32_t up, left, right;
};

template <bool EIGHT>
static __device__ __forceinline__ Upwards
upwards (const Rows &r, int i)
{
  Upwards u = {(uint32_t) gpuccl_up_needed (
      r.up[i], r.left[i], r.left[i - 1], (uint64_t) r.up[i] << 1)};

  if (!EIGHT)
    return u;
  u.left = (uint32_t) gpuccl_up_left_needed (
      r.up_left[i], r.left[i], (uint64_t) r.up[i] << 1, r.up[i], r.left[i - 1]);
  u.right = (uint32_t) gpuccl_up_right_needed (
      r.up_right[i], r.left[i] >> 1, r.up[i] >> 1, r.up[i], r.left[i - 1] >> 1);
  return u;
}

/* The lane's links of @u as bits of what is yet to be looked at in row @i: up,
 * to the left and to the right of it. */
static __device__ __forceinline__ uint32_t
links_of_lane (const Upwards &u, int i)
{
  int lane = threadIdx.x % 32;
  uint32_t up = u.up >> lane & 1, left = u.left >> lane & 1;
  uint32_t right = u.right >> lane & 1;

  return (up | left << ROWS | right << 2 * ROWS) << i;
}

/* The label of the run that holds the lane's pixel, row by row: where it
 * starts, or the label of the first run above it that it must be united with,
 * if that is the warp's too; of @solid rows the first pixel.  Returns the
 * lane's links that are yet to be looked at. */
template <bool EIGHT>
static __device__ __forceinline__ uint32_t
label_rows (Tile *t, const Rows &r, bool solid, uint32_t label[ROWS])
{
  int lane = threadIdx.x % 32;
  uint32_t later = first_row () ? links_of_lane (upwards<EIGHT> (r, 1), 0) : 0;

  if (is_empty (r))
    return 0;
  if (solid) {
#pragma unroll
    for (int i = 0; i < ROWS; i++)
      t->parents[TILE * (first_row () + i) + lane] = label[i] =
          (uint32_t) (TILE * first_row ());
    return later;
  }
#pragma unroll
  for (int i = 0; i < ROWS; i++) {
    uint32_t left = r.left[i + 1], set = r.foreground[i + 1];
    Upwards u = {};
    bool in = set >> lane & 1;
    int start = in ? start_of (set & ~left, lane) : lane;

    if (i)
      u = upwards<EIGHT> (r, i + 1);
    label[i] = (uint32_t) (TILE * (first_row () + i) + start);
    if (u.up | u.left | u.right) {
      uint32_t run = in ? run_mask (left, start) : 0;
      uint32_t own = (u.up | u.left | u.right) & run;
      int from = __ffs ((int) own) - 1, side = 0;
      uint32_t above;

      if (EIGHT && !(u.up >> (from & 31) & 1))
        side = u.left >> (from & 31) & 1 ? -1 : 1;
      above = __shfl_sync (ALL_LANES, label[i ? i - 1 : 0], (from + side) & 31);
      if (own)
        label[i] = above;
      if (lane == from) {
        u.up &= side ? ~0u : ~(1u << lane);
        u.left &= side < 0 ? ~(1u << lane) : ~0u;
        u.right &= side > 0 ? ~(1u << lane) : ~0u;
      }
      later |= links_of_lane (u, i);
    }
    t->parents[TILE * (first_row () + i) + lane] = label[i];
  }
  return later;
}

/* Unites the lane's runs with those above over the links that are left: lanes
 * go through their own, whatever their rows. */
static __device__ __forceinline__ void
unite_rows (Tile *t, uint32_t later)
{
  for (; later; later &= later - 1) {
    int bit = __ffs ((int) later) - 1, side = bit / ROWS;
    int at = TILE * (first_row () + bit % ROWS) + (int) threadIdx.x % 32;
    int above = at - TILE + (side == 2) - (side == 1);
    uint32_t i = parent_of (t->parents, at), j = parent_of (t->parents, above);

    if (i != j)
      unite (t->parents, i, j);
  }
}
