/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sums that many threads add to, and their way to the host. */
#pragma once

#include "moct/moct_cuda.cuh"

/* Adds @sum, which ten lanes have, to @to: each lane a part of it. */
static __device__ __forceinline__ void
moct_sum_add_lane (MoctSum *to, const MoctSum &sum, int lane)
{
  switch (lane) {
    case 0:
      atomicAdd (&to->n, sum.n);
      break;
    case 1:
      atomicAdd (&to->x, sum.x);
      break;
    case 2:
      atomicAdd (&to->y, sum.y);
      break;
    case 3:
      atomicAdd (&to->xx, sum.xx);
      break;
    case 4:
      atomicAdd (&to->xy, sum.xy);
      break;
    case 5:
      atomicAdd (&to->yy, sum.yy);
      break;
    case 6:
      atomicMin (&to->box.x0, sum.box.x0);
      break;
    case 7:
      atomicMin (&to->box.y0, sum.box.y0);
      break;
    case 8:
      atomicMax (&to->box.x1, sum.box.x1);
      break;
    case 9:
      atomicMax (&to->box.y1, sum.box.y1);
      break;
  }
}

#define REPORT_BLOBS 256 /* that go to the host at a time */

/* What a block keeps in shared memory while it reports. */
struct MoctReport {
  MoctBlob blobs[REPORT_BLOBS];
  unsigned n, done;
};

/* A sum that other blocks added to, past this multiprocessor's cache. */
static __device__ __forceinline__ MoctSum
moct_sum_load (const MoctSum *from)
{
  union {
    MoctSum sum;
    unsigned long long words[sizeof (MoctSum) / 8];
  } u;

#pragma unroll
  for (unsigned i = 0; i < sizeof (MoctSum) / 8; i++)
    u.words[i] = __ldcg ((const unsigned long long *) from + i);
  return u.sum;
}

static __device__ __forceinline__ void
moct_report_begin (MoctReport *r)
{
  if (threadIdx.x == 0)
    r->n = r->done = 0;
  __syncthreads ();
}

/* Reports @sum of class @cls, of each thread that says @wanted.  The whole
 * block calls, with at most REPORT_BLOBS threads that want.  Blobs are put side
 * by side first, because host memory is written in long pieces or slowly. */
static __device__ __forceinline__ void
moct_report_step (
    const MoctWork &w, MoctReport *r, bool wanted, const MoctSum &sum, int cls)
{
  unsigned long long *to = (unsigned long long *) &w.result->blobs[r->done];

  if (wanted && sum.n && sum.n >= w.min_area && sum.n <= w.max_area) {
    MoctBlob *blob = &r->blobs[atomicAdd (&r->n, 1u)];

    blob->sum = sum;
    blob->cls = cls;
  }
  __syncthreads ();
  for (unsigned i = threadIdx.x; i < r->n * sizeof (MoctBlob) / 8;
       i += blockDim.x)
    to[i] = ((unsigned long long *) r->blobs)[i];
  __syncthreads ();
  if (threadIdx.x == 0) {
    r->done += r->n;
    r->n = 0;
  }
  __syncthreads ();
}

static __device__ __forceinline__ void
moct_report_end (const MoctWork &w, const MoctReport *r)
{
  if (threadIdx.x == 0) {
    w.result->n_blobs = r->done;
    w.result->n_overflow = w.counters[MOCT_OVERFLOW];
    w.counters[MOCT_OVERFLOW] = 0;
  }
}

/* To be called by every block of a kernel when it has added its part to
 * w.colour_sums: the last one reports them, and clears them for the next
 * frame. */
static __device__ __forceinline__ void
moct_report_colours (const MoctWork &w)
{
  __shared__ MoctReport report;
  __shared__ bool last;

  __threadfence ();
  __syncthreads ();
  if (threadIdx.x == 0)
    last = atomicAdd (&w.counters[MOCT_BLOCKS_DONE], 1u) == gridDim.x - 1;
  __syncthreads ();
  if (!last)
    return;
  moct_report_begin (&report);
  for (int first = 0; first < w.n_colours; first += blockDim.x) {
    int k = first + (int) threadIdx.x;
    MoctSum sum;

    moct_sum_clear (&sum);
    if (k < w.n_colours) {
      MoctSum empty = sum;

      sum = moct_sum_load (&w.colour_sums[k]);
      w.colour_sums[k] = empty;
    }
    moct_report_step (w, &report, k < w.n_colours, sum, k + 1);
  }
  moct_report_end (w, &report);
  if (threadIdx.x == 0)
    w.counters[MOCT_BLOCKS_DONE] = 0;
}
