/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Last kernel of the fused method if no blobs are wanted: reports the sums of
 * colours to the host. */
#include "moct/moct_report.cuh"

#define THREADS 128

/* A thread for each colour reports its sum and clears it for the next frame.
 * The sums are put side by side first, because writing host memory is fast in
 * long pieces only. */
static __global__ void
report_colours_kernel (const __grid_constant__ MoctWork w)
{
  __shared__ MoctBlob blobs[THREADS];
  __shared__ unsigned n, place;
  int k = blockIdx.x * THREADS + threadIdx.x;

  if (threadIdx.x == 0)
    n = 0;
  __syncthreads ();
  await_previous ();
  if (k < w.n_colours) {
    MoctSum sum = w.colour_sums[k];

    if (is_area_wanted (w, sum.n))
      blobs[atomicAdd (&n, 1u)] = {sum, k + 1, 0};
    moct_sum_clear (&w.colour_sums[k]);
  }
  __syncthreads ();
  if (threadIdx.x == 0)
    place = take_report_places (w, n, gridDim.x);
  __syncthreads ();

  unsigned long long *to = (unsigned long long *) &w.result->blobs[place];

  for (unsigned i = threadIdx.x; i < n * sizeof (MoctBlob) / 8; i += THREADS)
    to[i] = ((unsigned long long *) blobs)[i];
}

cudaKernelNodeParams
moct_colours_node (const MoctWork *w, void **args)
{
  return moct_node (
      report_colours_kernel, ceil_div (w->n_colours, THREADS), THREADS, args);
}

static __global__ void
clear_colours_kernel (MoctSum *sums)
{
  moct_sum_clear (&sums[threadIdx.x]);
}

const char *
moct_clear_colours (const Device *dev, const MoctWork *w)
{
  clear_colours_kernel<<<1, MOCT_MAX_COLOURS, 0, device_stream (dev)>>> (
      w->colour_sums);
  CUDA_TRY (cudaGetLastError ());
  return NULL;
}
