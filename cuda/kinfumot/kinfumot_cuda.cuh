/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sizes of blocks, and the launch of kernels. */
#pragma once

#include "common/chain.cuh"
#include "kinfumot/kinfumot_stages.h"

#define PIXEL_THREADS 256

typedef unsigned long long Word; /* of atomic operations */

/* Blocks of PIXEL_THREADS with a thread for each of @n. */
static inline dim3
blocks_of (int n, int models = 1)
{
  return dim3 (ceil_div (n, PIXEL_THREADS), models);
}

static inline dim3
blocks_of_pixels (const KinfumotOptics *optics, int models = 1)
{
  return blocks_of (kinfumot_n_pixels (optics), models);
}

static __device__ __forceinline__ int
thread_number (void)
{
  return blockIdx.x * blockDim.x + threadIdx.x;
}

/* Queues @kernel, which calls await_previous () before all else. */
template <class... Params, class... Args>
static inline const char *
queue_kernel (const Device *dev, void (*kernel) (Params...), dim3 blocks,
    dim3 threads, const Args &...args)
{
  bool overlap = false;

  TRY (chain_may_overlap (&overlap));
  return launch_after (dev, overlap, kernel, blocks, threads, 0, args...);
}
