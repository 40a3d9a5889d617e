/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The alignment of models: one kernel, whose blocks of threads wait for each
 * other after each iteration.  The last one to come solves for the step. */
#include "kinfumot/kinfumot_cuda.cuh"

#define MAX_BLOCKS 264 /* a model */
#define ALIGN_THREADS 256

/* Sum number @lane of all lanes' 2 HALF, HALF times.  A lane keeps half of what
 * it has and gives the other half away. */
template <int HALF>
static __device__ __forceinline__ int64_t
sum_of_lane (int64_t v[2 * HALF], int lane)
{
  bool upper = lane & HALF;

#pragma unroll
  for (int i = 0; i < HALF; i++) {
    int64_t give = upper ? v[i] : v[i + HALF];
    int64_t keep = upper ? v[i + HALF] : v[i];

    v[i] = keep + __shfl_xor_sync (ALL_LANES, give, HALF);
  }
  if constexpr (HALF > 1)
    return sum_of_lane<HALF / 2> (v, lane);
  return v[0];
}

/* The sums of all threads of the block are added to those of the model. */
static __device__ void
add_block (int64_t mine[KINFUMOT_N_SUMS], int64_t *all)
{
  __shared__ Word sums[KINFUMOT_N_SUMS];
  const int lane = threadIdx.x % 32;

  if (threadIdx.x < KINFUMOT_N_SUMS)
    sums[threadIdx.x] = 0;
  __syncthreads ();
  atomicAdd (&sums[lane], (Word) sum_of_lane<16> (mine, lane));
#pragma unroll
  for (int i = 32; i < KINFUMOT_N_SUMS; i++) {
    Word v = (Word) mine[i];

    for (int step = 16; step; step /= 2)
      v += __shfl_xor_sync (ALL_LANES, v, step);
    if (lane == 0)
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

/* The last block solves, the others wait until it has. */
static __device__ void
solve (KinfumotModel *m, KinfumotSums *sums, uint32_t round)
{
  __shared__ KinfumotEigen eigen;
  volatile uint32_t *rounds = &sums->rounds;

  if (is_last (&sums->done)) {
    __threadfence ();
    if (threadIdx.x < KINFUMOT_N_SUMS)
      kinfumot_take_sum (m, sums, threadIdx.x);
    __syncthreads ();
    if (threadIdx.x < 32)
      kinfumot_iterate (m, &eigen, threadIdx.x, 32);
    __syncthreads ();
    if (threadIdx.x == 0) {
      __threadfence ();
      *rounds = round + 1;
    }
  } else if (threadIdx.x == 0) {
    while (*rounds == round)
      continue;
    __threadfence ();
  }
  __syncthreads ();
}

/* One part of all pixels after the other, so that a warp does the same. */
static __device__ void
add_pixels (const KinfumotWork *w, int model, int stride)
{
  const ImageBox box = w->models[model].box;
  const int columns = ceil_div (box.x1 - box.x0, stride);
  const int rows = ceil_div (box.y1 - box.y0, stride);
  const int n = columns * rows * kinfumot_parts (model);
  int64_t sums[KINFUMOT_N_SUMS] = {0};

  for (int i = thread_index (); i < n; i += gridDim.x * ALIGN_THREADS) {
    int x = box.x0 + i % columns * stride, row = i / columns;
    int y = box.y0 + row % rows * stride;

    kinfumot_add_part (w, model, y * w->width + x, row / rows, sums);
  }
  if ((int) (blockIdx.x * ALIGN_THREADS) < n)
    add_block (sums, w->sums[model].of);
}

/* All iterations of a model; its blocks run at the same time. */
static __global__ void
__launch_bounds__ (ALIGN_THREADS) align (KinfumotWork w, int first)
{
  const int model = first + blockIdx.y;
  KinfumotModel *m = &w.models[model];
  KinfumotSums *sums = &w.sums[model];
  uint32_t round = ((volatile KinfumotSums *) sums)->rounds;

  if (m->active != KINFUMOT_AWAKE)
    return;
  for (int level = 0; level < KINFUMOT_LEVELS; level++)
    for (int i = 0; i < kinfumot_iterations (level); i++) {
      add_pixels (&w, model, kinfumot_stride (level));
      solve (m, sums, round++);
      if (((volatile KinfumotModel *) m)->settled)
        break;
    }
}

/* As many as run at the same time on the current device. */
static const char *
most_blocks (int *n)
{
  int device, processors;

  CUDA_TRY (cudaGetDevice (&device));
  CUDA_TRY (cudaDeviceGetAttribute (
      &processors, cudaDevAttrMultiProcessorCount, device));
  CUDA_TRY (cudaOccupancyMaxActiveBlocksPerMultiprocessor (
      n, align, ALIGN_THREADS, 0));
  *n *= processors;
  return *n ? NULL : "the GPU has too few registers for kinfumot's alignment";
}

const char *
kinfumot_align_cuda (
    const Device *dev, const KinfumotWork *w, int first, int last)
{
  KinfumotWork work = *w;
  void *args[] = {&work, &first};
  int most, n;

  TRY (most_blocks (&most));
  for (; first < last; first += n) {
    int blocks;

    n = last - first < most ? last - first : most; /* models at a time */
    blocks = most / n < MAX_BLOCKS ? most / n : MAX_BLOCKS;
    CUDA_TRY (cudaLaunchCooperativeKernel ((void *) align, dim3 (blocks, n),
        dim3 (ALIGN_THREADS), args, 0, device_stream (dev)));
  }
  return NULL;
}
