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

/* The kernels of the fused method and how many threads they need.  The first
 * one makes fragments, which the next two join and add up to blobs; or, where
 * no blobs are asked for, sums of colours, which the last one reports. */
typedef void (*MoctKernel) (const MoctWork w);
MoctKernel moct_tiles_kernel (const MoctWork *w);
__global__ void moct_join_kernel (const __grid_constant__ MoctWork w);
__global__ void moct_gather_kernel (const __grid_constant__ MoctWork w);
__global__ void moct_colours_kernel (const __grid_constant__ MoctWork w);

int moct_tiles_threads (const MoctWork *w);
int moct_join_threads (const MoctWork *w);
int moct_gather_threads (const MoctWork *w);

/* Queues the clearing of the colours' sums, before their first use. */
const char *moct_clear_colours (const Device *dev, const MoctWork *w);
