/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Puts samples in order: the place of each is how many come before it.  A few
 * are counted; of many, tiles are put in order, and searched. */
#include "scopedetect/scopedetect_score.cuh"

#define THREADS 256
#define TILE 1024 /* keys that a block holds at once */
#define FEW \
 4096           /* samples; of more, to read them takes longer than to count \
                 */
#define LANES 8 /* of a sample, of many */
#define PER 4   /* samples that they count for */

/* Smaller is before, as in scopedetect_before (). */
static __device__ __forceinline__ uint64_t
key_of (const ScopedetectSample &s)
{
  return (uint64_t) (uint32_t) ~((uint32_t) s.score ^ 0x80000000u) << 32 | s.id;
}

/* The keys from @first on, of @n, to shared memory. */
static __device__ __forceinline__ void
load_keys (const ScopedetectSample *from, int first, int n, uint64_t key[TILE])
{
  for (int k = threadIdx.x; k < TILE; k += THREADS)
    key[k] = first + k < n ? key_of (from[first + k]) : UINT64_MAX;
}

/* By @lanes lanes. */
static __device__ __forceinline__ void
copy_words (ScopedetectSample *to, const ScopedetectSample *from, int lanes)
{
  constexpr int WORDS = sizeof *to / sizeof (uint32_t);

  for (int k = threadIdx.x % lanes; k < WORDS; k += lanes)
    ((uint32_t *) to)[k] = ((const uint32_t *) from)[k];
}

/* A warp a sample. */
static __global__ void
__launch_bounds__ (THREADS) order_kernel (
    const __grid_constant__ ScopedetectWork w, ScopedetectSample *to)
{
  __shared__ uint64_t key[TILE];
  size_t of_model = (size_t) blockIdx.y * SCOPEDETECT_MAX_KEPT;
  const ScopedetectSample *from = w.sample + of_model;
  int i = blockIdx.x * (THREADS / 32) + threadIdx.x / 32, before = 0, n;
  uint64_t mine;

  allow_next ();
  await_previous ();
  n = w.counts->n_samples[blockIdx.y];
  if (blockIdx.x * (THREADS / 32) >= n)
    return;
  mine = i < n ? key_of (from[i]) : 0;
  for (int first = 0; first < n; first += TILE) {
    __syncthreads ();
    load_keys (from, first, n, key);
    __syncthreads ();
#pragma unroll 8
    for (int k = threadIdx.x % 32; k < TILE; k += 32)
      before += key[k] < mine;
  }
  before = (int) warp_sum ((uint32_t) before);
  if (i < n)
    copy_words (to + of_model + before, from + i, 32);
}

/* ---- Many ---- */

#define BLOCK (THREADS / LANES * PER) /* samples of a block */

static_assert (TILE % BLOCK == 0, "some blocks a tile");

/* Puts the keys of each tile in order. */
static __global__ void
__launch_bounds__ (THREADS)
    sort_kernel (const __grid_constant__ ScopedetectWork w, uint64_t *sorted)
{
  __shared__ uint64_t key[TILE];
  size_t of_model = (size_t) blockIdx.y * SCOPEDETECT_MAX_KEPT;
  int first = blockIdx.x * BLOCK / TILE * TILE, n, before[PER] = {};
  int mine = blockIdx.x * BLOCK % TILE + threadIdx.x / LANES * PER;

  allow_next ();
  await_previous ();
  n = w.counts->n_samples[blockIdx.y];
  if (blockIdx.x * BLOCK >= n)
    return;
  load_keys (w.sample + of_model, first, n, key);
  __syncthreads ();
#pragma unroll 8
  for (int k = threadIdx.x % LANES; k < TILE; k += LANES)
#pragma unroll
    for (int i = 0; i < PER; i++)
      before[i] += key[k] < key[mine + i];
#pragma unroll
  for (int i = 0; i < PER; i++) {
    for (int step = LANES / 2; step; step /= 2)
      before[i] += __shfl_xor_sync (ALL_LANES, before[i], step);
    if (threadIdx.x % LANES == 0 && first + mine + i < n)
      sorted[of_model + first + before[i]] = key[mine + i];
  }
}

/* How many of @n keys in order, at most TILE, come before @key. */
static __device__ __forceinline__ int
search (const uint64_t *sorted, int n, uint64_t key)
{
  int before = 0;

#pragma unroll
  for (int step = TILE; step; step /= 2)
    if (before + step <= n && sorted[before + step - 1] < key)
      before += step;
  return before;
}

/* LANES lanes a sample, each some tiles. */
static __global__ void
__launch_bounds__ (THREADS)
    rank_kernel (const __grid_constant__ ScopedetectWork w,
        const uint64_t *sorted, ScopedetectSample *to)
{
  size_t of_model = (size_t) blockIdx.y * SCOPEDETECT_MAX_KEPT;
  const ScopedetectSample *from = w.sample + of_model;
  int i = blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES, before = 0, n;
  uint64_t mine;

  allow_next ();
  await_previous ();
  n = w.counts->n_samples[blockIdx.y];
  if (blockIdx.x * (THREADS / LANES) >= n)
    return;
  mine = i < n ? key_of (from[i]) : 0;
  for (int first = threadIdx.x % LANES * TILE; first < n; first += LANES * TILE)
    before += search (sorted + of_model + first, min (TILE, n - first), mine);
  for (int step = LANES / 2; step; step /= 2)
    before += __shfl_xor_sync (ALL_LANES, before, step);
  if (i < n)
    copy_words (to + of_model + before, from + i, LANES);
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
  dim3 warps (ceil_div (c->bound, THREADS / 32), w->n_models);
  dim3 blocks (ceil_div (c->bound, BLOCK), w->n_models);
  dim3 lanes (ceil_div (c->bound, THREADS / LANES), w->n_models);

  if (c->bound <= FEW) {
    TRY (scopedetect_launch (
        dev, w, order_kernel, warps, THREADS, 0, *w, c->spare));
  } else {
    TRY (scopedetect_launch (
        dev, w, sort_kernel, blocks, THREADS, 0, *w, c->sorted));
    TRY (scopedetect_launch (dev, w, rank_kernel, lanes, THREADS, 0, *w,
        (const uint64_t *) c->sorted, c->spare));
  }
  scopedetect_change_places (w);
  return NULL;
}
