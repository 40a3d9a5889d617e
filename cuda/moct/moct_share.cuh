/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How blocks share the words of colours with many fragments.  The owner, the
 * block of such a colour, announces it.  Helpers, blocks without a colour of
 * their own, wait until a colour is announced or all colours are counted.  Help
 * is optional: the owner works, too, and in the end waits only for words that
 * others have begun. */
#pragma once

#include "moct/moct_cuda.cuh"

#define PATIENCE 10000 /* polls, each shorter than a microsecond */

static __device__ __forceinline__ uint32_t
volatile_value (const uint32_t *value)
{
  return *(const volatile uint32_t *) value;
}

/* One thread reports that the block's colour is counted, and is not large. */
static __device__ __forceinline__ void
announce_small_colour (const MoctWork &w)
{
  atomicAdd (&w.share->n_counted, 1u);
}

/* One thread announces a large colour, whose fragments begin at @from, when the
 * block has written the data that helpers read.  @own is used if all places for
 * announcements are taken. */
static __device__ __forceinline__ MoctLarge *
announce_large_colour (
    const MoctWork &w, uint32_t cls, uint32_t from, MoctLarge *own)
{
  unsigned place = atomicAdd (&w.share->n_large, 1u);
  MoctLarge *large = own;

  if (place < MOCT_MAX_LARGE) {
    large = &w.share->large[place];
    large->from = from;
    __threadfence ();
    atomicExch (&large->cls, cls);
  }
  __threadfence ();
  announce_small_colour (w);
  return large;
}

/* One thread waits for the large colour in place @at.  Returns its class; 0: no
 * colour will be announced there. */
static __device__ __forceinline__ uint32_t
await_large_colour (const MoctWork &w, int at)
{
  for (int poll = 0; at < MOCT_MAX_LARGE && poll < PATIENCE; poll++) {
    bool all = volatile_value (&w.share->n_counted) == (uint32_t) w.n_colours;

    __threadfence ();
    uint32_t cls = volatile_value (&w.share->large[at].cls);

    if (cls || all) {
      __threadfence ();
      return cls;
    }
  }
  return 0;
}

/* One thread of the owner waits until all words are finished. */
static __device__ __forceinline__ void
await_words_done (const MoctWork &w, const MoctLarge *large)
{
  while (volatile_value (&large->done) < (uint32_t) moct_n_words (&w))
    ;
  __threadfence ();
}

/* One block clears what the kernel left in MoctShare in the previous frame. */
static __device__ __forceinline__ void
clear_share (const MoctWork &w)
{
  unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  unsigned i =
      (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;

  if (blockIdx.x + blockIdx.y == 0)
    for (; i < sizeof *w.share / 4; i += threads)
      ((uint32_t *) w.share)[i] = 0;
}
