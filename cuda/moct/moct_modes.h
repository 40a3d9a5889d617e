/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The colours that a region has and its surroundings do not.  Host code. */
#pragma once

#include "moct/moct.h"

C_BEGIN

/* Points in Lab, x, y, z one behind the other. */
typedef struct {
  float *at;
  int n;
} MoctSamples;

/* Finds at most MOCT_MODES modes of the colours in @region, apart from those in
 * @around, what surrounds it, and in @rest of the frame.  The mode of each of
 * the region's points, -1 where it has none, goes to @mode, the best mode being
 * 0.  Returns their number, 0 where the region does not differ from what
 * surrounds it, or -1 without memory. */
int moct_modes_find (const MoctSamples *region, const MoctSamples *around,
    const MoctSamples *rest, int *mode);

C_END
