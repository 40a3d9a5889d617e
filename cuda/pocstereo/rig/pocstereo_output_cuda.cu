/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The outputs that are wanted of the matches, a thread for each pixel. */
#include "common/cuda.cuh"
#include "pocstereo/rig/pocstereo_output_core.h"

#define BLOCK_WIDTH 32
#define BLOCK_HEIGHT 8

static __global__ void
write_kernel (const __grid_constant__ PocstereoOutputWork w)
{
  int x = blockIdx.x * BLOCK_WIDTH + threadIdx.x;
  int y = blockIdx.y * BLOCK_HEIGHT + threadIdx.y;

  if (x < w.in.width && y < w.in.height)
    pocstereo_write (&w, x, y);
}

static const char *
write (const Device *dev, const PocstereoOutputWork *w)
{
  dim3 blocks (ceil_div (w->in.width, BLOCK_WIDTH),
      ceil_div (w->in.height, BLOCK_HEIGHT));

  write_kernel<<<blocks, dim3 (BLOCK_WIDTH, BLOCK_HEIGHT), 0,
      device_stream (dev)>>> (*w);
  CUDA_TRY (cudaGetLastError ());
  return NULL;
}

const PocstereoOutputStages pocstereo_output_stages_cuda = {write};
