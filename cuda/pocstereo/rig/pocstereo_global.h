/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The offset of two whole views: two-dimensional phase-only correlation (the
 * paper's section 2 in two dimensions, after Kuglin and Hines, its reference
 * 5).  Matching along lines needs views whose rows agree to half a pixel; this
 * measures whether they agree. */
#pragma once

#include "pocstereo/pocstereo.h"

C_BEGIN

/* The offset between two views, in pixels. */
typedef struct {
  double disparity; /* of the highest peak, which most of the scene has */
  double vertical;  /* rows by which the right view shows everything lower: of
                       all peaks together, whatever their disparities */
  double peak; /* height of the highest peak, 0 to 1; 1 for identical views */
  double contrast; /* energy of the row of peaks above the other rows, in their
                      standard deviations; below POCSTEREO_GLOBAL_CONTRAST the
                      offset is not known */
} PocstereoOffset;

#define POCSTEREO_GLOBAL_CONTRAST 8.

typedef struct _PocstereoGlobal PocstereoGlobal;

/* @width, @height: of the views, 16 to POCSTEREO_MAX_SIDE pixels.  Views of
 * more than 512 columns are halved until they have no more.  Error: fewer than
 * 2 rows are left, as of 8192 x 16 pixels; or cuFFT, which the GPU needs, is
 * not installed. */
const char *pocstereo_global_new (
    PocstereoGlobal **self, const Device *device, int width, int height);
void pocstereo_global_free (PocstereoGlobal *self);

/* Measures the offset and waits for it.  Offsets up to a quarter of the views'
 * sides each way are found. */
const char *pocstereo_global_run (PocstereoGlobal *self,
    const PocstereoFrame *frame, PocstereoOffset *offset);

C_END
