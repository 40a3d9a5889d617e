/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The grid of a cloud, listed in the order in which the CPU lists it. */
#include "scopedetect/scopedetect_observe_cuda.cuh"

#define THREADS 256

/* From how many points each hash has to where they start. */
static __global__ void
__launch_bounds__ (THREADS) start_kernel (
    const __grid_constant__ ScopedetectWork w, const uint32_t *count)
{
  __shared__ uint32_t own[THREADS / 32], earlier[THREADS / 32];
  int i = thread_index (), first = i - (int) threadIdx.x;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int hashes = (int) w.cloud.grid.mask + 1;
  uint32_t before = 0, n, start;

  await_previous ();
  for (int k = threadIdx.x; k < first; k += THREADS)
    before += count[k];
  before = warp_sum (before);
  start = n = i < hashes ? count[i] : 0;
  for (int step = 1; step < 32; step *= 2) {
    uint32_t left = __shfl_up_sync (ALL_LANES, start, step);

    start += lane >= step ? left : 0;
  }
  if (lane == 31)
    own[warp] = start, earlier[warp] = before;
  __syncthreads ();
  start -= n;
  for (int k = 0; k < THREADS / 32; k++)
    start += earlier[k] + (k < warp ? own[k] : 0);
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
