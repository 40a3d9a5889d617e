/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Histograms, and values by closed forms, as kernels. */
#include "emdtrack/emdtrack_cuda.cuh"

#define ACROSS 128 /* columns that a block counts */
#define DOWN 8     /* rows that a block processes at a time */

static __global__ void
__launch_bounds__ (EMDTRACK_THREADS)
    index_pixels_kernel (const __grid_constant__ EmdtrackReader r, uint8_t *out)
{
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  ImageRow row = {};

  if (x >= r.width)
    return;
  if (r.frame.layout == EMDTRACK_PLAIN)
    row = image_row (&r.frame.image, y);
  out[(size_t) y * r.width + x] = (uint8_t) emdtrack_bin (&r, &row, x, y);
}

const char *
emdtrack_index_cuda (const Device *dev, const EmdtrackWork *w)
{
  const EmdtrackReader *r = &w->reader;
  dim3 blocks (ceil_div (r->width, EMDTRACK_THREADS), r->height);

  index_pixels_kernel<<<blocks, EMDTRACK_THREADS, 0, device_stream (dev)>>> (
      *r, w->index);
  CUDA_TRY (cudaGetLastError ());
  return NULL;
}

static __global__ void
__launch_bounds__ (EMDTRACK_THREADS)
    read_spectra_kernel (const __grid_constant__ EmdtrackReader r,
        ImageBox area, EmdtrackHistogram *out)
{
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  int across = area.x1 - area.x0;
  EmdtrackHistogram h = {};

  if (x >= across)
    return;
  emdtrack_spectrum (&r, area.x0 + x, area.y0 + y, r.mass, h.bin);
  out[(size_t) y * across + x] = h;
}

const char *
emdtrack_spectra_cuda (const Device *dev, const EmdtrackWork *w)
{
  dim3 blocks (ceil_div (emdtrack_across (w->area), EMDTRACK_THREADS),
      emdtrack_down (w->area));

  read_spectra_kernel<<<blocks, EMDTRACK_THREADS, 0, device_stream (dev)>>> (
      w->reader, w->area, w->histogram);
  CUDA_TRY (cudaGetLastError ());
  return NULL;
}

/* ---- Windows ---- */

/* Adds to a histogram in four words.  Whole words may be added and subtracted
 * as long as each byte of the result is in range. */
static __device__ __forceinline__ void
add_to_bin (uint32_t h[4], int bin, uint32_t count)
{
  uint32_t v = count << 8 * (bin & 3);

#pragma unroll
  for (int k = 0; k < 4; k++)
    h[k] += k == bin >> 2 ? v : 0;
}

static __device__ __forceinline__ uint4
add_words (uint4 a, uint4 b)
{
  return make_uint4 (a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

typedef struct {
  const uint8_t *index;
  uint4 *out;
  int width, height, half;
  ImageBox area;
} Window;

static __device__ __forceinline__ int
bin_of_pixel (const Window &w, int x, int y)
{
  return w.index[(size_t) emdtrack_clamp (y, w.height - 1) * w.width + x];
}

/* A thread keeps the histogram of a column of the window's height; a window's
 * histogram is the sum of its columns'.  The block's first and last columns
 * belong to the windows at its ends. */
static __global__ void
__launch_bounds__ (ACROSS) count_windows_kernel (Window w)
{
  __shared__ uint4 columns[2][ACROSS];
  int x = w.area.x0 + blockIdx.x * (ACROSS - 2 * w.half) + (int) threadIdx.x -
      w.half;
  int from = emdtrack_clamp (x, w.width - 1);
  int y0 = w.area.y0 + blockIdx.y * DOWN, y1 = min (y0 + DOWN, w.area.y1);
  bool inside = (int) threadIdx.x >= w.half &&
      (int) threadIdx.x < ACROSS - w.half && x < w.area.x1;
  uint32_t h[4] = {0};
  int come = bin_of_pixel (w, from, y0 + w.half),
      go = bin_of_pixel (w, from, y0 - w.half);

  for (int y = y0 - w.half; y < y0 + w.half; y++)
    add_to_bin (h, bin_of_pixel (w, from, y), 1);
  for (int y = y0; y < y1; y++) {
    uint4 *row = columns[y & 1];

    add_to_bin (h, come, 1);
    row[threadIdx.x] = make_uint4 (h[0], h[1], h[2], h[3]);
    add_to_bin (h, go, ~0u);
    come = bin_of_pixel (w, from, y + 1 + w.half); /* read ahead */
    go = bin_of_pixel (w, from, y + 1 - w.half);
    __syncthreads ();
    if (!inside)
      continue;
    uint4 sum = row[threadIdx.x];

    for (int k = 1; k <= w.half; k++)
      sum = add_words (
          sum, add_words (row[threadIdx.x - k], row[threadIdx.x + k]));
    w.out[(size_t) (y - w.area.y0) * (w.area.x1 - w.area.x0) + x - w.area.x0] =
        sum;
  }
}

const char *
emdtrack_window_cuda (const Device *dev, const EmdtrackWork *w)
{
  Window a = {w->index, (uint4 *) w->histogram, w->reader.width,
      w->reader.height, w->window / 2, w->area};
  dim3 blocks (ceil_div (emdtrack_across (w->area), ACROSS - 2 * a.half),
      ceil_div (emdtrack_down (w->area), DOWN));

  count_windows_kernel<<<blocks, ACROSS, 0, device_stream (dev)>>> (a);
  CUDA_TRY (cudaGetLastError ());
  return NULL;
}

/* ---- Closed forms ---- */

typedef struct {
  EmdtrackClosed closed;
  uint16_t target[EMDTRACK_BINS];
  const EmdtrackHistogram *histogram;
  uint16_t *map;
  size_t n;
} Closed;

template <EmdtrackForm form>
static __global__ void
__launch_bounds__ (EMDTRACK_THREADS)
    closed_form_kernel (const __grid_constant__ Closed c)
{
  size_t i = (size_t) blockIdx.x * blockDim.x + threadIdx.x;

  if (i >= c.n)
    return;
  EmdtrackHistogram h = c.histogram[i];

  c.map[i] = (uint16_t) (form == EMDTRACK_FORM_LINE
          ? emdtrack_line (&c.closed, h.bin, c.target)
          : form == EMDTRACK_FORM_CIRCLE
          ? emdtrack_circle (&c.closed, h.bin, c.target)
          : emdtrack_tree_form (&c.closed, h.bin, c.target));
}

const char *
emdtrack_closed_cuda (const Device *dev, const EmdtrackWork *w, int target)
{
  Closed c = {w->closed, {}, w->histogram, w->map[target], emdtrack_pixels (w)};
  uint32_t blocks =
      (uint32_t) ((c.n + EMDTRACK_THREADS - 1) / EMDTRACK_THREADS);
  void (*kernel) (Closed) = w->closed.form == EMDTRACK_FORM_LINE
      ? closed_form_kernel<EMDTRACK_FORM_LINE>
      : w->closed.form == EMDTRACK_FORM_CIRCLE
      ? closed_form_kernel<EMDTRACK_FORM_CIRCLE>
      : closed_form_kernel<EMDTRACK_FORM_TREE>;

  memcpy (c.target, w->problem[target].target, sizeof c.target);
  kernel<<<blocks, EMDTRACK_THREADS, 0, device_stream (dev)>>> (c);
  CUDA_TRY (cudaGetLastError ());
  w->counts->closed += c.n;
  return NULL;
}
