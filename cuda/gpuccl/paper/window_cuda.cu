/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The detection by windows, with pixels as bits.  The outliers in a row of a
 * window are counted in words; a thread walks down a column, adds the next row
 * and subtracts the last.  Bits are rows of whole words, first in w->scratch,
 * then in w->labels, both of which have room for them. */
#include "gpuccl/gpuccl_cuda.cuh"
#include "gpuccl/paper/window_core.h"

#define STEPS 32 /* rows that a thread walks down */

static __device__ __forceinline__ int
n_row_words (const GpucclFrame &f)
{
  return (f.width + 31) / 32;
}

/* Word @i of row @y; 0 outside of the frame. */
static __device__ __forceinline__ uint32_t
word_of_row (const GpucclFrame &f, const uint32_t *bits, int i, int y)
{
  return i >= 0 && i < n_row_words (f) && y >= 0 && y < f.height
      ? bits[(size_t) y * n_row_words (f) + i]
      : 0;
}

/* Writes the outliers as bits. */
static __global__ void
read_outliers_kernel (const __grid_constant__ GpucclWork w, uint32_t *first)
{
  const GpucclFrame &f = w.frame;
  int x = gpuccl_x (), y = gpuccl_y ();
  uint32_t bits = __ballot_sync (ALL_LANES,
      x < f.width && y < f.height &&
          gpuccl_foreground_at (&f, &w.values, x, y));

  if (gpuccl_is_first_thread ()) {
    *first = UINT32_MAX;
    w.result->iterations = 0;
  }
  if (threadIdx.x == 0 && y < f.height)
    w.scratch[(size_t) y * n_row_words (f) + blockIdx.x] = bits;
}

/* The number of outliers in row @y within the thread's window, which reaches
 * less than a word to either side. */
static __device__ __forceinline__ uint32_t
count_row_outliers (const GpucclWork &w, int y)
{
  int i = blockIdx.x, lane = threadIdx.x, reach = GPUCCL_WINDOW_REACH;
  uint32_t left = word_of_row (w.frame, w.scratch, i - 1, y);
  uint32_t here = word_of_row (w.frame, w.scratch, i, y);
  uint32_t right = word_of_row (w.frame, w.scratch, i + 1, y);
  /* the pixels before the thread's, the last in the highest bit; and those from
   * it on, the first in the lowest bit */
  uint32_t before = __funnelshift_r (left, here, lane);
  uint32_t after = __funnelshift_r (here, right, lane);

  return __popc (before >> (32 - reach)) + __popc (after << (31 - reach));
}

/* Marks the outliers whose surroundings are outliers. */
static __global__ void
mark_outliers_kernel (const __grid_constant__ GpucclWork w)
{
  const GpucclFrame &f = w.frame;
  int x = gpuccl_x (), y0 = gpuccl_y () * STEPS,
      y1 = min (y0 + STEPS, f.height);
  uint32_t n = 0;

#pragma unroll 10
  for (int y = y0 - GPUCCL_WINDOW_REACH; y < y0 + GPUCCL_WINDOW_REACH; y++)
    n += count_row_outliers (w, y);
#pragma unroll 4
  for (int y = y0; y < y1; y++) {
    uint32_t here = word_of_row (f, w.scratch, blockIdx.x, y), marks;

    n += count_row_outliers (w, y + GPUCCL_WINDOW_REACH);
    marks = __ballot_sync (ALL_LANES,
        here >> threadIdx.x & 1 &&
            gpuccl_window_marks (
                gpuccl_window_of (&f, x, y, GPUCCL_WINDOW_REACH), n));
    n -= count_row_outliers (w, y - GPUCCL_WINDOW_REACH);
    if (threadIdx.x == 0)
      w.labels[(size_t) y * n_row_words (f) + blockIdx.x] = marks;
  }
}

/* Replaces all outliers by those around the marked ones, a word for each
 * thread, and finds the label of the first. */
static __global__ void
grow_marks_kernel (const __grid_constant__ GpucclWork w, uint32_t *first)
{
  const GpucclFrame &f = w.frame;
  int i = gpuccl_x (), y = gpuccl_y (), reach = GPUCCL_GROWTH_REACH;
  uint32_t left = 0, here = 0, right = 0, grown, *to;

  if (i >= n_row_words (f) || y >= f.height)
    return;
  for (int v = y - reach; v <= y + reach; v++) {
    left |= word_of_row (f, w.labels, i - 1, v);
    here |= word_of_row (f, w.labels, i, v);
    right |= word_of_row (f, w.labels, i + 1, v);
  }
  grown = here;
  for (int k = 1; k <= reach; k++)
    grown |= __funnelshift_l (left, here, k) | __funnelshift_r (here, right, k);
  to = &w.scratch[(size_t) y * n_row_words (f) + i];
  *to &= grown;
  if (*to)
    atomicMin (first, (uint32_t) (y * f.width + 32 * i + __ffs ((int) *to)));
}

static __global__ void
label_window_kernel (
    const __grid_constant__ GpucclWork w, const uint32_t *first)
{
  const GpucclFrame &f = w.frame;
  int x = gpuccl_x (), y = gpuccl_y ();

  if (x < f.width && y < f.height)
    w.labels[(size_t) y * f.width + x] =
        word_of_row (f, w.scratch, x / 32, y) >> x % 32 & 1 ? *first : 0;
}

const char *
gpuccl_window_cuda (const Device *dev, const GpucclWork *w)
{
  const GpucclFrame *f = &w->frame;
  uint32_t *first = ((const GpucclCuda *) w->state)->window_label;
  int words = ceil_div (f->width, 32);
  dim3 blocks = gpuccl_blocks (f), threads = gpuccl_threads ();
  cudaStream_t stream = device_stream (dev);

  read_outliers_kernel<<<blocks, threads, 0, stream>>> (*w, first);
  mark_outliers_kernel<<<dim3 (words, ceil_div (f->height, STEPS)), 32, 0,
      stream>>> (*w);
  grow_marks_kernel<<<dim3 (ceil_div (words, 32), ceil_div (f->height, 8)),
      dim3 (32, 8), 0, stream>>> (*w, first);
  label_window_kernel<<<blocks, threads, 0, stream>>> (*w, first);
  CUDA_TRY (cudaGetLastError ());
  return NULL;
}
