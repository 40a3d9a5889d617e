/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Last kernel of the fused method: a block for each colour joins the fragments
 * that are near each other, sums them and reports the blobs.
 *
 * A colour of at most PARTS fragments has a thread for each fragment; its data
 * is in shared memory, where a step takes a fraction of the time.  A large
 * colour, of more fragments, has a warp for each word of tiles, also warps of
 * blocks without a colour.  Shared memory holds its runs alone, if they are at
 * most RUNS; the rest is in memory that the blocks divide among them. */
#include "moct/moct_add.cuh"
#include "moct/moct_join.cuh"
#include "moct/moct_large.cuh"
#include "moct/moct_report.cuh"
#include "moct/moct_share.cuh"

#define WORDS 1152 /* number of words of a frame of 4096 x 2304 */
#define PARTS 2048
#define BLOBS 96
#define RUNS 4096

/* The block's data in shared memory. */
struct Shared {
  uint32_t bits[WORDS], before[WORDS];
  union {
    struct {
      MoctPart parts[PARTS];
      uint32_t parents[PARTS];
      MoctSum sums[BLOBS];
    };
    struct {
      uint32_t wide[WORDS], linked[WORDS];
      uint32_t run_parents[RUNS];
    };
  };
  unsigned n, n_blobs, n_runs, n_wanted, from, place;
  MoctLarge own, *large;
  uint32_t cls; /* class of the colour that a helper works on */
};

static __device__ __forceinline__ void
prepare_blobs (Shared *s)
{
  if (threadIdx.x == 0)
    s->n = s->n_blobs = s->n_wanted = 0, s->own = {};
  for (unsigned b = threadIdx.x; b < BLOBS; b += blockDim.x)
    moct_sum_clear (&s->sums[b]);
  __syncthreads ();
}

/* The sum over a warp of numbers below 2^50. */
static __device__ __forceinline__ unsigned long long
warp_sum_wide (unsigned long long v)
{
  return warp_sum ((uint32_t) v & 0xffffff) +
      ((unsigned long long) warp_sum ((uint32_t) (v >> 24)) << 24);
}

/* The sum of @s over the lanes of the warp with @among, each of which has a
 * fragment or, OF_RUNS, a run. */
template <bool OF_RUNS>
static __device__ __forceinline__ MoctSum
sum_lanes (const MoctSum &s, bool among)
{
  MoctSum sum;

  sum.n = warp_sum (among ? (uint32_t) s.n : 0);
  sum.x = OF_RUNS ? warp_sum_wide (among ? s.x : 0)
                  : warp_sum (among ? (uint32_t) s.x : 0);
  sum.y = OF_RUNS ? warp_sum_wide (among ? s.y : 0)
                  : warp_sum (among ? (uint32_t) s.y : 0);
  sum.xx = warp_sum_wide (among ? s.xx : 0);
  sum.xy = warp_sum_wide (among ? s.xy : 0);
  sum.yy = warp_sum_wide (among ? s.yy : 0);
  sum.box.x0 = warp_min (among ? s.box.x0 : INT32_MAX);
  sum.box.y0 = warp_min (among ? s.box.y0 : INT32_MAX);
  sum.box.x1 = -warp_min (among ? -s.box.x1 : INT32_MAX);
  sum.box.y1 = -warp_min (among ? -s.box.y1 : INT32_MAX);
  return sum;
}

/* Adds each lane's sum @mine to its blob @to, if @have.  Lanes with the same
 * blob reduce first; a lane whose blob no other lane has adds its sum
 * itself. */
template <bool OF_RUNS>
static __device__ __forceinline__ void
add_to_blobs (const Colour &c, bool have, uint32_t to, const MoctSum &mine)
{
  bool alone = __popc (__match_any_sync (ALL_LANES, to)) == 1;

  if (have && alone)
    for (int part = 0; part < 10; part++)
      moct_sum_add_lane (&c.sums[to], mine, part);
  for (uint32_t left = __ballot_sync (ALL_LANES, have && !alone); left;) {
    uint32_t first = __shfl_sync (ALL_LANES, to, __ffs ((int) left) - 1);
    bool among = have && to == first;

    moct_sum_add_lane (&c.sums[first], sum_lanes<OF_RUNS> (mine, among),
        (int) threadIdx.x % 32);
    left &= ~__ballot_sync (ALL_LANES, among);
  }
}

/* Reports the blobs whose area is wanted.  c.sums holds the sums of blobs, or
 * OF_RUNS those of runs, of which a root's is its blob's.  The wanted blobs are
 * listed first, in memory that is no longer used, because writing host memory
 * is fast in long pieces only. */
template <bool OF_RUNS>
static __device__ __forceinline__ void
report_blobs (const MoctWork &w, const Colour &c, Shared *s)
{
  uint32_t *list = OF_RUNS ? (uint32_t *) c.parts : c.parents;
  unsigned n = OF_RUNS ? s->n_runs : c.n_blobs;

  for (unsigned b = threadIdx.x; b < n; b += blockDim.x)
    if ((!OF_RUNS || c.parents[b] == b) &&
        is_area_wanted (w, *(const volatile unsigned long long *) &c.sums[b].n))
      list[atomicAdd (&s->n_wanted, 1u)] = b;
  __syncthreads ();
  if (threadIdx.x == 0)
    s->place = take_report_places (w, s->n_wanted, (unsigned) w.n_colours);
  __syncthreads ();

  unsigned long long *to = (unsigned long long *) &w.result->blobs[s->place];

  for (unsigned i = threadIdx.x; i < 9 * s->n_wanted; i += blockDim.x)
    to[i] = i % 9 == 8
        ? c.cls
        : ((const volatile unsigned long long *) &c.sums[list[i / 9]])[i % 9];
}

/* Takes room for @n items in the memory that the blocks divide among them.
 * Returns the first index. */
static __device__ __forceinline__ unsigned
take_shared_room (const MoctWork &w, unsigned n, Shared *s)
{
  if (threadIdx.x == 0)
    s->from = atomicAdd (&w.counters[MOCT_USED], n);
  __syncthreads ();
  return s->from;
}

/* ---- Finding blobs ---- */

/* Adds the colour's fragments to its blobs.  @f: this thread's fragment, if
 * each thread has at most one fragment. */
static __device__ __forceinline__ void
add_fragments_to_blobs (const MoctWork &w, const Colour &c, MoctFragment f)
{
  for (unsigned i = threadIdx.x; i / 32 * 32 < c.n; i += blockDim.x) {
    bool have = i < c.n;
    uint32_t to = ALL_LANES;
    MoctSum mine = {};

    if (have) {
      uint32_t tile = c.parts[i].tile;
      uint32_t at = i;

      if (c.n > blockDim.x)
        f = fragment_in (w, c, tile);
      mine = moct_fragment_sum (&f, tile_column (tile), tile_row (tile));
      while (c.parents[at] != at)
        at = c.parents[at];
      to = c.parts[at].extent;
    }
    add_to_blobs<false> (c, have, to, mine);
  }
}

/* Numbers the roots, one for each blob, and takes room for the blobs' sums. */
static __device__ __forceinline__ void
number_blobs (const MoctWork &w, Colour *c, Shared *s)
{
  for (unsigned i = threadIdx.x; i < c->n; i += blockDim.x)
    if (c->parents[i] == i)
      c->parts[i].extent = atomicAdd (&s->n_blobs, 1u);
  __syncthreads ();
  c->n_blobs = s->n_blobs;
  if (c->n_blobs <= BLOBS)
    return;
  c->sums = w.sums + take_shared_room (w, c->n_blobs, s);
  for (unsigned b = threadIdx.x; b < c->n_blobs; b += blockDim.x)
    moct_sum_clear (&c->sums[b]);
  __syncthreads ();
}

/* Joins the counted fragments, sums the blobs and reports them. */
static __device__ __forceinline__ void
find_blobs (const MoctWork &w, Colour c, Shared *s)
{
  MoctFragment f = {};

  list_fragments (w, c);
  __syncthreads ();
  for (unsigned i = threadIdx.x; i < c.n; i += blockDim.x) {
    f = fragment_in (w, c, c.parts[i].tile);
    c.parts[i].extent = f.extent;
  }
  __syncthreads ();
  join_row_neighbours (w, c);
  __syncthreads ();
  for (unsigned i = threadIdx.x; i < c.n; i += blockDim.x)
    join_near_fragments<false> (
        w, c, i, tile_column (c.parts[i].tile), tile_row (c.parts[i].tile));
  __syncthreads ();
  number_blobs (w, &c, s);
  add_fragments_to_blobs (w, c, f);
  __syncthreads ();
  report_blobs<false> (w, c, s);
}

/* Adds the sum of each run to the root of its blob. */
static __device__ __forceinline__ void
add_runs_to_blobs (const Colour &c, unsigned n_runs)
{
  for (unsigned i = threadIdx.x; i / 32 * 32 < n_runs; i += blockDim.x) {
    uint32_t to = ALL_LANES;
    bool have = false;
    MoctSum mine = {};

    if (i < n_runs) {
      to = hang_run_at_root (c.parents, i);
      have = to != i;
      mine = c.sums[i];
    }
    add_to_blobs<true> (c, have, to, mine);
  }
}

/* The large colour @cls, whose fragments begin at @from, in memory that all
 * blocks see. */
static __device__ __forceinline__ Colour
large_colour_at (const MoctWork &w, uint32_t cls, uint32_t from)
{
  size_t first = (size_t) (cls - 1) * moct_n_words (&w);

  return {cls, 0, 0, w.bits + first, w.before + 3 * first, w.parts + from,
      w.parents + from, w.sums + from};
}

/* Moves data that is often read to shared memory, if there is room. */
static __device__ __forceinline__ void
fetch_runs (const MoctWork &w, Colour *c, Masks *masks, Shared *s)
{
  int words = moct_n_words (&w);

  if (s->n_runs <= RUNS)
    c->parents = s->run_parents;
  for (unsigned i = threadIdx.x; i < s->n_runs; i += blockDim.x)
    c->parents[i] = i;
  if (words > WORDS)
    return;
  for (int k = threadIdx.x; k < words; k += blockDim.x)
    s->wide[k] = masks->wide[k], s->linked[k] = masks->linked[k];
  *masks = {s->wide, s->linked};
  c->bits = s->bits;
  c->before = s->before;
}

/* Moves the data that helpers read to memory that they see, and announces the
 * colour. */
static __device__ __forceinline__ void
begin_large_colour (const MoctWork &w, uint32_t cls, Shared *s)
{
  unsigned from = take_shared_room (w, s->n, s);
  Colour c = large_colour_at (w, cls, from);

  if (moct_n_words (&w) <= WORDS)
    for (int k = threadIdx.x; k < moct_n_words (&w); k += blockDim.x)
      c.before[k] = s->before[k];
  __syncthreads ();
  if (threadIdx.x == 0) {
    s->cls = cls;
    s->large = announce_large_colour (w, cls, from, &s->own);
  }
  __syncthreads ();
}

/* Waits for large colour number @at.  Returns whether it is announced. */
static __device__ __forceinline__ bool
next_large_colour (const MoctWork &w, int at, Shared *s)
{
  if (threadIdx.x == 0) {
    s->cls = await_large_colour (w, at);
    s->large = &w.share->large[at];
    s->from = s->cls ? volatile_value (&s->large->from) : 0;
  }
  __syncthreads ();
  return s->cls;
}

/* Joins the runs of a large colour, sums its blobs and reports them, as
 * find_blobs () does; the runs may still be in the making. */
static __device__ __forceinline__ void
find_large_blobs (const MoctWork &w, Colour c, Masks masks, Shared *s)
{
  uint32_t *bits = c.bits;

  if (threadIdx.x == 0) {
    await_words_done (w, s->large);
    s->n_runs = volatile_value (&s->large->n_runs);
  }
  __syncthreads ();
  fetch_runs (w, &c, &masks, s);
  __syncthreads ();
  join_neighbour_words (w, c, masks);
  __syncthreads ();
  join_runs_above (w, c, masks);
  __syncthreads ();
  clear_colour_bits (w, bits);
  add_runs_to_blobs (c, s->n_runs);
  __syncthreads ();
  report_blobs<true> (w, c, s);
}

/* The first blocks have a colour each, the other blocks help. */
static __global__ void __launch_bounds__ (1024)
    blobs_kernel (const __grid_constant__ MoctWork w)
{
  __shared__ __align__ (16) Shared s;
  bool helps = blockIdx.x >= w.n_colours, near = moct_n_words (&w) <= WORDS;
  Colour c = large_colour_at (w, blockIdx.x + 1, 0);

  prepare_blobs (&s);
  await_previous ();
  if (!helps) {
    if (near)
      count_fragments (w, c.bits, s.bits, s.before, &s.n);
    else
      count_fragments (w, c.bits, c.bits, c.before, &s.n);
    __syncthreads ();
    if (near && s.n <= PARTS) {
      if (threadIdx.x == 0)
        announce_small_colour (w);
      clear_colour_bits (w, c.bits);
      find_blobs (
          w, {c.cls, s.n, 0, s.bits, s.before, s.parts, s.parents, s.sums}, &s);
      return;
    }
    begin_large_colour (w, c.cls, &s);
  }
  for (int at = 0; !helps || next_large_colour (w, at, &s); at++) {
    c = large_colour_at (w, s.cls, s.from);

    Masks masks = {
        c.before + moct_n_words (&w), c.before + 2 * moct_n_words (&w)};

    make_large_runs (w, c, masks, s.large);
    if (!helps) {
      find_large_blobs (w, c, masks, &s);
      return;
    }
    __syncthreads ();
  }
}

/* The node of the blobs' kernel.  For many colours, blocks are small, so that
 * all run at once.  One multiprocessor in eight gets a block to help. */
cudaKernelNodeParams
moct_blobs_node (const MoctWork *w, void **args)
{
  int device, processors = 0;

  if (cudaGetDevice (&device) == cudaSuccess)
    cudaDeviceGetAttribute (
        &processors, cudaDevAttrMultiProcessorCount, device);
  return moct_node (blobs_kernel, w->n_colours + processors / 8,
      w->n_colours > 128 ? 256 : 1024, args);
}
