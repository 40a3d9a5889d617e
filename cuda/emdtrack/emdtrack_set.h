/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From params and a frame to what the stages work on.  Host code. */
#pragma once

#include "emdtrack/emdtrack_distance.h"
#include "emdtrack/emdtrack_work.h"

/* NULL, or what is wrong with a target of @n bins. */
const char *emdtrack_check_target (const EmdtrackTarget *target, int n);

/* Tables of a codebook, in the host's memory. */
typedef struct {
  uint8_t step[3 * 256];
  uint8_t spectra[EMDTRACK_BINS * EMDTRACK_BINS];
  uint8_t lut[EMDTRACK_LUT * EMDTRACK_LUT * EMDTRACK_LUT];
} EmdtrackTables;

/* Reads @frame; the tables of w->reader are left as they are. */
const char *emdtrack_set_reader (
    EmdtrackWork *w, const EmdtrackParams *params, const EmdtrackFrame *frame);

/* What of a codebook and frames the table of colours depends on. */
typedef struct {
  EmdtrackCodebook codebook;
  int is_yuv, matrix, full_range; /* no padding: it is compared */
} EmdtrackColours;

void emdtrack_set_lut (const EmdtrackColours *colours, uint8_t *lut);
void emdtrack_set_spectra (const EmdtrackCodebook *codebook, uint8_t *spectra);

/* Rows for components as they are stored, brightness multiplied by @gain. */
void emdtrack_set_steps (const Image *image, double gain, uint8_t *step);

/* The problem of a target: distances, perturbed ones, demands. */
void emdtrack_set_problem (EmdtrackProblem *problem,
    uint8_t distance[EMDTRACK_BINS][EMDTRACK_BINS], int n, int mass,
    const EmdtrackTarget *target);
