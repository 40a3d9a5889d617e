/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Scores of hypotheses: a block each, but several with all points. */
#include "scopedetect/scopedetect_score.cuh"

#define FEW_THREADS 128
#define THREADS 256
#define PARTS SCOPEDETECT_SHARED_BY

typedef struct {
  long long cut, taken;
} Taken;

typedef struct {
  ScoreShared score;
  SumShared<Taken> taken;
  uint32_t bits[SCOPEDETECT_SEGMENT_WORDS];
  bool is_last;
} AllShared;

static __global__ void
__launch_bounds__ (FEW_THREADS) score_poses_kernel (IN ScopedetectScoring w,
    IN ScopedetectModels models, IN ScopedetectHypotheses h, int points)
{
  __shared__ ScoreShared shared;
  const ScopedetectShape *s = &models.shape[blockIdx.y];
  ScopedetectHypothesis *a;

  allow_next ();
  await_previous ();
  if (!(a = hypothesis_of_block (&h)))
    return;
  copy_hypothesis_by_block (&shared.hypothesis, a);
  score_by_block (&w, s, min (points, s->n), shared);
  copy_hypothesis_by_block (a, &shared.hypothesis);
}

/* ---- With all points ---- */

/* Notes which of block @part's segments the pose takes. A warp's lanes have
 * segments far apart, since those that a pose takes lie side by side. */
static __device__ __forceinline__ void
take_segments (const ScopedetectScoring *w, const ScopedetectShape *s,
    Pose pose, int part, ScopedetectShares *share)
{
  constexpr int WARPS = PARTS * THREADS / 32;
  Turn r = turn_of (pose.q);
  int n = w->segments.n;
  int warp = part * (THREADS / 32) + (int) threadIdx.x / 32;

  for (int first = warp; first < n; first += 32 * WARPS) {
    int i = first + (int) threadIdx.x % 32 * WARPS;
    float off,
        chance = takes_by_warp (
            w, s, &r, pose.t, i < n ? &w->segments.segment[i] : NULL, &off);

    if (!scopedetect_is_taken (chance))
      continue;
    atomicOr (&share->bits[i / 32], 1u << i % 32);
    atomicAdd ((unsigned long long *) &share->off,
        (unsigned long long) scopedetect_off (&w->params, off));
  }
}

/* Sets the parts of segments from the shares of all blocks. */
static __device__ __forceinline__ void
finish_segment_parts (
    const ScopedetectScoring *w, ScopedetectShares *share, AllShared &shared)
{
  int n = w->segments.n;
  Taken mine = {};

  for (int i = threadIdx.x; i < ceil_div (n, 32); i += THREADS) {
    shared.bits[i] = *(volatile uint32_t *) &share->bits[i];
    share->bits[i] = 0;
    mine.taken += __popc (shared.bits[i]);
  }
  __syncthreads ();
  for (int i = threadIdx.x; i < n; i += THREADS)
    if (shared.bits[i / 32] >> i % 32 & 1)
      mine.cut += scopedetect_cut (&w->segments.segment[i], shared.bits);
  const Taken &t = sum_block (mine, shared.taken);

  if (threadIdx.x == 0) {
    scopedetect_segment_parts (t.cut, *(volatile long long *) &share->off,
        (int) t.taken, shared.score.hypothesis.part);
    share->off = 0;
  }
}

/* Adds up the shares of all blocks, and scores the hypothesis. */
static __device__ __forceinline__ void
finish_score (
    const ScopedetectScoring *w, ScopedetectShares *share, AllShared &shared)
{
  constexpr int N = sizeof (ScopedetectTotals) / sizeof (long long);
  ScopedetectTotals &total = shared.score.totals.total;
  ScopedetectHypothesis &hypothesis = shared.score.hypothesis;
  long long sum = 0;

  __threadfence ();
  if (threadIdx.x < N) {
    for (int i = 0; i < PARTS; i++)
      sum += ((const volatile long long *) &share->totals[i])[threadIdx.x];
    ((long long *) &total)[threadIdx.x] = sum;
  }
  __syncthreads ();
  if (threadIdx.x == 0)
    scopedetect_parts (&total, hypothesis.part);
  if (w->segments.n)
    finish_segment_parts (w, share, shared);
  if (threadIdx.x == 0) {
    hypothesis.score = scopedetect_weigh (&w->params, hypothesis.part);
    share->done = 0;
  }
}

static __global__ void
__launch_bounds__ (THREADS)
    share_scores_kernel (IN ScopedetectScoring w, IN ScopedetectModels models,
        IN ScopedetectHypotheses h, ScopedetectShares *shares)
{
  __shared__ AllShared shared;
  const ScopedetectShape *s = &models.shape[blockIdx.y];
  ScopedetectShares *share =
      &shares[blockIdx.y * SCOPEDETECT_SHARED_POSES + blockIdx.x];
  ScopedetectHypothesis *a;
  int part = blockIdx.z;

  allow_next ();
  await_previous ();
  if (!(a = hypothesis_of_block (&h)))
    return;
  copy_hypothesis_by_block (&shared.score.hypothesis, a);
  if (w.segments.n)
    take_segments (&w, s, shared.score.hypothesis.pose, part, share);
  total_points_by_block (&w, s, s->n, part, PARTS, shared.score);
  __threadfence (); /* of bits, by all threads */
  __syncthreads ();
  if (threadIdx.x == 0) {
    share->totals[part] = shared.score.totals.total;
    __threadfence ();
    shared.is_last = atomicAdd (&share->done, 1) == PARTS - 1;
  }
  __syncthreads ();
  if (!shared.is_last)
    return;
  finish_score (&w, share, shared);
  copy_hypothesis_by_block (a, &shared.score.hypothesis);
}

const char *
scopedetect_score_poses_cuda (const Device *dev,
    const ScopedetectScoring *scoring, const ScopedetectModels *models,
    int points, ScopedetectShares *shares, ScopedetectHypotheses *hypotheses)
{
  dim3 blocks (hypotheses->bound, models->n, points ? 1 : PARTS);

  if (!points && hypotheses->bound > SCOPEDETECT_SHARED_POSES)
    return "more than 256 poses would be scored with all points";
  if (points)
    TRY (scopedetect_launch (dev, score_poses_kernel, blocks, FEW_THREADS, 0,
        *scoring, *models, *hypotheses, points));
  else
    TRY (scopedetect_launch (dev, share_scores_kernel, blocks, THREADS, 0,
        *scoring, *models, *hypotheses, shares));
  return scopedetect_order_cuda (dev, models->n, hypotheses);
}
