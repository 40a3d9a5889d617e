/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fifth kernel of GPUCCL_RUN: every pixel gets its label, and the candidates
 * their first and last pixel of every row and column.  Sums are reported. */
#include "gpuccl/gpuccl_run.cuh"

/* First and last row of each candidate in the columns of a tile. */
struct Columns {
  uint32_t first[GPUCCL_CANDIDATES][TILE], last[GPUCCL_CANDIDATES][TILE];
};

static __device__ __forceinline__ int
tile_row (void)
{
  return (int) blockIdx.y - 1;
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
note_rows (const GpucclArgs &a, Columns *c, uint32_t labels[ROWS])
{
  const GpucclTop *top = a.p.top;
  int lane = threadIdx.x % 32;
  uint32_t own = lane < (int) top->n ? top->labels[lane] : 0;
  bool noted = false;

  for (;;) {
    uint32_t members[ROWS], next = 0, which;

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
    which = __ballot_sync (ALL_LANES, own == (next & ~GPUCCL_LARGE));
    if (which) {
      note (a, c, (uint32_t) __ffs ((int) which) - 1, members);
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

/* Copies the reported sums to the host, word by word side by side, since host
 * memory is written in long pieces or slowly; as one block of a row of them. */
static __device__ __forceinline__ void
copy_sums (const GpucclArgs &a)
{
  const uint32_t words = sizeof (GpucclSum) / sizeof (unsigned long long);
  unsigned long long *to = (unsigned long long *) a.w.result->sums;
  uint32_t n = min (a.p.top->n_reported, a.w.max_sums) * words;

  for (uint32_t i = blockIdx.x * THREADS + threadIdx.x; i < n;
       i += gridDim.x * THREADS)
    to[i] = ((const unsigned long long *) &a.p
                 .pieces[a.p.reported[i / words]])[i % words];
}

/* A block a tile; the first row of blocks reports. */
static __global__ void
__launch_bounds__ (THREADS) paint_kernel (const __grid_constant__ GpucclArgs a)
{
  __shared__ Columns columns;
  int lane = threadIdx.x % 32, x = blockIdx.x * TILE + lane;
  uint32_t tile = tile_row () * a.p.tiles_x + blockIdx.x;
  uint32_t width = (uint32_t) a.w.frame.width, at = row_of () * width + x;
  uint32_t *labels = a.w.labels;
  uint32_t found[ROWS];
  bool noted = false;

  allow_next ();
  begin_columns (&columns);
  await_previous ();
  if (blockIdx.y == 0) {
    copy_sums (a);
    return;
  }
  if (!a.p.seams[tile].used || a.p.counters->n_pieces > a.p.max_pieces)
    return;
#pragma unroll
  for (int i = 0; i < ROWS; i++) {
    GpucclRow row = a.p.rows[tile * TILE + threadIdx.x / 32 * ROWS + i];

    found[i] = 0;
    if (row.foreground >> lane & 1)
      found[i] = a.p.labels[labels[at + i * width - lane +
          start_of (row.starts, lane)]];
  }
  __syncthreads (); /* columns, and starts are read before they are written */
#pragma unroll
  for (int i = 0; i < ROWS; i++) {
    if (row_of () + i < a.w.frame.height && x < a.w.frame.width)
      labels[at + i * width] = found[i] & ~GPUCCL_LARGE;
    found[i] = found[i] & GPUCCL_LARGE ? found[i] : 0;
  }
  if (__any_sync (ALL_LANES, found[0] | found[1] | found[2] | found[3]))
    noted = note_rows (a, &columns, found);
  if (__syncthreads_or (noted))
    end_columns (a, columns);
}

const GpucclKernel gpuccl_paint_kernel = paint_kernel;
