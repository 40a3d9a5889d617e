/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The disparity of a pixel without a match, for both backends.
 *
 * The left-right check also drops a right match if the right view is wrong.  A
 * gap is therefore filled with the disparity of the majority of the matches
 * around it if both views allow it: the right view shows there no other
 * confirmed pixel, and the censuses agree about as well as in the dropped
 * match.  A pixel that is hidden from the right view stays without a match,
 * since the right view shows a nearer, confirmed pixel there.  Not in the
 * paper. */
#pragma once

#include "pocstereo/pocstereo_revote_core.h"

/* The next match is searched in 8 directions, up to 32 pixels away. */
#define POCSTEREO_SIDES 8
#define POCSTEREO_FILL_REACH 32
/* A majority of the 8 directions must agree to within POCSTEREO_FILL_STEP. */
#define POCSTEREO_MAJORITY (POCSTEREO_SIDES / 2 + 1)
#define POCSTEREO_FILL_STEP (2 * POCSTEREO_ONE)
/* The least sigma that a filled match gets. */
#define POCSTEREO_FILL_SIGMA (POCSTEREO_SIGMA / 2)

/* The input of the filling; all arrays have rows of `width` pixels. */
typedef struct {
  int width, height;
  const int32_t *confirmed; /* the left view's disparities after the check */
  const int32_t *dropped;   /* the left view's disparities before the check */
  const PocstereoMatch *right;
  const uint64_t *census[2];
  int32_t most; /* greatest difference between both views' disparities */
} PocstereoGaps;

/* The index of the next pixel with a match in direction @side of (@x, @y), or
 * -1. */
BOTH int32_t
pocstereo_next_match (const PocstereoGaps *g, int side, int x, int y)
{
  /* dx + 1 and dy + 1 of each direction, two bits each, direction 0 in the
   * lowest bits */
  int dx = (int) (0x2858u >> (2 * side) & 3) - 1;
  int dy = (int) (0x8885u >> (2 * side) & 3) - 1;

  for (int i = 0; i < POCSTEREO_FILL_REACH; i++) {
    int32_t at;

    x += dx;
    y += dy;
    if (x < 0 || y < 0 || x >= g->width || y >= g->height)
      break;
    at = y * g->width + x;
    if (g->confirmed[at] != POCSTEREO_NONE)
      return at;
  }
  return -1;
}

BOTH bool
pocstereo_within_step (int32_t a, int32_t b, int32_t step)
{
  return a - b <= step && b - a <= step;
}

/* Whether (@x, @y) may have @disparity: the right view has that column, and no
 * other confirmed pixel of the left view claims it. */
BOTH bool
pocstereo_is_place_free (
    const PocstereoGaps *g, int x, int y, int32_t disparity)
{
  const PocstereoMatch *right = g->right + (size_t) y * g->width;
  const int32_t *left = g->confirmed + (size_t) y * g->width;
  int q = pocstereo_other_column (x, disparity), back;

  if (q < 0 || q >= g->width)
    return false;
  if (right[q].disparity == POCSTEREO_NONE ||
      pocstereo_within_step (disparity, -right[q].disparity, g->most))
    return true;
  back = pocstereo_other_column (q, right[q].disparity);
  return back < 0 || back >= g->width || left[back] == POCSTEREO_NONE ||
      !pocstereo_within_step (left[back], -right[q].disparity, g->most);
}

/* The number of differing bits of the censuses in 5 x 5 pixels around (@x, @y)
 * at @disparity. */
BOTH int
pocstereo_disagreement (const PocstereoGaps *g, int x, int y, int32_t disparity)
{
  int sum = 0;

  for (int j = -POCSTEREO_BOX; j <= POCSTEREO_BOX; j++) {
    size_t row = (size_t) pocstereo_clamp (y + j, 0, g->height - 1) * g->width;

    for (int i = -POCSTEREO_BOX; i <= POCSTEREO_BOX; i++) {
      int at = pocstereo_clamp (x + i, 0, g->width - 1);
      int q = pocstereo_clamp (
          pocstereo_other_column (at, disparity), 0, g->width - 1);

      sum += pocstereo_differing_bits (
          g->census[0][row + at], g->census[1][row + q]);
    }
  }
  return sum;
}

/* Whether the views support @disparity about as well as the match that was
 * dropped at (@x, @y): the censuses cost at most 5/4 of that match's. */
BOTH bool
pocstereo_is_fit_as_good (
    const PocstereoGaps *g, int x, int y, int32_t disparity)
{
  int32_t dropped = g->dropped[(size_t) y * g->width + x];

  return dropped == POCSTEREO_NONE ||
      pocstereo_within_step (dropped, disparity, POCSTEREO_ONE) ||
      4 * pocstereo_disagreement (g, x, y, disparity) <=
      5 * pocstereo_disagreement (g, x, y, dropped);
}

/* The index of the pixel from which (@x, @y) takes its disparity, and the
 * number of directions that agree with it, @votes; -1: none.  The first of
 * equal directions counts. */
BOTH int32_t
pocstereo_filler (const PocstereoGaps *g, int x, int y, int *votes)
{
  int32_t at[POCSTEREO_SIDES], best = -1;

  *votes = POCSTEREO_MAJORITY - 1;
  for (int i = 0; i < POCSTEREO_SIDES; i++)
    at[i] = pocstereo_next_match (g, i, x, y);
  for (int i = 0; i < POCSTEREO_SIDES; i++) {
    int n = 0;

    for (int k = 0; k < POCSTEREO_SIDES && at[i] >= 0; k++)
      n += at[k] >= 0 &&
          pocstereo_within_step (
              g->confirmed[at[k]], g->confirmed[at[i]], POCSTEREO_FILL_STEP);
    if (n > *votes && pocstereo_is_place_free (g, x, y, g->confirmed[at[i]])) {
      *votes = n;
      best = at[i];
    }
  }
  return best >= 0 && pocstereo_is_fit_as_good (g, x, y, g->confirmed[best])
      ? best
      : -1;
}

/* The match of a filled pixel.  Its peak is that of @filler times the share of
 * votes. */
BOTH PocstereoMatch
pocstereo_filled_match (PocstereoMatch filler, int votes)
{
  filler.peak = (uint16_t) (filler.peak * votes / POCSTEREO_SIDES);
  if (filler.sigma < POCSTEREO_FILL_SIGMA)
    filler.sigma = POCSTEREO_FILL_SIGMA;
  return filler;
}
