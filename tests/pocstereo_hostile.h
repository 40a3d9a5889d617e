/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Params, frames and points that must be refused; tiny views; params that
 * change; a device that fails. */
#pragma once

#include "failing.h"
#include "pocstereo_pair.h"

#define refused(sentence, ...) \
 do { \
  PocstereoParams p = POCSTEREO_DENSE_DEFAULTS; \
  const char *said; \
  __VA_ARGS__; \
  said = pocstereo_check (&p, 640, 480); \
  check (said && !strncmp (said, sentence, strlen (sentence))); \
 } while (0)

static inline void
test_params (DeviceKind kind)
{
  PocstereoParams dense = POCSTEREO_DENSE_DEFAULTS;
  PocstereoParams points = POCSTEREO_POINTS_DEFAULTS;

  (void) kind;
  ok (pocstereo_check (&dense, 640, 480));
  ok (pocstereo_check (&points, 32, 16));
  check (pocstereo_check (&points, 31, 16) != NULL);
  check (pocstereo_check (&points, 32, 14) != NULL);
  points.window = 512;
  points.bandwidth = 26;
  ok (pocstereo_check (&points, 512, 16));
  check (pocstereo_check (&points, 511, 16) != NULL);
  ok (pocstereo_check_device (&points, DEVICE_CPU));
  points.window = POCSTEREO_OWN_WINDOW;
  ok (pocstereo_check_device (&points, DEVICE_CUDA));
  refused ("window must", p.window = 6);
  refused ("window must", p.window = 513);
  refused ("bandwidth must be at least", p.window = 512, p.bandwidth = 25);
  refused ("lines must", p.lines = 0);
  refused ("lines must", p.lines = 33);
  refused ("lines must", p.lines = 10);
  refused ("bandwidth must", p.bandwidth = 0);
  refused ("bandwidth must", p.bandwidth = 8);
  refused ("bandwidth must", p.window = 17, p.bandwidth = 9);
  refused ("bandwidth must", p.window = 128, p.bandwidth = 32);
  refused ("bandwidth must be at least", p.window = 129);
  refused (
      "slanted windows have", p.window = 129, p.bandwidth = 7, p.slant = true);
  refused ("there is no such spectral", p.weight = (PocstereoWeight) 2);
  refused ("there is no such fit", p.fit = (PocstereoFit) 2);
  refused ("noise-floor must", p.noise_floor = NAN);
  refused ("noise-floor must", p.noise_floor = -1);
  refused ("noise-floor must", p.noise_floor = 256);
  refused ("min-disparity is greater", p.min_disparity = 129);
  refused ("disparities must", p.min_disparity = -4097);
  refused ("disparities must", p.max_disparity = 4097);
  refused ("layers must", p.layers = 9);
  refused ("layers must", p.layers = -1);
  refused ("the frame is too small", p.layers = 8);
  refused ("min-peak must", p.min_peak = NAN);
  refused ("min-peak must", p.min_peak = 1.01);
  refused ("candidates must", p.candidates = 2);
  refused ("average must", p.average = 0);
  refused ("average must", p.average = 65);
  refused ("the paper's implementations take no", p.average = 2;
           p.window = 32, p.lines = 15, p.bandwidth = 8;
           p.implementation = POCSTEREO_I5);
  refused ("slanted windows are of one", p.average = 2, p.slant = true);
  refused ("max-difference must", p.max_difference = NAN);
  refused ("max-difference must", p.max_difference = -1);
  refused ("speckle-size must", p.speckle_size = -1);
  refused ("speckle-step must", p.speckle_step = INFINITY);
}

static inline void
test_frames (DeviceKind kind)
{
  static const int sizes[][2] = {
      {15, 16}, {16, 15}, {8193, 16}, {16, 8193}, {-1, 0}};
  PocstereoParams params = POCSTEREO_POINTS_DEFAULTS;
  Pair p = pair_new (32, 16, 2);
  uint16_t *memory[2];
  const PocstereoMatch *m;
  PocstereoFrame good, bad[6];
  PocstereoPoint outside[] = {{32, 0}, {0, 16}, {-1, 0}, {0, -1}};
  Device dev;
  Pocstereo *s;

  ok (device_open (&dev, kind, NULL));
  for (int i = 0; i < 5; i++) {
    check (pocstereo_new (&s, &dev, sizes[i][0], sizes[i][1]) != NULL);
    pocstereo_free (s);
  }
  pocstereo_free (NULL);
  pair_fill (&p, 7);
  good = pair_to_device (&p, &dev, memory);
  ok (pocstereo_new (&s, &dev, 32, 16));
  for (int i = 0; i < 6; i++)
    bad[i] = good;
  bad[0].width = 31;
  bad[1].height = 17;
  bad[2].view[0] = NULL;
  bad[3].view[1] = NULL;
  bad[4].stride = 31;
  bad[5].stride = -32;
  for (int i = 0; i < 6; i++)
    check (pocstereo_dense (s, &params, &bad[i], &m) != NULL);
  for (int i = 0; i < 4; i++)
    check (pocstereo_points (s, &params, &good, &outside[i], 1, &m) != NULL);
  check (pocstereo_points (s, &params, &good, outside, -1, &m) != NULL);
  check (pocstereo_points (
             s, &params, &good, outside, POCSTEREO_MAX_POINTS + 1, &m) != NULL);
  ok (pocstereo_points (s, &params, &good, NULL, 0, &m));
  ok (pocstereo_dense (s, &params, &good, &m));
  ok (device_wait (&dev));
  pocstereo_free (s);
  device_release (&dev, memory[0]);
  device_release (&dev, memory[1]);
  device_close (&dev);
  pair_free (&p);
}

/* Any params at any size, within padded rows. */
static inline PocstereoParams
random_params (int width, int height)
{
  PocstereoParams p = POCSTEREO_DENSE_DEFAULTS;

  do {
    p.window = 8 + (int) rnd (rnd (3) ? 26 : 121);
    p.lines = 1 + 2 * (int) rnd (16);
    p.bandwidth = 1 + (int) rnd ((p.window - 1) / 2);
    p.layers = (int) rnd (5);
    if (rnd (3) == 0)
      p.window = 16, p.lines = 11, p.bandwidth = 6;
    else if (rnd (2))
      p.window = 32, p.lines = 15, p.bandwidth = rnd (2) ? 8 : 12;
    p.weight = (PocstereoWeight) rnd (2);
    p.fit = (PocstereoFit) rnd (2);
    p.noise_floor = rnd (2) ? 0 : rnd (60);
    p.min_disparity = (int) rnd (80) - 60;
    p.max_disparity = p.min_disparity + (int) rnd (rnd (2) ? 40 : 200);
    p.min_peak = rnd (2) ? 0 : rnd (100) / 200.;
    p.candidates = rnd (3) ? 9 : 1;
    p.left_right = rnd (2);
    p.max_difference = rnd (4) / 2.;
    p.revote = rnd (2);
    p.slant = rnd (2);
    p.speckle_size = rnd (2) ? (int) rnd (100) : 0;
    p.speckle_step = rnd (4) / 2.;
  } while (pocstereo_check (&p, width, height));
  return p;
}

/* Noise, or a wall with some. */
static inline Pair
random_pair (void)
{
  Pair p = pair_new (16 + (int) rnd (150), 16 + (int) rnd (80), (int) rnd (20));
  Texture t = texture_new ();
  uint32_t noise = rnd (3) ? 1 + rnd (800) : POCSTEREO_FULL_SAMPLE;

  pair_draw_wall (&p, &t, rnd (400) / 10. - 20);
  for (int v = 0; v < 2; v++)
    for (int y = 0; y < p.height; y++)
      for (int x = 0; x < p.width; x++) {
        uint32_t s = *pair_at (&p, v, x, y) + rnd (noise);

        *pair_at (&p, v, x, y) =
            (uint16_t) (s > POCSTEREO_FULL_SAMPLE ? POCSTEREO_FULL_SAMPLE : s);
      }
  return p;
}

/* What lies beside a frame, and what was asked before, changes nothing. */
static inline void
test_repeats (DeviceKind kind)
{
  Pair p = random_pair (), q = pair_new (p.width, p.height, 13);
  PocstereoMatch *first[6], *m;
  PocstereoParams params[6];
  Device dev;
  Pocstereo *s;

  for (int v = 0; v < 2; v++)
    for (int y = 0; y < p.height; y++)
      memcpy (pair_at (&q, v, 0, y), pair_at (&p, v, 0, y),
          p.width * sizeof (uint16_t));
  for (int i = 0; i < 6; i++) {
    params[i] = random_params (p.width, p.height);
    first[i] = pair_match (kind, &params[i], &p, NULL, 0);
  }
  ok (device_open (&dev, kind, NULL));
  ok (pocstereo_new (&s, &dev, p.width, p.height));
  for (int round = 0; round < 12; round++) {
    int i = (int) rnd (6);

    if (rnd (2))
      free (pair_match_on (s, &dev, &params[rnd (6)], &p,
          (const PocstereoPoint[]){{3, 4}, {15, 15}}, 2));
    m = pair_match_on (s, &dev, &params[i], &q, NULL, 0);
    check (!memcmp (m, first[i], (size_t) p.width * p.height * sizeof *m));
    free (m);
  }
  for (int i = 0; i < 6; i++)
    free (first[i]);
  check (pair_is_unharmed (&p) && pair_is_unharmed (&q));
  pocstereo_free (s);
  device_close (&dev);
  pair_free (&p);
  pair_free (&q);
}

/* Every allocation and every copy fails once: a sentence, and nothing kept. */
static inline void
check_failing (int window, int bandwidth, int width, int height)
{
  Pair p = pair_new (width, height, 0);
  PocstereoFrame frame = {width, height, {p.view[0], p.view[1]}, width};
  PocstereoParams params = POCSTEREO_DENSE_DEFAULTS;
  PocstereoPoint points[400]; /* whose lines are more than pixels */
  int calls = 1;

  params.window = window;
  params.bandwidth = bandwidth;
  pair_fill (&p, 9);
  memset (points, 0, sizeof points);
  for (int at = 0; at <= calls; at++) {
    const PocstereoMatch *m;
    const char *err;
    bool made;
    Device dev;
    Pocstereo *s;

    ok (failing_open (&dev, DEVICE_CPU, NULL));
    failing_reset (at);
    err = pocstereo_new (&s, &dev, width, height);
    made = !err;
    if (made)
      err = pocstereo_points (s, &params, &frame, points, 400, &m);
    if (!err)
      err = pocstereo_dense (s, &params, &frame, &m);
    check (!err == !at);
    calls = at ? calls : failing_calls;
    failing_reset (0);
    if (made && err && !strcmp (err, FAILING_MEMORY)) {
      ok (pocstereo_points (s, &params, &frame, points, 400, &m));
      ok (pocstereo_dense (s, &params, &frame, &m));
    }
    pocstereo_free (s);
    check (failing_blocks == 0);
    device_close (&dev);
  }
  check (calls > 15);
  pair_free (&p);
}

static inline void
test_failing (DeviceKind kind)
{
  (void) kind;
  check_failing (16, 6, 64, 40);
  check_failing (144, 8, 144, 16);
}
