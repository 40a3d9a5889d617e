/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Second and third kernel of GPUCCL_RUN: pieces are joined across the seams
 * between tiles, and their sums added up at the roots. */
#include "gpuccl/gpuccl_run.cuh"

/* ---- Seams ---- */

#define NOBODY UINT32_MAX

/* Pieces are numbered as the frame is gone through.  Were the lesser of two
 * numbers always the root, ways up would cross large frames; so there pieces
 * are put in an order that knows nothing of places. */
static __device__ __forceinline__ uint32_t
order_of (const GpucclArgs &a, uint32_t piece)
{
  return piece * a.spread;
}

/* Unites two pieces (Jayanti and Tarjan, A Randomized Concurrent Algorithm for
 * Disjoint Set Union, PODC 2016): both ways up are climbed at once, and the
 * root that comes later in the order is hung at the other, again where another
 * thread was faster, or what was read was old. */
static __device__ __forceinline__ void
unite_pieces (const GpucclArgs &a, uint32_t i, uint32_t j)
{
  uint32_t *parents = a.p.parents;

  for (;;) {
    bool later = order_of (a, i) > order_of (a, j);
    uint32_t high = later ? i : j, low = later ? j : i;
    uint32_t before = atomicCAS (&parents[high], high, low);

    if (before == high || before == low)
      return;
    i = before, j = low;
    if (union_climb<union_old_parent> (parents, &i, &j))
      return;
  }
}

/* The pieces that a warp is to unite, straight across its seam and over corners
 * to either side: side by side, since ways up are long, and each kind of links
 * for itself would wait for the one before it. */
struct Pairs {
  uint2 of[3 * TILE];
};

/* Adds @own and @other of each lane whose bit @links has, but where @known; of
 * lanes that have the same, the first.  @n: how many there are so far. */
static __device__ __forceinline__ void
collect (Pairs *p, uint32_t *n, uint32_t links, uint32_t own, uint32_t other,
    bool known)
{
  int lane = threadIdx.x % 32;
  bool have = links >> lane & 1 && !known;
  unsigned long long pair = (unsigned long long) own << 32 | other;
  uint32_t same = __match_any_sync (ALL_LANES, have ? pair : ~0ull), first;

  have = have && __ffs ((int) same) - 1 == lane;
  first = __ballot_sync (ALL_LANES, have);
  if (have)
    p->of[*n + __popc (first & (lanes_to (lane) >> 1))] =
        make_uint2 (own, other);
  *n += __popc (first);
}

/* Links across a seam from the lane's own piece to that of a corner, which are
 * known where links straight across join the same two pieces: the lane's own,
 * or that of the lane before or after it.  @straight: those links; @across: the
 * piece that the lane's own leads to. */
static __device__ __forceinline__ void
collect_corners (Pairs *p, uint32_t *n, uint32_t links, uint32_t straight,
    uint32_t own, uint32_t across, uint32_t corner, bool before)
{
  int lane = threadIdx.x % 32;
  uint32_t beside = before ? __shfl_up_sync (ALL_LANES, own, 1)
                           : __shfl_down_sync (ALL_LANES, own, 1);
  uint32_t beside_straight = before ? straight << 1 : straight >> 1;

  collect (p, n, links, own, corner,
      (straight >> lane & 1 && across == corner) ||
          (beside_straight >> lane & 1 && beside == own));
}

/* A lane a pixel of the tile's first row; returns how many pairs there are.
 * Nothing waits for the count of pieces before it reads: what is read lies
 * inside. */
static __device__ __forceinline__ uint32_t
look_up (const GpucclArgs &a, Pairs *p, int tile)
{
  int lane = threadIdx.x % 32, up = max (tile - a.p.tiles_x, 0);
  uint32_t count = a.p.counters->n_pieces, own = a.p.edges[tile].top[lane];
  uint32_t other = a.p.edges[up].bottom[lane], next, n = 0;
  GpucclSeams s = a.p.seams[tile];

  if (!s.used || count > a.p.max_pieces || !(s.up | s.up_left | s.up_right))
    return 0;
  collect (p, &n, s.up, own, other, false);
  if (s.up_left) {
    next = __shfl_up_sync (ALL_LANES, other, 1);
    if (lane == 0)
      next = a.p.edges[max (up - 1, 0)].bottom[TILE - 1];
    collect_corners (p, &n, s.up_left, s.up, own, other, next, true);
  }
  if (s.up_right) {
    next = __shfl_down_sync (ALL_LANES, other, 1);
    if (lane == TILE - 1)
      next = a.p.edges[up + 1].bottom[0];
    collect_corners (p, &n, s.up_right, s.up, own, other, next, false);
  }
  return n;
}

/* A lane a pixel of the tile's first column. */
static __device__ __forceinline__ uint32_t
look_left (const GpucclArgs &a, Pairs *p, int tile)
{
  int lane = threadIdx.x % 32;
  uint32_t count = a.p.counters->n_pieces, own = a.p.edges[tile].left[lane];
  uint32_t other = a.p.edges[max (tile - 1, 0)].right[lane], next, n = 0;
  GpucclSeams s = a.p.seams[tile];

  if (!s.used || count > a.p.max_pieces || !(s.left | s.left_up | s.left_down))
    return 0;
  collect (p, &n, s.left, own, other, false);
  if (s.left_up) {
    next = __shfl_up_sync (ALL_LANES, other, 1);
    collect_corners (p, &n, s.left_up, s.left, own, other, next, true);
  }
  if (s.left_down) {
    next = __shfl_down_sync (ALL_LANES, other, 1);
    collect_corners (p, &n, s.left_down, s.left, own, other, next, false);
  }
  return n;
}

/* Two warps a tile: one for either edge.  If there is nothing above or on the
 * left, any tile is read, and not used. */
static __global__ void
__launch_bounds__ (THREADS) seams_kernel (const __grid_constant__ GpucclArgs a)
{
  __shared__ Pairs pairs[WARPS];
  Pairs *p = &pairs[threadIdx.x / 32];
  int i = blockIdx.x * WARPS + threadIdx.x / 32, tile = i / 2;
  uint32_t n;

  allow_next ();
  await_previous ();
  if (tile >= a.p.tiles_x * a.p.tiles_y)
    return;
  n = i % 2 ? look_left (a, p, tile) : look_up (a, p, tile);
  __syncwarp ();
  for (uint32_t k = threadIdx.x % 32; k < n; k += 32)
    unite_pieces (a, p->of[k].x, p->of[k].y);
}

/* ---- Gathering ---- */

/* The sum of the lanes' pieces.  Each is of one tile: 32 bits hold all. */
static __device__ __forceinline__ GpucclSum
warp_add_up (const GpucclSum &s)
{
  GpucclSum t;

  t.label = ~warp_max_u (~s.label);
  t.area = warp_sum (s.area);
  t.x = warp_sum ((uint32_t) s.x);
  t.y = warp_sum ((uint32_t) s.y);
  t.z = warp_sum ((uint32_t) s.z);
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

/* What the block adds to one root, the first that a crowd of it met: all pieces
 * of a large component would queue up at one address. */
struct Crowd {
  uint32_t root;
  GpucclSum sum;
};

/* Adds @s, the sum of a warp's crowd, to root @to. */
static __device__ __forceinline__ void
add_crowd (const GpucclArgs &a, Crowd *c, uint32_t to, const GpucclSum &s)
{
  uint32_t root = atomicCAS (&c->root, NOBODY, to);

  if (root == NOBODY || root == to)
    gpuccl_add_sum (&c->sum, s);
  else
    gpuccl_add_sum (&a.p.pieces[to], s);
}

/* Adds each lane's piece @s, where it has one, to its root, which is another:
 * one by one, or the warp's first. */
static __device__ __forceinline__ void
gather (
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
    GpucclSum sum = warp_add_up (member ? s : gpuccl_sum_nothing ());

    if ((int) (threadIdx.x % 32) == first)
      add_crowd (a, c, to, sum);
    left &= ~members;
  }
}

/* The root of piece @i, whose parent is @p; it is left as its parent on the way
 * already: all climb at once, and find the shorter way that others left.  Roots
 * stay roots here, so that old parents will do. */
static __device__ __forceinline__ uint32_t
hang_at_root (uint32_t *parents, uint32_t i, uint32_t p)
{
  uint32_t next;

  while ((next = union_old_parent (parents, p)) != p)
    parents[i] = p = next;
  return p;
}

/* A lane a piece; afterwards its parent is its root.  Its sum is on its way
 * while it climbs. */
static __global__ void
__launch_bounds__ (THREADS) gather_kernel (const __grid_constant__ GpucclArgs a)
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
  first = first_piece (a.p, n);
  if (n > a.p.max_pieces || blockIdx.x * (first.few ? 32 : THREADS) >= n)
    return;
  i = first.i, p = first.parent;
  while (__any_sync (ALL_LANES, i < n)) {
    bool have = i < n && p != i;
    GpucclSum s = have ? a.p.pieces[i] : gpuccl_sum_nothing ();

    gather (a, &crowd, have, s, have ? hang_at_root (a.p.parents, i, p) : 0);
    i += gridDim.x * THREADS;
    if (i < n)
      p = union_parent (a.p.parents, i);
  }
  __syncthreads ();
  if (threadIdx.x == 0 && crowd.root != NOBODY)
    gpuccl_add_sum (&a.p.pieces[crowd.root], crowd.sum);
}

const GpucclKernel gpuccl_seams_kernel = seams_kernel;
const GpucclKernel gpuccl_gather_kernel = gather_kernel;
