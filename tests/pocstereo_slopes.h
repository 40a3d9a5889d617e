/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Planes that lean, with the texture of real views: the right view is the left
 * one stretched, so that the disparity grows from pixel to pixel or from row to
 * row; windows that lean with them against upright ones. */
#pragma once

#include "pocstereo_images.h"

#define PARTS \
 4 /* a pixel is the mean of so many of the picture's, either way */
#define SLOPE_EDGE 16
#define SLOPE_LEAST (-32) /* disparities */
#define SLOPE_MOST 64
#define SLOPE_MIDDLE 4.3

/* A sample of the mean grey level @grey, from a sensor of 8 bits. */
static inline uint16_t
noisy (double grey, double noise)
{
  if (noise > 0) {
    double u = (rnd (1 << 24) + 1) / 16777217., v = rnd (1 << 24) / 16777216.;

    grey = rint (grey + noise * sqrt (-2 * log (u)) * cos (2 * M_PI * v));
  }
  grey = grey < 0 ? 0 : grey > 255 ? 255 : grey;
  return (uint16_t) rint (16 * grey);
}

static inline double
grey_between (const Picture *p, double x, int y)
{
  double last = p->width - 1.001, at = x < 0 ? 0 : x > last ? last : x;
  const uint8_t *grey = &p->grey[(size_t) y * p->width + (int) at];

  return grey[0] + (at - floor (at)) * (grey[1] - grey[0]);
}

typedef struct {
  double across, down; /* pixels by which the disparity grows a pixel */
} Slope;

/* Of the left view's pixel. */
static inline double
slope_at (const Pair *p, Slope s, double x, int y)
{
  return SLOPE_MIDDLE + s.across * (x - p->width / 2) +
      s.down * (y - p->height / 2);
}

/* What the right view shows at x, the left one shows at (x + d (0)) / (1 -
 * across). */
static inline void
draw_slope (Pair *p, const Picture *from, Slope s, double noise)
{
  for (int v = 0; v < 2; v++)
    for (int y = 0; y < p->height; y++)
      for (int x = 0; x < p->width; x++) {
        double sum = 0;

        for (int i = 0; i < PARTS * PARTS; i++) {
          double at = x + (i % PARTS + .5) / PARTS - .5;

          if (v)
            at = (at + slope_at (p, s, 0, y)) / (1 - s.across);
          sum += grey_between (
              from, PARTS * at + (PARTS - 1) / 2., PARTS * y + i / PARTS);
        }
        *pair_at (p, v, x, y) = noisy (sum / (PARTS * PARTS), noise);
      }
}

/* Adds the squares of errors of at most a pixel, where both views show the
 * plane. */
static inline int
add_slope_errors (const PocstereoMatch *m, const Pair *p, Slope s, double *sum)
{
  int n = 0;

  for (int y = SLOPE_EDGE; y < p->height - SLOPE_EDGE; y++)
    for (int x = SLOPE_EDGE; x < p->width - SLOPE_EDGE; x++) {
      double truth = slope_at (p, s, x, y);
      double error = disparity_of (m[y * p->width + x]) - truth;
      bool seen = x - truth >= SLOPE_EDGE && x - truth < p->width - SLOPE_EDGE;

      if (!seen || !(fabs (error) <= 1))
        continue;
      *sum += error * error;
      n++;
    }
  return n;
}

/* The root mean squares of errors in all of @names, without and with
 * windows that lean. */
static inline void
slope_errors (DeviceKind kind, const char *const *names, int n_names, Slope s,
    double rms[2])
{
  const char *data = getenv ("VISION_TEST_DATA");
  PocstereoParams params = POCSTEREO_DENSE_DEFAULTS;
  double sum[2] = {0};
  int n[2] = {0};

  params.min_disparity = SLOPE_LEAST;
  params.max_disparity = SLOPE_MOST;
  for (int i = 0; i < n_names; i++) {
    Picture from = picture_read (data, names[i]);
    Pair pair = pair_new (from.width / PARTS, from.height / PARTS, 0);

    draw_slope (&pair, &from, s, 1);
    for (int slant = 0; slant < 2; slant++) {
      PocstereoMatch *m;

      params.slant = slant;
      m = pair_match (kind, &params, &pair, NULL, 0);
      n[slant] += add_slope_errors (m, &pair, s, &sum[slant]);
      free (m);
    }
    pair_free (&pair);
    free (from.grey);
  }
  for (int slant = 0; slant < 2; slant++)
    rms[slant] = sqrt (sum[slant] / n[slant]);
}

/* Windows that lean are never worse, and better by far where much leans. */
static inline void
test_slopes (DeviceKind kind, const char *const *names, int n_names)
{
  static const double slopes[] = {0, .05, .2};

  for (int down = 0; down < 2; down++)
    for (int i = 0; i < 3; i++) {
      double rms[2];

      slope_errors (kind, names, n_names,
          (Slope){down ? 0 : slopes[i], down ? slopes[i] : 0}, rms);
      printf ("| %s, slope %g | upright %.3f | slanted %.3f |\n",
          down ? "down" : "across", slopes[i], rms[0], rms[1]);
      check (rms[1] <= 1.02 * rms[0]);
      if (slopes[i] >= .2)
        check (rms[1] <= .6 * rms[0]);
    }
}
