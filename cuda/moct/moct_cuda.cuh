/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parts of the CUDA backend that lie in files of their own. */
#pragma once

#include "common/cuda.cuh"
#include "moct/moct_core.h"

C_BEGIN

/* moct_fused_cuda.cu */
const char *moct_fused_cuda (
    const Device *dev, const MoctWork *w, void **state);
void moct_fused_release (void *state);

/* moct_pyramid_cuda.cu */
const char *moct_pyramid_cuda (const Device *dev, const MoctWork *w);
const char *moct_per_object_cuda (const Device *dev, const MoctWork *w);

C_END

/* The kernels of the fused method, in their order, blocks of 256 threads.  The
 * first one reports by itself where no blobs are asked for. */
typedef void (*MoctKernel) (const MoctWork w);
MoctKernel moct_tiles_kernel (const MoctWork *w);
__global__ void moct_join_kernel (const __grid_constant__ MoctWork w);
__global__ void moct_gather_kernel (const __grid_constant__ MoctWork w);

int moct_tiles_blocks (const MoctWork *w);
int moct_join_blocks (const MoctWork *w);
int moct_gather_blocks (const MoctWork *w);
