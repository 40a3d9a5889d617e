/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Windows of odd lengths, and of those that a library transforms: known
 * disparities, plain lines, and CPU against CUDA within what two libraries
 * round. */
#pragma once

#include "pocstereo_hostile.h"
#include "pocstereo_known.h"

#define LENGTH_POINTS 6

static inline PocstereoParams
params_of_length (int window)
{
  PocstereoParams p = POCSTEREO_POINTS_DEFAULTS;

  p.window = window;
  p.lines = 9;
  p.bandwidth = window / 4 < POCSTEREO_MAX_BANDWIDTH ? window / 4
                                                     : POCSTEREO_MAX_BANDWIDTH;
  p.min_disparity = -24;
  p.max_disparity = 24;
  return p;
}

/* The greatest error at points of a wall at @d, whose windows lie inside. */
static inline double
error_of (DeviceKind kind, const PocstereoParams *params, double d)
{
  Pair p = pair_new (640, 24, 3);
  Texture t = texture_new ();
  PocstereoPoint points[LENGTH_POINTS];
  PocstereoMatch *m;
  double most = 0;

  pair_draw_wall (&p, &t, d);
  for (int i = 0; i < LENGTH_POINTS; i++)
    points[i] = (PocstereoPoint){300 + 5 * i, 12};
  m = pair_match (kind, params, &p, points, LENGTH_POINTS);
  for (int i = 0; i < LENGTH_POINTS; i++)
    most = fmax (most, fabs (disparity_of (m[i]) - d));
  check (pair_is_unharmed (&p));
  free (m);
  pair_free (&p);
  return most;
}

/* The shift theorem at whole and at broken shifts.  The longer the window, the
 * less its ends weigh, which see other things. */
static inline void
test_lengths (DeviceKind kind)
{
  static const struct {
    int window;
    double most;
  } lengths[] = {{15, .25}, {31, .08}, {33, .08}, {127, .03}, {129, .03},
      {200, .03}, {256, .03}, {257, .03}, {512, .03}};

  for (int i = 0; i < 9; i++) {
    PocstereoParams p = params_of_length (lengths[i].window);

    check (error_of (kind, &p, 17) < .004);
    check (error_of (kind, &p, -20) < .004);
    check (error_of (kind, &p, -13.5) < lengths[i].most);
    check (error_of (kind, &p, 6.25) < lengths[i].most);
  }
}

/* The middle of a range that a long window does not see at once. */
static inline void
test_long_range (DeviceKind kind)
{
  PocstereoParams p = params_of_length (256);

  p.layers = 1;
  p.min_disparity = -100;
  p.max_disparity = 100;
  check (error_of (kind, &p, 3) < .004);
}

/* Rows of saturated steps above rows of nothing, of which a pair of lines has
 * one each: what is plain stays so, and what is not is found. */
static inline void
test_long_plain (DeviceKind kind)
{
  PocstereoParams params = params_of_length (200);
  Pair p = pair_new (230, 18, 5);
  PocstereoMatch *m;

  params.lines = 1;
  for (int i = 0; i < 2 * 230 * 18; i++) {
    int x = i / 2 % 230, y = i / 460;
    bool white = random_below (check_seed, x / 2 + 1000 * y, 2);

    *pair_at (&p, i % 2, x, y) = y > 8 ? 77 : white ? POCSTEREO_FULL_SAMPLE : 0;
  }
  m = pair_match (kind, &params, &p, NULL, 0);
  for (int i = 0; i < 230 * 18; i++) {
    bool plain = i / 230 > 8;

    check (plain ? m[i].peak == 0 && m[i].sigma == 65535
                 : m[i].disparity == 0 && m[i].peak > 60000);
  }
  free (m);
  pair_free (&p);
}

/* Every pixel, a point at each, and the mean of frames that are alike: one. */
static inline void
test_long_modes (DeviceKind kind)
{
  Pair p = pair_new (140, 17, 7);
  int n = p.width * p.height;
  PocstereoParams params = params_of_length (129);
  PocstereoPoint *points = malloc (n * sizeof *points);
  PocstereoMatch *all, *few, *dense, *mean;
  Texture t = texture_new ();

  pair_draw_wall (&p, &t, 13.3);
  for (int i = 0; i < n; i++)
    points[i] = (PocstereoPoint){i % p.width, i / p.width};
  all = pair_match (kind, &params, &p, points, n);
  few = pair_match (kind, &params, &p, points, 9);
  dense = pair_match (kind, &params, &p, NULL, 0);
  params.average = 2;
  mean = pair_match (kind, &params, &p, NULL, 0);
  check (!memcmp (all, dense, n * sizeof *all));
  check (!memcmp (all, few, 9 * sizeof *all));
  check (!memcmp (mean, dense, n * sizeof *all));
  free (all);
  free (few);
  free (dense);
  free (mean);
  free (points);
  pair_free (&p);
}

/* ---- CPU against CUDA ---- */

/* Of all that two backends found. */
typedef struct {
  int n, apart;       /* apart: by more than a 64th of a pixel */
  int most;           /* difference of the others' disparities */
  double peak, sigma; /* likewise; sigma: as a part of it */
} Parity;

static inline void
compare_long (
    Parity *p, const PocstereoMatch *a, const PocstereoMatch *b, int n)
{
  for (int i = 0; i < n; i++) {
    bool none =
        a[i].disparity == POCSTEREO_NONE || b[i].disparity == POCSTEREO_NONE;
    int off = none ? (a[i].disparity != b[i].disparity) * INT32_MAX
                   : abs (a[i].disparity - b[i].disparity);

    p->n++;
    if (off > POCSTEREO_ONE / 64) {
      p->apart++;
      continue;
    }
    p->most = off > p->most ? off : p->most;
    p->peak = fmax (p->peak, abs (a[i].peak - b[i].peak));
    p->sigma =
        fmax (p->sigma, abs (a[i].sigma - b[i].sigma) / (a[i].sigma + 1.));
  }
}

/* Walls with noise, up to their borders.  The most of 16000 points and 850000
 * pixels: no point apart, 98 pixels, which voted differently; points by 2 / 256
 * pixels and 10 / 65535 of the peak. */
static inline void
test_parity_long (DeviceKind kind)
{
  Parity points = {0}, dense = {0};

  for (int round = 0; round < 40; round++) {
    int window = 129 + (int) rnd (384), n = 200;
    Pair p = pair_new (window + (int) rnd (90), 16 + (int) rnd (30), 5);
    PocstereoParams params = params_of_length (window);
    PocstereoPoint at[200];
    PocstereoMatch *a, *b;
    Texture t = texture_new ();

    params.fit = (PocstereoFit) rnd (2);
    params.weight = (PocstereoWeight) rnd (2);
    params.bandwidth -= (int) rnd (params.bandwidth - window / 20);
    params.candidates = rnd (2) ? 9 : 1;
    params.left_right = params.revote = rnd (2);
    pair_draw_wall (&p, &t, rnd (400) / 10. - 20);
    for (int i = 0; i < 2 * p.width * p.height; i++) {
      uint16_t *s = pair_at (&p, i % 2, i / 2 % p.width, i / 2 / p.width);

      *s = (uint16_t) (*s * 15 / 16 + rnd (200));
    }
    for (int i = 0; i < n; i++)
      at[i] = (PocstereoPoint){(int) rnd (p.width), (int) rnd (p.height)};
    a = pair_match (DEVICE_CPU, &params, &p, at, n);
    b = pair_match (kind, &params, &p, at, n);
    compare_long (&points, a, b, n);
    free (a);
    free (b);
    a = pair_match (DEVICE_CPU, &params, &p, NULL, 0);
    b = pair_match (kind, &params, &p, NULL, 0);
    compare_long (&dense, a, b, p.width * p.height);
    free (a);
    free (b);
    pair_free (&p);
  }
  printf ("long windows: %d of %d points and %d of %d pixels apart, the others "
          "by %d and %d / 256 pixels, peaks %g and %g, sigma %g and %g\n",
      points.apart, points.n, dense.apart, dense.n, points.most, dense.most,
      points.peak, dense.peak, points.sigma, dense.sigma);
  check (points.apart <= points.n / 2000 && points.peak <= 50);
  check (dense.apart <= dense.n / 1000);
}
