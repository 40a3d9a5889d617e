/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The re-vote near edges, the left-right check, and patches, for both backends.
 *
 * At an edge of depth the texture of the nearer object wins in a window, and
 * the object grows by about half a window.  The re-vote undoes this: a pixel
 * may take the disparity of a donor in its row or column if both views then
 * agree better.  The cost of a disparity is the number of differing bits of the
 * census transforms of both views, summed over 5 x 5 pixels; each of these
 * takes the disparity of the donor at the same distance and direction.  A
 * census knows only which pixels are darker, so it bears differing exposures,
 * as phases do.  Not in the paper. */
#pragma once

#include "pocstereo/pocstereo_core.h"

#define POCSTEREO_CENSUS_X 4 /* 9 x 7 pixels around a pixel */
#define POCSTEREO_CENSUS_Y 3
#define POCSTEREO_BOX 2   /* 5 x 5 costs are summed */
#define POCSTEREO_VOTES 2 /* rounds */

/* The pixels that offer their disparity: left, right, above and below, at each
 * distance, four bits each. */
typedef struct {
  int n;
  uint32_t away;
} PocstereoDonors;

BOTH PocstereoDonors
pocstereo_donors (int n, uint32_t away)
{
  PocstereoDonors donors;

  donors.n = n;
  donors.away = away;
  return donors;
}

/* The donors of a round of votes. */
BOTH PocstereoDonors
pocstereo_vote_donors (void)
{
  return pocstereo_donors (16, 0xc842);
}

/* The pixels around (@x, @y) that are darker than it, a bit each; pixels
 * outside repeat the edge. */
BOTH uint64_t
pocstereo_census (
    const uint16_t *view, int stride, int width, int height, int x, int y)
{
  int centre = view[(size_t) y * stride + x];
  uint64_t bits = 0;

  for (int j = -POCSTEREO_CENSUS_Y; j <= POCSTEREO_CENSUS_Y; j++) {
    const uint16_t *row =
        view + (size_t) pocstereo_clamp (y + j, 0, height - 1) * stride;

    for (int i = -POCSTEREO_CENSUS_X; i <= POCSTEREO_CENSUS_X; i++)
      bits = bits << 1 | (row[pocstereo_clamp (x + i, 0, width - 1)] < centre);
  }
  return bits;
}

/* The number of bits in which two censuses differ. */
BOTH int
pocstereo_differing_bits (uint64_t a, uint64_t b)
{
#ifdef __CUDA_ARCH__
  return __popcll (a ^ b);
#else
  return __builtin_popcountll (a ^ b);
#endif
}

/* Whether the cost @cost replaces the cost @best, each a sum over 5 x 5 pixels:
 * it must be lower by 2 % and by 0.1 bits a pixel, cost / 25 < 0.98 best / 25 -
 * 0.1, here times 1250. */
BOTH bool
pocstereo_is_cheaper (int cost, int best)
{
  return 50 * cost < 49 * best - 125;
}

/* Donor @i of (@x, @y): left, right, above and below at the least distance,
 * then at the next. */
BOTH PocstereoPoint
pocstereo_donor (
    PocstereoDonors donors, int i, int x, int y, int width, int height)
{
  int away = (int) (donors.away >> (i & ~3) & 15), side = i & 3;
  PocstereoPoint at;

  at.x = pocstereo_clamp (x +
          (side == 0          ? -away
                  : side == 1 ? away
                              : 0),
      0, width - 1);
  at.y = pocstereo_clamp (y +
          (side == 2          ? -away
                  : side == 3 ? away
                              : 0),
      0, height - 1);
  return at;
}

/* @disparity of the left view at @x if the right view confirms it, else
 * POCSTEREO_NONE. The right view confirms it if its match there, in the row
 * @right, has the same disparity (of the other sign) to @most. */
BOTH int32_t
pocstereo_confirmed_disparity (const PocstereoMatch *right, int width, int x,
    int32_t disparity, int32_t most)
{
  int q;
  int32_t sum;

  if (disparity == POCSTEREO_NONE)
    return POCSTEREO_NONE;
  q = pocstereo_other_column (x, disparity);
  if (q < 0 || q >= width || right[q].disparity == POCSTEREO_NONE)
    return POCSTEREO_NONE;
  sum = disparity + right[q].disparity;
  return sum <= most && -sum <= most ? disparity : POCSTEREO_NONE;
}

/* Whether two neighbours with the disparities @a and @b are of one patch. */
BOTH bool
pocstereo_is_one_patch (int32_t a, int32_t b, int32_t step)
{
  return a != POCSTEREO_NONE && b != POCSTEREO_NONE && a - b <= step &&
      b - a <= step;
}
