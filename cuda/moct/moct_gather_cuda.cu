/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Third kernel of the fused method: the sums of fragments that were joined are
 * gathered at their roots. */
#include "common/union.cuh"
#include "moct/moct_add.cuh"

/* A warp of the gather kernel has 8 x 4 tiles, so that a large object does not
 * queue up at one address: the fragments of a root are added in the warp. */
#define WARP_TILES_X 8
#define WARP_TILES_Y 4

/* Over the lanes of a warp. */
static __device__ __forceinline__ NearSum
add_up (const NearSum &s)
{
  NearSum sum;

  sum.n = warp_sum (s.n);
  sum.x = warp_sum (s.x);
  sum.y = warp_sum (s.y);
  sum.xx = warp_sum (s.xx);
  sum.xy = warp_sum (s.xy);
  sum.yy = warp_sum (s.yy);
  sum.x0 = 255 - (int) warp_max (255 - (uint32_t) s.x0);
  sum.y0 = 255 - (int) warp_max (255 - (uint32_t) s.y0);
  sum.x1 = (int) warp_max ((uint32_t) s.x1);
  sum.y1 = (int) warp_max ((uint32_t) s.y1);
  return sum;
}

/* Lists the lanes that are roots. */
static __device__ __forceinline__ void
list_roots (const MoctWork &w, bool is_root, uint32_t at, unsigned cls)
{
  uint32_t roots = __ballot_sync (ALL_LANES, is_root), before = 0;

  if (!roots)
    return;
  if (threadIdx.x == 0)
    before = atomicAdd (&w.counters[MOCT_ROOTS], (unsigned) __popc (roots));
  before = __shfl_sync (ALL_LANES, before, 0);
  if (is_root)
    w.roots[before + __popc (roots & ((1u << threadIdx.x) - 1))] = {at, cls};
}

/* Adds fragment @f of each lane that has one (c.cls) to its root, which is
 * @parent or above: one that is alone of its root by its lane, others
 * together. */
static __device__ __forceinline__ void
gather (const MoctWork &w, MoctCursor c, const MoctFragment &f, uint32_t parent,
    int warp_tx, int warp_ty)
{
  unsigned X = (unsigned) warp_tx * MOCT_TILE,
           Y = (unsigned) warp_ty * MOCT_TILE;
  int lane = threadIdx.x;
  NearSum none = {0, 0, 0, 0, 0, 0, 255, 255, 0, 0}, mine = none;
  uint32_t to = ALL_LANES;

  if (c.cls) {
    to = root (w.parents, parent);
    mine = near_sum (
        f, lane % WARP_TILES_X * MOCT_TILE, lane / WARP_TILES_X * MOCT_TILE);
  }

  bool alone = __popc (__match_any_sync (ALL_LANES, to)) == 1;

  if (c.cls && alone)
    for (int part = 0; part < 10; part++)
      moct_sum_add_lane (&w.sums[to], far_sum (mine, X, Y), part);
  for (uint32_t left = __ballot_sync (ALL_LANES, c.cls && !alone); left;) {
    uint32_t first = __shfl_sync (ALL_LANES, to, __ffs ((int) left) - 1);
    bool member = to == first;
    NearSum sum = add_up (member ? mine : none);

    moct_sum_add_lane (&w.sums[first], far_sum (sum, X, Y), lane);
    left &= ~__ballot_sync (ALL_LANES, member);
  }
  list_roots (w, c.cls && to == (uint32_t) c.at, to, c.cls);
}

/* One lane a tile; its fragments one after the other. */
static __global__ void
gather_kernel (const __grid_constant__ MoctWork w)
{
  int warp_tx = blockIdx.x * WARP_TILES_X;
  int warp_ty = (blockIdx.y * blockDim.y + threadIdx.y) * WARP_TILES_Y;
  int tx = warp_tx + threadIdx.x % WARP_TILES_X;
  int ty = warp_ty + threadIdx.x / WARP_TILES_X;
  MoctCursor c = {0, 0, 0};
  MoctFragment f;
  uint32_t parent = 0;

  allow_next ();
  await_previous ();
  if (tx < w.tiles_x && ty < w.tiles_y) {
    c = moct_first (&w, ty * w.tiles_x + tx);
    f = w.fragments[c.at];
    parent = w.parents[c.at];
  }
  while (__any_sync (ALL_LANES, c.cls != 0)) {
    gather (w, c, f, parent, warp_tx, warp_ty);
    if (c.cls)
      c = moct_next (&w, c);
    if (c.cls) {
      f = w.fragments[c.at];
      parent = w.parents[c.at];
    }
  }
}

cudaKernelNodeParams
moct_gather_node (const MoctWork *w, void **args)
{
  return moct_node (gather_kernel,
      dim3 (ceil_div (w->tiles_x, WARP_TILES_X),
          ceil_div (w->tiles_y, 2 * WARP_TILES_Y)),
      dim3 (32, 2), args);
}
