/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The other kernels of the fused method: fragments that hang together are
 * joined, their sums gathered at their roots, and the blobs reported. */
#include "moct/moct_cuda.cuh"

#define ALL 0xffffffffu

static __device__ __forceinline__ uint32_t
root (const uint32_t *parents, uint32_t i)
{
  uint32_t parent;

  while ((parent = __ldcg (&parents[i])) != i)
    i = parent;
  return i;
}

/* Lock-free union: the greater root is hung under the smaller one; where
 * another thread was faster, what it put there is joined too. */
static __device__ void
unite (uint32_t *parents, uint32_t i, uint32_t j)
{
  for (;;) {
    i = root (parents, i);
    j = root (parents, j);
    if (i == j)
      return;
    if (i < j) {
      uint32_t t = i;

      i = j;
      j = t;
    }
    uint32_t before = atomicMin (&parents[i], j);

    if (before == i)
      return;
    i = before;
  }
}

static __device__ void
join_with (const MoctWork &w, MoctCursor a, int other)
{
  ImageBox box = moct_cursor_box (&w, a);

  for (MoctCursor b = moct_first (&w, other); b.cls; b = moct_next (&w, b))
    if (a.cls == b.cls &&
        moct_boxes_near (box, moct_cursor_box (&w, b), w.merge_distance))
      unite (w.parents, (uint32_t) a.at, (uint32_t) b.at);
}

/* One thread a tile. */
__global__ void
moct_join_kernel (const __grid_constant__ MoctWork w)
{
  int tile = blockIdx.x * blockDim.x + threadIdx.x;

  if (tile >= w.tiles_x * w.tiles_y)
    return;
  for (MoctCursor a = moct_first (&w, tile); a.cls; a = moct_next (&w, a)) {
    moct_sum_clear (&w.sums[a.at]);
    for (int k = 0; k < moct_n_neighbours (&w); k++) {
      int other = moct_neighbour (&w, tile, k);

      if (other >= 0)
        join_with (w, a, other);
    }
  }
}

/* Adds @sum of the lanes that say @mine to @to: first within the warp, so that
 * a large object does not queue up at one address. */
static __device__ void
add_group (MoctSum sum, bool mine, MoctSum *to)
{
  int lane = threadIdx.x % 32;
  MoctSum s;

  moct_sum_clear (&s);
  if (mine)
    s = sum;
#pragma unroll
  for (int step = 16; step; step /= 2) {
    MoctSum other;

    other.n = __shfl_xor_sync (ALL, s.n, step);
    other.x = __shfl_xor_sync (ALL, s.x, step);
    other.y = __shfl_xor_sync (ALL, s.y, step);
    other.xx = __shfl_xor_sync (ALL, s.xx, step);
    other.xy = __shfl_xor_sync (ALL, s.xy, step);
    other.yy = __shfl_xor_sync (ALL, s.yy, step);
    other.box.x0 = __shfl_xor_sync (ALL, s.box.x0, step);
    other.box.y0 = __shfl_xor_sync (ALL, s.box.y0, step);
    other.box.x1 = __shfl_xor_sync (ALL, s.box.x1, step);
    other.box.y1 = __shfl_xor_sync (ALL, s.box.y1, step);
    moct_sum_add (&s, &other);
  }
  switch (lane) {
    case 0:
      atomicAdd (&to->n, s.n);
      atomicMin (&to->box.x0, s.box.x0);
      break;
    case 1:
      atomicAdd (&to->x, s.x);
      atomicMin (&to->box.y0, s.box.y0);
      break;
    case 2:
      atomicAdd (&to->y, s.y);
      atomicMax (&to->box.x1, s.box.x1);
      break;
    case 3:
      atomicAdd (&to->xx, s.xx);
      atomicMax (&to->box.y1, s.box.y1);
      break;
    case 4:
      atomicAdd (&to->xy, s.xy);
      break;
    case 5:
      atomicAdd (&to->yy, s.yy);
      break;
  }
}

/* Every lane has a fragment at @c, or none (class 0). */
static __device__ void
gather (const MoctWork &w, MoctCursor c)
{
  uint32_t to = 0;
  MoctSum sum;

  moct_sum_clear (&sum);
  if (c.cls) {
    to = w.blobs ? root (w.parents, (uint32_t) c.at) : c.cls - 1;
    sum = moct_cursor_sum (&w, c);
    if (w.blobs && to == (uint32_t) c.at) {
      MoctRoot *r = &w.roots[atomicAdd (&w.counters[MOCT_ROOTS], 1u)];

      r->at = to;
      r->cls = c.cls;
    }
  }
  for (uint32_t left = __ballot_sync (ALL, c.cls != 0); left;) {
    uint32_t first = __shfl_sync (ALL, to, __ffs ((int) left) - 1);
    bool mine = c.cls && to == first;

    add_group (sum, mine, &w.sums[first]);
    left &= ~__ballot_sync (ALL, mine);
  }
}

/* One lane a tile; the fragments of a warp's tiles one after the other. */
__global__ void
moct_gather_kernel (const __grid_constant__ MoctWork w)
{
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int tiles = w.tiles_x * w.tiles_y;
  MoctCursor c = {thread, 0, 0};

  if (thread < tiles)
    c = moct_first (&w, thread);
  while (__any_sync (ALL, c.cls != 0)) {
    gather (w, c);
    if (c.cls)
      c = moct_next (&w, c);
  }
}

static __device__ void
report (const MoctWork &w, unsigned *n_blobs, const MoctSum *from, int cls)
{
  MoctSum sum = *from;

  if (!sum.n || sum.n < w.min_area || sum.n > w.max_area)
    return;
  MoctBlob *blob = &w.result->blobs[atomicAdd (n_blobs, 1u)];

  blob->sum = sum;
  blob->cls = cls;
}

/* One block. */
__global__ void
moct_report_kernel (const __grid_constant__ MoctWork w)
{
  __shared__ unsigned n_blobs;
  unsigned n_roots = w.blobs ? w.counters[MOCT_ROOTS] : w.n_colours;

  if (threadIdx.x == 0)
    n_blobs = 0;
  __syncthreads ();
  for (unsigned i = threadIdx.x; i < n_roots; i += blockDim.x)
    if (w.blobs)
      report (w, &n_blobs, &w.sums[w.roots[i].at], (int) w.roots[i].cls);
    else
      report (w, &n_blobs, &w.sums[i], (int) i + 1);
  __syncthreads ();
  if (threadIdx.x == 0) {
    w.result->n_blobs = n_blobs;
    w.result->n_overflow = w.counters[MOCT_OVERFLOW];
    w.counters[MOCT_ROOTS] = w.counters[MOCT_OVERFLOW] = 0;
  }
}
