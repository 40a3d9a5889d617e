/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The fragments of a colour, one of each tile that has any: a block counts
 * them, lists them, and joins those that hang together. */
#pragma once

#include "common/scan.cuh"
#include "common/union.cuh"
#include "moct/moct_cuda.cuh"

/* What a block works on, in shared memory or in that which the blocks share
 * out. */
struct Colour {
  unsigned cls;
  unsigned n, n_blobs;     /* fragments, and blobs that they are */
  uint32_t *bits, *before; /* of each word: its tiles; fragments before it */
  MoctPart *parts;         /* of each fragment */
  uint32_t *parents;       /* of each fragment or run: union-find */
  MoctSum *sums;           /* of each blob or run */
};

/* Flags of MoctPart. */
#define LINKED 0x80000000u /* near to the fragment on its left */
#define LOOSE 0x40000000u  /* and yet to be joined to it */

static __device__ __forceinline__ int
column (uint32_t tile)
{
  return tile & 0xffff;
}

static __device__ __forceinline__ int
row (uint32_t tile)
{
  return tile >> 16 & 0xfff;
}

/* Fetches the bits of the colour, and counts those before each word, in any
 * order of words. */
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

/* For the next frame. */
static __device__ __forceinline__ void
clear_bits (const MoctWork &w, uint32_t *bits)
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

/* The fragment of the colour in @tile, which has one: most often its first,
 * which is read together with the tile's header. */
static __device__ __forceinline__ MoctFragment
fragment_in (const MoctWork &w, const Colour &c, uint32_t tile)
{
  MoctCursor at = moct_first (&w, row (tile) * w.tiles_x + column (tile));
  uint4 v = *(const uint4 *) &w.fragments[at.at];

  if (at.cls != c.cls) {
    while (at.cls != c.cls)
      at = moct_next (&w, at);
    v = *(const uint4 *) &w.fragments[at.at];
  }
  return {v.x, v.y, v.z, v.w};
}

static __device__ __forceinline__ ImageBox
box_at (uint32_t extent, int tx, int ty)
{
  MoctFragment f = {0, 0, 0, extent};

  return moct_fragment_box (&f, tx, ty);
}

/* Whether there is a fragment in the tile at (@tx, @ty); its number goes to
 * @at. */
static __device__ __forceinline__ bool
find (const MoctWork &w, const Colour &c, int tx, int ty, uint32_t *at)
{
  int k = ty * moct_words_x (&w) + tx / 32;
  uint32_t bits = c.bits[k], bit = 1u << tx % 32;

  *at = c.before[k] + __popc (bits & (bit - 1));
  return bits & bit;
}

/* Joins each fragment to the one on its left, where that is near: where they
 * have lanes side by side, as most, by giving all of the run its first for a
 * parent. */
static __device__ __forceinline__ void
join_rows (const MoctWork &w, const Colour &c)
{
  uint32_t lane = threadIdx.x % 32;

  for (unsigned i = threadIdx.x; i - lane < c.n; i += blockDim.x) {
    bool linked = false, follows = false;
    uint32_t tile = 0, left;

    if (i < c.n) {
      int tx, ty;

      tile = c.parts[i].tile;
      tx = column (tile), ty = row (tile);
      linked = tx && find (w, c, tx - 1, ty, &left) &&
          moct_boxes_near (box_at (c.parts[i].extent, tx, ty),
              box_at (c.parts[left].extent, tx - 1, ty), w.merge_distance);
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

/* What fragment @i is of in the union-find: itself, or its run. */
template <bool RUNS>
static __device__ __forceinline__ uint32_t
member (const Colour &c, uint32_t i)
{
  return RUNS ? c.parts[i].tile & ~LINKED : i;
}

/* Joins fragment @i, in the tile at (@tx, @ty), to those before it, row by row,
 * that are near; but not to one that its own neighbour on the left is near to
 * as well, nor to one whose neighbour on the left it is near to itself.  That
 * pair lies further left, and is joined, either by itself or for the same
 * reason.  So the inside of an object takes no step. */
template <bool RUNS>
static __device__ __forceinline__ void
join (const MoctWork &w, const Colour &c, uint32_t i, int tx, int ty)
{
  uint32_t part = c.parts[i].tile, left = i;
  bool linked = part & LINKED;
  int reach = moct_reach (&w);
  ImageBox box = box_at (c.parts[i].extent, tx, ty), left_box = box;

  if (linked) {
    find (w, c, tx - 1, ty, &left);
    left_box = box_at (c.parts[left].extent, tx - 1, ty);
  }
  if (!RUNS && part & LOOSE)
    union_join (c.parents, i, left);
  for (int y = max (ty - reach, 0); y <= ty; y++) {
    int end = y < ty ? min (tx + reach, w.tiles_x - 1) : tx - 2;
    bool near_before = false;

    for (int x = max (tx - reach, 0); x <= end; x++) {
      uint32_t j;
      ImageBox other;
      bool near = find (w, c, x, y, &j);

      if (near) {
        other = box_at (c.parts[j].extent, x, y);
        near = moct_boxes_near (box, other, w.merge_distance);
      }
      if (near && !(near_before && c.parts[j].tile & LINKED) &&
          !(linked && x < tx + reach &&
              moct_boxes_near (left_box, other, w.merge_distance)))
        union_join (c.parents, union_parent (c.parents, member<RUNS> (c, i)),
            union_parent (c.parents, member<RUNS> (c, j)));
      near_before = near;
    }
  }
}
