/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Second and third kernel of the fused method: fragments that hang together
 * are joined, and their sums gathered at their roots. */
#include "moct/moct_add.cuh"

#define ALL_LANES 0xffffffffu

/* Lock-free union.  Most fragments are still their own parents, so that one
 * exchange does it; else Rem's algorithm (Dijkstra, A Discipline of
 * Programming, 1976): both ways up are climbed together, the greater parent's
 * side each time, which is hung lower on the way. */
static __device__ __forceinline__ void
unite (uint32_t *parents, uint32_t i, uint32_t j)
{
  uint32_t high = max (i, j), low = min (i, j);
  uint32_t before = atomicCAS (&parents[high], high, low);

  if (before == high || before == low)
    return;
  for (i = before, j = low;;) {
    uint32_t p = __ldcg (&parents[i]), q = __ldcg (&parents[j]);

    if (p == q)
      return;
    if (p < q) {
      uint32_t t = p;

      p = q, q = t;
      t = i, i = j, j = t;
    }
    /* a root is linked, another one is moved nearer to the root */
    if (atomicCAS (&parents[i], p, q) == p && i == p)
      return;
    i = p;
  }
}

static __device__ __forceinline__ uint32_t
root (const uint32_t *parents, uint32_t i)
{
  uint32_t parent;

  while ((parent = __ldcg (&parents[i])) != i)
    i = parent;
  return i;
}

/* A tile's header in registers. */
struct Header {
  uint32_t cls[3];
  int32_t more;
};

static __device__ __forceinline__ Header
load_header (const MoctWork &w, int tile)
{
  uint4 v = *(const uint4 *) &w.tiles[tile];
  Header h = {{v.x, v.y, v.z}, (int32_t) v.w};

  return h;
}

static __device__ __forceinline__ uint32_t
class_in (const Header &h, int slot)
{
  uint32_t pair = slot < 2 ? h.cls[0] : slot < 4 ? h.cls[1] : h.cls[2];

  return pair >> 16 * (slot & 1) & 0xffff;
}

static __device__ __forceinline__ void
join_pair (const MoctWork &w, MoctCursor a, MoctCursor b)
{
  if (moct_boxes_near (
          moct_cursor_box (&w, a), moct_cursor_box (&w, b), w.merge_distance))
    unite (w.parents, (uint32_t) a.at, (uint32_t) b.at);
}

/* Two tiles of which one has more classes than slots. */
static __device__ __noinline__ void
join_crowded (const MoctWork &w, int tile, int other)
{
  for (MoctCursor a = moct_first (&w, tile); a.cls; a = moct_next (&w, a))
    for (MoctCursor b = moct_first (&w, other); b.cls; b = moct_next (&w, b))
      if (a.cls == b.cls)
        join_pair (w, a, b);
}

static __device__ __forceinline__ void
join (const MoctWork &w, int tile, const Header &h, int other, const Header &g)
{
  for (int i = 0; i < MOCT_SLOTS && class_in (h, i); i++)
    for (int k = 0; k < MOCT_SLOTS && class_in (g, k); k++)
      if (class_in (h, i) == class_in (g, k)) {
        MoctCursor a = {tile, tile * MOCT_SLOTS + i, class_in (h, i)};
        MoctCursor b = {other, other * MOCT_SLOTS + k, a.cls};

        join_pair (w, a, b);
      }
}

/* A thread for each neighbour of each tile. */
__global__ void
moct_join_kernel (const __grid_constant__ MoctWork w)
{
  int n = moct_n_neighbours (&w);
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int tile = thread / n, k = thread % n;

  if (tile >= w.tiles_x * w.tiles_y)
    return;

  int other = moct_neighbour (&w, tile, k);
  Header h = load_header (w, tile), g = load_header (w, max (other, 0));

  if (k == 0)
    for (MoctCursor c = moct_first (&w, tile); c.cls; c = moct_next (&w, c))
      moct_sum_clear (&w.sums[c.at]);
  if (other < 0)
    return;
  if (h.more < 0 && g.more < 0)
    join (w, tile, h, other, g);
  else
    join_crowded (w, tile, other);
}

/* A warp of the gather kernel has 8 x 4 tiles, so that a large object does not
 * queue up at one address: the fragments of a root are added in the warp. */
#define WARP_TILES_X 8
#define WARP_TILES_Y 4

/* Over the lanes of a warp; the box as bytes that grow with it. */
static __device__ __forceinline__ NearSum
add_up (NearSum s)
{
  uint32_t box = (uint32_t) (255 - s.x0) | (uint32_t) (255 - s.y0) << 8 |
      (uint32_t) s.x1 << 16 | (uint32_t) s.y1 << 24;

#pragma unroll
  for (int step = 16; step; step /= 2) {
    s.n += __shfl_xor_sync (ALL_LANES, s.n, step);
    s.x += __shfl_xor_sync (ALL_LANES, s.x, step);
    s.y += __shfl_xor_sync (ALL_LANES, s.y, step);
    s.xx += __shfl_xor_sync (ALL_LANES, s.xx, step);
    s.xy += __shfl_xor_sync (ALL_LANES, s.xy, step);
    s.yy += __shfl_xor_sync (ALL_LANES, s.yy, step);
    box = __vmaxu4 (box, __shfl_xor_sync (ALL_LANES, box, step));
  }
  s.x0 = 255 - (int) (box & 255), s.y0 = 255 - (int) (box >> 8 & 255);
  s.x1 = (int) (box >> 16 & 255), s.y1 = (int) (box >> 24);
  return s;
}

/* Adds the fragments of all lanes, where they have one (c.cls), to their
 * roots: one that is alone of its root by its lane, others together. */
static __device__ __forceinline__ void
gather (const MoctWork &w, MoctCursor c, int warp_tx, int warp_ty)
{
  unsigned X = (unsigned) warp_tx * MOCT_TILE,
           Y = (unsigned) warp_ty * MOCT_TILE;
  int lane = threadIdx.x % 32;
  NearSum none = {0, 0, 0, 0, 0, 0, 255, 255, 0, 0}, mine = none;
  uint32_t to = ALL_LANES;

  if (c.cls) {
    MoctFragment f = w.fragments[c.at];

    to = root (w.parents, (uint32_t) c.at);
    mine = near_sum (
        f, lane % WARP_TILES_X * MOCT_TILE, lane / WARP_TILES_X * MOCT_TILE);
  }

  bool is_root = c.cls && to == (uint32_t) c.at;
  uint32_t roots = __ballot_sync (ALL_LANES, is_root);

  if (roots) {
    uint32_t before = 0;

    if (lane == 0)
      before = atomicAdd (&w.counters[MOCT_ROOTS], (unsigned) __popc (roots));
    before = __shfl_sync (ALL_LANES, before, 0);
    if (is_root)
      w.list[before + __popc (roots & ((1u << lane) - 1))] = to;
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
}

/* One lane a tile; its fragments one after the other. */
__global__ void
moct_gather_kernel (const __grid_constant__ MoctWork w)
{
  int warps_x = ceil_div (w.tiles_x, WARP_TILES_X);
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int warp_tx = warp % warps_x * WARP_TILES_X;
  int warp_ty = warp / warps_x * WARP_TILES_Y;
  int tx = warp_tx + threadIdx.x % WARP_TILES_X;
  int ty = warp_ty + threadIdx.x % 32 / WARP_TILES_X;
  MoctCursor c = {0, 0, 0};

  if (tx < w.tiles_x && ty < w.tiles_y)
    c = moct_first (&w, ty * w.tiles_x + tx);
  while (__any_sync (ALL_LANES, c.cls != 0)) {
    gather (w, c, warp_tx, warp_ty);
    if (c.cls)
      c = moct_next (&w, c);
  }
}

cudaKernelNodeParams
moct_join_node (const MoctWork *w, void **args)
{
  int threads = w->tiles_x * w->tiles_y * moct_n_neighbours (w);

  return moct_node (moct_join_kernel, ceil_div (threads, 128), 128, args);
}

cudaKernelNodeParams
moct_gather_node (const MoctWork *w, void **args)
{
  int warps =
      ceil_div (w->tiles_x, WARP_TILES_X) * ceil_div (w->tiles_y, WARP_TILES_Y);

  return moct_node (moct_gather_kernel, ceil_div (warps, 2), 64, args);
}
