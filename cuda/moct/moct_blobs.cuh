/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a block that finds blobs keeps, and how it adds them up and reports
 * them. */
#pragma once

#include "moct/moct_add.cuh"
#include "moct/moct_join.cuh"
#include "moct/moct_report.cuh"

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
  sum.box.x0 = warp_least (among ? s.box.x0 : INT32_MAX);
  sum.box.y0 = warp_least (among ? s.box.y0 : INT32_MAX);
  sum.box.x1 = -warp_least (among ? -s.box.x1 : INT32_MAX);
  sum.box.y1 = -warp_least (among ? -s.box.y1 : INT32_MAX);
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
