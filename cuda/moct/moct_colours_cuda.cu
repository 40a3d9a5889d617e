/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Second kernel of the fused method where no blobs are asked for: the sums of
 * the colours go to the host. */
#include "moct/moct_report.cuh"

#define MAX_SUMS 128 /* where there are copies */

/* The sum of colour @k over its copies, which are loaded side by side. */
static __device__ __forceinline__ MoctSum
add_copies (const MoctWork &w, MoctSum *loaded, int k)
{
  int i = threadIdx.x, n = w.n_colours * moct_sum_copies (w.n_colours);
  MoctSum sum;

  if (i < n)
    loaded[i] = w.colour_sums[i];
  __syncthreads ();
  moct_sum_clear (&sum);
  if (i < n)
    w.colour_sums[i] = sum; /* for the next frame */
  for (; k < n && (int) threadIdx.x < w.n_colours; k += w.n_colours)
    moct_sum_add (&sum, &loaded[k]);
  return sum;
}

static __device__ __forceinline__ MoctSum
take_sum (const MoctWork &w, int k)
{
  MoctSum sum, empty;

  moct_sum_clear (&empty);
  sum = empty;
  if (k < w.n_colours) {
    sum = w.colour_sums[k];
    w.colour_sums[k] = empty;
  }
  return sum;
}

/* One block. */
__global__ void
moct_colours_kernel (const __grid_constant__ MoctWork w)
{
  __shared__ MoctReport report;
  __shared__ MoctSum loaded[MAX_SUMS];

  moct_report_begin (&report);
  for (int first = 0; first < w.n_colours; first += blockDim.x) {
    int k = first + (int) threadIdx.x;
    MoctSum sum = moct_sum_copies (w.n_colours) > 1 ? add_copies (w, loaded, k)
                                                    : take_sum (w, k);

    moct_report_step (w, &report, k < w.n_colours, sum, k + 1);
  }
  moct_report_end (w, &report);
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
