/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parts of the CUDA backend that lie in files of their own, and what they
 * share. */
#pragma once

#include "common/cuda.cuh"
#include "common/memory.h"
#include "emdtrack/emdtrack_work.h"

/* Threads of a warp wait for each other: only from Volta on do they all get on.
 * For less there is code, but it does not run. */
#define EMDTRACK_ARCH 700

#define EMDTRACK_THREADS 256 /* of a block */
#define EMDTRACK_WARPS (EMDTRACK_THREADS / 32)

/* ---- Stored trees ---- */

/* Pixels of level l lie 2^l apart and on no coarser level. */
#define EMDTRACK_LEVELS 5

#define EMDTRACK_WANTED 0xffff /* a link to a tree that is being made */
#define EMDTRACK_ROOM (EMDTRACK_WANTED - 1) /* trees, the most */
#define EMDTRACK_NO_ROOM UINT32_MAX         /* a tree that is not stored */
#define EMDTRACK_PROBES 1024                /* slots that a tree may be in */
#define EMDTRACK_ROOT 1 /* the number of the first tree, which never goes */

/* Trees of a target, in the device's memory.  Numbers are given from a list of
 * free ones, in any order: nothing that can be seen depends on them. */
typedef struct {
  int room;
  uint32_t n_slots; /* a power of two */
  EmdtrackTree *tree;
  EmdtrackBasis *basis;
  /* By slot.  Trees of equal key are taken for the same; were they not, a link
   * would lead to another feasible tree, and values would still be exact. */
  unsigned long long *key; /* 0: none */
  uint32_t *number;        /* 0 until it is known */
  uint16_t *spare;         /* free numbers; */
  uint32_t *n_spare;       /* how many, */
  uint32_t *n_taken;       /* and how many of them have been taken */
  uint8_t *used;           /* by number */
  uint16_t *made;          /* of each link of each tree: in which frame */
} EmdtrackStore;

/* What the host knows of a target after a frame.  Pinned. */
typedef struct {
  uint32_t trees;  /* stored */
  uint32_t full;   /* trees found no room */
  uint32_t cached; /* entries of the cache */
} EmdtrackSeen;

/* Counters of a target's frame, 0 at its start. */
typedef struct {
  uint32_t listed[EMDTRACK_LEVELS]; /* pixels to be proven */
  uint32_t n_left;   /* pixels that stored trees could not prove */
  uint32_t full;     /* a tree found no room */
  uint32_t unsolved; /* new entries of the cache */
  EmdtrackCounts counts;
} EmdtrackTally;

/* ---- Values of earlier frames ---- */

/* Values of a target by histogram, in the device's memory. */
typedef struct {
  uint32_t room; /* a power of two */
  EmdtrackHistogram *histogram;
  uint32_t *state; /* EMDTRACK_FREE … */
  uint16_t *value;
  uint32_t *n;
} EmdtrackValues;

/* The backend's own memory. */
typedef struct {
  DeviceMemory memory; /* of the others */
  EmdtrackStore store[EMDTRACK_TARGETS];
  bool planted[EMDTRACK_TARGETS];    /* the first tree is there */
  uint16_t *other[EMDTRACK_TARGETS]; /* turns with w->tree */
  bool turned[EMDTRACK_TARGETS];
  EmdtrackValues cache[EMDTRACK_TARGETS];
  EmdtrackSeen *seen; /* pinned, of each target */
  EmdtrackTally *tally;
  uint64_t *counts;        /* EmdtrackCounts of this frame's targets so far */
  uint64_t *grey;          /* a sum */
  int processors, walkers; /* blocks that run at once */
  uint32_t frame;          /* a number */

  /* Of whichever target is being worked on: */
  uint32_t *list[EMDTRACK_LEVELS]; /* pixels to be proven */
  uint32_t *left;                  /* pixels to be solved alone */
  uint32_t *where, *unsolved; /* entries of the cache: a pixel's, new ones */
} EmdtrackCuda;

/* emdtrack_store_cuda.cu */
const char *emdtrack_store_open (
    EmdtrackStore *store, DeviceMemory *memory, int room);
/* Queues letting go of all trees. */
const char *emdtrack_store_clear (EmdtrackStore *store, const Device *dev);
/* Queues letting go of what none of @n pixels has in @ids. */
const char *emdtrack_store_evict (EmdtrackStore *store, const Device *dev,
    const uint16_t *ids, size_t n, EmdtrackTally *tally);

/* paper/solver_cuda.cu: queues solving the pixels in c->left, as many as the
 * tally says. */
const char *emdtrack_solve_left (
    const Device *dev, const EmdtrackWork *w, int target);
/* Queues adding the tally to what the host sees. */
const char *emdtrack_tell (
    const Device *dev, const EmdtrackWork *w, int target);

const char *emdtrack_index_cuda (const Device *dev, const EmdtrackWork *w);
const char *emdtrack_window_cuda (const Device *dev, const EmdtrackWork *w);
const char *emdtrack_spectra_cuda (const Device *dev, const EmdtrackWork *w);
const char *emdtrack_closed_cuda (
    const Device *dev, const EmdtrackWork *w, int target);
const char *emdtrack_reuse_cuda (
    const Device *dev, const EmdtrackWork *w, int target);
const char *emdtrack_paper_cuda (
    const Device *dev, const EmdtrackWork *w, int target);

static inline EmdtrackCuda *
emdtrack_state (const EmdtrackWork *w)
{
  return (EmdtrackCuda *) w->state;
}

static inline size_t
emdtrack_pixels (const EmdtrackWork *w)
{
  return (size_t) w->reader.width * w->reader.height;
}

/* ---- Kernels ---- */

static __device__ __forceinline__ uint32_t
emdtrack_thread (void)
{
  return blockIdx.x * blockDim.x + threadIdx.x;
}

/* Room for one more of each thread that calls, those of a warp side by side. */
static __device__ __forceinline__ uint32_t
emdtrack_claim (uint32_t *n)
{
  uint32_t mask = __activemask (), lane = threadIdx.x & 31, first = 0;
  int leader = __ffs ((int) mask) - 1;

  if ((int) lane == leader)
    first = atomicAdd (n, __popc (mask));
  return __shfl_sync (mask, first, leader) + __popc (mask & ((1u << lane) - 1));
}

/* Adds up what the threads of a warp counted; all of them call. */
static __device__ __forceinline__ void
emdtrack_sum (uint64_t *to, uint32_t n)
{
  n = warp_sum (n);
  if (n && !(threadIdx.x & 31))
    atomicAdd ((unsigned long long *) to, n);
}
