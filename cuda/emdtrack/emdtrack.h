/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The exact earth mover's distance (EMD) between the histogram of every pixel
 * and that of each of up to eight targets, under any ground distance.
 *
 * Paper: A. Shaffer, "Optimization of the Earth-Mover's Distance algorithm for
 * a GPU-based real-time multispectral computer vision system".  The sections
 * named in this folder are that paper's.
 *
 * All masses and distances are integers, so every value is exact, and the same
 * on every backend, in every order of work and whatever earlier frames left
 * behind. */
#pragma once

#include "common/device.h"
#include "common/image.h"
#include "common/param.h"

C_BEGIN

#define EMDTRACK_BINS 16       /* the most */
#define EMDTRACK_TARGETS 8     /* the most */
#define EMDTRACK_MAX_WINDOW 15 /* whose 225 pixels a byte counts */
#define EMDTRACK_MAX_MASS 255  /* of a spectrum */
/* The maximum ground distance, as an integer. */
#define EMDTRACK_FARTHEST 255
#define EMDTRACK_MAX_SIDE 16384 /* of a frame, pixels */
#define EMDTRACK_MAX_TREES 65535
#define EMDTRACK_MAX_GAIN 1e6
#define EMDTRACK_LUT 64 /* steps of each component in a codebook's table */

/* What a pixel's histogram is of. */
typedef enum {
  EMDTRACK_INTENSITY, /* the grey values (luma) of the window around it, as in
                         the paper's test */
  EMDTRACK_CHANNELS,  /* its own spectrum: a bin a channel */
  EMDTRACK_CODEBOOK,  /* which of a codebook's entries are nearest to the
                         pixels of the window: a bin an entry */
} EmdtrackBins;

/* How the channels of a pixel lie in the image. */
typedef enum {
  EMDTRACK_PLAIN,   /* one of grey; else three: R, G and B */
  EMDTRACK_MOSAIC,  /* GRAY8 or GRAY16, tiles of mosaic_width x mosaic_height
                       pixels, a channel each, row after row */
  EMDTRACK_STACKED, /* GRAY8 or GRAY16, planes one below another */
} EmdtrackLayout;

typedef enum {
  EMDTRACK_LINE,      /* |p_i - p_j|, p being `positions` */
  EMDTRACK_CIRCLE,    /* the shorter way round, of `circumference` */
  EMDTRACK_EUCLIDEAN, /* between entries of the codebook, which there must be */
  EMDTRACK_MATRIX,    /* `matrix` */
} EmdtrackDistance;

typedef enum {
  EMDTRACK_AUTO,  /* a closed form where the distance is a line, a circle or a
                     tree, else EMDTRACK_REUSE */
  EMDTRACK_REUSE, /* spanning trees of earlier optima are tried first */
  EMDTRACK_PAPER, /* the paper's three steps: cache, grouping, simplex */
} EmdtrackSolver;

/* Up to 16 colours or spectra (emdtrack_codebook_learn() makes one). */
typedef struct {
  int entries; /* 2 to EMDTRACK_BINS */
  int dims;    /* 3: colours, CIE L*a*b*, D65, of sRGB; else of spectra, whose
                  channels add up to 255: their number */
  int spectra; /* 0 or 1; no bool, so that there is no padding */
  float centre[EMDTRACK_BINS][EMDTRACK_BINS]; /* [entry][dimension] */
} EmdtrackCodebook;

/* A frame in the device's memory. */
typedef struct {
  Image image;
  EmdtrackLayout layout;
  int channels;                    /* of MOSAIC and STACKED, 2 to 16 */
  int mosaic_width, mosaic_height; /* pixels; their product is `channels` */
} EmdtrackFrame;

/* A histogram of `bins` weights, none negative, not all 0: any mass. */
typedef struct {
  double weight[EMDTRACK_BINS];
} EmdtrackTarget;

/* Meanings, ranges and defaults of what has a row: emdtrack_params.c. */
typedef struct {
  EmdtrackBins histogram;
  int window; /* outside the frame, the nearest pixel counts */
  int bins, white, spectrum_mass;
  const EmdtrackCodebook *codebook; /* of CODEBOOK, which needs one */
  double gain; /* CODEBOOK of colours: brightness is multiplied by it before
                  colours are compared, above 0, at most EMDTRACK_MAX_GAIN;
                  default 1 */

  EmdtrackDistance distance;       /* default EMDTRACK_LINE */
  double positions[EMDTRACK_BINS]; /* of the bins, ascending, the last one
                                      1e-300 to 1e300 above the first; all 0,
                                      the default: 0, 1, 2 … */
  double circumference; /* CIRCLE: above the last position minus the first; 0,
                           the default: all gaps are equal */
  double matrix[EMDTRACK_BINS][EMDTRACK_BINS]; /* [from][to]: symmetric, none
                                                  negative, the maximum at
                                                  least 1e-300 */
  double saturation; /* greater distances are reduced to this, at least 1e-300;
                        0, the default: no limit */

  EmdtrackSolver solver;
  EmdtrackTarget targets[EMDTRACK_TARGETS];
  int n_targets; /* 0 to 8 */

  int max_trees; /* when it is nearly reached, trees that no pixel of the last
                    frame needed are dropped */
  int cache_bits;
} EmdtrackParams;

extern const Param emdtrack_params[];
EmdtrackParams emdtrack_defaults (void);

/* How the values of a frame were found, summed over its targets.  The values
 * are always the same; these numbers depend on the order of work, and so on the
 * backend.  On the GPU they repeat, unless there is no room for a tree or a
 * value; a frame uses what earlier frames have stored. */
typedef struct {
  uint64_t unchanged; /* pixels with the histogram they had a frame ago */
  uint64_t closed;    /* by a closed form */
  uint64_t own;       /* proven by the tree that the pixel had a frame ago */
  uint64_t neighbour; /* by a neighbour's */
  uint64_t table;     /* by a tree that stored pivots led to */
  uint64_t simplex;   /* after at least one pivot that was not stored */
  uint64_t pivots;    /* that were not stored; PAPER: all */
  uint64_t fallback;  /* by the paper's simplex, after too many pivots */
  uint64_t unstored;  /* among simplex: trees that found no room */
  uint64_t evicted;   /* trees, or cached values, that were dropped */
  uint64_t trees;     /* stored now, all targets */
  uint64_t cached;    /* PAPER: pixels whose value an earlier frame left */
  uint64_t distinct;  /* PAPER: histograms that had to be solved */
} EmdtrackCounts;

/* The form that the ground distance turned out to have. */
typedef enum {
  EMDTRACK_FORM_LINE,
  EMDTRACK_FORM_CIRCLE,
  EMDTRACK_FORM_TREE,
  EMDTRACK_FORM_ANY,
} EmdtrackForm;

/* The earth mover's distance of a pixel, in units of the ground distance, is
 * map / (mass * scale). */
typedef struct {
  int n_targets;
  const uint16_t *map[EMDTRACK_TARGETS]; /* device memory, rows of width */
  int mass;                              /* of every histogram */
  double scale;      /* integer distance for a ground distance of 1 */
  EmdtrackForm form; /* which closed form there is */
  EmdtrackCounts counts;
} EmdtrackResults;

typedef struct _Emdtrack Emdtrack;

/* For frames of @width x @height pixels: of a mosaic, its tiles; of stacked
 * planes, one of them.  1 to EMDTRACK_MAX_SIDE each. */
const char *emdtrack_new (
    Emdtrack **self, const Device *device, int width, int height);
void emdtrack_free (Emdtrack *self);

/* The size that emdtrack_new() was given. */
void emdtrack_size (const Emdtrack *self, int *width, int *height);

/* NULL, or what is wrong with @params: for those who negotiate before there is
 * a frame. */
const char *emdtrack_check (const EmdtrackParams *params);

/* NULL, or what is wrong with @frame; if NULL, the size is that for
 * emdtrack_new(). */
const char *emdtrack_frame_size (
    const EmdtrackFrame *frame, int *width, int *height);

/* Maps of all targets.  @results stay valid until the next call. */
const char *emdtrack_run (Emdtrack *self, const EmdtrackParams *params,
    const EmdtrackFrame *frame, EmdtrackResults *results);

/* Forgets what earlier frames left: trees, cached values. */
const char *emdtrack_reset (Emdtrack *self);

/* Queues the histograms alone; for measuring. */
const char *emdtrack_queue_histograms (
    Emdtrack *self, const EmdtrackParams *params, const EmdtrackFrame *frame);

/* The histograms of the last run, memory of the device: EMDTRACK_BINS bytes a
 * pixel, rows of width, whose unused bins are 0. */
const uint8_t *emdtrack_histograms (const Emdtrack *self);

#define EMDTRACK_REGIONS 8192 /* that can be counted at once */
/* The maximum side of a region, pixels.  The tracker looks at a box of which
 * half lies in the frame, at 2.25 times its size, and at 1.6 times that. */
#define EMDTRACK_MAX_REGION (8 * EMDTRACK_MAX_SIDE)
/* Maximum distance of a region's sides from the frame's corner, pixels. */
#define EMDTRACK_MAX_AWAY (1 << 30)
/* Pixels of a region that are counted, the most: weights of 256 then add up to
 * 2^32 at most, and only the one in the middle is as great. */
#define EMDTRACK_MAX_COUNTED (1 << 24)

/* Every @apart-th pixel of every @apart-th row of a box, from its corner on,
 * that lies in the frame.  Its weight is 256 in the middle of the box, and
 * falls to 0 at the ellipse that touches the sides (Epanechnikov's kernel, as
 * in mean shift): the corners of a box seldom show the target. */
typedef struct {
  ImageBox box; /* not empty, sides up to EMDTRACK_MAX_REGION, each at most
                   EMDTRACK_MAX_AWAY from 0 */
  int apart;    /* 1 to EMDTRACK_MAX_REGION */
} EmdtrackRegion;

/* Queues finding every pixel's bin alone, of CODEBOOK or INTENSITY: enough for
 * emdtrack_count(). */
const char *emdtrack_index (
    Emdtrack *self, const EmdtrackParams *params, const EmdtrackFrame *frame);

/* Counts the bins of the last frame's pixels in @n regions, weighted.  @counts,
 * rows of EMDTRACK_BINS in host memory, stay until the next call.  Waits for
 * the device.  Fails where a region has other numbers than EmdtrackRegion says,
 * or more than EMDTRACK_MAX_COUNTED of its pixels would be counted. */
const char *emdtrack_count (Emdtrack *self, const EmdtrackRegion *regions,
    int n, const uint32_t **counts);

/* The mean grey value (luma) of every EMDTRACK_SPARSE-th pixel and row of
 * @frame, EMDTRACK_PLAIN, in its own units.  The earlier mean divided by this
 * one is the `gain` that compensates for a change of light.  Waits for the
 * device. */
const char *emdtrack_brightness (Emdtrack *self, const EmdtrackParams *params,
    const EmdtrackFrame *frame, double *mean);

#define EMDTRACK_SPARSE 4

/* The integer ground distances that @params mean, rows of EMDTRACK_BINS, and
 * their scale. */
const char *emdtrack_distances (const EmdtrackParams *params,
    uint8_t distances[EMDTRACK_BINS][EMDTRACK_BINS], double *scale);

/* @n weights scaled to integers that add up to @mass, by largest remainder; of
 * equal remainders the first.  The paper leaves this open. */
void emdtrack_quantise (const double *weight, int n, int mass, int *out);

C_END
