/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Scores of samples: with some points a block each, with all of them several.
 */
#include "scopedetect/scopedetect_score.cuh"

#define FEW_THREADS 128
#define THREADS 256
#define PARTS \
 4 /* blocks that share the points of a sample; one more looks at \
      segments */
#define ROOM 256 /* samples of a model that are scored with all points */

/* What the blocks of a sample hand to the one of them that is done last. */
typedef struct {
  ScopedetectTotals totals[PARTS];
  ScopedetectTaken taken;
  uint32_t done;
} Shares;

struct _ScopedetectScoreCuda {
  Shares of[SCOPEDETECT_BATCH][ROOM];
};

static __global__ void
__launch_bounds__ (FEW_THREADS)
    score_kernel (const __grid_constant__ ScopedetectWork w, int points)
{
  __shared__ ScoreShared shared;
  const ScopedetectShape *s = &w.model[blockIdx.y];
  ScopedetectSample *a;

  allow_next ();
  await_previous ();
  if (!(a = sample_of_block (&w)))
    return;
  copy_sample (&shared.sample, a);
  score_block (&w, s, min (points, s->n), shared);
  copy_sample (a, &shared.sample);
}

/* ---- With all points ---- */

/* Adds up what the blocks of a sample have found, and scores it. */
static __device__ __forceinline__ void
finish (const ScopedetectWork *w, Shares *share, ScoreShared &shared)
{
  constexpr int N = sizeof (ScopedetectTotals) / sizeof (long long);
  long long sum = 0;

  __threadfence ();
  if (threadIdx.x < N) {
    for (int i = 0; i < PARTS; i++)
      sum += ((const volatile long long *) &share->totals[i])[threadIdx.x];
    ((long long *) &shared.totals.total)[threadIdx.x] = sum;
  }
  __syncthreads ();
  if (threadIdx.x == 0) {
    const volatile ScopedetectTaken *t = &share->taken;

    scopedetect_parts (&shared.totals.total, shared.sample.part);
    if (w->has_segments)
      scopedetect_segment_parts (
          t->cut, t->off, (int) t->taken, shared.sample.part);
    shared.sample.score = scopedetect_weigh (&w->params, shared.sample.part);
    share->done = 0;
  }
}

static __global__ void
__launch_bounds__ (THREADS) share_kernel (
    const __grid_constant__ ScopedetectWork w, ScopedetectScoreCuda *c)
{
  __shared__ ScoreShared shared;
  __shared__ bool is_last;
  const ScopedetectShape *s = &w.model[blockIdx.y];
  Shares *share = &c->of[blockIdx.y][blockIdx.x];
  int part = blockIdx.z;
  ScopedetectSample *a;

  allow_next ();
  await_previous ();
  if (!(a = sample_of_block (&w)))
    return;
  copy_sample (&shared.sample, a);
  if (part < PARTS)
    total_points (&w, s, s->n, part, PARTS, shared);
  else
    total_segments (&w, s, shared);
  if (threadIdx.x == 0) {
    if (part < PARTS)
      share->totals[part] = shared.totals.total;
    else
      share->taken = shared.taken.total;
    __threadfence ();
    is_last = atomicAdd (&share->done, 1) == gridDim.z - 1;
  }
  __syncthreads ();
  if (!is_last)
    return;
  finish (&w, share, shared);
  copy_sample (a, &shared.sample);
}

const char *
scopedetect_score_open_cuda (const Device *dev, ScopedetectScoreCuda **c)
{
  return device_alloc (dev, (void **) c, sizeof **c);
}

const char *
scopedetect_score_cuda (const Device *dev, ScopedetectWork *w, int n)
{
  ScopedetectCuda *c = scopedetect_cuda (w);
  dim3 blocks (c->bound, w->n_models);

  if (!n && c->bound > ROOM)
    return "more than 256 poses would be scored with all points";
  blocks.z = n ? 1 : PARTS + w->has_segments;
  if (n)
    TRY (scopedetect_launch (
        dev, w, score_kernel, blocks, FEW_THREADS, 0, *w, n));
  else
    TRY (scopedetect_launch (
        dev, w, share_kernel, blocks, THREADS, 0, *w, c->score));
  return scopedetect_order_cuda (dev, w);
}
