/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pairs whose disparity is known: the shift theorem, by hand. */
#pragma once

#include "pocstereo_pair.h"

/* A grid of points away from the borders. */
#define GRID 60

static inline void
grid_of (const Pair *p, int margin, PocstereoPoint *points)
{
  for (int i = 0; i < GRID; i++) {
    points[i].x = margin + i % 10 * (p->width - 1 - 2 * margin) / 9;
    points[i].y = 10 + i / 10 * (p->height - 21) / 5;
  }
}

/* A wall @d pixels off, @tolerance: of every point, away from the borders. */
static inline void
check_wall (
    DeviceKind kind, const PocstereoParams *params, double d, double tolerance)
{
  Texture t = texture_new ();
  Pair p = pair_new (320, 64, (int) rnd (9));
  PocstereoPoint points[GRID];
  PocstereoMatch *m;

  pair_draw_wall (&p, &t, d);
  grid_of (&p, 100, points);
  m = pair_match (kind, params, &p, points, GRID);
  for (int i = 0; i < GRID; i++)
    check_near (disparity_of (m[i]), d, tolerance);
  free (m);
  m = pair_match (kind, params, &p, NULL, 0);
  for (int i = 0; i < GRID; i++)
    check_near (disparity_of (m[points[i].y * p.width + points[i].x]), d,
        2 * tolerance);
  free (m);
  check (pair_is_unharmed (&p));
  pair_free (&p);
}

static inline void
test_shifts (DeviceKind kind)
{
  PocstereoParams p = POCSTEREO_POINTS_DEFAULTS;

  p.min_disparity = -64;
  p.max_disparity = 64;
  for (int d = -60; d <= 60; d += 24)
    check_wall (kind, &p, d, .004);
  for (int d = -3; d <= 3; d++)
    check_wall (kind, &p, d / 4., .06);
  p.window = 128; /* kernels that are made for any length */
  p.bandwidth = 31;
  check_wall (kind, &p, 17, .004);
  check_wall (kind, &p, 17.5, .06);
  p.window = 50;
  p.bandwidth = 12;
  check_wall (kind, &p, 17.5, .06);
}

/* Rigs whose cameras look inwards: only far, or only negative disparities. */
static inline void
test_ranges (DeviceKind kind)
{
  static const int ranges[][3] = {
      {-285, -205, -250}, {200, 280, 231}, {-4, 4, 3}, {17, 17, 17}};

  for (int i = 0; i < 4; i++) {
    PocstereoParams params = POCSTEREO_POINTS_DEFAULTS;
    Texture t = texture_new ();
    Pair p = pair_new (700, 64, 5);
    PocstereoPoint points[GRID];
    PocstereoMatch *m;

    params.min_disparity = ranges[i][0];
    params.max_disparity = ranges[i][1];
    pair_draw_wall (&p, &t, ranges[i][2]);
    grid_of (&p, 310, points);
    m = pair_match (kind, &params, &p, points, GRID);
    for (int k = 0; k < GRID; k++)
      check_near (disparity_of (m[k]), ranges[i][2], .004);
    free (m);
    pair_free (&p);
  }
}

/* Lines without a wave have no phasors: no peak, no sigma, any layer. */
static inline void
test_plain (DeviceKind kind)
{
  static const uint16_t samples[] = {0, 1, 2040, POCSTEREO_FULL_SAMPLE};
  PocstereoParams params = POCSTEREO_POINTS_DEFAULTS;

  for (int i = 0; i < 4; i++) {
    Pair p = pair_new (64, 48, 1);
    PocstereoPoint points[] = {{0, 0}, {63, 47}, {32, 24}};
    PocstereoMatch *m;

    pair_fill (&p, samples[i]);
    m = pair_match (kind, &params, &p, points, 3);
    for (int k = 0; k < 3; k++)
      check (m[k].peak == 0 && m[k].sigma == 65535);
    free (m);
    params.min_peak = .01;
    m = pair_match (kind, &params, &p, NULL, 0);
    for (int k = 0; k < 64 * 48; k++)
      check (m[k].disparity == POCSTEREO_NONE);
    free (m);
    params.min_peak = 0;
    pair_free (&p);
  }
}

/* Saturated halves: steps of black and white, and identical views up to their
 * borders. */
static inline void
test_identical (DeviceKind kind)
{
  Pair p = pair_new (96, 64, 0);
  PocstereoParams params = POCSTEREO_POINTS_DEFAULTS;
  PocstereoMatch *m;

  params.min_disparity = -32;
  params.max_disparity = 32;
  for (int y = 0; y < 64; y++)
    for (int x = 0; x < 96; x++) {
      bool white = random_below (check_seed, x / 3 + 1000 * (y / 2), 2);

      *pair_at (&p, 0, x, y) = *pair_at (&p, 1, x, y) =
          white ? POCSTEREO_FULL_SAMPLE : 0;
    }
  for (int candidates = 1; candidates <= 9; candidates += 8) {
    params.candidates = candidates;
    m = pair_match (kind, &params, &p, NULL, 0);
    for (int i = 0; i < 96 * 64; i++) {
      check (m[i].disparity == 0);
      check (m[i].peak > 30000); /* less where lines are plain */
    }
    free (m);
  }
  pair_free (&p);
}

/* With one candidate, every pixel finds what a point there finds. */
static inline void
test_points_are_pixels (DeviceKind kind)
{
  Pair p = pair_new (90 + (int) rnd (20), 50 + (int) rnd (20), 7);
  int n = p.width * p.height;
  PocstereoParams params = POCSTEREO_POINTS_DEFAULTS;
  PocstereoPoint *points = malloc (n * sizeof *points);
  PocstereoMatch *sparse, *few, *dense;
  Texture t = texture_new ();

  params.max_disparity = 40;
  pair_draw_wall (&p, &t, 13.3);
  for (int i = 0; i < n; i++)
    points[i] = (PocstereoPoint){i % p.width, i / p.width};
  sparse = pair_match (kind, &params, &p, points, n);
  few = pair_match (kind, &params, &p, points, 40);
  dense = pair_match (kind, &params, &p, NULL, 0);
  check (!memcmp (sparse, dense, n * sizeof *sparse));
  check (!memcmp (sparse, few, 40 * sizeof *few));
  free (sparse);
  free (few);
  free (dense);
  free (points);
  pair_free (&p);
}

/* A square nearer by 12 pixels before a wall: what it hides from the right view
 * is left of it, and has no match; all else is right but for its rim, and the
 * re-vote puts the rim where it is. */
static inline void
test_square (DeviceKind kind)
{
  Pair p = pair_new (240, 140, 0);
  Texture wall = texture_new (), square = texture_new ();
  PocstereoParams params = POCSTEREO_DENSE_DEFAULTS;
  int wrong[2] = {0, 0}, hidden = 0;

  params.max_disparity = 48;
  for (int y = 0; y < 140; y++)
    for (int x = 0; x < 240; x++)
      for (int v = 0; v < 2; v++) {
        bool in = y >= 40 && y < 100 && x + 24 * v >= 100 && x + 24 * v < 170;
        double u = in ? texture_at (&square, x + 24 * v, y)
                      : texture_at (&wall, x + 12 * v, y);

        *pair_at (&p, v, x, y) = (uint16_t) (POCSTEREO_FULL_SAMPLE * u);
      }
  for (int revote = 0; revote < 2; revote++) {
    PocstereoMatch *m;

    params.revote = revote;
    m = pair_match (kind, &params, &p, NULL, 0);
    for (int i = 0; i < 240 * 140; i++) {
      int x = i % 240, y = i / 240;
      bool in = y >= 40 && y < 100 && x >= 100 && x < 170;
      bool is_hidden = y >= 40 && y < 100 && x >= 88 && x < 100;
      double off = fabs (disparity_of (m[i]) - (in ? 24 : 12));

      if (x < 60 || x >= 200 || y < 12 || y >= 128)
        continue;
      if (is_hidden)
        hidden += m[i].disparity == POCSTEREO_NONE && revote;
      else
        wrong[revote] += !(off < 1);
    }
    free (m);
  }
  check (wrong[1] < 140 * 116 / 50);
  check (wrong[1] < wrong[0] * 2 / 3);
  check (hidden > 12 * 60 * 3 / 5);
  pair_free (&p);
}
