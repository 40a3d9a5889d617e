/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The candidates of a pixel's disparity, and the choice among them, for both
 * backends.
 *
 * A window that straddles an edge of depth follows the stronger texture, so a
 * pixel's parent is often wrong there.  The pixel also tries the parents of its
 * neighbours: a right disparity spreads once it is near.  In the paper matches
 * are independent. */
#pragma once

#include "pocstereo/pocstereo_core.h"

/* Number of parents of a pixel: its own and 8 around it, POCSTEREO_APART pixels
 * of the layer above away. */
#define POCSTEREO_CANDIDATES 9
#define POCSTEREO_APART 3

/* The last search in layer 0: around the medians of the disparities of the
 * pixel and of its 4 neighbours, POCSTEREO_AGAIN_APART pixels away, up to
 * POCSTEREO_AGAIN_LAGS lags each way. */
#define POCSTEREO_AGAIN 5
#define POCSTEREO_AGAIN_APART 4
#define POCSTEREO_AGAIN_LAGS 2

/* Place @i of 9 around (@x, @y), @apart pixels away: the pixel itself, left,
 * right, above, below, then the corners; clamped to an image of @width x
 * @height. */
BOTH PocstereoPoint
pocstereo_place_around (int i, int x, int y, int apart, int width, int height)
{
  /* dx + 1 and dy + 1 of each place, two bits each, place 0 in the lowest bits
   */
  int dx = (int) (0xa161u >> (2 * i) & 3) - 1;
  int dy = (int) (0x22215u >> (2 * i) & 3) - 1;
  PocstereoPoint at;

  at.x = pocstereo_clamp (x + apart * dx, 0, width - 1);
  at.y = pocstereo_clamp (y + apart * dy, 0, height - 1);
  return at;
}

/* Neighbour @i of 9 of the pixel of the layer above, @width x @height, in which
 * (@x, @y) lies. */
BOTH PocstereoPoint
pocstereo_parent (int i, int x, int y, int width, int height)
{
  x = x >> 1 < width ? x >> 1 : width - 1;
  y = y >> 1 < height ? y >> 1 : height - 1;
  return pocstereo_place_around (i, x, y, POCSTEREO_APART, width, height);
}

/* Whether the candidate @base is left out since it lies in the inner half of
 * the @lags that are searched around @earlier each way.  In layer 0 the last
 * search covers the lags between the candidates.  In coarser layers, with @lags
 * 0, only equal candidates are left out: a candidate one pixel off finds thin
 * objects that @earlier misses. */
BOTH bool
pocstereo_reaches_base (int earlier, int base, int lags)
{
  int reach = lags / 2;

  return base - earlier <= reach && earlier - base <= reach;
}

/* The best match so far; height is INT32_MIN before the first match. */
typedef struct {
  int32_t height;
  int32_t disparity;
} PocstereoBest;

/* Replaces @best if @height is greater; of equal heights the first stays. */
BOTH void
pocstereo_take_higher_peak (
    int32_t height, int32_t disparity, PocstereoBest *best)
{
  if (height > best->height) {
    best->height = height;
    best->disparity = disparity;
  }
}

/* Tries the lags up to @lags around @base that lie in the layer's range.  @r:
 * the sums over lines at @base. */
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
