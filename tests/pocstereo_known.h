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
}
