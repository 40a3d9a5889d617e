/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which runs of a colour hang together.  Where fragments nearly fill their
 * tiles, masks of a word say who is near to whom, and no box is looked at. */
#pragma once

#include "moct/moct_runs.cuh"

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
      unite (c.parents, member<true> (c, i), member<true> (c, left));
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

    unite (c.parents, member<true> (c, i), member<true> (c, j));
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
      int other = moct_lowest_bit (some), of = first + other * warps;

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
    uint32_t parent = parent_of (parents, i);
    uint32_t above = parent_of (parents, parent);

    if (above == parent)
      return parent;
    atomicExch (&parents[i], above);
  }
}
