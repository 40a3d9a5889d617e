/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the CPU's stages share. */
#pragma once

#include <limits.h>

#include "common/parallel.h"
#include "emdtrack/emdtrack_work.h"

#define EMDTRACK_STRIP 32  /* rows that one thread does in a go */
#define EMDTRACK_FEW 32768 /* pixels: waiting for threads would cost more */

/* The grain of a loop over a frame: all, where it has few pixels. */
static inline int
emdtrack_grain (const EmdtrackWork *w, int grain)
{
  bool few = w->reader.width * w->reader.height <= EMDTRACK_FEW;

  return few ? INT_MAX : grain;
}

static inline int
emdtrack_strips (const EmdtrackWork *w)
{
  return (w->reader.height + EMDTRACK_STRIP - 1) / EMDTRACK_STRIP;
}

/* Trees of a target, numbered from 1 on. */
typedef struct {
  int room, n;
  EmdtrackTree *tree;
  EmdtrackBasis *basis;
  uint16_t *slot;   /* by a hash of the tree's arcs: its number, or 0 */
  uint32_t n_slots; /* a power of two */
  uint16_t *now;    /* room for new numbers of trees */
} EmdtrackTable;

/* Values of a target by histogram. */
typedef struct {
  EmdtrackHistogram histogram;
  uint16_t value;
  uint16_t state; /* EMDTRACK_FREE … */
} EmdtrackCached;

typedef struct {
  uint32_t room, n; /* room: a power of two */
  EmdtrackCached *entry;
} EmdtrackCache;

/* The backend's own memory. */
typedef struct {
  EmdtrackTable table[EMDTRACK_TARGETS];
  EmdtrackCache cache[EMDTRACK_TARGETS];
  uint32_t *where;            /* of each pixel: its entry of the cache */
  uint32_t *unsolved;         /* entries that have no value yet */
  EmdtrackHistogram *columns; /* a row for each strip */
} EmdtrackCpu;

/* Gives *@p room for @n times @size bytes, zeroed; what it held is lost. */
const char *emdtrack_renew_cpu (void **p, size_t n, size_t size);

/* ---- Tables of trees ---- */

const char *emdtrack_table_open (EmdtrackTable *table, int room);
void emdtrack_table_close (EmdtrackTable *table);
void emdtrack_table_clear (EmdtrackTable *table);

/* The number of @tree, which is added if it is not there; 0 if it finds no
 * room. */
int emdtrack_table_add (
    EmdtrackTable *table, const EmdtrackProblem *p, const EmdtrackTree *tree);

/* Where a table is nearly full, lets go what no pixel has in @ids, @n of them;
 * returns how many trees went. */
int emdtrack_table_evict (EmdtrackTable *table, uint16_t *ids, size_t n);

/* ---- Stages ---- */

const char *emdtrack_reuse_cpu (
    const Device *dev, const EmdtrackWork *w, int target);
const char *emdtrack_paper_cpu (
    const Device *dev, const EmdtrackWork *w, int target);

/* Adds what a strip counted; one thread at a time. */
void emdtrack_add_counts (EmdtrackCounts *to, const EmdtrackCounts *from);
