/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Disparity of a rectified stereo pair by one-dimensional phase-only
 * correlation (POC), at points or at every pixel, to hundredths of a pixel.
 *
 * Paper: M. Miura, K. Fudano, K. Ito, T. Aoki, H. Takizawa, H. Kobayashi, "GPU
 * implementation of phase-based stereo correspondence and its application".
 * The steps, equations and techniques named in this folder are that paper's.
 *
 * Conventions: the left view is the reference.  What the left view shows at
 * x, the right view shows at x - d; d, the disparity, may have either sign. */
#pragma once

#include "common/device.h"
#include "common/image.h"
#include "common/param.h"

C_BEGIN

#define POCSTEREO_MAX_SIDE 8192    /* of a view, pixels */
#define POCSTEREO_MAX_WINDOW 128   /* samples of a line */
#define POCSTEREO_MAX_LINES 31     /* of a window */
#define POCSTEREO_MAX_BANDWIDTH 31 /* frequencies */
#define POCSTEREO_MAX_LAYERS 8
#define POCSTEREO_MAX_AVERAGE 64 /* frames */
#define POCSTEREO_MAX_POINTS 1000000
#define POCSTEREO_MAX_DISPARITY 4096 /* of either sign */
#define POCSTEREO_FULL_SAMPLE 4080   /* the brightest sample: 16 x 255 */

/* How frequencies count in the correlation (spectral weighting, section 2). */
typedef enum {
  POCSTEREO_AUTO_WEIGHT, /* as pocstereo_settle () has it */
  POCSTEREO_RECTANGLE,   /* all alike up to the bandwidth U */
  POCSTEREO_GAUSSIAN,    /* exp (-k^2 / (2 (U / 2)^2)) */
} PocstereoWeight;

/* How the place of the peak is found between samples (function fitting). */
typedef enum {
  POCSTEREO_AUTO_FIT,    /* likewise */
  POCSTEREO_CLOSED_FORM, /* the peak's model, solved for three samples */
  POCSTEREO_NEWTON,      /* the maximum of the correlation itself */
} PocstereoFit;

/* Meanings, ranges and defaults: pocstereo_params.c. */
typedef struct {
  int window, lines, bandwidth; /* the paper's N, L, odd, and U, below N / 2 */
  PocstereoWeight weight;
  PocstereoFit fit;
  double noise_floor;

  int average; /* noise goes down with the root of the frames */

  int layers; /* 0: of points at least 4, no more than the views allow */
  int min_disparity, max_disparity; /* min <= max */
  double min_peak;

  /* Of every pixel only. */
  int candidates; /* 1: the matches are those of points; 9: with medians between
                     the layers */
  bool left_right;
  double max_difference;
  bool revote, slant;
  int speckle_size;
  double speckle_step;
  bool fill, smooth;
} PocstereoParams;

extern const Param pocstereo_params[];

/* The defaults: 0 in the first five and layers means what suits points or every
 * pixel, and pocstereo_settle () says what that is.  All that follows needs
 * params that are settled. */
PocstereoParams pocstereo_defaults (void);
void pocstereo_settle (PocstereoParams *params, bool every_pixel);

/* Settled ones: the paper's, but for the range, which is the user's; and those
 * for every pixel. */
PocstereoParams pocstereo_points_defaults (void);
PocstereoParams pocstereo_dense_defaults (void);

/* Both views, rectified, in the device's memory: 16 x the grey value of 8 bits,
 * 0 to POCSTEREO_FULL_SAMPLE.  Rows are @stride samples apart. */
typedef struct {
  int width, height;
  const uint16_t *view[2]; /* left, right */
  int stride;
} PocstereoFrame;

/* Where the left view is asked. */
typedef struct {
  int x, y; /* pixels, in the view */
} PocstereoPoint;

#define POCSTEREO_ONE 256        /* a pixel, in disparities that are integers */
#define POCSTEREO_NONE INT32_MIN /* instead of a disparity: no match */

/* What was found at a point or pixel. */
typedef struct {
  int32_t disparity; /* 1 / POCSTEREO_ONE pixels, or POCSTEREO_NONE */
  uint16_t peak;     /* height of the correlation's peak, 65535 for identical
                        windows: the confidence */
  uint16_t sigma;    /* predicted standard deviation of a right match's
                        disparity, 1 / POCSTEREO_SIGMA pixels; 65535: more */
} PocstereoMatch;

#define POCSTEREO_SIGMA 4096

typedef struct _Pocstereo Pocstereo;

/* For views of @width x @height pixels, 16 to POCSTEREO_MAX_SIDE each. */
const char *pocstereo_new (
    Pocstereo **self, const Device *device, int width, int height);
void pocstereo_free (Pocstereo *self);

/* NULL, or what is wrong with @params for views of @width x @height. */
const char *pocstereo_check (
    const PocstereoParams *params, int width, int height);

/* How many layers @params mean for views of that size. */
int pocstereo_layers (const PocstereoParams *params, int width, int height);

/* Matches @n points (at most POCSTEREO_MAX_POINTS) of the left view, the host's
 * memory.  @matches, one each and in their order, lie in host memory and stay
 * until the next call. */
const char *pocstereo_points (Pocstereo *self, const PocstereoParams *params,
    const PocstereoFrame *frame, const PocstereoPoint *points, int n,
    const PocstereoMatch **matches);

/* The device's part of pocstereo_points () alone: queues it and does not wait.
 * For measuring. */
const char *pocstereo_queue_points (Pocstereo *self,
    const PocstereoParams *params, const PocstereoFrame *frame,
    const PocstereoPoint *points, int n);

/* Matches every pixel.  @matches, rows of @width, are memory of the device,
 * ready when what is queued on it is done, and stay until the next call. */
const char *pocstereo_dense (Pocstereo *self, const PocstereoParams *params,
    const PocstereoFrame *frame, const PocstereoMatch **matches);

/* Forgets the phasors of earlier frames: after a seek. */
void pocstereo_reset (Pocstereo *self);

C_END
