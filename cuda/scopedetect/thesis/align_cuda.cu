/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Alignment of round 2 and hill climbing of round 3, a block for each
 * hypothesis. */
#include "common/scan.cuh"
#include "scopedetect/thesis/align_core.h"
#include "scopedetect/thesis/climb_core.h"
#include "scopedetect/scopedetect_score.cuh"

#define ALIGN_THREADS 128
#define CLIMB_THREADS 512

static_assert (ALIGN_THREADS == SCOPEDETECT_MAX_PAIRS, "a thread a pair");

typedef struct {
  SumShared<ScopedetectPairs> pairs;
  int drawn[ALIGN_THREADS];
  int segment[SCOPEDETECT_MAX_PAIRS], point[SCOPEDETECT_MAX_PAIRS];
  ScopedetectOriented oriented[SCOPEDETECT_MAX_PAIRS];
  ScoreShared score;
} AlignShared;

/* Sets shared.drawn to the points of the model on which the drawn segments lie,
 * of ALIGN_THREADS segments from @first on. */
static __device__ __forceinline__ void
draw_segment_range (const ScopedetectScoring *w, const ScopedetectShape *s,
    const ScopedetectHypothesis *a, const Turn *r, int k, int first,
    AlignShared &shared)
{
  int n = w->segments.n, at = threadIdx.x;
  int i = first + at, g = i < n ? scopedetect_nth_segment (w, a, k, i) : 0;
  float off,
      chance = takes_by_warp (
          w, s, r, a->pose.t, i < n ? &w->segments.segment[g] : NULL, &off);

  shared.drawn[at] = scopedetect_drawn (w, s, a, r, k, g, chance);
  __syncthreads ();
}

/* Sets shared.segment and shared.point to the first drawn segments, in their
 * order; returns their number. */
static __device__ __forceinline__ int
draw_segments_by_block (const ScopedetectScoring *w, const ScopedetectShape *s,
    const ScopedetectHypothesis *a, int k, AlignShared &shared)
{
  Turn r = turn_of (a->pose.q);
  int n = w->segments.n, found = 0;

  for (int first = 0; first < n && found < SCOPEDETECT_MAX_PAIRS;
       first += ALIGN_THREADS) {
    int total, j, at;

    draw_segment_range (w, s, a, &r, k, first, shared);
    j = shared.drawn[threadIdx.x];
    at = found + block_sum_before<ALIGN_THREADS> ((int) (j >= 0), &total);
    if (j >= 0 && at < SCOPEDETECT_MAX_PAIRS)
      shared.segment[at] =
          scopedetect_nth_segment (w, a, k, first + (int) threadIdx.x),
      shared.point[at] = j;
    found += total;
  }
  __syncthreads ();
  return min (found, SCOPEDETECT_MAX_PAIRS);
}

/* Sets the pose of shared.score.hypothesis to its alignment with @n segments.
 */
static __device__ __forceinline__ void
align_by_block (const ScopedetectScoring *w, const Quat *frame,
    const ScopedetectShape *s, const ScopedetectHypothesis *a, int n,
    AlignShared &shared)
{
  Turn r = turn_of (a->pose.q);
  Vec c = vec_transform (&r, a->pose.t, s->centre);
  int view = view_by_warp (w, s, &r, a->pose.t), i = threadIdx.x;
  ScopedetectPairs mine = {};

  if (i < n) {
    const ScopedetectSegment *g = &w->segments.segment[shared.segment[i]];
    int edge = scopedetect_edge_match (&w->params, s, &r, a->pose.t, view, g);

    scopedetect_pair_up (&mine, s, c, shared.point[i], g->x);
    if (edge >= 0)
      scopedetect_pair_up (&mine, s, c, edge, g->edge);
    shared.oriented[i] = scopedetect_oriented (frame, s, g, shared.point[i]);
  }
  const ScopedetectPairs &pairs = sum_block (mine, shared.pairs);

  if (i == 0)
    shared.score.hypothesis.pose =
        scopedetect_aligned (&w->params, s, &pairs, shared.oriented, n, c);
  __syncthreads ();
}

static __global__ void
__launch_bounds__ (ALIGN_THREADS)
    align_poses_kernel (IN ScopedetectScoring w, const Quat *frame,
        IN ScopedetectModels models, IN ScopedetectHypotheses h, int k)
{
  __shared__ AlignShared shared;
  const ScopedetectShape *s = &models.shape[blockIdx.y];
  ScopedetectHypothesis *a;
  int n;

  allow_next ();
  await_previous ();
  if (!(a = hypothesis_of_block (&h)))
    return;
  n = draw_segments_by_block (&w, s, a, k, shared);
  if (n < 3)
    return;
  copy_hypothesis_by_block (&shared.score.hypothesis, a);
  align_by_block (&w, frame, s, a, n, shared);
  score_by_block (&w, s, min (s->n, w.params.points), shared.score);
  if (shared.score.hypothesis.score > a->score) /* all threads read the same */
    copy_hypothesis_by_block (a, &shared.score.hypothesis);
}

const char *
scopedetect_align_poses_cuda (const Device *dev,
    const ScopedetectScoring *scoring, const Quat *frame,
    const ScopedetectModels *models, int k, ScopedetectHypotheses *hypotheses)
{
  dim3 blocks (hypotheses->bound, models->n);

  TRY (scopedetect_launch (dev, align_poses_kernel, blocks, ALIGN_THREADS, 0,
      *scoring, frame, *models, *hypotheses, k));
  return scopedetect_order_cuda (dev, models->n, hypotheses);
}

/* ---- Round 3 ---- */

typedef struct {
  SumShared<ScopedetectSlope> slope;
  ScoreShared score;
  ScopedetectHypothesis at, next, best;
  float g[6];
  bool flat;
} ClimbShared;

static __device__ __forceinline__ void
slope_by_block (const ScopedetectScoring *w, const ScopedetectShape *s, int n,
    Pose p, Vec c, ClimbShared &shared)
{
  Turn r = turn_of (p.q);
  int view = view_by_warp (w, s, &r, p.t);
  uint32_t last = s->edge_first[view + 1];
  ScopedetectSlope mine = {};

  for (int i = threadIdx.x; i < n; i += blockDim.x)
    scopedetect_climb_point (w, s, &r, p.t, c, view, i, &mine);
  for (uint32_t i = s->edge_first[view] + threadIdx.x; i < last;
       i += blockDim.x)
    if ((int) s->edge[i] < n)
      scopedetect_climb_edge (
          w, vec_transform (&r, p.t, s->x[s->edge[i]]), c, &mine);
  const ScopedetectSlope &slope = sum_block (mine, shared.slope);

  if (threadIdx.x == 0)
    shared.flat = !scopedetect_uphill (w, &slope, shared.g);
  __syncthreads ();
}

/* Sets shared.next to the best of three steps from shared.at; returns the step.
 */
static __device__ __forceinline__ float
try_steps_by_block (const ScopedetectScoring *w, const ScopedetectShape *s,
    int n, Vec c, float length, ClimbShared &shared)
{
  const float steps[3] = {.6f, 1, 1.6f};
  float chosen = length;

  for (int t = 0; t < 3; t++) {
    copy_hypothesis_by_block (&shared.score.hypothesis, &shared.at);
    if (threadIdx.x == 0)
      shared.score.hypothesis.pose =
          scopedetect_stepped (shared.at.pose, c, shared.g, length * steps[t]);
    __syncthreads ();
    score_by_block (w, s, n, shared.score);
    if (t && shared.score.hypothesis.score <= shared.next.score)
      continue;
    chosen = length * steps[t];
    copy_hypothesis_by_block (&shared.next, &shared.score.hypothesis);
  }
  return chosen;
}

static __global__ void
__launch_bounds__ (CLIMB_THREADS) climb_poses_kernel (IN ScopedetectScoring w,
    IN ScopedetectModels models, IN ScopedetectHypotheses h, int n_steps)
{
  __shared__ ClimbShared shared;
  const ScopedetectShape *s = &models.shape[blockIdx.y];
  int n = min (s->n, w.params.points);
  float length = .01f;
  ScopedetectHypothesis *a;

  allow_next ();
  await_previous ();
  if (!(a = hypothesis_of_block (&h)))
    return;
  copy_hypothesis_by_block (&shared.at, a);
  copy_hypothesis_by_block (&shared.score.hypothesis, a);
  score_by_block (&w, s, n, shared.score);
  copy_hypothesis_by_block (&shared.best, &shared.score.hypothesis);
  for (int k = 0; k < n_steps; k++) {
    Pose p = shared.at.pose;
    Turn r = turn_of (p.q);
    Vec c = vec_transform (&r, p.t, s->centre);

    slope_by_block (&w, s, n, p, c, shared);
    if (shared.flat)
      break;
    length = try_steps_by_block (&w, s, n, c, length, shared);
    copy_hypothesis_by_block (&shared.at, &shared.next);
    if (shared.at.score > shared.best.score)
      copy_hypothesis_by_block (&shared.best, &shared.at);
  }
  copy_hypothesis_by_block (a, &shared.best);
}

const char *
scopedetect_climb_poses_cuda (const Device *dev,
    const ScopedetectScoring *scoring, const ScopedetectModels *models,
    int steps, ScopedetectHypotheses *hypotheses)
{
  dim3 blocks (hypotheses->bound, models->n);

  return scopedetect_launch (dev, climb_poses_kernel, blocks, CLIMB_THREADS, 0,
      *scoring, *models, *hypotheses, steps);
}
