/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What becomes of a pixel without a match, for both backends.
 *
 * The left-right check drops a right match where the right view erred, too.  So
 * a pixel takes the disparity that most of the matches around it say, where
 * that is all that the views allow: what the right view shows there belongs to
 * no other pixel, and both censuses agree about as well as in the match that
 * was dropped.  What is hidden from the right view stays without a match: where
 * it would be seen, something nearer is confirmed.  Not in the paper. */
#pragma once

#include "pocstereo/pocstereo_revote_core.h"

/* The next match is looked for to 8 sides, up to 32 pixels far. */
#define POCSTEREO_SIDES 8
#define POCSTEREO_FILL_REACH 32
/* More than half of these say the same, to so much. */
#define POCSTEREO_MAJORITY (POCSTEREO_SIDES / 2 + 1)
#define POCSTEREO_FILL_STEP (2 * POCSTEREO_ONE)
/* The predicted standard deviation of what is filled in. */
#define POCSTEREO_FILL_SIGMA (POCSTEREO_SIGMA / 2)

/* All rows are of width. */
typedef struct {
  int width, height;
  const int32_t *confirmed; /* the left view's disparities */
  const int32_t *dropped;   /* those before anything was dropped */
  const PocstereoMatch *right;
  const uint64_t *census[2];
  int32_t most; /* by which both views' disparities may differ */
} PocstereoGaps;

/* The next pixel with a match, seen from (@x, @y) to @side of 8; -1: none. */
BOTH int32_t
pocstereo_next_match (const PocstereoGaps *g, int side, int x, int y)
{
  /* dx + 1 and dy + 1 of each side, two bits each, the first lowest */
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

/* Whether what the right view shows of @x in row @y at @disparity is in it, and
 * is not confirmed to be something else. */
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

/* In how many bits the censuses differ around (@x, @y) at @disparity. */
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

/* Whether the views speak for @disparity about as much as for the match that
 * was dropped at (@x, @y): its censuses differ in at most a quarter more. */
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

/* The pixel whose disparity (@x, @y), which has none, takes, and how many
 * @votes it has; -1: none.  Of equal ones the first side counts. */
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

/* What (@x, @y) says after @filler with @votes spoke for it: as sure as that
 * one, by its share of the votes. */
BOTH PocstereoMatch
pocstereo_filled_match (PocstereoMatch filler, int votes)
{
  filler.peak = (uint16_t) (filler.peak * votes / POCSTEREO_SIDES);
  if (filler.sigma < POCSTEREO_FILL_SIGMA)
    filler.sigma = POCSTEREO_FILL_SIGMA;
  return filler;
}
