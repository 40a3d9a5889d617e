/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Clusters and order of hypotheses. A block for each model decides groups of
 * hypotheses; if there are many, all blocks then drop those that are like a
 * kept one. */
#include <cub/block/block_merge_sort.cuh>

#include "common/scan.cuh"
#include "scopedetect/scopedetect_cuda.cuh"
#include "scopedetect/scopedetect_round1_core.h"
#include "scopedetect/scopedetect_score.cuh"

/* ---- Likeness ---- */

/* The parts of a pose that decide likeness: centre and rotation. */
typedef struct {
  float4 centre, q;
} Place;

/* Arguments of the kernels that cluster hypotheses. */
typedef struct {
  ScopedetectSieve *sieve;
  int max_kept;
  float distance2, cosine;
  int pass;  /* number of launches of sift_hypotheses_kernel before */
  bool last; /* decides all hypotheses that are left */
} Task;

static __device__ __forceinline__ Place
place_of_pose (const ScopedetectShape *s, Pose p)
{
  Turn r = turn_of (p.q);
  Vec c = vec_transform (&r, p.t, s->centre);
  Place place = {{c.x, c.y, c.z, 0}, {p.q.w, p.q.x, p.q.y, p.q.z}};

  return place;
}

/* The two tests of scopedetect_alike (). */
static __device__ __forceinline__ bool
is_place_near (const Place &a, const Place &b, float distance2)
{
  float x = a.centre.x - b.centre.x, y = a.centre.y - b.centre.y;
  float z = a.centre.z - b.centre.z;

  return x * x + y * y + z * z < distance2;
}

static __device__ __forceinline__ bool
is_place_turned_alike (const Place &a, const Place &b, float cosine)
{
  return fabsf (a.q.x * b.q.x + a.q.y * b.q.y + a.q.z * b.q.z + a.q.w * b.q.w) >
      cosine;
}

/* Whether any of @n places, at most 32, in shared memory is like @b. The
 * distances of all places come first, since most are too far away. */
static __device__ __forceinline__ bool
is_any_place_alike (const Place *place, int n, const Place &b, const Task &t)
{
  uint32_t near = 0;

#pragma unroll
  for (int k = 0; k < 32; k++)
    near |= (uint32_t) is_place_near (place[k], b, t.distance2) << k;
  for (near &= n < 32 ? (1u << n) - 1 : ALL_LANES; near; near &= near - 1)
    if (is_place_turned_alike (place[__ffs ((int) near) - 1], b, t.cosine))
      return true;
  return false;
}

/* Whether the pose @mine is like one of the kept hypotheses @first to @last -
 * 1, or @known says so already. @place has room for one place a thread. All
 * threads call. */
static __device__ __forceinline__ bool
is_pose_known (const ScopedetectShape *s, const Task &t,
    const ScopedetectHypothesis *kept, int first, int last, const Place &mine,
    bool known, Place *place)
{
  for (; first < last; first += blockDim.x) {
    int n = min ((int) blockDim.x, last - first);

    __syncthreads ();
    if ((int) threadIdx.x < n)
      place[threadIdx.x] = place_of_pose (s, kept[first + threadIdx.x].pose);
    __syncthreads ();
    for (int i = 0; i < n && !known; i += 32)
      known = is_any_place_alike (&place[i], min (32, n - i), mine, t);
  }
  __syncthreads ();
  return known;
}

/* ---- Clusters ---- */

#define GROUP 384 /* hypotheses that are decided together */
#define GROUP_WORDS (GROUP / 32)
#define SIFT_EACH 1000 /* one sifting for this number of hypotheses, */
#define MAX_SIFTS 6    /* and at most this number of siftings */
#define SIFT_THREADS 128

typedef struct {
  Place place[GROUP];
  int number[GROUP], next;
  uint32_t like[GROUP][GROUP_WORDS +
      1]; /* one more word, so that banks do not conflict */
  uint32_t kept[GROUP_WORDS], open[GROUP_WORDS];
} ClusterShared;

/* Sets shared.number to the next hypotheses from @next on that are not gone, up
 * to GROUP of @n; @next becomes the one after them. Returns their number. */
static __device__ __forceinline__ int
gather_group (const uint32_t *gone, int n, int *next, ClusterShared &shared)
{
  int first = *next / 32, word = first + (int) threadIdx.x, total, at;
  int left = n - 32 * word;
  uint32_t bits = left <= 0 ? 0 : gone ? ~gone[word] : ALL_LANES;

  if (threadIdx.x == 0)
    bits &= ALL_LANES << *next % 32;
  if (left > 0 && left < 32)
    bits &= (1u << left) - 1;
  at = block_sum_before<GROUP> (__popc (bits), &total);
  for (; bits && at <= GROUP; bits &= bits - 1, at++) {
    int i = 32 * word + __ffs ((int) bits) - 1;

    if (at < GROUP)
      shared.number[at] = i;
    else
      shared.next = i;
  }
  if (threadIdx.x == 0 && total <= GROUP)
    shared.next = min (32 * (first + GROUP), n);
  __syncthreads ();
  *next = shared.next;
  return min (total, GROUP);
}

/* Notes for each of @n new places the earlier ones that are like it, 32 at
 * once. Both tests are made of all, since the best hypotheses are near to each
 * other. */
static __device__ __forceinline__ void
compare_clustered_places (int n, const Task &t, ClusterShared &shared)
{
  for (int at = threadIdx.x; at < n * GROUP_WORDS; at += GROUP) {
    int k = at / n, i = at % n;
    const Place *before = &shared.place[32 * k];
    uint32_t bits = 0;
    Place mine;

    i = k % 2 ? n - 1 - i : i; /* each warp gets early and late places */
    mine = shared.place[i];
    if (32 * k < i) {
#pragma unroll
      for (int j = 0; j < 32; j++)
        bits |= (uint32_t) (is_place_near (before[j], mine, t.distance2) &
                    is_place_turned_alike (before[j], mine, t.cosine))
            << j;
    }
    shared.like[i][k] = i - 32 * k < 32 ? bits & ((1u << (i & 31)) - 1) : bits;
  }
}

/* Whether this thread's place, of @n new ones in order, is kept: no kept place
 * before it is like it. A place can be decided as soon as all places before it
 * that are like it are decided; the first undecided place always can. */
static __device__ __forceinline__ bool
resolve_group (int n, ClusterShared &shared)
{
  int i = threadIdx.x;
  bool open = i < n, kept = false;
  uint32_t like[GROUP_WORDS];

#pragma unroll
  for (int k = 0; k < GROUP_WORDS; k++)
    like[k] = shared.like[i][k];
  do {
    uint32_t bits = __ballot_sync (ALL_LANES, open), on_kept = 0, on_open = 0;
    uint32_t kept_bits = __ballot_sync (ALL_LANES, kept);

    if (i % 32 == 0)
      shared.open[i / 32] = bits, shared.kept[i / 32] = kept_bits;
    __syncthreads ();
#pragma unroll
    for (int k = 0; k < GROUP_WORDS; k++) {
      on_kept |= like[k] & shared.kept[k];
      on_open |= like[k] & shared.open[k];
    }
    if (open && (on_kept || !on_open))
      kept = !on_kept, open = false;
  } while (__syncthreads_or (open));
  return kept;
}

/* Decides the next hypotheses that are not gone, at most GROUP. First those go
 * that are like a hypothesis kept since the last sifting; the others are
 * decided among each other. */
static __device__ __forceinline__ void
decide_group (const ScopedetectShape *s, const Task &t,
    const ScopedetectHypothesis *from, ScopedetectHypothesis *to, int n,
    const uint32_t *gone, int sifted, int *next, int *kept,
    ClusterShared &shared)
{
  int there = gather_group (gone, n, next, shared), thread = threadIdx.x, at;
  int i = thread < there ? shared.number[thread] : 0, n_new, n_kept;
  /* dropped hypotheses are last; the first is kept in any case (1.2.1) */
  bool out = thread >= there || (i && from[i].score == SCOPEDETECT_DROPPED);
  Place mine = place_of_pose (s, from[i].pose);

  out = is_pose_known (s, t, to, sifted, *kept, mine, out, shared.place);
  at = block_sum_before<GROUP> ((int) !out, &n_new);
  if (!out)
    shared.place[at] = mine, shared.number[at] = i;
  __syncthreads ();
  compare_clustered_places (n_new, t, shared);
  __syncthreads ();
  out = !resolve_group (n_new, shared);
  at = *kept + block_sum_before<GROUP> ((int) !out, &n_kept);
  if (!out && at < t.max_kept)
    to[at] = from[shared.number[thread]];
  *kept = min (*kept + n_kept, t.max_kept);
  __syncthreads (); /* kept hypotheses are written, numbers are read */
}

static __global__ void
__launch_bounds__ (GROUP) decide_clusters_kernel (
    IN ScopedetectModels models, IN ScopedetectHypotheses h, IN Task t)
{
  __shared__ ClusterShared shared;
  int m = blockIdx.x, n, kept = 0, sifted, next = 0;
  size_t first = (size_t) m * SCOPEDETECT_MAX_KEPT;
  const ScopedetectShape *s = &models.shape[m];
  const uint32_t *gone = t.pass ? t.sieve[m].gone : NULL;
  ScopedetectSieve *sieve = &t.sieve[m];

  allow_next ();
  await_previous ();
  n = h.n[m];
  if (t.pass)
    kept = sieve->kept, next = sieve->next;
  __syncthreads (); /* all threads have read the sieve */
  sifted = kept;
  for (bool more = true; more && next < n && kept < t.max_kept; more = t.last)
    decide_group (s, t, h.of + first, h.spare + first, n, gone, sifted, &next,
        &kept, shared);
  if (threadIdx.x)
    return;
  sieve->kept = kept, sieve->sifted = sifted, sieve->next = next;
  if (t.last)
    h.n[m] = kept;
}

/* Marks undecided hypotheses like those kept last as gone, a thread each. */
static __global__ void
__launch_bounds__ (SIFT_THREADS) sift_hypotheses_kernel (
    IN ScopedetectModels models, IN ScopedetectHypotheses h, IN Task t)
{
  __shared__ Place place[SIFT_THREADS];
  int m = blockIdx.y, i = blockIdx.x * SIFT_THREADS + threadIdx.x, n;
  size_t first = (size_t) m * SCOPEDETECT_MAX_KEPT;
  const ScopedetectShape *s = &models.shape[m];
  ScopedetectSieve *sieve = &t.sieve[m];
  uint32_t bits;
  bool gone;

  allow_next ();
  await_previous ();
  n = h.n[m];
  gone = i >= n || i < sieve->next ||
      (t.pass && sieve->gone[i / 32] >> i % 32 & 1);
  if (__syncthreads_and (gone) && t.pass)
    return;
  gone = is_pose_known (s, t, h.spare + first, sieve->sifted, sieve->kept,
      place_of_pose (s, h.of[first + (gone ? 0 : i)].pose), gone, place);
  bits = __ballot_sync (ALL_LANES, gone);
  if (threadIdx.x % 32 == 0 && i < n)
    sieve->gone[i / 32] = bits;
}

const char *
scopedetect_cluster_poses_cuda (const Device *dev,
    const ScopedetectModels *models, const ScopedetectParams *params, int max,
    ScopedetectSieve *sieve, ScopedetectHypotheses *h)
{
  float d = (float) params->cluster_distance;
  float cosine = (float) cos (params->cluster_angle / 2 * .017453292519943295);
  Task t = {sieve, max, d * d, cosine, 0, false};
  dim3 blocks (ceil_div (h->bound, SIFT_THREADS), models->n);
  int passes = min ((h->bound - 1) / SIFT_EACH, MAX_SIFTS);

  for (; t.pass < passes; t.pass++) {
    TRY (scopedetect_launch (
        dev, decide_clusters_kernel, models->n, GROUP, 0, *models, *h, t));
    TRY (scopedetect_launch (
        dev, sift_hypotheses_kernel, blocks, SIFT_THREADS, 0, *models, *h, t));
  }
  t.last = true;
  TRY (scopedetect_launch (
      dev, decide_clusters_kernel, models->n, GROUP, 0, *models, *h, t));
  h->bound = max;
  scopedetect_change_places (h);
  return NULL;
}

/* ---- Order ----
 *
 * The rank of a hypothesis is the number of those before it. Of a few
 * hypotheses all keys are compared; of many, tiles are sorted and searched. */

#define THREADS 256
#define TILE 1024 /* keys that a block holds at once */
/* With more hypotheses than this, tiles are sorted. */
#define FEW 4096
#define LANES 8 /* of a hypothesis, if there are many */

/* The key of a hypothesis: ascending keys order as scopedetect_before (). */
static __device__ __forceinline__ uint64_t
order_key (const ScopedetectHypothesis &s)
{
  return (uint64_t) (uint32_t) ~((uint32_t) s.score ^ 0x80000000u) << 32 | s.id;
}

/* Loads the keys from @first on, of @n, to shared memory. */
static __device__ __forceinline__ void
load_order_keys (
    const ScopedetectHypothesis *from, int first, int n, uint64_t key[TILE])
{
  for (int k = threadIdx.x; k < TILE; k += THREADS)
    key[k] = first + k < n ? order_key (from[first + k]) : UINT64_MAX;
}

/* Copies a hypothesis, word by word, with @lanes lanes. */
static __device__ __forceinline__ void
copy_hypothesis_words (
    ScopedetectHypothesis *to, const ScopedetectHypothesis *from, int lanes)
{
  constexpr int WORDS = sizeof *to / sizeof (uint32_t);

  for (int k = threadIdx.x % lanes; k < WORDS; k += lanes)
    ((uint32_t *) to)[k] = ((const uint32_t *) from)[k];
}

/* Writes each hypothesis to its place in the order, by comparing all keys; a
 * warp for each hypothesis. */
static __global__ void
__launch_bounds__ (THREADS) order_hypotheses_kernel (IN ScopedetectHypotheses h)
{
  __shared__ uint64_t key[TILE];
  size_t of_model = (size_t) blockIdx.y * SCOPEDETECT_MAX_KEPT;
  const ScopedetectHypothesis *from = h.of + of_model;
  int i = blockIdx.x * (THREADS / 32) + threadIdx.x / 32, before = 0, n;
  uint64_t mine;

  allow_next ();
  await_previous ();
  n = h.n[blockIdx.y];
  if (blockIdx.x * (THREADS / 32) >= n)
    return;
  mine = i < n ? order_key (from[i]) : 0;
  for (int first = 0; first < n; first += TILE) {
    __syncthreads ();
    load_order_keys (from, first, n, key);
    __syncthreads ();
#pragma unroll 8
    for (int k = threadIdx.x % 32; k < TILE; k += 32)
      before += key[k] < mine;
  }
  before = (int) warp_sum ((uint32_t) before);
  if (i < n)
    copy_hypothesis_words (h.spare + of_model + before, from + i, 32);
}

/* ---- Many ---- */

#define EACH (TILE / THREADS) /* keys of a thread */

struct Smaller {
  __device__ bool operator() (uint64_t a, uint64_t b) const
  {
    return a < b;
  }
};

/* Sorts the keys of each tile; one block for each tile. */
static __global__ void
__launch_bounds__ (THREADS) sort_keys_kernel (IN ScopedetectHypotheses h)
{
  using Sort = cub::BlockMergeSort<uint64_t, THREADS, EACH>;
  __shared__ typename Sort::TempStorage shared;
  size_t of_model = (size_t) blockIdx.y * SCOPEDETECT_MAX_KEPT;
  int first = blockIdx.x * TILE + threadIdx.x * EACH, n;
  uint64_t key[EACH];

  allow_next ();
  await_previous ();
  n = h.n[blockIdx.y];
  if (blockIdx.x * TILE >= n)
    return;
#pragma unroll
  for (int k = 0; k < EACH; k++)
    key[k] =
        first + k < n ? order_key (h.of[of_model + first + k]) : UINT64_MAX;
  Sort (shared).Sort (key, Smaller ());
#pragma unroll
  for (int k = 0; k < EACH; k++)
    if (first + k < n)
      h.key[of_model + first + k] = key[k];
}

/* The number of those of @n sorted keys, at most TILE, that are below @key. */
static __device__ __forceinline__ int
count_keys_before (const uint64_t *sorted, int n, uint64_t key)
{
  int before = 0;

#pragma unroll
  for (int step = TILE; step; step /= 2)
    if (before + step <= n && sorted[before + step - 1] < key)
      before += step;
  return before;
}

/* Writes each hypothesis to its place in the order, by searching sorted tiles;
 * LANES lanes for each hypothesis, each of which searches some tiles. */
static __global__ void
__launch_bounds__ (THREADS) rank_hypotheses_kernel (IN ScopedetectHypotheses h)
{
  size_t of_model = (size_t) blockIdx.y * SCOPEDETECT_MAX_KEPT;
  const ScopedetectHypothesis *from = h.of + of_model;
  int i = blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES, before = 0, n;
  uint64_t mine;

  allow_next ();
  await_previous ();
  n = h.n[blockIdx.y];
  if (blockIdx.x * (THREADS / LANES) >= n)
    return;
  mine = i < n ? order_key (from[i]) : 0;
  for (int first = threadIdx.x % LANES * TILE; first < n; first += LANES * TILE)
    before += count_keys_before (
        h.key + of_model + first, min (TILE, n - first), mine);
  before = lanes_sum<LANES> (before);
  if (i < n)
    copy_hypothesis_words (h.spare + of_model + before, from + i, LANES);
}

void
scopedetect_change_places (ScopedetectHypotheses *h)
{
  ScopedetectHypothesis *spare = h->of;

  h->of = h->spare;
  h->spare = spare;
}

const char *
scopedetect_order_cuda (
    const Device *dev, int n_models, ScopedetectHypotheses *h)
{
  dim3 warps (ceil_div (h->bound, THREADS / 32), n_models);
  dim3 tiles (ceil_div (h->bound, TILE), n_models);
  dim3 lanes (ceil_div (h->bound, THREADS / LANES), n_models);

  if (h->bound <= FEW) {
    TRY (scopedetect_launch (
        dev, order_hypotheses_kernel, warps, THREADS, 0, *h));
  } else {
    TRY (scopedetect_launch (dev, sort_keys_kernel, tiles, THREADS, 0, *h));
    TRY (scopedetect_launch (
        dev, rank_hypotheses_kernel, lanes, THREADS, 0, *h));
  }
  scopedetect_change_places (h);
  return NULL;
}
