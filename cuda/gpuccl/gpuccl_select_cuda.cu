/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fourth and last kernel of GPUCCL_RUN: components are counted, and listed
 * where large enough; the candidates among them are chosen, and, once their
 * rows and columns are known, measured (section 3.5.3).  No kernel but the last
 * two writes to the host, for which the others would wait. */
#include "gpuccl/gpuccl_run.cuh"

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

static __device__ __forceinline__ unsigned long long
warp_most (unsigned long long v)
{
  for (int step = 16; step; step /= 2)
    v = max (v, __shfl_xor_sync (ALL_LANES, v, step));
  return v;
}

/* The lane's largest key that is below @last, of those that were listed. */
static __device__ __forceinline__ unsigned long long
best_of_lane (
    const GpucclArgs &a, uint32_t n, unsigned long long last, uint32_t *root)
{
  unsigned long long best = 0;

  for (uint32_t i = threadIdx.x; i < n; i += 32) {
    unsigned long long key = __ldcg (&a.p.listed.keys[i]);

    if (key < last && key > best)
      best = key, *root = __ldcg (&a.p.listed.roots[i]);
  }
  return best;
}

static __device__ __forceinline__ void
set_top (
    const GpucclArgs &a, uint32_t rank, unsigned long long key, uint32_t root)
{
  a.p.top->keys[rank] = key;
  a.p.top->roots[rank] = root;
}

/* The @k largest of @n that were listed, by one warp: the largest key again and
 * again; the lane that had it looks for its next. */
static __device__ __forceinline__ void
choose_of_many (const GpucclArgs &a, uint32_t n, uint32_t k)
{
  uint32_t root = 0;
  unsigned long long best = best_of_lane (a, n, ~0ull, &root);

  for (uint32_t rank = 0; rank < k; rank++) {
    unsigned long long most = warp_most (best);

    if (best != most)
      continue;
    set_top (a, rank, best, root);
    best = best_of_lane (a, n, most, &root);
  }
}

/* The largest that were listed, by one block: a thread counts those that come
 * before its own, where there are threads for all. */
static __device__ __forceinline__ void
choose (const GpucclArgs &a)
{
  __shared__ unsigned long long keys[THREADS];
  uint32_t n = *(volatile uint32_t *) &a.p.counters->n_listed;
  uint32_t k = min (n, GPUCCL_CANDIDATES), rank = 0;
  unsigned long long own = __ldcg (&a.p.listed.keys[threadIdx.x]);
  uint32_t root = __ldcg (&a.p.listed.roots[threadIdx.x]);

  if (threadIdx.x == 0)
    a.p.top->n = k;
  if (n > THREADS) {
    if (threadIdx.x < 32)
      choose_of_many (a, n, k);
    return;
  }
  keys[threadIdx.x] = own;
  __syncthreads ();
  for (uint32_t i = 0; i < n; i++)
    rank += keys[i] > own;
  if (threadIdx.x < n && rank < k)
    set_top (a, rank, own, root);
}

/* A thread a piece, whose parent is read before it is known that there is one;
 * the block that is last done chooses. */
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
