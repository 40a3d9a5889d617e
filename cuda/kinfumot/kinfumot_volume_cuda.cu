/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fusion and rays: bricks that a frame wants, the frame into the bricks in
 * view, and the views of the models. */
#include "kinfumot/kinfumot_cuda.cuh"
#include "kinfumot/kinfumot_volume_core.h"

#define BRICK_THREADS 128
#define BRICK_BLOCKS 264 /* which loop over the new bricks */
#define FUSE_THREADS 64  /* a thread has a column of a brick's voxels */
#define FUSE_BLOCKS 2112
#define FUSE_AT_ONCE 4 /* voxels whose surfaces are read together */
#define RAY_THREADS (KINFUMOT_TILE * KINFUMOT_TILE)

/* Whether the block is the last one of the kernel to call this, by a single
 * thread.  @work is 0 before and after the kernel. */
static __device__ __forceinline__ bool
is_last_block (uint32_t *work)
{
  return atomicInc (work, gridDim.x - 1) == gridDim.x - 1;
}

/* ---- Ranges ---- */

/* Adds the brick of @key to the ranges of the tiles that it covers, if it
 * belongs to one of the models.  To do so twice changes nothing. */
static __device__ __forceinline__ void
add_brick_range_atomic (const KinfumotPoses *poses, float voxel, uint64_t key,
    const KinfumotRanges *ranges)
{
  const int model = kinfumot_key_model (key);
  ImageBox tiles;
  float near, far;

  if (!kinfumot_brick_is_of (poses, key) ||
      !kinfumot_brick_in_view (poses, voxel, key) ||
      !kinfumot_brick_range (poses, voxel, key, &tiles, &near, &far))
    return;
  for (int y = tiles.y0; y < tiles.y1; y++)
    for (int x = tiles.x0; x < tiles.x1; x++) {
      const int at = y * poses->optics.tiles_x + x;

      atomicMax (&ranges->near[model][at], ~__float_as_uint (near));
      atomicOr ((Word *) &ranges->slices[model][at],
          kinfumot_slices_between (near, far));
    }
}

static __global__ void
add_brick_ranges_kernel (
    KinfumotPoses poses, KinfumotGrid grid, KinfumotRanges ranges)
{
  const uint32_t i = thread_number ();

  await_previous ();
  if (i < grid.max_bricks)
    add_brick_range_atomic (&poses, grid.voxel, grid.owner[i], &ranges);
}

const char *
kinfumot_ranges_cuda (const Device *dev, const KinfumotPoses *poses,
    const KinfumotGrid *grid, KinfumotRanges *ranges)
{
  return queue_kernel (dev, add_brick_ranges_kernel,
      blocks_of ((int) grid->max_bricks), PIXEL_THREADS, *poses, *grid,
      *ranges);
}

/* ---- Bricks ---- */

/* Lists @key as wanted, unless it is listed or has a brick. */
static __device__ void
list_wanted_key_atomic (
    const KinfumotPool *pool, const KinfumotGrid *g, uint64_t key)
{
  uint32_t at = kinfumot_key_hash (key), i;

  for (;; at++) {
    uint64_t other = *(volatile uint64_t *) &g->table[at & g->mask].key;

    if (other == key)
      return;
    if (other)
      continue;
    if (((volatile KinfumotPoolCounts *) pool->counts)->n_wanted >=
        pool->max_wanted)
      return;
    other = atomicCAS ((Word *) &g->table[at & g->mask].key, 0, key);
    if (other == key)
      return;
    if (!other)
      break;
  }
  at &= g->mask;
  g->table[at].slot = KINFUMOT_NO_BRICK;
  i = atomicAdd (&pool->counts->n_wanted, 1);
  if (i < pool->max_wanted)
    pool->wanted[i] = key;
}

static __global__ void
list_wanted_keys_kernel (
    KinfumotFusion fusion, KinfumotPool pool, KinfumotGrid grid)
{
  const int at = thread_number (), model = fusion.poses.first + blockIdx.y;
  const int steps = kinfumot_brick_steps (&grid);
  const KinfumotModel *m = &fusion.poses.models[model];
  uint64_t last = 0;

  await_previous ();
  if (at >= kinfumot_n_pixels (&fusion.poses.optics) || !m->active ||
      !m->good || !fusion.depth[at] ||
      !kinfumot_owns_pixel (&fusion, model, at))
    return;
  for (int i = 0; i < steps; i++) {
    uint64_t key = kinfumot_wanted_key (&fusion, &grid, model, at, i, steps);

    if (key && key != last)
      list_wanted_key_atomic (&pool, &grid, key);
    last = key;
  }
}

/* All threads of the block make brick @slot the brick of @key. */
static __device__ void
take_brick (const KinfumotFusion *fusion, const KinfumotGrid *g, uint32_t slot,
    uint64_t key, const KinfumotRanges *ranges)
{
  int none;
  uint4 *voxels = (uint4 *) (g->voxels + (size_t) slot * KINFUMOT_BRICK_VOXELS);

  for (int k = threadIdx.x; k < KINFUMOT_BRICK_VOXELS / 4; k += blockDim.x)
    voxels[k] = make_uint4 (0, 0, 0, 0);
  if (threadIdx.x == 0) {
    g->table[kinfumot_find_entry (g, key, &none)].slot = (int32_t) slot;
    g->owner[slot] = key;
    g->last_seen[slot] = fusion->number;
    add_brick_range_atomic (&fusion->poses, g->voxel, key, ranges);
  }
}

/* Either every wanted key gets a brick or none does, because a choice among
 * them would depend on their order.  The last block to end counts the bricks.
 */
static __global__ void
take_bricks_kernel (KinfumotFusion fusion, KinfumotPool pool, KinfumotGrid grid,
    KinfumotRanges ranges)
{
  KinfumotPoolCounts *counts = pool.counts;
  uint32_t n, n_unused;
  bool full;

  await_previous ();
  n = counts->n_wanted;
  n_unused = counts->n_unused;
  full = counts->full || n > n_unused;
  for (uint32_t i = blockIdx.x; i < n && !full; i += gridDim.x)
    take_brick (
        &fusion, &grid, pool.unused[n_unused - 1 - i], pool.wanted[i], &ranges);
  __syncthreads ();
  if (threadIdx.x || !is_last_block (pool.work))
    return;
  counts->full = full;
  if (full)
    return;
  counts->n_unused = n_unused - n;
  counts->n_wanted = 0;
}

const char *
kinfumot_allocate_cuda (const Device *dev, const KinfumotFusion *fusion,
    KinfumotPool *pool, KinfumotGrid *grid, KinfumotRanges *ranges)
{
  const KinfumotPoses *poses = &fusion->poses;

  TRY (queue_kernel (dev, list_wanted_keys_kernel,
      blocks_of_pixels (&poses->optics, poses->last - poses->first),
      PIXEL_THREADS, *fusion, *pool, *grid));
  return queue_kernel (dev, take_bricks_kernel, BRICK_BLOCKS, BRICK_THREADS,
      *fusion, *pool, *grid, *ranges);
}

/* ---- Voxels ---- */

/* Sets the surface of each pixel, and lists the bricks in view. */
static __global__ void
list_visible_bricks_kernel (
    KinfumotFusion fusion, KinfumotFuseScratch scratch, KinfumotGrid grid)
{
  const KinfumotPoses *poses = &fusion.poses;
  const uint32_t i = thread_number (), lane = threadIdx.x % 32;
  uint32_t lanes, at = 0;
  bool visible = false;

  await_previous ();
  if (i < (uint32_t) kinfumot_n_pixels (&poses->optics))
    scratch.surfaces[i] = kinfumot_pixel_surface (&fusion, (int) i);
  if (i < grid.max_bricks) {
    uint64_t key = grid.owner[i];

    visible = kinfumot_brick_is_of (poses, key) &&
        poses->models[kinfumot_key_model (key)].good &&
        kinfumot_brick_in_view (poses, grid.voxel, key);
  }
  lanes = __ballot_sync (ALL_LANES, visible);
  if (lanes && lane == 0)
    at = atomicAdd (&scratch.work[0], (uint32_t) __popc (lanes));
  at = __shfl_sync (ALL_LANES, at, 0);
  if (!visible)
    return;
  grid.last_seen[i] = fusion.number;
  scratch.visible[at + __popc (lanes & ((1u << lane) - 1))] = i;
}

/* Fuses the frame into column (@x, @y) of the brick @key.  The thread reads all
 * voxels before it writes any, and the surfaces of a few voxels before it uses
 * any, so that it waits for memory only a few times. */
static __device__ void
fuse_column (const KinfumotFusion *fusion, const KinfumotSurface *surfaces,
    const KinfumotGrid *g, uint64_t key, int x, int y, KinfumotVoxel *column)
{
  const KinfumotPoses *poses = &fusion->poses;
  const KinfumotLattice lattice = kinfumot_brick_lattice (poses, g->voxel, key);
  const int model = kinfumot_key_model (key);
  const bool still = poses->models[model].still;
  KinfumotVoxel v[KINFUMOT_BRICK];

#pragma unroll
  for (int z = 0; z < KINFUMOT_BRICK; z++)
    v[z] = column[z * FUSE_THREADS];
#pragma unroll
  for (int first = 0; first < KINFUMOT_BRICK; first += FUSE_AT_ONCE) {
    KinfumotSurface seen[FUSE_AT_ONCE];
    float depths[FUSE_AT_ONCE];

#pragma unroll
    for (int i = 0; i < FUSE_AT_ONCE; i++) {
      Vec p = kinfumot_voxel_place (
          &lattice, (float) x, (float) y, (float) (first + i));

      seen[i] = kinfumot_surface_at (&poses->optics, surfaces, p);
      depths[i] = p.z;
    }
#pragma unroll
    for (int i = 0; i < FUSE_AT_ONCE; i++)
      v[first + i] = kinfumot_fuse_voxel (
          fusion, g, model, still, seen[i], depths[i], v[first + i]);
  }
#pragma unroll
  for (int z = 0; z < KINFUMOT_BRICK; z++)
    column[z * FUSE_THREADS] = v[z];
}

/* The last block to end empties the list of visible bricks. */
static __global__ void
fuse_visible_bricks_kernel (
    KinfumotFusion fusion, KinfumotFuseScratch scratch, KinfumotGrid grid)
{
  const int i = threadIdx.x;
  uint32_t n;

  await_previous ();
  n = scratch.work[0];
  for (uint32_t k = blockIdx.x; k < n; k += gridDim.x) {
    uint32_t slot = scratch.visible[k];

    fuse_column (&fusion, scratch.surfaces, &grid, grid.owner[slot],
        i % KINFUMOT_BRICK, i / KINFUMOT_BRICK,
        grid.voxels + (size_t) slot * KINFUMOT_BRICK_VOXELS + i);
  }
  __syncthreads ();
  if (i == 0 && is_last_block (&scratch.work[1]))
    scratch.work[0] = 0;
}

const char *
kinfumot_fuse_cuda (const Device *dev, const KinfumotFusion *fusion,
    KinfumotFuseScratch *scratch, KinfumotGrid *grid)
{
  const int pixels = kinfumot_n_pixels (&fusion->poses.optics),
            bricks = (int) grid->max_bricks,
            n = pixels > bricks ? pixels : bricks;

  TRY (queue_kernel (dev, list_visible_bricks_kernel, blocks_of (n),
      PIXEL_THREADS, *fusion, *scratch, *grid));
  return queue_kernel (dev, fuse_visible_bricks_kernel, FUSE_BLOCKS,
      FUSE_THREADS, *fusion, *scratch, *grid);
}

/* ---- Rays ---- */

/* One argument: of the views alone the compiler would make a copy in the memory
 * of each thread. */
typedef struct {
  KinfumotRanges ranges;
  KinfumotViews views;
} CastMemory;

/* A block a tile.  A block ends with the longest of its rays, so small blocks
 * leave fewer threads idle. */
static __global__ void
__launch_bounds__ (RAY_THREADS, 16)
    cast_tile_kernel (KinfumotPoses poses, KinfumotGrid grid, CastMemory memory)
{
  const KinfumotOptics *optics = &poses.optics;
  const int x = blockIdx.x * KINFUMOT_TILE + threadIdx.x % KINFUMOT_TILE,
            y = blockIdx.y * KINFUMOT_TILE + threadIdx.x / KINFUMOT_TILE,
            at = y * optics->width + x,
            tile = blockIdx.y * optics->tiles_x + blockIdx.x,
            model = poses.first + blockIdx.z;
  float depth = 0;
  uint64_t slices;

  await_previous ();
  if (x >= optics->width || y >= optics->height || !poses.models[model].active)
    return;
  slices = memory.ranges.slices[model][tile];
  if (slices)
    depth = kinfumot_cast_ray (&grid, poses.models, model, &optics->rays[at],
        __uint_as_float (~memory.ranges.near[model][tile]), slices);
  memory.views.of[model][at].depth = depth;
}

/* Sets the normals of the views, and empties the ranges. */
static __global__ void
set_view_normals_kernel (KinfumotPoses poses, CastMemory memory)
{
  const KinfumotOptics *optics = &poses.optics;
  const int at = thread_number (), model = poses.first + blockIdx.y;

  await_previous ();
  if (at >= kinfumot_n_pixels (optics) || !poses.models[model].active)
    return;
  kinfumot_view_normal (optics, memory.views.of[model], at);
  if (at < optics->tiles_x * optics->tiles_y) {
    memory.ranges.near[model][at] = 0;
    memory.ranges.slices[model][at] = 0;
  }
}

const char *
kinfumot_cast_cuda (const Device *dev, const KinfumotPoses *poses,
    const KinfumotGrid *grid, KinfumotRanges *ranges, KinfumotViews *views)
{
  const KinfumotOptics *optics = &poses->optics;
  const CastMemory memory = {*ranges, *views};
  const int n = poses->last - poses->first;

  TRY (queue_kernel (dev, cast_tile_kernel,
      dim3 (optics->tiles_x, optics->tiles_y, n), RAY_THREADS, *poses, *grid,
      memory));
  return queue_kernel (dev, set_view_normals_kernel,
      blocks_of_pixels (optics, n), PIXEL_THREADS, *poses, memory);
}

/* ---- Pictures ---- */

static __global__ void
draw_views_kernel (KinfumotMatching matching, uint8_t *rgb, size_t rgb_stride,
    float *normals, size_t normals_stride)
{
  const KinfumotOptics *optics = &matching.points.optics;
  const int at = thread_number (), x = at % optics->width,
            y = at / optics->width;

  await_previous ();
  if (at >= kinfumot_n_pixels (optics))
    return;
  if (rgb)
    kinfumot_shown_colour (&matching, at, rgb + y * rgb_stride + 3 * x);
  if (normals)
    kinfumot_shown_normal (&matching, at,
        (float *) ((uint8_t *) normals + y * normals_stride) + 3 * x);
}

const char *
kinfumot_draw_cuda (const Device *dev, const KinfumotMatching *matching,
    const KinfumotOutputs *o)
{
  return queue_kernel (dev, draw_views_kernel,
      blocks_of_pixels (&matching->points.optics), PIXEL_THREADS, *matching,
      o->rgb, o->rgb_stride, o->normals, o->normals_stride);
}
