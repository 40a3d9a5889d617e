/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pixels of a scene; memory of the frame's observation, and its order. */
#include <stdlib.h>

#include "scopedetect/scopedetect_observe.h"
#include "scopedetect/scopedetect_observe_cuda.cuh"

#define TILE 32
#define PASSES 8 /* of blurring in one kernel */
#define SIDE (TILE + 2 * PASSES)

const char *
scopedetect_observe_open_cuda (
    const Device *dev, const ScopedetectWork *w, ScopedetectObserveCuda **self)
{
  ScopedetectObserveCuda *o = (ScopedetectObserveCuda *) calloc (1, sizeof *o);
  int n = w->scene.width * w->scene.height;
  size_t room = (size_t) w->cloud.room, hashes = w->cloud.grid.mask + 1;

  if (!(*self = o))
    return "out of memory";
  CUDA_TRY (cudaEventCreateWithFlags (
      &o->counted, cudaEventBlockingSync | cudaEventDisableTiming));
  TRY (device_alloc_pinned (dev, (void **) &o->n_points, sizeof *o->n_points));
  for (o->cells = 64; o->cells < 2 * (uint32_t) n;)
    o->cells *= 2;
  DEVICE_RENEW (dev, o->votes, 1);
  DEVICE_RENEW (dev, o->cell, o->cells + hashes);
  o->count = o->cell + o->cells;
  DEVICE_RENEW (dev, o->hash, n);
  DEVICE_RENEW (dev, o->firsts, ceil_div (n, SCOPEDETECT_PIXELS));
  DEVICE_RENEW (dev, o->voxel, room);
  DEVICE_RENEW (dev, o->arrival, room);
  DEVICE_RENEW (dev, o->unsorted, room);
  DEVICE_RENEW (dev, o->listed, room);
  DEVICE_RENEW (dev, o->spread, room);
  DEVICE_RENEW (dev, o->near, room * SCOPEDETECT_NEAR);
  DEVICE_RENEW (dev, o->n_near, room);
  return NULL;
}

void
scopedetect_observe_close_cuda (const Device *dev, ScopedetectObserveCuda *o)
{
  if (!o)
    return;
  if (o->counted)
    cudaEventDestroy (o->counted);
  device_release_pinned (dev, o->n_points);
  device_release (dev, o->votes);
  device_release (dev, o->cell);
  device_release (dev, o->hash);
  device_release (dev, o->firsts);
  device_release (dev, o->voxel);
  device_release (dev, o->arrival);
  device_release (dev, o->unsorted);
  device_release (dev, o->listed);
  device_release (dev, o->spread);
  device_release (dev, o->near);
  device_release (dev, o->n_near);
  free (o);
}

static __device__ __forceinline__ bool
pixel_of (const ScopedetectScene &s, int *x, int *y)
{
  *x = blockIdx.x * blockDim.x + threadIdx.x;
  *y = blockIdx.y * blockDim.y + threadIdx.y;
  return *x < s.width && *y < s.height;
}

static __global__ void
read_kernel (const __grid_constant__ ScopedetectWork w,
    const __grid_constant__ Image color, const __grid_constant__ Yuv yuv)
{
  int x, y;

  await_previous ();
  if (pixel_of (w.scene, &x, &y))
    scopedetect_read_pixel (&w, w.scene.has_colour ? &color : NULL, &yuv, x, y);
}

static __global__ void
normal_kernel (const __grid_constant__ ScopedetectWork w)
{
  int x, y;

  await_previous ();
  if (pixel_of (w.scene, &x, &y))
    scopedetect_set_normal (&w, x, y);
}

static __global__ void
edge_kernel (const __grid_constant__ ScopedetectWork w)
{
  int x, y;

  await_previous ();
  if (pixel_of (w.scene, &x, &y))
    w.scene.edge[0][(size_t) y * w.scene.width + x] =
        scopedetect_edge_at (&w, x, y);
}

/* One pass over a tile and @more pixels around it. */
static __device__ void
blur_tile (const ScopedetectScene &s, const float (*from)[SIDE],
    float (*to)[SIDE], int more)
{
  int side = TILE + 2 * more;

  for (int i = threadIdx.x; i < side * side; i += blockDim.x) {
    int u = PASSES - more + i % side, v = PASSES - more + i / side;
    int x = (int) blockIdx.x * TILE + u - PASSES;
    int y = (int) blockIdx.y * TILE + v - PASSES;
    float around[9];

    for (int k = 0; k < 9; k++)
      around[k] = from[v + k / 3 - 1][u + k % 3 - 1];
    to[v][u] = x >= 0 && y >= 0 && x < s.width && y < s.height
        ? scopedetect_blur (around)
        : 0;
  }
}

/* @passes, at most PASSES, of blurring edge[@from]; to the pixels where they
 * are the @last ones. */
static __global__ void
blur_kernel (
    const __grid_constant__ ScopedetectWork w, int from, int passes, bool last)
{
  __shared__ float tile[2][SIDE][SIDE];
  const ScopedetectScene &s = w.scene;

  await_previous ();
  for (int i = threadIdx.x; i < SIDE * SIDE; i += blockDim.x) {
    int x = (int) blockIdx.x * TILE + i % SIDE - PASSES;
    int y = (int) blockIdx.y * TILE + i / SIDE - PASSES;

    tile[0][i / SIDE][i % SIDE] =
        x >= 0 && y >= 0 && x < s.width && y < s.height
        ? s.edge[from][(size_t) y * s.width + x]
        : 0;
  }
  for (int k = 0; k < passes; k++) {
    __syncthreads ();
    blur_tile (s, tile[k % 2], tile[(k + 1) % 2], passes - 1 - k);
  }
  __syncthreads ();
  for (int i = threadIdx.x; i < TILE * TILE; i += blockDim.x) {
    int x = (int) blockIdx.x * TILE + i % TILE;
    int y = (int) blockIdx.y * TILE + i / TILE;
    float e = tile[passes % 2][PASSES + i / TILE][PASSES + i % TILE];

    if (x >= s.width || y >= s.height)
      continue;
    if (last)
      s.pixel[(size_t) y * s.width + x].edge = scopedetect_log_edge (e);
    else
      s.edge[!from][(size_t) y * s.width + x] = e;
  }
}

const char *
scopedetect_observe_cuda (const Device *dev, ScopedetectWork *w)
{
  const ScopedetectScene *s = &w->scene;
  dim3 threads (32, 8);
  dim3 blocks (ceil_div (s->width, 32), ceil_div (s->height, 8));
  dim3 tiles (ceil_div (s->width, TILE), ceil_div (s->height, TILE));
  Image color = {};
  Yuv yuv = {};
  int left = w->params.edge_blur, from = 0, passes;

  /* each frame starts with samples in the same place, as what is recorded */
  if (scopedetect_cuda (w)->spare < w->sample)
    scopedetect_change_places (w);
  if (s->has_colour)
    color = *w->frame.color;
  if (image_is_yuv (color.format))
    yuv = yuv_of (color.matrix, color.full_range);
  TRY (scopedetect_launch (
      dev, w, read_kernel, blocks, threads, 0, *w, color, yuv));
  TRY (scopedetect_launch (dev, w, normal_kernel, blocks, threads, 0, *w));
  TRY (scopedetect_launch (dev, w, edge_kernel, blocks, threads, 0, *w));
  do {
    passes = left < PASSES ? left : PASSES;
    left -= passes;
    TRY (scopedetect_launch (dev, w, blur_kernel, tiles, dim3 (512), 0, *w,
        from, passes, left == 0));
    from = !from;
  } while (left);
  return NULL;
}

const char *
scopedetect_points_cuda (const Device *dev, ScopedetectWork *w)
{
  ScopedetectObserveCuda *o = scopedetect_cuda (w)->observe;

  w->cloud.grid.cell = w->feature_radius;
  if (w->params.table)
    TRY (scopedetect_find_table_cuda (dev, w));
  else
    TRY (device_clear (dev, &w->counts->has_table, sizeof (bool)));
  TRY (scopedetect_voxels_cuda (dev, w));
  TRY (scopedetect_grid_cuda (dev, w));
  TRY (scopedetect_features_cuda (dev, w));
  /* The features are still being computed when the count is there. */
  TRY (device_wait_event (o->counted));
  w->cloud.n = (int) *o->n_points;
  return NULL;
}
