/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Means of phasors over frames. */
#include "pocstereo/pocstereo_cuda.cuh"

#define THREADS 256

/* Adds the four components of @word to their means, 16 bits each in @mean, and
 * returns the components of the means. */
static __device__ __forceinline__ uint32_t
average_word (uint32_t word, uint32_t mean[2], int frames)
{
  uint32_t averaged = 0;

#pragma unroll
  for (int i = 0; i < 4; i++) {
    int shift = 16 * (i % 2);
    int16_t before = (int16_t) (mean[i / 2] >> shift);
    int16_t after =
        pocstereo_average_phasor (before, (int8_t) (word >> (8 * i)), frames);

    mean[i / 2] = (mean[i / 2] & ~(0xffffu << shift)) |
        (uint32_t) (uint16_t) after << shift;
    averaged |= (uint32_t) (uint8_t) pocstereo_mean_phasor (after) << (8 * i);
  }
  return averaged;
}

static __global__ void
__launch_bounds__ (THREADS)
    average_kernel (uint2 *couples, uint4 *means, size_t n, int frames)
{
  size_t i = (size_t) blockIdx.x * THREADS + threadIdx.x;

  allow_next ();
  await_previous ();
  if (i >= n)
    return;

  uint2 couple = couples[i];
  uint4 mean = means[i];
  uint32_t first[2] = {mean.x, mean.y}, second[2] = {mean.z, mean.w};

  couple.x = average_word (couple.x, first, frames);
  couple.y = average_word (couple.y, second, frames);
  couples[i] = couple;
  means[i] = make_uint4 (first[0], first[1], second[0], second[1]);
}

const char *
pocstereo_average_cuda (
    const Device *dev, size_t n, int frames, int16_t *means, int8_t *phasors)
{
  size_t couples = n / sizeof (uint2);

  return pocstereo_launch_kernel (dev, average_kernel,
      dim3 ((unsigned) ((couples + THREADS - 1) / THREADS)), THREADS,
      (uint2 *) phasors, (uint4 *) means, couples, frames);
}
