/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What every pixel's match decides, for both backends: which disparities are
 * tried, and which one stays.
 *
 * A window that straddles an edge of depth follows the stronger texture, so a
 * pixel's parent is often wrong there.  Its neighbours' parents are tried as
 * well; once a good disparity is near, it spreads.  None of this is in the
 * paper, whose matches are independent. */
#pragma once

#include "pocstereo/pocstereo_core.h"

/* Parents of a pixel: its own, and those around it, this many pixels of the
 * layer above apart. */
#define POCSTEREO_CANDIDATES 9
#define POCSTEREO_APART 3

/* The last look at layer 0: medians of disparities, at the pixel and its 4
 * neighbours this many pixels apart, each searched this many lags in each
 * direction. */
#define POCSTEREO_AGAIN 5
#define POCSTEREO_AGAIN_APART 4
#define POCSTEREO_AGAIN_LAGS 2

/* Place @i of 9 around (@x, @y), @apart pixels from it: itself, left, right,
 * above, below, then the corners; inside an image of @width x @height. */
BOTH PocstereoPoint
pocstereo_place_around (int i, int x, int y, int apart, int width, int height)
{
  /* dx + 1 and dy + 1 of each place, two bits each, the first lowest */
  int dx = (int) (0xa161u >> (2 * i) & 3) - 1;
  int dy = (int) (0x22215u >> (2 * i) & 3) - 1;
  PocstereoPoint at;

  at.x = pocstereo_clamp (x + apart * dx, 0, width - 1);
  at.y = pocstereo_clamp (y + apart * dy, 0, height - 1);
  return at;
}

/* The pixel of the layer above, @width x @height, that (@x, @y) lies in, its
 * neighbour @i of 9. */
BOTH PocstereoPoint
pocstereo_parent (int i, int x, int y, int width, int height)
{
  x = x >> 1 < width ? x >> 1 : width - 1;
  y = y >> 1 < height ? y >> 1 : height - 1;
  return pocstereo_place_around (i, x, y, POCSTEREO_APART, width, height);
}

/* Whether the candidate @base need not be tried after @earlier, of which @lags
 * are searched in each direction: it lies in the inner half of them.  For layer
 * 0, where the last look does the rest.  In coarser layers only the same
 * candidate is left out (@lags 0): one beside it finds thin things that the
 * other does not. */
BOTH bool
pocstereo_reaches_base (int earlier, int base, int lags)
{
  int reach = lags / 2;

  return base - earlier <= reach && earlier - base <= reach;
}

/* The best match so far; before any, height is INT32_MIN. */
typedef struct {
  int32_t height;
  int32_t disparity;
} PocstereoBest;

/* Of equal heights the first stays. */
BOTH void
pocstereo_take_higher_peak (
    int32_t height, int32_t disparity, PocstereoBest *best)
{
  if (height > best->height) {
    best->height = height;
    best->disparity = disparity;
  }
}

/* Tries the lags up to @lags around @base, inside the layer's range, whose sums
 * over lines are @r. */
BOTH void
pocstereo_try_base (const PocstereoTables *t, const PocstereoLayer *layer,
    const int32_t *r, int base, int lags, PocstereoBest *best)
{
  int first, last, lag;
  int32_t height;

  pocstereo_lags (layer, base, lags, &first, &last);
  lag = pocstereo_peak (t, r, first, last, &height);
  pocstereo_take_higher_peak (height, base + lag, best);
}
