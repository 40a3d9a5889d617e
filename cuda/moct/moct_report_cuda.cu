/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Last kernel of the fused method, of one block: the sums go to the host. */
#include "moct/moct_cuda.cuh"

#define THREADS 512

/* What the block keeps in shared memory. */
struct Report {
  MoctBlob blobs[THREADS];
  unsigned n, done;
};

static __device__ __forceinline__ void
report_begin (Report *r)
{
  if (threadIdx.x == 0)
    r->n = r->done = 0;
  __syncthreads ();
}

/* Reports @sum of class @cls, of each thread that says @wanted.  The whole
 * block calls.  Blobs are put side by side first, because host memory is
 * written in long pieces or slowly. */
static __device__ __forceinline__ void
report_step (
    const MoctWork &w, Report *r, bool wanted, const MoctSum &sum, int cls)
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
report_end (const MoctWork &w, const Report *r)
{
  if (threadIdx.x == 0) {
    w.result->n_blobs = r->done;
    w.result->n_overflow = w.counters[MOCT_OVERFLOW];
    w.counters[MOCT_OVERFLOW] = 0;
  }
}

/* One block: reports the sums of the roots. */
static __global__ void
roots_kernel (const __grid_constant__ MoctWork w)
{
  __shared__ Report report;
  unsigned n;

  report_begin (&report);
  await_previous ();
  n = w.counters[MOCT_ROOTS];
  for (unsigned from = 0; from < n; from += blockDim.x) {
    unsigned i = from + threadIdx.x;
    MoctRoot root = w.roots[i < n ? i : 0];

    report_step (w, &report, i < n, w.sums[root.at], (int) root.cls);
  }
  report_end (w, &report);
  if (threadIdx.x == 0)
    w.counters[MOCT_ROOTS] = 0;
}

/* One block: reports the sums of the colours, and clears them for the next
 * frame. */
static __global__ void
colours_kernel (const __grid_constant__ MoctWork w)
{
  __shared__ Report report;

  report_begin (&report);
  await_previous ();
  for (int first = 0; first < w.n_colours; first += THREADS) {
    int k = first + (int) threadIdx.x;
    MoctSum sum, empty;

    moct_sum_clear (&empty);
    sum = empty;
    if (k < w.n_colours) {
      sum = w.colour_sums[k];
      w.colour_sums[k] = empty;
    }
    report_step (w, &report, k < w.n_colours, sum, k + 1);
  }
  report_end (w, &report);
}

cudaKernelNodeParams
moct_roots_node (void **args)
{
  return moct_node (roots_kernel, 1, THREADS, args);
}

cudaKernelNodeParams
moct_colours_node (void **args)
{
  return moct_node (colours_kernel, 1, THREADS, args);
}

static __global__ void
clear_kernel (MoctSum *sums)
{
  moct_sum_clear (&sums[threadIdx.x]);
}

const char *
moct_clear_colours (const Device *dev, const MoctWork *w)
{
  clear_kernel<<<1, MOCT_MAX_COLOURS, 0, device_stream (dev)>>> (
      w->colour_sums);
  CUDA_TRY (cudaGetLastError ());
  return NULL;
}
