/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CPU backend's memory, and its files' stages. */
#pragma once

#include <limits.h>

#include "common/parallel.h"
#include <stdlib.h>

#include "emdtrack/emdtrack_work.h"

#define EMDTRACK_STRIP 32 /* rows that one thread processes at a time */
/* Pixels; for fewer, waiting for threads would take longer than they save. */
#define EMDTRACK_FEW 32768

/* The grain of a loop over a frame: the whole loop if the frame has few
 * pixels. */
static inline int
emdtrack_grain (const EmdtrackWork *w, int grain)
{
  bool few = w->reader.width * w->reader.height <= EMDTRACK_FEW;

  return few ? INT_MAX : grain;
}

static inline int
emdtrack_strips (ImageBox area)
{
  return (emdtrack_down (area) + EMDTRACK_STRIP - 1) / EMDTRACK_STRIP;
}

/* The stored trees of a target, numbered from 1. */
typedef struct {
  int room, n;
  EmdtrackTree *tree;
  EmdtrackBasis *basis;
  uint16_t *slot;   /* by a hash of the tree's arcs: the tree's number, or 0 */
  uint32_t n_slots; /* a power of two */
  uint16_t *now;    /* room for new numbers of trees, while trees are dropped */
} EmdtrackStore;

/* A cached value of a target. */
typedef struct {
  EmdtrackHistogram histogram;
  uint16_t value;
  uint16_t state; /* EMDTRACK_FREE … */
} EmdtrackCached;

typedef struct {
  uint32_t room, n; /* room is a power of two */
  EmdtrackCached *entry;
} EmdtrackCache;

/* The backend's own memory. */
typedef struct {
  EmdtrackStore store[EMDTRACK_TARGETS];
  EmdtrackCache cache[EMDTRACK_TARGETS];
  uint32_t *where;            /* of each pixel: number of its cached value */
  uint32_t *unsolved;         /* numbers of cached values without a value */
  EmdtrackHistogram *columns; /* histograms of columns, a row for each strip */
} EmdtrackCpu;

/* Sets *@p to @n times @size bytes, all 0, and frees the memory that it had. */
static inline const char *
emdtrack_renew_cpu (void **p, size_t n, size_t size)
{
  free (*p);
  *p = calloc (n, size);
  return *p ? NULL : OUT_OF_MEMORY (n * size, "");
}

/* ---- Stored trees ---- */

const char *emdtrack_store_open_cpu (EmdtrackStore *store, int room);
void emdtrack_store_close_cpu (EmdtrackStore *store);
void emdtrack_store_clear_cpu (EmdtrackStore *store);

/* The number of @tree, which is added if it is not stored; 0 if there is no
 * room. */
int emdtrack_store_add_cpu (
    EmdtrackStore *store, const EmdtrackProblem *p, const EmdtrackTree *tree);

/* If the store is nearly full, drops the trees that no pixel of @n has in @ids.
 * Returns how many were dropped. */
int emdtrack_store_evict_cpu (EmdtrackStore *store, uint16_t *ids, size_t n);

/* ---- Stages ---- */

const char *emdtrack_reuse_cpu (
    const Device *dev, const EmdtrackWork *w, int target);
const char *emdtrack_paper_cpu (
    const Device *dev, const EmdtrackWork *w, int target);

/* Adds the counts of a strip; one thread at a time calls this. */
static inline void
emdtrack_add_counts (EmdtrackCounts *to, const EmdtrackCounts *from)
{
  to->unchanged += from->unchanged;
  to->own += from->own;
  to->neighbour += from->neighbour;
  to->table += from->table;
  to->simplex += from->simplex;
  to->pivots += from->pivots;
  to->fallback += from->fallback;
  to->unstored += from->unstored;
  to->cached += from->cached;
}
