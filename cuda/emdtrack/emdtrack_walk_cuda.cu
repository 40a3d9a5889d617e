/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pixels that their own trees do not prove.
 *
 * They go by levels, from pixels 16 apart to all, each of which starts from the
 * best of the trees around it on coarser levels; where few are left, all at
 * once, from those that were around them a frame ago.  They follow stored
 * pivots; where one is missing, the warp adds the tree that it leads to, which
 * no other warp does then.  A pivot is a pure function of tree and arc, so
 * where a pixel starts decides where it ends, whichever warp stores a tree
 * first: counts repeat, unless trees find no room. */
#include "emdtrack/emdtrack_reuse.cuh"

#define SIDE 8 /* neighbours that share a warp if there are many */
#define FEW 4  /* a quarter of the pixels is not few */

typedef struct {
  EmdtrackProblem problem;
  EmdtrackBench bench[EMDTRACK_WARPS];
} Shared;

/* A pixel on its way, one a lane. */
typedef struct {
  EmdtrackHistogram h;
  uint32_t pixel, tree;
  int arc, steps;
  bool busy;    /* not proven yet */
  bool waits;   /* for the next tree */
  bool missing; /* nobody made it when this lane looked */
  bool is_new;  /* it came along a link that was made in this frame */
} Walker;

typedef struct {
  uint32_t neighbour, table, simplex, unstored, fallback, pivots;
} Counts;

static __device__ __forceinline__ uint16_t *
link_of (const EmdtrackJob &job, const Walker &w)
{
  return &job.store.basis[w.tree].next[w.arc];
}

static __device__ __forceinline__ uint16_t *
made_in (const EmdtrackJob &job, uint32_t k, int e)
{
  return &job.store.made[k * (EMDTRACK_ARCS + 1) + e];
}

/* What the link leads to has been written. */
static __device__ __forceinline__ uint32_t
read_link (const uint16_t *link)
{
  uint16_t next = 0;

#if __CUDA_ARCH__ >= EMDTRACK_ARCH
  asm volatile("ld.acquire.gpu.u16 %0, [%1];"
               : "=h"(next)
               : "l"(link)
               : "memory");
#endif
  return next;
}

/* True for one of those who find that the tree is missing: it has to add it. */
static __device__ __forceinline__ bool
claim_link (uint16_t *link)
{
#if __CUDA_ARCH__ >= EMDTRACK_ARCH
  return !atomicCAS (link, (uint16_t) 0, (uint16_t) EMDTRACK_WANTED);
#else
  return false;
#endif
}

/* Goes to the next tree, where it is stored. */
static __device__ __forceinline__ bool
step (const EmdtrackJob &job, Walker *w)
{
  uint16_t *link = link_of (job, *w);
  uint32_t next = *(volatile uint16_t *) link;

  w->waits = !next || next == EMDTRACK_WANTED;
  w->missing = !next;
  if (w->waits)
    return false;
  next = read_link (link);
  w->is_new =
      w->is_new || *made_in (job, w->tree, w->arc) == (uint16_t) job.frame;
  w->tree = next;
  w->steps++;
  return true;
}

/* The paper's simplex will have to do. */
static __device__ __forceinline__ void
give_up (const EmdtrackJob &job, Walker *w)
{
  job.tree[w->pixel] = (uint16_t) w->tree;
  job.left[emdtrack_claim (&job.tally->n_left)] = w->pixel;
  w->busy = false;
}

/* Until a tree is optimal or missing. */
static __device__ __forceinline__ void
follow (const EmdtrackJob &job, Walker *w, Counts *n)
{
  do {
    const EmdtrackBasis *b = &job.store.basis[w->tree];
    uint32_t met[EMDTRACK_ARC_WORDS];

    if (emdtrack_basis_holds (b, &w->h, job.bins, met)) {
      job.map[w->pixel] = (uint16_t) emdtrack_basis_value (b, &w->h, job.bins);
      job.tree[w->pixel] = (uint16_t) w->tree;
      n->neighbour += !w->steps;
      n->table += w->steps && !w->is_new;
      n->simplex += w->steps && w->is_new;
      w->busy = false;
      return;
    }
    w->arc = emdtrack_basis_worst (b, met);
  } while (w->steps < EMDTRACK_PIVOTS && step (job, w));
}

/* Adds the tree that arc @e of tree @k leads to, which this warp has claimed.
 * @there: the tree on the bench. */
static __device__ void
make_link (const EmdtrackJob &job, Shared *s, uint32_t k, int e, Counts *n,
    uint32_t *there)
{
  EmdtrackBench *bench = &s->bench[threadIdx.x / 32];
  bool leads = !(threadIdx.x & 31);

  if (*there != k) {
    emdtrack_tree_copy (&bench->tree, &job.store.tree[k]);
    __syncwarp ();
  }
  if (leads)
    *made_in (job, k, e) = (uint16_t) job.frame;
  emdtrack_pivot_warp (&s->problem, bench, e);
  *there = emdtrack_store_add (&job.store, &s->problem, bench);
  if (leads && *there == EMDTRACK_NO_ROOM)
    *(volatile uint32_t *) &job.tally->full = 1;
  if (leads) /* after emdtrack_store_add ()'s fence */
    *(volatile uint16_t *) &job.store.basis[k].next[e] =
        (uint16_t) (*there == EMDTRACK_NO_ROOM ? 0 : *there);
  n->pivots += leads && *there != EMDTRACK_NO_ROOM;
}

/* A lane that may not wait any longer leaves. */
static __device__ __forceinline__ void
check_limits (const EmdtrackJob &job, Walker *w, Counts *n)
{
  bool far = w->steps >= EMDTRACK_PIVOTS;

  if (!far && !(w->missing && emdtrack_look (&job.tally->full)))
    return;
  n->simplex++;
  n->unstored += !far;
  n->fallback += far;
  give_up (job, w);
}

/* A pixel a lane, for all lanes that are busy. */
static __device__ __forceinline__ void
walk (const EmdtrackJob &job, Shared *s, Walker *w, Counts *n)
{
  uint32_t there = 0; /* the tree on the bench */

  while (__any_sync (ALL_LANES, w->busy)) {
    bool mine = false;

    if (w->busy && !w->waits)
      follow (job, w, n);
    if (w->busy)
      check_limits (job, w, n);
    if (w->busy && w->missing)
      mine = claim_link (link_of (job, *w));
    for (uint32_t lanes = __ballot_sync (ALL_LANES, mine); lanes;
         lanes &= lanes - 1) {
      int lane = math_lowest_bit (lanes);

      make_link (job, s, __shfl_sync (ALL_LANES, w->tree, lane),
          __shfl_sync (ALL_LANES, w->arc, lane), n, &there);
    }
    if (w->busy)
      step (job, w);
  }
}

/* The @t-th of all pixels that are listed. */
static __device__ __forceinline__ uint32_t
listed (const EmdtrackJob &job, uint32_t t)
{
  int l = EMDTRACK_LEVELS - 1;

  for (; t >= job.tally->listed[l]; l--)
    t -= job.tally->listed[l];
  return job.list[l][t];
}

/* If there are few pixels, few share a warp, because all pixels of a warp wait
 * for the slowest one; and these are far apart in the frame, because neighbours
 * usually lack the same tree. */
static __device__ __forceinline__ uint32_t
pixels_a_warp (uint32_t n)
{
  uint32_t each = 1;

  while (each < 32 && each * gridDim.x * EMDTRACK_WARPS < n)
    each *= 2;
  return each;
}

static __global__ void
__launch_bounds__ (EMDTRACK_THREADS, 4)

    walk_kernel (const __grid_constant__ EmdtrackJob job,
        const __grid_constant__ EmdtrackProblem problem, int level)
{
  __shared__ Shared s;
  uint32_t lane = threadIdx.x & 31, n = 0, each, side, apart;
  Counts counts = {};
  bool at_once;

  for (int l = 0; l < EMDTRACK_LEVELS; l++)
    n += job.tally->listed[l];
  at_once = n < (uint32_t) job.n_pixels / FEW;
  if (!at_once)
    n = job.tally->listed[level];
  else if (level)
    return;
  each = pixels_a_warp (n);
  side = each < 32 ? 1 : SIDE;
  apart = (n + each - 1) / each;
  for (uint32_t i = threadIdx.x; i < sizeof problem / 4; i += blockDim.x)
    ((uint32_t *) &s.problem)[i] = ((const uint32_t *) &problem)[i];
  __syncthreads ();
  for (uint32_t g = emdtrack_thread () / 32; g * each < n;
       g += gridDim.x * EMDTRACK_WARPS) {
    uint32_t t = (g + lane / side * apart) * side + lane % side;
    Walker w = {};

    if (lane < each && t < n) {
      w.busy = true;
      w.pixel = at_once ? listed (job, t) : job.list[level][t];
      w.h = job.histogram[w.pixel];
      w.tree = emdtrack_choose (job, w.pixel, level, at_once);
    }
    walk (job, &s, &w, &counts);
  }
  emdtrack_sum (&job.tally->counts.neighbour, counts.neighbour);
  emdtrack_sum (&job.tally->counts.table, counts.table);
  emdtrack_sum (&job.tally->counts.simplex, counts.simplex);
  emdtrack_sum (&job.tally->counts.unstored, counts.unstored);
  emdtrack_sum (&job.tally->counts.fallback, counts.fallback);
  emdtrack_sum (&job.tally->counts.pivots, counts.pivots);
}

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
emdtrack_walk_cuda (const Device *dev, const EmdtrackWork *w, int target,
    const EmdtrackJob *job)
{
  EmdtrackCuda *c = emdtrack_state (w);

  TRY (count_walkers (c));
  for (int l = EMDTRACK_LEVELS - 1; l >= 0; l--) {
    int enough = ceil_div (job->n_pixels, EMDTRACK_WARPS << 2 * max (l - 1, 0));

    walk_kernel<<<min (enough, c->walkers), EMDTRACK_THREADS, 0,
        device_stream (dev)>>> (*job, w->problem[target], l);
    CUDA_TRY (cudaGetLastError ());
  }
  return NULL;
}
