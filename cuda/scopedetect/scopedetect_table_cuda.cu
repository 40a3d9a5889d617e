/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The table: all planes drawn are counted together, a thread each. */
#include "scopedetect/scopedetect_observe.h"
#include "scopedetect/scopedetect_observe_cuda.cuh"

#define SAMPLES 64 /* points that a block holds against the planes at once */
#define BLOCKS 512

/* The points on which planes are tried: every fourth pixel of every fourth row,
 * from the third on. */
static __device__ float4
sample (const ScopedetectScene &s, int i)
{
  int columns = (s.width + 1) / 4, x = i % columns * 4 + 2;
  int y = i / columns * 4 + 2;
  Vec at = scopedetect_unproject (&s, x, y, s.z[(size_t) y * s.width + x]);

  return make_float4 (at.x, at.y, at.z, 0);
}

/* Number of the plane with the most inliers, of equal ones the first. */
static __device__ int
best_plane (uint32_t inliers)
{
  __shared__ uint32_t best[SCOPEDETECT_PLANES / 32];
  uint32_t key =
      inliers * SCOPEDETECT_PLANES + SCOPEDETECT_PLANES - 1 - threadIdx.x;

  key = warp_max (key);
  if (threadIdx.x % 32 == 0)
    best[threadIdx.x / 32] = key;
  __syncthreads ();
  for (int i = 0; i < SCOPEDETECT_PLANES / 32; i++)
    key = max (key, best[i]);
  return SCOPEDETECT_PLANES - 1 - (int) (key % SCOPEDETECT_PLANES);
}

/* The last block to come here decides. */
static __device__ void
decide (ScopedetectCounts *c, ScopedetectVotes *v, const float plane[4])
{
  __shared__ bool last;
  uint32_t inliers, looked;
  int k = threadIdx.x;

  __threadfence ();
  __syncthreads ();
  if (k == 0)
    last = atomicAdd (&v->blocks, 1) == gridDim.x - 1;
  __syncthreads ();
  if (!last)
    return;
  __threadfence ();
  inliers = __ldcg (&v->inliers[k]), looked = __ldcg (&v->looked);
  __syncthreads ();
  v->inliers[k] = 0;
  if (k == 0)
    v->looked = v->blocks = 0;
  if (k != best_plane (inliers))
    return;
  c->has_table = inliers * 5 > looked;
  for (int i = 0; i < 4 && inliers; i++)
    c->table[i] = plane[i];
}

static __global__ void
__launch_bounds__ (SCOPEDETECT_PLANES) table_kernel (
    const __grid_constant__ ScopedetectWork w, int n, ScopedetectVotes *votes)
{
  __shared__ float4 at[SAMPLES];
  float plane[4] = {0, 0, 0, 0};
  uint32_t inliers = 0, looked = 0;
  bool drawn;

  await_previous ();
  drawn = scopedetect_draw_plane (&w, threadIdx.x, plane);
  for (int first = blockIdx.x * SAMPLES; first < n;
       first += gridDim.x * SAMPLES) {
    int there = min (SAMPLES, n - first);

    __syncthreads ();
    if ((int) threadIdx.x < there)
      at[threadIdx.x] = sample (w.scene, first + (int) threadIdx.x);
    __syncthreads ();
    for (int i = 0; i < there; i++) {
      float4 p = at[i];

      if (!(p.z > 0))
        continue;
      inliers += scopedetect_in_plane (&w, plane, vec (p.x, p.y, p.z));
      looked++;
    }
  }
  if (drawn && inliers)
    atomicAdd (&votes->inliers[threadIdx.x], inliers);
  if (threadIdx.x == 0)
    atomicAdd (&votes->looked, looked);
  decide (w.counts, votes, plane);
}

const char *
scopedetect_find_table_cuda (const Device *dev, const ScopedetectWork *w)
{
  const ScopedetectScene *s = &w->scene;
  int n = (s->width + 1) / 4 * ((s->height + 1) / 4);
  int blocks = n ? ceil_div (n, SAMPLES) : 1;

  return scopedetect_launch (dev, w, table_kernel,
      dim3 (blocks < BLOCKS ? blocks : BLOCKS), dim3 (SCOPEDETECT_PLANES), 0,
      *w, n, scopedetect_cuda (w)->observe->votes);
}
