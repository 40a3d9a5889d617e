/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pixels that their own trees do not prove, in rounds.
 *
 * They go by levels, from pixels 16 apart to all, each of which starts from the
 * best of the trees around it on coarser levels; where few are left, all at
 * once, from those that were around them a frame ago.  They follow stored
 * pivots; those that come to one which is missing wait until a round has added
 * it.  What a pixel sees depends on earlier rounds alone: counts repeat. */
#include "emdtrack/emdtrack_reuse.cuh"

#define FEW 4 /* a quarter of the pixels is not few */

/* ---- Rounds ---- */

/* What a block knows; the same in all of them. */
typedef struct {
  EmdtrackProblem problem; /* shared memory */
  EmdtrackBench bench[EMDTRACK_WARPS];
} Shared;

typedef struct {
  uint32_t round;
  uint32_t taken;    /* numbers of trees */
  uint32_t barriers; /* that have been passed */
  bool full, at_once;
  uint32_t neighbour, table, simplex, unstored; /* this thread's */
} Walk;

/* Until all blocks are here; what they wrote can be seen. */
static __device__ void
meet (EmdtrackTally *t, Walk *walk)
{
  __syncthreads ();
  walk->barriers++;
  if (!threadIdx.x) {
    __threadfence ();
    atomicAdd (&t->arrived, 1);
    while (*(volatile uint32_t *) &t->arrived < walk->barriers * gridDim.x)
      ;
    __threadfence ();
  }
  __syncthreads ();
}

static __device__ __forceinline__ uint32_t
look (const uint32_t *counter)
{
  return *(const volatile uint32_t *) counter;
}

/* Asks for the tree that arc @e of tree @k leads to, once. */
static __device__ __forceinline__ void
want (const EmdtrackJob &job, const Walk &walk, uint32_t k, int e)
{
  uint16_t *next = &job.store.basis[k].next[e];
  uint32_t at;

  if (atomicCAS (next, (uint16_t) 0, (uint16_t) EMDTRACK_WANTED))
    return;
  at = emdtrack_claim (&job.tally->wanted[walk.round % 3]);
  if (at < (uint32_t) job.store.room)
    job.wanted[at] = k | (uint32_t) e << 16;
  else
    *next = 0; /* there will be no room for it */
}

/* Follows stored pivots from tree @k until one is optimal or missing. */
static __device__ __forceinline__ void
follow (const EmdtrackJob &job, Walk *walk, uint32_t i, uint32_t k, bool first)
{
  EmdtrackHistogram h = job.histogram[i];
  int n = job.bins, e = 0, steps = 0;
  uint32_t met[EMDTRACK_ARC_WORDS], next = 0;

  for (; steps < EMDTRACK_PIVOTS; steps++) {
    const EmdtrackBasis *b = &job.store.basis[k];

    if (emdtrack_basis_holds (b, &h, n, met)) {
      job.map[i] = (uint16_t) emdtrack_basis_value (b, &h, n);
      job.tree[i] = (uint16_t) k;
      walk->neighbour += first && !steps;
      walk->table += first && steps;
      walk->simplex += !first;
      return;
    }
    e = emdtrack_basis_worst (b, met);
    next = *(const volatile uint16_t *) &b->next[e];
    if (!next || next == EMDTRACK_WANTED)
      break;
    k = next;
  }
  if (walk->full || steps == EMDTRACK_PIVOTS) {
    job.tree[i] = (uint16_t) k;
    job.left[emdtrack_claim (&job.tally->n_left)] = i;
    walk->simplex++;
    walk->unstored += steps < EMDTRACK_PIVOTS;
    return;
  }
  want (job, *walk, k, e);
  job.queue[walk->round & 1][emdtrack_claim (
      &job.tally->queued[walk->round % 3])] = {i, (uint16_t) k, (uint16_t) e};
}

static __device__ void
start (const EmdtrackJob &job, Walk *walk, int level)
{
  uint32_t n = look (&job.tally->listed[level]);

  for (uint32_t t = emdtrack_thread (); t < n; t += gridDim.x * blockDim.x) {
    uint32_t i = job.list[level][t];

    follow (job, walk, i, emdtrack_choose (job, i, level, walk->at_once), true);
  }
}

/* Those who wait for a tree of the last round go on. */
static __device__ void
go_on (const EmdtrackJob &job, Walk *walk)
{
  uint32_t last = walk->round - 1, n = look (&job.tally->queued[last % 3]);

  for (uint32_t t = emdtrack_thread (); t < n; t += gridDim.x * blockDim.x) {
    EmdtrackWaiting q = job.queue[last & 1][t];
    uint32_t next =
        *(const volatile uint16_t *) &job.store.basis[q.tree].next[q.arc];

    follow (job, walk, q.pixel, next ? next : q.tree, false);
  }
}

/* Adds the trees that are wanted, a warp each; none if there may be no room for
 * all. */
static __device__ void
add_trees (const EmdtrackJob &job, Walk *walk, Shared *s)
{
  EmdtrackTally *t = job.tally;
  EmdtrackBench *bench = &s->bench[threadIdx.x / 32];
  uint32_t n = look (&t->wanted[walk->round % 3]);
  uint32_t warp = emdtrack_thread () / 32;

  walk->full = walk->full || n > look (job.store.n_spare) - walk->taken;
  n = min (n, (uint32_t) job.store.room);
  for (uint32_t i = warp; i < n; i += gridDim.x * EMDTRACK_WARPS) {
    uint32_t k = job.wanted[i] & 0xffff, e = job.wanted[i] >> 16, next = 0;
    int from = 0, to = 0;

    if (!walk->full) {
      emdtrack_tree_copy (&bench->tree, &job.store.tree[k]);
      __syncwarp ();
      emdtrack_tree_arc (&bench->tree, (int) e, &from, &to);
      emdtrack_pivot_warp (&s->problem, bench, from, to);
      next = emdtrack_store_add (&job.store, &s->problem, bench, walk->taken,
          &t->fresh[walk->round % 3]);
      __syncwarp ();
    }
    if (!(threadIdx.x & 31))
      job.store.basis[k].next[e] = (uint16_t) next;
  }
  if (!emdtrack_thread () && !walk->full)
    t->pivots += n;
}

/* Counters of the next round but one, which nobody reads or writes now. */
static __device__ void
clear_next (EmdtrackTally *t, const Walk *walk)
{
  uint32_t next = (walk->round + 1) % 3;

  if (!emdtrack_thread ())
    t->queued[next] = t->wanted[next] = t->fresh[next] = 0;
}

static __device__ void
do_level (const EmdtrackJob &job, Walk *walk, Shared *s, int level)
{
  EmdtrackTally *t = job.tally;

  clear_next (t, walk);
  for (int l = walk->at_once ? EMDTRACK_LEVELS - 1 : level; l >= level; l--)
    start (job, walk, l);
  meet (t, walk);
  while (look (&t->queued[walk->round % 3])) {
    add_trees (job, walk, s);
    meet (t, walk);
    walk->taken += look (&t->fresh[walk->round % 3]);
    walk->round++;
    clear_next (t, walk);
    go_on (job, walk);
    meet (t, walk);
  }
  walk->round++;
}

static __global__ void
__launch_bounds__ (EMDTRACK_THREADS, 4)
    walk_kernel (const __grid_constant__ EmdtrackJob job,
        const __grid_constant__ EmdtrackProblem problem)
{
  __shared__ Shared s;
  EmdtrackTally *t = job.tally;
  Walk walk = {};
  uint32_t n = 0;

  for (uint32_t i = threadIdx.x; i < sizeof problem / 4; i += blockDim.x)
    ((uint32_t *) &s.problem)[i] = ((const uint32_t *) &problem)[i];
  for (int l = 0; l < EMDTRACK_LEVELS; l++)
    n += look (&t->listed[l]);
  walk.taken = *job.store.n_taken;
  walk.at_once = n < (uint32_t) job.n_pixels / FEW;
  for (int l = walk.at_once ? 0 : EMDTRACK_LEVELS - 1; n && l >= 0; l--)
    do_level (job, &walk, &s, l);
  emdtrack_sum (&t->neighbour, walk.neighbour);
  emdtrack_sum (&t->table, walk.table);
  emdtrack_sum (&t->simplex, walk.simplex);
  emdtrack_sum (&t->unstored, walk.unstored);
  if (!emdtrack_thread ()) {
    *job.store.n_taken = walk.taken;
    t->full = walk.full;
  }
}

/* As many blocks as can be there at once, for they wait for each other. */
static const char *
count_walkers (EmdtrackCuda *c)
{
  int each;

  if (c->walkers)
    return NULL;
  CUDA_TRY (cudaOccupancyMaxActiveBlocksPerMultiprocessor (
      &each, walk_kernel, EMDTRACK_THREADS, 0));
  c->walkers = each * c->processors;
  return c->walkers ? NULL : "the device has no room for emdtrack's kernel";
}

const char *
emdtrack_walk_cuda (
    const Device *dev, const EmdtrackWork *w, int target, EmdtrackJob *job)
{
  EmdtrackCuda *c = emdtrack_state (w);
  int enough = ceil_div (job->n_pixels, EMDTRACK_THREADS);
  void *args[] = {job, (void *) &w->problem[target]};

  TRY (count_walkers (c));
  CUDA_TRY (cudaLaunchCooperativeKernel ((void *) walk_kernel,
      dim3 (min (enough, c->walkers)), dim3 (EMDTRACK_THREADS), args, 0,
      device_stream (dev)));
  return NULL;
}
