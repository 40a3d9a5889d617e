/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The alignment of models: a single kernel, whose blocks of threads wait for
 * each other after each iteration. */
#include "kinfumot/kinfumot_align_core.h"
#include "kinfumot/kinfumot_cuda.cuh"

#define ALIGN_THREADS 512
#define TAKE_THREADS 128

/* Sum number @lane of the 2 HALF sums over all lanes.  In each step a lane
 * keeps half of its numbers and gives the other half to a neighbour. */
template <int HALF>
static __device__ __forceinline__ int64_t
lane_sum (int64_t v[2 * HALF], int lane)
{
  bool upper = lane & HALF;

#pragma unroll
  for (int i = 0; i < HALF; i++) {
    int64_t give = upper ? v[i] : v[i + HALF];
    int64_t keep = upper ? v[i + HALF] : v[i];

    v[i] = keep + __shfl_xor_sync (ALL_LANES, give, HALF);
  }
  if constexpr (HALF > 1)
    return lane_sum<HALF / 2> (v, lane);
  return v[0];
}

/* Adds the sums of all threads of the block to the sums @all of the model. */
static __device__ void
add_block_sums (int64_t mine[KINFUMOT_N_SUMS], int64_t *all)
{
  __shared__ int64_t of_warps[ALIGN_THREADS / 32][KINFUMOT_N_SUMS];
  int64_t *of_warp = of_warps[threadIdx.x / 32];
  const int lane = threadIdx.x % 32;

#pragma unroll
  for (int i = 32; i < KINFUMOT_N_SUMS; i++) {
    int64_t sum = lanes_sum (mine[i]);

    if (lane == 0)
      of_warp[i] = sum;
  }
  of_warp[lane] = lane_sum<16> (mine, lane);
  __syncthreads ();
  if (threadIdx.x < KINFUMOT_N_SUMS) {
    int64_t sum = 0;

#pragma unroll
    for (int i = 0; i < ALIGN_THREADS / 32; i++)
      sum += of_warps[i][threadIdx.x];
    if (sum)
      atomicAdd ((Word *) all + threadIdx.x, (Word) sum);
  }
}

/* All threads of the block copy @n bytes, a multiple of four. */
static __device__ void
copy_by_block (void *to, const void *from, size_t n)
{
  for (size_t i = threadIdx.x; i < n / 4; i += blockDim.x)
    ((uint32_t *) to)[i] = ((const uint32_t *) from)[i];
}

/* Waits until the blocks of the model have come here @times times together. */
static __device__ void
await_model_blocks (uint32_t *done, uint32_t times)
{
  __syncthreads ();
  if (threadIdx.x == 0) {
    __threadfence ();
    atomicAdd (done, 1);
    while (*(volatile uint32_t *) done < times)
      continue;
    __threadfence ();
  }
  __syncthreads ();
}

static __device__ int
box_pixels (const ImageBox *box, int stride)
{
  return ceil_div (box->x1 - box->x0, stride) *
      ceil_div (box->y1 - box->y0, stride);
}

typedef struct {
  bool is_end;
  int at; /* the pixel, or the place of the end in its list */
} AlignItem;

/* Item @i: first come the pixels of the box, then the ends of the frame, which
 * are few, whether they lie in the box or not. */
static __device__ AlignItem
align_item (int width, const ImageBox *box, int stride, int i)
{
  const int columns = ceil_div (box->x1 - box->x0, stride);
  const int pixels = box_pixels (box, stride);

  if (i >= pixels)
    return AlignItem{true, i - pixels};
  return AlignItem{false,
      (box->y0 + i / columns * stride) * width + box->x0 +
          i % columns * stride};
}

static __device__ __forceinline__ void
prefetch_address (const void *p)
{
  asm volatile("prefetch.global.L1 [%0];" ::"l"(p));
}

/* Asks for all data of an item before it is used: else the thread would wait
 * for one load after the other. */
static __device__ void
prefetch_item (
    const KinfumotAlignIn *in, const uint32_t *ends, const AlignItem *item)
{
  if (item->is_end) {
    prefetch_address (ends + item->at);
    return;
  }
  prefetch_address (in->matching.points.depth + item->at);
  prefetch_address (in->normals + item->at);
  prefetch_address (in->matching.points.optics.rays + item->at);
}

/* Adds the equations of the pixels in the model's box, and of @n_ends ends, to
 * @sums. */
static __device__ void
add_items (const KinfumotAlignIn *in, int model, const KinfumotModel *m,
    const uint32_t *ends, int n_ends, int stride, int blocks, int64_t *sums)
{
  const ImageBox box = m->box;
  const int n = box_pixels (&box, stride) + n_ends,
            step = blocks * ALIGN_THREADS;
  int64_t mine[KINFUMOT_N_SUMS] = {0};
  AlignItem next = {false, 0};
  const auto go_to = [&] (int i) {
    if (i >= n)
      return;
    next = align_item (in->matching.points.optics.width, &box, stride, i);
    prefetch_item (in, ends, &next);
  };

  go_to (thread_number ());
  for (int i = thread_number (); i < n; i += step) {
    const AlignItem here = next;

    go_to (i + step);
    if (here.is_end)
      kinfumot_add_end (in, model, m, stride, ends[here.at], mine);
    else
      kinfumot_add_surface (in, model, m, here.at, mine);
  }
  if ((int) (blockIdx.x * ALIGN_THREADS) < n)
    add_block_sums (mine, sums);
}

/* Lists the ends of the frame's surfaces. */
static __global__ void
list_surface_ends_kernel (
    KinfumotPoints points, uint32_t *ends, uint32_t *n_ends)
{
  const int at = thread_number (), lane = threadIdx.x % 32;
  uint32_t lanes[KINFUMOT_SIDES], n = 0, sides = 0, first = 0;

  await_previous ();
#pragma unroll
  for (int side = 0; side < KINFUMOT_SIDES; side++) {
    const bool is_end = at < kinfumot_n_pixels (&points.optics) &&
        kinfumot_is_end (&points, at, side);

    sides |= (uint32_t) is_end << side;
    lanes[side] = __ballot_sync (ALL_LANES, is_end);
    n += __popc (lanes[side]);
  }
  if (n && lane == 0)
    first = atomicAdd (n_ends, n);
  first = __shfl_sync (ALL_LANES, first, 0);
#pragma unroll
  for (int side = 0; side < KINFUMOT_SIDES; side++) {
    if (sides >> side & 1)
      ends[first + __popc (lanes[side] & ((1u << lane) - 1))] =
          KINFUMOT_SIDES * at + side;
    first += __popc (lanes[side]);
  }
}

/* Each block solves the system for itself, which is sooner than to wait for a
 * single block.  The sums of the previous iteration, which all blocks have
 * read, become 0. */
static __device__ void
solve_round (
    KinfumotModel *m, bool is_camera, KinfumotAlignment *a, uint32_t round)
{
  __shared__ KinfumotEigen eigen;
  const int i = threadIdx.x;

  if (i < KINFUMOT_N_SUMS) {
    m->sums[i] = __ldcg ((const long long *) &a->sums[round % 3][i]);
    if (blockIdx.x == 0)
      a->sums[(round + 2) % 3][i] = 0;
  }
  __syncthreads ();
  if (i < 32)
    kinfumot_solve_motion (m, is_camera, &eigen, i, 32);
  __syncthreads ();
}

/* All iterations of a model.  Its blocks, as many as its pixels need, run at
 * the same time. */
static __global__ void
__launch_bounds__ (ALIGN_THREADS) align_models_kernel (
    KinfumotAlignIn in, int first, KinfumotAlignScratch scratch)
{
  __shared__ KinfumotModel m;
  const int model = first + blockIdx.y;
  KinfumotAlignment *a = &scratch.alignments[model];
  const int n_ends = model ? (int) *scratch.n_ends : 0;
  uint32_t round = 0;
  int blocks;

  copy_by_block (&m, &in.matching.models[model], sizeof m);
  __syncthreads ();
  blocks = max (1, ceil_div (box_pixels (&m.box, 1) + n_ends, ALIGN_THREADS));
  blocks = min (blocks, (int) gridDim.x);
  if (m.active != KINFUMOT_AWAKE || (int) blockIdx.x >= blocks)
    return;
  for (int level = 0; level < KINFUMOT_LEVELS; level++)
    for (int i = 0; i < kinfumot_level_iterations (level); i++) {
      add_items (&in, model, &m, scratch.ends, n_ends,
          kinfumot_level_stride (level), blocks, a->sums[round % 3]);
      await_model_blocks (&a->done, (round + 1) * blocks);
      solve_round (&m, !model, a, round++);
      if (m.settled)
        break;
    }
  if (blockIdx.x == 0)
    copy_by_block (&a->aligned, &m, sizeof m);
}

/* A block a model: the model becomes the aligned one, the scratch 0. */
static __global__ void
take_aligned_kernel (
    int first, KinfumotAlignScratch scratch, KinfumotModel *models)
{
  KinfumotModel *m = &models[first + blockIdx.x];
  KinfumotAlignment *a = &scratch.alignments[first + blockIdx.x];
  bool awake;

  await_previous ();
  allow_next ();
  awake = m->active == KINFUMOT_AWAKE;
  if (blockIdx.x == 0 && threadIdx.x == 0)
    *scratch.n_ends = 0;
  __syncthreads ();
  if (!awake)
    return;
  copy_by_block (m, &a->aligned, sizeof *m);
  for (int i = threadIdx.x; i < 3 * KINFUMOT_N_SUMS; i += blockDim.x)
    a->sums[0][i] = 0;
  if (threadIdx.x == 0)
    a->done = 0;
}

const char *
kinfumot_align_open_cuda (KinfumotAlignScratch *scratch)
{
  int device, processors;

  CUDA_TRY (cudaGetDevice (&device));
  CUDA_TRY (cudaDeviceGetAttribute (
      &processors, cudaDevAttrMultiProcessorCount, device));
  CUDA_TRY (cudaOccupancyMaxActiveBlocksPerMultiprocessor (
      &scratch->max_blocks, align_models_kernel, ALIGN_THREADS, 0));
  scratch->max_blocks *= processors;
  return scratch->max_blocks
      ? NULL
      : "the GPU has too few registers for kinfumot's alignment";
}

const char *
kinfumot_align_cuda (const Device *dev, const KinfumotAlignIn *in, int first,
    int last, KinfumotAlignScratch *scratch, KinfumotModel *models)
{
  const KinfumotPoints *points = &in->matching.points;
  const int max = scratch->max_blocks;
  int n;

  if (last > 1)
    TRY (queue_kernel (dev, list_surface_ends_kernel,
        blocks_of_pixels (&points->optics), PIXEL_THREADS, *points,
        scratch->ends, scratch->n_ends));
  for (int begin = first; begin < last; begin += n) {
    void *args[] = {(void *) in, &begin, scratch};

    n = last - begin < max ? last - begin : max; /* models at a time */
    CUDA_TRY (cudaLaunchCooperativeKernel ((void *) align_models_kernel,
        dim3 (max / n, n), dim3 (ALIGN_THREADS), args, 0, device_stream (dev)));
  }
  return queue_kernel (dev, take_aligned_kernel, last - first, TAKE_THREADS,
      first, *scratch, models);
}
