/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The other kernels of the fused method: fragments that hang together are
 * joined, their sums are gathered at their roots, and the blobs reported. */
#include "moct/moct_report.cuh"

#define ALL_LANES 0xffffffffu
#define THREADS 256

/* Lock-free union after Rem (Dijkstra, A Discipline of Programming, 1976): both
 * ways up are climbed together, the greater parent's side each time, which is
 * hung lower on the way. */
static __device__ __forceinline__ void
unite (uint32_t *parents, uint32_t i, uint32_t j)
{
  for (;;) {
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

static __device__ void
join (const MoctWork &w, MoctCursor a, int other)
{
  ImageBox box = moct_cursor_box (&w, a);

  for (MoctCursor b = moct_first (&w, other); b.cls; b = moct_next (&w, b))
    if (a.cls == b.cls &&
        moct_boxes_near (box, moct_cursor_box (&w, b), w.merge_distance))
      unite (w.parents, (uint32_t) a.at, (uint32_t) b.at);
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

  for (MoctCursor a = moct_first (&w, tile); a.cls; a = moct_next (&w, a)) {
    if (k == 0)
      moct_sum_clear (&w.sums[a.at]);
    if (other >= 0)
      join (w, a, other);
  }
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
 * roots. */
static __device__ __forceinline__ void
gather (const MoctWork &w, MoctCursor c, int warp_tx, int warp_ty)
{
  int lane = threadIdx.x % 32;
  NearSum none = {0, 0, 0, 0, 0, 0, 255, 255, 0, 0}, mine = none;
  uint32_t to = 0;

  if (c.cls) {
    MoctFragment f = w.fragments[c.at];

    to = root (w.parents, (uint32_t) c.at);
    mine = near_sum (
        f, lane % WARP_TILES_X * MOCT_TILE, lane / WARP_TILES_X * MOCT_TILE);
    if (to == (uint32_t) c.at)
      w.list[atomicAdd (&w.counters[MOCT_ROOTS], 1u)] = to;
  }
  for (uint32_t left = __ballot_sync (ALL_LANES, c.cls != 0); left;) {
    uint32_t first = __shfl_sync (ALL_LANES, to, __ffs ((int) left) - 1);
    bool member = c.cls && to == first;
    NearSum sum = add_up (member ? mine : none);

    moct_sum_add_lane (&w.sums[first],
        far_sum (sum, (unsigned) warp_tx * MOCT_TILE,
            (unsigned) warp_ty * MOCT_TILE),
        lane);
    left &= ~__ballot_sync (ALL_LANES, member);
  }
}

/* The class of a fragment. */
static __device__ __forceinline__ int
class_of (const MoctWork &w, uint32_t at)
{
  int k = (int) at - moct_n_slots (&w);

  return k < 0 ? w.tiles[at / MOCT_SLOTS].cls[at % MOCT_SLOTS]
               : (int) w.overflow[k].cls;
}

/* The last block's: reports the roots. */
static __device__ __noinline__ void
report_roots (const MoctWork &w)
{
  __shared__ MoctReport report;
  unsigned n = __ldcg (&w.counters[MOCT_ROOTS]);

  moct_report_begin (&report);
  for (unsigned from = 0; from < n; from += THREADS) {
    unsigned i = from + threadIdx.x;
    MoctSum sum;
    int cls = 0;

    moct_sum_clear (&sum);
    if (i < n) {
      uint32_t at = __ldcg (&w.list[i]);

      cls = class_of (w, at);
      sum = moct_sum_load (&w.sums[at]);
    }
    moct_report_step (w, &report, i < n, sum, cls);
  }
  moct_report_end (w, &report);
  if (threadIdx.x == 0)
    w.counters[MOCT_ROOTS] = 0;
}

/* One lane a tile; its fragments one after the other. */
__global__ void
moct_gather_kernel (const __grid_constant__ MoctWork w)
{
  int warps_x = ceil_div (w.tiles_x, WARP_TILES_X);
  int warp = blockIdx.x * (THREADS / 32) + threadIdx.x / 32;
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
  if (moct_is_last_block (w))
    report_roots (w);
}

int
moct_join_blocks (const MoctWork *w)
{
  return ceil_div (w->tiles_x * w->tiles_y * moct_n_neighbours (w), THREADS);
}

int
moct_gather_blocks (const MoctWork *w)
{
  return ceil_div (
      ceil_div (w->tiles_x, WARP_TILES_X) * ceil_div (w->tiles_y, WARP_TILES_Y),
      THREADS / 32);
}
