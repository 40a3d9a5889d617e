/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How labels are read to be measured: a thread goes down a piece of a column
 * and keeps what it has of one component until it meets another, and then a
 * warp puts together what its threads have of the same. */
#pragma once

#include "gpuccl/gpuccl_cuda.cuh"

#define GPUCCL_STRIPS_A_BLOCK 8

typedef struct {
  int x, y0, y1;
} GpucclStrip;

/* How many rows a strip has: few where the frame is small, so that there are
 * enough strips to keep the device busy. */
static inline int
gpuccl_rows (const GpucclFrame *f)
{
  int rows = ceil_div (f->width, 32) * f->height / 2048;

  return rows < 8 ? 8 : rows > 64 ? 64 : rows;
}

static inline dim3
gpuccl_strips (const GpucclFrame *f, int rows)
{
  return dim3 (ceil_div (f->width, 32),
      ceil_div (f->height, rows * GPUCCL_STRIPS_A_BLOCK));
}

static __device__ __forceinline__ GpucclStrip
gpuccl_strip (const GpucclFrame &f, int rows)
{
  int y0 = gpuccl_y () * rows;

  return {gpuccl_x (), y0, min (y0 + rows, f.height)};
}

/* This many rows are read at a time, since none waits for another. */
#define GPUCCL_ROWS_AT_ONCE 8

/* Labels of column @x from row @y on, 0 from @y1 on and outside the frame. */
static __device__ __forceinline__ void
gpuccl_strip_labels (const GpucclWork &w, int x, int y, int y1,
    uint32_t labels[GPUCCL_ROWS_AT_ONCE])
{
#pragma unroll
  for (int i = 0; i < GPUCCL_ROWS_AT_ONCE; i++)
    labels[i] = x < w.frame.width && y + i < y1
        ? w.labels[(size_t) (y + i) * w.frame.width + x]
        : 0;
}

/* The lanes of a warp that hold the same. */
typedef struct {
  bool in, first; /* of them; the first of them */
} GpucclGroup;

/* Takes the lanes out of @left that hold what the first one in it holds. */
static __device__ __forceinline__ GpucclGroup
gpuccl_next_group (uint32_t *left, uint32_t held)
{
  int lane = __ffs ((int) *left) - 1;
  GpucclGroup g;

  g.in = held == __shfl_sync (ALL_LANES, held, lane);
  g.first = (int) threadIdx.x == lane;
  *left &= ~__ballot_sync (ALL_LANES, g.in);
  return g;
}

/* Rows and columns: the lines in which candidates have a first and a last
 * pixel. */
BOTH int
gpuccl_lines (const GpucclFrame *f)
{
  return f->height + f->width;
}

/* paper/sum_cuda.cu */
C_BEGIN
const char *gpuccl_sum_cuda (const Device *dev, const GpucclWork *w, int rows);
C_END
