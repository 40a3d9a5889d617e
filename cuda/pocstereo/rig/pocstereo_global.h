/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How two views lie against each other as a whole: two-dimensional phase-only
 * correlation of all of both (the paper's section 2 in two dimensions, after
 * Kuglin and Hines, its reference 5).  Matching along lines needs views whose
 * rows agree to half a pixel; this measures whether they do. */
#pragma once

#include "pocstereo/pocstereo.h"

C_BEGIN

/* Pixels of the views. */
typedef struct {
  double disparity; /* of most of what is seen: the highest peak's */
  double vertical; /* by so much the right view shows things lower, rows: of all
                      peaks together, whatever their disparities */
  double peak;     /* height of the highest, 1 for identical views, 0 to 1 */
  double contrast; /* how far the row of peaks stands out from the rows without,
                      in their standard deviations; below
                      POCSTEREO_GLOBAL_CONTRAST nothing was measured */
} PocstereoOffset;

#define POCSTEREO_GLOBAL_CONTRAST 8.

typedef struct _PocstereoGlobal PocstereoGlobal;

/* For views of @width x @height pixels, 16 to POCSTEREO_MAX_SIDE each.  On the
 * GPU it needs cuFFT, which is opened now.  Views of more than 512 columns are
 * halved until they have no more; fails where fewer than 2 rows are then left,
 * as of 8192 x 16 pixels. */
const char *pocstereo_global_new (
    PocstereoGlobal **self, const Device *device, int width, int height);
void pocstereo_global_free (PocstereoGlobal *self);

/* Measures, and waits for it.  Offsets up to a quarter of the views' sides
 * either way are found. */
const char *pocstereo_global_run (PocstereoGlobal *self,
    const PocstereoFrame *frame, PocstereoOffset *offset);

C_END
