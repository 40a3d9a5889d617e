/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fourth and last kernel of GPUCCL_RUN: components are counted, and listed
 * where large enough; the candidates among them are chosen, and, once their
 * rows and columns are known, measured (section 3.5.3). */
#include "gpuccl/gpuccl_run.cuh"

/* Looks at root @i, a component of the frame, and returns its key. */
static __device__ __forceinline__ unsigned long long
report_root (const GpucclArgs &a, uint32_t i, uint32_t area, uint32_t label)
{
  GpucclCounters *c = a.p.counters;

  if (area >= a.w.min_area)
    a.p.reported[atomicAdd (&c->n_sums, 1u)] = i;
  if (gpuccl_is_candidate (&a.w, area))
    a.p.list[atomicAdd (&c->n_listed, 1u)] = i;
  return gpuccl_key (area, label);
}

/* Labels piece @i; returns its key if it is a root, else 0. */
static __device__ __forceinline__ unsigned long long
look_at (const GpucclArgs &a, uint32_t i)
{
  uint32_t root = a.p.parents[i];
  uint32_t label = a.p.pieces[root].label, area = a.p.pieces[root].area;

  a.p.labels[i] = label | (gpuccl_is_candidate (&a.w, area) ? GPUCCL_LARGE : 0);
  return root == i ? report_root (a, i, area, label) : 0;
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
    uint32_t r = __ldcg (&a.p.list[i]);
    const GpucclSum *s = &a.p.pieces[r];
    unsigned long long key = gpuccl_key (s->area, s->label);

    if (key < last && key > best)
      best = key, *root = r;
  }
  return best;
}

/* The largest that were listed, by one warp: the largest key again and again;
 * the lane that had it looks for its next. */
static __device__ __forceinline__ void
choose (const GpucclArgs &a, GpucclCounters *c)
{
  uint32_t n = *(volatile uint32_t *) &c->n_listed, root = 0;
  uint32_t k = min (n, GPUCCL_CANDIDATES);
  unsigned long long best = best_of_lane (a, n, ~0ull, &root);

  for (uint32_t i = 0; i < k; i++) {
    unsigned long long most = warp_most (best);

    if (best != most)
      continue;
    a.p.top->roots[i] = root;
    a.p.top->labels[i] = gpuccl_key_label (most);
    a.w.result->candidates[i].area = (uint32_t) (most >> 32);
    a.w.result->candidates[i].label = gpuccl_key_label (most);
    best = n > 32 ? best_of_lane (a, n, most, &root) : 0;
  }
  if (threadIdx.x == 0)
    a.w.result->n_candidates = a.p.top->n = k;
}

static __device__ __forceinline__ void
finish (const GpucclArgs &a, GpucclCounters *c)
{
  volatile GpucclCounters *v = c;
  GpucclResult *r = a.w.result;
  uint32_t area = (uint32_t) (v->largest >> 32);

  r->n_labels = v->n_labels;
  r->largest_area = area;
  r->largest_label = area ? gpuccl_key_label (v->largest) : 0;
  r->n_unknown = v->n_unknown;
  r->n_sums = a.p.top->n_reported = v->n_sums;
  r->n_missing = v->n_pieces > a.p.max_pieces ? v->n_pieces : 0;
  r->iterations = 0;
}

/* A thread a piece; the block that is last done chooses. */
static __global__ void
__launch_bounds__ (THREADS) select_kernel (const __grid_constant__ GpucclArgs a)
{
  GpucclCounters *c = a.p.counters;
  unsigned long long most = 0;
  uint32_t n, labels = 0;
  bool last = false;

  allow_next ();
  await_previous ();
  n = c->n_pieces > a.p.max_pieces ? 0 : c->n_pieces;
  for (uint32_t i = blockIdx.x * THREADS + threadIdx.x; i < n;
       i += gridDim.x * THREADS) {
    unsigned long long key = look_at (a, i);

    labels += key != 0;
    most = max (most, key);
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
  if (!__syncthreads_or (last) || threadIdx.x >= 32)
    return;
  __threadfence ();
  choose (a, c);
  if (threadIdx.x == 0)
    finish (a, c);
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

/* Within its box: rows, or columns. */
static __device__ __forceinline__ void
measure (const GpucclArgs &a, uint32_t candidate, bool columns)
{
  size_t at = (size_t) candidate * (a.w.frame.height + a.w.frame.width);
  ImageBox box = a.p.pieces[a.p.top->roots[candidate]].box;
  GpucclCandidate *c = &a.w.result->candidates[candidate];

  if (columns) {
    at += a.w.frame.height;
    add_extents (a.p.first + at, a.p.last + at, box.x0, box.x1, &c->heights,
        &c->columns);
  } else
    add_extents (
        a.p.first + at, a.p.last + at, box.y0, box.y1, &c->widths, &c->rows);
}

/* Two blocks a candidate. */
static __global__ void
__launch_bounds__ (GPUCCL_LINES)
    criteria_kernel (const __grid_constant__ GpucclArgs a)
{
  await_previous ();
  if (blockIdx.x == 0 && threadIdx.x == 0)
    *a.p.counters = GpucclCounters ();
  if (blockIdx.x / 2 < a.p.top->n)
    measure (a, blockIdx.x / 2, blockIdx.x % 2);
}

const GpucclKernel gpuccl_select_kernel = select_kernel;
const GpucclKernel gpuccl_criteria_kernel = criteria_kernel;
