/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Bricks for what a frame shows, and the frame into the bricks in view. */
#include "kinfumot/kinfumot_cuda.cuh"

#define BRICK_THREADS 128
#define BRICK_BLOCKS 264 /* that loop over new bricks */
#define FUSE_THREADS 64  /* a thread has a column of a brick's voxels */
#define FUSE_BLOCKS 2112
#define FUSE_AT_ONCE 4 /* voxels, whose surfaces are read together */

/* ---- Bricks ---- */

/* Notes that @key wants a brick, unless it is noted or has one. */
static __device__ void
note (const KinfumotWork *w, uint64_t key)
{
  const KinfumotGrid *g = &w->grid;
  uint32_t at = kinfumot_hash (key), i;

  for (;; at++) {
    uint64_t there = *(volatile uint64_t *) &g->table[at & g->mask].key;

    if (there == key)
      return;
    if (there)
      continue;
    if (((volatile KinfumotPool *) w->pool)->n_fresh >= w->max_fresh)
      return;
    there = atomicCAS ((Word *) &g->table[at & g->mask].key, 0, key);
    if (there == key)
      return;
    if (!there)
      break;
  }
  at &= g->mask;
  g->table[at].slot = KINFUMOT_NO_BRICK;
  i = atomicAdd (&w->pool->n_fresh, 1);
  if (i < w->max_fresh)
    w->fresh[i] = key;
}

static __global__ void
want (KinfumotWork w, int first)
{
  const int at = thread_index (), model = first + blockIdx.y;
  const int steps = kinfumot_steps (&w.grid);
  uint64_t last = 0;

  await_previous ();
  if (at >= w.width * w.height || !w.models[model].active ||
      !w.models[model].good || !w.now.depth[at] ||
      !kinfumot_owns (&w, model, at))
    return;
  for (int i = 0; i < steps; i++) {
    uint64_t key = kinfumot_wanted (&w, model, at, i, steps);

    if (key && key != last)
      note (&w, key);
    last = key;
  }
}

/* Either every entry of the list gets a brick or none does, because a choice
 * among them would depend on their order.  What has the ranges of rays at the
 * same time may see these bricks or not, so they are added here. */
static __global__ void
take (KinfumotWork w, int first, int last)
{
  const KinfumotGrid *g = &w.grid;
  uint32_t n;

  await_previous ();
  n = w.pool->n_fresh;
  if (n > w.pool->n_unused || w.pool->full)
    return;
  for (uint32_t i = blockIdx.x; i < n; i += gridDim.x) {
    uint32_t slot = w.unused[w.pool->n_unused - 1 - i];
    uint64_t key = w.fresh[i];
    int none;
    uint4 *voxels =
        (uint4 *) (g->voxels + (size_t) slot * KINFUMOT_BRICK_VOXELS);

    for (int k = threadIdx.x; k < KINFUMOT_BRICK_VOXELS / 4; k += blockDim.x)
      voxels[k] = make_uint4 (0, 0, 0, 0);
    if (threadIdx.x == 0) {
      g->table[kinfumot_entry (g, key, &none)].slot = (int32_t) slot;
      g->owner[slot] = key;
      g->seen[slot] = w.frame;
      add_range (&w, first, last, key);
    }
  }
}

/* Counts what was taken, once. */
static __device__ void
end_bricks (KinfumotPool *pool)
{
  pool->full |= pool->n_fresh > pool->n_unused;
  if (pool->full)
    return;
  pool->n_unused -= pool->n_fresh;
  pool->n_fresh = 0;
}

const char *
kinfumot_allocate_cuda (
    const Device *dev, const KinfumotWork *w, int first, int last)
{
  TRY (queue (dev, want, blocks_of (w->width * w->height, last - first),
      THREADS, *w, first));
  return queue (dev, take, BRICK_BLOCKS, BRICK_THREADS, *w, first, last);
}

/* ---- Voxels ---- */

/* Makes ready what the voxels ask: the bricks in view, and the surface of each
 * pixel. */
static __global__ void
look (KinfumotWork w, int first, int last)
{
  const uint32_t i = thread_index (), lane = threadIdx.x % 32;
  uint32_t lanes, at = 0;
  bool visible = false;

  await_previous ();
  if (i == 0)
    end_bricks (w.pool);
  if (i < (uint32_t) (w.width * w.height))
    w.surfaces[i] = kinfumot_surface (&w, first, (int) i);
  if (i < w.grid.max_bricks) {
    uint64_t key = w.grid.owner[i];
    int model = kinfumot_key_model (key);

    visible = key && model >= first && model < last && w.models[model].active &&
        w.models[model].good && kinfumot_brick_in_view (&w, key);
  }
  lanes = __ballot_sync (ALL_LANES, visible);
  if (lanes && lane == 0)
    at = atomicAdd (&w.pool->n_visible, (uint32_t) __popc (lanes));
  at = __shfl_sync (ALL_LANES, at, 0);
  if (!visible)
    return;
  w.grid.seen[i] = w.frame;
  w.visible[at + __popc (lanes & ((1u << lane) - 1))] = i;
}

/* The frame into column (@x, @y) of the brick @key.  All is read before any of
 * it is written, so that the reading waits once, and the surfaces of a few
 * voxels before any of them is used. */
static __device__ void
fuse_column (
    const KinfumotWork *w, uint64_t key, int x, int y, KinfumotVoxel *column)
{
  const KinfumotLattice lattice = kinfumot_lattice (w, key);
  const int model = kinfumot_key_model (key);
  const bool still = w->models[model].still;
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

      seen[i] = kinfumot_shown_at (w, p);
      depths[i] = p.z;
    }
#pragma unroll
    for (int i = 0; i < FUSE_AT_ONCE; i++)
      v[first + i] =
          kinfumot_fuse (w, model, still, seen[i], depths[i], v[first + i]);
  }
#pragma unroll
  for (int z = 0; z < KINFUMOT_BRICK; z++)
    column[z * FUSE_THREADS] = v[z];
}

/* The last block to end empties the list. */
static __global__ void
fuse (KinfumotWork w)
{
  const int i = threadIdx.x;
  uint32_t n;

  await_previous ();
  n = w.pool->n_visible;
  for (uint32_t k = blockIdx.x; k < n; k += gridDim.x) {
    uint32_t slot = w.visible[k];

    fuse_column (&w, w.grid.owner[slot], i % KINFUMOT_BRICK, i / KINFUMOT_BRICK,
        w.grid.voxels + (size_t) slot * KINFUMOT_BRICK_VOXELS + i);
  }
  __syncthreads ();
  if (i == 0 && atomicInc (&w.pool->n_fused, gridDim.x - 1) == gridDim.x - 1)
    w.pool->n_visible = 0;
}

const char *
kinfumot_fuse_cuda (
    const Device *dev, const KinfumotWork *w, int first, int last)
{
  const int pixels = w->width * w->height, bricks = (int) w->grid.max_bricks,
            n = pixels > bricks ? pixels : bricks;

  TRY (queue (dev, look, blocks_of (n), THREADS, *w, first, last));
  return queue (dev, fuse, FUSE_BLOCKS, FUSE_THREADS, *w);
}
