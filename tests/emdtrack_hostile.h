/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What emdtrack must refuse, and the smallest and oddest it must take. */
#pragma once

#include <math.h>

#include "emdtrack_find.h"
#include "failing.h"

static inline bool
refused (EmdtrackParams p)
{
  return emdtrack_check (&p) != NULL;
}

#define REFUSED(...) \
 do { \
  EmdtrackParams p = intensity_defaults (); \
  p.n_targets = 1; \
  p.targets[0].weight[0] = 1; \
  check (!refused (p)); \
  __VA_ARGS__; \
  check (refused (p)); \
 } while (0)

static inline void
test_params (DeviceKind kind)
{
  EmdtrackCodebook book = {.entries = 11, .dims = 3};

  (void) kind;
  REFUSED (p.bins = 1);
  REFUSED (p.bins = 17);
  REFUSED (p.window = 10);
  REFUSED (p.window = 17);
  REFUSED (p.window = -1);
  REFUSED (p.white = -1);
  REFUSED (p.spectrum_mass = 256);
  REFUSED (p.spectrum_mass = 15);
  REFUSED (p.gain = 0);
  REFUSED (p.gain = NAN);
  REFUSED (p.n_targets = 9);
  REFUSED (p.n_targets = -1);
  REFUSED (p.max_trees = 65536);
  REFUSED (p.max_trees = 0);
  REFUSED (p.cache_bits = 25);
  REFUSED (p.targets[0].weight[0] = 0);
  REFUSED (p.targets[0].weight[3] = -1);
  REFUSED (p.targets[0].weight[3] = NAN);
  REFUSED (p.targets[0].weight[3] = INFINITY);
  REFUSED (p.saturation = -1);
  REFUSED (p.saturation = NAN);
  REFUSED (p.positions[3] = INFINITY);
  REFUSED (p.positions[3] = 1);
  REFUSED (p.distance = EMDTRACK_CIRCLE, p.circumference = 10);
  REFUSED (p.distance = EMDTRACK_CIRCLE, p.circumference = NAN);
  REFUSED (p.distance = EMDTRACK_EUCLIDEAN);
  REFUSED (p.distance = EMDTRACK_MATRIX);
  REFUSED (p.distance = EMDTRACK_MATRIX, p.matrix[0][1] = 1);
  REFUSED (p.distance = EMDTRACK_MATRIX, p.matrix[0][1] = p.matrix[1][0] = -1);
  REFUSED (p.distance = EMDTRACK_MATRIX, p.matrix[0][1] = p.matrix[1][0] = NAN);
  REFUSED (p.distance = (EmdtrackDistance) 9);
  REFUSED (p.histogram = (EmdtrackBins) 9);
  REFUSED (p.solver = (EmdtrackSolver) 9);
  REFUSED (p.histogram = EMDTRACK_CODEBOOK);
  REFUSED (p.codebook = &book, p.bins = 12);
  REFUSED (p.codebook = &book, book.dims = 2);
  REFUSED (p.codebook = &book, book.spectra = 1, book.dims = 17);
  REFUSED (p.codebook = &book, book.dims = 3, book.centre[1][1] = NAN);
}

static inline bool
frame_refused (EmdtrackFrame f)
{
  int width, height;

  return emdtrack_frame_size (&f, &width, &height) != NULL;
}

static inline void
test_frames (DeviceKind kind)
{
  EmdtrackFrame mosaic = {.image = {.width = 12, .height = 8},
      .layout = EMDTRACK_MOSAIC,
      .channels = 16,
      .mosaic_width = 4,
      .mosaic_height = 4};
  EmdtrackParams p = intensity_defaults ();
  EmdtrackResults r;
  EmdtrackFrame f;
  Device dev;
  Emdtrack *e;

  ok (device_open (&dev, kind, NULL));
  check (!frame_refused (mosaic));
  check (frame_refused ((EmdtrackFrame){.layout = EMDTRACK_PLAIN}));
  f = mosaic, f.channels = 15;
  check (frame_refused (f));
  f = mosaic, f.image.width = 13;
  check (frame_refused (f));
  f = mosaic, f.image.format = IMAGE_RGB;
  check (frame_refused (f));
  f = mosaic, f.channels = 32, f.mosaic_width = 8;
  check (frame_refused (f));
  f = mosaic, f.layout = EMDTRACK_STACKED, f.channels = 3;
  check (frame_refused (f));
  ok (emdtrack_new (&e, &dev, 4, 2));
  check (emdtrack_run (e, &p, &mosaic, &r)); /* 3 x 2 */
  mosaic.image.width = 16;
  check (emdtrack_run (e, &p, &mosaic, &r)); /* no grey values */
  p.histogram = EMDTRACK_CHANNELS;
  check (emdtrack_run (e, &p, &mosaic, &r)); /* 11 bins, 16 channels */
  emdtrack_free (e);
  check (emdtrack_new (&e, &dev, 0, 2));
  emdtrack_free (e);
  check (emdtrack_new (&e, &dev, 2, EMDTRACK_MAX_SIDE + 1));
  emdtrack_free (e);
  emdtrack_free (NULL);
  device_close (&dev);
}

/* One pixel, one row, one column, no target. */
static inline void
test_small (DeviceKind kind)
{
  static const int sizes[][2] = {{1, 1}, {1, 90}, {90, 1}, {2, 3}, {7, 129}};

  for (int k = 0; k < 5; k++)
    for (int solver = EMDTRACK_AUTO; solver <= EMDTRACK_PAPER; solver++) {
      EmdtrackParams p = random_params (2 + (int) rnd (15));
      Frame f = random_grey (sizes[k][0], sizes[k][1]);
      Found found;

      p.solver = (EmdtrackSolver) solver;
      found = find (kind, &p, &plain_frame, &f);
      compare_with_oracle (&p, &found, 40);
      for (int i = 0; i < found.width * found.height; i++) {
        uint8_t h[EMDTRACK_BINS];

        oracle_histogram (
            &f.image, i % found.width, i / found.width, p.window, p.bins, h);
        check (!memcmp (h, found.histogram + i * EMDTRACK_BINS, sizeof h));
      }
      found_free (&found);
      p.n_targets = 0;
      found = find (kind, &p, &plain_frame, &f);
      check (found.results.n_targets == 0);
      found_free (&found);
      frame_free (&f);
    }
}

/* Every allocation and every copy fails once: a sentence, nothing kept, and the
 * frame after it is right. */
static inline void
test_failing (DeviceKind kind)
{
  Frame f = random_grey (30, 20);
  EmdtrackFrame frame = {.image = f.image};
  EmdtrackParams p = random_params (7);
  Found right = find (DEVICE_CPU, &p, &plain_frame, &f);
  int calls = 1;

  (void) kind;
  for (int at = 0; at <= calls; at++) {
    EmdtrackResults r;
    const char *err;
    bool made;
    Device dev;
    Emdtrack *e;

    ok (failing_open (&dev, DEVICE_CPU, NULL));
    failing_reset (at);
    err = emdtrack_new (&e, &dev, 30, 20);
    made = !err;
    err = made ? emdtrack_run (e, &p, &frame, &r) : err;
    check (!err == !at);
    calls = at ? calls : failing_calls;
    failing_reset (0);
    if (made) {
      ok (emdtrack_run (e, &p, &frame, &r));
      check (!memcmp (r.map[0], right.map[0], 30 * 20 * sizeof *r.map[0]));
    }
    emdtrack_free (e);
    check (failing_blocks == 0);
    device_close (&dev);
  }
  check (calls > 8);
  found_free (&right);
  frame_free (&f);
}

/* What a frame that failed has left half done in the cache is not used. */
static inline void
test_failing_cache (DeviceKind kind)
{
  Frame f = random_grey (30, 20);
  EmdtrackFrame frame = {.image = f.image};
  EmdtrackParams p = random_params (7);
  EmdtrackResults r;
  Emdtrack *e;
  Device dev;

  (void) kind;
  p.solver = EMDTRACK_PAPER;
  p.n_targets = 1;
  ok (failing_open (&dev, DEVICE_CPU, NULL));
  failing_reset (0);
  ok (emdtrack_new (&e, &dev, 30, 20));
  ok (emdtrack_run (e, &p, &frame, &r));
  ok (emdtrack_run (e, &p, &frame, &r));
  check (r.counts.cached == 30 * 20);
  failing_reset (1);
  check (emdtrack_run (e, &p, &frame, &r) != NULL);
  failing_reset (0);
  ok (emdtrack_run (e, &p, &frame, &r));
  check (r.counts.cached == 0);
  emdtrack_free (e);
  device_close (&dev);
  frame_free (&f);
}
