/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the kernels share, and the stages by file. */
#pragma once

#include "common/chain.cuh"
#include "kinfumot/kinfumot_cast_core.h"
#include "kinfumot/kinfumot_fuse_core.h"

#define THREADS 256

typedef unsigned long long Word; /* of atomic operations */

/* A thread for each of @n. */
static inline dim3
blocks_of (int n, int models = 1)
{
  return dim3 (ceil_div (n, THREADS), models);
}

static __device__ __forceinline__ int
thread_index (void)
{
  return blockIdx.x * blockDim.x + threadIdx.x;
}

/* Queues @kernel, which calls await_previous () before all else. */
template <class... Params, class... Args>
static inline const char *
queue (const Device *dev, void (*kernel) (Params...), dim3 blocks, dim3 threads,
    const Args &...args)
{
  bool overlap = false;

  TRY (chain_may_overlap (&overlap));
  return launch_after (dev, overlap, kernel, blocks, threads, 0, args...);
}

/* Adds a brick, whose key may be 0, to the ranges of the tiles that it covers,
 * if its model is one of those asked for.  To do so twice changes nothing. */
static __device__ __forceinline__ void
add_range (const KinfumotWork *w, int first, int last, uint64_t key)
{
  const int model = kinfumot_key_model (key);
  ImageBox tiles;
  float near, far;

  if (!key || model < first || model >= last || !w->models[model].active ||
      !kinfumot_brick_in_view (w, key) ||
      !kinfumot_brick_range (w, key, &tiles, &near, &far))
    return;
  for (int y = tiles.y0; y < tiles.y1; y++)
    for (int x = tiles.x0; x < tiles.x1; x++) {
      const int at = y * w->tiles_x + x;

      atomicMax (&w->near[model][at], ~__float_as_uint (near));
      atomicOr ((Word *) &w->slices[model][at], kinfumot_slices (near, far));
    }
}

/* kinfumot_maps_cuda.cu */
const char *kinfumot_filter_cuda (const Device *dev, const KinfumotWork *w);
const char *kinfumot_normals_cuda (const Device *dev, const KinfumotWork *w);
const char *kinfumot_classify_cuda (const Device *dev, const KinfumotWork *w);
const char *kinfumot_grow_cuda (const Device *dev, const KinfumotWork *w);
const char *kinfumot_adopt_cuda (
    const Device *dev, const KinfumotWork *w, int model);
const char *kinfumot_doubt_cuda (const Device *dev, const KinfumotWork *w);

/* kinfumot_align_cuda.cu */
const char *kinfumot_open_cuda (KinfumotWork *w);
const char *kinfumot_align_cuda (
    const Device *dev, const KinfumotWork *w, int first, int last);

/* kinfumot_fuse_cuda.cu */
const char *kinfumot_allocate_cuda (
    const Device *dev, const KinfumotWork *w, int first, int last);
const char *kinfumot_fuse_cuda (
    const Device *dev, const KinfumotWork *w, int first, int last);

/* kinfumot_cast_cuda.cu */
const char *kinfumot_ranges_cuda (
    const Device *dev, const KinfumotWork *w, int first, int last);
const char *kinfumot_cast_cuda (
    const Device *dev, const KinfumotWork *w, int first, int last);
const char *kinfumot_draw_cuda (const Device *dev, const KinfumotWork *w,
    uint8_t *rgb, size_t rgb_stride, float *normals, size_t normals_stride);
