/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rectification as kernels, a thread a sample, both views in one launch.  A
 * grey of one byte is read from the frame at once; others are made samples
 * first, since each pixel is read some 16 times. */
#include "common/cuda.cuh"
#include "pocstereo/rig/pocstereo_picture_core.h"

#define BLOCK_WIDTH 32
#define BLOCK_HEIGHT 8

static dim3
blocks (const PocstereoRectifyWork *w)
{
  return dim3 (
      ceil_div (w->width, BLOCK_WIDTH), ceil_div (w->height, BLOCK_HEIGHT), 2);
}

/* @planes: to the planes, else to the samples. */
static __global__ void
copy_kernel (const __grid_constant__ PocstereoRectifyWork w, bool planes)
{
  int x = blockIdx.x * BLOCK_WIDTH + threadIdx.x;
  int y = blockIdx.y * BLOCK_HEIGHT + threadIdx.y, view = blockIdx.z;
  uint16_t *to = planes ? w.plane[view] : w.sample[view];
  int stride = planes ? w.width : w.stride;

  if (x < w.width && y < w.height)
    to[(size_t) y * stride + x] =
        (uint16_t) pocstereo_grey_at (&w.grey[view], x, y);
}

template <bool planes>
static __global__ void
sample_kernel (const __grid_constant__ PocstereoRectifyWork w)
{
  int x = blockIdx.x * BLOCK_WIDTH + threadIdx.x;
  int y = blockIdx.y * BLOCK_HEIGHT + threadIdx.y, view = blockIdx.z;
  PocstereoGrey g = planes ? pocstereo_grey_of_plane (&w, view) : w.grey[view];

  g.kind = planes ? POCSTEREO_SAMPLES : POCSTEREO_BYTES;
  if (x < w.width && y < w.height)
    w.sample[view][(size_t) y * w.stride + x] =
        pocstereo_grey_between (&g, w.map[view][(size_t) y * w.width + x]);
}

static const char *
run (const Device *dev, const PocstereoRectifyWork *w)
{
  dim3 threads (BLOCK_WIDTH, BLOCK_HEIGHT);
  cudaStream_t stream = device_stream (dev);
  bool bytes =
      w->grey[0].kind == POCSTEREO_BYTES && w->grey[1].kind == POCSTEREO_BYTES;

  if (!w->map[0] || !bytes)
    copy_kernel<<<blocks (w), threads, 0, stream>>> (*w, w->map[0] != NULL);
  if (w->map[0] && bytes)
    sample_kernel<false><<<blocks (w), threads, 0, stream>>> (*w);
  else if (w->map[0])
    sample_kernel<true><<<blocks (w), threads, 0, stream>>> (*w);
  CUDA_TRY (cudaGetLastError ());
  return NULL;
}

static __global__ void
picture_kernel (const __grid_constant__ PocstereoPicture p)
{
  int x = blockIdx.x * BLOCK_WIDTH + threadIdx.x;
  int y = blockIdx.y * BLOCK_HEIGHT + threadIdx.y;

  if (x < p.from.width && y < p.from.height)
    pocstereo_paint (&p, x, y);
}

static const char *
picture (const Device *dev, const PocstereoPicture *p)
{
  dim3 grid (ceil_div (p->from.width, BLOCK_WIDTH),
      ceil_div (p->from.height, BLOCK_HEIGHT));

  picture_kernel<<<grid, dim3 (BLOCK_WIDTH, BLOCK_HEIGHT), 0,
      device_stream (dev)>>> (*p);
  CUDA_TRY (cudaGetLastError ());
  return NULL;
}

const PocstereoRectifyStages pocstereo_rectify_stages_cuda = {run, picture};
