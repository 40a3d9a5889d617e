/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A colour with many fragments, which a block processes word by word: a warp
 * for the 32 tiles of a word, a lane for each tile.  Neighbouring fragments of
 * a word that are near to each other are a run, which is summed at once; the
 * union-find joins runs, not fragments.  Where a colour nearly fills its tiles,
 * masks of a word say which fragments are near to each other, and no box is
 * compared. */
#pragma once

#include "moct/moct_join.cuh"

/* ---- Runs ---- */

/* Masks of each word: fragments that nearly fill their tiles, and fragments
 * that are near to their left neighbour. */
struct Masks {
  uint32_t *wide, *linked;
};

/* The moments of a fragment or a run about the corner of its word.  32 bits
 * hold them, since a word has at most 512 x 16 pixels. */
struct RowMoments {
  uint32_t n_y, x, xx, xy, yy; /* n_y: n, and y << 16 */
  uint32_t rows;
  int x0, x1; /* in columns of the word */
};

/* Whether a fragment nearly fills its tile: each side leaves at most half of
 * merge_distance free, so that the fragment is near to any such fragment in the
 * next tile.  The sides at the frame's end do not matter. */
static __device__ __forceinline__ bool
fills_tile (const MoctWork &w, uint32_t extent, int tx, int ty)
{
  int free = min (w.merge_distance / 2, MOCT_TILE - 1);
  uint32_t low = (2u << free) - 1, high = 0xffff & ~(0x7fffu >> free);

  return extent & low && extent & low << 16 &&
      (extent & high || tx == w.tiles_x - 1) &&
      (extent & high << 16 || ty == w.tiles_y - 1);
}

static __device__ __forceinline__ RowMoments
fragment_moments (const MoctFragment &f, int lane)
{
  uint32_t X = (uint32_t) lane * MOCT_TILE;
  uint32_t n = f.n_y & 0xffff, y = f.n_y >> 16, x = f.xy_x >> 16;
  RowMoments m;

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

/* The sum over lanes @first to @last, of which only those with @of_run have a
 * fragment. */
static __device__ __forceinline__ RowMoments
sum_run (const RowMoments &m, bool of_run, int first, int last)
{
  RowMoments sum;

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

/* @m as a sum in the frame, for a word whose corner is at (@X, @Y). */
static __device__ __forceinline__ MoctSum
sum_of_moments (const RowMoments &m, unsigned long long X, unsigned long long Y)
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

/* The lanes whose fragment is near to the fragment of the previous lane. */
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
    near = moct_boxes_near (fragment_box_at (extent, tx, ty),
        fragment_box_at (left, tx - 1, ty), w.merge_distance);
  return __ballot_sync (ALL_LANES, near);
}

/* Stores the sums of the runs of a word, whose lanes have moments @m.  @run is
 * the number of the first run. */
static __device__ __forceinline__ void
store_run_sums (const Colour &c, const RowMoments &m, uint32_t bits,
    uint32_t linked, uint32_t run, unsigned X, unsigned Y)
{
  uint32_t heads = bits & ~linked, alone = heads & ~(linked >> 1);
  int lane = threadIdx.x % 32;

  if (alone >> lane & 1)
    c.sums[run + __popc (heads & ((1u << lane) - 1))] =
        sum_of_moments (m, X, Y);
  for (uint32_t left = heads & ~alone; left; left &= left - 1) {
    int first = math_lowest_bit (left);
    uint32_t ends = ~linked & (~1u << first);
    int last = ends ? math_lowest_bit (ends) - 1 : 31;
    RowMoments sum = sum_run (m, lane >= first && lane <= last, first, last);

    if (lane == first)
      c.sums[run + __popc (heads & ((1u << lane) - 1))] =
          sum_of_moments (sum, X, Y);
  }
}

/* Lists the fragments of word @k with their runs, and sums each run. */
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
    wide = __ballot_sync (
        ALL_LANES, bits & bit && fills_tile (w, f.extent, tx, ty));
    linked = linked_lanes (w, bits, wide, f.extent, tx, ty);
    if (lane == 0)
      run = atomicAdd (&large->n_runs, (unsigned) __popc (bits & ~linked));
    run = __shfl_sync (ALL_LANES, run, 0);
    if (bits & bit)
      c.parts[c.before[k] + __popc (bits & (bit - 1))] = {
          (run + __popc (bits & ~linked & (bit | (bit - 1))) - 1) |
              (linked & bit ? LINKED : 0),
          f.extent};
    store_run_sums (c, fragment_moments (f, (int) lane), bits, linked, run,
        (unsigned) first * MOCT_TILE, (unsigned) ty * MOCT_TILE);
  }
  if (lane == 0)
    masks.wide[k] = wide, masks.linked[k] = linked;
}

/* Makes the runs of all words that no other warp has taken, in this block or in
 * a helping block. */
static __device__ __forceinline__ void
make_large_runs (
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

/* ---- Joining runs ---- */

/* Joins the first run of each word to the last run of the previous word, if
 * their fragments are neighbours and near. */
static __device__ __forceinline__ void
join_neighbour_words (const MoctWork &w, const Colour &c, const Masks &masks)
{
  int across = moct_words_x (&w);

  for (int k = threadIdx.x; k < moct_n_words (&w); k += blockDim.x) {
    int tx = k % across * 32, ty = k / across;
    uint32_t i, left;

    if (!tx || !(c.bits[k] & 1) || !find_fragment (w, c, tx - 1, ty, &left))
      continue;
    i = c.before[k];
    if (moct_boxes_near (fragment_box_at (c.parts[i].extent, tx, ty),
            fragment_box_at (c.parts[left].extent, tx - 1, ty),
            w.merge_distance)) {
      masks.linked[k] |= 1;
      union_join (
          c.parents, union_number<true> (c, i), union_number<true> (c, left));
      c.parts[i].tile |= LINKED;
    }
  }
}

/* Moves to each bit the bit of its left, or right, neighbour; @words lie row
 * after row. */
static __device__ __forceinline__ uint32_t
shift_from_left (const uint32_t *words, int k, int across)
{
  return words[k] << 1 | (k % across ? words[k - 1] >> 31 : 0);
}

static __device__ __forceinline__ uint32_t
shift_from_right (const uint32_t *words, int k, int across)
{
  return words[k] >> 1 | ((k + 1) % across ? words[k + 1] << 31 : 0);
}

/* Joins fragments of word @k to the fragments right above, if both nearly fill
 * their tiles, unless the left neighbours do so too and are linked: then the
 * left neighbours are joined instead.  A fragment above to the left or right is
 * connected if it is linked to the one right above.  Returns the fragments for
 * which these rules are not enough. */
static __device__ __forceinline__ uint32_t
join_filled_tiles (
    const MoctWork &w, const Colour &c, const Masks &masks, int k)
{
  int across = moct_words_x (&w), up = k - across;
  uint32_t bits = c.bits[k], both, both_left, above_left, above_right;

  if (moct_reach (&w) > 1)
    return bits;
  if (up < 0 || !bits)
    return 0;
  both = masks.wide[k] & masks.wide[up];
  both_left = shift_from_left (masks.wide, k, across) &
      shift_from_left (masks.wide, up, across);
  for (uint32_t left = both & ~(both_left & masks.linked[k] & masks.linked[up]);
       left; left &= left - 1) {
    uint32_t below = (left & -left) - 1;
    uint32_t i = c.before[k] + __popc (bits & below);
    uint32_t j = c.before[up] + __popc (c.bits[up] & below);

    union_join (
        c.parents, union_number<true> (c, i), union_number<true> (c, j));
  }
  above_left = shift_from_left (c.bits, up, across);
  above_right = shift_from_right (c.bits, up, across);
  return bits &
      ((~both & (above_left | c.bits[up] | above_right)) |
          (above_left & ~masks.linked[up]) |
          (above_right & ~shift_from_right (masks.linked, up, across)));
}

/* Joins the fragments of all words to those above: first a lane for each word,
 * then a lane for each fragment that join_filled_tiles () returns. */
static __device__ __forceinline__ void
join_runs_above (const MoctWork &w, const Colour &c, const Masks &masks)
{
  int across = moct_words_x (&w), lane = threadIdx.x % 32;
  int warps = blockDim.x / 32, warp = threadIdx.x / 32;

  for (int first = warp; first < moct_n_words (&w); first += blockDim.x) {
    int k = first + lane * warps;
    uint32_t left =
        k < moct_n_words (&w) ? join_filled_tiles (w, c, masks, k) : 0;

    for (uint32_t some = __ballot_sync (ALL_LANES, left != 0); some;
         some &= some - 1) {
      int other = math_lowest_bit (some), of = first + other * warps;

      if (__shfl_sync (ALL_LANES, left, other) >> lane & 1)
        join_near_fragments<true> (w, c,
            c.before[of] + __popc (c.bits[of] & ((1u << lane) - 1)),
            of % across * 32 + lane, of / across);
    }
  }
}

/* Makes the root of run @i its parent, and returns the root.  All threads climb
 * at once: each step halves the way of the runs below. */
static __device__ __forceinline__ uint32_t
hang_run_at_root (uint32_t *parents, uint32_t i)
{
  for (;;) {
    uint32_t parent = union_parent (parents, i);
    uint32_t above = union_parent (parents, parent);

    if (above == parent)
      return parent;
    atomicExch (&parents[i], above);
  }
}
