/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What makes a field of disparities better, for both backends: pixels near
 * edges choose again; what the right view does not confirm, and specks, go.
 *
 * The re-vote undoes what a window does at edges of depth, where the nearer
 * object's texture wins and the object grows.  Each pixel may take the
 * disparity of another one in its row or column, if the census transforms of
 * both views then agree better in the 5 x 5 pixels around it: at each of these,
 * that of its own pixel as far away.  A census, which
 * only knows what is darker, bears differing exposures, as phases do. */
#pragma once

#include "pocstereo/pocstereo_core.h"

#define POCSTEREO_CENSUS_X 4 /* the census's reach: 9 x 7 pixels */
#define POCSTEREO_CENSUS_Y 3
#define POCSTEREO_BOX 2     /* the reach of the sum of its costs: 5 x 5 */
#define POCSTEREO_DONORS 16 /* others a pixel may take its disparity from */
#define POCSTEREO_VOTES 2   /* times all pixels choose again */

/* Which of the pixels around (@x, @y) are darker than it, a bit each; those
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

/* In how many bits two censuses differ. */
BOTH int
pocstereo_differing_bits (uint64_t a, uint64_t b)
{
#ifdef __CUDA_ARCH__
  return __popcll (a ^ b);
#else
  return __builtin_popcountll (a ^ b);
#endif
}

/* Whether a disparity whose 5 x 5 costs sum to @cost is worth taking instead of
 * one with @best: it has to win by 2 % and 0.1 bits a pixel, cost / 25 < 0.98
 * best / 25 - 0.1, times 1250. */
BOTH bool
pocstereo_is_cheaper (int cost, int best)
{
  return 50 * cost < 49 * best - 125;
}

/* Donor @i of 16: 2, 4, 8 and 12 pixels away, of each to the left, right, above
 * and below, in this order. */
BOTH PocstereoPoint
pocstereo_donor (int i, int x, int y, int width, int height)
{
  int away = (int) (0xc842u >> (i & ~3) & 15), side = i & 3;
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

/* The left view's @disparity at @x, or POCSTEREO_NONE where the row @right of
 * the right view's matches, whose disparities have the other sign, says
 * something else by more than @most, or nothing, or what is seen lies outside
 * of it. */
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

/* Whether neighbours are of one patch. */
BOTH bool
pocstereo_is_one_patch (int32_t a, int32_t b, int32_t step)
{
  return a != POCSTEREO_NONE && b != POCSTEREO_NONE && a - b <= step &&
      b - a <= step;
}
