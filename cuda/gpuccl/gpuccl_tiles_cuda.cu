/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * First kernel of GPUCCL_RUN: the pieces of every tile.
 *
 * A lane has a column of the tile, a warp four of its rows.  Runs of linked
 * pixels are read off words of bits, united, and added up at their roots. */
#include "gpuccl/gpuccl_tile_union.cuh"

/* All labels of the tile are 0; @whole: four of them can be written at once. */
static __device__ __forceinline__ void
clear_labels (const GpucclArgs &a, bool whole)
{
  int width = a.w.frame.width, height = a.w.frame.height;
  int x = blockIdx.x * TILE + threadIdx.x % 8 * 4;
  int y = blockIdx.y * TILE + threadIdx.x / 8;
  uint32_t *labels = &a.w.labels[(uint32_t) (y * width + x)];

  if (threadIdx.x == 0)
    a.p.seams[this_tile (a)].used = 0;
  if (y >= height)
    return;
  if (whole && width % 4 == 0)
    *(uint4 *) labels = make_uint4 (0, 0, 0, 0);
  else
    for (int i = 0; i < 4 && x + i < width; i++)
      labels[i] = 0;
}

/* @unknown has some bits for each pixel of no known class. */
static __device__ __forceinline__ void
count_unknown (const GpucclArgs &a, uint32_t unknown, int bits)
{
  uint32_t n;

  if (a.w.values.last == 255 || !__any_sync (ALL_LANES, unknown))
    return;
  n = warp_sum ((uint32_t) (__popc (unknown) / bits));
  if (threadIdx.x % 32 == 0)
    atomicAdd (&a.p.counters->n_unknown, n);
}

/* ---- Pieces ---- */

/* From the labels of the lane's pixels to their roots, all at once; roots are
 * numbered. */
static __device__ __forceinline__ void
number_roots (Tile *t, const Rows &r, uint32_t label[ROWS])
{
  int lane = threadIdx.x % 32;
  uint32_t roots[ROWS], n = 0, number = 0;
  bool climbs;

  if (is_empty (r))
    return;
  do {
    climbs = false;
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
      uint32_t parent = t->parents[label[i]];

      climbs |= parent != label[i];
      label[i] = parent;
    }
  } while (climbs);
  __syncwarp ();
#pragma unroll
  for (int i = 0; i < ROWS; i++) {
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
  for (int i = 0; i < ROWS; i++) {
    uint32_t own = number + __popc (roots[i] & (lanes_to (lane) >> 1));

    number += __popc (roots[i]);
    if (!(roots[i] >> lane & 1))
      continue;
    t->piece[label[i]] = (uint16_t) own;
    if (own < NEAR_SUMS) {
      t->roots[own] = label[i];
      clear_sum (&t->sums[own]);
    }
  }
}

/* Gets room for the tile's pieces, whose place the first thread learns, while
 * others add up.  Those whose sums lie in global memory are added to from here
 * on. */
static __device__ __forceinline__ uint32_t
reserve (const GpucclArgs &a, Tile *t)
{
  uint32_t first = 0;

  if (threadIdx.x == 0)
    first = atomicAdd (&a.p.counters->n_pieces, t->n);
  if (t->n <= NEAR_SUMS)
    return first;
  if (threadIdx.x == 0)
    t->first = first;
  __syncthreads ();
  for (uint32_t i = threadIdx.x + NEAR_SUMS; i < t->n; i += THREADS)
    if (t->first + i < a.p.max_pieces)
      a.p.pieces[t->first + i] = gpuccl_sum_nothing ();
  __threadfence ();
  __syncthreads ();
  return first;
}

/* Adds the runs of row @i of the warp's; @number: of the lane's pixel. */
template <Depth DEPTH>
static __device__ __forceinline__ void
add_row (const GpucclArgs &a, Tile *t, const Rows &r, int i, uint32_t number)
{
  int lane = threadIdx.x % 32, row = first_row () + i;
  uint32_t left = r.left[i + 1], starts = r.foreground[i + 1] & ~left, run;
  TileSum s;

  if (!starts)
    return;
  s = run_sums<DEPTH> (a.w, left, whole_depth<DEPTH> (r.depth[i + 1]),
      blockIdx.x * TILE + lane, blockIdx.y * TILE + row);
  if (!(starts >> lane & 1))
    return;
  run = run_mask (left, lane);
  if (number < NEAR_SUMS)
    add_run<DEPTH> (a.w, &t->sums[number], s, run, row);
  else if (t->first + number < a.p.max_pieces)
    add_far<DEPTH> (a.w, &a.p.pieces[t->first + number], s, run, row);
}

/* Adds the warp's rows; @numbers: of the lane's pixels. */
template <Depth DEPTH>
static __device__ __forceinline__ void
add_rows (
    const GpucclArgs &a, Tile *t, const Rows &r, const uint32_t numbers[ROWS])
{
  uint32_t least = UINT32_MAX, most = 0;

  if (is_empty (r))
    return;
#pragma unroll
  for (int i = 0; i < ROWS; i++)
    if (r.foreground[i + 1] >> threadIdx.x % 32 & 1) {
      least = min (least, numbers[i]);
      most = max (most, numbers[i]);
    }
  if (!(r.left[1] | r.left[2] | r.left[3] | r.left[4]) &&
      __all_sync (ALL_LANES, least >= most && most < NEAR_SUMS)) {
    if (least == most)
      add_column<DEPTH> (a.w, r, &t->sums[most]);
    return;
  }
  least = ~warp_max (~least), most = warp_max (most);
  if (least == most && most < NEAR_SUMS) {
    add_warp<DEPTH> (a.w, r, &t->sums[most]);
    return;
  }
#pragma unroll
  for (int i = 0; i < ROWS; i++)
    add_row<DEPTH> (a, t, r, i, numbers[i]);
}

/* Gives the pieces away; starts of runs are labelled with theirs. */
template <Depth DEPTH>
static __device__ __forceinline__ void
write_pieces (
    const GpucclArgs &a, const Tile &t, const Rows &r, uint32_t numbers[ROWS])
{
  int lane = threadIdx.x % 32;
  uint32_t at =
      (uint32_t) ((blockIdx.y * TILE + first_row ()) * a.w.frame.width +
          blockIdx.x * TILE + lane);

#pragma unroll
  for (int i = 0; i < ROWS; i++, at += (uint32_t) a.w.frame.width) {
    numbers[i] += t.first;
    if (r.foreground[i + 1] & ~r.left[i + 1] & 1u << lane)
      a.w.labels[at] = numbers[i];
  }
  write_edges (a, numbers);
  for (uint32_t i = threadIdx.x; i < t.n; i += THREADS) {
    at = t.first + i;
    if (at >= a.p.max_pieces)
      return;
    a.p.parents[at] = at;
    if (i < NEAR_SUMS)
      a.p.pieces[at] = frame_sum<DEPTH> (a.w, t.sums[i], t.roots[i]);
  }
}

/* ---- Kernel ---- */

/* The one piece of a solid tile. */
template <Depth DEPTH>
static __device__ __forceinline__ void
find_piece (const GpucclArgs &a, Tile *t, const Rows &r, uint32_t number[ROWS])
{
  uint32_t first = 0;

  if (threadIdx.x == 0) {
    t->n = 1, t->roots[0] = 0;
    clear_sum (&t->sums[0]);
    first = atomicAdd (&a.p.counters->n_pieces, 1u);
  }
#pragma unroll
  for (int i = 0; i < ROWS; i++)
    number[i] = 0;
  __syncthreads ();
  add_warp<DEPTH> (a.w, r, &t->sums[0]);
  if (threadIdx.x == 0)
    t->first = first;
}

/* The pieces of a tile that is not of one alone. */
template <Depth DEPTH>
static __device__ __forceinline__ void
find_pieces (const GpucclArgs &a, Tile *t, const Rows &r, uint32_t label[ROWS],
    uint32_t later)
{
  uint32_t first;

  unite_rows (t, later);
  __syncthreads ();
  number_roots (t, r, label);
  __syncthreads ();
  first = reserve (a, t);
#pragma unroll
  for (int i = 0; i < ROWS; i++)
    label[i] = t->piece[label[i]];
  add_rows<DEPTH> (a, t, r, label);
  if (threadIdx.x == 0 && t->n <= NEAR_SUMS)
    t->first = first;
}

template <Depth DEPTH, bool EIGHT>
static __global__ void
__launch_bounds__ (THREADS, 6)
    tiles_kernel (const __grid_constant__ GpucclArgs a)
{
  __shared__ Tile t;
  bool whole = is_whole (a), solid;
  uint32_t pixels, unknown, later, label[ROWS] = {};
  Rows r;
  Beside b;

  allow_next ();
  if (threadIdx.x == 0)
    t.n = t.left = t.left_up = t.left_down = 0;
  if (whole)
    pixels = look (a, &unknown);
  else {
    look_closely (a.w, &r, &unknown);
    pixels =
        r.foreground[1] | r.foreground[2] | r.foreground[3] | r.foreground[4];
  }
  if (!__syncthreads_or (pixels | unknown)) {
    clear_labels (a, whole);
    return;
  }
  count_unknown (a, unknown, whole ? 8 : 1);
  if (whole)
    words_of (pixels, &r);
  b = load_depth<DEPTH> (a.w, &r);
  link_rows<DEPTH, EIGHT> (a.w.link, b, &r);
  note_left_seam<EIGHT> (&t, r);
  write_rows (a, r);
  solid = is_solid (r);
  later = label_rows<EIGHT> (&t, r, solid, label);
  if (!__syncthreads_and (solid))
    find_pieces<DEPTH> (a, &t, r, label, later);
  else
    find_piece<DEPTH> (a, &t, r, label);
  if (threadIdx.x < 32)
    write_seams<DEPTH, EIGHT> (a, t, r);
  __syncthreads ();
  write_pieces<DEPTH> (a, t, r, label);
}

GpucclKernel
gpuccl_tiles_kernel (const GpucclArgs *a)
{
  bool eight = a->w.connectivity == 8;

  if (!a->w.frame.depth)
    return eight ? tiles_kernel<NONE, true> : tiles_kernel<NONE, false>;
  if (a->w.link.bits)
    return eight ? tiles_kernel<FINE, true> : tiles_kernel<FINE, false>;
  return eight ? tiles_kernel<WHOLE, true> : tiles_kernel<WHOLE, false>;
}
