/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The table of the GPU's stages, and the stages of a few numbers. */
#include "kinfumot/kinfumot_cuda.cuh"
#include "kinfumot/kinfumot_rest_core.h"

static __global__ void
copy_words_kernel (uint32_t *to, const uint32_t *from, int n)
{
  const int i = thread_number ();

  await_previous ();
  if (i < n)
    to[i] = from[i];
}

/* A kernel copies, since a copy by the copy engine makes the kernels before and
 * after it wait some 8 us for each other. */
static const char *
kinfumot_pass_cuda (const Device *dev, void *to, const void *from, size_t bytes)
{
  const int n = (int) (bytes / 4);

  return queue_kernel (dev, copy_words_kernel, blocks_of (n), PIXEL_THREADS,
      (uint32_t *) to, (const uint32_t *) from, n);
}

static __global__ void
predict_motions_kernel (int first, KinfumotModel *models)
{
  int m = first + threadIdx.x;

  await_previous ();
  allow_next ();
  if (models[m].active)
    kinfumot_predict_motion (models, m);
}

static const char *
kinfumot_predict_cuda (
    const Device *dev, int first, int last, KinfumotModel *models)
{
  return queue_kernel (
      dev, predict_motions_kernel, 1, last - first, first, models);
}

static __global__ void
judge_motions_kernel (
    int first, const uint32_t *n_points, KinfumotModel *models)
{
  int m = first + threadIdx.x;

  await_previous ();
  allow_next ();
  if (models[m].active)
    kinfumot_judge_motion (models, m, *n_points);
}

static const char *
kinfumot_judge_cuda (const Device *dev, int first, int last,
    const uint32_t *n_points, KinfumotModel *models)
{
  return queue_kernel (
      dev, judge_motions_kernel, 1, last - first, first, n_points, models);
}

#define REST_THREADS (KINFUMOT_REST_SIDE * KINFUMOT_REST_SIDE)

/* A block for each tile, and a thread for each sample.  One thread adds the
 * samples, in the order of the CPU. */
static __global__ void
__launch_bounds__ (REST_THREADS) compare_rest_kernel (
    const __grid_constant__ KinfumotRestIn in, KinfumotRestTile *tiles)
{
  __shared__ KinfumotRestTile samples[REST_THREADS];
  KinfumotRestTile sum = {0, 0, 0, 0};

  await_previous ();
  samples[threadIdx.x] =
      kinfumot_rest_sample (&in, (int) blockIdx.x, (int) threadIdx.x);
  __syncthreads ();
  if (threadIdx.x)
    return;
  for (int i = 0; i < REST_THREADS; i++)
    kinfumot_rest_add (&sum, &samples[i]);
  kinfumot_rest_end (&sum);
  tiles[blockIdx.x] = sum;
}

static const char *
kinfumot_rest_cuda (
    const Device *dev, const KinfumotRestIn *in, KinfumotRestTile *tiles)
{
  return queue_kernel (dev, compare_rest_kernel, in->tiles_x * in->tiles_y,
      REST_THREADS, *in, tiles);
}

/* The objects come first: they read the camera's former pose. */
static __global__ void
advance_poses_kernel (KinfumotOptics optics, int first,
    const KinfumotCount *counts, KinfumotModel *models)
{
  int m = first + threadIdx.x;

  await_previous ();
  allow_next ();
  if (m && models[m].active)
    kinfumot_advance_model (&optics, counts, models, m);
  __syncthreads ();
  if (!m && models[m].active)
    kinfumot_advance_model (&optics, counts, models, m);
}

static const char *
kinfumot_advance_cuda (const Device *dev, const KinfumotOptics *optics,
    int first, int last, const KinfumotCount *counts, KinfumotModel *models)
{
  return queue_kernel (dev, advance_poses_kernel, 1, last - first, *optics,
      first, counts, models);
}

/* The mark is the event by which device_wait () sleeps.  device_wait () may
 * record it again, later in the stream. */
static const char *
kinfumot_mark_cuda (const Device *dev)
{
  CUDA_TRY (cudaEventRecord ((cudaEvent_t) dev->done, device_stream (dev)));
  return NULL;
}

static const char *
kinfumot_await_mark_cuda (const Device *dev)
{
  return device_wait_event ((cudaEvent_t) dev->done);
}

static const char *
kinfumot_room_cuda (const Device *dev, uint64_t *bytes)
{
  size_t room, all;

  (void) dev;
  CUDA_TRY (cudaMemGetInfo (&room, &all));
  *bytes = room;
  return NULL;
}

extern "C" const KinfumotStages kinfumot_stages_cuda = {kinfumot_fill_cuda,
    kinfumot_filter_cuda, kinfumot_normals_cuda, kinfumot_align_open_cuda,
    kinfumot_align_cuda, kinfumot_predict_cuda, kinfumot_judge_cuda,
    kinfumot_rest_cuda, kinfumot_advance_cuda, kinfumot_classify_cuda,
    kinfumot_grow_cuda, kinfumot_adopt_cuda, kinfumot_doubt_cuda,
    kinfumot_allocate_cuda, kinfumot_fuse_cuda, kinfumot_ranges_cuda,
    kinfumot_cast_cuda, kinfumot_draw_cuda, kinfumot_pass_cuda,
    kinfumot_mark_cuda, kinfumot_await_mark_cuda, kinfumot_room_cuda};
