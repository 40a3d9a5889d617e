/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The detection by windows, with pixels as bits: what is in a window's row is
 * counted in words, and a thread goes down a column, adding a row and taking
 * one off.  Bits lie in rows of whole words, first in w->scratch, then in
 * w->labels, each of which has more room than that. */
#include "gpuccl/gpuccl_cuda.cuh"
#include "gpuccl/paper/window_core.h"

#define STEPS 32 /* rows that a thread goes down */

static __device__ __forceinline__ int
n_words (const GpucclFrame &f)
{
  return (f.width + 31) / 32;
}

/* Word @i of row @y; 0 outside the frame. */
static __device__ __forceinline__ uint32_t
word_at (const GpucclFrame &f, const uint32_t *bits, int i, int y)
{
  return i >= 0 && i < n_words (f) && y >= 0 && y < f.height
      ? bits[(size_t) y * n_words (f) + i]
      : 0;
}

/* The outliers. */
static __global__ void
read_kernel (const __grid_constant__ GpucclWork w, uint32_t *first)
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
    w.scratch[(size_t) y * n_words (f) + blockIdx.x] = bits;
}

/* The outliers in row @y, as far as the thread's window reaches, which is less
 * than a word to either side. */
static __device__ __forceinline__ uint32_t
count_row (const GpucclWork &w, int y)
{
  int i = blockIdx.x, lane = threadIdx.x, reach = GPUCCL_WINDOW_REACH;
  uint32_t left = word_at (w.frame, w.scratch, i - 1, y);
  uint32_t here = word_at (w.frame, w.scratch, i, y);
  uint32_t right = word_at (w.frame, w.scratch, i + 1, y);
  /* the pixels before the thread's, the last one in the highest bit; and those
   * from it on, the first one in the lowest */
  uint32_t before = __funnelshift_r (left, here, lane);
  uint32_t after = __funnelshift_r (here, right, lane);

  return __popc (before >> (32 - reach)) + __popc (after << (31 - reach));
}

/* The outliers whose surroundings are outliers. */
static __global__ void
mark_kernel (const __grid_constant__ GpucclWork w)
{
  const GpucclFrame &f = w.frame;
  int x = gpuccl_x (), y0 = gpuccl_y () * STEPS,
      y1 = min (y0 + STEPS, f.height);
  uint32_t n = 0;

#pragma unroll 10
  for (int y = y0 - GPUCCL_WINDOW_REACH; y < y0 + GPUCCL_WINDOW_REACH; y++)
    n += count_row (w, y);
#pragma unroll 4
  for (int y = y0; y < y1; y++) {
    uint32_t here = word_at (f, w.scratch, blockIdx.x, y), marks;

    n += count_row (w, y + GPUCCL_WINDOW_REACH);
    marks = __ballot_sync (ALL_LANES,
        here >> threadIdx.x & 1 &&
            gpuccl_window_marks (
                gpuccl_window_of (&f, x, y, GPUCCL_WINDOW_REACH), n));
    n -= count_row (w, y - GPUCCL_WINDOW_REACH);
    if (threadIdx.x == 0)
      w.labels[(size_t) y * n_words (f) + blockIdx.x] = marks;
  }
}

/* The outliers around those, a word a thread, in place of all; and the label
 * of the first. */
static __global__ void
grow_kernel (const __grid_constant__ GpucclWork w, uint32_t *first)
{
  const GpucclFrame &f = w.frame;
  int i = gpuccl_x (), y = gpuccl_y (), reach = GPUCCL_GROWTH_REACH;
  uint32_t left = 0, here = 0, right = 0, grown, *to;

  if (i >= n_words (f) || y >= f.height)
    return;
  for (int v = y - reach; v <= y + reach; v++) {
    left |= word_at (f, w.labels, i - 1, v);
    here |= word_at (f, w.labels, i, v);
    right |= word_at (f, w.labels, i + 1, v);
  }
  grown = here;
  for (int k = 1; k <= reach; k++)
    grown |= __funnelshift_l (left, here, k) | __funnelshift_r (here, right, k);
  to = &w.scratch[(size_t) y * n_words (f) + i];
  *to &= grown;
  if (*to)
    atomicMin (first, (uint32_t) (y * f.width + 32 * i + __ffs ((int) *to)));
}

static __global__ void
label_kernel (const __grid_constant__ GpucclWork w, const uint32_t *first)
{
  const GpucclFrame &f = w.frame;
  int x = gpuccl_x (), y = gpuccl_y ();

  if (x < f.width && y < f.height)
    w.labels[(size_t) y * f.width + x] =
        word_at (f, w.scratch, x / 32, y) >> x % 32 & 1 ? *first : 0;
}

const char *
gpuccl_window_cuda (const Device *dev, const GpucclWork *w)
{
  const GpucclFrame *f = &w->frame;
  uint32_t *first = ((const GpucclCuda *) w->state)->window_label;
  int words = ceil_div (f->width, 32);
  dim3 blocks = gpuccl_blocks (f), threads = gpuccl_threads ();
  cudaStream_t stream = device_stream (dev);

  read_kernel<<<blocks, threads, 0, stream>>> (*w, first);
  mark_kernel<<<dim3 (words, ceil_div (f->height, STEPS)), 32, 0, stream>>> (
      *w);
  grow_kernel<<<dim3 (ceil_div (words, 32), ceil_div (f->height, 8)),
      dim3 (32, 8), 0, stream>>> (*w, first);
  label_kernel<<<blocks, threads, 0, stream>>> (*w, first);
  CUDA_TRY (cudaGetLastError ());
  return NULL;
}
