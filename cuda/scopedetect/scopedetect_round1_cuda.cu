/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Round 1: the nearest features of each query, the hypotheses of these pairs
 * that agree best with the frame, and their first score. */
#include "common/scan.cuh"
#include "scopedetect/scopedetect_cuda.cuh"
#include "scopedetect/scopedetect_round1_core.h"
#include "scopedetect/scopedetect_score.cuh"

/* ---- The nearest features of queries ----
 *
 * A warp computes some queries, a lane for each point of the model. Codes are
 * packed to bytes, so that one instruction makes four products. */

#define MATCH_WARPS 16
#define TILE (32 * MATCH_WARPS) /* points of the model at once */
#define WORDS 9                 /* of a code: 33 bytes, the rest 0 */

typedef struct {
  uint32_t code[WORDS][TILE];
  int square[TILE];
} Tile;

/* The nearest points of a query over the lanes of a warp, nearest first. */
typedef struct {
  uint32_t code[WORDS];
  int square;
  int d, point; /* entry of this lane */
  int worst;    /* of the Kth */
} Nearest;

static __device__ __forceinline__ int
pack_code (const int16_t *code, uint32_t out[WORDS])
{
  int square = 0;

#pragma unroll
  for (int k = 0; k < (WORDS + 1) / 2; k++) { /* 8 numbers at once */
    uint4 v = ((const uint4 *) code)[k];

    out[2 * k] = __byte_perm (v.x, v.y, 0x6420);
    square = (int) __dp4a (out[2 * k], out[2 * k], (uint32_t) square);
    if (2 * k + 1 == WORDS)
      break;
    out[2 * k + 1] = __byte_perm (v.z, v.w, 0x6420);
    square = (int) __dp4a (out[2 * k + 1], out[2 * k + 1], (uint32_t) square);
  }
  return square;
}

static __device__ __forceinline__ void
load_code_tile (const ScopedetectShape *s, int first, Tile *tile)
{
  int j = first + threadIdx.x;
  uint32_t code[WORDS] = {};
  int square = INT32_MAX / 2; /* without a point: farther than any */

  if (j < s->n)
    square = pack_code (s->code + (size_t) j * SCOPEDETECT_CODE, code);
#pragma unroll
  for (int k = 0; k < WORDS; k++)
    tile->code[k][threadIdx.x] = code[k];
  tile->square[threadIdx.x] = square;
}

/* Inserts those of 32 points that are near enough, in the order of their
 * numbers, so that of equally near ones the smaller numbers stay. */
static __device__ __forceinline__ void
insert_nearest (Nearest *near, int d, int first, int k)
{
  int lane = threadIdx.x % 32;
  uint32_t mask = __ballot_sync (ALL_LANES, d < near->worst);

  while (mask) {
    int from = __ffs ((int) mask) - 1;
    int next = __shfl_sync (ALL_LANES, d, from);
    int at = __popc (__ballot_sync (ALL_LANES, near->d <= next));
    int d_before = __shfl_up_sync (ALL_LANES, near->d, 1);
    int point_before = __shfl_up_sync (ALL_LANES, near->point, 1);

    if (lane >= at) {
      near->d = lane == at ? next : d_before;
      near->point = lane == at ? first + from : point_before;
    }
    near->worst = __shfl_sync (ALL_LANES, near->d, k - 1);
    mask &= mask - 1;
    mask &= __ballot_sync (ALL_LANES, d < near->worst);
  }
}

template <int PER>
static __global__ void
__launch_bounds__ (TILE, 2) match_features_kernel (IN ScopedetectCloud cloud,
    IN ScopedetectQueries queries, IN ScopedetectModels models,
    IN ScopedetectMatches matches)
{
  __shared__ Tile tile;
  const ScopedetectShape *s = &models.shape[blockIdx.y];
  int lane = threadIdx.x % 32, k = matches.k;
  int first_query = (blockIdx.x * MATCH_WARPS + threadIdx.x / 32) * PER;
  Nearest near[PER];

  allow_next ();
  await_previous ();
#pragma unroll
  for (int i = 0; i < PER; i++) {
    int q = min (first_query + i, queries.n - 1);

    near[i].square = pack_code (cloud.code +
            (size_t) scopedetect_query (&queries, q) * SCOPEDETECT_CODE,
        near[i].code);
    near[i].d = near[i].worst = INT32_MAX / 4;
    near[i].point = UINT16_MAX;
  }
  for (int first = 0; first < s->n; first += TILE) {
    __syncthreads ();
    load_code_tile (s, first, &tile);
    __syncthreads ();
    for (int at = 0; at < TILE && first + at < s->n; at += 32) {
      uint32_t code[WORDS];
      int square = tile.square[at + lane];

#pragma unroll
      for (int j = 0; j < WORDS; j++)
        code[j] = tile.code[j][at + lane];
#pragma unroll
      for (int i = 0; i < PER; i++) {
        uint32_t product = 0;

#pragma unroll
        for (int j = 0; j < WORDS; j++)
          product = __dp4a (code[j], near[i].code[j], product);
        insert_nearest (&near[i], square + near[i].square - 2 * (int) product,
            first + at, k);
      }
    }
  }
#pragma unroll
  for (int i = 0; i < PER; i++)
    if (first_query + i < queries.n && lane < k)
      matches.point[((size_t) blockIdx.y * matches.room + first_query + i) * k +
          lane] = (uint16_t) near[i].point;
}

const char *
scopedetect_match_features_cuda (const Device *dev,
    const ScopedetectCloud *cloud, const ScopedetectQueries *queries,
    const ScopedetectModels *models, ScopedetectMatches *matches)
{
  bool many = (int64_t) queries->n * models->n > 8192;
  int per = many ? 2 : 1;
  dim3 blocks (ceil_div (queries->n, MATCH_WARPS * per), models->n);

  if (!queries->n)
    return NULL;
  return scopedetect_launch (dev,
      many ? match_features_kernel<2> : match_features_kernel<1>, blocks, TILE,
      0, *cloud, *queries, *models, *matches);
}

/* ---- Scores of hypotheses, and their counts ---- */

/* Arguments of the kernels that score and choose hypotheses. */
typedef struct {
  ScopedetectQueries queries;
  ScopedetectMatches matches;
  ScopedetectChecks checks;
  bool random;
  int max; /* hypotheses of a model that are kept */
} Choice;

/* The number of hypotheses of a model that get a score. */
static __host__ __device__ __forceinline__ int
n_scores_of_choice (const Choice &c)
{
  return c.queries.n * (c.random ? 1 : c.matches.k * 2);
}

/* Adds a block's counts to @to; each thread adds one bin. */
static __device__ __forceinline__ void
add_bin_counts (int *count, int *to)
{
  __syncthreads ();
  if (count[threadIdx.x])
    atomicAdd (&to[threadIdx.x], count[threadIdx.x]);
}

/* ---- Hypotheses that are kept, in the order of their ids ---- */

#define THREADS 256
#define EACH (SCOPEDETECT_CHUNK / THREADS) /* scores of a thread */
#define BINS SCOPEDETECT_SCORE_BINS
#define CHUNK SCOPEDETECT_CHUNK

static_assert (BINS == THREADS, "a thread a bin");

/* Keeps scores above @min_score, and the first @of_min equal to it. */
typedef struct {
  int min_score, of_min;
} Threshold;

/* ---- The threshold ---- */

/* The highest bin such that it and the bins above hold @wanted scores; else
 * @first. @left: the number of scores of this bin that are wanted. */
static __device__ int
bin_of_threshold (const int *count, int first, int wanted, int *left)
{
  __shared__ int found[2];
  int i = threadIdx.x, mine = i < first ? 0 : count[i], all;
  int before = block_sum_before<BINS> (mine, &all), after = all - before - mine;

  if (i == first || (i > first && after + mine >= wanted)) {
    bool last = i == BINS - 1 || after < wanted;

    if (last) {
      found[0] = i;
      found[1] = wanted - after;
    }
  }
  __syncthreads ();
  *left = found[1];
  return found[0];
}

static __device__ __forceinline__ Threshold
threshold_of_model (const Choice &w, int m)
{
  const ScopedetectBins *c = w.checks.bins;
  Threshold t = {0, 0};
  int high, left;

  if (w.random)
    return t;
  high = bin_of_threshold (c->bin[m][0], 0, w.max, &left);
  /* the minimum of int16_t marks missing hypotheses */
  t.min_score = bin_of_threshold (c->bin[m][1], high ? 0 : 1, left, &t.of_min) +
      high * BINS + INT16_MIN;
  return t;
}

/* Counts single scores in the bin that holds the threshold. */
static __global__ void
__launch_bounds__ (THREADS) fine_bins_kernel (IN Choice w)
{
  __shared__ int count[BINS];
  ScopedetectBins *c = w.checks.bins;
  int m = blockIdx.y, n = n_scores_of_choice (w), left, high;
  const int16_t *check = scopedetect_checks_of (&w.checks, &w.matches, m);

  allow_next ();
  await_previous ();
  count[threadIdx.x] = 0;
  high = bin_of_threshold (c->bin[m][0], 0, w.max, &left);
  for (int i = 0; i < EACH; i++) {
    int id = blockIdx.x * CHUNK + i * THREADS + threadIdx.x;
    int at = id < n ? check[id] - INT16_MIN : -1;

    if (at >= 0 && at / BINS == high)
      atomicAdd (&count[at % BINS], 1);
  }
  add_bin_counts (count, c->bin[m][1]);
}


static __device__ __forceinline__ int2
operator+ (int2 a, int2 b)
{
  return int2{a.x + b.x, a.y + b.y};
}

/* The numbers of a thread's scores above the threshold and equal to it. */
static __device__ __forceinline__ int2
count_above (const int16_t score[EACH], Threshold t)
{
  int2 n = {0, 0};

#pragma unroll
  for (int i = 0; i < EACH; i++) {
    n.x += score[i] > t.min_score;
    n.y += score[i] == t.min_score && score[i] > INT16_MIN;
  }
  return n;
}

static __device__ __forceinline__ void
load_chunk_scores (const Choice &w, int m, int16_t score[EACH])
{
  const int16_t *check = scopedetect_checks_of (&w.checks, &w.matches, m);
  int first = blockIdx.x * CHUNK + threadIdx.x * EACH,
      n = n_scores_of_choice (w);

#pragma unroll
  for (int i = 0; i < EACH; i++)
    score[i] = first + i < n ? check[first + i] : (int16_t) INT16_MIN;
}

static __global__ void
__launch_bounds__ (THREADS) count_kept_kernel (IN Choice w)
{
  int m = blockIdx.y;
  int16_t score[EACH];
  int2 total;

  allow_next ();
  await_previous ();
  load_chunk_scores (w, m, score);
  block_sum_before<THREADS> (
      count_above (score, threshold_of_model (w, m)), &total);
  if (threadIdx.x == 0)
    w.checks.bins->chunk[m][blockIdx.x] = total;
}

static __device__ __forceinline__ void
keep_hypothesis (const Choice &w, const ScopedetectCloud &cloud,
    const ScopedetectShape *model, int m, int number, int score,
    ScopedetectHypothesis *s)
{
  uint32_t each = 2 * (uint32_t) w.matches.k;

  s->id = w.random ? (uint32_t) number * each + (uint32_t) (score - 1)
                   : (uint32_t) number;
  s->score = w.random ? 0 : score;
  s->pose = scopedetect_hypothesis_pose (&cloud, &w.queries, model,
      scopedetect_matches_of (&w.matches, m), w.matches.k, s->id);
}

static __global__ void
__launch_bounds__ (THREADS)
    keep_poses_kernel (IN Choice w, IN ScopedetectCloud cloud,
        IN ScopedetectModels models, IN ScopedetectHypotheses h)
{
  const ScopedetectBins *c = w.checks.bins;
  int m = blockIdx.y, first = blockIdx.x * CHUNK + threadIdx.x * EACH;
  int max_kept = w.max;
  int2 before = {0, 0}, mine, total;
  int16_t score[EACH];
  Threshold t;

  allow_next ();
  await_previous ();
  t = threshold_of_model (w, m);
  for (int i = threadIdx.x; i < blockIdx.x; i += THREADS)
    before.x += c->chunk[m][i].x, before.y += c->chunk[m][i].y;
  block_sum_before<THREADS> (before, &before);
  load_chunk_scores (w, m, score);
  mine = block_sum_before<THREADS> (count_above (score, t), &total);
  if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
    h.n[m] =
        min (max_kept, before.x + total.x + min (before.y + total.y, t.of_min));
  mine.x += before.x, mine.y += before.y;
  for (int i = 0; i < EACH; i++) {
    bool above = score[i] > t.min_score;
    bool on = score[i] == t.min_score && score[i] > INT16_MIN;
    int at = mine.x + min (mine.y, t.of_min);

    if ((above || (on && mine.y < t.of_min)) && at < max_kept)
      keep_hypothesis (w, cloud, &models.shape[m], m, first + i, score[i],
          &h.of[(size_t) m * SCOPEDETECT_MAX_KEPT + (size_t) at]);
    mine.x += above, mine.y += on;
  }
}

/* ---- The check with few points, or a draw ---- */

#define VERIFY_WARPS 8 /* of a block that verifies hypotheses */

static_assert (SCOPEDETECT_SCORE_BINS == THREADS, "a thread a bin");

static __global__ void
__launch_bounds__ (THREADS)
    check_poses_kernel (IN Choice w, IN ScopedetectScene scene,
        IN ScopedetectCloud cloud, IN ScopedetectModels models, float tolerance)
{
  __shared__ int count[SCOPEDETECT_SCORE_BINS];
  int m = blockIdx.y, id = blockIdx.x * THREADS + threadIdx.x;
  int k = w.matches.k, n = w.queries.n * k * 2;
  const uint16_t *near = scopedetect_matches_of (&w.matches, m);
  const ScopedetectShape *s = &models.shape[m];
  int few = min (s->n, SCOPEDETECT_FEW);

  allow_next ();
  await_previous ();
  count[threadIdx.x] = 0;
  __syncthreads ();
  if (id < n) {
    int score = INT16_MIN;

    if (near[id / 2] != UINT16_MAX)
      score = scopedetect_agreement (&scene, s,
          scopedetect_hypothesis_pose (
              &cloud, &w.queries, s, near, k, (uint32_t) id),
          few, tolerance);
    scopedetect_checks_of (&w.checks, &w.matches, m)[id] = (int16_t) score;
    atomicAdd (&count[(score - INT16_MIN) / SCOPEDETECT_SCORE_BINS], 1);
  }
  add_bin_counts (count, w.checks.bins->bin[m][0]);
}

/* Draws the hypothesis of each query: 1 + its number, or 0 for none. */
static __global__ void
__launch_bounds__ (THREADS) draw_poses_kernel (IN Choice w,
    IN ScopedetectCloud cloud, IN ScopedetectModels models, uint64_t seed)
{
  int m = blockIdx.y, q = blockIdx.x * THREADS + threadIdx.x;
  uint32_t id, each = 2 * (uint32_t) w.matches.k;

  allow_next ();
  await_previous ();
  if (q < w.queries.n)
    scopedetect_checks_of (&w.checks, &w.matches, m)[q] =
        scopedetect_draw (&cloud, &w.queries, &models.shape[m],
            scopedetect_matches_of (&w.matches, m), w.matches.k, q, seed, &id)
        ? (int16_t) (1 + id - (uint32_t) q * each)
        : 0;
}

const char *
scopedetect_choose_poses_cuda (const Device *dev, const ScopedetectScene *scene,
    const ScopedetectCloud *cloud, const ScopedetectQueries *queries,
    const ScopedetectModels *models, const ScopedetectMatches *matches,
    const ScopedetectParams *params, int max, ScopedetectChecks *checks,
    ScopedetectHypotheses *hypotheses)
{
  Choice w = {*queries, *matches, *checks, params->random, max};
  ScopedetectBins *bins = checks->bins;
  int n = n_scores_of_choice (w);
  dim3 chunks (::max (1, ceil_div (n, CHUNK)), models->n);
  dim3 blocks (::max (1, ceil_div (n, THREADS)), models->n);

  hypotheses->bound = max;
  if (params->random) {
    TRY (scopedetect_launch (dev, draw_poses_kernel, blocks, THREADS, 0, w,
        *cloud, *models, params->seed));
  } else {
    TRY (device_clear (dev, bins->bin, sizeof bins->bin));
    TRY (scopedetect_launch (dev, check_poses_kernel, blocks, THREADS, 0, w,
        *scene, *cloud, *models, (float) params->tolerance));
    TRY (scopedetect_launch (dev, fine_bins_kernel, chunks, THREADS, 0, w));
  }
  TRY (scopedetect_launch (dev, count_kept_kernel, chunks, THREADS, 0, w));
  return scopedetect_launch (dev, keep_poses_kernel, chunks, THREADS, 0, w,
      *cloud, *models, *hypotheses);
}

/* ---- More points ---- */

/* The sums of a pose over the points that warp @part of @parts takes. */
static __device__ __forceinline__ ScopedetectCheck
verify_by_warp (const ScopedetectScene *scene, const ScopedetectParams *params,
    const ScopedetectShape *s, Pose p, int n, int part, int parts)
{
  Turn r = turn_of (p.q);
  ScopedetectCheck sums = {0, 0, 0};

  for (int i = 32 * part + threadIdx.x % 32; i < n; i += 32 * parts)
    scopedetect_check_point (scene, params, s, &r, p.t, i, &sums);
  sums.agreement = (int) warp_sum ((uint32_t) sums.agreement);
  sums.front = (int) warp_sum ((uint32_t) sums.front);
  if (scopedetect_counts_free (params))
    sums.free = (int) warp_sum ((uint32_t) sums.free);
  return sums;
}

/* Scores hypotheses with PARTS warps for each. */
template <int PARTS>
static __global__ void __launch_bounds__ (32 * VERIFY_WARPS)
    verify_poses_kernel (IN ScopedetectScene scene, IN ScopedetectModels models,
        IN ScopedetectParams params, IN ScopedetectHypotheses h)
{
  __shared__ ScopedetectCheck found[VERIFY_WARPS];
  int m = blockIdx.y, warp = threadIdx.x / 32;
  int i = blockIdx.x * (VERIFY_WARPS / PARTS) + warp / PARTS;
  const ScopedetectShape *s = &models.shape[m];
  ScopedetectHypothesis *a = h.of + (size_t) m * SCOPEDETECT_MAX_KEPT + i;
  int n = min (s->n, params.points);
  bool there;
  ScopedetectCheck v;

  allow_next ();
  await_previous ();
  there = i < h.n[m];
  if (there)
    found[warp] =
        verify_by_warp (&scene, &params, s, a->pose, n, warp % PARTS, PARTS);
  __syncthreads ();
  if (!there || threadIdx.x % (32 * PARTS))
    return;
  v = found[warp];
  for (int k = 1; k < PARTS; k++) {
    v.agreement += found[warp + k].agreement;
    v.front += found[warp + k].front;
    v.free += found[warp + k].free;
  }
  a->score = scopedetect_check_score (&params, &v, n);
}

const char *
scopedetect_verify_poses_cuda (const Device *dev, const ScopedetectScene *scene,
    const ScopedetectModels *models, const ScopedetectParams *params,
    ScopedetectHypotheses *hypotheses)
{
  int bound = hypotheses->bound;
  bool few = bound <= 4096; /* one warp each would not keep the device busy */
  dim3 blocks (
      ceil_div (bound, few ? VERIFY_WARPS / 4 : VERIFY_WARPS), models->n);

  TRY (scopedetect_launch (dev,
      few ? verify_poses_kernel<4> : verify_poses_kernel<1>, blocks,
      32 * VERIFY_WARPS, 0, *scene, *models, *params, *hypotheses));
  return scopedetect_order_cuda (dev, models->n, hypotheses);
}
