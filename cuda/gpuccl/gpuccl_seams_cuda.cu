/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Second and third kernel of GPUCCL_RUN: pieces are joined across the seams
 * between tiles, and their sums added up at the roots. */
#include "gpuccl/gpuccl_run.cuh"

/* ---- Seams ---- */

/* The piece of the pixel at column @i of tile @tx, row @y; any where it is
 * background. */
static __device__ __forceinline__ uint32_t
piece_at (const GpucclArgs &a, int tx, int i, int y)
{
  uint32_t starts = 0;

  if (tx >= 0 && tx < a.p.tiles_x && y >= 0 && y < a.w.frame.height && i >= 0 &&
      i < TILE)
    starts = a.p.rows[(size_t) y * a.p.tiles_x + tx].starts & lanes_to (i);
  return starts ? a.w.labels[(size_t) y * a.w.frame.width + tx * TILE + 31 -
                      __clz ((int) starts)]
                : 0;
}

/* Unites @own with @other in each lane whose bit @links has, but for those that
 * repeat what the lane before does. */
static __device__ __forceinline__ void
unite_lanes (const GpucclArgs &a, uint32_t links, uint32_t own, uint32_t other)
{
  int lane = threadIdx.x % 32;
  bool same = __shfl_up_sync (ALL_LANES, own, 1) == own &
      __shfl_up_sync (ALL_LANES, other, 1) == other;

  if (links >> lane & 1 && !(same && links << 1 >> lane & 1))
    unite_far (a.p.parents, own, other);
}

/* A lane a pixel of the tile's first row. */
static __device__ __forceinline__ void
join_up (const GpucclArgs &a, const GpucclSeams &s, int tx, int ty)
{
  int lane = threadIdx.x % 32, y = ty * TILE;
  uint32_t own, other, next;

  if (!(s.up | s.up_left | s.up_right))
    return;
  own = piece_at (a, tx, lane, y);
  other = piece_at (a, tx, lane, y - 1);
  unite_lanes (a, s.up, own, other);
  if (s.up_left) {
    next = __shfl_up_sync (ALL_LANES, other, 1);
    if (lane == 0)
      next = piece_at (a, tx - 1, TILE - 1, y - 1);
    unite_lanes (a, s.up_left, own, next);
  }
  if (s.up_right) {
    next = __shfl_down_sync (ALL_LANES, other, 1);
    if (lane == 31)
      next = piece_at (a, tx + 1, 0, y - 1);
    unite_lanes (a, s.up_right, own, next);
  }
}

/* A lane a pixel of the tile's first column. */
static __device__ __forceinline__ void
join_left (const GpucclArgs &a, const GpucclSeams &s, int tx, int ty)
{
  int lane = threadIdx.x % 32, y = ty * TILE + lane;
  uint32_t own, other;

  if (!(s.left | s.left_up | s.left_down))
    return;
  own = piece_at (a, tx, 0, y);
  other = piece_at (a, tx - 1, TILE - 1, y);
  unite_lanes (a, s.left, own, other);
  if (s.left_up)
    unite_lanes (a, s.left_up, own, __shfl_up_sync (ALL_LANES, other, 1));
  if (s.left_down)
    unite_lanes (a, s.left_down, own, __shfl_down_sync (ALL_LANES, other, 1));
}

/* Two warps a tile: one for either edge. */
static __global__ void
__launch_bounds__ (THREADS) seams_kernel (const __grid_constant__ GpucclArgs a)
{
  int i = blockIdx.x * WARPS + threadIdx.x / 32, tile = i / 2;
  GpucclSeams s;

  allow_next ();
  await_previous ();
  if (tile >= a.p.tiles_x * a.p.tiles_y ||
      a.p.counters->n_pieces > a.p.max_pieces)
    return;
  s = a.p.seams[tile];
  if (!s.used)
    return;
  if (i % 2)
    join_left (a, s, tile % a.p.tiles_x, tile / a.p.tiles_x);
  else
    join_up (a, s, tile % a.p.tiles_x, tile / a.p.tiles_x);
}

/* ---- Gathering ---- */

static __device__ __forceinline__ unsigned long long
warp_sum_long (unsigned long long v)
{
  for (int step = 16; step; step /= 2)
    v += __shfl_xor_sync (ALL_LANES, v, step);
  return v;
}

static __device__ __forceinline__ GpucclSum
warp_add_up (const GpucclSum &s)
{
  GpucclSum t;

  t.label = ~warp_max (~s.label);
  t.area = warp_sum (s.area);
  t.x = warp_sum_long (s.x);
  t.y = warp_sum_long (s.y);
  t.z = warp_sum_long (s.z);
  t.box.x0 = warp_least (s.box.x0);
  t.box.y0 = warp_least (s.box.y0);
  t.box.x1 = ~warp_least (~s.box.x1);
  t.box.y1 = ~warp_least (~s.box.y1);
  t.min_z = ~warp_max (~s.min_z);
  t.max_z = warp_max (s.max_z);
  t.min_u = warp_least (s.min_u);
  t.max_u = ~warp_least (~s.max_u);
  t.min_v = warp_least (s.min_v);
  t.max_v = ~warp_least (~s.max_v);
  return t;
}

#define CROWD \
 4 /* lanes of one root from which on a warp adds them up first \
    */

/* Adds each lane's piece, where it has one, to its root, which is another: one
 * by one, or, where a large component would queue up at one address, the
 * warp's first. */
static __device__ __forceinline__ void
gather (const GpucclArgs &a, bool have, uint32_t piece, uint32_t to)
{
  uint32_t same = __match_any_sync (ALL_LANES, have ? to : UINT32_MAX), left;
  bool crowd = have && __popc (same) >= CROWD;
  GpucclSum s = gpuccl_sum_nothing ();

  if (have)
    s = a.p.pieces[piece];
  if (have && !crowd)
    gpuccl_add_sum (&a.p.pieces[to], s);
  for (left = __ballot_sync (ALL_LANES, crowd); left;) {
    int first = __ffs ((int) left) - 1;
    uint32_t members = __shfl_sync (ALL_LANES, same, first);
    bool member = members >> threadIdx.x % 32 & 1;
    GpucclSum sum = warp_add_up (member ? s : gpuccl_sum_nothing ());

    if ((int) (threadIdx.x % 32) == first)
      gpuccl_add_sum (&a.p.pieces[to], sum);
    left &= ~members;
  }
}

/* The root of piece @i, which is left as its parent on the way already: all
 * climb at once, and find the shorter way that others left. */
static __device__ __forceinline__ uint32_t
hang_at_root (uint32_t *parents, uint32_t i)
{
  uint32_t p = parent_of (parents, i), next;

  while ((next = parent_of (parents, p)) != p)
    parents[i] = p = next;
  return p;
}

/* A lane a piece; afterwards its parent is its root. */
static __global__ void
__launch_bounds__ (THREADS) gather_kernel (const __grid_constant__ GpucclArgs a)
{
  uint32_t n, i = blockIdx.x * THREADS + threadIdx.x;

  allow_next ();
  await_previous ();
  n = a.p.counters->n_pieces;
  if (n > a.p.max_pieces)
    return;
  for (; __any_sync (ALL_LANES, i < n); i += gridDim.x * THREADS) {
    uint32_t to = i < n ? hang_at_root (a.p.parents, i) : 0;

    gather (a, i < n && to != i, i, to);
  }
}

const GpucclKernel gpuccl_seams_kernel = seams_kernel;
const GpucclKernel gpuccl_gather_kernel = gather_kernel;
