/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A tile's foreground and links as words of bits, a warp some rows of it.  What
 * is read is read without a test, from the nearest pixel inside the frame,
 * since words say what counts. */
#pragma once

#include "gpuccl/gpuccl_run.cuh"

/* WARP_ROWS, the rows of a tile that a warp has, are set by who includes this.
 */
#define TILE_WARPS (TILE / WARP_ROWS)
#define TILE_THREADS (32 * TILE_WARPS)

/* The depth that links compare: none, in whole units, or a filtered one. */
enum Depth { NONE, WHOLE, FINE };

/* What a warp knows of its rows; [0] is the row above, of which another warp
 * knows the words.  Bit i of a word is pixel i. */
struct Rows {
  uint32_t depth[WARP_ROWS + 1]; /* of the lane's pixels, as links compare it */
  uint32_t foreground[WARP_ROWS + 1];
  uint32_t left[WARP_ROWS + 1]; /* links inside the tile */
  uint32_t up[WARP_ROWS + 1], up_left[WARP_ROWS + 1], up_right[WARP_ROWS + 1];
};

/* The row of the tile where the warp's begin. */
static __device__ __forceinline__ int
first_row (void)
{
  return threadIdx.x / 32 * WARP_ROWS;
}

/* All columns that have a pixel in the warp's rows. */
static __device__ __forceinline__ uint32_t
any_row (const uint32_t words[WARP_ROWS + 1])
{
  uint32_t any = 0;

#pragma unroll
  for (int i = 1; i <= WARP_ROWS; i++)
    any |= words[i];
  return any;
}

static __device__ __forceinline__ bool
is_empty (const Rows &r)
{
  return !any_row (r.foreground);
}

/* Whole units. */
template <Depth DEPTH>
static __device__ __forceinline__ uint32_t
whole_depth (uint32_t depth)
{
  return DEPTH == FINE
      ? (depth + (1u << (GPUCCL_FINE_BITS - 1))) >> GPUCCL_FINE_BITS
      : depth;
}

/* @GROWS: the limit is not the same at all depths.  Elsewhere that the
 * difference is above -limit and below limit is one comparison. */
template <Depth DEPTH, bool GROWS>
static __device__ __forceinline__ bool
linked (const GpucclLink &l, uint32_t a, uint32_t b)
{
  uint32_t most = min (l.limit, 1u << 30) - 1; /* no depth comes near it */

  if (!DEPTH)
    return true;
  return GROWS ? gpuccl_linked (&l, a, b) : a - b + most <= 2 * most;
}

/* ---- The map ---- */

static __device__ __forceinline__ bool
is_inside (const GpucclFrame &f, int x, int y)
{
  return (uint32_t) x < (uint32_t) f.width &&
      (uint32_t) y < (uint32_t) f.height;
}

/* The map's value at (x, y) or at the nearest pixel to it; without a map any.
 */
static __device__ __forceinline__ uint8_t
value_at (const GpucclFrame &f, int x, int y)
{
  if (f.source == GPUCCL_DEPTH_ONLY)
    return 0;
  x = max (min (x, f.width - 1), 0), y = max (min (y, f.height - 1), 0);
  return f.map[(int64_t) y * f.map_stride + x * f.map_step];
}

/* Whether (x, y) is foreground, @value being what value_at () says. */
static __device__ __forceinline__ bool
is_set (const GpucclWork &w, int x, int y, uint8_t value)
{
  return is_inside (w.frame, x, y) &&
      (w.frame.source == GPUCCL_DEPTH_ONLY ||
          gpuccl_is_foreground (&w.values, value));
}

/* The warp's rows, a pixel a lane; pixels outside, of a tile that is not
 * @WHOLE, are read from inside.  @unknown: the lane has seen one of no known
 * meaning.  Values of foreground do not wrap, so that one comparison does. */
template <bool WHOLE>
static __device__ __forceinline__ void
look_at_map (const GpucclWork &w, Rows *r, bool *unknown)
{
  const GpucclFrame &f = w.frame;
  int x = blockIdx.x * TILE + threadIdx.x % 32, x1 = f.width - 1;
  int y = blockIdx.y * TILE + first_row (), y1 = f.height - 1;
  uint32_t values[WARP_ROWS], most = 0;
  const uint8_t *column = f.map + (WHOLE ? x : min (x, x1)) * f.map_step;

  asm("" : "+l"(column)); /* one address for all rows, not its parts */
#pragma unroll
  for (int i = 0; i < WARP_ROWS; i++)
    values[i] = __ldg (
        column + (int64_t) (WHOLE ? y + i : min (y + i, y1)) * f.map_stride);
#pragma unroll
  for (int i = 0; i < WARP_ROWS; i++) {
    bool set = values[i] - w.values.first <= w.values.span;

    most = max (most, values[i]);
    r->foreground[i + 1] =
        __ballot_sync (ALL_LANES, set && (WHOLE || (x <= x1 && y + i <= y1)));
  }
  *unknown = most > w.values.last;
}

/* Without a map: all that is inside. */
static __device__ __forceinline__ void
look_at_nothing (const GpucclFrame &f, Rows *r)
{
  int x = blockIdx.x * TILE + threadIdx.x % 32;
  int y = blockIdx.y * TILE + first_row ();

#pragma unroll
  for (int i = 0; i < WARP_ROWS; i++)
    r->foreground[i + 1] =
        __ballot_sync (ALL_LANES, x < f.width && y + i < f.height);
}

/* The foreground of the warp's rows, but for its depth. */
static __device__ __forceinline__ void
look (const GpucclWork &w, Rows *r, bool *unknown)
{
  const GpucclFrame &f = w.frame;

  if (f.source == GPUCCL_DEPTH_ONLY)
    look_at_nothing (f, r);
  else if ((int) (blockIdx.x + 1) * TILE <= f.width &&
      (int) (blockIdx.y + 1) * TILE <= f.height)
    look_at_map<true> (w, r, unknown);
  else
    look_at_map<false> (w, r, unknown);
}

/* Counts the pixels of no known meaning in the warp's rows. */
static __device__ __noinline__ void
count_unknown (const GpucclArgs &a)
{
  int x = blockIdx.x * TILE + threadIdx.x % 32;
  int y = blockIdx.y * TILE + first_row ();
  uint32_t n = 0;

  for (int i = 0; i < WARP_ROWS; i++)
    n += is_inside (a.w.frame, x, y + i) &&
        value_at (a.w.frame, x, y + i) > a.w.values.last;
  n = warp_sum (n);
  if (threadIdx.x % 32 == 0 && n)
    atomicAdd (&a.p.counters->n_unknown, n);
}

/* ---- Depth ---- */

/* The depth of pixel (x, y) or of the nearest to it, as links compare it. */
template <Depth DEPTH>
static __device__ __forceinline__ uint32_t
depth_at (const GpucclWork &w, int x, int y)
{
  const GpucclFrame &f = w.frame;
  uint32_t z;

  if (!DEPTH)
    return 0;
  x = max (min (x, f.width - 1), 0), y = max (min (y, f.height - 1), 0);
  z = *(const uint16_t *) ((const uint8_t *) &f.depth[x] +
      (int64_t) y * f.depth_stride);
  return DEPTH == FINE ? (z << GPUCCL_FINE_BITS) +
          (uint32_t) w.fraction[(uint32_t) (y * f.width + x)]
                       : z;
}

/* Depths of the rows; what has none is background.  Of the row above the first
 * warp looks at the foreground itself; the others learn it later. */
template <Depth DEPTH>
static __device__ __forceinline__ void
load_depth (const GpucclWork &w, Rows *r)
{
  int x = blockIdx.x * TILE + threadIdx.x % 32;
  int y = blockIdx.y * TILE + threadIdx.x / 32 * WARP_ROWS - 1;
  bool above = true;

#pragma unroll
  for (int i = 0; i <= WARP_ROWS; i++)
    r->depth[i] = depth_at<DEPTH> (w, x, y + i);
  if (threadIdx.x < 32)
    above = is_set (w, x, y, value_at (w.frame, x, y)) &&
        (!DEPTH || whole_depth<DEPTH> (r->depth[0]));
  r->foreground[0] = __ballot_sync (ALL_LANES, above);
  if (DEPTH)
#pragma unroll
    for (int i = 1; i <= WARP_ROWS; i++)
      r->foreground[i] &=
          __ballot_sync (ALL_LANES, whole_depth<DEPTH> (r->depth[i]) != 0);
}

/* A pixel of the tile's first column, and the one on its left. */
struct Beside {
  uint32_t depth, depth_left;
  uint8_t value, value_left;
};

/* A lane a row; on its way while the warp's own rows are. */
template <Depth DEPTH>
static __device__ __forceinline__ Beside
load_beside (const GpucclWork &w)
{
  int x = blockIdx.x * TILE, y = blockIdx.y * TILE + threadIdx.x % 32;

  return {depth_at<DEPTH> (w, x, y), depth_at<DEPTH> (w, x - 1, y),
      value_at (w.frame, x, y), value_at (w.frame, x - 1, y)};
}

/* ---- Links ---- */

/* The links of row @i to the corners above, of eight neighbours. */
template <Depth DEPTH, bool GROWS>
static __device__ __forceinline__ void
link_corners (const GpucclLink &l, Rows *r, int i)
{
  uint32_t own = r->depth[i], above = r->depth[i - 1];
  uint32_t set = r->foreground[i], up = r->foreground[i - 1];
  uint32_t left = __shfl_up_sync (ALL_LANES, above, 1);
  uint32_t right = __shfl_down_sync (ALL_LANES, above, 1);

  r->up_left[i] = set & up << 1 &
      __ballot_sync (ALL_LANES, linked<DEPTH, GROWS> (l, own, left));
  r->up_right[i] = set & up >> 1 &
      __ballot_sync (ALL_LANES, linked<DEPTH, GROWS> (l, own, right));
}

template <Depth DEPTH, bool EIGHT, bool GROWS>
static __device__ __forceinline__ void
link_all (const GpucclLink &l, Rows *r)
{
#pragma unroll
  for (int i = 1; i <= WARP_ROWS; i++) {
    uint32_t own = r->depth[i], set = r->foreground[i];
    uint32_t left = __shfl_up_sync (ALL_LANES, own, 1);

    r->left[i] = set & set << 1;
    r->up[i] = set & r->foreground[i - 1];
    r->up_left[i] = r->up_right[i] = 0;
    if (DEPTH) {
      r->left[i] &=
          __ballot_sync (ALL_LANES, linked<DEPTH, GROWS> (l, own, left));
      r->up[i] &= __ballot_sync (
          ALL_LANES, linked<DEPTH, GROWS> (l, own, r->depth[i - 1]));
    }
    if (EIGHT)
      link_corners<DEPTH, GROWS> (l, r, i);
  }
}

template <Depth DEPTH, bool EIGHT>
static __device__ __forceinline__ void
link_rows (const GpucclLink &l, Rows *r)
{
  if (DEPTH && l.k)
    link_all<DEPTH, EIGHT, true> (l, r);
  else
    link_all<DEPTH, EIGHT, false> (l, r);
}
