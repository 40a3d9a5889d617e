/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The paper's operator and the one it is compared with, as kernels: a thread
 * for each texel, a launch for each level, and no wait in between. */
#include "moct/moct_cuda.cuh"
#include "moct/paper/pyramid_core.h"

#define THREADS 128

static __global__ void
sweep_texels_kernel (const __grid_constant__ MoctWork w, const MoctLevel base)
{
  unsigned at = blockIdx.x * THREADS + threadIdx.x;
  MoctTexel t;

  if (at >= moct_level_texels (&base))
    return;
  t = moct_texel_of (&base, at);
  if (t.i < base.n)
    w.texels[base.first + at] = moct_sweep (&w, &base, t);
}

static __global__ void
gather_texels_kernel (const __grid_constant__ MoctWork w, const MoctLevel below,
    const MoctLevel level)
{
  unsigned at = blockIdx.x * THREADS + threadIdx.x;
  MoctTexel t;

  if (at >= moct_level_texels (&level))
    return;
  t = moct_texel_of (&level, at);
  if (t.i < level.n)
    w.texels[level.first + at] = moct_gather (&w, &below, t);
}

static unsigned
blocks_for_texels (const MoctLevel *l)
{
  return (unsigned) ((moct_level_texels (l) + THREADS - 1) / THREADS);
}

/* One block, with a thread for each colour. */
static __global__ void
report_texels_kernel (const __grid_constant__ MoctWork w, const MoctSum *sums)
{
  __shared__ unsigned n_blobs;
  int k = threadIdx.x;

  if (k == 0)
    n_blobs = 0;
  __syncthreads ();
  if (k < w.n_colours && sums[k].n && sums[k].n >= w.min_area &&
      sums[k].n <= w.max_area) {
    MoctBlob *blob = &w.result->blobs[atomicAdd (&n_blobs, 1u)];

    blob->sum = sums[k];
    blob->cls = k + 1;
  }
  __syncthreads ();
  if (k == 0) {
    w.result->n_blobs = n_blobs;
    w.result->n_overflow = 0;
  }
}

static const char *
report_texels_cuda (const Device *dev, const MoctWork *w, const MoctSum *sums)
{
  report_texels_kernel<<<1, MOCT_MAX_COLOURS, 0, device_stream (dev)>>> (
      *w, sums);
  CUDA_TRY (cudaGetLastError ());
  return NULL;
}

const char *
moct_pyramid_cuda (const Device *dev, const MoctWork *w)
{
  cudaStream_t stream = device_stream (dev);
  MoctLevel level = moct_base (w);

  TRY (moct_pyramid_check (w));
  sweep_texels_kernel<<<blocks_for_texels (&level), THREADS, 0, stream>>> (
      *w, level);
  CUDA_TRY (cudaGetLastError ());
  while (level.cells_x > 1 || level.cells_y > 1) {
    MoctLevel below = level;

    level = moct_above (w, &below);
    gather_texels_kernel<<<blocks_for_texels (&level), THREADS, 0, stream>>> (
        *w, below, level);
    CUDA_TRY (cudaGetLastError ());
  }
  return report_texels_cuda (dev, w, w->texels + level.first);
}

static __global__ void
mask_colour_kernel (
    const __grid_constant__ MoctWork w, int k, const MoctHalf to)
{
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;

  if (x < to.width && y < to.height)
    to.mask[(size_t) y * to.width + x] = moct_mask_pixel (&w, k, x, y);
}

static __global__ void
halve_mask_kernel (const MoctHalf below, const MoctHalf level)
{
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;

  if (x < level.width && y < level.height)
    level.texels[(size_t) y * level.width + x] = moct_halve (&below, x, y);
}

static const char *
reduce_object (const Device *dev, const MoctWork *w, int k)
{
  cudaStream_t stream = device_stream (dev);
  MoctHalf level = moct_mask (w);
  dim3 block (32, 4);
  dim3 grid (ceil_div (level.width, 32), ceil_div (level.height, 4));

  mask_colour_kernel<<<grid, block, 0, stream>>> (*w, k, level);
  CUDA_TRY (cudaGetLastError ());
  while (level.mask || level.width > 1 || level.height > 1) {
    MoctHalf below = level;

    level = moct_half_above (w, k, &below);
    grid = dim3 (ceil_div (level.width, 32), ceil_div (level.height, 4));
    halve_mask_kernel<<<grid, block, 0, stream>>> (below, level);
    CUDA_TRY (cudaGetLastError ());
  }
  return NULL;
}

const char *
moct_per_object_cuda (const Device *dev, const MoctWork *w)
{
  TRY (moct_per_object_check (w));
  for (int k = 0; k < w->n_colours; k++)
    TRY (reduce_object (dev, w, k));
  return report_texels_cuda (dev, w, w->texels);
}
