/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a warp's rows add to the sums of their pieces.  Where all are of one
 * piece the warp adds up first, where columns are a lane does; elsewhere runs
 * are added. */
#pragma once

#include "gpuccl/gpuccl_tile_runs.cuh"

/* ---- Rows of one piece ---- */

/* What the lane's pixels have in depth: in a column u goes one way with z.
 * @FULL: all are foreground. */
template <Depth DEPTH, bool FULL>
static __device__ __forceinline__ Part
column_depth (const GpucclWork &w, const Rows &r)
{
  int lane = threadIdx.x % 32,
      y = blockIdx.y * TILE + threadIdx.x / 32 * WARP_ROWS;
  Part s = {};

  if (!DEPTH)
    return s;
  s.max_v = s.low_v = s.max_u = s.low_u = INT32_MIN;
#pragma unroll
  for (int i = 0; i < WARP_ROWS; i++) {
    uint32_t z = whole_depth<DEPTH> (r.depth[i + 1]);
    int32_t v = gpuccl_ray (w.rays.y, y + i, z);
    bool set = FULL || r.foreground[i + 1] >> lane & 1;

    s.z += set ? z : 0;
    s.max_z = max (s.max_z, set ? z : 0);
    s.low_z = max (s.low_z, set ? 65535 - z : 0);
    s.max_v = max (s.max_v, set ? v : INT32_MIN);
    s.low_v = max (s.low_v, set ? ~v : INT32_MIN);
  }
  if (FULL || s.max_z)
    set_rays (&s.max_u, &s.low_u, w.rays.x, blockIdx.x * TILE + lane, s);
  return s;
}

/* Adds the lane's pixels, which are of one piece. */
template <Depth DEPTH>
static __device__ __forceinline__ void
add_column (const GpucclWork &w, const Rows &r, TileSums *to, uint32_t number)
{
  int lane = threadIdx.x % 32, y = threadIdx.x / 32 * WARP_ROWS;
  Part s = column_depth<DEPTH, false> (w, r);
  uint32_t n = 0;

#pragma unroll
  for (int i = 0; i < WARP_ROWS; i++) {
    uint32_t set = r.foreground[i + 1] >> lane & 1;

    n += set;
    s.y += set * (uint32_t) (y + i);
    s.rows |= set << (y + i);
  }
  s.n_x = n | n * (uint32_t) lane << 11;
  s.columns = 1u << lane;
  add_part<DEPTH> (w, to, number, s);
}

/* Where the warp's foreground lies. */
static __device__ __forceinline__ void
set_pixels (Part *s, const Rows &r)
{
  uint32_t lane = threadIdx.x % 32, x = 0;

#pragma unroll
  for (int i = 0; i < WARP_ROWS; i++) {
    uint32_t y = threadIdx.x / 32 * WARP_ROWS + i, set = r.foreground[i + 1];
    uint32_t n = (uint32_t) __popc (set);

    x += set >> lane & 1 ? lane : 0;
    s->n_x += n;
    s->y += n * y;
    s->columns |= set;
    s->rows |= (uint32_t) (set != 0) << y;
  }
  s->n_x += warp_sum (x) << 11;
}

/* The same of full rows. */
static __device__ __forceinline__ void
set_all_pixels (Part *s)
{
  uint32_t y = threadIdx.x / 32 * WARP_ROWS;

  s->n_x = TILE * WARP_ROWS | (TILE * (TILE - 1) / 2 * WARP_ROWS) << 11;
  s->y = TILE * (WARP_ROWS * y + WARP_ROWS * (WARP_ROWS - 1) / 2);
  s->columns = ALL_LANES;
  s->rows = ((1u << WARP_ROWS) - 1) << y;
}

static __device__ __forceinline__ bool
is_full (const Rows &r)
{
  uint32_t all = ALL_LANES;

#pragma unroll
  for (int i = 1; i <= WARP_ROWS; i++)
    all &= r.foreground[i];
  return all == ALL_LANES;
}

/* Adds all the warp's foreground: it is of one piece. */
template <Depth DEPTH>
static __device__ __forceinline__ void
add_warp (const GpucclWork &w, const Rows &r, TileSums *to, uint32_t number)
{
  Part s;

  if (is_full (r)) {
    s = column_depth<DEPTH, true> (w, r);
    set_all_pixels (&s);
  } else {
    s = column_depth<DEPTH, false> (w, r);
    set_pixels (&s, r);
  }
  if (DEPTH) {
    s.z = warp_sum (s.z);
    s.max_z = warp_max (s.max_z), s.low_z = warp_max (s.low_z);
  }
  if (DEPTH && w.rays.known) {
    s.max_u = warp_greatest (s.max_u), s.low_u = warp_greatest (s.low_u);
    s.max_v = warp_greatest (s.max_v), s.low_v = warp_greatest (s.low_v);
  }
  if (threadIdx.x % 32 == 0)
    add_part<DEPTH> (w, to, number, s);
}

/* ---- All ---- */

/* Whether all the warp's foreground, of which there is some, has one number,
 * then @number. */
static __device__ __forceinline__ bool
is_of_one (const Rows &r, const uint32_t numbers[WARP_ROWS], uint32_t *number)
{
  int lane = threadIdx.x % 32;
  uint32_t set = 0, its = 0;
  bool same = true;

#pragma unroll
  for (int i = WARP_ROWS - 1; i >= 0; i--)
    if (r.foreground[i + 1])
      set = r.foreground[i + 1], its = numbers[i];
  *number = its = __shfl_sync (ALL_LANES, its, __ffs ((int) set) - 1);
#pragma unroll
  for (int i = 0; i < WARP_ROWS; i++)
    same &= numbers[i] == its || !(r.foreground[i + 1] >> lane & 1);
  return __all_sync (ALL_LANES, same);
}

/* Whether the lane's foreground, if there is any, has one number, then @number.
 */
static __device__ __forceinline__ bool
is_column (const Rows &r, const uint32_t numbers[WARP_ROWS], uint32_t *number)
{
  uint32_t least = UINT32_MAX, most = 0;

#pragma unroll
  for (int i = 0; i < WARP_ROWS; i++)
    if (r.foreground[i + 1] >> threadIdx.x % 32 & 1) {
      least = min (least, numbers[i]);
      most = max (most, numbers[i]);
    }
  *number = most;
  return least >= most;
}

/* Adds the warp's rows, in a tile of @n pieces; @numbers: of the lane's pixels.
 */
template <Depth DEPTH>
static __device__ __forceinline__ void
add_rows (const GpucclArgs &a, Tile *t, uint32_t n, const Rows &r,
    const uint32_t numbers[WARP_ROWS])
{
  uint32_t one = 0;

  if (is_empty (r))
    return;
  if ((n == 1 || is_of_one (r, numbers, &one)) && one < NEAR_SUMS) {
    add_warp<DEPTH> (a.w, r, &t->sums, one);
    return;
  }
  if (!any_row (r.left) &&
      __all_sync (ALL_LANES, is_column (r, numbers, &one)) &&
      __all_sync (ALL_LANES, one < NEAR_SUMS)) {
    if (any_row (r.foreground) >> threadIdx.x % 32 & 1)
      add_column<DEPTH> (a.w, r, &t->sums, one);
    return;
  }
#pragma unroll
  for (int i = 0; i < WARP_ROWS; i++)
    add_row<DEPTH> (a, t, r, i, numbers[i]);
}
