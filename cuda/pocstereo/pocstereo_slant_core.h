/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Windows that lean with the surface, for both backends.
 *
 * On a slanted plane the right view shows the lines of a window longer or
 * shorter, and shifted from row to row: the peak widens, and the error of the
 * disparity is several times that on a wall.  A pixel whose surroundings lie in
 * a slanted plane therefore reads its right window along that plane and repeats
 * Step 7.  Not in the paper. */
#pragma once

#include "pocstereo/pocstereo_fit_core.h"
#include "pocstereo/rig/pocstereo_rectify_core.h"

/* A plane is fitted to the disparities of 9 x 9 pixels, POCSTEREO_SLANT_STEP
 * apart, if at least POCSTEREO_SLANT_MIN of them lie on one surface. */
#define POCSTEREO_SLANT_REACH 4
#define POCSTEREO_SLANT_STEP 3
#define POCSTEREO_SLANT_MIN 40

/* A slope of one pixel per pixel, as an integer. */
#define POCSTEREO_SLOPE 65536
/* Steeper planes are edges of depth; flatter planes need no leaning window. */
#define POCSTEREO_STEEPEST (POCSTEREO_SLOPE / 2)
#define POCSTEREO_FLATTEST (POCSTEREO_SLOPE / 64)

/* The growth of the disparity from pixel to pixel and from row to row, 1 /
 * POCSTEREO_SLOPE. */
typedef struct {
  int32_t across, down;
} PocstereoSlant;

/* Sums over the pixels of one surface, relative to the pixel in the middle. x,
 * y: in steps of POCSTEREO_SLANT_STEP; d: the disparity, 1 / POCSTEREO_ONE. */
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

/* The plane of least squares; false if too few pixels define it, or it is flat.
 * Each sum is below 2^20, each difference of products below 2^27. */
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
 * @width.  A pixel is of that surface if its disparity differs by at most half
 * a pixel more than the steepest plane allows. */
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

/* The place of the window in the right view. */
typedef struct {
  int32_t x; /* middle, 1 / POCSTEREO_MAP_ONE pixels */
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

/* The sample of the right view that belongs to sample @n of the left window's
 * line in row @y.  @row: that row of the right view, @width samples.  Samples
 * between pixels are interpolated by cubic convolution; samples beyond the ends
 * of the row repeat its last pixel.  All are rounded to integers, so that
 * phasors stay exact. */
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

/* Replaces @match by @leaning, measured in its place with a leaning window, if
 * the peak of @leaning is higher and its disparity at most a pixel away: a
 * window that leans enough fits both sides of an edge of depth.
 * leaning.disparity is a lag alone, in samples of the leaning window, which are
 * 1 - across pixels apart. */
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
