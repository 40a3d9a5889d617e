/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * First kernel of GPUCCL_RUN: the pieces of every tile.
 *
 * A lane has a column of the tile, a warp some of its rows.  Runs of linked
 * pixels are read off words of bits, united, and added up at their roots. */
#pragma once

#include "gpuccl/gpuccl_tile_add.cuh"

/* All labels of the tile are 0, four of them at once where they can be. */
static __device__ __forceinline__ void
clear_labels (const GpucclArgs &a)
{
  int width = a.w.frame.width, x = blockIdx.x * TILE + threadIdx.x % 8 * 4;
  int y0 = blockIdx.y * TILE, y1 = min (y0 + TILE, a.w.frame.height);

  if (threadIdx.x == 0)
    a.p.seams[this_tile (a)].used = 0;
  for (int y = y0 + threadIdx.x / 8; y < y1; y += TILE_THREADS / 8) {
    uint32_t *labels = &a.w.labels[(uint32_t) (y * width + x)];

    if (width % 4 == 0 && x + 3 < width)
      *(uint4 *) labels = make_uint4 (0, 0, 0, 0);
    else
      for (int i = 0; i < 4 && x + i < width; i++)
        labels[i] = 0;
  }
}

/* ---- Pieces ---- */

/* From the labels of the lane's pixels to their roots, all at once and two
 * steps at a time; roots are numbered. */
static __device__ __forceinline__ void
number_roots (Tile *t, const Rows &r, uint32_t label[WARP_ROWS])
{
  int lane = threadIdx.x % 32;
  uint32_t roots[WARP_ROWS], n = 0, number = 0;
  bool climbs;

  if (is_empty (r))
    return;
  do {
    climbs = false;
#pragma unroll
    for (int i = 0; i < WARP_ROWS; i++) {
      uint32_t parent = t->parents[label[i]];

      label[i] = t->parents[parent];
      climbs |= parent != label[i];
    }
  } while (climbs);
  __syncwarp ();
#pragma unroll
  for (int i = 0; i < WARP_ROWS; i++) {
    uint32_t at = (uint32_t) (TILE * (first_row () + i) + lane);

    roots[i] = __ballot_sync (ALL_LANES, label[i] == at) & r.foreground[i + 1];
    n += __popc (roots[i]);
  }
  if (!n)
    return;
  if (lane == 0)
    number = atomicAdd (&t->n, n);
  number = __shfl_sync (ALL_LANES, number, 0);
#pragma unroll
  for (int i = 0; i < WARP_ROWS; i++) {
    uint32_t own = number + __popc (roots[i] & (lanes_to (lane) >> 1));

    number += __popc (roots[i]);
    if (!(roots[i] >> lane & 1))
      continue;
    t->piece[label[i]] = (uint16_t) own;
    if (own < NEAR_SUMS)
      t->roots[own] = label[i];
  }
}

/* Makes the sums of the tile's @n pieces that lie in global memory, where there
 * are so many; the pieces' place is known to all then. */
static __device__ __forceinline__ void
begin_far_sums (const GpucclArgs &a, Tile *t, uint32_t n, uint32_t first)
{
  if (n <= NEAR_SUMS)
    return;
  if (threadIdx.x == 0)
    t->first = first;
  __syncthreads ();
  for (uint32_t i = threadIdx.x + NEAR_SUMS; i < n; i += TILE_THREADS)
    if (t->first + i < a.p.max_pieces)
      a.p.pieces[t->first + i] = gpuccl_sum_nothing ();
  __threadfence ();
  __syncthreads ();
}

/* Gives the @n pieces away; starts of runs are labelled with theirs. */
template <Depth DEPTH>
static __device__ __forceinline__ void
write_pieces (const GpucclArgs &a, const Tile &t, uint32_t n, const Rows &r,
    uint32_t numbers[WARP_ROWS])
{
  int lane = threadIdx.x % 32;
  uint32_t at =
      (uint32_t) ((blockIdx.y * TILE + first_row ()) * a.w.frame.width +
          blockIdx.x * TILE + lane);

#pragma unroll
  for (int i = 0; i < WARP_ROWS; i++, at += (uint32_t) a.w.frame.width) {
    numbers[i] += t.first;
    if (r.foreground[i + 1] & ~r.left[i + 1] & 1u << lane)
      a.w.labels[at] = numbers[i];
  }
  write_edges (a, numbers);
  for (uint32_t i = threadIdx.x; i < n; i += TILE_THREADS) {
    at = t.first + i;
    if (at >= a.p.max_pieces)
      return;
    a.p.parents[at] = at;
    if (i < NEAR_SUMS)
      a.p.pieces[at] = frame_sum<DEPTH> (a.w, part_of (t.sums, i), t.roots[i]);
  }
}

/* ---- Kernel ---- */

/* Unites the tile's runs, and turns labels into the numbers of pieces; returns
 * how many there are. */
template <bool EIGHT>
static __device__ __forceinline__ uint32_t
find_pieces (Tile *t, Rows *r, uint32_t later, uint32_t label[WARP_ROWS])
{
  uint32_t n;

  if (first_row ()) {
    see_above (*t, r);
    later |= links_of_lane<EIGHT> (upwards<EIGHT> (*r, 1), 0);
  }
  unite_rows (t, later);
  __syncthreads ();
  number_roots (t, *r, label);
  __syncthreads ();
  n = t->n;
#pragma unroll
  for (int i = 0; i < WARP_ROWS; i++)
    label[i] = n > 1 ? t->piece[label[i]] : 0;
  return n;
}

/* The pieces of the tile, whose place the first thread asks for while all add
 * up. */
template <Depth DEPTH, bool EIGHT>
static __device__ __forceinline__ uint32_t
sum_pieces (const GpucclArgs &a, Tile *t, Rows *r, uint32_t number[WARP_ROWS])
{
  bool solid = is_solid (*r);
  uint32_t later = label_rows<EIGHT> (t, *r, solid, number), n = 1, first = 0;

  if (!__syncthreads_and (solid))
    n = find_pieces<EIGHT> (t, r, later, number);
  else {
#pragma unroll
    for (int i = 0; i < WARP_ROWS; i++)
      number[i] = 0;
    if (threadIdx.x == 0)
      t->roots[0] = 0;
  }
  if (threadIdx.x == 0)
    first = atomicAdd (&a.p.counters->n_pieces, n);
  begin_far_sums (a, t, n, first);
  add_rows<DEPTH> (a, t, n, *r, number);
  if (threadIdx.x == 0 && n <= NEAR_SUMS)
    t->first = first;
  return n;
}

/* Threads at once on a multiprocessor: 40 registers each, where there is room;
 * with more of them and fewer blocks it is slower. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
# define AT_ONCE 1024
#else
# define AT_ONCE 1536
#endif

template <Depth DEPTH, bool EIGHT>
static __global__ void
__launch_bounds__ (TILE_THREADS, AT_ONCE / TILE_THREADS)
    tiles_kernel (const __grid_constant__ GpucclArgs a)
{
  __shared__ Tile t;
  bool first = threadIdx.x < 32, unknown = false;
  bool last = threadIdx.x >= TILE_THREADS - 32;
  uint32_t n, number[WARP_ROWS] = {};
  Rows r;
  Beside b;

  allow_next ();
  if (threadIdx.x == 0)
    t.n = 0;
  look (a.w, &r, &unknown);
  if (!__syncthreads_or (any_row (r.foreground) | unknown)) {
    clear_labels (a);
    return;
  }
  if (last)
    b = load_beside<DEPTH> (a.w);
  if (__any_sync (ALL_LANES, unknown))
    count_unknown (a);
  clear_sums (&t.sums);
  load_depth<DEPTH> (a.w, &r);
  link_rows<DEPTH, EIGHT> (a.w.link, &r);
  write_rows (a, &t, r);
  if (first)
    write_upper_seam<DEPTH, EIGHT> (a, r);
  if (last)
    write_left_seam<DEPTH, EIGHT> (a, b);
  n = sum_pieces<DEPTH, EIGHT> (a, &t, &r, number);
  __syncthreads ();
  write_pieces<DEPTH> (a, t, n, r, number);
}

/* The kernel that @a wants. */
static GpucclKernel
tiles_kernel_for (const GpucclArgs *a)
{
  bool eight = a->w.connectivity == 8;

  if (!a->w.frame.depth)
    return eight ? tiles_kernel<NONE, true> : tiles_kernel<NONE, false>;
  if (a->w.link.bits)
    return eight ? tiles_kernel<FINE, true> : tiles_kernel<FINE, false>;
  return eight ? tiles_kernel<WHOLE, true> : tiles_kernel<WHOLE, false>;
}
