/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A tile's foreground and links as words of bits, a warp four rows of it.  Four
 * pixels of the map are read at once where they can be; depth is read without a
 * test, from the nearest pixel inside the frame, since words say what counts.
 */
#pragma once

#include "gpuccl/gpuccl_run.cuh"

/* The depth that links compare: none, in whole units, or a filtered one. */
enum Depth { NONE, WHOLE, FINE };

/* What a warp knows of its rows; [0] is the row above.  Bit i of a word is
 * pixel i. */
struct Rows {
  uint32_t depth[ROWS + 1]; /* of the lane's pixels, as links compare it */
  uint32_t foreground[ROWS + 1];
  uint32_t left[ROWS + 1]; /* links inside the tile */
  uint32_t up[ROWS + 1], up_left[ROWS + 1], up_right[ROWS + 1];
  uint32_t seam_left, seam_left_up, seam_left_down; /* links of column 0 to the
                                                       tile on the left, bit i
                                                       for row i */
};

/* The column on the left of the tile: lane i has the pixel beside rows[i]. */
struct Beside {
  uint32_t depth, foreground;
};

/* Whole units. */
template <Depth DEPTH>
static __device__ __forceinline__ uint32_t
whole_depth (uint32_t depth)
{
  return DEPTH == FINE
      ? (depth + (1u << (GPUCCL_FINE_BITS - 1))) >> GPUCCL_FINE_BITS
      : depth;
}

/* @GROWS: the limit is not the same at all depths. */
template <Depth DEPTH, bool GROWS>
static __device__ __forceinline__ bool
linked (const GpucclLink &l, uint32_t a, uint32_t b)
{
  if (!DEPTH)
    return true;
  return GROWS ? gpuccl_linked (&l, a, b) : max (a, b) - min (a, b) < l.limit;
}

/* ---- The map ---- */

/* Whether four pixels can be read at once in all of the tile. */
static __device__ __forceinline__ bool
is_whole (const GpucclArgs &a)
{
  return a.aligned && (int) (blockIdx.x + 1) * TILE <= a.w.frame.width;
}

/* Four pixels of the tile a lane, eight lanes a row: 255 in the byte of each
 * that is foreground, and in @unknown of those of no known meaning. */
static __device__ __forceinline__ uint32_t
look (const GpucclArgs &a, uint32_t *unknown)
{
  const GpucclFrame &f = a.w.frame;
  int y = blockIdx.y * TILE + threadIdx.x / 8;
  int x = blockIdx.x * TILE + threadIdx.x % 8 * 4;
  uint32_t v;

  *unknown = 0;
  if (y >= f.height)
    return 0;
  v = *(const uint32_t *) &f.map[(size_t) y * f.map_stride + x];
  *unknown = __vcmpgtu4 (v, a.w.values.last * 0x01010101u);
  return __vcmpleu4 (__vsub4 (v, a.w.values.first * 0x01010101u),
      a.w.values.span * 0x01010101u);
}

/* The same as words; @pixels: what look () saw. */
static __device__ __forceinline__ void
words_of (uint32_t pixels, Rows *r)
{
  uint32_t word = (pixels & 0x08040201u) * 0x01010101u >> 24
          << threadIdx.x % 8 * 4;

#pragma unroll
  for (int step = 1; step < 8; step *= 2)
    word |= __shfl_xor_sync (ALL_LANES, word, step);
#pragma unroll
  for (int i = 0; i < ROWS; i++)
    r->foreground[i + 1] = __shfl_sync (ALL_LANES, word, 8 * i);
}

static __device__ __forceinline__ bool
is_inside (const GpucclFrame &f, int x, int y)
{
  return (uint32_t) x < (uint32_t) f.width &&
      (uint32_t) y < (uint32_t) f.height;
}

/* One pixel; background where it is outside, but read from inside anyway. */
static __device__ __forceinline__ bool
foreground_at (const GpucclWork &w, int x, int y, bool *unknown)
{
  const GpucclFrame &f = w.frame;
  bool inside = is_inside (f, x, y);
  uint8_t value;

  if (f.source == GPUCCL_DEPTH_ONLY)
    return inside;
  x = max (min (x, f.width - 1), 0), y = max (min (y, f.height - 1), 0);
  value = f.map[(int64_t) y * f.map_stride + x * f.map_step];
  *unknown = inside && value > w.values.last;
  return inside && gpuccl_is_foreground (&w.values, value);
}

/* A pixel a lane, row by row; bits of @unknown are the rows. */
static __device__ __forceinline__ void
look_closely (const GpucclWork &w, Rows *r, uint32_t *unknown)
{
  int x = blockIdx.x * TILE + threadIdx.x % 32;
  int y = blockIdx.y * TILE + threadIdx.x / 32 * ROWS;

  *unknown = 0;
#pragma unroll
  for (int i = 0; i < ROWS; i++) {
    bool strange = false, set = foreground_at (w, x, y + i, &strange);

    r->foreground[i + 1] = __ballot_sync (ALL_LANES, set);
    *unknown |= (uint32_t) strange << 8 * i;
  }
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

/* Depths of the rows and of those beside them; what has none is background. */
template <Depth DEPTH>
static __device__ __forceinline__ Beside
load_depth (const GpucclWork &w, Rows *r)
{
  int lane = threadIdx.x % 32, x = blockIdx.x * TILE;
  int y = blockIdx.y * TILE + threadIdx.x / 32 * ROWS - 1;
  int beside = y + min (lane, ROWS + 1);
  bool unknown, above, left;
  Beside b;

#pragma unroll
  for (int i = 0; i <= ROWS; i++)
    r->depth[i] = depth_at<DEPTH> (w, x + lane, y + i);
  b.depth = depth_at<DEPTH> (w, x - 1, beside);
  above = foreground_at (w, x + lane, y, &unknown);
  left = foreground_at (w, x - 1, beside, &unknown);
  r->foreground[0] = __ballot_sync (ALL_LANES, above);
  b.foreground = __ballot_sync (
      ALL_LANES, left && (!DEPTH || whole_depth<DEPTH> (b.depth)));
  if (DEPTH)
#pragma unroll
    for (int i = 0; i <= ROWS; i++)
      r->foreground[i] &=
          __ballot_sync (ALL_LANES, whole_depth<DEPTH> (r->depth[i]) != 0);
  return b;
}

/* ---- Links ---- */

/* The depth on the left of the lane's own in a row: @own in the row, @beside in
 * row @i of the tile on the left. */
static __device__ __forceinline__ uint32_t
on_the_left (uint32_t own, const Beside &b, int i)
{
  uint32_t left = __shfl_up_sync (ALL_LANES, own, 1);
  uint32_t beside = __shfl_sync (ALL_LANES, b.depth, i);

  return threadIdx.x % 32 ? left : beside;
}

/* The links of row @i to the row above, and to the left of it and below, of
 * eight neighbours. */
template <Depth DEPTH, bool GROWS>
static __device__ __forceinline__ void
link_corners (const GpucclLink &l, const Beside &b, Rows *r, int i)
{
  uint32_t own = r->depth[i], above = r->depth[i - 1], links, z;
  uint32_t set = r->foreground[i], up = r->foreground[i - 1];

  z = on_the_left (above, b, i - 1);
  links = set & __ballot_sync (ALL_LANES, linked<DEPTH, GROWS> (l, own, z));
  r->up_left[i] = links & up << 1;
  r->seam_left_up |= (links & b.foreground >> (i - 1) & 1) << (i - 1);
  z = __shfl_down_sync (ALL_LANES, above, 1);
  links = set & __ballot_sync (ALL_LANES, linked<DEPTH, GROWS> (l, own, z));
  r->up_right[i] = links & up >> 1;
  z = __shfl_sync (ALL_LANES, b.depth, i + 1);
  links = set & __ballot_sync (ALL_LANES, linked<DEPTH, GROWS> (l, own, z));
  r->seam_left_down |= (links & b.foreground >> (i + 1) & 1) << (i - 1);
}

template <Depth DEPTH, bool EIGHT, bool GROWS>
static __device__ __forceinline__ void
link_all (const GpucclLink &l, const Beside &b, Rows *r)
{
  r->seam_left = r->seam_left_up = r->seam_left_down = 0;
#pragma unroll
  for (int i = 0; i <= ROWS; i++) {
    uint32_t own = r->depth[i], set = r->foreground[i], links = set;

    if (DEPTH)
      links &= __ballot_sync (
          ALL_LANES, linked<DEPTH, GROWS> (l, own, on_the_left (own, b, i)));
    r->left[i] = links & set << 1;
    r->up[i] = r->up_left[i] = r->up_right[i] = 0;
    if (!i)
      continue;
    r->seam_left |= (links & b.foreground >> i & 1) << (i - 1);
    links = set & r->foreground[i - 1];
    if (DEPTH)
      links &= __ballot_sync (
          ALL_LANES, linked<DEPTH, GROWS> (l, own, r->depth[i - 1]));
    r->up[i] = links;
    if (EIGHT)
      link_corners<DEPTH, GROWS> (l, b, r, i);
  }
}

template <Depth DEPTH, bool EIGHT>
static __device__ __forceinline__ void
link_rows (const GpucclLink &l, const Beside &b, Rows *r)
{
  if (DEPTH && l.k)
    link_all<DEPTH, EIGHT, true> (l, b, r);
  else
    link_all<DEPTH, EIGHT, false> (l, b, r);
}
