/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parts of the CUDA backend that have files of their own. */
#pragma once

#include "common/chain.cuh"
#include "moct/moct_core.h"

C_BEGIN

/* paper/pyramid_cuda.cu */
const char *moct_pyramid_cuda (const Device *dev, const MoctWork *w);
const char *moct_per_object_cuda (const Device *dev, const MoctWork *w);

C_END

/* The kernels of the fused method as nodes of a graph.  If blobs are wanted,
 * the first makes fragments, and the second joins them, sums blobs and reports
 * these.  Otherwise the first sums colours, and the second reports the sums. */
typedef void (*MoctKernel) (const MoctWork w);
MoctKernel moct_tiles_kernel (const MoctWork *w);

cudaKernelNodeParams moct_tiles_node (const MoctWork *w, void **args);
cudaKernelNodeParams moct_blobs_node (const MoctWork *w, void **args);
cudaKernelNodeParams moct_colours_node (const MoctWork *w, void **args);

static inline cudaKernelNodeParams
moct_node (MoctKernel kernel, dim3 blocks, dim3 threads, void **args)
{
  return chain_kernel ((void *) kernel, blocks, threads, args);
}

/* Queues the clearing of the colours' sums, before the first frame uses
 * them. */
const char *moct_clear_colours (const Device *dev, const MoctWork *w);
