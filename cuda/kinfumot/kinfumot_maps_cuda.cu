/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Maps of one number, or a few, for each pixel: filtered depth, normals,
 * classes, doubt. */
#include "common/bilateral.cuh"
#include "kinfumot/kinfumot_classes_core.h"
#include "kinfumot/kinfumot_cuda.cuh"

/* ---- Depth ---- */

static __global__ void
fill_holes_kernel (KinfumotOptics optics, KinfumotInput input, uint16_t *filled)
{
  const int at = thread_number ();

  await_previous ();
  if (at < kinfumot_n_pixels (&optics))
    filled[at] = kinfumot_filled_depth (
        &optics, &input, at % optics.width, at / optics.width);
}

const char *
kinfumot_fill_cuda (const Device *dev, const KinfumotOptics *optics,
    const KinfumotInput *input, uint16_t *filled)
{
  return queue_kernel (dev, fill_holes_kernel, blocks_of_pixels (optics),
      PIXEL_THREADS, *optics, *input, filled);
}

/* The sums of kinfumot_add_neighbours (), without its branches, over the
 * neighbours of pixel @at of the tile, which has a depth. */
static __device__ __forceinline__ BilateralMean
filter_mean (const BilateralTile *tile, const int32_t *at)
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
filter_tile_pixel (
    const KinfumotInput *input, const BilateralTile *tile, const int32_t *at)
{
  const BilateralMean mean = filter_mean (tile, at);
  int8_t fraction;
  uint16_t z;

  if (at[0] == BILATERAL_NO_DEPTH)
    return 0;
  z = bilateral_mean_depth (&mean, (uint32_t) at[0], &fraction);
  return kinfumot_filtered_depth (input, z, fraction);
}

static __global__ void
__launch_bounds__ (BILATERAL_THREADS) filter_depth_kernel (
    KinfumotOptics optics, KinfumotInput input, uint16_t *depth)
{
  __shared__ BilateralTile tile;
  const int2 at = bilateral_place (optics.spacing);

  await_previous ();
  bilateral_fill (
      &tile, input.weights, optics.width, optics.height,
      [&] (int x, int y) { return kinfumot_input_depth (&input, x, y); },
      optics.spacing);
#pragma unroll
  for (int i = 0; i < 2; i++) {
    const int y = at.y + i * optics.spacing;

    if (at.x < optics.width && y < optics.height)
      depth[y * optics.width + at.x] = filter_tile_pixel (
          &input, &tile, bilateral_depth (&tile) + i * BILATERAL_SIDE_X);
  }
}

const char *
kinfumot_filter_cuda (const Device *dev, const KinfumotOptics *optics,
    const KinfumotInput *input, uint16_t *depth)
{
  return queue_kernel (dev, filter_depth_kernel,
      bilateral_blocks (optics->width, optics->height, optics->spacing),
      BILATERAL_THREADS, *optics, *input, depth);
}

/* The word `work` sums the normals of all blocks in its lower half and counts
 * the blocks in its upper half, so the last block has the sum. */
static __global__ void
set_normals_kernel (KinfumotPoints points, KinfumotNormals normals)
{
  const int width = points.optics.width;
  const Word block = 1ull << 32;
  int at = thread_number ();
  Vec n = {0, 0, 0};
  Word sum;

  await_previous ();
  if (at < kinfumot_n_pixels (&points.optics)) {
    n = kinfumot_normal (&points, at % width, at / width);
    normals.of[at] = n;
  }
  at = __syncthreads_count (n.x != 0 || n.y != 0 || n.z != 0);
  if (threadIdx.x)
    return;
  sum = atomicAdd ((Word *) normals.work, block + at) + block + at;
  if (sum / block == gridDim.x) {
    *normals.n = (uint32_t) sum;
    *normals.work = 0;
  }
}

const char *
kinfumot_normals_cuda (
    const Device *dev, const KinfumotPoints *points, KinfumotNormals *normals)
{
  return queue_kernel (dev, set_normals_kernel,
      blocks_of_pixels (&points->optics), PIXEL_THREADS, *points, *normals);
}

/* ---- Classes ---- */

static __global__ void
clear_counts_kernel (KinfumotCount *counts)
{
  KinfumotCount c = {0, 0, INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN,
      {INT32_MAX, INT32_MAX, INT32_MAX}, {INT32_MIN, INT32_MIN, INT32_MIN}};

  await_previous ();
  allow_next ();
  counts[threadIdx.x] = c;
}

/* Counts the lanes where @is_mine, all of which match model @model. */
static __device__ void
count_lanes (const KinfumotMatching *match, int model, int at, bool is_mine,
    KinfumotCount *c)
{
  const int width = match->points.optics.width;
  uint32_t lanes = __ballot_sync (ALL_LANES, is_mine);
  int x = at % width, y = at / width, mm[3] = {0, 0, 0};
  bool leads = threadIdx.x % 32 == 0;
  int box[4] = {warp_min (is_mine ? x : INT32_MAX),
      warp_min (is_mine ? y : INT32_MAX),
      warp_max (is_mine ? x + 1 : INT32_MIN),
      warp_max (is_mine ? y + 1 : INT32_MIN)};

  if (is_mine)
    kinfumot_millimetres (
        match, model, kinfumot_point (&match->points, at), mm);
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
classify_pixels_kernel (
    KinfumotClassifyIn in, uint8_t *classes, KinfumotCount *counts)
{
  const KinfumotMatching *match = &in.matching;
  int at = thread_number (), model = 0, class_;
  bool inside = at < kinfumot_n_pixels (&match->points.optics);

  await_previous ();
  if (inside) {
    class_ = kinfumot_classify_pixel (&in, at, &model);
    classes[2 * at] = (uint8_t) class_;
    classes[2 * at + 1] = (uint8_t) model;
  }
  for (int m = 1; m < match->n_models; m++) {
    uint32_t lanes;

    if (!match->models[m].active)
      continue;
    if (__any_sync (ALL_LANES, model == m))
      count_lanes (match, m, at, model == m, &counts[m]);
    lanes = __ballot_sync (ALL_LANES,
        inside && match->points.depth[at] &&
            kinfumot_is_through (
                match, m, kinfumot_point (&match->points, at)));
    if (lanes && threadIdx.x % 32 == 0)
      atomicAdd (&counts[m].through, (uint32_t) __popc (lanes));
  }
}

const char *
kinfumot_classify_cuda (const Device *dev, const KinfumotClassifyIn *in,
    uint8_t *classes, KinfumotCount *counts)
{
  const int n = kinfumot_n_pixels (&in->matching.points.optics);

  TRY (queue_kernel (dev, clear_counts_kernel, 1, KINFUMOT_MODELS, counts));
  return queue_kernel (dev, classify_pixels_kernel, blocks_of (n),
      PIXEL_THREADS, *in, classes, counts);
}

static __global__ void
find_touching_pixels_kernel (
    KinfumotPoints points, uint8_t *grown, const uint8_t *classes)
{
  int at = thread_number ();

  await_previous ();
  if (at < kinfumot_n_pixels (&points.optics))
    grown[at] = (uint8_t) kinfumot_touched_object (&points, classes, at);
}

static __global__ void
grow_pixels_kernel (int n, const uint8_t *grown, uint8_t *classes)
{
  int at = thread_number ();

  await_previous ();
  if (at < n)
    kinfumot_grow_pixel (grown[at], classes + 2 * at);
}

const char *
kinfumot_grow_cuda (const Device *dev, const KinfumotPoints *points,
    uint8_t *grown, uint8_t *classes)
{
  const int n = kinfumot_n_pixels (&points->optics);

  TRY (queue_kernel (dev, find_touching_pixels_kernel, blocks_of (n),
      PIXEL_THREADS, *points, grown, classes));
  return queue_kernel (
      dev, grow_pixels_kernel, blocks_of (n), PIXEL_THREADS, n, grown, classes);
}

static __global__ void
adopt_pixels_kernel (KinfumotMatching matching, int model, uint8_t *classes)
{
  int at = thread_number ();

  await_previous ();
  if (at < kinfumot_n_pixels (&matching.points.optics))
    kinfumot_adopt_pixel (&matching, model, at, classes + 2 * at);
}

const char *
kinfumot_adopt_cuda (const Device *dev, const KinfumotMatching *matching,
    int model, uint8_t *classes)
{
  return queue_kernel (dev, adopt_pixels_kernel,
      blocks_of_pixels (&matching->points.optics), PIXEL_THREADS, *matching,
      model, classes);
}

/* ---- Doubt ---- */

/* A block a tile, of two warps. */
static __global__ void
find_tile_shifts_kernel (KinfumotMatching matching, const Vec *normals,
    bool is_new, uint8_t *shifted, float *usual)
{
  const KinfumotOptics *optics = &matching.points.optics;
  const int x = blockIdx.x * KINFUMOT_TILE + threadIdx.x % KINFUMOT_TILE,
            y = blockIdx.y * KINFUMOT_TILE + threadIdx.x / KINFUMOT_TILE,
            tile = blockIdx.y * optics->tiles_x + blockIdx.x;
  __shared__ KinfumotShift of_warps[2];
  KinfumotShift s = {0, 0, 0};

  await_previous ();
  if (x < optics->width && y < optics->height)
    s = kinfumot_pixel_shift (&matching, normals, y * optics->width + x);
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
  shifted[tile] = kinfumot_tile_shifted (&s, is_new, &usual[tile]);
}

static __global__ void
doubt_pixels_kernel (
    KinfumotOptics optics, const uint8_t *shifted, uint8_t *doubted, int n)
{
  const int i = thread_number ();

  await_previous ();
  if (i < n)
    doubted[i] = kinfumot_doubted (&optics, shifted, i);
}

const char *
kinfumot_doubt_cuda (const Device *dev, const KinfumotMatching *matching,
    const Vec *normals, bool is_new, uint8_t *shifted, float *usual,
    uint8_t *doubted)
{
  const KinfumotOptics *optics = &matching->points.optics;
  const int n = ceil_div (kinfumot_n_pixels (optics), 8);

  TRY (queue_kernel (dev, find_tile_shifts_kernel,
      dim3 (optics->tiles_x, optics->tiles_y), KINFUMOT_TILE * KINFUMOT_TILE,
      *matching, normals, is_new, shifted, usual));
  return queue_kernel (dev, doubt_pixels_kernel, blocks_of (n), PIXEL_THREADS,
      *optics, shifted, doubted, n);
}
