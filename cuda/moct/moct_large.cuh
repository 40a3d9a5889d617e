/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A colour of many fragments, which a block handles word by word: a warp for
 * the 32 tiles of a word, a lane for each.  Fragments of a word that follow and
 * are near to one another are a run, which is added up at once; runs, not
 * fragments, are what is joined.  Where a colour fills its tiles nearly, masks
 * of a word say who is near to whom, and no box is looked at. */
#pragma once

#include "moct/moct_join.cuh"

/* ---- Runs ---- */

/* Of each word: fragments that nearly fill their tiles, and those near to the
 * one on their left. */
struct Masks {
  uint32_t *wide, *linked;
};

/* The moments of a fragment or a run about the corner of its word.  They fit:
 * a word has no more than 512 x 16 pixels. */
struct Moments {
  uint32_t n_y, x, xx, xy, yy; /* n_y: n, y << 16 */
  uint32_t rows;
  int x0, x1; /* columns of the word */
};

/* Whether each of the four sides of a tile is left free by no more than half
 * the distance that is near, so that it is near to any other such tile beside
 * it.  What lies at the frame's end need not be. */
static __device__ __forceinline__ bool
is_wide (const MoctWork &w, uint32_t extent, int tx, int ty)
{
  int free = min (w.merge_distance / 2, MOCT_TILE - 1);
  uint32_t low = (2u << free) - 1, high = 0xffff & ~(0x7fffu >> free);

  return extent & low && extent & low << 16 &&
      (extent & high || tx == w.tiles_x - 1) &&
      (extent & high << 16 || ty == w.tiles_y - 1);
}

static __device__ __forceinline__ Moments
moments_of (const MoctFragment &f, int lane)
{
  uint32_t X = (uint32_t) lane * MOCT_TILE;
  uint32_t n = f.n_y & 0xffff, y = f.n_y >> 16, x = f.xy_x >> 16;
  Moments m;

  m.n_y = f.n_y;
  m.x = x + n * X;
  m.xx = (f.xx_yy & 0xffff) + X * (2 * x + n * X);
  m.xy = (f.xy_x & 0xffff) + X * y;
  m.yy = f.xx_yy >> 16;
  m.rows = f.extent >> 16;
  m.x0 = (int) X + math_lowest_bit (f.extent & 0xffff);
  m.x1 = (int) X + moct_highest_bit (f.extent & 0xffff) + 1;
  return m;
}

/* The sum over lanes @first to @last, of which only those that are @of_run have
 * a fragment. */
static __device__ __forceinline__ Moments
add_run (const Moments &m, bool of_run, int first, int last)
{
  Moments sum;

  sum.n_y = warp_sum (of_run ? m.n_y : 0);
  sum.x = warp_sum (of_run ? m.x : 0);
  sum.xx = warp_sum (of_run ? m.xx : 0);
  sum.xy = warp_sum (of_run ? m.xy : 0);
  sum.yy = warp_sum (of_run ? m.yy : 0);
  sum.rows = warp_or (of_run ? m.rows : 0);
  sum.x0 = __shfl_sync (ALL_LANES, m.x0, first);
  sum.x1 = __shfl_sync (ALL_LANES, m.x1, last);
  return sum;
}

/* @m of a word whose corner is at (@X, @Y), in the frame. */
static __device__ __forceinline__ MoctSum
sum_at (const Moments &m, unsigned long long X, unsigned long long Y)
{
  unsigned long long n = m.n_y & 0xffff, x = m.x, y = m.n_y >> 16;
  MoctSum s;

  s.n = n;
  s.x = x + n * X;
  s.y = y + n * Y;
  s.xx = m.xx + X * (2 * x + n * X);
  s.xy = m.xy + X * y + Y * s.x;
  s.yy = m.yy + Y * (2 * y + n * Y);
  s.box.x0 = (int) X + m.x0;
  s.box.x1 = (int) X + m.x1;
  s.box.y0 = (int) Y + math_lowest_bit (m.rows);
  s.box.y1 = (int) Y + moct_highest_bit (m.rows) + 1;
  return s;
}

/* The lanes whose fragment is near to that of the lane before. */
static __device__ __forceinline__ uint32_t
linked_lanes (const MoctWork &w, uint32_t bits, uint32_t wide, uint32_t extent,
    int tx, int ty)
{
  uint32_t both = bits & bits << 1, sure = wide & wide << 1;
  uint32_t left = __shfl_up_sync (ALL_LANES, extent, 1);
  bool near = false;

  if (both == sure)
    return both;
  if (both >> threadIdx.x % 32 & 1)
    near = moct_boxes_near (
        box_at (extent, tx, ty), box_at (left, tx - 1, ty), w.merge_distance);
  return __ballot_sync (ALL_LANES, near);
}

/* The sums of the runs of a word, whose lanes have moments @m; the first is run
 * @run. */
static __device__ __forceinline__ void
store_runs (const Colour &c, const Moments &m, uint32_t bits, uint32_t linked,
    uint32_t run, unsigned X, unsigned Y)
{
  uint32_t heads = bits & ~linked, alone = heads & ~(linked >> 1);
  int lane = threadIdx.x % 32;

  if (alone >> lane & 1)
    c.sums[run + __popc (heads & ((1u << lane) - 1))] = sum_at (m, X, Y);
  for (uint32_t left = heads & ~alone; left; left &= left - 1) {
    int first = math_lowest_bit (left);
    uint32_t ends = ~linked & (~1u << first);
    int last = ends ? math_lowest_bit (ends) - 1 : 31;
    Moments sum = add_run (m, lane >= first && lane <= last, first, last);

    if (lane == first)
      c.sums[run + __popc (heads & ((1u << lane) - 1))] = sum_at (sum, X, Y);
  }
}

/* Lists the fragments of word @k with their runs, and adds up each run. */
static __device__ __forceinline__ void
make_runs_of_word (const MoctWork &w, const Colour &c, const Masks &masks,
    MoctLarge *large, int k)
{
  uint32_t bits = c.bits[k], lane = threadIdx.x % 32, bit = 1u << lane;
  int ty = k / moct_words_x (&w), first = (k - ty * moct_words_x (&w)) * 32;
  int tx = first + (int) lane;
  uint32_t wide = 0, linked = 0, run = 0;
  MoctFragment f = {};

  if (bits) {
    if (bits & bit)
      f = fragment_in (w, c, (uint32_t) tx | (uint32_t) ty << 16);
    wide =
        __ballot_sync (ALL_LANES, bits & bit && is_wide (w, f.extent, tx, ty));
    linked = linked_lanes (w, bits, wide, f.extent, tx, ty);
    if (lane == 0)
      run = atomicAdd (&large->n_runs, (unsigned) __popc (bits & ~linked));
    run = __shfl_sync (ALL_LANES, run, 0);
    if (bits & bit)
      c.parts[c.before[k] + __popc (bits & (bit - 1))] = {
          (run + __popc (bits & ~linked & (bit | (bit - 1))) - 1) |
              (linked & bit ? LINKED : 0),
          f.extent};
    store_runs (c, moments_of (f, (int) lane), bits, linked, run,
        (unsigned) first * MOCT_TILE, (unsigned) ty * MOCT_TILE);
  }
  if (lane == 0)
    masks.wide[k] = wide, masks.linked[k] = linked;
}

/* The same of all words that no other warp has taken, of this block or of those
 * that help. */
static __device__ __forceinline__ void
make_runs (
    const MoctWork &w, const Colour &c, const Masks &masks, MoctLarge *large)
{
  bool first_lane = threadIdx.x % 32 == 0;
  unsigned next = first_lane ? atomicAdd (&large->next, 1u) : 0, done = 0;

  for (;; done++) {
    int k = (int) __shfl_sync (ALL_LANES, next, 0);

    if (k >= moct_n_words (&w))
      break;
    if (first_lane)
      next = atomicAdd (&large->next, 1u);
    make_runs_of_word (w, c, masks, large, k);
  }
  __syncwarp ();
  if (first_lane && done) {
    __threadfence ();
    atomicAdd (&large->done, done);
  }
}

/* ---- Joining them ---- */

/* Which runs of a colour hang together.  Where fragments nearly fill their
 * tiles, masks of a word say who is near to whom, and no box is looked at. */

/* Joins the first run of each word to the last of the word before, where they
 * meet and are near. */
static __device__ __forceinline__ void
join_words (const MoctWork &w, const Colour &c, const Masks &masks)
{
  int across = moct_words_x (&w);

  for (int k = threadIdx.x; k < moct_n_words (&w); k += blockDim.x) {
    int tx = k % across * 32, ty = k / across;
    uint32_t i, left;

    if (!tx || !(c.bits[k] & 1) || !find (w, c, tx - 1, ty, &left))
      continue;
    i = c.before[k];
    if (moct_boxes_near (box_at (c.parts[i].extent, tx, ty),
            box_at (c.parts[left].extent, tx - 1, ty), w.merge_distance)) {
      masks.linked[k] |= 1;
      union_join (c.parents, member<true> (c, i), member<true> (c, left));
      c.parts[i].tile |= LINKED;
    }
  }
}

/* Each bit's neighbour on the left, on the right, in words of row after row. */
static __device__ __forceinline__ uint32_t
from_left (const uint32_t *words, int k, int across)
{
  return words[k] << 1 | (k % across ? words[k - 1] >> 31 : 0);
}

static __device__ __forceinline__ uint32_t
from_right (const uint32_t *words, int k, int across)
{
  return words[k] >> 1 | ((k + 1) % across ? words[k + 1] << 31 : 0);
}

/* Joins fragments of word @k to those right above them where both are wide and
 * their neighbours on the left are not so too, who would do it.  A fragment
 * above to the left or right hangs together with that above if it is linked to
 * it.  Returns the fragments for which that does not settle the matter. */
static __device__ __forceinline__ uint32_t
join_wide (const MoctWork &w, const Colour &c, const Masks &masks, int k)
{
  int across = moct_words_x (&w), up = k - across;
  uint32_t bits = c.bits[k], both, both_left, above_left, above_right;

  if (moct_reach (&w) > 1)
    return bits;
  if (up < 0 || !bits)
    return 0;
  both = masks.wide[k] & masks.wide[up];
  both_left =
      from_left (masks.wide, k, across) & from_left (masks.wide, up, across);
  for (uint32_t left = both & ~(both_left & masks.linked[k] & masks.linked[up]);
       left; left &= left - 1) {
    uint32_t below = (left & -left) - 1;
    uint32_t i = c.before[k] + __popc (bits & below);
    uint32_t j = c.before[up] + __popc (c.bits[up] & below);

    union_join (c.parents, member<true> (c, i), member<true> (c, j));
  }
  above_left = from_left (c.bits, up, across);
  above_right = from_right (c.bits, up, across);
  return bits &
      ((~both & (above_left | c.bits[up] | above_right)) |
          (above_left & ~masks.linked[up]) |
          (above_right & ~from_right (masks.linked, up, across)));
}

/* Joins the fragments of all words to those above: a lane for each word, then
 * one for each fragment that is left. */
static __device__ __forceinline__ void
join_runs (const MoctWork &w, const Colour &c, const Masks &masks)
{
  int across = moct_words_x (&w), lane = threadIdx.x % 32;
  int warps = blockDim.x / 32, warp = threadIdx.x / 32;

  for (int first = warp; first < moct_n_words (&w); first += blockDim.x) {
    int k = first + lane * warps;
    uint32_t left = k < moct_n_words (&w) ? join_wide (w, c, masks, k) : 0;

    for (uint32_t some = __ballot_sync (ALL_LANES, left != 0); some;
         some &= some - 1) {
      int other = math_lowest_bit (some), of = first + other * warps;

      if (__shfl_sync (ALL_LANES, left, other) >> lane & 1)
        join<true> (w, c,
            c.before[of] + __popc (c.bits[of] & ((1u << lane) - 1)),
            of % across * 32 + lane, of / across);
    }
  }
}

/* The root of run @i, which @i is hung at.  All climb at once: each step halves
 * the way of those below. */
static __device__ __forceinline__ uint32_t
hang_at_root (uint32_t *parents, uint32_t i)
{
  for (;;) {
    uint32_t parent = union_parent (parents, i);
    uint32_t above = union_parent (parents, parent);

    if (above == parent)
      return parent;
    atomicExch (&parents[i], above);
  }
}
