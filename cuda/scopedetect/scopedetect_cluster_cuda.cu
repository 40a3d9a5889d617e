/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Of samples that are alike the best, a block a model. */
#include "scopedetect/scopedetect_round1.h"
#include "scopedetect/scopedetect_sum.cuh"

#define GROUP 384 /* samples that are looked at together */
#define GROUP_WORDS (GROUP / 32)
#define AHEAD 8 /* of them that are read ahead */

/* What of a pose decides which it is like: where the model's centre is, and its
 * turn. */
typedef struct {
  float4 centre, q;
} Place;

typedef struct {
  Place place[GROUP];
  int number[GROUP];
  uint32_t alike[GROUP][GROUP_WORDS + 1]; /* one more: no conflicts */
  uint32_t kept[GROUP_WORDS];
  int count[SCOPEDETECT_MAX_WARPS];
} ClusterShared;

static __device__ __forceinline__ Place
place_of (const ScopedetectShape *s, ScopedetectPose p)
{
  ScopedetectTurn r = scopedetect_turn (p.q);
  ScopedetectVec c = scopedetect_apply (&r, p.t, s->centre);
  Place place = {{c.x, c.y, c.z, 0}, {p.q.w, p.q.x, p.q.y, p.q.z}};

  return place;
}

/* As scopedetect_alike (), of @n places, at most 32, in shared memory: a bit
 * each.  Most are too far away; no place waits for the one before it. */
static __device__ __forceinline__ uint32_t
alike (const Place *place, int n, const Place &b, float distance2, float cosine)
{
  uint32_t near = 0, bits = 0;

#pragma unroll
  for (int k = 0; k < 32; k++) {
    float4 c = place[k].centre;
    float x = c.x - b.centre.x, y = c.y - b.centre.y, z = c.z - b.centre.z;

    near |= (uint32_t) (x * x + y * y + z * z < distance2) << k;
  }
  for (near &= n < 32 ? (1u << n) - 1 : ALL_LANES; near; near &= near - 1) {
    int k = __ffs ((int) near) - 1;
    float4 q = place[k].q;

    bits |= (uint32_t) (fabsf (q.x * b.q.x + q.y * b.q.y + q.z * b.q.z +
                            q.w * b.q.w) > cosine)
        << k;
  }
  return bits;
}

/* Whether any of the @n samples that are kept is alike. */
static __device__ __forceinline__ bool
is_known (const ScopedetectShape *s, const ScopedetectSample *kept, int n,
    const Place &mine, float distance2, float cosine, ClusterShared &shared)
{
  bool known = false;

  for (int first = 0; first < n; first += GROUP) {
    __syncthreads ();
    if (first + (int) threadIdx.x < n)
      shared.place[threadIdx.x] = place_of (s, kept[first + threadIdx.x].pose);
    __syncthreads ();
    for (int i = 0; i < min (GROUP, n - first) && !known; i += 32)
      known = alike (
          &shared.place[i], min (32, n - first - i), mine, distance2, cosine);
  }
  __syncthreads ();
  return known;
}

/* Of @n new places, in order, those that are like none before them that is
 * kept: a bit each to shared.kept, by one warp. */
static __device__ __forceinline__ void
resolve (int n, ClusterShared &shared)
{
  int lane = threadIdx.x % 32;
  uint32_t kept = 0; /* word @lane */

  for (int first = 0; first < n; first += AHEAD) {
    uint32_t like[AHEAD];

#pragma unroll
    for (int k = 0; k < AHEAD; k++)
      like[k] = lane < GROUP_WORDS ? shared.alike[first + k][lane] : 0;
#pragma unroll
    for (int k = 0; k < AHEAD; k++) {
      int i = first + k;

      if (!__any_sync (ALL_LANES, like[k] & kept) && lane == i / 32)
        kept |= 1u << i % 32;
    }
  }
  if (lane < GROUP_WORDS)
    shared.kept[lane] = kept;
}

/* Which of the places before it each of @n is like. */
static __device__ __forceinline__ void
compare (int n, float distance2, float cosine, ClusterShared &shared)
{
  for (int at = threadIdx.x; at < n * GROUP_WORDS; at += GROUP) {
    int i = at % n, k = at / n; /* so that a warp reads the same places */
    int n_before = min (i - 32 * k, 32);

    shared.alike[i][k] = n_before > 0 ? alike (&shared.place[32 * k], n_before,
                                            shared.place[i], distance2, cosine)
                                      : 0;
  }
}

/* Looks at the samples of a model from the best on, GROUP at once: those like a
 * sample that is kept go; of the others each decides in its turn. */
static __global__ void
__launch_bounds__ (GROUP)
    cluster_kernel (const __grid_constant__ ScopedetectWork w,
        ScopedetectSample *to, int most, float distance2, float cosine)
{
  __shared__ ClusterShared shared;
  int m = blockIdx.x, n, kept = 0, n_new, n_kept;
  const ScopedetectShape *s = &w.model[m];
  const ScopedetectSample *sample =
      w.sample + (size_t) m * SCOPEDETECT_MAX_KEPT;

  allow_next ();
  await_previous ();
  to += (size_t) m * SCOPEDETECT_MAX_KEPT;
  n = w.counts->n_samples[m];
  for (int first = 0; first < n && kept < most; first += GROUP) {
    int i = first + threadIdx.x, at;
    /* those that are dropped are last; one is kept whatever it is (1.2.1) */
    bool there = i < n && (!i || sample[i].score != SCOPEDETECT_DROPPED);
    Place mine = place_of (s, sample[there ? i : 0].pose);
    bool is_new = !is_known (s, to, kept, mine, distance2, cosine, shared);

    is_new = is_new && there;
    at = count_before (is_new, shared.count, &n_new);
    if (is_new)
      shared.place[at] = mine, shared.number[at] = i;
    __syncthreads ();
    compare (n_new, distance2, cosine, shared);
    __syncthreads ();
    if (threadIdx.x < 32)
      resolve (n_new, shared);
    __syncthreads ();
    i = threadIdx.x;
    is_new = i < n_new && shared.kept[i / 32] >> i % 32 & 1;
    at = kept + count_before (is_new, shared.count, &n_kept);
    if (is_new && at < most)
      to[at] = sample[shared.number[i]];
    kept = min (kept + n_kept, most);
  }
  if (threadIdx.x == 0)
    w.counts->n_samples[m] = kept;
}

const char *
scopedetect_cluster_cuda (const Device *dev, ScopedetectWork *w, int most)
{
  float d = (float) w->params.cluster_distance;
  float cosine =
      (float) cos (w->params.cluster_angle / 2 * .017453292519943295);
  ScopedetectCuda *c = scopedetect_cuda (w);

  TRY (scopedetect_launch (dev, w, cluster_kernel, w->n_models, GROUP, 0, *w,
      c->spare, most, d * d, cosine));
  c->bound = most;
  scopedetect_change_places (w);
  return NULL;
}
