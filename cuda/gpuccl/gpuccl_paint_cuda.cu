/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fifth kernel of GPUCCL_RUN: writes the label of every pixel, and finds the
 * first and last pixel of the candidates in every row and column.  Some rows of
 * blocks meanwhile report to the host. */
#include "common/scan.cuh"
#include "gpuccl/gpuccl_choose.cuh"

/* ---- The report: counts, candidates, and sums of the largest components
 * ---- */

/* The most components that are sorted here; if more sums are wanted, the host
 * sorts them. */
#define RANKED 512

/* The reported components that may be among the first, in any order: all, or if
 * these are too many, those of at least this bin.  There may be more than the
 * array has room for. */
struct Wanted {
  uint32_t bin, n;
  unsigned long long keys[RANKED];
};

/* One block finds the lowest bin that is wanted, a thread for each bin. */
static __device__ __forceinline__ void
find_lowest_bin (const GpucclArgs &a, Wanted *w)
{
  uint32_t own = a.p.bins[threadIdx.x], all;
  uint32_t before = block_sum_before<THREADS> (own, &all), from = all - before;

  if (from >= a.w.wanted_sums && from - own < a.w.wanted_sums)
    w->bin = threadIdx.x;
}

static __device__ __forceinline__ bool
is_bin_wanted (const Wanted &w, unsigned long long key)
{
  return gpuccl_bin ((uint32_t) (key >> 32)) >= w.bin;
}

/* One block lists the wanted components. */
static __device__ __forceinline__ void
list_wanted (const GpucclArgs &a, Wanted *w)
{
  uint32_t n = a.p.counters->n_sums;

  if (threadIdx.x == 0)
    w->n = w->bin = 0;
  __syncthreads ();
  if (n > RANKED) {
    find_lowest_bin (a, w);
    __syncthreads ();
  }
#pragma unroll 4
  for (uint32_t i = threadIdx.x; i < n; i += THREADS) {
    unsigned long long key = a.p.reported.keys[i];
    uint32_t at = is_bin_wanted (*w, key) ? atomicAdd (&w->n, 1u) : RANKED;

    if (at < RANKED)
      w->keys[at] = key;
  }
  __syncthreads ();
}

/* One warp writes the result but for sums and extents, when the candidates are
 * chosen. */
static __device__ __forceinline__ void
report_counts (const GpucclArgs &a)
{
  const GpucclCounters *c = a.p.counters;
  uint32_t area = (uint32_t) (c->largest >> 32), n = a.p.top->n;
  GpucclResult *r = a.w.result;

  if (threadIdx.x < n) {
    unsigned long long key = a.p.top->keys[threadIdx.x];

    r->candidates[threadIdx.x].area = (uint32_t) (key >> 32);
    r->candidates[threadIdx.x].label = gpuccl_key_label (key);
  }
  if (threadIdx.x)
    return;
  r->n_labels = c->n_labels;
  r->largest_area = area;
  r->largest_label = area ? gpuccl_key_label (c->largest) : 0;
  r->n_unknown = c->n_unknown;
  r->n_candidates = n;
  r->n_sums = c->n_sums;
  r->n_missing = c->n_pieces > a.p.max_pieces ? c->n_pieces : 0;
  r->iterations = 0;
}

/* One block reports all. */
static __device__ __forceinline__ void
report_from_block (const GpucclArgs &a)
{
  if (a.few) {
    choose_candidates (a);
    __syncthreads ();
  }
  if (threadIdx.x < 32)
    report_counts (a);
}

/* One warp counts the components before @key. */
static __device__ __forceinline__ uint32_t
rank_of_key (const Wanted &w, unsigned long long key)
{
  uint32_t rank = 0;

  for (uint32_t i = threadIdx.x % 32; i < w.n; i += 32)
    rank += w.keys[i] > key;
  return warp_sum (rank);
}

/* Copies the wanted sums to the host, a warp for each sum: sorted, or in any
 * order if the host sorts them.  All reporting blocks but the first do it; this
 * is number @block. */
static __device__ __forceinline__ void
report_sums (const GpucclArgs &a, const Wanted &w, uint32_t block)
{
  const uint32_t words = sizeof (GpucclSum) / sizeof (unsigned long long);
  unsigned long long *to = (unsigned long long *) a.w.result->sums;
  const GpucclList list = a.p.reported;
  bool in_order = w.n <= RANKED;
  uint32_t n = a.p.counters->n_sums, lane = threadIdx.x % 32;
  uint32_t room = in_order ? min (a.w.max_sums, a.w.wanted_sums) : a.w.max_sums;

  if (block == 1 && threadIdx.x == 0)
    a.w.result->in_order = in_order;
  for (uint32_t i = (block - 1) * WARPS + threadIdx.x / 32; i < n;
       i += (GPUCCL_REPORT_ROWS * gridDim.x - 1) * WARPS) {
    const GpucclSum *from = &a.p.pieces[list.roots[i]];
    unsigned long long key = list.keys[i];
    uint32_t at = i;

    if (in_order && !is_bin_wanted (w, key))
      continue;
    if (in_order)
      at = rank_of_key (w, key);
    if (at < room && lane < words)
      to[at * words + lane] = ((const unsigned long long *) from)[lane];
  }
}

static __device__ __forceinline__ void
report_to_host (const GpucclArgs &a)
{
  __shared__ Wanted wanted;
  uint32_t block = blockIdx.y * gridDim.x + blockIdx.x;

  if (block == 0) {
    report_from_block (a);
  } else if (block == 1 || (block - 1) * WARPS < a.p.counters->n_sums) {
    list_wanted (a, &wanted);
    report_sums (a, wanted, block);
  }
}

/* ---- Labels ---- */

#define QUAD 4               /* pixels of a row for each lane */
#define GROUPS (TILE / ROWS) /* groups of rows in a tile */

/* The pixels of a candidate in a group: bit i of word k is pixel k of lane i,
 * so that byte y of the word has every fourth pixel of row y. */
struct Members {
  uint32_t of[QUAD];
};

/* The candidates' pixels in a tile. */
struct TileMembers {
  Members of[GPUCCL_CANDIDATES][GROUPS];
};

static __device__ __forceinline__ int
load_tile_row (void)
{
  return (int) blockIdx.y - GPUCCL_REPORT_ROWS;
}

/* ---- Candidates ---- */

static __device__ __forceinline__ void
clear_members (TileMembers *m)
{
  uint32_t lane = threadIdx.x % 32;

  m->of[threadIdx.x / 32][lane / QUAD].of[lane % QUAD] = 0;
}

/* Collects the candidates' pixels in the warp's groups, the first of which is
 * @group.  Returns whether there are any.  @labels are those of the lane's
 * pixels, with GPUCCL_LARGE. */
template <int N>
static __device__ __forceinline__ bool
collect_members (
    TileMembers *m, const Listed &l, uint32_t group, uint32_t labels[N])
{
  uint32_t lane = threadIdx.x % 32;
  bool noted = false;

  for (;;) {
    uint32_t own = 0, next = 0, rank;

#pragma unroll
    for (int i = 0; i < N; i++)
      next = max (next, labels[i]);
    next = warp_max_u (next);
    if (!(next & GPUCCL_LARGE))
      return noted;
    rank = rank_of_label (l, next & ~GPUCCL_LARGE);
#pragma unroll
    for (uint32_t i = 0; i < N; i++) {
      uint32_t pixels = __ballot_sync (ALL_LANES, labels[i] == next);

      own = lane == i ? pixels : own;
      labels[i] = labels[i] == next ? 0 : labels[i];
    }
    if (rank >= GPUCCL_CANDIDATES)
      continue;
    noted = true;
    if (lane < N)
      m->of[rank][group + lane / QUAD].of[lane % QUAD] = own;
  }
}

/* Stores a candidate's first and last pixel in a row or column of the tile, at
 * the index @at. */
static __device__ __forceinline__ void
note_line_ends (const GpucclArgs &a, uint32_t at, uint32_t first, uint32_t last)
{
  atomicMin (&a.p.first[at], first);
  atomicMax (&a.p.last[at], last);
}

/* Stores the first and last pixel of each row of a tile from column @x on, a
 * lane for each row. */
static __device__ __forceinline__ void
store_row_ends (
    const GpucclArgs &a, uint32_t at, uint32_t x, const Members of[GROUPS])
{
  uint32_t lane = threadIdx.x % 32, row = 0;

#pragma unroll
  for (int i = 0; i < QUAD; i++) {
    uint32_t every = of[lane / ROWS].of[i] >> lane % ROWS * 8 & 0xff;

    /* from bits 0, 1, 2, ... to bits 0, 4, 8, ... */
    every = (every | every << 12) & 0x000f000f;
    every = (every | every << 6) & 0x03030303;
    row |= ((every | every << 3) & 0x11111111) << i;
  }
  if (row)
    note_line_ends (a, at + load_tile_row () * TILE + lane,
        x + (uint32_t) __ffs ((int) row) - 1,
        x + 31 - (uint32_t) __clz ((int) row));
}

/* Stores the first and last pixel of each column, a lane for each. */
static __device__ __forceinline__ void
store_column_ends (
    const GpucclArgs &a, uint32_t at, uint32_t x, const Members of[GROUPS])
{
  uint32_t lane = threadIdx.x % 32, y = load_tile_row () * TILE, column = 0;

#pragma unroll
  for (int i = 0; i < GROUPS; i++) {
    uint32_t rows = of[i].of[lane % QUAD] >> lane / QUAD & 0x01010101;

    column |= (rows * 0x01020408) >> 24 << i * ROWS; /* bits 0, 8, 16, 24 */
  }
  if (column)
    note_line_ends (a, at + a.w.frame.height + x + lane,
        y + (uint32_t) __ffs ((int) column) - 1,
        y + 31 - (uint32_t) __clz ((int) column));
}

/* Stores the candidates' pixels, a warp for each candidate. */
static __device__ __forceinline__ void
store_member_ends (const GpucclArgs &a, const TileMembers &m, uint32_t x)
{
  uint32_t k = threadIdx.x / 32, lane = threadIdx.x % 32;
  uint32_t at = k * (uint32_t) (a.w.frame.height + a.w.frame.width);

  if (!__any_sync (ALL_LANES, m.of[k][lane / QUAD].of[lane % QUAD]))
    return;
  store_row_ends (a, at, x, m.of[k]);
  store_column_ends (a, at, x, m.of[k]);
}

/* ---- Labelling ---- */

/* Finds the labels of the lane's pixels: the piece at the start of a pixel's
 * run, then the label of the piece's component.  In a quad, a pixel after the
 * first is looked up only if it starts a run.  @labels are those at the runs'
 * starts. */
static __device__ __forceinline__ void
find_pixel_labels (const GpucclArgs &a, GpucclRow row, const uint32_t *labels,
    uint32_t found[QUAD])
{
  uint32_t quad = threadIdx.x % 8 * QUAD;
  uint32_t own = row.foreground >> quad, starts = row.starts >> quad;
  uint32_t looked_up = (starts & ~1u) | (own & 1);
  int start = run_start (row.starts, quad) - (int) quad;

#pragma unroll
  for (int i = 0; i < QUAD; i++)
    found[i] = looked_up & 1u << i ? labels[i ? i : start] : 0;
#pragma unroll
  for (int i = 0; i < QUAD; i++)
    if (looked_up & 1u << i)
      found[i] = a.p.labels[found[i]];
#pragma unroll
  for (int i = 1; i < QUAD; i++)
    if (own & ~starts & 1u << i)
      found[i] = found[i - 1];
}

/* Writes the labels of the lane's pixels, from (x, y) on. */
static __device__ __forceinline__ void
write_pixel_labels (const GpucclArgs &a, int x, int y, uint32_t *labels,
    const uint32_t found[QUAD])
{
  int width = a.w.frame.width;

  if (y >= a.w.frame.height)
    return;
  if (width % QUAD == 0 && x < width)
    *(uint4 *) labels =
        make_uint4 (found[0] & ~GPUCCL_LARGE, found[1] & ~GPUCCL_LARGE,
            found[2] & ~GPUCCL_LARGE, found[3] & ~GPUCCL_LARGE);
  else
    for (int i = 0; i < QUAD && x + i < width; i++)
      labels[i] = found[i] & ~GPUCCL_LARGE;
}

/* Labels the pixels of the warp's groups; the lane's first pixel is (@x, @y).
 * Sets @found to their labels, with GPUCCL_LARGE. */
template <int N>
static __device__ __forceinline__ void
paint_groups (const GpucclArgs &a, const GpucclRow rows[N], int x, int y,
    uint32_t found[N * QUAD])
{
  int step = ROWS * a.w.frame.width;
  uint32_t *labels = &a.w.labels[(uint32_t) (y * a.w.frame.width + x)];

#pragma unroll
  for (int i = 0; i < N; i++)
    find_pixel_labels (a, rows[i], labels + i * step, &found[i * QUAD]);
  __syncwarp (); /* starts are read before labels overwrite them */
#pragma unroll
  for (int i = 0; i < N; i++)
    write_pixel_labels (
        a, x, y + i * ROWS, labels + i * step, &found[i * QUAD]);
}

/* A block labels @N neighbouring tiles, and a warp @N groups of one tile.  The
 * first rows of blocks report.  A tile's rows are loaded before it is known
 * whether the tile has foreground. */
template <int N>
static __global__ void
__launch_bounds__ (THREADS) paint_kernel (const __grid_constant__ GpucclArgs a)
{
  __shared__ TileMembers members[N];
  uint32_t warp = threadIdx.x / 32, own = warp / (WARPS / N);
  uint32_t group = warp % (WARPS / N) * N;
  uint32_t row = group * ROWS + threadIdx.x % 32 / 8;
  uint32_t first = blockIdx.x * N;
  uint32_t tile_x = min (first + own, a.p.tiles_x - 1u);
  uint32_t tile = load_tile_row () * a.p.tiles_x + tile_x, found[N * QUAD];
  GpucclRow rows[N];
  Listed listed;
  bool noted = false;

  allow_next ();
  for (int i = 0; i < N; i++)
    clear_members (&members[i]);
  __syncthreads ();
  await_previous ();
  if (blockIdx.y < GPUCCL_REPORT_ROWS) {
    report_to_host (a);
    return;
  }
#pragma unroll
  for (int i = 0; i < N; i++)
    rows[i] = a.p.rows[tile * TILE + row + i * ROWS];
  listed = load_list (a);
  if (a.p.seams[tile].used && a.p.counters->n_pieces <= a.p.max_pieces &&
      tile_x == first + own) {
    paint_groups<N> (a, rows, tile_x * TILE + threadIdx.x % 8 * QUAD,
        load_tile_row () * TILE + row, found);
    noted = collect_members<N * QUAD> (&members[own], listed, group, found);
  }
  if (__syncthreads_or (noted))
    for (int i = 0; i < N; i++)
      store_member_ends (a, members[i], (first + i) * TILE);
}

GpucclKernel
gpuccl_paint_kernel (const GpucclArgs *a)
{
  return a->large ? paint_kernel<GPUCCL_PAINT_TILES> : paint_kernel<1>;
}
