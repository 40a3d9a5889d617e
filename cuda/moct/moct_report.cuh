/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How the blocks of the last kernel report to the host. */
#pragma once

#include "moct/moct_cuda.cuh"

static __device__ __forceinline__ bool
is_area_wanted (const MoctWork &w, unsigned long long n)
{
  return n && n >= w.min_area && n <= w.max_area;
}

/* Takes places in the report for @n blobs and returns the first.  The last of
 * @n_blocks ends the report.  One thread of each block calls this once, when
 * the block no longer uses the counters. */
static __device__ __forceinline__ unsigned
take_report_places (const MoctWork &w, unsigned n, unsigned n_blocks)
{
  unsigned long long before = 0;

  if (n_blocks > 1)
    before = atomicAdd ((unsigned long long *) &w.counters[MOCT_DONE],
        (unsigned long long) n << 32 | 1);
  if ((unsigned) before + 1 == n_blocks) {
    w.result->n_blobs = (unsigned) (before >> 32) + n;
    w.result->n_overflow = w.counters[MOCT_OVERFLOW];
    for (int i = 0; i < MOCT_N_COUNTERS; i++)
      w.counters[i] = 0;
  }
  return (unsigned) (before >> 32);
}
