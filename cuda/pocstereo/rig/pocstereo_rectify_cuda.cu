/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rectification as kernels, a thread for each sample, both views in one launch.
 * Greys of one byte are read from the frame; other frames are first copied as
 * samples, since each pixel is read some 16 times. */
#include "common/cuda.cuh"
#include "pocstereo/rig/pocstereo_picture_core.h"

#define BLOCK_WIDTH 32
#define BLOCK_HEIGHT 8

static __global__ void
copy_greys_kernel (const __grid_constant__ PocstereoGreys frames,
    const __grid_constant__ PocstereoPlanes to)
{
  int x = blockIdx.x * BLOCK_WIDTH + threadIdx.x;
  int y = blockIdx.y * BLOCK_HEIGHT + threadIdx.y, view = blockIdx.z;
  const PocstereoGrey &g = frames.grey[view];

  if (x < g.width && y < g.height)
    to.view[view][(size_t) y * to.stride + x] =
        (uint16_t) pocstereo_grey_at (&g, x, y);
}

/* Makes the samples of rectified views.  @has_planes: the frames were copied to
 * @planes. */
template <bool has_planes>
static __global__ void
sample_planes_kernel (const __grid_constant__ PocstereoGreys frames,
    const __grid_constant__ PocstereoMaps maps,
    const __grid_constant__ PocstereoPlanes planes,
    const __grid_constant__ PocstereoPlanes samples)
{
  int x = blockIdx.x * BLOCK_WIDTH + threadIdx.x;
  int y = blockIdx.y * BLOCK_HEIGHT + threadIdx.y, view = blockIdx.z;
  PocstereoGrey g = has_planes
      ? pocstereo_grey_of_plane (&frames, &planes, view)
      : frames.grey[view];

  g.kind = has_planes ? POCSTEREO_SAMPLES : POCSTEREO_BYTES;
  if (x < g.width && y < g.height)
    samples.view[view][(size_t) y * samples.stride + x] =
        pocstereo_grey_between (&g, maps.view[view][(size_t) y * g.width + x]);
}

static const char *
rectify_cuda (const Device *dev, const PocstereoGreys *frames,
    const PocstereoMaps *maps, PocstereoPlanes *planes,
    PocstereoPlanes *samples)
{
  const PocstereoGrey *g = frames->grey;
  dim3 threads (BLOCK_WIDTH, BLOCK_HEIGHT);
  dim3 blocks (
      ceil_div (g->width, BLOCK_WIDTH), ceil_div (g->height, BLOCK_HEIGHT), 2);
  cudaStream_t stream = device_stream (dev);
  bool bytes = g[0].kind == POCSTEREO_BYTES && g[1].kind == POCSTEREO_BYTES;

  if (!maps || !bytes)
    copy_greys_kernel<<<blocks, threads, 0, stream>>> (
        *frames, maps ? *planes : *samples);
  if (maps && bytes)
    sample_planes_kernel<false>
        <<<blocks, threads, 0, stream>>> (*frames, *maps, *planes, *samples);
  else if (maps)
    sample_planes_kernel<true>
        <<<blocks, threads, 0, stream>>> (*frames, *maps, *planes, *samples);
  CUDA_TRY (cudaGetLastError ());
  return NULL;
}

static __global__ void
picture_kernel (const __grid_constant__ PocstereoPicture p)
{
  int x = blockIdx.x * BLOCK_WIDTH + threadIdx.x;
  int y = blockIdx.y * BLOCK_HEIGHT + threadIdx.y;

  if (x < p.from.width && y < p.from.height)
    pocstereo_paint_pixel (&p, x, y);
}

static const char *
paint_picture_cuda (const Device *dev, const PocstereoPicture *p)
{
  dim3 grid (ceil_div (p->from.width, BLOCK_WIDTH),
      ceil_div (p->from.height, BLOCK_HEIGHT));

  picture_kernel<<<grid, dim3 (BLOCK_WIDTH, BLOCK_HEIGHT), 0,
      device_stream (dev)>>> (*p);
  CUDA_TRY (cudaGetLastError ());
  return NULL;
}

const PocstereoRectifyStages pocstereo_rectify_stages_cuda = {
    rectify_cuda, paint_picture_cuda};
