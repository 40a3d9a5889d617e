/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The last step between pixels, for both backends: a disparity becomes the mean
 * of those around it, as far as they are of its surface.  What a window of 16
 * samples says of a place errs by chance, more than a longer one would, and a
 * longer one would straddle edges.  Matches count by pairs, one as far on one
 * side of the pixel as the other on the other: the mean of a pair is the
 * pixel's own disparity on every plane, however it leans, and far from it where
 * one of both is of another surface.  Not in the paper. */
#pragma once

#include "pocstereo/pocstereo_fit_core.h"

/* Pairs lie in 9 x 7 places, 2 pixels apart. */
#define POCSTEREO_SMOOTH_X 4
#define POCSTEREO_SMOOTH_Y 3
#define POCSTEREO_SMOOTH_APART 2
/* A pair's mean may differ from the pixel by half of this, and one of both
 * from the other by twice the other. */
#define POCSTEREO_SMOOTH_MAX POCSTEREO_ONE
#define POCSTEREO_SMOOTH_LEAN (4 * POCSTEREO_ONE)
/* In place of POCSTEREO_NONE: far from every disparity. */
#define POCSTEREO_FAR (1 << 24)

BOTH int32_t
pocstereo_disparity_or_far (int32_t disparity)
{
  return disparity == POCSTEREO_NONE ? POCSTEREO_FAR : disparity;
}

/* Adds what a pair says, @a and @b, relative to the pixel's disparity. */
BOTH void
pocstereo_add_pair (int32_t a, int32_t b, int32_t *sum, int32_t *n)
{
  int32_t both = a + b, lean = a - b;
  int is = (both <= POCSTEREO_SMOOTH_MAX) & (-both <= POCSTEREO_SMOOTH_MAX) &
      (lean <= POCSTEREO_SMOOTH_LEAN) & (-lean <= POCSTEREO_SMOOTH_LEAN);

  *sum += is ? both : 0;
  *n += is;
}

/* The windows of neighbours overlap: this share of the variance they have in
 * common.  Measured on shifted views (docs/accuracy.md). */
#define POCSTEREO_IN_COMMON .2f

/* The match of a pixel around which @n pairs deviate from it by @sum in all.
 * What stays without noise, @least, as in sigma, is no chance and stays. */
BOTH PocstereoMatch
pocstereo_smoothed_match (
    PocstereoMatch match, int32_t sum, int32_t n, float least)
{
  float looks = (float) (2 * n + 1), sigma = (float) match.sigma;
  float stays = least * least, chance = sigma * sigma - stays;
  float share = POCSTEREO_IN_COMMON + (1 - POCSTEREO_IN_COMMON) / looks;

  if (match.disparity == POCSTEREO_NONE)
    return match;
  match.disparity += pocstereo_nearest ((float) sum / looks);
  if (match.sigma < 65535 && chance > 0)
    match.sigma = pocstereo_round_u16 (sqrtf (stays + chance * share));
  return match;
}
