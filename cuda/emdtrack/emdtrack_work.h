/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The data of the stages, and their table. */
#pragma once

#include "emdtrack/emdtrack_closed_core.h"
#include "emdtrack/emdtrack_simplex_core.h"

/* A place whose least value is looked for: the pixels in @box with @label. */
typedef struct {
  ImageBox box;
  uint32_t label;
} EmdtrackSpot;

/* A map, and what is made of it.  Pointers are to device memory, unless a
 * comment says otherwise; rows have the frame's width, unless they have a
 * stride. */
typedef struct {
  EmdtrackMap map;
  int width, height; /* of the frame */
  uint16_t *whole;   /* the map of all pixels */
  size_t stride;     /* of it, bytes */
  int limit;
  uint8_t *mask;          /* 255: the map is below the limit */
  const uint32_t *labels; /* of the mask's places */
  EmdtrackSpot *spots;    /* pinned, room for EMDTRACK_MATCHES */
  int n_spots;
  uint32_t *nearness; /* of each spot: EMDTRACK_NO_VALUE - its least value */
} EmdtrackReading;

/* The work of all stages.  Pointers are to device memory, unless a comment says
 * otherwise. */
typedef struct {
  EmdtrackReader reader; /* its tables are in the device's memory */
  int window;
  EmdtrackSolver solver;
  EmdtrackClosed closed;
  int n_targets;
  EmdtrackProblem problem[EMDTRACK_TARGETS]; /* the host's */
  int max_trees, cache_bits;

  uint8_t *index; /* the bin of each pixel, rows of width */
  ImageBox area;  /* the pixels that get a value.  The rows of what follows
                     have its width */
  EmdtrackHistogram *histogram, *before; /* of each pixel, in this frame and in
                                            the last */
  bool known[EMDTRACK_TARGETS];     /* the map holds the values of `before` */
  uint16_t *tree[EMDTRACK_TARGETS]; /* of each pixel: the tree that proved its
                                       value, or 0 */
  uint16_t *map[EMDTRACK_TARGETS];

  EmdtrackCounts *counts; /* pinned; of this frame */

  uint64_t *brightness; /* pinned: the sum of grey values */

  EmdtrackRegion *regions; /* pinned, room for EMDTRACK_REGIONS */
  uint32_t *region_counts; /* pinned, a row of EMDTRACK_BINS each */
  void *state;             /* the backend's own */
} EmdtrackWork;

/* The number of pixels that get a value. */
static inline size_t
emdtrack_pixels (const EmdtrackWork *w)
{
  return (size_t) emdtrack_across (w->area) * emdtrack_down (w->area);
}

/* States of a cached value; no thread of the CPU claims a value. */
enum { EMDTRACK_FREE, EMDTRACK_CLAIMED, EMDTRACK_UNSOLVED, EMDTRACK_SOLVED };

/* The steps that each backend implements. */
typedef struct {
  /* Make and free w->state. */
  const char *(*open) (const Device *dev, EmdtrackWork *w);
  void (*close) (const Device *dev, EmdtrackWork *w);
  /* Makes room for w->solver, w->max_trees and w->cache_bits, which have
   * changed. */
  const char *(*prepare) (const Device *dev, EmdtrackWork *w);
  /* Forgets the trees and values of @target, whose problem has changed. */
  const char *(*forget) (const Device *dev, EmdtrackWork *w, int target);
  /* From the frame to w->index; from w->index, or for spectra from the frame,
   * to w->histogram. */
  const char *(*index) (const Device *dev, const EmdtrackWork *w);
  const char *(*window) (const Device *dev, const EmdtrackWork *w);
  const char *(*spectra) (const Device *dev, const EmdtrackWork *w);
  /* From w->histogram to w->map[target]: by a closed form, by stored trees, by
   * the paper's three steps. */
  const char *(*closed) (const Device *dev, const EmdtrackWork *w, int target);
  const char *(*reuse) (const Device *dev, const EmdtrackWork *w, int target);
  const char *(*paper) (const Device *dev, const EmdtrackWork *w, int target);
  /* Finishes the maps and w->counts, after a wait. */
  const char *(*finish) (const Device *dev, EmdtrackWork *w);
  /* From the frame to w->brightness. */
  const char *(*brightness) (const Device *dev, const EmdtrackWork *w);
  /* From w->index to the counts of the first @n of w->regions. */
  const char *(*count) (const Device *dev, const EmdtrackWork *w, int n);
  /* From r->map to r->whole; to r->mask; with r->labels to r->nearness. */
  const char *(*spread) (const Device *dev, const EmdtrackReading *r);
  const char *(*below) (const Device *dev, const EmdtrackReading *r);
  const char *(*nearest) (const Device *dev, const EmdtrackReading *r);
} EmdtrackStages;

C_BEGIN
extern const EmdtrackStages emdtrack_stages_cpu, emdtrack_stages_cuda;

/* ---- From params and a frame to the work ---- */

/* Returns NULL, or what is wrong with the distance in @params. */
const char *emdtrack_check_distance (const EmdtrackParams *params);

/* Sets the integer ground distances of checked @params, and their scale. */
void emdtrack_set_distances (const EmdtrackParams *params,
    uint8_t distances[EMDTRACK_BINS][EMDTRACK_BINS], double *scale);

/* Sets @closed and its form; the form is EMDTRACK_FORM_ANY if no closed form
 * fits. */
void emdtrack_find_form (uint8_t distance[EMDTRACK_BINS][EMDTRACK_BINS], int n,
    EmdtrackClosed *closed);

/* Returns NULL, or what is wrong with a target of @n bins. */
const char *emdtrack_check_target (const EmdtrackTarget *target, int n);

/* Tables of a codebook, in the host's memory. */
typedef struct {
  uint8_t step[3 * 256];
  uint8_t spectra[EMDTRACK_BINS * EMDTRACK_BINS];
  uint8_t lut[EMDTRACK_LUT * EMDTRACK_LUT * EMDTRACK_LUT];
} EmdtrackTables;

/* Sets w->reader for @frame, but for its tables. */
const char *emdtrack_set_reader (
    EmdtrackWork *w, const EmdtrackParams *params, const EmdtrackFrame *frame);

/* The parts of a codebook and a frame on which the table of colours depends. */
typedef struct {
  EmdtrackCodebook codebook;
  int is_yuv, matrix, full_range; /* ints leave no padding: the struct is
                                     compared */
} EmdtrackColours;

/* The tables of a codebook on the device, and the codebook and frame for which
 * they were made. */
typedef struct {
  EmdtrackTables *tables; /* pinned */
  EmdtrackTables *device_tables;
  EmdtrackColours colours;
  EmdtrackCodebook spectra;
  bool has_steps, has_colours, has_spectra;
} EmdtrackCodebookUpload;

/* Uploads the tables of the codebook in @params for frames like @img, if they
 * have changed; the tables of colours depend on the gain, too. */
const char *emdtrack_codebook_upload (EmdtrackCodebookUpload *book,
    const Device *device, const EmdtrackParams *params, const Image *img);

/* Sets the problem of a target: distances, perturbed distances, demands. */
void emdtrack_set_problem (EmdtrackProblem *problem,
    uint8_t distance[EMDTRACK_BINS][EMDTRACK_BINS], int n, int mass,
    const EmdtrackTarget *target);
C_END
