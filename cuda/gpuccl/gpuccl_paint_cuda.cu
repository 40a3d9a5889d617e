/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fifth kernel of GPUCCL_RUN: every pixel gets its label, and the candidates
 * their first and last pixel of every row and column.  Meanwhile some rows of
 * blocks report what was found to the host. */
#include "common/scan.cuh"
#include "gpuccl/gpuccl_choose.cuh"

/* ---- The report ---- */

/* What GPUCCL_RUN reports to the host, by some rows of blocks while others
 * write labels: numbers, candidates, and the sums of the largest components in
 * order.
 */

/* This many reported components are sorted; if more may be wanted, the host
 * does it. */
#define RANKED 512

/* The reported components that may be among the first ones: all, or where these
 * are too many those of at least this bin; in any order.  There may be more of
 * them than there is room for. */
struct Wanted {
  uint32_t bin, n;
  unsigned long long keys[RANKED];
};

/* By a block, a thread a bin. */
static __device__ __forceinline__ void
find_bin (const GpucclArgs &a, Wanted *w)
{
  uint32_t own = a.p.bins[threadIdx.x], all;
  uint32_t before = block_sum_before<THREADS> (own, &all), from = all - before;

  if (from >= a.w.wanted_sums && from - own < a.w.wanted_sums)
    w->bin = threadIdx.x;
}

static __device__ __forceinline__ bool
is_wanted (const Wanted &w, unsigned long long key)
{
  return gpuccl_bin ((uint32_t) (key >> 32)) >= w.bin;
}

/* By a block. */
static __device__ __forceinline__ void
find_wanted (const GpucclArgs &a, Wanted *w)
{
  uint32_t n = a.p.counters->n_sums;

  if (threadIdx.x == 0)
    w->n = w->bin = 0;
  __syncthreads ();
  if (n > RANKED) {
    find_bin (a, w);
    __syncthreads ();
  }
#pragma unroll 4
  for (uint32_t i = threadIdx.x; i < n; i += THREADS) {
    unsigned long long key = a.p.reported.keys[i];
    uint32_t at = is_wanted (*w, key) ? atomicAdd (&w->n, 1u) : RANKED;

    if (at < RANKED)
      w->keys[at] = key;
  }
  __syncthreads ();
}

/* What is known but for sums and the candidates' extents, by one warp, once
 * these are chosen. */
static __device__ __forceinline__ void
report (const GpucclArgs &a)
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

/* By one block. */
static __device__ __forceinline__ void
report_all (const GpucclArgs &a)
{
  if (a.few) {
    choose (a);
    __syncthreads ();
  }
  if (threadIdx.x < 32)
    report (a);
}

/* How many come before it, by a warp. */
static __device__ __forceinline__ uint32_t
rank_of (const Wanted &w, unsigned long long key)
{
  uint32_t rank = 0;

  for (uint32_t i = threadIdx.x % 32; i < w.n; i += 32)
    rank += w.keys[i] > key;
  return warp_sum (rank);
}

/* Copies the sums that are wanted to the host, a warp a sum: each to its place,
 * or all as they come where the host puts them in order.  By all blocks that
 * report, of which this is @block, but the first. */
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

    if (in_order && !is_wanted (w, key))
      continue;
    if (in_order)
      at = rank_of (w, key);
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
    report_all (a);
  } else if (block == 1 || (block - 1) * WARPS < a.p.counters->n_sums) {
    find_wanted (a, &wanted);
    report_sums (a, wanted, block);
  }
}

/* ---- Labels ---- */

#define QUAD 4               /* pixels of a row, that a lane has */
#define GROUPS (TILE / ROWS) /* of rows, in a tile; a warp has one or more */

/* A candidate's pixels in a group: bit i of word k is pixel k of lane i, so
 * that byte y of it has every fourth pixel of row y. */
struct Members {
  uint32_t of[QUAD];
};

/* In a tile. */
struct TileMembers {
  Members of[GPUCCL_CANDIDATES][GROUPS];
};

static __device__ __forceinline__ int
tile_row (void)
{
  return (int) blockIdx.y - GPUCCL_REPORT_ROWS;
}

/* ---- Candidates ---- */

static __device__ __forceinline__ void
begin_members (TileMembers *m)
{
  uint32_t lane = threadIdx.x % 32;

  m->of[threadIdx.x / 32][lane / QUAD].of[lane % QUAD] = 0;
}

/* Notes all candidates' pixels in the warp's groups, of which @group is the
 * first, and returns whether there are any; @labels: of the lane's pixels, with
 * GPUCCL_LARGE. */
template <int N>
static __device__ __forceinline__ bool
note_rows (TileMembers *m, const Listed &l, uint32_t group, uint32_t labels[N])
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

/* Of a candidate's pixels in a row or column of the tile, which @at says where
 * to note, the first and the last: @first and @last. */
static __device__ __forceinline__ void
note (const GpucclArgs &a, uint32_t at, uint32_t first, uint32_t last)
{
  atomicMin (&a.p.first[at], first);
  atomicMax (&a.p.last[at], last);
}

/* Notes the first and last pixel in each row of a tile from column @x on, a
 * lane a row. */
static __device__ __forceinline__ void
end_rows (
    const GpucclArgs &a, uint32_t at, uint32_t x, const Members of[GROUPS])
{
  uint32_t lane = threadIdx.x % 32, row = 0;

#pragma unroll
  for (int i = 0; i < QUAD; i++) {
    uint32_t every = of[lane / ROWS].of[i] >> lane % ROWS * 8 & 0xff;

    /* from bits 0, 1, 2 ... to 0, 4, 8 ... */
    every = (every | every << 12) & 0x000f000f;
    every = (every | every << 6) & 0x03030303;
    row |= ((every | every << 3) & 0x11111111) << i;
  }
  if (row)
    note (a, at + tile_row () * TILE + lane,
        x + (uint32_t) __ffs ((int) row) - 1,
        x + 31 - (uint32_t) __clz ((int) row));
}

/* The same in each column. */
static __device__ __forceinline__ void
end_columns (
    const GpucclArgs &a, uint32_t at, uint32_t x, const Members of[GROUPS])
{
  uint32_t lane = threadIdx.x % 32, y = tile_row () * TILE, column = 0;

#pragma unroll
  for (int i = 0; i < GROUPS; i++) {
    uint32_t rows = of[i].of[lane % QUAD] >> lane / QUAD & 0x01010101;

    column |= (rows * 0x01020408) >> 24 << i * ROWS; /* bits 0, 8, 16, 24 */
  }
  if (column)
    note (a, at + a.w.frame.height + x + lane,
        y + (uint32_t) __ffs ((int) column) - 1,
        y + 31 - (uint32_t) __clz ((int) column));
}

/* A warp a candidate. */
static __device__ __forceinline__ void
end_members (const GpucclArgs &a, const TileMembers &m, uint32_t x)
{
  uint32_t k = threadIdx.x / 32, lane = threadIdx.x % 32;
  uint32_t at = k * (uint32_t) (a.w.frame.height + a.w.frame.width);

  if (!__any_sync (ALL_LANES, m.of[k][lane / QUAD].of[lane % QUAD]))
    return;
  end_rows (a, at, x, m.of[k]);
  end_columns (a, at, x, m.of[k]);
}

/* ---- Labels ---- */

/* What the lane's pixels are labelled with: the pieces of their runs, by way of
 * the runs' starts, then their components.  Of a quad, others than the first
 * look only where they start a run.  @labels: of the first. */
static __device__ __forceinline__ void
find_labels (const GpucclArgs &a, GpucclRow row, const uint32_t *labels,
    uint32_t found[QUAD])
{
  uint32_t quad = threadIdx.x % 8 * QUAD;
  uint32_t own = row.foreground >> quad, starts = row.starts >> quad;
  uint32_t looks = (starts & ~1u) | (own & 1);
  int start = start_of (row.starts, quad) - (int) quad;

#pragma unroll
  for (int i = 0; i < QUAD; i++)
    found[i] = looks & 1u << i ? labels[i ? i : start] : 0;
#pragma unroll
  for (int i = 0; i < QUAD; i++)
    if (looks & 1u << i)
      found[i] = a.p.labels[found[i]];
#pragma unroll
  for (int i = 1; i < QUAD; i++)
    if (own & ~starts & 1u << i)
      found[i] = found[i - 1];
}

/* Writes those of the lane's pixels, from (x, y) on. */
static __device__ __forceinline__ void
write_labels (const GpucclArgs &a, int x, int y, uint32_t *labels,
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

/* Labels the pixels of the warp's groups, the lane's first being (@x, @y);
 * @found: with what, and GPUCCL_LARGE. */
template <int N>
static __device__ __forceinline__ void
paint (const GpucclArgs &a, const GpucclRow rows[N], int x, int y,
    uint32_t found[N * QUAD])
{
  int step = ROWS * a.w.frame.width;
  uint32_t *labels = &a.w.labels[(uint32_t) (y * a.w.frame.width + x)];

#pragma unroll
  for (int i = 0; i < N; i++)
    find_labels (a, rows[i], labels + i * step, &found[i * QUAD]);
  __syncwarp (); /* starts are read before they are written */
#pragma unroll
  for (int i = 0; i < N; i++)
    write_labels (a, x, y + i * ROWS, labels + i * step, &found[i * QUAD]);
}

/* A block @N tiles side by side, and a warp @N groups of one.  The first rows
 * of blocks report.  A tile's rows are read before it is known that it is used.
 */
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
  uint32_t tile = tile_row () * a.p.tiles_x + tile_x, found[N * QUAD];
  GpucclRow rows[N];
  Listed listed;
  bool noted = false;

  allow_next ();
  for (int i = 0; i < N; i++)
    begin_members (&members[i]);
  __syncthreads ();
  await_previous ();
  if (blockIdx.y < GPUCCL_REPORT_ROWS) {
    report_to_host (a);
    return;
  }
#pragma unroll
  for (int i = 0; i < N; i++)
    rows[i] = a.p.rows[tile * TILE + row + i * ROWS];
  listed = look_at_list (a);
  if (a.p.seams[tile].used && a.p.counters->n_pieces <= a.p.max_pieces &&
      tile_x == first + own) {
    paint<N> (a, rows, tile_x * TILE + threadIdx.x % 8 * QUAD,
        tile_row () * TILE + row, found);
    noted = note_rows<N * QUAD> (&members[own], listed, group, found);
  }
  if (__syncthreads_or (noted))
    for (int i = 0; i < N; i++)
      end_members (a, members[i], (first + i) * TILE);
}

GpucclKernel
gpuccl_paint_kernel (const GpucclArgs *a)
{
  return a->large ? paint_kernel<GPUCCL_PAINT_TILES> : paint_kernel<1>;
}
