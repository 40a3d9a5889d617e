/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The sums of pieces while their tile is looked at: what a run adds has a
 * closed form, or is summed over its lanes. */
#pragma once

#include "gpuccl/gpuccl_links.cuh"

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

/* What runs have in depth.  The greatest of 65535 - z, and of z, lie in the
 * upper and lower half of one word. */
struct RunDepth {
  uint32_t sum, ends;
  int32_t from_u, to_u;
};

/* Of each run of a row, in the lane of its start.  Each lane adds what the one
 * has that is 1, 2, 4 ... to its right, as far as its run goes. */
static __device__ __forceinline__ RunDepth
run_depth (uint32_t left, uint32_t z, int32_t u, bool known)
{
  RunDepth s = {z, (65535 - z) << 16 | z, u, u};
  int step = 1;

  for (uint32_t more = left >> 1; more; more &= more >> step, step *= 2) {
    RunDepth t;
    bool in = more >> threadIdx.x % 32 & 1;

    t.sum = __shfl_down_sync (ALL_LANES, s.sum, step);
    t.ends = __shfl_down_sync (ALL_LANES, s.ends, step);
    if (known) {
      t.from_u = __shfl_down_sync (ALL_LANES, s.from_u, step);
      t.to_u = __shfl_down_sync (ALL_LANES, s.to_u, step);
    }
    if (in)
      s.sum += t.sum, s.ends = __vmaxu2 (s.ends, t.ends);
    if (in && known)
      s.from_u = min (s.from_u, t.from_u), s.to_u = max (s.to_u, t.to_u);
  }
  return s;
}

/* The same with u and v; @z of the lane's pixel (x, y). */
template <Depth DEPTH>
static __device__ __forceinline__ TileSum
run_sums (const GpucclWork &w, uint32_t left, uint32_t z, int x, int y)
{
  bool known = DEPTH && w.rays.known;
  RunDepth d = {};
  TileSum s = {};

  if (!DEPTH)
    return s;
  d = run_depth (left, z, known ? gpuccl_ray (w.rays.x, x, z) : 0, known);
  s.z = d.sum;
  s.min_z = 65535 - (d.ends >> 16), s.max_z = d.ends & 65535;
  s.min_u = d.from_u, s.max_u = d.to_u;
  if (known) { /* in a row, v goes one way with z */
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
add_depth (TileSum *to, const TileSum &s, bool known)
{
  atomicAdd (&to->z, s.z);
  atomicMin (&to->min_z, s.min_z);
  atomicMax (&to->max_z, s.max_z);
  if (!known)
    return;
  atomicMin (&to->min_u, s.min_u);
  atomicMax (&to->max_u, s.max_u);
  atomicMin (&to->min_v, s.min_v);
  atomicMax (&to->max_v, s.max_v);
}

/* Adds the run of pixels @run of row @y, of which @s is known. */
template <Depth DEPTH>
static __device__ __forceinline__ void
add_run (
    const GpucclWork &w, TileSum *to, const TileSum &s, uint32_t run, int y)
{
  uint32_t n = (uint32_t) __popc (run), x = (uint32_t) __ffs ((int) run) - 1;

  atomicAdd (&to->n_x, n | (n * (2 * x + n - 1) / 2) << 11);
  atomicAdd (&to->y, n * (uint32_t) y);
  atomicOr (&to->columns, run);
  atomicOr (&to->rows, 1u << y);
  if (DEPTH)
    add_depth (to, s, w.rays.known);
}

/* In frame coordinates; @root: the tile's pixel of smallest raster index. */
template <Depth DEPTH>
static __device__ __forceinline__ GpucclSum
frame_sum (const GpucclWork &w, const TileSum &s, uint32_t root)
{
  uint32_t X = blockIdx.x * TILE, Y = blockIdx.y * TILE, n = s.n_x & 0x7ff;
  bool known = DEPTH && w.rays.known;
  GpucclSum f;

  f.label = 1 + (Y + root / TILE) * w.frame.width + X + root % TILE;
  f.area = n;
  f.x = (s.n_x >> 11) + n * X;
  f.y = s.y + n * Y;
  f.z = DEPTH ? s.z : 0;
  f.box.x0 = (int) X + __ffs ((int) s.columns) - 1;
  f.box.x1 = (int) X + 32 - __clz ((int) s.columns);
  f.box.y0 = (int) Y + __ffs ((int) s.rows) - 1;
  f.box.y1 = (int) Y + 32 - __clz ((int) s.rows);
  f.min_z = DEPTH ? s.min_z : 0, f.max_z = DEPTH ? s.max_z : 0;
  f.min_u = known ? s.min_u : 0, f.max_u = known ? s.max_u : 0;
  f.min_v = known ? s.min_v : 0, f.max_v = known ? s.max_v : 0;
  return f;
}

/* A run beyond the sums in shared memory: as a sum of its own, to be added. */
template <Depth DEPTH>
static __device__ __noinline__ void
add_far (const GpucclWork &w, GpucclSum *to, TileSum own, uint32_t run, int y)
{
  uint32_t n = (uint32_t) __popc (run), x = (uint32_t) __ffs ((int) run) - 1;

  own.n_x = n | (n * (2 * x + n - 1) / 2) << 11;
  own.y = n * (uint32_t) y;
  own.columns = run, own.rows = 1u << y;
  gpuccl_add_sum (to, frame_sum<DEPTH> (w, own, TILE * (uint32_t) y + x));
}

/* What the lane's pixels have in depth: in a column u goes one way with z. */
template <Depth DEPTH>
static __device__ __forceinline__ TileSum
column_sums (const GpucclWork &w, const Rows &r)
{
  int lane = threadIdx.x % 32, x = blockIdx.x * TILE + lane;
  int y = blockIdx.y * TILE + threadIdx.x / 32 * ROWS;
  bool known = DEPTH && w.rays.known;
  TileSum s;

  clear_sum (&s);
#pragma unroll
  for (int i = 0; i < ROWS; i++) {
    uint32_t z = whole_depth<DEPTH> (r.depth[i + 1]);
    int32_t v = known ? gpuccl_ray (w.rays.y, y + i, z) : 0;

    if (!(r.foreground[i + 1] >> lane & 1))
      continue;
    s.n_x += (uint32_t) lane;
    s.z += z;
    s.min_z = min (s.min_z, z), s.max_z = max (s.max_z, z);
    s.min_v = min (s.min_v, v), s.max_v = max (s.max_v, v);
  }
  if (known && s.max_z) {
    int32_t a = gpuccl_ray (w.rays.x, x, s.min_z);
    int32_t b = gpuccl_ray (w.rays.x, x, s.max_z);

    s.min_u = min (a, b), s.max_u = max (a, b);
  }
  return s;
}

/* Adds the lane's pixels, which are of one piece. */
template <Depth DEPTH>
static __device__ __forceinline__ void
add_column (const GpucclWork &w, const Rows &r, TileSum *to)
{
  int lane = threadIdx.x % 32, y = threadIdx.x / 32 * ROWS;
  TileSum s = column_sums<DEPTH> (w, r);
  uint32_t n = 0;

#pragma unroll
  for (int i = 0; i < ROWS; i++) {
    uint32_t set = r.foreground[i + 1] >> lane & 1;

    n += set;
    s.y += set * (uint32_t) (y + i);
    s.rows |= set << (y + i);
  }
  atomicAdd (&to->n_x, n | s.n_x << 11);
  atomicAdd (&to->y, s.y);
  atomicOr (&to->columns, 1u << lane);
  atomicOr (&to->rows, s.rows);
  if (DEPTH)
    add_depth (to, s, w.rays.known);
}

/* Adds all the warp's foreground: it is of one piece. */
template <Depth DEPTH>
static __device__ __forceinline__ void
add_warp (const GpucclWork &w, const Rows &r, TileSum *to)
{
  TileSum s = column_sums<DEPTH> (w, r);
  uint32_t n = 0;

  s.n_x = warp_sum (s.n_x) << 11;
#pragma unroll
  for (int i = 0; i < ROWS; i++) {
    uint32_t y = threadIdx.x / 32 * ROWS + i;

    n = (uint32_t) __popc (r.foreground[i + 1]);
    s.n_x += n;
    s.y += n * y;
    s.columns |= r.foreground[i + 1];
    s.rows |= (uint32_t) (n != 0) << y;
  }
  if (DEPTH) {
    s.z = warp_sum (s.z);
    s.min_z = ~warp_max (~s.min_z), s.max_z = warp_max (s.max_z);
  }
  if (DEPTH && w.rays.known) {
    s.min_u = warp_least (s.min_u), s.max_u = ~warp_least (~s.max_u);
    s.min_v = warp_least (s.min_v), s.max_v = ~warp_least (~s.max_v);
  }
  if (threadIdx.x % 32)
    return;
  atomicAdd (&to->n_x, s.n_x);
  atomicAdd (&to->y, s.y);
  atomicOr (&to->columns, s.columns);
  atomicOr (&to->rows, s.rows);
  if (DEPTH)
    add_depth (to, s, w.rays.known);
}
