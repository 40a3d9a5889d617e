/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The wanted outputs of the matches, a thread for each pixel. */
#include "common/cuda.cuh"
#include "pocstereo/rig/pocstereo_output_core.h"

#define BLOCK_WIDTH 32
#define BLOCK_HEIGHT 8

static __global__ void
output_kernel (const __grid_constant__ PocstereoMatches in,
    const __grid_constant__ PocstereoSpace space,
    const __grid_constant__ PocstereoScale scale,
    const __grid_constant__ PocstereoOutput out)
{
  int x = blockIdx.x * BLOCK_WIDTH + threadIdx.x;
  int y = blockIdx.y * BLOCK_HEIGHT + threadIdx.y;

  if (x < in.width && y < in.height)
    pocstereo_write_pixel (&in, &space, &scale, x, y, &out);
}

static const char *
write_output_cuda (const Device *dev, const PocstereoMatches *in,
    const PocstereoSpace *space, const PocstereoScale *scale,
    const PocstereoOutput *out)
{
  dim3 blocks (
      ceil_div (in->width, BLOCK_WIDTH), ceil_div (in->height, BLOCK_HEIGHT));

  output_kernel<<<blocks, dim3 (BLOCK_WIDTH, BLOCK_HEIGHT), 0,
      device_stream (dev)>>> (*in, *space, *scale, *out);
  CUDA_TRY (cudaGetLastError ());
  return NULL;
}

const PocstereoOutputStages pocstereo_output_stages_cuda = {write_output_cuda};
