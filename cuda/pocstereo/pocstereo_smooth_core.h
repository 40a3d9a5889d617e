/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Smoothing within surfaces, for both backends: a disparity becomes the mean of
 * the disparities around it that lie on its surface.
 *
 * The disparity of a window of 16 samples has more noise than that of a longer
 * window, which would straddle edges.  Disparities around a pixel count in
 * pairs at opposite places.  On a plane, however it leans, the mean of a pair
 * is the disparity of the pixel between; if one of the pair lies on another
 * surface, the mean is far from it, and the pair is left out.  Not in the
 * paper. */
#pragma once

#include "pocstereo/pocstereo_fit_core.h"

/* The disparities around a pixel that form pairs lie on a grid of 9 x 7 places,
 * 2 pixels apart. */
#define POCSTEREO_SMOOTH_X 4
#define POCSTEREO_SMOOTH_Y 3
#define POCSTEREO_SMOOTH_APART 2
/* A pair counts if the sum of both deviations from the pixel is at most
 * POCSTEREO_SMOOTH_MAX, and their difference at most POCSTEREO_SMOOTH_LEAN. */
#define POCSTEREO_SMOOTH_MAX POCSTEREO_ONE
#define POCSTEREO_SMOOTH_LEAN (4 * POCSTEREO_ONE)
/* Stands for POCSTEREO_NONE while disparities are smoothed: it is far from
 * every disparity. */
#define POCSTEREO_FAR (1 << 24)

BOTH int32_t
pocstereo_disparity_or_far (int32_t disparity)
{
  return disparity == POCSTEREO_NONE ? POCSTEREO_FAR : disparity;
}

/* Adds a pair, @a and @b relative to the pixel's disparity, if it counts. */
BOTH void
pocstereo_add_pair (int32_t a, int32_t b, int32_t *sum, int32_t *n)
{
  int32_t both = a + b, lean = a - b;
  int is = (both <= POCSTEREO_SMOOTH_MAX) & (-both <= POCSTEREO_SMOOTH_MAX) &
      (lean <= POCSTEREO_SMOOTH_LEAN) & (-lean <= POCSTEREO_SMOOTH_LEAN);

  *sum += is ? both : 0;
  *n += is;
}

/* The share of the variance that neighbours have in common since their windows
 * overlap.  Measured on shifted views (docs/lab/pocstereo.md). */
#define POCSTEREO_IN_COMMON .2f

/* The match of a pixel after smoothing.  @sum: of the deviations of the @n
 * pairs around it.  @least: the part of sigma that is not noise and stays. */
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
