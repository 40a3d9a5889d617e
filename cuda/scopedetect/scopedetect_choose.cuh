/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The scores of round 1's hypotheses, and the counts that say which of them are
 * kept. */
#pragma once

#include "scopedetect/scopedetect_cuda.cuh"
#include "scopedetect/scopedetect_round1.h"

#define SCOPEDETECT_SCORE_BINS 256 /* and of the scores in one of them */
#define SCOPEDETECT_CHUNK 4096     /* scores that a block takes over */
#define SCOPEDETECT_MAX_CHUNKS \
 (SCOPEDETECT_MAX_POINTS * SCOPEDETECT_MAX_NEIGHBOURS * 2 / SCOPEDETECT_CHUNK)

struct _ScopedetectChooseCuda {
  /* Of each model: how many scores are in each bin, and in each bin of the one
   * that holds the threshold. */
  int bin[SCOPEDETECT_BATCH][2][SCOPEDETECT_SCORE_BINS];
  /* Of each chunk of scores: how many are above the threshold, and on it. */
  int2 chunk[SCOPEDETECT_BATCH][SCOPEDETECT_MAX_CHUNKS];
};

static __device__ __forceinline__ int16_t *
scopedetect_scores_of (const ScopedetectWork &w, int m)
{
  return w.check + (size_t) m * w.room_queries * w.params.neighbours * 2;
}

/* How many of all the scores there are to choose from. */
static __host__ __device__ __forceinline__ int
scopedetect_n_scores (const ScopedetectWork &w)
{
  return w.n_queries * (w.params.random ? 1 : w.params.neighbours * 2);
}

/* Adds a block's counts, a thread a bin, to @to. */
static __device__ __forceinline__ void
scopedetect_add_counts (int *count, int *to)
{
  __syncthreads ();
  if (count[threadIdx.x])
    atomicAdd (&to[threadIdx.x], count[threadIdx.x]);
}

/* scopedetect_check_cuda.cu: scores of all hypotheses, counted by bins; or what
 * each query is drawn to. */
const char *scopedetect_check_cuda (
    const Device *dev, const ScopedetectWork *w, ScopedetectChooseCuda *c);
