/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Means of phasors over frames of a wall that stands still. */
#pragma once

#include "pocstereo_hostile.h"
#include "pocstereo_known.h"

#define STILL 16 /* frames */

/* About normal, of deviation 1. */
static inline double
normal (void)
{
  double sum = -6;

  for (int i = 0; i < 12; i++)
    sum += rnd (1 << 20) / (double) (1 << 20);
  return sum;
}

/* @clean with noise of @sigma grey levels on both views. */
static inline void
pair_add_noise (Pair *p, const Pair *clean, double sigma)
{
  for (int v = 0; v < 2; v++)
    for (int y = 0; y < p->height; y++)
      for (int x = 0; x < p->width; x++) {
        double sample = *pair_at (clean, v, x, y) + 16 * sigma * normal ();

        *pair_at (p, v, x, y) = (uint16_t) (sample < 0 ? 0
                : sample > POCSTEREO_FULL_SAMPLE       ? POCSTEREO_FULL_SAMPLE
                                                       : sample);
      }
}

/* Root mean square of the errors of points of a wall at @d. */
static inline double
rms_of (const PocstereoMatch *m, double d)
{
  double sum = 0;

  for (int i = 0; i < GRID; i++)
    sum += (disparity_of (m[i]) - d) * (disparity_of (m[i]) - d);
  return sqrt (sum / GRID);
}

/* The errors of the first frame and of the last, of one matcher. */
static inline void
test_still (DeviceKind kind)
{
  PocstereoParams params = POCSTEREO_POINTS_DEFAULTS;
  Texture t = texture_new ();
  Pair clean = pair_new (320, 64, 0), p = pair_new (320, 64, 3);
  PocstereoPoint points[GRID];
  double first = 0, last = 0, d = 6;
  Device dev;
  Pocstereo *s;

  params.average = STILL;
  params.max_disparity = 16;
  pair_draw_wall (&clean, &t, d);
  grid_of (&clean, 60, points);
  ok (device_open (&dev, kind, NULL));
  ok (pocstereo_new (&s, &dev, 320, 64));
  for (int i = 0; i < STILL; i++) {
    PocstereoMatch *m;

    pair_add_noise (&p, &clean, 6);
    m = pair_match_on (s, &dev, &params, &p, points, GRID);
    last = rms_of (m, d);
    first = i ? first : last;
    free (m);
  }
  printf ("     errors of %.4f px, after %d frames %.4f\n", first, STILL, last);
  check (last < .6 * first); /* what noise makes: a quarter */
  check (pair_is_unharmed (&p));
  pocstereo_free (s);
  device_close (&dev);
  pair_free (&clean);
  pair_free (&p);
}

/* A first frame, one after a reset, and one of another mode are alone. */
static inline void
test_alone (DeviceKind kind)
{
  for (int dense = 0; dense < 2; dense++) {
    PocstereoParams params = POCSTEREO_DENSE_DEFAULTS;
    Texture t = texture_new ();
    Pair a = pair_new (96, 48, 1), b = pair_new (96, 48, 1);
    PocstereoPoint points[GRID], *which = dense ? NULL : points;
    PocstereoMatch *m[4];
    size_t n = dense ? 96 * 48 : GRID;
    Device dev;
    Pocstereo *s;

    params.max_disparity = 16;
    pair_draw_wall (&a, &t, 3);
    t = texture_new ();
    pair_draw_wall (&b, &t, 9);
    grid_of (&a, 20, points);
    m[0] = pair_match (kind, &params, &b, which, GRID);
    params.average = 4;
    ok (device_open (&dev, kind, NULL));
    ok (pocstereo_new (&s, &dev, 96, 48));
    m[1] = pair_match_on (s, &dev, &params, &b, which, GRID);
    free (pair_match_on (s, &dev, &params, &a, which, GRID));
    pocstereo_reset (s);
    m[2] = pair_match_on (s, &dev, &params, &b, which, GRID);
    free (pair_match_on (s, &dev, &params, &a, dense ? points : NULL, GRID));
    m[3] = pair_match_on (s, &dev, &params, &b, which, GRID);
    for (int i = 1; i < 4; i++)
      check (!memcmp (m[0], m[i], n * sizeof *m[i]));
    for (int i = 0; i < 4; i++)
      free (m[i]);
    pocstereo_free (s);
    device_close (&dev);
    pair_free (&a);
    pair_free (&b);
  }
}

/* Frames that change, averaged: CPU against CUDA. */
static inline void
test_parity_average (DeviceKind kind)
{
  for (int round = 0; round < 40; round++) {
    Pair p = random_pair ();
    PocstereoParams params = random_params (p.width, p.height);
    PocstereoPoint points[GRID], *which = rnd (2) ? points : NULL;
    size_t n = which ? GRID : (size_t) p.width * p.height;
    DeviceKind kinds[2] = {DEVICE_CPU, kind};
    Device dev[2];
    Pocstereo *s[2];

    params.average = 2 + (int) rnd (6);
    params.slant = false;
    for (int i = 0; i < GRID; i++)
      points[i] = (PocstereoPoint){(int) rnd (p.width), (int) rnd (p.height)};
    for (int i = 0; i < 2; i++) {
      ok (device_open (&dev[i], kinds[i], NULL));
      ok (pocstereo_new (&s[i], &dev[i], p.width, p.height));
    }
    for (int frame = 0; frame < 4; frame++) {
      PocstereoMatch *m[2];

      for (int i = 0; i < 200; i++)
        *pair_at (&p, (int) rnd (2), (int) rnd (p.width),
            (int) rnd (p.height)) = (uint16_t) rnd (POCSTEREO_FULL_SAMPLE);
      for (int i = 0; i < 2; i++)
        m[i] = pair_match_on (s[i], &dev[i], &params, &p, which, GRID);
      check (!memcmp (m[0], m[1], n * sizeof *m[0]));
      free (m[0]);
      free (m[1]);
    }
    for (int i = 0; i < 2; i++) {
      pocstereo_free (s[i]);
      device_close (&dev[i]);
    }
    pair_free (&p);
  }
}
