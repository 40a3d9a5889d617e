/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The sums of pieces while their tile is looked at. */
#pragma once

#include "gpuccl/gpuccl_tile_seams.cuh"

/* Sums of a piece about its tile's corner; bit i of columns and rows: it has
 * pixels there. */
struct TileSum {
  uint32_t n_x; /* pixels, sum of x << 11 */
  uint32_t y, z;
  uint32_t columns, rows;
  uint32_t min_z, max_z;
  int32_t min_u, max_u, min_v, max_v;
};

static __device__ __forceinline__ void
clear_sum (TileSum *s)
{
  *s = {
      0, 0, 0, 0, 0, UINT32_MAX, 0, INT32_MAX, INT32_MIN, INT32_MAX, INT32_MIN};
}

/* What each run of a row has in depth, in the lane of its start: first of those
 * of one pixel, then of the longer ones, one by one. */
template <bool DEPTH>
static __device__ __forceinline__ TileSum
run_sums (const GpucclWork &w, const RowLinks &r, uint32_t starts,
    const Pixel &p, int x, int y, int lane)
{
  int32_t u =
      DEPTH && w.rays.known && p.foreground ? gpuccl_ray (w.rays.x, x, p.z) : 0;
  TileSum s = {0, 0, p.z, 0, 0, p.z, p.z, u, u, 0, 0};

  if (DEPTH)
    for (uint32_t left = starts & r.left >> 1; left; left &= left - 1) {
      int start = __ffs ((int) left) - 1;
      int n = __ffs ((int) ~(r.left >> start >> 1)); /* pixels */
      bool in = lane >= start && lane - start < n;
      uint32_t sum = warp_sum (in ? p.z : 0);
      uint32_t least = ~warp_max (in ? ~p.z : 0),
               most = warp_max (in ? p.z : 0);
      int32_t from = 0, to = 0;

      if (w.rays.known) {
        from = warp_least (in ? u : INT32_MAX);
        to = ~warp_least (in ? ~u : INT32_MAX);
      }
      if (lane == start)
        s.z = sum, s.min_z = least, s.max_z = most, s.min_u = from,
        s.max_u = to;
    }
  if (DEPTH && w.rays.known) { /* in a row, v goes one way with z */
    int32_t a = gpuccl_ray (w.rays.y, y, s.min_z);
    int32_t b = gpuccl_ray (w.rays.y, y, s.max_z);

    s.min_v = min (a, b), s.max_v = max (a, b);
  }
  return s;
}

/* The pixels of the run that starts at @lane. */
static __device__ __forceinline__ uint32_t
run_mask (uint32_t left, int lane)
{
  uint32_t n = (uint32_t) __ffs ((int) ~(left >> lane >> 1)); /* 1 to 32 */

  return (0xffffffffu >> (32 - n)) << lane;
}

static __device__ __forceinline__ void
add_run (TileSum *to, const TileSum &s, uint32_t run, int y)
{
  uint32_t n = (uint32_t) __popc (run), x = (uint32_t) __ffs ((int) run) - 1;

  atomicAdd (&to->n_x, n | (n * (2 * x + n - 1) / 2) << 11);
  atomicAdd (&to->y, n * (uint32_t) y);
  atomicAdd (&to->z, s.z);
  atomicOr (&to->columns, run);
  atomicOr (&to->rows, 1u << y);
  atomicMin (&to->min_z, s.min_z);
  atomicMax (&to->max_z, s.max_z);
  atomicMin (&to->min_u, s.min_u);
  atomicMax (&to->max_u, s.max_u);
  atomicMin (&to->min_v, s.min_v);
  atomicMax (&to->max_v, s.max_v);
}

/* In frame coordinates; @root: the tile's pixel of smallest raster index. */
static __device__ __forceinline__ GpucclSum
frame_sum (const TileSum &s, uint32_t root, int width)
{
  unsigned long long X = blockIdx.x * TILE, Y = blockIdx.y * TILE;
  uint32_t n = s.n_x & 0x7ff;
  GpucclSum f;

  f.label = 1 + (uint32_t) ((Y + root / TILE) * width + X + root % TILE);
  f.area = n;
  f.x = (s.n_x >> 11) + n * X;
  f.y = s.y + n * Y;
  f.z = s.z;
  f.box.x0 = (int) X + __ffs ((int) s.columns) - 1;
  f.box.x1 = (int) X + 32 - __clz ((int) s.columns);
  f.box.y0 = (int) Y + __ffs ((int) s.rows) - 1;
  f.box.y1 = (int) Y + 32 - __clz ((int) s.rows);
  f.min_z = s.min_z, f.max_z = s.max_z;
  f.min_u = s.min_u, f.max_u = s.max_u;
  f.min_v = s.min_v, f.max_v = s.max_v;
  return f;
}

/* A run beyond the sums in shared memory: as a sum of its own, to be added. */
static __device__ __noinline__ void
add_far (GpucclSum *to, const TileSum &s, uint32_t run, int y, int width)
{
  TileSum own = s;
  uint32_t n = (uint32_t) __popc (run), x = (uint32_t) __ffs ((int) run) - 1;
  GpucclSum f;

  own.n_x = n | (n * (2 * x + n - 1) / 2) << 11;
  own.y = n * (uint32_t) y;
  own.columns = run, own.rows = 1u << y;
  f = frame_sum (own, TILE * (uint32_t) y + x, width);
  gpuccl_add_sum (to, f);
}

/* Adds the depth of all the warp's pixels, every one of which is foreground; in
 * a column u goes one way with z. */
template <bool DEPTH>
static __device__ __forceinline__ void
add_depth (const GpucclWork &w, const Rows &r, TileSum *to)
{
  int x = blockIdx.x * TILE + threadIdx.x % 32;
  int y = blockIdx.y * TILE + threadIdx.x / 32 * ROWS;
  uint32_t sum = 0, least = DEPTH ? UINT32_MAX : 0, most = 0;
  int32_t from_u = 0, to_u = 0, from_v = 0, to_v = 0;

  if (DEPTH) {
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
      uint32_t z = r.pixels[i + 1].z;
      int32_t v = gpuccl_ray (w.rays.y, y + i, z);

      sum += z;
      least = min (least, z), most = max (most, z);
      from_v = i ? min (from_v, v) : v, to_v = i ? max (to_v, v) : v;
    }
    sum = warp_sum (sum);
    from_u = gpuccl_ray (w.rays.x, x, least);
    to_u = gpuccl_ray (w.rays.x, x, most);
    least = ~warp_max (~least), most = warp_max (most);
  }
  if (DEPTH && w.rays.known) {
    int32_t u = max (from_u, to_u);

    from_u = warp_least (min (from_u, to_u)), to_u = ~warp_least (~u);
    from_v = warp_least (from_v), to_v = ~warp_least (~to_v);
  } else
    from_u = to_u = from_v = to_v = 0;
  if (threadIdx.x % 32)
    return;
  atomicAdd (&to->z, sum);
  atomicMin (&to->min_z, least);
  atomicMax (&to->max_z, most);
  atomicMin (&to->min_u, from_u);
  atomicMax (&to->max_u, to_u);
  atomicMin (&to->min_v, from_v);
  atomicMax (&to->max_v, to_v);
}
