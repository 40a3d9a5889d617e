/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From params and a frame to what the stages work on.  Host code. */
#pragma once

#include "emdtrack/emdtrack_closed_core.h"
#include "emdtrack/emdtrack_work.h"

/* NULL, or what is wrong with the distance that @params ask for. */
const char *emdtrack_check_distance (const EmdtrackParams *params);

/* Sets @closed, its form too; EMDTRACK_FORM_ANY if there is none. */
void emdtrack_find_form (uint8_t distance[EMDTRACK_BINS][EMDTRACK_BINS], int n,
    EmdtrackClosed *closed);

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

/* The tables on their way to the device, and what they are of. */
typedef struct {
  EmdtrackTables *tables; /* pinned */
  EmdtrackTables *device_tables;
  EmdtrackColours colours;
  EmdtrackCodebook spectra;
  bool has_colours, has_spectra;
} EmdtrackBook;

/* Brings the tables of the codebook in @params, for frames like @img, to the
 * device; those of colours for its gain, too. */
const char *emdtrack_book_set (EmdtrackBook *book, const Device *device,
    const EmdtrackParams *params, const Image *img);

/* The problem of a target: distances, perturbed ones, demands. */
void emdtrack_set_problem (EmdtrackProblem *problem,
    uint8_t distance[EMDTRACK_BINS][EMDTRACK_BINS], int n, int mass,
    const EmdtrackTarget *target);
