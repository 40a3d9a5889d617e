/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Last kernel of the fused method: a block for each colour joins the fragments
 * that hang together, adds them up and reports the blobs.
 *
 * A colour of no more than PARTS fragments has a thread for each; what it needs
 * is in shared memory, where a step takes a fraction of the time.  A large one,
 * of more, has a warp for each word of tiles, also of blocks that have no
 * colour.  Of it no more than runs are in shared memory, if there are at most
 * RUNS; the rest is in memory that the blocks share out. */
#include "moct/moct_add.cuh"
#include "moct/moct_join.cuh"
#include "moct/moct_large.cuh"
#include "moct/moct_report.cuh"
#include "moct/moct_share.cuh"

/* ---- A colour's fragments ---- */

/* What a block that finds blobs keeps, and how it adds them up and reports
 * them. */

#define WORDS 1152 /* as many as a frame of 4096 x 2304 has */
#define PARTS 2048
#define BLOBS 96
#define RUNS 4096

/* What the block keeps in shared memory. */
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
  uint32_t cls; /* of the colour that a helper works on */
};

static __device__ __forceinline__ void
prepare (Shared *s)
{
  if (threadIdx.x == 0)
    s->n = s->n_blobs = s->n_wanted = 0, s->own = {};
  for (unsigned b = threadIdx.x; b < BLOBS; b += blockDim.x)
    moct_sum_clear (&s->sums[b]);
  __syncthreads ();
}

/* Of numbers below 2^50. */
static __device__ __forceinline__ unsigned long long
warp_sum_wide (unsigned long long v)
{
  return warp_sum ((uint32_t) v & 0xffffff) +
      ((unsigned long long) warp_sum ((uint32_t) (v >> 24)) << 24);
}

/* The sum of @s over the lanes of the warp that are @among those to be added,
 * each with a fragment or, OF_RUNS, a run. */
template <bool OF_RUNS>
static __device__ __forceinline__ MoctSum
add_up (const MoctSum &s, bool among)
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

/* Adds @mine of each lane that has one to blob @to: one that is alone of its
 * blob by its lane, others together. */
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

    moct_sum_add_lane (
        &c.sums[first], add_up<OF_RUNS> (mine, among), (int) threadIdx.x % 32);
    left &= ~__ballot_sync (ALL_LANES, among);
  }
}

/* Reports the blobs of the areas wanted, of which there are sums, or sums at
 * their roots.  Those are listed first, where what is no longer needed was: the
 * host's memory is written in long pieces or slowly. */
template <bool OF_RUNS>
static __device__ __forceinline__ void
report (const MoctWork &w, const Colour &c, Shared *s)
{
  uint32_t *list = OF_RUNS ? (uint32_t *) c.parts : c.parents;
  unsigned n = OF_RUNS ? s->n_runs : c.n_blobs;

  for (unsigned b = threadIdx.x; b < n; b += blockDim.x)
    if ((!OF_RUNS || c.parents[b] == b) &&
        is_wanted (w, *(const volatile unsigned long long *) &c.sums[b].n))
      list[atomicAdd (&s->n_wanted, 1u)] = b;
  __syncthreads ();
  if (threadIdx.x == 0)
    s->place = take_places (w, s->n_wanted, (unsigned) w.n_colours);
  __syncthreads ();

  unsigned long long *to = (unsigned long long *) &w.result->blobs[s->place];

  for (unsigned i = threadIdx.x; i < 9 * s->n_wanted; i += blockDim.x)
    to[i] = i % 9 == 8
        ? c.cls
        : ((const volatile unsigned long long *) &c.sums[list[i / 9]])[i % 9];
}

/* Room for @n in the memory that the blocks share out: where it begins. */
static __device__ __forceinline__ unsigned
take_room (const MoctWork &w, unsigned n, Shared *s)
{
  if (threadIdx.x == 0)
    s->from = atomicAdd (&w.counters[MOCT_USED], n);
  __syncthreads ();
  return s->from;
}

/* ---- Kernel ---- */

/* @f: the fragment of this thread, where no thread has more than one. */
static __device__ __forceinline__ void
add_fragments (const MoctWork &w, const Colour &c, MoctFragment f)
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
      mine = moct_fragment_sum (&f, column (tile), row (tile));
      while (c.parents[at] != at)
        at = c.parents[at];
      to = c.parts[at].extent;
    }
    add_to_blobs<false> (c, have, to, mine);
  }
}

/* Numbers the roots, which are the blobs, and finds room for their sums. */
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
  c->sums = w.sums + take_room (w, c->n_blobs, s);
  for (unsigned b = threadIdx.x; b < c->n_blobs; b += blockDim.x)
    moct_sum_clear (&c->sums[b]);
  __syncthreads ();
}

/* What follows when the fragments are counted. */
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
  join_rows (w, c);
  __syncthreads ();
  for (unsigned i = threadIdx.x; i < c.n; i += blockDim.x)
    join<false> (w, c, i, column (c.parts[i].tile), row (c.parts[i].tile));
  __syncthreads ();
  number_blobs (w, &c, s);
  add_fragments (w, c, f);
  __syncthreads ();
  report<false> (w, c, s);
}

/* Adds each run to that which is the root of its blob. */
static __device__ __forceinline__ void
add_runs (const Colour &c, unsigned n_runs)
{
  for (unsigned i = threadIdx.x; i / 32 * 32 < n_runs; i += blockDim.x) {
    uint32_t to = ALL_LANES;
    bool have = false;
    MoctSum mine = {};

    if (i < n_runs) {
      to = hang_at_root (c.parents, i);
      have = to != i;
      mine = c.sums[i];
    }
    add_to_blobs<true> (c, have, to, mine);
  }
}

/* Colour @cls, whose fragments begin at @from, in memory that all blocks see.
 */
static __device__ __forceinline__ Colour
large_colour (const MoctWork &w, uint32_t cls, uint32_t from)
{
  size_t first = (size_t) (cls - 1) * moct_n_words (&w);

  return {cls, 0, 0, w.bits + first, w.before + 3 * first, w.parts + from,
      w.parents + from, w.sums + from};
}

/* Data that is read often goes to shared memory, if it has room. */
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

/* What helpers read goes to memory that they see, and the colour is
 * announced. */
static __device__ __forceinline__ void
begin_large (const MoctWork &w, uint32_t cls, Shared *s)
{
  unsigned from = take_room (w, s->n, s);
  Colour c = large_colour (w, cls, from);

  if (moct_n_words (&w) <= WORDS)
    for (int k = threadIdx.x; k < moct_n_words (&w); k += blockDim.x)
      c.before[k] = s->before[k];
  __syncthreads ();
  if (threadIdx.x == 0) {
    s->cls = cls;
    s->large = announce (w, cls, from, &s->own);
  }
  __syncthreads ();
}

/* Waits for the next large colour announced, number @at; whether there is
 * one. */
static __device__ __forceinline__ bool
next_large (const MoctWork &w, int at, Shared *s)
{
  if (threadIdx.x == 0) {
    s->cls = await_large (w, at);
    s->large = &w.share->large[at];
    s->from = s->cls ? now (&s->large->from) : 0;
  }
  __syncthreads ();
  return s->cls;
}

/* The same as find_blobs () for a large colour, when its runs are made or soon
 * will be. */
static __device__ __forceinline__ void
find_large_blobs (const MoctWork &w, Colour c, Masks masks, Shared *s)
{
  uint32_t *bits = c.bits;

  if (threadIdx.x == 0) {
    await_done (w, s->large);
    s->n_runs = now (&s->large->n_runs);
  }
  __syncthreads ();
  fetch_runs (w, &c, &masks, s);
  __syncthreads ();
  join_words (w, c, masks);
  __syncthreads ();
  join_runs (w, c, masks);
  __syncthreads ();
  clear_bits (w, bits);
  add_runs (c, s->n_runs);
  __syncthreads ();
  report<true> (w, c, s);
}

/* The first blocks have a colour each, the others help. */
static __global__ void __launch_bounds__ (1024)
    blobs_kernel (const __grid_constant__ MoctWork w)
{
  __shared__ __align__ (16) Shared s;
  bool helps = blockIdx.x >= w.n_colours, near = moct_n_words (&w) <= WORDS;
  Colour c = large_colour (w, blockIdx.x + 1, 0);

  prepare (&s);
  await_previous ();
  if (!helps) {
    if (near)
      count_fragments (w, c.bits, s.bits, s.before, &s.n);
    else
      count_fragments (w, c.bits, c.bits, c.before, &s.n);
    __syncthreads ();
    if (near && s.n <= PARTS) {
      if (threadIdx.x == 0)
        announce_none (w);
      clear_bits (w, c.bits);
      find_blobs (
          w, {c.cls, s.n, 0, s.bits, s.before, s.parts, s.parents, s.sums}, &s);
      return;
    }
    begin_large (w, c.cls, &s);
  }
  for (int at = 0; !helps || next_large (w, at, &s); at++) {
    c = large_colour (w, s.cls, s.from);

    Masks masks = {
        c.before + moct_n_words (&w), c.before + 2 * moct_n_words (&w)};

    make_runs (w, c, masks, s.large);
    if (!helps) {
      find_large_blobs (w, c, masks, &s);
      return;
    }
    __syncthreads ();
  }
}

/* Blocks for many colours are small, so that all are under way at once.  One in
 * eight multiprocessors gets a block to help. */
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
