/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is one number, or a few, for each pixel: filtered depth, normals,
 * classes. */
#include "common/bilateral.cuh"
#include "kinfumot/kinfumot_classes_core.h"
#include "kinfumot/kinfumot_cuda.cuh"

/* ---- Depth ---- */

/* What kinfumot_add_neighbours () adds up, without its branches: of pixel @at
 * of the tile, which has a depth. */
static __device__ __forceinline__ BilateralMean
mean_at (const BilateralTile *tile, const int32_t *at)
{
  const uint32_t itself =
      bilateral_space_weight (0, 0) * bilateral_weight (tile, 0);
  BilateralMean mean = {itself, 0};

#pragma unroll
  for (int dy = 0; dy <= BILATERAL_REACH; dy++)
#pragma unroll
    for (int dx = dy ? -BILATERAL_REACH : 1; dx <= BILATERAL_REACH; dx++) {
      const uint32_t space = bilateral_space_weight (dx, dy);
      const int32_t a = at[dy * BILATERAL_SIDE_X + dx] - at[0],
                    b = at[-dy * BILATERAL_SIDE_X - dx] - at[0];

      if (space) {
        const uint32_t weight =
            space * bilateral_weight (tile, max (abs (a), abs (b)));

        mean.weights += 2 * weight;
        mean.deeper += (int32_t) weight * (a + b);
      }
    }
  return mean;
}

static __device__ __forceinline__ uint16_t
smooth (const KinfumotWork *w, const BilateralTile *tile, const int32_t *at)
{
  const BilateralMean mean = mean_at (tile, at);
  int8_t fraction;
  uint16_t z;

  if (at[0] == BILATERAL_NO_DEPTH)
    return 0;
  z = bilateral_mean_depth (&mean, (uint32_t) at[0], &fraction);
  return kinfumot_units (w, z, fraction);
}

static __global__ void
__launch_bounds__ (BILATERAL_THREADS) filter (KinfumotWork w)
{
  __shared__ BilateralTile tile;
  const int2 at = bilateral_place (w.spacing);

  await_previous ();
  if (at.x == 0 && at.y == 0)
    w.pool->n_points = 0;
  bilateral_fill (
      &tile, w.range, w.width, w.height,
      [&] (int x, int y) { return kinfumot_input (&w, x, y); }, w.spacing);
#pragma unroll
  for (int i = 0; i < 2; i++) {
    const int y = at.y + i * w.spacing;

    if (at.x < w.width && y < w.height)
      w.now.depth[y * w.width + at.x] =
          smooth (&w, &tile, bilateral_depth (&tile) + i * BILATERAL_SIDE_X);
  }
}

const char *
kinfumot_filter_cuda (const Device *dev, const KinfumotWork *w)
{
  return queue (dev, filter, bilateral_blocks (w->width, w->height, w->spacing),
      BILATERAL_THREADS, *w);
}

static __global__ void
normals (KinfumotWork w)
{
  int at = thread_index ();
  Vec n = {0, 0, 0};

  await_previous ();
  if (at < w.width * w.height) {
    n = kinfumot_normal (&w, at % w.width, at / w.width);
    w.normals[at] = n;
  }
  at = __syncthreads_count (n.x != 0 || n.y != 0 || n.z != 0);
  if (threadIdx.x == 0 && at)
    atomicAdd (&w.pool->n_points, (uint32_t) at);
}

const char *
kinfumot_normals_cuda (const Device *dev, const KinfumotWork *w)
{
  return queue (dev, normals, blocks_of (w->width * w->height), THREADS, *w);
}

/* ---- Classes ---- */

static __global__ void
clear_counts (KinfumotCount *counts)
{
  KinfumotCount c = {0, 0, INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN,
      {INT32_MAX, INT32_MAX, INT32_MAX}, {INT32_MIN, INT32_MIN, INT32_MIN}};

  await_previous ();
  allow_next ();
  counts[threadIdx.x] = c;
}

/* Of the lanes where @is_mine, all of which match model @model. */
static __device__ void
count_lanes (const KinfumotWork *w, int model, int at, bool is_mine)
{
  KinfumotCount *c = &w->counts[model];
  uint32_t lanes = __ballot_sync (ALL_LANES, is_mine);
  int x = at % w->width, y = at / w->width, mm[3] = {0, 0, 0};
  bool leads = threadIdx.x % 32 == 0;
  int box[4] = {warp_min (is_mine ? x : INT32_MAX),
      warp_min (is_mine ? y : INT32_MAX),
      warp_max (is_mine ? x + 1 : INT32_MIN),
      warp_max (is_mine ? y + 1 : INT32_MIN)};

  if (is_mine)
    kinfumot_millimetres (w, model, kinfumot_point (w, at), mm);
  if (leads) {
    atomicAdd (&c->matched, (uint32_t) __popc (lanes));
    atomicMin (&c->x0, box[0]);
    atomicMin (&c->y0, box[1]);
    atomicMax (&c->x1, box[2]);
    atomicMax (&c->y1, box[3]);
  }
  for (int i = 0; i < 3; i++) {
    int min = warp_min (is_mine ? mm[i] : INT32_MAX);
    int max = warp_max (is_mine ? mm[i] : INT32_MIN);

    if (leads) {
      atomicMin (&c->min[i], min);
      atomicMax (&c->max[i], max);
    }
  }
}

static __global__ void
classify (KinfumotWork w)
{
  int at = thread_index (), model = 0, class_;
  bool inside = at < w.width * w.height;

  await_previous ();
  if (inside) {
    class_ = kinfumot_classify (&w, at, &model);
    w.now.classes[2 * at] = (uint8_t) class_;
    w.now.classes[2 * at + 1] = (uint8_t) model;
  }
  for (int m = 1; m < w.n_models; m++) {
    uint32_t lanes;

    if (!w.models[m].active)
      continue;
    if (__any_sync (ALL_LANES, model == m))
      count_lanes (&w, m, at, model == m);
    lanes = __ballot_sync (ALL_LANES,
        inside && w.now.depth[at] &&
            kinfumot_is_through (&w, m, kinfumot_point (&w, at)));
    if (lanes && threadIdx.x % 32 == 0)
      atomicAdd (&w.counts[m].through, (uint32_t) __popc (lanes));
  }
}

const char *
kinfumot_classify_cuda (const Device *dev, const KinfumotWork *w)
{
  TRY (queue (dev, clear_counts, 1, KINFUMOT_MODELS, w->counts));
  return queue (dev, classify, blocks_of (w->width * w->height), THREADS, *w);
}

static __global__ void
touch (KinfumotWork w)
{
  int at = thread_index ();

  await_previous ();
  if (at < w.width * w.height)
    w.grown[at] = (uint8_t) kinfumot_touching (&w, at);
}

static __global__ void
grow (KinfumotWork w)
{
  int at = thread_index ();

  await_previous ();
  if (at < w.width * w.height)
    kinfumot_grow (&w, at);
}

const char *
kinfumot_grow_cuda (const Device *dev, const KinfumotWork *w)
{
  dim3 blocks = blocks_of (w->width * w->height);

  TRY (queue (dev, touch, blocks, THREADS, *w));
  return queue (dev, grow, blocks, THREADS, *w);
}

static __global__ void
adopt (KinfumotWork w, int model)
{
  int at = thread_index ();

  await_previous ();
  if (at < w.width * w.height)
    kinfumot_adopt (&w, model, at);
}

const char *
kinfumot_adopt_cuda (const Device *dev, const KinfumotWork *w, int model)
{
  return queue (
      dev, adopt, blocks_of (w->width * w->height), THREADS, *w, model);
}

/* ---- Doubt ---- */

/* A block a tile, of two warps. */
static __global__ void
shift (KinfumotWork w)
{
  const int x = blockIdx.x * KINFUMOT_TILE + threadIdx.x % KINFUMOT_TILE,
            y = blockIdx.y * KINFUMOT_TILE + threadIdx.x / KINFUMOT_TILE;
  __shared__ KinfumotShift of_warps[2];
  KinfumotShift s = {0, 0, 0};

  await_previous ();
  if (x < w.width && y < w.height)
    s = kinfumot_shift_of (&w, y * w.width + x);
  s.before = (int32_t) warp_sum ((uint32_t) s.before);
  s.limit = (int32_t) warp_sum ((uint32_t) s.limit);
  s.n = (int32_t) warp_sum ((uint32_t) s.n);
  if (threadIdx.x % 32 == 0)
    of_warps[threadIdx.x / 32] = s;
  __syncthreads ();
  if (threadIdx.x)
    return;
  s.before += of_warps[1].before;
  s.limit += of_warps[1].limit;
  s.n += of_warps[1].n;
  kinfumot_shift (&w, blockIdx.y * w.tiles_x + blockIdx.x, &s);
}

static __global__ void
doubt (KinfumotWork w, int n)
{
  const int i = thread_index ();

  await_previous ();
  if (i < n)
    kinfumot_doubt (&w, i);
}

const char *
kinfumot_doubt_cuda (const Device *dev, const KinfumotWork *w)
{
  const int n = ceil_div (w->width * w->height, 8);

  TRY (queue (dev, shift, dim3 (w->tiles_x, w->tiles_y),
      KINFUMOT_TILE * KINFUMOT_TILE, *w));
  return queue (dev, doubt, blocks_of (n), THREADS, *w, n);
}
