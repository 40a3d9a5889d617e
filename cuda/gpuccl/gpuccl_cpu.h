/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the CPU's stages share: runs, pixels side by side in a row that hang
 * together. */
#pragma once

#include "common/memory.h"
#include "gpuccl/gpuccl_core.h"

#define GPUCCL_STRIP 32 /* rows that one thread does in a go */

static inline int
gpuccl_strips (const GpucclWork *w)
{
  return (w->frame.height + GPUCCL_STRIP - 1) / GPUCCL_STRIP;
}

/* Bits of a whole frame, a pixel each; rows start at whole words. */
enum {
  GPUCCL_FOREGROUND,
  GPUCCL_LEFT,     /* hangs together with the pixel to the left */
  GPUCCL_UP,       /* with the one above, where no detour says so */
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
  DeviceMemory memory; /* of all that follows */
  int words;           /* of a row of bits */
  uint64_t *plane[GPUCCL_N_PLANES];
  uint32_t *first;     /* of each row, and after the last: its first run */
  uint32_t room;       /* for runs */
  GpucclRun *runs;     /* from left to right, row by row */
  uint32_t *parents;   /* of each run: an earlier one of its component; in the
                          end the number of its component */
  uint32_t sums_room;  /* for components */
  GpucclSum *sums;     /* of each component */
  uint8_t *candidates; /* of each component: 1 + index of the candidate that it
                          is, else 0 */
  uint64_t *seen;      /* of each candidate, a row of bits: columns it is in */
} GpucclCpu;

static inline uint64_t *
gpuccl_bits (const GpucclCpu *c, int plane, int y)
{
  return c->plane[plane] + (size_t) y * c->words;
}

/* Reads the frame into bits; returns how many pixels are of no known class. */
uint32_t gpuccl_read_bits_cpu (const GpucclWork *w);

/* The same of w->labels: equal ones side by side hang together. */
void gpuccl_read_label_bits_cpu (const GpucclWork *w);

/* Makes runs of the bits. */
const char *gpuccl_write_runs_cpu (const GpucclWork *w);

/* Joins them by the bits upwards, or by w->labels. */
void gpuccl_join_runs_cpu (const GpucclWork *w);
void gpuccl_join_by_labels_cpu (const GpucclWork *w);

/* From joined runs to w->result. */
const char *gpuccl_sum_runs_cpu (const GpucclWork *w);

/* Writes w->labels. */
void gpuccl_write_labels_cpu (const GpucclWork *w);

/* Label equivalence inside @box: its first labels; scanning, which notes lower
 * labels of neighbours at the roots in @to and returns whether there are any;
 * analysis, after which every element of @list is its root. */
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
