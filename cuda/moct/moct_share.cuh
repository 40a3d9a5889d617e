/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How blocks share the words of colours of many fragments.  The block of such a
 * colour, its owner, announces it; helpers, blocks without a colour, wait until
 * there is one or all are counted.  Help is optional: the owner works, too, and
 * waits in the end for no more than what others have begun. */
#pragma once

#include "moct/moct_cuda.cuh"

#define PATIENCE 10000 /* looks, of less than a microsecond each */

static __device__ __forceinline__ uint32_t
now (const uint32_t *value)
{
  return *(const volatile uint32_t *) value;
}

/* One thread says that the block's colour is counted, and is not large. */
static __device__ __forceinline__ void
announce_none (const MoctWork &w)
{
  atomicAdd (&w.share->n_counted, 1u);
}

/* One thread announces a large colour, whose fragments begin at @from, when the
 * block has written what helpers read.  @own: for what finds no place. */
static __device__ __forceinline__ MoctLarge *
announce (const MoctWork &w, uint32_t cls, uint32_t from, MoctLarge *own)
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
  announce_none (w);
  return large;
}

/* One thread waits for the large colour announced in place @at: its class, 0:
 * there is none. */
static __device__ __forceinline__ uint32_t
await_large (const MoctWork &w, int at)
{
  for (int look = 0; at < MOCT_MAX_LARGE && look < PATIENCE; look++) {
    bool all = now (&w.share->n_counted) == (uint32_t) w.n_colours;

    __threadfence ();
    uint32_t cls = now (&w.share->large[at].cls);

    if (cls || all) {
      __threadfence ();
      return cls;
    }
  }
  return 0;
}

/* One thread of the owner waits until all words are done. */
static __device__ __forceinline__ void
await_done (const MoctWork &w, const MoctLarge *large)
{
  while (now (&large->done) < (uint32_t) moct_n_words (&w))
    ;
  __threadfence ();
}

/* What the blobs' kernel of the frame before has left, by one block. */
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
