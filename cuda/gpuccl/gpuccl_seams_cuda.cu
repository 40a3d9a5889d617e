/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Second and third kernel of GPUCCL_RUN: join pieces across the seams between
 * tiles, and add up their sums at the roots. */
#include "gpuccl/gpuccl_run.cuh"

/* ---- Seams ---- */

#define NOBODY UINT32_MAX

/* The place of a piece in the order of roots.  Pieces are numbered as the frame
 * is scanned.  If the lesser number were always the root, paths would cross
 * large frames; the order there does not depend on positions. */
static __device__ __forceinline__ uint32_t
order_of_piece (const GpucclArgs &a, uint32_t piece)
{
  return piece * a.spread;
}

/* Joins two pieces (Jayanti and Tarjan, A Randomized Concurrent Algorithm for
 * Disjoint Set Union, PODC 2016): climbs both paths at once, and makes the root
 * that comes first in the order the parent of the other; begins again if
 * another thread was faster, or if a parent that was read was old. */
static __device__ __forceinline__ void
unite_pieces (const GpucclArgs &a, uint32_t i, uint32_t j)
{
  uint32_t *parents = a.p.parents;

  for (;;) {
    bool later = order_of_piece (a, i) > order_of_piece (a, j);
    uint32_t high = later ? i : j, low = later ? j : i;
    uint32_t before = atomicCAS (&parents[high], high, low);

    if (before == high || before == low)
      return;
    i = before, j = low;
    if (union_climb<union_old_parent> (parents, &i, &j))
      return;
  }
}

/* The pieces that a warp joins, across its seam and over the corners at either
 * side.  All pairs are processed together, because paths are long, and each
 * kind of link by itself would wait for the previous kind. */
struct Pairs {
  uint2 of[3 * TILE];
};

/* Adds the pair @own and @other of each lane with a bit in @links, unless it is
 * @known; of lanes with the same pair, the first.  @n is the number of
 * pairs. */
static __device__ __forceinline__ void
collect_pairs (Pairs *p, uint32_t *n, uint32_t links, uint32_t own,
    uint32_t other, bool known)
{
  int lane = threadIdx.x % 32;
  bool have = links >> lane & 1 && !known;
  unsigned long long pair = (unsigned long long) own << 32 | other;
  uint32_t same = __match_any_sync (ALL_LANES, have ? pair : ~0ull), first;

  have = have && __ffs ((int) same) - 1 == lane;
  first = __ballot_sync (ALL_LANES, have);
  if (have)
    p->of[*n + __popc (first & (mask_of_lanes_to (lane) >> 1))] =
        make_uint2 (own, other);
  *n += __popc (first);
}

/* Adds the links over a corner from the lane's own piece.  A link over a corner
 * is known if links straight across join the same two pieces: links of the
 * lane, or of the lane before or after it.  @straight are the links straight
 * across, @across the piece behind the lane's own link. */
static __device__ __forceinline__ void
collect_corner_pairs (Pairs *p, uint32_t *n, uint32_t links, uint32_t straight,
    uint32_t own, uint32_t across, uint32_t corner, bool before)
{
  int lane = threadIdx.x % 32;
  uint32_t beside = before ? __shfl_up_sync (ALL_LANES, own, 1)
                           : __shfl_down_sync (ALL_LANES, own, 1);
  uint32_t beside_straight = before ? straight << 1 : straight >> 1;

  collect_pairs (p, n, links, own, corner,
      (straight >> lane & 1 && across == corner) ||
          (beside_straight >> lane & 1 && beside == own));
}

/* Collects the pairs across a tile's upper edge, a lane for each pixel of the
 * first row.  Returns the number of pairs.  Loads do not wait for the number of
 * pieces: their addresses are inside the memory in any case. */
static __device__ __forceinline__ uint32_t
collect_upper_pairs (const GpucclArgs &a, Pairs *p, int tile)
{
  int lane = threadIdx.x % 32, up = max (tile - a.p.tiles_x, 0);
  uint32_t count = a.p.counters->n_pieces, own = a.p.edges[tile].top[lane];
  uint32_t other = a.p.edges[up].bottom[lane], next, n = 0;
  GpucclSeams s = a.p.seams[tile];

  if (!s.used || count > a.p.max_pieces || !(s.up | s.up_left | s.up_right))
    return 0;
  collect_pairs (p, &n, s.up, own, other, false);
  if (s.up_left) {
    next = __shfl_up_sync (ALL_LANES, other, 1);
    if (lane == 0)
      next = a.p.edges[max (up - 1, 0)].bottom[TILE - 1];
    collect_corner_pairs (p, &n, s.up_left, s.up, own, other, next, true);
  }
  if (s.up_right) {
    next = __shfl_down_sync (ALL_LANES, other, 1);
    if (lane == TILE - 1)
      next = a.p.edges[up + 1].bottom[0];
    collect_corner_pairs (p, &n, s.up_right, s.up, own, other, next, false);
  }
  return n;
}

/* Collects the pairs across a tile's left edge, a lane for each pixel of the
 * first column. */
static __device__ __forceinline__ uint32_t
collect_left_pairs (const GpucclArgs &a, Pairs *p, int tile)
{
  int lane = threadIdx.x % 32;
  uint32_t count = a.p.counters->n_pieces, own = a.p.edges[tile].left[lane];
  uint32_t other = a.p.edges[max (tile - 1, 0)].right[lane], next, n = 0;
  GpucclSeams s = a.p.seams[tile];

  if (!s.used || count > a.p.max_pieces || !(s.left | s.left_up | s.left_down))
    return 0;
  collect_pairs (p, &n, s.left, own, other, false);
  if (s.left_up) {
    next = __shfl_up_sync (ALL_LANES, other, 1);
    collect_corner_pairs (p, &n, s.left_up, s.left, own, other, next, true);
  }
  if (s.left_down) {
    next = __shfl_down_sync (ALL_LANES, other, 1);
    collect_corner_pairs (p, &n, s.left_down, s.left, own, other, next, false);
  }
  return n;
}

/* Two warps for each tile, one for either edge.  At the frame's edge the warp
 * reads another tile, and does not use it. */
static __global__ void
__launch_bounds__ (THREADS)
    join_seams_kernel (const __grid_constant__ GpucclArgs a)
{
  __shared__ Pairs pairs[WARPS];
  Pairs *p = &pairs[threadIdx.x / 32];
  int i = blockIdx.x * WARPS + threadIdx.x / 32, tile = i / 2;
  uint32_t n;

  allow_next ();
  await_previous ();
  if (tile >= a.p.tiles_x * a.p.tiles_y)
    return;
  n = i % 2 ? collect_left_pairs (a, p, tile)
            : collect_upper_pairs (a, p, tile);
  __syncwarp ();
  for (uint32_t k = threadIdx.x % 32; k < n; k += 32)
    unite_pieces (a, p->of[k].x, p->of[k].y);
}

/* ---- Gathering ---- */

/* The sum of the lanes' pieces.  All are of one tile, so that 32 bits hold the
 * parts but for products. */
static __device__ __forceinline__ GpucclSum
sum_of_warp (const GpucclSum &s)
{
  GpucclSum t;

  t.label = ~warp_max_u (~s.label);
  t.area = warp_sum (s.area);
  t.x = warp_sum ((uint32_t) s.x);
  t.y = warp_sum ((uint32_t) s.y);
  t.z = warp_sum ((uint32_t) s.z);
  t.xx = gpuccl_warp_sum64 (s.xx);
  t.xy = gpuccl_warp_sum64 (s.xy);
  t.yy = gpuccl_warp_sum64 (s.yy);
  t.box.x0 = warp_min (s.box.x0);
  t.box.y0 = warp_min (s.box.y0);
  t.box.x1 = ~warp_min (~s.box.x1);
  t.box.y1 = ~warp_min (~s.box.y1);
  t.min_z = ~warp_max_u (~s.min_z);
  t.max_z = warp_max_u (s.max_z);
  t.min_u = warp_min (s.min_u);
  t.max_u = ~warp_min (~s.max_u);
  t.min_v = warp_min (s.min_v);
  t.max_v = ~warp_min (~s.max_v);
  return t;
}

/* The sum that the block adds to one root, the first root that a crowd of lanes
 * met: the pieces of a large component would all contend for one address. */
struct Crowd {
  uint32_t root;
  GpucclSum sum;
};

/* Adds @s, the sum of the lanes with one root, to root @to. */
static __device__ __forceinline__ void
add_crowd (const GpucclArgs &a, Crowd *c, uint32_t to, const GpucclSum &s)
{
  uint32_t root = atomicCAS (&c->root, NOBODY, to);

  if (root == NOBODY || root == to)
    gpuccl_add_sum (&c->sum, s);
  else
    gpuccl_add_sum (&a.p.pieces[to], s);
}

/* Adds each lane's piece @s to its root, if it is not the root itself: one by
 * one, or lanes with the warp's first root together. */
static __device__ __forceinline__ void
add_to_roots (
    const GpucclArgs &a, Crowd *c, bool have, const GpucclSum &s, uint32_t to)
{
  uint32_t same = __match_any_sync (ALL_LANES, have ? to : NOBODY), left;
  bool crowd = have && (uint32_t) __popc (same) >= a.crowd;

  if (have && !crowd)
    gpuccl_add_sum (&a.p.pieces[to], s);
  for (left = __ballot_sync (ALL_LANES, crowd); left;) {
    int first = __ffs ((int) left) - 1;
    uint32_t members = __shfl_sync (ALL_LANES, same, first);
    bool member = members >> threadIdx.x % 32 & 1;
    GpucclSum sum = sum_of_warp (member ? s : gpuccl_sum_nothing ());

    if ((int) (threadIdx.x % 32) == first)
      add_crowd (a, c, to, sum);
    left &= ~members;
  }
}

/* The root of piece @i, whose parent is @p.  Each step makes a parent nearer to
 * the root, so that threads that climb at the same time find the shorter paths
 * of others.  Roots stay roots here, so that old parents do no harm. */
static __device__ __forceinline__ uint32_t
hang_piece_at_root (uint32_t *parents, uint32_t i, uint32_t p)
{
  uint32_t next;

  while ((next = union_old_parent (parents, p)) != p)
    parents[i] = p = next;
  return p;
}

/* A lane for each piece, which gets its root as parent.  The lane loads the
 * piece's sum while it climbs. */
static __global__ void
__launch_bounds__ (THREADS)
    gather_pieces_kernel (const __grid_constant__ GpucclArgs a)
{
  __shared__ Crowd crowd;
  FirstPiece first;
  uint32_t n, i, p;

  allow_next ();
  if (threadIdx.x == 0) {
    crowd.root = NOBODY;
    crowd.sum = gpuccl_sum_nothing ();
  }
  __syncthreads ();
  await_previous ();
  n = a.p.counters->n_pieces;
  first = first_piece_of_thread (a.p, n);
  if (n > a.p.max_pieces || blockIdx.x * (first.few ? 32 : THREADS) >= n)
    return;
  i = first.i, p = first.parent;
  while (__any_sync (ALL_LANES, i < n)) {
    bool have = i < n && p != i;
    GpucclSum s =
        have ? gpuccl_load_sum (&a.p.pieces[i]) : gpuccl_sum_nothing ();

    add_to_roots (
        a, &crowd, have, s, have ? hang_piece_at_root (a.p.parents, i, p) : 0);
    i += gridDim.x * THREADS;
    if (i < n)
      p = union_parent (a.p.parents, i);
  }
  __syncthreads ();
  if (threadIdx.x == 0 && crowd.root != NOBODY)
    gpuccl_add_sum (&a.p.pieces[crowd.root], crowd.sum);
}

const GpucclKernel gpuccl_seams_kernel = join_seams_kernel;
const GpucclKernel gpuccl_gather_kernel = gather_pieces_kernel;
