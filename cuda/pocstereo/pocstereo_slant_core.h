/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Windows that lean with the surface, for both backends.  On a slanted plane
 * the right view shows a window's lines longer or shorter, and each row
 * elsewhere: the peak widens, and the disparity errs by several times what it
 * does on a wall.  So, for every pixel whose surroundings lie in a slanted
 * plane, the right window is read along that plane, and Step 7 done again.
 * Not in the paper. */
#pragma once

#include "pocstereo/pocstereo_fit_core.h"
#include "pocstereo/rig/pocstereo_rectify_core.h"

/* A plane goes through the disparities of 9 x 9 pixels, this far apart, */
#define POCSTEREO_SLANT_REACH 4
#define POCSTEREO_SLANT_STEP 3
/* of which at least this many must be of the same surface. */
#define POCSTEREO_SLANT_MIN 40

/* A slope of one pixel per pixel, as an integer. */
#define POCSTEREO_SLOPE 65536
/* Steeper planes are taken for edges; flatter ones gain nothing. */
#define POCSTEREO_STEEPEST (POCSTEREO_SLOPE / 2)
#define POCSTEREO_FLATTEST (POCSTEREO_SLOPE / 64)

/* By how much the disparity grows from pixel to pixel and from row to row, 1 /
 * POCSTEREO_SLOPE. */
typedef struct {
  int32_t across, down;
} PocstereoSlant;

/* Sums over the pixels of one surface: x and y in steps, d the disparity, 1 /
 * POCSTEREO_ONE, all relative to the pixel in the middle. */
typedef struct {
  int32_t n, x, y, d, xx, xy, yy, xd, yd;
} PocstereoMoments;

BOTH void
pocstereo_add_moments (PocstereoMoments *m, int x, int y, int32_t d)
{
  m->n++;
  m->x += x;
  m->y += y;
  m->d += d;
  m->xx += x * x;
  m->xy += x * y;
  m->yy += y * y;
  m->xd += x * d;
  m->yd += y * d;
}

BOTH int32_t
pocstereo_slope (int64_t of, int64_t to)
{
  const float unit =
      (float) (POCSTEREO_SLOPE / POCSTEREO_ONE / POCSTEREO_SLANT_STEP);
  float slope = (float) of / (float) to * unit;

  return slope > POCSTEREO_STEEPEST ? POCSTEREO_STEEPEST
      : slope < -POCSTEREO_STEEPEST ? -POCSTEREO_STEEPEST
                                    : pocstereo_nearest (slope);
}

/* The plane of least squares; false if there is none, or it is flat.  Each sum
 * is below 2^20, each difference of products below 2^27. */
BOTH bool
pocstereo_fit_plane (const PocstereoMoments *m, PocstereoSlant *slant)
{
  int64_t xx = m->n * m->xx - m->x * m->x, xy = m->n * m->xy - m->x * m->y;
  int64_t yy = m->n * m->yy - m->y * m->y, xd = m->n * m->xd - m->x * m->d;
  int64_t yd = m->n * m->yd - m->y * m->d, det = xx * yy - xy * xy;

  if (m->n < POCSTEREO_SLANT_MIN || det <= 0)
    return false;
  slant->across = pocstereo_slope (yy * xd - xy * yd, det);
  slant->down = pocstereo_slope (xx * yd - xy * xd, det);
  return slant->across >= POCSTEREO_FLATTEST ||
      -slant->across >= POCSTEREO_FLATTEST ||
      slant->down >= POCSTEREO_FLATTEST || -slant->down >= POCSTEREO_FLATTEST;
}

/* The slant of the surface at (@x, @y) by the disparities @smooth, rows of
 * @width.  Of the same surface is what no plane that is steep enough for an
 * edge, half a pixel more, is needed for. */
BOTH bool
pocstereo_find_slant (const int32_t *smooth, int width, int height, int x,
    int y, PocstereoSlant *slant)
{
  PocstereoMoments m = {0, 0, 0, 0, 0, 0, 0, 0, 0};
  int32_t middle = smooth[(size_t) y * width + x];

  for (int j = -POCSTEREO_SLANT_REACH; j <= POCSTEREO_SLANT_REACH; j++)
    for (int i = -POCSTEREO_SLANT_REACH; i <= POCSTEREO_SLANT_REACH; i++) {
      int at_x = x + i * POCSTEREO_SLANT_STEP;
      int at_y = y + j * POCSTEREO_SLANT_STEP;
      int away = (i < 0 ? -i : i) > (j < 0 ? -j : j) ? (i < 0 ? -i : i)
                                                     : (j < 0 ? -j : j);
      int32_t most = POCSTEREO_ONE / 2 +
          away * POCSTEREO_SLANT_STEP *
              (POCSTEREO_STEEPEST / (POCSTEREO_SLOPE / POCSTEREO_ONE));
      int32_t d;

      if (at_x < 0 || at_y < 0 || at_x >= width || at_y >= height)
        continue;
      d = smooth[(size_t) at_y * width + at_x] - middle;
      if (d <= most && -d <= most)
        pocstereo_add_moments (&m, i, j, d);
    }
  return pocstereo_fit_plane (&m, slant);
}

/* Where the window around a pixel is read in the right view. */
typedef struct {
  int32_t x; /* of its middle, 1 / POCSTEREO_MAP_ONE pixels */
  int32_t y; /* row of the middle */
  PocstereoSlant slant;
} PocstereoLean;

BOTH PocstereoLean
pocstereo_lean_window (int x, int y, int32_t disparity, PocstereoSlant slant)
{
  PocstereoLean lean;

  lean.x =
      x * POCSTEREO_MAP_ONE - disparity * (POCSTEREO_MAP_ONE / POCSTEREO_ONE);
  lean.y = y;
  lean.slant = slant;
  return lean;
}

/* The right view's sample for the left one's @n samples off the middle of a
 * window, in line @y, whose @row has @width samples: between samples by cubic
 * convolution, beyond the row's ends like the last one.  An integer, as all
 * samples are, so that phasors stay exact. */
BOTH int
pocstereo_slanted_sample (
    const uint16_t *row, int width, const PocstereoLean *lean, int n, int y)
{
  const int shift = 16 - POCSTEREO_MAP_BITS;
  int32_t more = lean->slant.across * n + lean->slant.down * (y - lean->y);
  int at =
      lean->x + n * POCSTEREO_MAP_ONE - ((more + (1 << (shift - 1))) >> shift);
  int first = (at >> POCSTEREO_MAP_BITS) - 1, weight[4];
  int sum = 1 << (POCSTEREO_WEIGHT_BITS - 1);

  pocstereo_cubic_weights (at & (POCSTEREO_MAP_ONE - 1), weight);
  for (int i = 0; i < 4; i++)
    sum += weight[i] * row[pocstereo_clamp (first + i, 0, width - 1)];
  return pocstereo_clamp (
      sum >> POCSTEREO_WEIGHT_BITS, 0, POCSTEREO_SAMPLE_MAX);
}

/* Takes instead of @match what was found in its place, @leaning, whose
 * disparity is the lag alone, where its peak is higher.  Lags count samples of
 * the leaning window, which are 1 - across of a pixel apart.  Farther away than
 * a pixel, it is of another surface: at edges of depth, a window that leans
 * enough fits both sides. */
BOTH void
pocstereo_take_leaning_match (
    PocstereoMatch leaning, int32_t across, PocstereoMatch *match)
{
  int32_t lag =
      (leaning.disparity * (POCSTEREO_SLOPE - across) + POCSTEREO_SLOPE / 2) >>
      16;

  leaning.disparity = match->disparity + lag;
  if (leaning.peak > match->peak && lag <= POCSTEREO_ONE &&
      -lag <= POCSTEREO_ONE)
    *match = leaning;
}
