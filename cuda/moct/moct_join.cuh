/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The fragments of a colour, at most one a tile: a block counts them, lists
 * them, and joins those that are near each other. */
#pragma once

#include "common/scan.cuh"
#include "common/union.cuh"
#include "moct/moct_cuda.cuh"

/* The data of the colour that a block works on, in shared memory or in the
 * memory that the blocks divide among them. */
struct Colour {
  unsigned cls;
  unsigned n, n_blobs;     /* fragments; blobs */
  uint32_t *bits, *before; /* of each word: its tiles; number of fragments
                              before it */
  MoctPart *parts;         /* of each fragment */
  uint32_t *parents;       /* of each fragment or run, for union-find */
  MoctSum *sums;           /* of each blob or run */
};

/* Flags of MoctPart.tile. */
#define LINKED 0x80000000u /* near to the fragment on the left */
#define LOOSE 0x40000000u  /* not yet joined to that fragment */

static __device__ __forceinline__ int
tile_column (uint32_t tile)
{
  return tile & 0xffff;
}

static __device__ __forceinline__ int
tile_row (uint32_t tile)
{
  return tile >> 16 & 0xfff;
}

/* Loads the bits of the colour, and counts the fragments before each word, in
 * any order of words. */
static __device__ __forceinline__ void
count_fragments (const MoctWork &w, uint32_t *from, uint32_t *bits,
    uint32_t *before, unsigned *n)
{
  int lane = threadIdx.x % 32;

  for (int first = 0; first < moct_n_words (&w); first += 4 * blockDim.x) {
    int k = first + 4 * (int) threadIdx.x;
    bool mine = k < moct_n_words (&w);
    uint4 b = mine ? *(const uint4 *) &from[k] : make_uint4 (0, 0, 0, 0);
    uint32_t y = __popc (b.x), z = y + __popc (b.y), u = z + __popc (b.z);
    uint32_t have = u + __popc (b.w), all, start = 0;
    uint32_t earlier = warp_sum_before (have, &all);

    if (lane == 31 && all)
      start = atomicAdd (n, all);
    start = __shfl_sync (ALL_LANES, start, 31) + earlier;
    if (mine)
      *(uint4 *) &before[k] =
          make_uint4 (start, start + y, start + z, start + u);
    if (mine && bits != from)
      *(uint4 *) &bits[k] = b;
  }
}

/* Clears the colour's bits for the next frame. */
static __device__ __forceinline__ void
clear_colour_bits (const MoctWork &w, uint32_t *bits)
{
  for (int k = 4 * threadIdx.x; k < moct_n_words (&w); k += 4 * blockDim.x)
    *(uint4 *) &bits[k] = make_uint4 (0, 0, 0, 0);
}

static __device__ __forceinline__ void
list_fragments (const MoctWork &w, const Colour &c)
{
  int across = moct_words_x (&w);

  for (int k = threadIdx.x; k < moct_n_words (&w); k += blockDim.x) {
    uint32_t at = c.before[k];

    for (uint32_t bits = c.bits[k]; bits; bits &= bits - 1, at++)
      c.parts[at].tile =
          (uint32_t) (32 * (k % across) + math_lowest_bit (bits)) |
          (uint32_t) (k / across) << 16;
  }
}

/* The fragment of the colour in @tile, which has a fragment.  Most often it is
 * the tile's first, which is loaded together with the tile's header. */
static __device__ __forceinline__ MoctFragment
fragment_in (const MoctWork &w, const Colour &c, uint32_t tile)
{
  MoctCursor at =
      moct_first (&w, tile_row (tile) * w.tiles_x + tile_column (tile));
  uint4 v = *(const uint4 *) &w.fragments[at.at];

  if (at.cls != c.cls) {
    while (at.cls != c.cls)
      at = moct_next (&w, at);
    v = *(const uint4 *) &w.fragments[at.at];
  }
  return {v.x, v.y, v.z, v.w};
}

static __device__ __forceinline__ ImageBox
fragment_box_at (uint32_t extent, int tx, int ty)
{
  MoctFragment f = {0, 0, 0, extent};

  return moct_fragment_box (&f, tx, ty);
}

/* Whether the colour has a fragment in the tile at (@tx, @ty).  Sets @at to its
 * number. */
static __device__ __forceinline__ bool
find_fragment (const MoctWork &w, const Colour &c, int tx, int ty, uint32_t *at)
{
  int k = ty * moct_words_x (&w) + tx / 32;
  uint32_t bits = c.bits[k], bit = 1u << tx % 32;

  *at = c.before[k] + __popc (bits & (bit - 1));
  return bits & bit;
}

/* Joins each fragment to its left neighbour, if that is near.  Neighbours in
 * neighbouring lanes, as most are, form a run, whose members get the first as
 * parent. */
static __device__ __forceinline__ void
join_row_neighbours (const MoctWork &w, const Colour &c)
{
  uint32_t lane = threadIdx.x % 32;

  for (unsigned i = threadIdx.x; i - lane < c.n; i += blockDim.x) {
    bool linked = false, follows = false;
    uint32_t tile = 0, left;

    if (i < c.n) {
      int tx, ty;

      tile = c.parts[i].tile;
      tx = tile_column (tile), ty = tile_row (tile);
      linked = tx && find_fragment (w, c, tx - 1, ty, &left) &&
          moct_boxes_near (fragment_box_at (c.parts[i].extent, tx, ty),
              fragment_box_at (c.parts[left].extent, tx - 1, ty),
              w.merge_distance);
      follows = linked && lane && left == i - 1;
    }

    uint32_t firsts = ~__ballot_sync (ALL_LANES, follows) & ((2u << lane) - 1);

    if (i < c.n) {
      c.parents[i] = i - lane + moct_highest_bit (firsts);
      c.parts[i].tile =
          tile | (linked ? LINKED : 0) | (linked && !follows ? LOOSE : 0);
    }
  }
}

/* The number of fragment @i in the union-find: @i, or the number of its run. */
template <bool RUNS>
static __device__ __forceinline__ uint32_t
union_number (const Colour &c, uint32_t i)
{
  return RUNS ? c.parts[i].tile & ~LINKED : i;
}

/* Joins fragment @i, in the tile at (@tx, @ty), to the near fragments before
 * it, row by row.  Two kinds of pair are left out: the other fragment's left
 * neighbour is near to both, or this fragment's left neighbour is near to both.
 * In each, a pair further left gives the same connection.  So pairs inside an
 * object need no union. */
template <bool RUNS>
static __device__ __forceinline__ void
join_near_fragments (
    const MoctWork &w, const Colour &c, uint32_t i, int tx, int ty)
{
  uint32_t part = c.parts[i].tile, left = i;
  bool linked = part & LINKED;
  int reach = moct_reach (&w);
  ImageBox box = fragment_box_at (c.parts[i].extent, tx, ty), left_box = box;

  if (linked) {
    find_fragment (w, c, tx - 1, ty, &left);
    left_box = fragment_box_at (c.parts[left].extent, tx - 1, ty);
  }
  if (!RUNS && part & LOOSE)
    union_join (c.parents, i, left);
  for (int y = max (ty - reach, 0); y <= ty; y++) {
    int end = y < ty ? min (tx + reach, w.tiles_x - 1) : tx - 2;
    bool near_before = false;

    for (int x = max (tx - reach, 0); x <= end; x++) {
      uint32_t j;
      ImageBox other;
      bool near = find_fragment (w, c, x, y, &j);

      if (near) {
        other = fragment_box_at (c.parts[j].extent, x, y);
        near = moct_boxes_near (box, other, w.merge_distance);
      }
      if (near && !(near_before && c.parts[j].tile & LINKED) &&
          !(linked && x < tx + reach &&
              moct_boxes_near (left_box, other, w.merge_distance)))
        union_join (c.parents,
            union_parent (c.parents, union_number<RUNS> (c, i)),
            union_parent (c.parents, union_number<RUNS> (c, j)));
      near_before = near;
    }
  }
}
