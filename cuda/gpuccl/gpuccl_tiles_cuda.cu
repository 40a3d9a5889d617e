/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * First kernel of GPUCCL_RUN: the pieces of every tile.
 *
 * A lane has a column of the tile, a warp four of its rows.  Runs of linked
 * pixels are read off words of bits, united over the links that lead nowhere
 * else, and summed: what a run adds has a closed form, or is the sum over a
 * warp. */
#include "gpuccl/gpuccl_solid.cuh"

/* Unites the runs of row @y with those above, over the links that are needed;
 * @left_above: the links to the left in the row above. */
template <bool EIGHT>
static __device__ __forceinline__ void
unite_row (Tile *t, const RowLinks &r, uint32_t left_above, int y, int lane)
{
  uint32_t bit = 1u << lane, above = t->rows[y - 1].starts;
  uint32_t up = (uint32_t) gpuccl_up_needed (
      r.up, r.left, left_above, (uint64_t) r.up << 1);
  uint32_t up_left = 0, up_right = 0, own;

  if (EIGHT) {
    up_left = (uint32_t) gpuccl_up_left_needed (
        r.up_left, r.left, (uint64_t) r.up << 1, r.up, left_above);
    up_right = (uint32_t) gpuccl_up_right_needed (
        r.up_right, r.left >> 1, r.up >> 1, r.up, left_above >> 1);
  }
  if (!((up | up_left | up_right) & bit))
    return;
  own = (uint32_t) (TILE * y + start_of (t->rows[y].starts, lane));
  y = TILE * (y - 1);
  if (up & bit)
    unite (t->parents, own, (uint32_t) (y + start_of (above, lane)));
  if (up_left & bit)
    unite (t->parents, own, (uint32_t) (y + start_of (above, lane - 1)));
  if (up_right & bit)
    unite (t->parents, own, (uint32_t) (y + start_of (above, lane + 1)));
}

/* Whether the tile may have foreground, or values of no known meaning: a quick
 * look at four pixels a lane. */
static __device__ __forceinline__ bool
may_be_used (const GpucclArgs &a)
{
  const GpucclFrame &f = a.w.frame;
  int y = blockIdx.y * TILE + threadIdx.x / 8;
  int x = blockIdx.x * TILE + threadIdx.x % 8 * 4;
  uint32_t v, first = a.w.values.first * 0x01010101u;

  if (!a.aligned || x + 4 > f.width)
    return true;
  if (y >= f.height)
    return false;
  v = *(const uint32_t *) &f.map[(size_t) y * f.map_stride + x];
  return __vcmpleu4 (__vsub4 (v, first), a.w.values.span * 0x01010101u) |
      __vcmpgtu4 (v, a.w.values.last * 0x01010101u);
}

/* All labels of the tile are 0. */
static __device__ __forceinline__ void
clear_labels (const GpucclWork &w)
{
  int x = blockIdx.x * TILE + threadIdx.x % 32;

  for (int i = threadIdx.x / 32; i < TILE; i += WARPS) {
    int y = blockIdx.y * TILE + i;

    if (x < w.frame.width && y < w.frame.height)
      w.labels[(size_t) y * w.frame.width + x] = 0;
  }
}

template <bool DEPTH, bool EIGHT>
static __device__ __forceinline__ void
load_rows (const GpucclArgs &a, Tile *t, Rows *r)
{
  int lane = threadIdx.x % 32, first = threadIdx.x / 32 * ROWS;
  int x = blockIdx.x * TILE + lane, y = blockIdx.y * TILE + first;
  bool unknown = false, ignored = false;
  uint32_t n;

#pragma unroll
  for (int i = 0; i <= ROWS; i++)
    r->pixels[i] =
        load_pixel<DEPTH> (a.w, x, y + i - 1, i ? &unknown : &ignored);
  r->links[0] = row_links<DEPTH, false> (a.w, r->pixels[0], Pixel (), lane);
#pragma unroll
  for (int i = 1; i <= ROWS; i++) {
    r->links[i] =
        row_links<DEPTH, EIGHT> (a.w, r->pixels[i], r->pixels[i - 1], lane);
    if (lane == 0)
      t->rows[first + i - 1] = {
          r->links[i].foreground, r->links[i].foreground & ~r->links[i].left};
  }
  if (a.w.values.last == 255 || !__any_sync (ALL_LANES, unknown))
    return;
  n = 0;
  for (int i = 0; i < ROWS; i++) {
    unknown = false;
    load_pixel<false> (a.w, x, y + i, &unknown);
    n += __popc (__ballot_sync (ALL_LANES, unknown));
  }
  if (lane == 0)
    atomicAdd (&a.p.counters->n_unknown, n);
}

template <bool EIGHT>
static __device__ __forceinline__ void
unite_rows (Tile *t, const Rows &r)
{
  int lane = threadIdx.x % 32, first = threadIdx.x / 32 * ROWS;

#pragma unroll
  for (int i = 0; i < ROWS; i++)
    if (first + i)
      unite_row<EIGHT> (t, r.links[i + 1], r.links[i].left, first + i, lane);
}

/* Hangs all starts at their roots: each at its parent's parent, again and
 * again, so that a way up takes as many rounds as its length has bits. */
static __device__ __forceinline__ void
flatten (Tile *t)
{
  int at = TILE * ROWS * (threadIdx.x / 32) + threadIdx.x % 32;
  uint32_t parents[ROWS], next[ROWS];
  bool changed;

#pragma unroll
  for (int i = 0; i < ROWS; i++)
    parents[i] = t->parents[at + TILE * i];
  do {
    changed = false;
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
      next[i] = t->parents[parents[i]];
      changed |= next[i] != parents[i];
    }
    changed = __syncthreads_or (changed);
#pragma unroll
    for (int i = 0; i < ROWS; i++)
      t->parents[at + TILE * i] = parents[i] = next[i];
    __syncthreads ();
  } while (changed);
}

/* Numbers the roots, and gets room for them. */
static __device__ __forceinline__ uint32_t
number_pieces (const GpucclArgs &a, Tile *t)
{
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  uint32_t before = 0, total = 0, roots[ROWS];

#pragma unroll
  for (int i = 0; i < ROWS; i++) {
    uint32_t at = (uint32_t) (TILE * (warp * ROWS + i) + lane);
    bool start = t->rows[warp * ROWS + i].starts >> lane & 1;

    roots[i] = __ballot_sync (ALL_LANES, start && t->parents[at] == at);
    total += __popc (roots[i]);
  }
  if (lane == 0)
    t->counts[warp] = total;
  __syncthreads ();
  total = 0;
  for (int k = 0; k < WARPS; k++) {
    before += k < warp ? t->counts[k] : 0;
    total += t->counts[k];
  }
#pragma unroll
  for (int i = 0; i < ROWS; i++) {
    uint32_t at = (uint32_t) (TILE * (warp * ROWS + i) + lane);
    uint32_t number = before + __popc (roots[i] & (lanes_to (lane) >> 1));

    if (roots[i] >> lane & 1) {
      t->piece[at] = (uint16_t) number;
      if (number < NEAR_SUMS) {
        t->roots[number] = at;
        clear_sum (&t->sums[number]);
      }
    }
    before += __popc (roots[i]);
  }
  if (threadIdx.x == 0)
    t->first = atomicAdd (&a.p.counters->n_pieces, total);
  __syncthreads ();
  for (uint32_t i = threadIdx.x + NEAR_SUMS; i < total; i += THREADS)
    if (t->first + i < a.p.max_pieces)
      a.p.pieces[t->first + i] = gpuccl_sum_nothing ();
  if (total > NEAR_SUMS) {
    __threadfence ();
    __syncthreads ();
  }
  return total;
}

/* Adds a row's runs to their pieces; starts of runs are labelled with these. */
template <bool DEPTH>
static __device__ __forceinline__ void
add_row (const GpucclArgs &a, Tile *t, const Pixel &p, const RowLinks &r, int i)
{
  int lane = threadIdx.x % 32, x = blockIdx.x * TILE + lane;
  int y = blockIdx.y * TILE + i;
  uint32_t starts = r.foreground & ~r.left, number, run;
  TileSum s;

  if (!starts)
    return;
  s = run_sums<DEPTH> (a.w, r, starts, p, x, y, lane);
  if (!(starts >> lane & 1))
    return;
  run = run_mask (r.left, lane);
  number = t->piece[t->parents[TILE * i + lane]];
  if (number < NEAR_SUMS)
    add_run (&t->sums[number], s, run, i);
  else if (t->first + number < a.p.max_pieces)
    add_far (&a.p.pieces[t->first + number], s, run, i, a.w.frame.width);
  a.w.labels[(size_t) y * a.w.frame.width + x] = t->first + number;
}

template <bool DEPTH, bool EIGHT>
static __global__ void
__launch_bounds__ (THREADS) tiles_kernel (const __grid_constant__ GpucclArgs a)
{
  __shared__ Tile t;
  int lane = threadIdx.x % 32, first = threadIdx.x / 32 * ROWS;
  Rows r;
  uint32_t n;

  allow_next ();
  if (!__syncthreads_or (may_be_used (a))) {
    clear_labels (a.w);
    if (threadIdx.x == 0)
      a.p.seams[blockIdx.y * a.p.tiles_x + blockIdx.x].used = 0;
    return;
  }
  load_rows<DEPTH, EIGHT> (a, &t, &r);
  write_seams<DEPTH, EIGHT> (a, r);
  if (__syncthreads_and (is_solid (r))) {
    write_solid<DEPTH> (a, &t, r);
    return;
  }
#pragma unroll
  for (int i = 0; i < ROWS; i++)
    t.parents[TILE * (first + i) + lane] =
        (uint32_t) (TILE * (first + i) + lane);
  __syncthreads ();
  unite_rows<EIGHT> (&t, r);
  __syncthreads ();
  flatten (&t);
  n = number_pieces (a, &t);
#pragma unroll
  for (int i = 0; i < ROWS; i++) {
    int y = blockIdx.y * TILE + first + i;

    add_row<DEPTH> (a, &t, r.pixels[i + 1], r.links[i + 1], first + i);
    if (lane == 0 && y < a.w.frame.height)
      a.p.rows[(size_t) y * a.p.tiles_x + blockIdx.x] = t.rows[first + i];
  }
  __syncthreads ();
  for (uint32_t i = threadIdx.x; i < min (n, NEAR_SUMS); i += THREADS)
    if (t.first + i < a.p.max_pieces)
      a.p.pieces[t.first + i] =
          frame_sum (t.sums[i], t.roots[i], a.w.frame.width);
  for (uint32_t i = threadIdx.x; i < n; i += THREADS)
    if (t.first + i < a.p.max_pieces)
      a.p.parents[t.first + i] = t.first + i;
}

GpucclKernel
gpuccl_tiles_kernel (const GpucclArgs *a)
{
  bool eight = a->w.connectivity == 8;

  if (a->w.frame.depth)
    return eight ? tiles_kernel<true, true> : tiles_kernel<true, false>;
  return eight ? tiles_kernel<false, true> : tiles_kernel<false, false>;
}
