/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parts of the full SCOPE that take long: a block a sample. */
#include "scopedetect/scopedetect_extra.h"
#include "scopedetect/scopedetect_observe_cuda.cuh"
#include "scopedetect/scopedetect_score.cuh"

#define THREADS 512

/* Which point of the cloud a pixel is part of. */
typedef struct {
  const uint32_t *hash, *cell; /* of the frame's observation */
} Pixels;

typedef struct {
  SumShared<ScopedetectExtras> sums;
  ScopedetectSample sample;
  ScopedetectMask mask;
} ExtraShared;

/* -1 where it is part of none. */
static __device__ __forceinline__ int
point_at (const ScopedetectWork *w, const Pixels &pixels, int x, int y)
{
  uint32_t hash = pixels.hash[(size_t) y * w->scene.width + x], number;

  if (hash == SCOPEDETECT_NO_CELL)
    return -1;
  number = pixels.cell[hash] & ~SCOPEDETECT_NUMBERED;
  return number < (uint32_t) w->cloud.room ? (int) number : -1;
}

static __device__ __forceinline__ void
add_points (const ScopedetectWork *w, const ScopedetectShape *s,
    const Pixels &pixels, const Turn *r, Vec t, const ScopedetectTiles *tiles,
    ScopedetectMask *mask, ScopedetectExtras *out)
{
  const double *weight = w->params.weight;

  for (int i = threadIdx.x; i < s->n; i += THREADS) {
    ScopedetectSight at;
    int cell;

    if (!scopedetect_sight (w, s, r, t, i, &at))
      continue;
    if (weight[SCOPEDETECT_FPFH] > 0)
      scopedetect_add_feature_of (
          w, s, i, point_at (w, pixels, at.x, at.y), at.v, out);
    if (weight[SCOPEDETECT_WALK] > 0)
      scopedetect_add_stroll (w, s, r, t, &at, out);
    if (weight[SCOPEDETECT_OCCLUSION] > 0 &&
        (cell = scopedetect_tile_at (tiles, at.x, at.y)) >= 0)
      atomicOr (&(scopedetect_is_hidden (at.v) ? mask->hidden
                                               : mask->seen)[cell / 32],
          1u << cell % 32);
  }
}

static __global__ void
__launch_bounds__ (THREADS)
    extra_kernel (const __grid_constant__ ScopedetectWork w,
        const __grid_constant__ Pixels pixels)
{
  __shared__ ExtraShared shared;
  const ScopedetectShape *s = &w.model[blockIdx.y];
  ScopedetectSample &sample = shared.sample, *a;
  ScopedetectExtras mine = {};
  ScopedetectTiles tiles;
  Turn r;
  int view;

  allow_next ();
  await_previous ();
  if (!(a = sample_of_block (&w)))
    return;
  for (int i = threadIdx.x; i < SCOPEDETECT_MASK_WORDS; i += THREADS)
    shared.mask.seen[i] = shared.mask.hidden[i] = 0;
  copy_sample (&sample, a); /* and all see the mask as empty */
  tiles = scopedetect_tiles (&w, s, sample.pose);
  r = turn_of (sample.pose.q);
  view = view_of (&w, s, &r, sample.pose.t);
  add_points (&w, s, pixels, &r, sample.pose.t, &tiles, &shared.mask, &mine);
  __syncthreads ();
  for (int i = threadIdx.x; i < SCOPEDETECT_MASK_WORDS; i += THREADS)
    for (uint32_t left = scopedetect_boundary (&shared.mask, i); left;
         left &= left - 1)
      scopedetect_add_boundary (&w, &tiles, 32 * i + __ffs (left) - 1, &mine);
  const ScopedetectExtras &t = sum_block (mine, shared.sums);

  if (threadIdx.x == 0) {
    scopedetect_extra_parts (&w.params, &t,
        (int) (s->edge_first[view + 1] - s->edge_first[view]), sample.part);
    sample.score = scopedetect_weigh (&w.params, sample.part);
  }
  copy_sample (a, &sample);
}

const char *
scopedetect_extra_cuda (const Device *dev, const ScopedetectWork *w)
{
  const ScopedetectCuda *c = scopedetect_cuda (w);
  const Pixels pixels = {c->observe->hash, c->observe->cell};

  return scopedetect_launch (dev, w, extra_kernel, dim3 (c->bound, w->n_models),
      dim3 (THREADS), 0, *w, pixels);
}
