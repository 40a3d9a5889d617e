/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CUDA backend's memory, and the stages of its files. */
#pragma once

#include "common/cuda.cuh"
#include "common/memory.h"
#include "emdtrack/emdtrack_choice.h"
#include "emdtrack/emdtrack_work.h"

/* The threads of a warp wait for each other.  Only from Volta on does each of
 * them get on; for older GPUs the code is compiled, but does not run. */
#define EMDTRACK_ARCH 700

#define EMDTRACK_THREADS 256 /* of a block */
#define EMDTRACK_WARPS (EMDTRACK_THREADS / 32)

/* ---- Stored trees ---- */

/* Pixels of level l are 2^l apart, and not on a coarser level. */
#define EMDTRACK_LEVELS 5

#define EMDTRACK_WANTED 0xffff /* a link to a tree that is being made */
#define EMDTRACK_ROOM (EMDTRACK_WANTED - 1) /* the most trees */
/* Number of a tree that is not stored. */
#define EMDTRACK_NO_ROOM UINT32_MAX
#define EMDTRACK_PROBES 1024 /* slots in which a tree may be */
#define EMDTRACK_ROOT 1 /* number of the first tree, which is never dropped */

/* The stored trees of a target, in the device's memory.  Numbers come from a
 * list of free ones in any order: no result depends on them. */
typedef struct {
  int room;
  uint32_t n_slots; /* a power of two */
  EmdtrackTree *tree;
  EmdtrackBasis *basis;
  /* For each slot.  Trees with equal keys are taken for the same tree.  If they
   * were not, a link would lead to another feasible tree, and values would
   * still be exact. */
  unsigned long long *key; /* 0: the slot is free */
  uint32_t *number;        /* 0 until the number is known */
  uint16_t *spare;         /* free numbers; */
  uint32_t *n_spare;       /* how many, */
  uint32_t *n_taken;       /* number of free numbers that have been taken */
  uint8_t *used;           /* by number */
  uint16_t *made;          /* of each link of each tree: the frame in which it
                              was made */
} EmdtrackStore;

/* Numbers of a target's frames on the host, in pinned memory. */
typedef struct {
  EmdtrackCounts counts; /* of the last frame */
  /* Of the last frame by trees: */
  bool any;          /* there was a frame since trees were forgotten */
  uint32_t pending;  /* pixels that their own trees did not prove */
  uint32_t trees;    /* stored */
  uint32_t full;     /* 1: a tree found no room */
  uint32_t fresh;    /* histograms that the sketch did not have */
  uint32_t sketched; /* histograms that it has */
  /* Of the last frame that was looked up: */
  uint32_t cached;   /* number of cached values */
  uint32_t unsolved; /* number of problems */
  bool gave_up;      /* they were too many */
} EmdtrackSeen;

/* Counters of a target's frame, 0 at its start. */
typedef struct {
  uint32_t pending; /* pixels that their own trees did not prove */
  uint32_t listed[EMDTRACK_LEVELS]; /* pixels to be proven */
  uint32_t n_left;                  /* pixels that stored trees did not prove */
  uint32_t full;                    /* 1: a tree found no room, or a value */
  uint32_t unsolved;                /* cached values that were added */
  uint32_t fresh; /* histograms that were added to the sketch */
  EmdtrackCounts counts;
} EmdtrackTally;

/* ---- Cached values ---- */

/* The cached values of a target, in the device's memory. */
typedef struct {
  uint32_t room; /* a power of two */
  EmdtrackHistogram *histogram;
  uint32_t *state; /* EMDTRACK_FREE … */
  uint16_t *value;
  uint32_t *n;
} EmdtrackCache;

/* A sample of a target's histograms, in the device's memory: a bit for each
 * histogram whose hash begins with EMDTRACK_SAMPLE zeros. */
#define EMDTRACK_SAMPLE 6
#define EMDTRACK_SKETCH_WORDS (1 << 17)

typedef struct {
  uint32_t *bits;
  uint32_t *n; /* number of bits that are 1 */
} EmdtrackSketch;

/* The backend's own memory. */
typedef struct {
  DeviceMemory memory; /* of the others */
  EmdtrackStore store[EMDTRACK_TARGETS];
  bool planted[EMDTRACK_TARGETS];    /* the first tree is stored */
  uint16_t *other[EMDTRACK_TARGETS]; /* alternates with w->tree */
  bool turned[EMDTRACK_TARGETS];
  EmdtrackCache cache[EMDTRACK_TARGETS];
  /* EMDTRACK_AUTO: */
  EmdtrackChoice choice[EMDTRACK_TARGETS];
  EmdtrackSketch sketch[EMDTRACK_TARGETS];
  bool is_sketched[EMDTRACK_TARGETS]; /* the last frame is in the sketch */
  bool looked_up[EMDTRACK_TARGETS];   /* this frame */

  EmdtrackSeen *seen;             /* pinned, of each target */
  bool counted[EMDTRACK_TARGETS]; /* the counts in `seen` are this frame's */
  EmdtrackTally *tally;
  uint64_t *grey;          /* a sum */
  int processors, walkers; /* number of blocks that run at once */
  uint32_t frame;          /* a number */

  /* For the target that is processed: */
  uint32_t *list[EMDTRACK_LEVELS]; /* pixels to be proven */
  uint32_t *left;                  /* pixels to be solved alone */
  /* EMDTRACK_REUSE: slots of the table of groups, and of each pixel another
   * with the same histogram, or EMDTRACK_NO_PIXEL. */
  uint32_t *group, *equal;
  uint32_t *unsolved; /* numbers of cached values that were added */

  /* Of each target, numbers of cached values of each pixel. */
  uint32_t *where[EMDTRACK_TARGETS];
} EmdtrackCuda;

/* emdtrack_reuse_cuda.cu */
const char *emdtrack_store_open_cuda (
    EmdtrackStore *store, DeviceMemory *memory, int room);
/* Queues dropping all trees. */
const char *emdtrack_store_clear_cuda (EmdtrackStore *store, const Device *dev);
/* Queues dropping the trees that none of @n pixels has in @ids. */
const char *emdtrack_store_evict_cuda (EmdtrackStore *store, const Device *dev,
    const uint16_t *ids, size_t n, EmdtrackTally *tally);

/* paper/solver_cuda.cu: makes room for cached values. */
const char *emdtrack_cache_prepare_cuda (const EmdtrackWork *w, int target);

/* emdtrack_reuse_cuda.cu: queues finding the values of @target by trees.
 * @group: equal histograms are grouped, whatever the last frame was like. */
const char *emdtrack_queue_trees (
    const Device *dev, const EmdtrackWork *w, int target, bool group);

/* paper/solver_cuda.cu: queues looking up the values of @target, and solving
 * the rest, unless that exceeds @most problems. */
const char *emdtrack_queue_look_up (
    const Device *dev, const EmdtrackWork *w, int target, uint32_t most);
/* Queues keeping the values that a look-up did not find, from the map. */
const char *emdtrack_keep_values (
    const Device *dev, const EmdtrackWork *w, int target);

/* paper/solver_cuda.cu: queues solving the pixels in c->left, as many as the
 * tally counts. */
const char *emdtrack_solve_left (
    const Device *dev, const EmdtrackWork *w, int target);
/* Queues writing the tally to what the host sees, and clearing it. @cached: the
 * frame was looked up, and @most problems may be solved. */
const char *emdtrack_queue_tally (const Device *dev, const EmdtrackWork *w,
    int target, bool cached, uint32_t most);

const char *emdtrack_index_cuda (const Device *dev, const EmdtrackWork *w);
const char *emdtrack_window_cuda (const Device *dev, const EmdtrackWork *w);
const char *emdtrack_spectra_cuda (const Device *dev, const EmdtrackWork *w);
const char *emdtrack_closed_cuda (
    const Device *dev, const EmdtrackWork *w, int target);
const char *emdtrack_paper_cuda (
    const Device *dev, const EmdtrackWork *w, int target);

static inline EmdtrackCuda *
emdtrack_state (const EmdtrackWork *w)
{
  return (EmdtrackCuda *) w->state;
}

#define EMDTRACK_NO_PIXEL UINT32_MAX

/* The number of slots of the table of groups for @n pixels: two thirds of them
 * are taken if all histograms differ. */
static inline size_t
emdtrack_group_slots (size_t n)
{
  return n + n / 2 + 1;
}

/* The pixels that there is memory for. */
static inline size_t
emdtrack_room (const EmdtrackWork *w)
{
  return (size_t) w->reader.width * w->reader.height;
}

/* ---- Kernels ---- */

static __device__ __forceinline__ uint32_t
emdtrack_thread_index (void)
{
  return blockIdx.x * blockDim.x + threadIdx.x;
}

/* Takes one more item for each calling thread; the items of a warp are
 * consecutive. */
static __device__ __forceinline__ uint32_t
emdtrack_claim_item (uint32_t *n)
{
  uint32_t mask = __activemask (), lane = threadIdx.x & 31, first = 0;
  int leader = __ffs ((int) mask) - 1;

  if ((int) lane == leader)
    first = atomicAdd (n, __popc (mask));
  return __shfl_sync (mask, first, leader) + __popc (mask & ((1u << lane) - 1));
}

static __device__ __forceinline__ uint32_t
emdtrack_hash (const EmdtrackHistogram *h)
{
  uint64_t a[2];

  memcpy (a, h, sizeof a);
  a[0] = (a[0] ^ a[0] >> 29) * 0x9e3779b97f4a7c15ull;
  a[1] = (a[1] + a[0]) * 0xbf58476d1ce4e5b9ull;
  return (uint32_t) (a[1] ^ a[1] >> 32);
}

/* Adds @n of all threads of a warp to @to; all of them call. */
static __device__ __forceinline__ void
emdtrack_add_warp_sum (uint64_t *to, uint32_t n)
{
  n = warp_sum (n);
  if (n && !(threadIdx.x & 31))
    atomicAdd ((unsigned long long *) to, n);
}
