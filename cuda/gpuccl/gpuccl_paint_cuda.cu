/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fifth kernel of GPUCCL_RUN: every pixel gets its label, and the candidates
 * their first and last pixel of every row and column. */
#include "gpuccl/gpuccl_run.cuh"

/* First and last row of each candidate in the columns of a tile. */
struct Columns {
  uint32_t first[GPUCCL_CANDIDATES][TILE], last[GPUCCL_CANDIDATES][TILE];
};

/* Notes the pixels of candidates in row @y; a lane a pixel. */
static __device__ __forceinline__ void
note_row (const GpucclArgs &a, Columns *c, int candidate, int y)
{
  int lane = threadIdx.x % 32, x = blockIdx.x * TILE;
  uint32_t left = __ballot_sync (ALL_LANES, candidate >= 0);

  if (candidate >= 0) {
    atomicMin (&c->first[candidate][lane], (uint32_t) y);
    atomicMax (&c->last[candidate][lane], (uint32_t) y);
  }
  while (left) {
    int k = __shfl_sync (ALL_LANES, candidate, __ffs ((int) left) - 1);
    uint32_t members = __ballot_sync (ALL_LANES, candidate == k);
    size_t at = (size_t) k * (a.w.frame.height + a.w.frame.width) + y;

    if (lane == 0) {
      atomicMin (&a.p.first[at], (uint32_t) (x + __ffs ((int) members) - 1));
      atomicMax (&a.p.last[at], (uint32_t) (x + 31 - __clz ((int) members)));
    }
    left &= ~members;
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

static __global__ void
__launch_bounds__ (THREADS) paint_kernel (const __grid_constant__ GpucclArgs a)
{
  __shared__ Columns columns;
  int lane = threadIdx.x % 32, x = blockIdx.x * TILE + lane;
  int tile = blockIdx.y * a.p.tiles_x + blockIdx.x;
  uint32_t *labels = a.w.labels;
  uint32_t roots[ROWS];
  bool noted = false;

  allow_next ();
  await_previous ();
  if (!a.p.seams[tile].used || a.p.counters->n_pieces > a.p.max_pieces)
    return;
  begin_columns (&columns);
#pragma unroll
  for (int i = 0; i < ROWS; i++) {
    int y = blockIdx.y * TILE + threadIdx.x / 32 * ROWS + i;
    GpucclRow row = {0, 0};

    if (y < a.w.frame.height)
      row = a.p.rows[(size_t) y * a.p.tiles_x + blockIdx.x];
    roots[i] = UINT32_MAX;
    if (row.foreground >> lane & 1)
      roots[i] = a.p.parents[labels[(size_t) y * a.w.frame.width +
          blockIdx.x * TILE + start_of (row.starts, lane)]];
  }
  __syncthreads ();
#pragma unroll
  for (int i = 0; i < ROWS; i++) {
    int y = blockIdx.y * TILE + threadIdx.x / 32 * ROWS + i, candidate = -1;

    if (y < a.w.frame.height && x < a.w.frame.width)
      labels[(size_t) y * a.w.frame.width + x] =
          roots[i] == UINT32_MAX ? 0 : a.p.pieces[roots[i]].label;
    if (roots[i] != UINT32_MAX)
      candidate = a.p.marks[roots[i]] - 1;
    if (__any_sync (ALL_LANES, candidate >= 0)) {
      note_row (a, &columns, candidate, y);
      noted = true;
    }
  }
  if (__syncthreads_or (noted))
    end_columns (a, columns);
}

const GpucclKernel gpuccl_paint_kernel = paint_kernel;
