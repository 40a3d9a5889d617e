/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fifth kernel of GPUCCL_RUN: every pixel gets its label, and the candidates
 * their first and last pixel of every row and column.  Meanwhile some rows of
 * blocks report what was found to the host. */
#include "gpuccl/gpuccl_choose.cuh"

#define REPORTS GPUCCL_REPORT_ROWS

/* So many reported components are put in order; of more the host does it. */
#define RANKED 4096

/* First and last row of each candidate in the columns of a tile. */
struct Columns {
  uint32_t first[GPUCCL_CANDIDATES][TILE], last[GPUCCL_CANDIDATES][TILE];
};

static __device__ __forceinline__ int
tile_row (void)
{
  return (int) blockIdx.y - REPORTS;
}

/* The warp's first row. */
static __device__ __forceinline__ int
row_of (void)
{
  return tile_row () * TILE + threadIdx.x / 32 * ROWS;
}

/* Notes the pixels of candidate @k, bit i of @members[y] being pixel i of row
 * @y.  A lane has a row, then a column. */
static __device__ __forceinline__ void
note (const GpucclArgs &a, Columns *c, uint32_t k, const uint32_t members[ROWS])
{
  int lane = threadIdx.x % 32, x = blockIdx.x * TILE;
  size_t at = (size_t) k * (a.w.frame.height + a.w.frame.width) + row_of ();
  uint32_t row = 0, column = 0;

#pragma unroll
  for (int i = 0; i < ROWS; i++) {
    row = lane == i ? members[i] : row;
    column |= (members[i] >> lane & 1) << i;
  }
  if (row) {
    atomicMin (&a.p.first[at + lane], (uint32_t) (x + __ffs ((int) row) - 1));
    atomicMax (&a.p.last[at + lane], (uint32_t) (x + 31 - __clz ((int) row)));
  }
  if (column) {
    atomicMin (
        &c->first[k][lane], (uint32_t) (row_of () + __ffs ((int) column) - 1));
    atomicMax (
        &c->last[k][lane], (uint32_t) (row_of () + 31 - __clz ((int) column)));
  }
}

/* Notes all candidates' pixels of the warp's rows, and returns whether there
 * are any; @labels: of the lane's pixels, those that are large. */
static __device__ __forceinline__ bool
note_rows (
    const GpucclArgs &a, Columns *c, const Listed &l, uint32_t labels[ROWS])
{
  bool noted = false;

  for (;;) {
    uint32_t members[ROWS], next = 0, rank;

#pragma unroll
    for (int i = 0; i < ROWS; i++)
      next = max (next, labels[i]);
    next = warp_max (next);
    if (!next)
      return noted;
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
      members[i] = __ballot_sync (ALL_LANES, labels[i] == next);
      labels[i] = labels[i] == next ? 0 : labels[i];
    }
    if (find_candidate (l, next & ~GPUCCL_LARGE, &rank)) {
      note (a, c, rank, members);
      noted = true;
    }
  }
}

static __device__ __forceinline__ void
begin_columns (Columns *c)
{
  int lane = threadIdx.x % 32;

  c->first[threadIdx.x / 32][lane] = UINT32_MAX;
  c->last[threadIdx.x / 32][lane] = 0;
}

/* A warp a candidate. */
static __device__ __forceinline__ void
end_columns (const GpucclArgs &a, const Columns &c)
{
  int lane = threadIdx.x % 32, k = threadIdx.x / 32;
  int rows = a.w.frame.height, columns = a.w.frame.width;
  size_t at = (size_t) k * (rows + columns) + rows + blockIdx.x * TILE + lane;

  if (c.first[k][lane] != UINT32_MAX) {
    atomicMin (&a.p.first[at], c.first[k][lane]);
    atomicMax (&a.p.last[at], c.last[k][lane]);
  }
}

/* What is known but for the candidates' extents, by one warp, once they are
 * chosen. */
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
  r->in_order = c->n_sums <= RANKED;
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

/* How many of @n keys are greater, by a warp. */
static __device__ __forceinline__ uint32_t
rank_of (const unsigned long long *keys, uint32_t n, unsigned long long key)
{
  uint32_t rank = 0;

#pragma unroll 8
  for (uint32_t i = threadIdx.x % 32; i < n; i += 32)
    rank += keys[i] > key;
  return warp_sum (rank);
}

/* Copies the reported sums that are wanted to the host, a warp a sum. */
static __device__ __forceinline__ void
report_sums (const GpucclArgs &a)
{
  const uint32_t words = sizeof (GpucclSum) / sizeof (unsigned long long);
  unsigned long long *to = (unsigned long long *) a.w.result->sums;
  const GpucclList list = a.p.reported;
  uint32_t n = a.p.counters->n_sums, room = a.w.max_sums;
  uint32_t block = blockIdx.y * gridDim.x + blockIdx.x;

  if (n <= RANKED)
    room = min (room, a.w.most_sums);
  for (uint32_t i = block * WARPS + threadIdx.x / 32; i < n;
       i += REPORTS * gridDim.x * WARPS) {
    const GpucclSum *from = &a.p.pieces[list.roots[i]];
    uint32_t lane = threadIdx.x % 32, at = i;

    if (n <= RANKED)
      at = rank_of (list.keys, n, list.keys[i]);
    if (at < room && lane < words)
      to[at * words + lane] = ((const unsigned long long *) from)[lane];
  }
}

/* A block a tile; the first rows of blocks report.  The tile's rows are read
 * before it is known that it is used. */
static __global__ void
__launch_bounds__ (THREADS) paint_kernel (const __grid_constant__ GpucclArgs a)
{
  __shared__ Columns columns;
  int lane = threadIdx.x % 32, x = blockIdx.x * TILE + lane;
  uint32_t tile = tile_row () * a.p.tiles_x + blockIdx.x;
  uint32_t width = (uint32_t) a.w.frame.width, at = row_of () * width + x;
  uint32_t *labels = a.w.labels;
  uint32_t found[ROWS];
  GpucclRow rows[ROWS];
  Listed listed;
  bool noted = false;

  allow_next ();
  begin_columns (&columns);
  await_previous ();
  if (blockIdx.y < REPORTS) {
    if (blockIdx.x + blockIdx.y == 0)
      report_all (a);
    report_sums (a);
    return;
  }
#pragma unroll
  for (int i = 0; i < ROWS; i++)
    rows[i] = a.p.rows[tile * TILE + threadIdx.x / 32 * ROWS + i];
  listed = look_at_list (a);
  if (!a.p.seams[tile].used || a.p.counters->n_pieces > a.p.max_pieces)
    return;
#pragma unroll
  for (int i = 0; i < ROWS; i++)
    found[i] = rows[i].foreground >> lane & 1
        ? labels[at + i * width - lane + start_of (rows[i].starts, lane)]
        : 0;
#pragma unroll
  for (int i = 0; i < ROWS; i++)
    if (rows[i].foreground >> lane & 1)
      found[i] = a.p.labels[found[i]];
  __syncthreads (); /* columns, and starts are read before they are written */
#pragma unroll
  for (int i = 0; i < ROWS; i++) {
    if (row_of () + i < a.w.frame.height && x < a.w.frame.width)
      labels[at + i * width] = found[i] & ~GPUCCL_LARGE;
    found[i] = found[i] & GPUCCL_LARGE ? found[i] : 0;
  }
  if (__any_sync (ALL_LANES, found[0] | found[1] | found[2] | found[3]))
    noted = note_rows (a, &columns, listed, found);
  if (__syncthreads_or (noted))
    end_columns (a, columns);
}

const GpucclKernel gpuccl_paint_kernel = paint_kernel;
