/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Puts samples in order: the place of each is how many come before it. */
#include "scopedetect/scopedetect_score.cuh"

#define THREADS 256
#define TILE 1024 /* keys that a block holds at once */

/* Smaller is before, as in scopedetect_before (). */
static __device__ __forceinline__ uint64_t
key_of (const ScopedetectSample &s)
{
  return (uint64_t) (uint32_t) ~((uint32_t) s.score ^ 0x80000000u) << 32 | s.id;
}

/* LANES lanes count for PER samples. */
template <int LANES, int PER>
static __global__ void
__launch_bounds__ (THREADS) order_kernel (
    const __grid_constant__ ScopedetectWork w, ScopedetectSample *to)
{
  constexpr int WORDS = sizeof *to / sizeof (uint32_t);
  __shared__ uint64_t key[TILE];
  const ScopedetectSample *from =
      w.sample + (size_t) blockIdx.y * SCOPEDETECT_MAX_KEPT;
  int first_of_block = blockIdx.x * (THREADS / LANES * PER), n;
  int mine = first_of_block + threadIdx.x / LANES * PER;
  int lane = threadIdx.x % LANES, before[PER] = {};
  uint64_t my_key[PER];

  allow_next ();
  await_previous ();
  n = w.counts->n_samples[blockIdx.y];
  if (first_of_block >= n)
    return;
#pragma unroll
  for (int i = 0; i < PER; i++)
    my_key[i] = mine + i < n ? key_of (from[mine + i]) : 0;
  for (int first = 0; first < n; first += TILE) {
    __syncthreads ();
    for (int k = threadIdx.x; k < TILE; k += THREADS)
      key[k] = first + k < n ? key_of (from[first + k]) : UINT64_MAX;
    __syncthreads ();
#pragma unroll 8
    for (int k = lane; k < TILE; k += LANES)
#pragma unroll
      for (int i = 0; i < PER; i++)
        before[i] += key[k] < my_key[i];
  }
  to += (size_t) blockIdx.y * SCOPEDETECT_MAX_KEPT;
#pragma unroll
  for (int i = 0; i < PER; i++) {
    for (int step = LANES / 2; step; step /= 2)
      before[i] += __shfl_xor_sync (ALL_LANES, before[i], step);
    for (int k = lane; k < WORDS && mine + i < n; k += LANES)
      ((uint32_t *) &to[before[i]])[k] =
          ((const uint32_t *) &from[mine + i])[k];
  }
}

void
scopedetect_change_places (ScopedetectWork *w)
{
  ScopedetectCuda *c = scopedetect_cuda (w);
  ScopedetectSample *sample = w->sample;

  w->sample = c->spare;
  c->spare = sample;
}

const char *
scopedetect_order_cuda (const Device *dev, ScopedetectWork *w)
{
  ScopedetectCuda *c = scopedetect_cuda (w);
  bool few =
      c->bound <= 4096; /* else to read them takes longer than to count */
  dim3 blocks (ceil_div (c->bound, few ? 8 : 128), w->n_models);

  TRY (scopedetect_launch (dev, w,
      few ? order_kernel<32, 1> : order_kernel<8, 4>, blocks, THREADS, 0, *w,
      c->spare));
  scopedetect_change_places (w);
  return NULL;
}
