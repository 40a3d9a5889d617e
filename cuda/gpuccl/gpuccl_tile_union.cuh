/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The union of a tile's runs.  Within a warp's rows a run takes the label of
 * the first above it that it must be united with; what is left, further ones
 * and those of other warps, is united in shared memory. */
#pragma once

#include "gpuccl/gpuccl_tile_seams.cuh"

/* The pixels of the run that starts at @lane: one more at its start is carried
 * to behind its end. */
static __device__ __forceinline__ uint32_t
run_mask (uint32_t left, int lane)
{
  uint32_t linked = left >> 1;

  return linked ^ (linked + (1u << lane));
}

/* Whether the warp's rows are full, and each hangs together and with the one
 * above, if that is full as another warp knows: most tiles of a large component
 * are in all their rows. */
static __device__ __forceinline__ bool
is_solid (const Rows &r)
{
  uint32_t all = first_row () ? r.up[1] : ALL_LANES;

#pragma unroll
  for (int i = 1; i <= WARP_ROWS; i++)
    all &= r.foreground[i] & (r.left[i] | 1) & (i > 1 ? r.up[i] : ALL_LANES);
  return all == ALL_LANES;
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
template <bool EIGHT>
static __device__ __forceinline__ uint32_t
links_of_lane (const Upwards &u, int i)
{
  uint32_t bit = 1u << threadIdx.x % 32, links = u.up & bit ? 1u << i : 0;

  if (EIGHT) {
    links |= u.left & bit ? 1u << (WARP_ROWS + i) : 0;
    links |= u.right & bit ? 1u << (2 * WARP_ROWS + i) : 0;
  }
  return links;
}

/* The label of the lane's @run, whose own is @label, @above being those of the
 * row above: that of the first run there that it must be united with, if there
 * is one.  That link is taken from @u. */
template <bool EIGHT>
static __device__ __forceinline__ uint32_t
label_from_above (Upwards *u, uint32_t run, uint32_t label, uint32_t above)
{
  uint32_t own = (u->up | u->left | u->right) & run, first = own & (0 - own);
  int from = 31 - __clz ((int) first), side = 0;

  if (EIGHT && !(u->up & first))
    side = u->left & first ? -1 : 1;
  above = __shfl_sync (ALL_LANES, above, (from + side) & 31);
  u->up &= side ? ~0u : ~first;
  if (EIGHT) {
    u->left &= side < 0 ? ~first : ~0u;
    u->right &= side > 0 ? ~first : ~0u;
  }
  return own ? above : label;
}

/* The label of the run that holds the lane's pixel, row by row: where it
 * starts, or the label of the first run above it that it must be united with,
 * if that is the warp's too; of @solid rows the first pixel.  Background is a
 * run of its own.  Returns the lane's links that are yet to be looked at, but
 * for those of the first row. */
template <bool EIGHT>
static __device__ __forceinline__ uint32_t
label_rows (Tile *t, const Rows &r, bool solid, uint32_t label[WARP_ROWS])
{
  int lane = threadIdx.x % 32;
  uint32_t base = (uint32_t) (TILE * first_row ()), later = 0;

  if (is_empty (r))
    return 0;
#pragma unroll
  for (int i = 0; i < WARP_ROWS; i++) {
    if (solid)
      label[i] = base;
    else {
      uint32_t left = r.left[i + 1];
      int start = start_of (~left, lane);

      label[i] = base + (uint32_t) (TILE * i + start);
      if (i) {
        Upwards u = upwards<EIGHT> (r, i + 1);

        if (u.up | u.left | u.right) {
          label[i] = label_from_above<EIGHT> (
              &u, run_mask (left, start), label[i], label[i - 1]);
          later |= links_of_lane<EIGHT> (u, i);
        }
      }
    }
    t->parents[base + TILE * i + lane] = label[i];
  }
  return later;
}

/* Unites the lane's runs with those above over the links that are left: lanes
 * go through their own, whatever their rows. */
static __device__ __forceinline__ void
unite_rows (Tile *t, uint32_t later)
{
  for (; later; later &= later - 1) {
    int bit = __ffs ((int) later) - 1, side = bit / WARP_ROWS;
    int at = TILE * (first_row () + bit % WARP_ROWS) + (int) threadIdx.x % 32;
    int above = at - TILE + (side == 2) - (side == 1);
    uint32_t i = parent_of (t->parents, at), j = parent_of (t->parents, above);

    if (i != j)
      unite (t->parents, i, j);
  }
}
