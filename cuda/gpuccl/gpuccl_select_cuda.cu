/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fourth and last kernel of GPUCCL_RUN: components are counted, and listed
 * where large enough; where these may be many, the candidates among them are
 * chosen.  Once their rows and columns are known they are measured (section
 * 3.5.3).  No kernel but the last two writes to the host, for which the others
 * would wait. */
#include "gpuccl/gpuccl_choose.cuh"

static __device__ __forceinline__ void
list_root (
    const GpucclList &list, uint32_t *n, unsigned long long key, uint32_t root)
{
  uint32_t at = atomicAdd (n, 1u);

  list.keys[at] = key;
  list.roots[at] = root;
}

/* Labels piece @i, whose component's root is @root; returns its key if that is
 * itself, else 0. */
static __device__ __forceinline__ unsigned long long
look_at (const GpucclArgs &a, uint32_t i, uint32_t root)
{
  uint32_t label = a.p.pieces[root].label, area = a.p.pieces[root].area;
  bool large = gpuccl_is_candidate (&a.w, area);
  unsigned long long key = gpuccl_key (area, label);

  a.p.labels[i] = label | (large ? GPUCCL_LARGE : 0);
  if (root != i)
    return 0;
  if (area >= a.w.min_area)
    list_root (a.p.reported, &a.p.counters->n_sums, key, i);
  if (large)
    list_root (a.p.listed, &a.p.counters->n_listed, key, i);
  return key;
}

/* A thread a piece, whose parent is read before it is known that there is one.
 * Where many may be listed, the block that is last done chooses; elsewhere
 * those who ask do, and nothing waits for the last. */
static __global__ void
__launch_bounds__ (THREADS) select_kernel (const __grid_constant__ GpucclArgs a)
{
  GpucclCounters *c = a.p.counters;
  uint32_t n, root = 0, labels = 0, i = blockIdx.x * THREADS + threadIdx.x;
  unsigned long long most = 0;
  bool last = false;

  allow_next ();
  await_previous ();
  n = c->n_pieces > a.p.max_pieces ? 0 : c->n_pieces;
  if (i < a.p.max_pieces)
    root = a.p.parents[i];
  while (i < n) {
    unsigned long long key = look_at (a, i, root);

    labels += key != 0;
    most = max (most, key);
    i += gridDim.x * THREADS;
    if (i < n)
      root = a.p.parents[i];
  }
  labels = warp_sum (labels);
  most = warp_most (most);
  if (threadIdx.x % 32 == 0 && labels) {
    atomicAdd (&c->n_labels, labels);
    atomicMax (&c->largest, most);
  }
  if (a.few)
    return;
  __threadfence ();
  __syncthreads ();
  if (threadIdx.x == 0)
    last = atomicAdd (&c->tickets, 1u) == gridDim.x - 1;
  if (!__syncthreads_or (last))
    return;
  __threadfence ();
  choose (a);
}

/* ---- Criteria ---- */

/* What the block's threads have together; in thread 0. */
static __device__ __forceinline__ uint32_t
block_sum (uint32_t v)
{
  __shared__ uint32_t sums[32];

  v = warp_sum (v);
  __syncthreads ();
  if (threadIdx.x % 32 == 0)
    sums[threadIdx.x / 32] = v;
  __syncthreads ();
  return warp_sum (sums[threadIdx.x % 32]);
}

/* Of rows or columns @from to @to: the sum of their extents, and how many hold
 * a pixel.  They are empty again for the next frame. */
static __device__ __forceinline__ void
add_extents (uint32_t *first, uint32_t *last, int from, int to,
    unsigned long long *sum, uint32_t *used)
{
  uint32_t extents = 0, count = 0;

#pragma unroll 4
  for (int i = from + (int) threadIdx.x; i < to; i += GPUCCL_LINES) {
    uint32_t least = first[i], most = last[i];

    extents += least == UINT32_MAX ? 0 : most - least;
    count += least != UINT32_MAX;
    first[i] = UINT32_MAX;
    last[i] = 0;
  }
  extents = block_sum (extents); /* below 2^28 */
  count = block_sum (count);
  if (threadIdx.x == 0) {
    *sum = extents;
    *used = count;
  }
}

/* Rows, or columns, of a candidate within its box.  What is read before it is
 * known that there is one lies inside. */
static __device__ __forceinline__ void
measure (const GpucclArgs &a, uint32_t candidate, bool columns)
{
  size_t at = (size_t) candidate * (a.w.frame.height + a.w.frame.width);
  uint32_t n = a.p.top->n, root = a.p.top->roots[candidate];
  ImageBox box = a.p.pieces[root].box;
  GpucclCandidate *c = &a.w.result->candidates[candidate];

  if (candidate >= n)
    return;
  if (columns) {
    at += a.w.frame.height;
    add_extents (a.p.first + at, a.p.last + at, box.x0, box.x1, &c->heights,
        &c->columns);
  } else
    add_extents (
        a.p.first + at, a.p.last + at, box.y0, box.y1, &c->widths, &c->rows);
}

/* Two blocks a candidate, each of which tells the host when it is done: what
 * was written before this kernel is in order before that. */
static __global__ void
__launch_bounds__ (GPUCCL_LINES)
    criteria_kernel (const __grid_constant__ GpucclArgs a)
{
  await_previous ();
  if (blockIdx.x == 0 && threadIdx.x == 0)
    *a.p.counters = GpucclCounters ();
  measure (a, blockIdx.x / 2, blockIdx.x % 2);
  if (threadIdx.x == 0) {
    __threadfence_system ();
    *(volatile uint32_t *) &a.w.result->ready[blockIdx.x] = 1;
  }
}

const GpucclKernel gpuccl_select_kernel = select_kernel;
const GpucclKernel gpuccl_criteria_kernel = criteria_kernel;
