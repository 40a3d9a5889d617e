/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CPU backend's state, and its parts. */
#pragma once

#include "common/memory.h"
#include "pocstereo/pocstereo_slant_core.h"
#include "pocstereo/pocstereo_work.h"

/* Windows that are transformed, and pixels that are refined, at once. */
#define POCSTEREO_LANES 16
/* Components of phasors that are multiplied at once: fields have room for as
 * many behind the last pixel's. */
#define POCSTEREO_BLOCK 16
/* Lags whose correlation is taken at once, and room for all of these. */
#define POCSTEREO_LAG_BLOCK 8
#define POCSTEREO_LAG_ROOM \
 ((POCSTEREO_MAX_LAGS + 2 + POCSTEREO_LAG_BLOCK - 1) / POCSTEREO_LAG_BLOCK * \
     POCSTEREO_LAG_BLOCK)

typedef struct {
  DeviceMemory memory;

  /* The tables' numbers of these names, a frequency's side by side. */
  int32_t lag_cosine[POCSTEREO_MAX_BANDWIDTH][POCSTEREO_LAG_ROOM];
  int32_t lag_sine[POCSTEREO_MAX_BANDWIDTH][POCSTEREO_LAG_ROOM];

  /* Phasors of every pixel of one layer, view by view: rows of width, 2
   * bandwidth bytes a pixel. */
  int8_t *field[2];
  size_t field_bytes; /* room in each */
  int16_t *means[2];  /* of those of all layers, over frames */
  size_t means_room;  /* numbers in each */
  int *base;          /* of every point: its disparity in the layer above */
  int max_points;

  /* Of every pixel of a layer: disparities in its pixels, found now and in the
   * layer above. */
  int32_t *found, *parent;
  int32_t *height;       /* of the correlation there */
  uint64_t *census[2];   /* of both views */
  int32_t *dropped;      /* the left view's disparities before the check */
  PocstereoMatch *spare; /* matches, while all choose again */
  uint32_t *patch;       /* labels of patches, the last of these to be
                            had */
} PocstereoCpu;

/* pocstereo_lines_cpu.c: phasors, 2 bandwidth bytes each, @phasors one after
 * the other.  Columns and rows outside the view repeat its edge. */
/* of pixels @x to @x + n - 1 of @row. */
void pocstereo_row_cpu (const PocstereoTables *t, const uint16_t *row,
    int width, int x, int n, int8_t *phasors);
/* of the lines of the window around (@x, @y). */
void pocstereo_window_cpu (const PocstereoTables *t, const uint16_t *view,
    int stride, const PocstereoLayer *layer, int x, int y, int8_t *phasors);
/* of the lines of a leaning window, in layer 0 of @view. */
void pocstereo_leaning_cpu (const PocstereoWork *w, int view,
    const PocstereoLean *lean, int8_t *phasors);
/* of every pixel of layer @l of @view, of this frame alone. */
void pocstereo_lines_cpu (
    const PocstereoWork *w, int view, int l, int8_t *field);

/* pocstereo_average_cpu.c: the same, or the mean of frames. */
void pocstereo_field_cpu (
    const PocstereoWork *w, int view, int l, int8_t *field);
const char *pocstereo_average_cpu (
    const Device *dev, const PocstereoWork *w, bool dense);

/* pocstereo_refine_cpu.c: the matches of @n pixels, at most POCSTEREO_LANES, at
 * the disparities @base.  @r: sums over lines, re and im of each frequency, a
 * number for each pixel. */
void pocstereo_refine_cpu (const PocstereoTables *t,
    const int32_t (*r)[POCSTEREO_LANES], const int32_t *base, int n,
    PocstereoMatch *match);

/* Room for the fields of layer 0. */
const char *pocstereo_need_fields_cpu (const PocstereoWork *w);

/* Censuses of both views. */
void pocstereo_census_cpu (const PocstereoWork *w);

/* The median of 5 x 5 numbers around each of @from. */
void pocstereo_median_cpu (
    const int32_t *from, int32_t *to, int width, int height);

const char *pocstereo_points_cpu (const Device *dev, const PocstereoWork *w);
const char *pocstereo_dense_cpu (
    const Device *dev, const PocstereoWork *w, int view);
const char *pocstereo_revote_cpu (
    const Device *dev, const PocstereoWork *w, int view);
const char *pocstereo_slant_cpu (
    const Device *dev, const PocstereoWork *w, int view);
const char *pocstereo_left_right_cpu (
    const Device *dev, const PocstereoWork *w);
const char *pocstereo_speckle_cpu (const Device *dev, const PocstereoWork *w);
const char *pocstereo_fill_cpu (const Device *dev, const PocstereoWork *w);
const char *pocstereo_smooth_cpu (const Device *dev, const PocstereoWork *w);
