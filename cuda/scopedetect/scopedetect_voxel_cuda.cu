/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Points from pixels. Cells of the scene are hashed, and numbered by their
 * first pixels, row by row, so that points have the CPU's order. */
#include "scopedetect/scopedetect_observe_core.h"
#include "scopedetect/scopedetect_observe_cuda.cuh"

static __device__ Vec
position_of_pixel (const ScopedetectScene &s, uint32_t i)
{
  return scopedetect_unproject (
      &s, (int) (i % s.width), (int) (i / s.width), s.z[i]);
}

/* Finds or makes the entry of the cell that holds pixel @i, at @at. The pixel
 * of an entry may change meanwhile, but stays in the cell. */
static __device__ uint32_t
enter_cell (const ScopedetectScene &s, const ScopedetectVoxels &o,
    float spacing, uint32_t i, Vec at)
{
  ScopedetectCell c = scopedetect_cell_of (spacing, at);
  uint32_t h = scopedetect_hash (c.x, c.y, c.z) & (o.hashes - 1);

  for (;; h = (h + 1) & (o.hashes - 1)) {
    uint32_t other = *(volatile uint32_t *) &o.cell[h];

    if (!other)
      other = atomicCAS (&o.cell[h], 0, i + 1);
    if (!other)
      return h;
    if (!scopedetect_same_cell (
            c, scopedetect_cell_of (spacing, position_of_pixel (s, other - 1))))
      continue;
    if (other > i + 1)
      atomicMin (&o.cell[h], i + 1);
    return h;
  }
}

static __global__ void
enter_pixels_kernel (IN ScopedetectScene s, IN ScopedetectBounds bounds,
    float spacing, IN ScopedetectVoxels o)
{
  int i = index_of_thread ();
  Vec at;

  await_previous ();
  if (i >= s.width * s.height)
    return;
  at = position_of_pixel (s, i);
  o.hash[i] = scopedetect_is_wanted (&s, &bounds, &s.pixel[i], at)
      ? enter_cell (s, o, spacing, i, at)
      : SCOPEDETECT_NO_CELL;
}

/* Whether pixel @i is the first of its cell. */
static __device__ bool
is_first_in_cell (const ScopedetectVoxels &o, int i, int n)
{
  return i < n && o.hash[i] != SCOPEDETECT_NO_CELL &&
      o.cell[o.hash[i]] == (uint32_t) i + 1;
}

static __global__ void
__launch_bounds__ (SCOPEDETECT_PIXELS)
    count_firsts_kernel (IN ScopedetectVoxels o, int n)
{
  int firsts;

  await_previous ();
  firsts = __syncthreads_count (is_first_in_cell (o, index_of_thread (), n));
  if (threadIdx.x == 0)
    o.firsts[blockIdx.x] = (uint32_t) firsts;
}

/* Numbers the voxels by their first pixels, and clears their sums. */
static __global__ void
__launch_bounds__ (SCOPEDETECT_PIXELS)
    number_voxels_kernel (IN ScopedetectVoxels o, int n, uint32_t room,
        ScopedetectPointCounts *counts)
{
  uint32_t number, all, start = 0;
  int i = index_of_thread ();
  bool first;

  await_previous ();
  for (uint32_t b = threadIdx.x; b < blockIdx.x; b += blockDim.x)
    start += o.firsts[b];
  block_sum_before<SCOPEDETECT_PIXELS> (start, &start);
  first = is_first_in_cell (o, i, n);
  number =
      start + block_sum_before<SCOPEDETECT_PIXELS> ((uint32_t) first, &all);
  all += start;
  if (first) {
    /* the entry changes from a pixel's number to the voxel's: a thread that
     * asks whether the entry is its own pixel gets no, before and after the
     * change */
    o.cell[o.hash[i]] = SCOPEDETECT_NUMBERED | number;
    if (number < room)
      o.voxel[number] = ScopedetectVoxel{};
  }
  if (blockIdx.x != gridDim.x - 1 || threadIdx.x)
    return;
  *o.n_points = min (all, room);
  counts->n = (int) min (all, room);
  counts->n_left_out = 0;
}

static __global__ void
add_pixels_kernel (IN ScopedetectScene s, IN ScopedetectVoxels o, uint32_t room,
    ScopedetectPointCounts *counts)
{
  int i = index_of_thread (), left_out;
  uint32_t number = 0, hash = SCOPEDETECT_NO_CELL;
  long long share[9];

  await_previous ();
  if (i < s.width * s.height)
    hash = o.hash[i];
  if (hash != SCOPEDETECT_NO_CELL)
    number = o.cell[hash] & ~SCOPEDETECT_NUMBERED;
  left_out = __syncthreads_count (number >= room);
  if (left_out && threadIdx.x == 0)
    atomicAdd (&counts->n_left_out, left_out);
  if (hash == SCOPEDETECT_NO_CELL || number >= room)
    return;
  scopedetect_voxel_share (&s.pixel[i], position_of_pixel (s, i), share);
  atomicAdd (&o.voxel[number].n, 1);
  for (int k = 0; k < 9; k++)
    atomicAdd ((unsigned long long *) &o.voxel[number].sum[k],
        (unsigned long long) share[k]);
}

/* Makes points, and counts those of each hash of the grid. */
static __global__ void
make_points_kernel (IN ScopedetectVoxels o, IN ScopedetectCloud cloud,
    const ScopedetectPointCounts *counts)
{
  ScopedetectCloud c = cloud;
  int i = index_of_thread ();

  await_previous ();
  if (i >= counts->n)
    return;
  scopedetect_set_point (&c, i, &o.voxel[i]);
  o.arrival[i] = atomicAdd (&o.count[scopedetect_hash_of (&c.grid, c.x[i])], 1);
}

/* ---- The grid, in the CPU's order ---- */

#define THREADS 256

/* Sets the start of each hash in the list from the counts of points. */
static __global__ void
__launch_bounds__ (THREADS)
    start_grid_kernel (IN ScopedetectGrid grid, const uint32_t *count)
{
  int i = index_of_thread (), first = i - (int) threadIdx.x;
  int hashes = (int) grid.mask + 1;
  uint32_t before = 0, start, all;

  await_previous ();
  for (int k = threadIdx.x; k < first; k += THREADS)
    before += count[k];
  block_sum_before<THREADS> (before, &before);
  start = before + block_sum_before<THREADS> (i < hashes ? count[i] : 0, &all);
  if (i <= hashes)
    grid.start[i] = start;
}

/* Lists the points; those of one hash are in any order. */
static __global__ void
list_grid_kernel (IN ScopedetectCloud c, IN ScopedetectVoxels o,
    const ScopedetectPointCounts *counts)
{
  int i = index_of_thread ();

  await_previous ();
  if (i >= counts->n)
    return;
  o.unsorted[c.grid.start[scopedetect_hash_of (&c.grid, c.x[i])] +
      o.arrival[i]] = (uint32_t) i;
}

/* Sorts the points of each hash: a point's rank is the number of smaller ones.
 */
static __global__ void
sort_grid_kernel (IN ScopedetectCloud c, IN ScopedetectVoxels o,
    const ScopedetectPointCounts *counts)
{
  int i = index_of_thread ();
  uint32_t hash, to;
  ScopedetectListed listed;

  await_previous ();
  if (i >= counts->n)
    return;
  listed.x = c.x[i];
  listed.cell_and_number = (uint32_t) i |
      scopedetect_packed_cell (scopedetect_cell (listed.x.x, c.grid.cell),
          scopedetect_cell (listed.x.y, c.grid.cell),
          scopedetect_cell (listed.x.z, c.grid.cell))
          << 16;
  hash = scopedetect_hash_of (&c.grid, listed.x);
  to = c.grid.start[hash];
  for (uint32_t k = to, end = c.grid.start[hash + 1]; k < end; k++)
    to += o.unsorted[k] < (uint32_t) i;
  c.grid.list[to] = (uint32_t) i;
  c.grid.listed[to] = listed;
}

const char *
scopedetect_make_points_cuda (const Device *dev, const ScopedetectScene *scene,
    const ScopedetectBounds *bounds, float spacing, float radius,
    ScopedetectVoxels *voxels, ScopedetectCloud *cloud,
    ScopedetectPointCounts *counts)
{
  const ScopedetectVoxels *v = voxels;
  ScopedetectGrid *grid = &cloud->grid;
  int n = scene->width * scene->height, room = cloud->room;
  int starts = (int) grid->mask + 2;
  dim3 blocks (ceil_div (n, 256)), threads (256);
  dim3 many (ceil_div (n, SCOPEDETECT_PIXELS)), large (SCOPEDETECT_PIXELS);
  dim3 points (ceil_div (room, THREADS));

  grid->cell = radius;
  TRY (device_clear (
      dev, v->cell, (v->hashes + grid->mask + 1) * sizeof *v->cell));
  TRY (scopedetect_launch (dev, enter_pixels_kernel, blocks, threads, 0, *scene,
      *bounds, spacing, *v));
  TRY (scopedetect_launch (dev, count_firsts_kernel, many, large, 0, *v, n));
  TRY (scopedetect_launch (dev, number_voxels_kernel, many, large, 0, *v, n,
      (uint32_t) room, counts));
  CUDA_TRY (cudaEventRecord ((cudaEvent_t) v->counted, device_stream (dev)));
  TRY (scopedetect_launch (dev, add_pixels_kernel, blocks, threads, 0, *scene,
      *v, (uint32_t) room, counts));
  TRY (scopedetect_launch (
      dev, make_points_kernel, points, threads, 0, *v, *cloud, counts));
  TRY (scopedetect_launch (dev, start_grid_kernel,
      dim3 (ceil_div (starts, THREADS)), threads, 0, *grid, v->count));
  TRY (scopedetect_launch (
      dev, list_grid_kernel, points, threads, 0, *cloud, *v, counts));
  return scopedetect_launch (
      dev, sort_grid_kernel, points, threads, 0, *cloud, *v, counts);
}

const char *
scopedetect_count_points_cuda (const Device *dev,
    const ScopedetectVoxels *voxels, const ScopedetectPointCounts *counts,
    ScopedetectCloud *cloud)
{
  (void) dev, (void) counts;
  TRY (device_wait_event ((cudaEvent_t) voxels->counted));
  cloud->n = (int) *voxels->n_points;
  return NULL;
}
