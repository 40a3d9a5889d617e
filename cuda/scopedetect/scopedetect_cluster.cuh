/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which samples are alike, and how far a model's are decided. */
#pragma once

#include "scopedetect/scopedetect_round1.h"
#include "scopedetect/scopedetect_sum.cuh"

/* What of a pose decides which it is like: where the model's centre is, and its
 * turn. */
typedef struct {
  float4 centre, q;
} Place;

/* How far a model's samples are decided. */
typedef struct {
  int kept, sifted; /* so many; so many before the last ones */
  int next;         /* sample that is looked at next */
  uint32_t gone[SCOPEDETECT_MAX_KEPT / 32]; /* a bit a sample after that: it is
                                               like one that is kept */
} Sieve;

static_assert (SCOPEDETECT_MAX_KEPT % 32 == 0, "whole words");

struct _ScopedetectClusterCuda {
  Sieve of[SCOPEDETECT_BATCH];
};

/* What a launch is to do. */
typedef struct {
  ScopedetectSample *to;
  ScopedetectClusterCuda *c;
  int most;
  float distance2, cosine;
  int pass;  /* how often samples have been sifted */
  bool last; /* goes on to the end */
} Task;

static __device__ __forceinline__ Place
place_of (const ScopedetectShape *s, Pose p)
{
  Turn r = turn_of (p.q);
  Vec c = vec_transform (&r, p.t, s->centre);
  Place place = {{c.x, c.y, c.z, 0}, {p.q.w, p.q.x, p.q.y, p.q.z}};

  return place;
}

/* The two tests of scopedetect_alike (). */
static __device__ __forceinline__ bool
is_near (const Place &a, const Place &b, float distance2)
{
  float x = a.centre.x - b.centre.x, y = a.centre.y - b.centre.y;
  float z = a.centre.z - b.centre.z;

  return x * x + y * y + z * z < distance2;
}

static __device__ __forceinline__ bool
is_turned_alike (const Place &a, const Place &b, float cosine)
{
  return fabsf (a.q.x * b.q.x + a.q.y * b.q.y + a.q.z * b.q.z + a.q.w * b.q.w) >
      cosine;
}

/* Whether any of @n places, at most 32, in shared memory is alike.  Most are
 * too far away; no place waits for the one before it. */
static __device__ __forceinline__ bool
any_alike (const Place *place, int n, const Place &b, const Task &t)
{
  uint32_t near = 0;

#pragma unroll
  for (int k = 0; k < 32; k++)
    near |= (uint32_t) is_near (place[k], b, t.distance2) << k;
  for (near &= n < 32 ? (1u << n) - 1 : ALL_LANES; near; near &= near - 1)
    if (is_turned_alike (place[__ffs ((int) near) - 1], b, t.cosine))
      return true;
  return false;
}

/* Whether any of the samples kept from @first to @last - 1 is like @mine, or
 * that is @known.  @place has room for one a thread; all threads call. */
static __device__ __forceinline__ bool
is_known (const ScopedetectShape *s, const Task &t,
    const ScopedetectSample *kept, int first, int last, const Place &mine,
    bool known, Place *place)
{
  for (; first < last; first += blockDim.x) {
    int n = min ((int) blockDim.x, last - first);

    __syncthreads ();
    if ((int) threadIdx.x < n)
      place[threadIdx.x] = place_of (s, kept[first + threadIdx.x].pose);
    __syncthreads ();
    for (int i = 0; i < n && !known; i += 32)
      known = any_alike (&place[i], min (32, n - i), mine, t);
  }
  __syncthreads ();
  return known;
}
