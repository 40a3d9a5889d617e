/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Round 1: the hypotheses that score best become samples, in the order of their
 * ids. */
#include "scopedetect/scopedetect_choose.cuh"

#define THREADS 256
#define EACH (SCOPEDETECT_CHUNK / THREADS) /* scores of a thread */
#define BINS SCOPEDETECT_SCORE_BINS
#define CHUNK SCOPEDETECT_CHUNK

static_assert (BINS == THREADS, "a thread a bin");

/* What is kept: scores above @least, and the first @of_least of those on it. */
typedef struct {
  int least, of_least;
} Threshold;

/* ---- The threshold ---- */

/* The last bin from which on there are @wanted, else @first; so many of them
 * are wanted go to @left. */
static __device__ int
bin_of (const int *count, int first, int wanted, int *left)
{
  __shared__ int sum[BINS], found[2];
  int i = threadIdx.x, mine = i < first ? 0 : count[i];

  sum[i] = mine;
  __syncthreads ();
  for (int step = 1; step < BINS; step *= 2) {
    int more = i + step < BINS ? sum[i + step] : 0;

    __syncthreads ();
    sum[i] += more;
    __syncthreads ();
  }
  if (i == first || (i > first && sum[i] >= wanted)) {
    bool last = i == BINS - 1 || sum[i + 1] < wanted;

    if (last) {
      found[0] = i;
      found[1] = wanted - (sum[i] - mine);
    }
  }
  __syncthreads ();
  *left = found[1];
  i = found[0];
  __syncthreads ();
  return i;
}

static __device__ __forceinline__ Threshold
threshold (const ScopedetectWork &w, const ScopedetectChooseCuda *c, int m)
{
  Threshold t = {0, 0};
  int high, left;

  if (w.params.random)
    return t;
  high = bin_of (c->bin[m][0], 0, w.params.kept, &left);
  /* the least score of all is that of what is left out */
  t.least = bin_of (c->bin[m][1], high ? 0 : 1, left, &t.of_least) +
      high * BINS + INT16_MIN;
  return t;
}

/* Counts the scores in the bin that holds the threshold. */
static __global__ void
__launch_bounds__ (THREADS) fine_kernel (
    const __grid_constant__ ScopedetectWork w, ScopedetectChooseCuda *c)
{
  __shared__ int count[BINS];
  int m = blockIdx.y, n = scopedetect_n_scores (w), left, high;
  const int16_t *check = scopedetect_scores_of (w, m);

  allow_next ();
  await_previous ();
  count[threadIdx.x] = 0;
  high = bin_of (c->bin[m][0], 0, w.params.kept, &left);
  for (int i = 0; i < EACH; i++) {
    int id = blockIdx.x * CHUNK + i * THREADS + threadIdx.x;
    int at = id < n ? check[id] - INT16_MIN : -1;

    if (at >= 0 && at / BINS == high)
      atomicAdd (&count[at % BINS], 1);
  }
  scopedetect_add_counts (count, c->bin[m][1]);
}

/* ---- Those that are kept ---- */

/* Of the thread's scores: how many are above the threshold, and on it. */
static __device__ __forceinline__ int2
look (const int16_t score[EACH], Threshold t)
{
  int2 n = {0, 0};

#pragma unroll
  for (int i = 0; i < EACH; i++) {
    n.x += score[i] > t.least;
    n.y += score[i] == t.least && score[i] > INT16_MIN;
  }
  return n;
}

static __device__ __forceinline__ void
load_scores (const ScopedetectWork &w, int m, int16_t score[EACH])
{
  const int16_t *check = scopedetect_scores_of (w, m);
  int first = blockIdx.x * CHUNK + threadIdx.x * EACH,
      n = scopedetect_n_scores (w);

#pragma unroll
  for (int i = 0; i < EACH; i++)
    score[i] = first + i < n ? check[first + i] : (int16_t) INT16_MIN;
}

/* The sum over the threads before this one; over all of them to @total. */
static __device__ int2
sum_before (int2 mine, int2 *total)
{
  __shared__ int2 sum[THREADS];
  int i = threadIdx.x;

  __syncthreads ();
  sum[i] = mine;
  __syncthreads ();
  for (int step = 1; step < THREADS; step *= 2) {
    int2 more = i >= step ? sum[i - step] : int2{0, 0};

    __syncthreads ();
    sum[i].x += more.x, sum[i].y += more.y;
    __syncthreads ();
  }
  *total = sum[THREADS - 1];
  return int2{sum[i].x - mine.x, sum[i].y - mine.y};
}

static __global__ void
__launch_bounds__ (THREADS) count_kernel (
    const __grid_constant__ ScopedetectWork w, ScopedetectChooseCuda *c)
{
  int m = blockIdx.y;
  int16_t score[EACH];
  int2 total;

  allow_next ();
  await_previous ();
  load_scores (w, m, score);
  sum_before (look (score, threshold (w, c, m)), &total);
  if (threadIdx.x == 0)
    c->chunk[m][blockIdx.x] = total;
}

static __device__ __forceinline__ void
keep (const ScopedetectWork &w, int m, int at, int number, int score)
{
  uint32_t each = 2 * (uint32_t) w.params.neighbours;
  ScopedetectSample *s =
      &w.sample[(size_t) m * SCOPEDETECT_MAX_KEPT + (size_t) at];

  s->id = w.params.random ? (uint32_t) number * each + (uint32_t) (score - 1)
                          : (uint32_t) number;
  s->score = w.params.random ? 0 : score;
  s->pose = scopedetect_hypothesis (&w, m, s->id);
}

static __global__ void
__launch_bounds__ (THREADS) keep_kernel (
    const __grid_constant__ ScopedetectWork w, const ScopedetectChooseCuda *c)
{
  int m = blockIdx.y, first = blockIdx.x * CHUNK + threadIdx.x * EACH;
  int most = w.params.random ? w.params.samples : w.params.kept;
  int2 before = {0, 0}, mine, total;
  int16_t score[EACH];
  Threshold t;

  allow_next ();
  await_previous ();
  t = threshold (w, c, m);
  for (int i = threadIdx.x; i < blockIdx.x; i += THREADS)
    before.x += c->chunk[m][i].x, before.y += c->chunk[m][i].y;
  sum_before (before, &before);
  load_scores (w, m, score);
  mine = sum_before (look (score, t), &total);
  if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
    w.counts->n_samples[m] =
        min (most, before.x + total.x + min (before.y + total.y, t.of_least));
  mine.x += before.x, mine.y += before.y;
  for (int i = 0; i < EACH; i++) {
    bool above = score[i] > t.least;
    bool on = score[i] == t.least && score[i] > INT16_MIN;
    int at = mine.x + min (mine.y, t.of_least);

    if ((above || (on && mine.y < t.of_least)) && at < most)
      keep (w, m, at, first + i, score[i]);
    mine.x += above, mine.y += on;
  }
}

const char *
scopedetect_choose_open_cuda (const Device *dev, ScopedetectChooseCuda **c)
{
  return device_alloc (dev, (void **) c, sizeof **c);
}

const char *
scopedetect_choose_cuda (const Device *dev, ScopedetectWork *w)
{
  ScopedetectChooseCuda *c = scopedetect_cuda (w)->choose;
  dim3 chunks (
      max (1, ceil_div (scopedetect_n_scores (*w), CHUNK)), w->n_models);

  scopedetect_cuda (w)->bound =
      w->params.random ? w->params.samples : w->params.kept;
  if (!w->params.random)
    TRY (device_clear (dev, c->bin, sizeof c->bin));
  TRY (scopedetect_check_cuda (dev, w, c));
  if (!w->params.random)
    TRY (scopedetect_launch (dev, w, fine_kernel, chunks, THREADS, 0, *w, c));
  TRY (scopedetect_launch (dev, w, count_kernel, chunks, THREADS, 0, *w, c));
  return scopedetect_launch (dev, w, keep_kernel, chunks, THREADS, 0, *w,
      (const ScopedetectChooseCuda *) c);
}
