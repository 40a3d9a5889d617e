/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Alignment as kernels.  A block projects a tile of points, and draws the cells
 * between them; neighbouring tiles share a row and a column of points.  The
 * second kernel makes depths of the words, and leaves words and sums at 0 for
 * the next frame. */
#include "common/cuda.cuh"
#include "depthalign/depthalign_core.h"

#define TILE_WIDTH 32 /* points */
#define TILE_HEIGHT 8

static __device__ void
draw_cell_cuda (
    const DepthalignFrame *f, uint32_t *words, const DepthalignCell *cell)
{
  ImageBox box = depthalign_bounds (f, cell);

  if (box.x0 >= box.x1)
    return;
  for (int half = 0; half < 2; half++) {
    DepthalignTriangle t = depthalign_triangle (cell, half);

    for (int y = box.y0; t.area > 0 && y < box.y1; y++)
      for (int x = box.x0; x < box.x1; x++) {
        int b, c;
        uint32_t word;

        depthalign_weights (&t, x, y, &b, &c);
        word = depthalign_word (&t, b, c);
        if (word)
          atomicMax (words + (size_t) y * f->target_width + x, word);
      }
  }
}

/* Adds the number of the block's threads with @counts to @sum, and waits for
 * all threads of the block. */
static __device__ void
count_in_block (uint32_t *sum, bool counts)
{
  int n = __syncthreads_count (counts);

  if (threadIdx.x == 0 && threadIdx.y == 0 && n)
    atomicAdd (sum, (uint32_t) n);
}

static __global__ void
draw_cells_kernel (const __grid_constant__ DepthalignFrame f, uint32_t *words,
    DepthalignCounts *sums)
{
  __shared__ DepthalignPoint point[TILE_HEIGHT][TILE_WIDTH];
  __shared__ int depth[TILE_HEIGHT][TILE_WIDTH];
  int i = threadIdx.x, j = threadIdx.y;
  int u = blockIdx.x * (TILE_WIDTH - 1) + i;
  int v = blockIdx.y * (TILE_HEIGHT - 1) + j;
  size_t at = (size_t) v * f.width + u;
  bool is_there = u < f.width && v < f.height;
  /* the last row and column of a tile are the first ones of the next tile */
  bool is_own = is_there && (i < TILE_WIDTH - 1 || u == f.width - 1) &&
      (j < TILE_HEIGHT - 1 || v == f.height - 1);
  DepthalignPoint p = {0, 0, 0};
  DepthalignCell cell;
  int d[4];

  depth[j][i] = is_there ? f.depth[v * f.stride + u] : 0;
  if (is_there)
    p = depthalign_point (
        &f, f.ray[0][at], f.ray[1][at], f.ray[2][at], (float) depth[j][i]);
  point[j][i] = p;
  count_in_block (&sums->measured, is_own && depth[j][i] > 0);
  count_in_block (&sums->ahead,
      is_own && depthalign_is_ahead (&f, f.ray[2][at], (float) depth[j][i]));
  count_in_block (
      &sums->landed, is_own && p.z > 0 && depthalign_is_inside (&f, p.x, p.y));
  if (i == TILE_WIDTH - 1 || j == TILE_HEIGHT - 1 || u + 1 >= f.width ||
      v + 1 >= f.height)
    return;
#pragma unroll
  for (int k = 0; k < 4; k++) {
    cell.corner[k] = point[j + k / 2][i + k % 2];
    d[k] = depth[j + k / 2][i + k % 2];
  }
  if (depthalign_is_whole (f.max_step, d)) {
    draw_cell_cuda (&f, words, &cell);
    return;
  }
#pragma unroll
  for (int k = 0; k < 4; k++)
    if (cell.corner[k].z > 0) {
      DepthalignCell quarter = depthalign_quarter (&f, at, k, d, &cell);

      draw_cell_cuda (&f, words, &quarter);
    }
}

static __global__ void
set_target_kernel (const __grid_constant__ DepthalignFrame f, uint32_t *words,
    DepthalignCounts *sums, DepthalignCounts *count)
{
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  DepthalignCounts none = {0, 0, 0};

  if (x < f.target_width && y < f.target_height) {
    uint32_t *word = words + (size_t) y * f.target_width + x;

    f.target[y * f.target_stride + x] = (uint16_t) (0 - *word);
    *word = 0;
  }
  if (x == 0 && y == 0) {
    *count = *sums;
    *sums = none;
  }
}

static const char *
align_cuda (const Device *dev, const DepthalignFrame *f, DepthalignScratch *s)
{
  dim3 threads (TILE_WIDTH, TILE_HEIGHT);
  /* of cells; one pixel has none, but counts */
  dim3 tiles (ceil_div (depthalign_max (f->width - 1, 1), TILE_WIDTH - 1),
      ceil_div (depthalign_max (f->height - 1, 1), TILE_HEIGHT - 1));
  dim3 blocks (ceil_div (f->target_width, TILE_WIDTH),
      ceil_div (f->target_height, TILE_HEIGHT));
  cudaStream_t stream = device_stream (dev);

  draw_cells_kernel<<<tiles, threads, 0, stream>>> (*f, s->words, s->sums);
  CUDA_TRY (cudaGetLastError ());
  set_target_kernel<<<blocks, threads, 0, stream>>> (
      *f, s->words, s->sums, s->count);
  CUDA_TRY (cudaGetLastError ());
  return NULL;
}

static const char *
get_memory_cuda (DeviceMemory *memory, DepthalignScratch *s, size_t pixels,
    int height, size_t target_pixels)
{
  (void) pixels;
  (void) height;
  TRY (memory_get (memory, &s->words, target_pixels));
  return memory_get (memory, &s->sums, 1);
}

const DepthalignStages depthalign_stages_cuda = {get_memory_cuda, align_cuda};
