/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Disparity of a rectified stereo pair by one-dimensional phase-only
 * correlation (POC), at points or at every pixel, to hundredths of a pixel.
 *
 * Paper: M. Miura, K. Fudano, K. Ito, T. Aoki, H. Takizawa, H. Kobayashi, "GPU
 * implementation of phase-based stereo correspondence and its application".
 * Sections, steps, equations and techniques in the comments of this folder are
 * those of the paper.
 *
 * Conventions: the left view is the reference.  A point of the scene at column
 * x of the left view is at x - d of the right view; the disparity d may have
 * either sign. */
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

/* The weights of the frequencies in the correlation (spectral weighting,
 * section 2). */
typedef enum {
  POCSTEREO_AUTO_WEIGHT, /* pocstereo_settle () chooses it by the mode */
  POCSTEREO_RECTANGLE,   /* 1 up to the bandwidth U */
  POCSTEREO_GAUSSIAN,    /* exp (-k^2 / (2 (U / 2)^2)) */
} PocstereoWeight;

/* The search of the peak between samples (function fitting, section 2). */
typedef enum {
  POCSTEREO_AUTO_FIT,    /* pocstereo_settle () chooses it by the mode */
  POCSTEREO_CLOSED_FORM, /* the paper's model of the peak, solved for three
                            samples */
  POCSTEREO_NEWTON,      /* the maximum of the correlation itself */
  POCSTEREO_TWO_WINDOWS, /* of points: pocstereo_refine_between (); of every
                            pixel: POCSTEREO_NEWTON */
} PocstereoFit;

/* Meanings, ranges and defaults: pocstereo_params.c. */
typedef struct {
  int window, lines, bandwidth; /* the paper's N, L, odd, and U, below N / 2 */
  PocstereoWeight weight;
  PocstereoFit fit;
  double noise_floor;

  int average; /* frames */

  int layers;                       /* 0: pocstereo_layers () chooses */
  int min_disparity, max_disparity; /* min <= max */
  double min_peak;

  /* Parameters of matching every pixel. */
  int candidates; /* 1: as for points; 9: with medians between the layers */
  bool left_right;
  double max_difference;
  bool revote, paths, slant;
  int speckle_size;
  double speckle_step;
  bool fill, smooth;
} PocstereoParams;

extern const Param pocstereo_params[];

/* The defaults.  In window, lines, bandwidth, weight, fit and layers the
 * default 0 stands for a value that depends on the mode, points or every pixel:
 * pocstereo_settle () puts that value in its place.  All other functions need
 * settled params. */
PocstereoParams pocstereo_defaults (void);
void pocstereo_settle (PocstereoParams *params, bool every_pixel);

/* Settled defaults for points, which are those of the paper but for fit, and
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

/* A pixel of the left view to be matched. */
typedef struct {
  int x, y; /* pixels */
} PocstereoPoint;

#define POCSTEREO_ONE 256        /* a pixel, in disparities that are integers */
#define POCSTEREO_NONE INT32_MIN /* in place of a disparity: no match */

/* The match of a point or pixel. */
typedef struct {
  int32_t disparity; /* 1 / POCSTEREO_ONE pixels, or POCSTEREO_NONE */
  uint16_t peak;     /* height of the correlation's peak, 65535 for identical
                        windows: the confidence */
  uint16_t sigma;    /* predicted standard deviation of the disparity of a right
                        match, 1 / POCSTEREO_SIGMA pixels; 65535: larger */
} PocstereoMatch;

#define POCSTEREO_SIGMA 4096

typedef struct _Pocstereo Pocstereo;

/* @width, @height: of the views, 16 to POCSTEREO_MAX_SIDE pixels.  Free @self
 * after an error, too. */
const char *pocstereo_new (
    Pocstereo **self, const Device *device, int width, int height);
void pocstereo_free (Pocstereo *self);

/* Returns NULL, or the reason why @params cannot work for views of @width x
 * @height pixels. */
const char *pocstereo_check (
    const PocstereoParams *params, int width, int height);

/* The number of layers by @params, for views of @width x @height pixels. */
int pocstereo_layers (const PocstereoParams *params, int width, int height);

/* Matches @n points (at most POCSTEREO_MAX_POINTS) of the left view and waits
 * for the result.  @points and @matches lie in the host's memory; match i is
 * that of point i.  @matches stay until the next call. */
const char *pocstereo_points (Pocstereo *self, const PocstereoParams *params,
    const PocstereoFrame *frame, const PocstereoPoint *points, int n,
    const PocstereoMatch **matches);

/* Queues the work of pocstereo_points () and does not wait.  For measuring. */
const char *pocstereo_queue_points (Pocstereo *self,
    const PocstereoParams *params, const PocstereoFrame *frame,
    const PocstereoPoint *points, int n);

/* Queues the matching of every pixel.  @matches, rows of @width, lie in the
 * device's memory and stay until the next call. */
const char *pocstereo_dense (Pocstereo *self, const PocstereoParams *params,
    const PocstereoFrame *frame, const PocstereoMatch **matches);

/* Drops the means over earlier frames, as after a seek. */
void pocstereo_reset (Pocstereo *self);

C_END
