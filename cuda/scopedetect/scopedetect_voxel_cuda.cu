/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From pixels to points.  The cells of the scene are hashed; they are numbered
 * by their first pixels, row by row, as a loop would meet them. */
#include "scopedetect/scopedetect_observe_core.h"
#include "scopedetect/scopedetect_observe_cuda.cuh"

static __device__ Vec
position (const ScopedetectScene &s, uint32_t i)
{
  return scopedetect_unproject (
      &s, (int) (i % s.width), (int) (i / s.width), s.z[i]);
}

/* Finds or makes the entry of the cell that pixel @i, at @at, lies in.  Which
 * pixel an entry holds may change meanwhile, but all of them lie in its cell.
 */
static __device__ uint32_t
enter (const ScopedetectWork &w, const ScopedetectObserveCuda &o, uint32_t i,
    Vec at)
{
  ScopedetectCell c = scopedetect_cell_of (&w, at);
  uint32_t h = scopedetect_hash (c.x, c.y, c.z) & (o.cells - 1);

  for (;; h = (h + 1) & (o.cells - 1)) {
    uint32_t other = *(volatile uint32_t *) &o.cell[h];

    if (!other)
      other = atomicCAS (&o.cell[h], 0, i + 1);
    if (!other)
      return h;
    if (!scopedetect_same_cell (
            c, scopedetect_cell_of (&w, position (w.scene, other - 1))))
      continue;
    if (other > i + 1)
      atomicMin (&o.cell[h], i + 1);
    return h;
  }
}

static __global__ void
enter_kernel (const __grid_constant__ ScopedetectWork w,
    const __grid_constant__ ScopedetectObserveCuda o)
{
  const ScopedetectScene &s = w.scene;
  int i = thread_index ();
  Vec at;

  await_previous ();
  if (i >= s.width * s.height)
    return;
  at = position (s, i);
  o.hash[i] = scopedetect_is_wanted (&w, &s.pixel[i], at) ? enter (w, o, i, at)
                                                          : SCOPEDETECT_NO_CELL;
}

/* Whether pixel @i is the first one in its cell. */
static __device__ bool
is_first (const ScopedetectObserveCuda &o, int i, int n)
{
  return i < n && o.hash[i] != SCOPEDETECT_NO_CELL &&
      o.cell[o.hash[i]] == (uint32_t) i + 1;
}

static __global__ void
__launch_bounds__ (SCOPEDETECT_PIXELS)
    firsts_kernel (const __grid_constant__ ScopedetectObserveCuda o, int n)
{
  int firsts;

  await_previous ();
  firsts = __syncthreads_count (is_first (o, thread_index (), n));
  if (threadIdx.x == 0)
    o.firsts[blockIdx.x] = (uint32_t) firsts;
}

/* Numbers the first pixels, and so the voxels, whose sums it clears. */
static __global__ void
__launch_bounds__ (SCOPEDETECT_PIXELS)
    number_kernel (const __grid_constant__ ScopedetectWork w,
        const __grid_constant__ ScopedetectObserveCuda o, int n)
{
  uint32_t number, all, start = 0, room = (uint32_t) w.cloud.room;
  int i = thread_index ();
  bool first;

  await_previous ();
  for (uint32_t b = threadIdx.x; b < blockIdx.x; b += blockDim.x)
    start += o.firsts[b];
  block_sum_before<SCOPEDETECT_PIXELS> (start, &start);
  first = is_first (o, i, n);
  number =
      start + block_sum_before<SCOPEDETECT_PIXELS> ((uint32_t) first, &all);
  all += start;
  if (first) {
    /* a thread that compares this entry with its pixel still finds that they
     * differ */
    o.cell[o.hash[i]] = SCOPEDETECT_NUMBERED | number;
    if (number < room)
      o.voxel[number] = ScopedetectVoxel{};
  }
  if (blockIdx.x != gridDim.x - 1 || threadIdx.x)
    return;
  *o.n_points = min (all, room);
  w.counts->n_points = (int) min (all, room);
  w.counts->n_left_out = 0;
}

static __global__ void
add_kernel (const __grid_constant__ ScopedetectWork w,
    const __grid_constant__ ScopedetectObserveCuda o)
{
  const ScopedetectScene &s = w.scene;
  int i = thread_index (), left_out;
  uint32_t number = 0, hash = SCOPEDETECT_NO_CELL;
  long long share[9];

  await_previous ();
  if (i < s.width * s.height)
    hash = o.hash[i];
  if (hash != SCOPEDETECT_NO_CELL)
    number = o.cell[hash] & ~SCOPEDETECT_NUMBERED;
  left_out = __syncthreads_count (number >= (uint32_t) w.cloud.room);
  if (left_out && threadIdx.x == 0)
    atomicAdd (&w.counts->n_left_out, left_out);
  if (hash == SCOPEDETECT_NO_CELL || number >= (uint32_t) w.cloud.room)
    return;
  scopedetect_voxel_share (&s.pixel[i], position (s, i), share);
  atomicAdd (&o.voxel[number].n, 1);
  for (int k = 0; k < 9; k++)
    atomicAdd ((unsigned long long *) &o.voxel[number].sum[k],
        (unsigned long long) share[k]);
}

/* Points, and how many of them fall to each hash of the grid. */
static __global__ void
point_kernel (const __grid_constant__ ScopedetectWork w,
    const __grid_constant__ ScopedetectObserveCuda o)
{
  ScopedetectCloud c = w.cloud;
  int i = thread_index ();

  await_previous ();
  if (i >= w.counts->n_points)
    return;
  scopedetect_set_point (&c, i, &o.voxel[i]);
  o.arrival[i] = atomicAdd (&o.count[scopedetect_hash_of (&c.grid, c.x[i])], 1);
}

const char *
scopedetect_voxels_cuda (const Device *dev, const ScopedetectWork *w)
{
  const ScopedetectObserveCuda *o = scopedetect_cuda (w)->observe;
  int n = w->scene.width * w->scene.height;
  dim3 blocks (ceil_div (n, 256)), threads (256);
  dim3 many (ceil_div (n, SCOPEDETECT_PIXELS)), large (SCOPEDETECT_PIXELS);

  TRY (device_clear (
      dev, o->cell, (o->cells + w->cloud.grid.mask + 1) * sizeof *o->cell));
  TRY (scopedetect_launch (dev, w, enter_kernel, blocks, threads, 0, *w, *o));
  TRY (scopedetect_launch (dev, w, firsts_kernel, many, large, 0, *o, n));
  TRY (scopedetect_launch (dev, w, number_kernel, many, large, 0, *w, *o, n));
  CUDA_TRY (cudaEventRecord (o->counted, device_stream (dev)));
  TRY (scopedetect_launch (dev, w, add_kernel, blocks, threads, 0, *w, *o));
  return scopedetect_launch (dev, w, point_kernel,
      dim3 (ceil_div (w->cloud.room, 256)), threads, 0, *w, *o);
}

/* ---- The grid of a cloud, listed in the order in which the CPU lists it ----
 */

#define THREADS 256

/* From how many points each hash has to where they start. */
static __global__ void
__launch_bounds__ (THREADS) start_kernel (
    const __grid_constant__ ScopedetectWork w, const uint32_t *count)
{
  int i = thread_index (), first = i - (int) threadIdx.x;
  int hashes = (int) w.cloud.grid.mask + 1;
  uint32_t before = 0, start, all;

  await_previous ();
  for (int k = threadIdx.x; k < first; k += THREADS)
    before += count[k];
  block_sum_before<THREADS> (before, &before);
  start = before + block_sum_before<THREADS> (i < hashes ? count[i] : 0, &all);
  if (i <= hashes)
    w.cloud.grid.start[i] = start;
}

/* The list, points of one hash in the order in which they came. */
static __global__ void
list_kernel (const __grid_constant__ ScopedetectWork w,
    const __grid_constant__ ScopedetectObserveCuda o)
{
  const ScopedetectCloud &c = w.cloud;
  int i = thread_index ();

  await_previous ();
  if (i >= w.counts->n_points)
    return;
  o.unsorted[c.grid.start[scopedetect_hash_of (&c.grid, c.x[i])] +
      o.arrival[i]] = (uint32_t) i;
}

/* Puts the points of one hash in ascending order: each has as many before it as
 * are less. */
static __global__ void
sort_kernel (const __grid_constant__ ScopedetectWork w,
    const __grid_constant__ ScopedetectObserveCuda o)
{
  const ScopedetectCloud &c = w.cloud;
  int i = thread_index ();
  uint32_t hash, to;
  ScopedetectListed listed;

  await_previous ();
  if (i >= w.counts->n_points)
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
  o.listed[to] = listed;
}

const char *
scopedetect_grid_cuda (const Device *dev, const ScopedetectWork *w)
{
  const ScopedetectObserveCuda *o = scopedetect_cuda (w)->observe;
  dim3 threads (THREADS), points (ceil_div (w->cloud.room, THREADS));
  int starts = (int) w->cloud.grid.mask + 2;

  TRY (scopedetect_launch (dev, w, start_kernel,
      dim3 (ceil_div (starts, THREADS)), threads, 0, *w, o->count));
  TRY (scopedetect_launch (dev, w, list_kernel, points, threads, 0, *w, *o));
  return scopedetect_launch (dev, w, sort_kernel, points, threads, 0, *w, *o);
}
