/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Declarations of the CPU backend's files.  A run is a row's neighbouring
 * pixels that are linked. */
#pragma once

#include "common/memory.h"
#include "gpuccl/gpuccl_core.h"

#define GPUCCL_STRIP 32 /* rows that one thread processes at a time */

static inline int
gpuccl_strips (const GpucclWork *w)
{
  return (w->frame.height + GPUCCL_STRIP - 1) / GPUCCL_STRIP;
}

/* Bits of a whole frame, a pixel each; rows start at whole words. */
enum {
  GPUCCL_FOREGROUND,
  GPUCCL_LEFT,     /* linked to the pixel on the left */
  GPUCCL_UP,       /* linked to the pixel above, unless other links make a
                      detour */
  GPUCCL_UP_LEFT,  /* likewise; with 8 neighbours only */
  GPUCCL_UP_RIGHT, /* likewise */
  GPUCCL_N_PLANES
};

typedef struct {
  uint16_t x0, x1; /* half-open */
  uint16_t min_z, max_z;
  uint32_t z; /* sum */
  int32_t min_u, max_u;
} GpucclRun;

/* The backend's own memory. */
typedef struct {
  DeviceMemory memory; /* of all members below */
  int words;           /* words of a row of bits */
  uint64_t *plane[GPUCCL_N_PLANES];
  uint32_t *first;     /* number of each row's first run; after the last row,
                          the number of runs */
  uint32_t room;       /* for runs */
  GpucclRun *runs;     /* from left to right, row by row */
  uint32_t *parents;   /* of each run: an earlier run of its component; in the
                          end, the number of its component */
  uint32_t sums_room;  /* room for components */
  GpucclSum *sums;     /* of each component */
  uint8_t *candidates; /* of each component: 1 + index of its candidate, or 0 */
  uint64_t *seen;      /* of each candidate, a row of bits: the columns that
                          have its pixels */
} GpucclCpu;

static inline uint64_t *
gpuccl_bits (const GpucclCpu *c, int plane, int y)
{
  return c->plane[plane] + (size_t) y * c->words;
}

/* Reads the frame into bits.  Returns the number of pixels of unknown class. */
uint32_t gpuccl_read_bits_cpu (const GpucclWork *w);

/* Makes the bits from w->labels: neighbours with equal labels are linked. */
void gpuccl_read_label_bits_cpu (const GpucclWork *w);

/* Makes runs from the bits. */
const char *gpuccl_write_runs_cpu (const GpucclWork *w);

/* Join the runs by the bits of links upwards, or by w->labels. */
void gpuccl_join_runs_cpu (const GpucclWork *w);
void gpuccl_join_by_labels_cpu (const GpucclWork *w);

/* Sets w->result by the joined runs. */
const char *gpuccl_sum_runs_cpu (const GpucclWork *w);

/* Writes w->labels. */
void gpuccl_write_labels_cpu (const GpucclWork *w);

/* Label equivalence inside @box.  Begin sets the first labels.  Scan writes
 * lower labels of neighbours to the roots in @to, and returns whether there
 * were any.  After analysis, every element of @list is its root. */
void gpuccl_begin_labels_cpu (
    const GpucclWork *w, ImageBox box, uint32_t *labels);
bool gpuccl_scan_cpu (
    const GpucclWork *w, ImageBox box, const uint32_t *labels, uint32_t *to);
void gpuccl_analyse_cpu (const GpucclWork *w, ImageBox box, uint32_t *list);

/* Stages. */
const char *gpuccl_filter_cpu (const Device *dev, const GpucclWork *w);
const char *gpuccl_label_equivalence_cpu (
    const Device *dev, const GpucclWork *w);
const char *gpuccl_improved_cpu (const Device *dev, const GpucclWork *w);
const char *gpuccl_hierarchical_cpu (const Device *dev, const GpucclWork *w);
const char *gpuccl_window_cpu (const Device *dev, const GpucclWork *w);
