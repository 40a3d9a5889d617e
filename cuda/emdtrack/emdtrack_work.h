/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the stages work on, and their table. */
#pragma once

#include "emdtrack/emdtrack_basis_core.h"
#include "emdtrack/emdtrack_simplex_core.h"
#include "emdtrack/emdtrack_solve_core.h"

/* Device memory where nothing is said. */
typedef struct {
  EmdtrackReader reader; /* its tables: the device's */
  int window;
  EmdtrackSolver solver;
  EmdtrackClosed closed;
  int n_targets;
  EmdtrackProblem problem[EMDTRACK_TARGETS]; /* the host's */
  int max_trees, cache_bits;

  uint8_t *index; /* the bin of each pixel, rows of width */
  EmdtrackHistogram *histogram, *before; /* of each pixel, this frame's and the
                                            last one's, rows of width */
  bool known[EMDTRACK_TARGETS];     /* the map holds what belongs to `before` */
  uint16_t *tree[EMDTRACK_TARGETS]; /* of each pixel: which proved its value, or
                                       0; rows of width */
  uint16_t *map[EMDTRACK_TARGETS];  /* rows of width */

  EmdtrackCounts *counts; /* pinned; of this frame */

  uint64_t *brightness; /* pinned: a sum of grey values */

  EmdtrackRegion *regions; /* pinned, room for EMDTRACK_REGIONS */
  uint32_t *region_counts; /* pinned, a row of EMDTRACK_BINS each */
  void *state;             /* the backend's own */
} EmdtrackWork;

/* States of an entry of the values by histogram; no thread claims an entry on
 * the CPU. */
enum { EMDTRACK_FREE, EMDTRACK_CLAIMED, EMDTRACK_UNSOLVED, EMDTRACK_SOLVED };

/* The steps that each backend writes for itself. */
typedef struct {
  /* Makes and releases w->state. */
  const char *(*open) (const Device *dev, EmdtrackWork *w);
  void (*close) (const Device *dev, EmdtrackWork *w);
  /* Room for w->solver, w->max_trees and w->cache_bits, which have changed. */
  const char *(*prepare) (const Device *dev, EmdtrackWork *w);
  /* w->problem[target] is another: what is stored for it goes. */
  const char *(*forget) (const Device *dev, EmdtrackWork *w, int target);
  /* From the frame to w->index; from there, or for spectra from the frame, to
   * w->histogram. */
  const char *(*index) (const Device *dev, const EmdtrackWork *w);
  const char *(*window) (const Device *dev, const EmdtrackWork *w);
  const char *(*spectra) (const Device *dev, const EmdtrackWork *w);
  /* From there to w->map[target]: by a closed form, by stored trees, by the
   * paper's three steps. */
  const char *(*closed) (const Device *dev, const EmdtrackWork *w, int target);
  const char *(*reuse) (const Device *dev, const EmdtrackWork *w, int target);
  const char *(*paper) (const Device *dev, const EmdtrackWork *w, int target);
  /* From the frame to w->brightness. */
  const char *(*brightness) (const Device *dev, const EmdtrackWork *w);
  /* From w->index to the counts of the first @n of w->regions. */
  const char *(*count) (const Device *dev, const EmdtrackWork *w, int n);
} EmdtrackStages;

C_BEGIN
extern const EmdtrackStages emdtrack_stages_cpu, emdtrack_stages_cuda;
C_END
