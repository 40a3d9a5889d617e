/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The alignment of models: a kernel an iteration, whose last block of threads
 * solves for the step. */
#include "common/chain.cuh"
#include "kinfumot/kinfumot_cuda.cuh"

#define MAX_BLOCKS 264 /* a model */
#define ALIGN_THREADS 128

typedef unsigned long long Word;

/* The sums of all threads of the block are added to those of the model. */
static __device__ void
add_block (const int64_t mine[KINFUMOT_N_SUMS], int64_t *all)
{
  __shared__ Word sums[KINFUMOT_N_SUMS];

  if (threadIdx.x < KINFUMOT_N_SUMS)
    sums[threadIdx.x] = 0;
  __syncthreads ();
#pragma unroll
  for (int i = 0; i < KINFUMOT_N_SUMS; i++) {
    Word v = (Word) mine[i];

    for (int step = 16; step; step /= 2)
      v += __shfl_xor_sync (ALL_LANES, v, step);
    if (threadIdx.x % 32 == 0)
      atomicAdd (&sums[i], v);
  }
  __syncthreads ();
  if (threadIdx.x < KINFUMOT_N_SUMS && sums[threadIdx.x])
    atomicAdd ((Word *) all + threadIdx.x, sums[threadIdx.x]);
}

/* Whether this is the last block of the model to come here. */
static __device__ bool
is_last (uint32_t *done)
{
  __shared__ bool last;

  __threadfence ();
  __syncthreads ();
  if (threadIdx.x == 0) {
    last = atomicAdd (done, 1) == gridDim.x - 1;
    if (last)
      *done = 0;
  }
  __syncthreads ();
  return last;
}

static __global__ void
__launch_bounds__ (ALIGN_THREADS)
    iterate (KinfumotWork w, int first, int stride, int iteration)
{
  const int model = first + blockIdx.y;
  KinfumotModel *m = &w.models[model];
  int64_t sums[KINFUMOT_N_SUMS] = {0};
  ImageBox box;
  int columns, n;

  await_previous ();
  allow_next ();
  box = m->box;
  columns = ceil_div (box.x1 - box.x0, stride);
  n = columns * ceil_div (box.y1 - box.y0, stride);
  if (m->active != KINFUMOT_AWAKE || (iteration && m->settled))
    return;
  for (int i = thread_index (); i < n; i += gridDim.x * ALIGN_THREADS) {
    int x = box.x0 + i % columns * stride, y = box.y0 + i / columns * stride;

    kinfumot_add_pixel (&w, model, y * w.width + x, sums);
  }
  add_block (sums, w.sums[model].of);
  if (is_last (&w.sums[model].done) && threadIdx.x == 0) {
    __threadfence ();
    kinfumot_iterate (m, &w.sums[model]);
  }
}

static const char *
iterate_level (const Device *dev, const KinfumotWork *w, int first, int last,
    int level, bool overlap)
{
  int stride = kinfumot_stride (level);
  int n = ceil_div (w->width, stride) * ceil_div (w->height, stride);
  int blocks = ceil_div (n, ALIGN_THREADS);

  blocks = blocks < MAX_BLOCKS ? blocks : MAX_BLOCKS;
  for (int i = 0; i < kinfumot_iterations (level); i++)
    TRY (launch_after (dev, overlap, iterate, dim3 (blocks, last - first),
        ALIGN_THREADS, 0, *w, first, stride, i));
  return NULL;
}

const char *
kinfumot_align_cuda (
    const Device *dev, const KinfumotWork *w, int first, int last)
{
  bool overlap;

  TRY (chain_may_overlap (&overlap));
  for (int level = 0; level < KINFUMOT_LEVELS; level++)
    TRY (iterate_level (dev, w, first, last, level, overlap));
  return NULL;
}
