/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The exact earth mover's distance (EMD) between the histogram of every pixel
 * and that of each of up to eight targets, under any ground distance.
 *
 * Paper: A. Shaffer, "Optimization of the Earth-Mover's Distance algorithm for
 * a GPU-based real-time multispectral computer vision system".  The sections
 * named in this folder are that paper's.
 *
 * All masses and distances are integers.  Every value is therefore exact, and
 * does not depend on the backend, the order of work or earlier frames. */
#pragma once

#include "common/device.h"
#include "common/image.h"
#include "common/param.h"

C_BEGIN

#define EMDTRACK_BINS 16       /* the most */
#define EMDTRACK_TARGETS 8     /* the most */
#define EMDTRACK_MAX_WINDOW 15 /* its 225 pixels fit a byte */
#define EMDTRACK_MAX_MASS 255  /* of a spectrum */
/* The maximum ground distance, as an integer. */
#define EMDTRACK_FARTHEST 255
#define EMDTRACK_MAX_SIDE 16384 /* of a frame, pixels */
#define EMDTRACK_MAX_TREES 65535
#define EMDTRACK_MAX_GAIN 1e6
#define EMDTRACK_LUT 64 /* steps of each component in a codebook's table */

/* The kinds of histogram of a pixel. */
typedef enum {
  EMDTRACK_INTENSITY, /* the grey values (luma) of the pixel's window, as in the
                         paper's test */
  EMDTRACK_CHANNELS,  /* the pixel's own spectrum: a bin for each channel */
  EMDTRACK_CODEBOOK,  /* the codebook's entries that are nearest to the window's
                         pixels: a bin for each entry */
} EmdtrackBins;

/* The layout of a pixel's channels in the image. */
typedef enum {
  EMDTRACK_PLAIN,   /* one channel of grey values, or R, G and B */
  EMDTRACK_MOSAIC,  /* GRAY8 or GRAY16: tiles of mosaic_width x mosaic_height
                       pixels, a pixel for each channel, row after row */
  EMDTRACK_STACKED, /* GRAY8 or GRAY16: a plane for each channel, one below the
                       other */
} EmdtrackLayout;

typedef enum {
  EMDTRACK_LINE,      /* |p_i - p_j|, with p = `positions` */
  EMDTRACK_CIRCLE,    /* the shorter way round a circle of `circumference` */
  EMDTRACK_EUCLIDEAN, /* between entries of the codebook, which must be given */
  EMDTRACK_MATRIX,    /* `matrix` */
} EmdtrackDistance;

typedef enum {
  EMDTRACK_AUTO,  /* a closed form if the distance is a line, a circle or a
                     tree; else EMDTRACK_REUSE, and on a GPU that or the
                     paper's steps, as the frames before suggest */
  EMDTRACK_REUSE, /* spanning trees of earlier optima are tried first */
  EMDTRACK_PAPER, /* the paper's three steps: cache, grouping, simplex */
} EmdtrackSolver;

/* Up to 16 colours or spectra (emdtrack_codebook_learn() makes one). */
typedef struct {
  int entries; /* 2 to EMDTRACK_BINS */
  int dims;    /* 3: colours, CIE L*a*b*, D65, of sRGB; else the number of
                  channels of spectra, whose channels add up to 255 */
  int spectra; /* 0 or 1; an int leaves no padding */
  float centre[EMDTRACK_BINS][EMDTRACK_BINS]; /* [entry][dimension] */
} EmdtrackCodebook;

/* A frame in the device's memory. */
typedef struct {
  Image image;
  EmdtrackLayout layout;
  int channels;                    /* of MOSAIC and STACKED frames, 2 to 16 */
  int mosaic_width, mosaic_height; /* pixels; their product is `channels` */
} EmdtrackFrame;

/* A histogram of `bins` weights with any sum; no weight is negative, and not
 * all are 0. */
typedef struct {
  double weight[EMDTRACK_BINS];
} EmdtrackTarget;

/* Meanings, ranges and defaults of the members with a row:
 * emdtrack_params.c. */
typedef struct {
  EmdtrackBins histogram;
  int window; /* for a pixel outside of the frame, the nearest pixel counts */
  int bins, white, spectrum_mass;
  const EmdtrackCodebook *codebook; /* for EMDTRACK_CODEBOOK, else NULL */
  double gain; /* colours are multiplied by it before they are compared with
                  those of a codebook; above 0, at most EMDTRACK_MAX_GAIN;
                  default 1 */

  EmdtrackDistance distance;       /* default EMDTRACK_LINE */
  double positions[EMDTRACK_BINS]; /* of the bins, ascending, the last one
                                      1e-300 to 1e300 above the first; all 0,
                                      the default, stands for 0, 1, 2 … */
  double circumference; /* for EMDTRACK_CIRCLE: above the last position minus
                           the first; 0, the default, makes all gaps equal */
  double matrix[EMDTRACK_BINS][EMDTRACK_BINS]; /* [from][to]: symmetric, no
                                                  element negative, the maximum
                                                  at least 1e-300 */
  double saturation; /* greater distances are reduced to it, at least 1e-300; 0,
                        the default, is no limit */

  EmdtrackSolver solver;
  ImageBox region; /* pixels outside of it get no value; default: all pixels.
                      Another region makes the next frame as slow as the
                      first */
  EmdtrackTarget targets[EMDTRACK_TARGETS];
  int n_targets; /* 0 to 8 */

  int max_trees; /* when their number comes near it, trees that no pixel of the
                    last frame used are dropped */
  int cache_bits;
} EmdtrackParams;

extern const Param emdtrack_params[];
EmdtrackParams emdtrack_defaults (void);

/* Counts how the values of a frame were found, over all targets.  The values
 * are always the same, but these numbers depend on the order of work and so on
 * the backend, since a frame uses the trees and values that earlier frames
 * stored.  On the GPU they repeat exactly, unless a tree or a value finds no
 * room. */
typedef struct {
  uint64_t unchanged; /* pixels with the same histogram as in the previous
                         frame */
  uint64_t closed;    /* pixels whose value comes from a closed form */
  uint64_t own;       /* pixels proven by the tree that they had in the previous
                         frame */
  uint64_t equal;     /* pixels with the value of another one of the frame,
                         whose histogram is the same; on the GPU */
  uint64_t neighbour; /* pixels proven by a neighbour's tree */
  uint64_t table;     /* pixels proven by a tree that stored pivots led to */
  uint64_t simplex;   /* pixels proven after at least one pivot that was not
                         stored */
  uint64_t pivots;    /* number of pivots that were not stored; EMDTRACK_PAPER:
                         of all pivots */
  uint64_t fallback;  /* pixels solved by the paper's simplex, after too many
                         pivots */
  uint64_t unstored;  /* pixels of `simplex` whose tree found no room */
  uint64_t evicted;   /* trees or cached values that were dropped */
  uint64_t trees;     /* trees that are stored, of all targets */
  /* By the paper's steps: */
  uint64_t cached;   /* pixels whose value an earlier frame had stored */
  uint64_t distinct; /* histograms that were solved */
} EmdtrackCounts;

/* The form of the ground distance. */
typedef enum {
  EMDTRACK_FORM_LINE,
  EMDTRACK_FORM_CIRCLE,
  EMDTRACK_FORM_TREE,
  EMDTRACK_FORM_ANY,
} EmdtrackForm;

#define EMDTRACK_NO_VALUE UINT16_MAX /* above every value of a map */

/* The map of each target.  The earth mover's distance of a pixel, in units of
 * the ground distance, is map / (mass * scale). */
typedef struct {
  int n_targets;
  ImageBox area; /* the pixels that have a value: the region within the frame */
  const uint16_t *map[EMDTRACK_TARGETS]; /* device memory, rows of the area's
                                            width */
  int mass;                              /* of every histogram */
  int most;          /* the greatest value that the ground distance allows */
  double scale;      /* integer distance for a ground distance of 1 */
  EmdtrackForm form; /* the closed form that the ground distance allows */
  EmdtrackCounts counts;
} EmdtrackResults;

typedef struct _Emdtrack Emdtrack;

/* Makes an Emdtrack for frames of @width x @height pixels, 1 to
 * EMDTRACK_MAX_SIDE each: the tiles of a mosaic, or the pixels of one of
 * stacked planes. */
const char *emdtrack_new (
    Emdtrack **self, const Device *device, int width, int height);
void emdtrack_free (Emdtrack *self);

/* Sets @width and @height to the values given to emdtrack_new (). */
void emdtrack_size (const Emdtrack *self, int *width, int *height);

/* Returns NULL, or what is wrong with @params.  An element calls this before
 * the first frame. */
const char *emdtrack_check (const EmdtrackParams *params);

/* Returns NULL, or what is wrong with @frame.  Sets @width and @height for
 * emdtrack_new (). */
const char *emdtrack_frame_size (
    const EmdtrackFrame *frame, int *width, int *height);

/* Computes the maps of all targets.  @results stay valid until the next
 * call. */
const char *emdtrack_run (Emdtrack *self, const EmdtrackParams *params,
    const EmdtrackFrame *frame, EmdtrackResults *results);

/* Queues writing the last frame's map of @target to @map, device memory, whose
 * rows have the frame's width, @stride in bytes: EMDTRACK_NO_VALUE outside of
 * the region. */
const char *emdtrack_copy_map (
    Emdtrack *self, int target, uint16_t *map, size_t stride);

#define EMDTRACK_MATCHES 4096 /* the most that are reported */

/* A place: neighbouring pixels, corners included, at which a map is below a
 * limit. */
typedef struct {
  ImageBox box;
  uint32_t area;  /* pixels */
  double cx, cy;  /* mean position of the pixels */
  uint16_t value; /* the least one in the map */
} EmdtrackMatch;

/* Finds all places at which the last frame's map of @target is below @limit.
 * Sets @matches to at most @max of them, 1 to EMDTRACK_MATCHES, the largest
 * first and of equal ones the first in the frame; they stay valid until the
 * next call.  Sets @n to their number and @all to that of all places.  Waits
 * for the device. */
const char *emdtrack_detect (Emdtrack *self, int target, int limit, int max,
    const EmdtrackMatch **matches, int *n, uint32_t *all);

/* Forgets the trees and values that earlier frames stored. */
const char *emdtrack_reset (Emdtrack *self);

/* Queues the histograms of all pixels alone. */
const char *emdtrack_queue_histograms (
    Emdtrack *self, const EmdtrackParams *params, const EmdtrackFrame *frame);

/* Returns the histograms of the last frame, memory of the device: EMDTRACK_BINS
 * bytes a pixel, rows of the area's width, whose unused bins are 0. */
const uint8_t *emdtrack_histograms (const Emdtrack *self);

#define EMDTRACK_REGIONS 8192 /* that can be counted at once */
/* The greatest side of a region, pixels.  Half of the tracker's box may lie
 * outside of the frame, and the tracker counts regions of up to 3.6 times the
 * box's size. */
#define EMDTRACK_MAX_REGION (8 * EMDTRACK_MAX_SIDE)
/* The greatest distance of a region's sides from the frame's corner, pixels. */
#define EMDTRACK_MAX_AWAY (1 << 30)
/* The most pixels of a region that are counted.  Their weights then add up to
 * less than 2^32, since only the pixel in the middle has a weight of 256. */
#define EMDTRACK_MAX_COUNTED (1 << 24)

/* The pixels of a box that lie in the frame, from the box's corner on every
 * @apart-th pixel of every @apart-th row.  A pixel's weight is 256 in the
 * middle of the box and falls to 0 at the ellipse that touches its sides
 * (Epanechnikov's kernel, as in mean shift), because the corners of a box
 * seldom show the target. */
typedef struct {
  ImageBox box; /* not empty, sides up to EMDTRACK_MAX_REGION, each at most
                   EMDTRACK_MAX_AWAY from 0 */
  int apart;    /* 1 to EMDTRACK_MAX_REGION */
} EmdtrackRegion;

/* Queues finding the bin of every pixel alone, with CODEBOOK or INTENSITY:
 * enough for emdtrack_count (). */
const char *emdtrack_index (
    Emdtrack *self, const EmdtrackParams *params, const EmdtrackFrame *frame);

/* Counts the bins of the last frame's pixels, weighted, in @n regions.  Sets
 * @counts to rows of EMDTRACK_BINS in host memory, valid until the next call.
 * Waits for the device.  Error: a region is not as EmdtrackRegion says, or has
 * more than EMDTRACK_MAX_COUNTED pixels to count. */
const char *emdtrack_count (Emdtrack *self, const EmdtrackRegion *regions,
    int n, const uint32_t **counts);

/* Whether emdtrack_count () waits for a GPU.  There a wait costs more than many
 * regions. */
bool emdtrack_waits_for_gpu (const Emdtrack *self);

/* Sets @mean to the mean grey value (luma) of every EMDTRACK_SPARSE-th pixel
 * and row of @frame, an EMDTRACK_PLAIN frame, in the frame's units.  The mean
 * of an earlier frame divided by this mean is the `gain` that compensates for a
 * change of light.  Waits for the device. */
const char *emdtrack_brightness (Emdtrack *self, const EmdtrackParams *params,
    const EmdtrackFrame *frame, double *mean);

#define EMDTRACK_SPARSE 4

/* Sets @distance to the integer ground distances of @params, rows of
 * EMDTRACK_BINS, and @scale to their scale. */
const char *emdtrack_distances (const EmdtrackParams *params,
    uint8_t distances[EMDTRACK_BINS][EMDTRACK_BINS], double *scale);

/* Scales @n weights to integers that add up to @mass, by largest remainder; of
 * equal remainders the first counts.  The paper does not say how to round. */
void emdtrack_quantise (const double *weight, int n, int mass, int *out);

C_END
