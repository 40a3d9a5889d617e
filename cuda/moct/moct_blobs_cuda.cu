/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Second kernel of the fused method: fragments that hang together become
 * blobs.
 *
 * One block does it all.  A frame has a few thousand fragments at most, and
 * what costs time is the latency of step after step, not their number: in one
 * block the union-find lies in shared memory and a step ends with a barrier
 * rather than with a kernel. */
#include "moct/moct_report.cuh"

#define ALL_LANES 0xffffffffu
#define THREADS 1024
#define MAX_SHARED 8192 /* fragments whose parents fit in shared memory */

struct Shared {
  uint32_t parents[MAX_SHARED];
  unsigned n_slots; /* fragments in slots of tiles; the overflow comes behind */
  MoctReport report;
};

/* Numbers the fragments of all tiles: list[i] is where number i is,
 * first[tile] the number of the tile's first. */
static __device__ void
number (const MoctWork &w, Shared *s)
{
  int tiles = w.tiles_x * w.tiles_y, lane = threadIdx.x % 32;

  for (int from = 0; from < tiles; from += 4 * THREADS) {
    int tile = from + 4 * (int) threadIdx.x;
    uint32_t counts =
        tile < tiles ? ((const uint32_t *) w.counts)[tile / 4] : 0;
    unsigned mine = (counts * 0x01010101u) >> 24, before = mine, base = 0;

    if (!__any_sync (ALL_LANES, counts != 0))
      continue;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      unsigned other = __shfl_up_sync (ALL_LANES, before, step);

      before += lane >= step ? other : 0;
    }
    if (lane == 31)
      base = atomicAdd (&s->n_slots, before);
    base = __shfl_sync (ALL_LANES, base, 31) + before - mine;
    for (int i = 0; i < 4; i++, counts >>= 8) {
      if (counts & 0xff)
        w.first[tile + i] = base;
      for (unsigned k = 0; k < (counts & 0xff); k++)
        w.list[base++] = (uint32_t) ((tile + i) * MOCT_SLOTS) + k;
    }
  }
}

/* The number of a fragment. */
static __device__ __forceinline__ uint32_t
number_of (const MoctWork &w, const Shared *s, MoctCursor c)
{
  int k = c.at - moct_n_slots (&w);

  return k >= 0 ? s->n_slots + k
                : w.first[c.tile] + (c.at - c.tile * MOCT_SLOTS);
}

static __device__ __forceinline__ MoctCursor
fragment (const MoctWork &w, const Shared *s, unsigned i)
{
  MoctCursor c = {0, 0, 0};

  if (i < s->n_slots) {
    c.at = (int) w.list[i];
    c.tile = c.at / MOCT_SLOTS;
    c.cls = w.tiles[c.tile].cls[c.at % MOCT_SLOTS];
    return c;
  }
  return moct_at_overflow (
      &w, (int) w.overflow[i - s->n_slots].tile, (int) (i - s->n_slots));
}

/* Halves the way to the root for those who come after. */
static __device__ __forceinline__ uint32_t
root (volatile uint32_t *parents, uint32_t i)
{
  uint32_t parent, next;

  while ((parent = parents[i]) != i) {
    next = parents[parent];
    if (next != parent)
      parents[i] = next;
    i = next;
  }
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
    uint32_t high = max (i, j), low = min (i, j);
    uint32_t before = atomicMin (&parents[high], low);

    if (before == high)
      return;
    i = before;
    j = low;
  }
}

static __device__ void
join (const MoctWork &w, const Shared *s, uint32_t *parents, unsigned i)
{
  MoctCursor a = fragment (w, s, i);
  ImageBox box = moct_cursor_box (&w, a);

  for (int k = 0; k < moct_n_neighbours (&w); k++) {
    int other = moct_neighbour (&w, a.tile, k);

    if (other < 0 || !w.counts[other])
      continue;
    for (MoctCursor b = moct_first (&w, other); b.cls; b = moct_next (&w, b))
      if (a.cls == b.cls &&
          moct_boxes_near (box, moct_cursor_box (&w, b), w.merge_distance))
        unite (parents, i, number_of (w, s, b));
  }
}

/* Adds @sum of the lanes that say @mine to @to: first within the warp, so that
 * a large object does not queue up at one address. */
static __device__ void
add_group (MoctSum sum, bool mine, MoctSum *to)
{
  MoctSum s;

  moct_sum_clear (&s);
  if (mine)
    s = sum;
#pragma unroll
  for (int step = 16; step; step /= 2) {
    MoctSum other;

    other.n = __shfl_xor_sync (ALL_LANES, s.n, step);
    other.x = __shfl_xor_sync (ALL_LANES, s.x, step);
    other.y = __shfl_xor_sync (ALL_LANES, s.y, step);
    other.xx = __shfl_xor_sync (ALL_LANES, s.xx, step);
    other.xy = __shfl_xor_sync (ALL_LANES, s.xy, step);
    other.yy = __shfl_xor_sync (ALL_LANES, s.yy, step);
    other.box.x0 = __shfl_xor_sync (ALL_LANES, s.box.x0, step);
    other.box.y0 = __shfl_xor_sync (ALL_LANES, s.box.y0, step);
    other.box.x1 = __shfl_xor_sync (ALL_LANES, s.box.x1, step);
    other.box.y1 = __shfl_xor_sync (ALL_LANES, s.box.y1, step);
    moct_sum_add (&s, &other);
  }
  moct_sum_add_lane (to, s, threadIdx.x % 32);
}

/* Adds fragments to their roots; @i is beyond @n in lanes that have none. */
static __device__ void
gather (const MoctWork &w, const Shared *s, uint32_t *parents, unsigned i,
    unsigned n)
{
  uint32_t to = 0;
  MoctSum sum;

  moct_sum_clear (&sum);
  if (i < n) {
    to = root (parents, i);
    sum = moct_cursor_sum (&w, fragment (w, s, i));
  }
  for (uint32_t left = __ballot_sync (ALL_LANES, i < n); left;) {
    uint32_t first = __shfl_sync (ALL_LANES, to, __ffs ((int) left) - 1);
    bool mine = i < n && to == first;

    add_group (sum, mine, &w.sums[first]);
    left &= ~__ballot_sync (ALL_LANES, mine);
  }
}

static __device__ void
report (const MoctWork &w, Shared *s, const uint32_t *parents, unsigned n)
{
  moct_report_begin (&s->report);
  for (unsigned from = 0; from < n; from += REPORT_BLOBS) {
    unsigned i = from + threadIdx.x;
    bool is_root = threadIdx.x < REPORT_BLOBS && i < n && parents[i] == i;
    MoctSum sum;

    if (!__syncthreads_or (is_root))
      continue;
    moct_sum_clear (&sum);
    if (is_root)
      sum = moct_sum_load (&w.sums[i]);
    moct_report_step (w, &s->report, is_root, sum,
        is_root ? (int) fragment (w, s, i).cls : 0);
  }
  moct_report_end (w, &s->report);
}

__global__ void
__launch_bounds__ (THREADS, 1)
    moct_blobs_kernel (const __grid_constant__ MoctWork w)
{
  extern __shared__ __align__ (16) uint8_t memory[];
  Shared *s = (Shared *) memory;
  unsigned n_overflow =
      min (w.counters[MOCT_OVERFLOW], (unsigned) w.max_overflow);

  if (threadIdx.x == 0)
    s->n_slots = 0;
  __syncthreads ();
  number (w, s);
  __syncthreads ();

  unsigned n = s->n_slots + n_overflow;
  uint32_t *parents = n <= MAX_SHARED ? s->parents : w.parents;

  for (unsigned i = threadIdx.x; i < n; i += THREADS) {
    parents[i] = i;
    moct_sum_clear (&w.sums[i]);
  }
  __syncthreads ();
  for (unsigned i = threadIdx.x; i < n; i += THREADS)
    join (w, s, parents, i);
  __syncthreads ();
  for (unsigned from = 0; from < n; from += THREADS)
    gather (w, s, parents, from + threadIdx.x, n);
  __threadfence ();
  __syncthreads ();
  report (w, s, parents, n);
}

size_t
moct_blobs_shared (void)
{
  return sizeof (Shared);
}

int
moct_blobs_threads (void)
{
  return THREADS;
}
