/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Frames and params for emdtrack, and what it makes of them, in the host's
 * memory. */
#pragma once

#include "frames.h"
#include "emdtrack_oracle.h"

typedef struct {
  EmdtrackResults results;
  uint16_t *map[EMDTRACK_TARGETS];
  uint8_t *histogram;
  int width, height;
} Found;

static inline void
found_free (Found *f)
{
  for (int t = 0; t < EMDTRACK_TARGETS; t++)
    free (f->map[t]);
  free (f->histogram);
}

/* The next frame of @e, whose frame is @f in the host's memory. */
static inline Found
find_next (Emdtrack *e, const Device *dev, const EmdtrackParams *p,
    const EmdtrackFrame *plain, const Frame *f)
{
  Found found = {0};
  EmdtrackFrame frame = *plain;
  EmdtrackParams small = *p;
  size_t n;
  void *memory;

  frame.image = frame_to_device (f, dev, &memory);
  ok (emdtrack_frame_size (&frame, &found.width, &found.height));
  n = (size_t) found.width * found.height;
  if (small.max_trees > 4096) /* quicker to make, and enough */
    small.max_trees = 4096;
  ok (emdtrack_run (e, &small, &frame, &found.results));
  for (int t = 0; t < found.results.n_targets; t++) {
    found.map[t] = malloc (n * sizeof *found.map[t]);
    ok (device_copy (
        dev, found.map[t], found.results.map[t], n * sizeof *found.map[t]));
  }
  found.histogram = malloc (n * EMDTRACK_BINS);
  ok (device_copy (
      dev, found.histogram, emdtrack_histograms (e), n * EMDTRACK_BINS));
  ok (device_wait (dev));
  device_release (dev, memory);
  check (frame_is_unharmed (f));
  return found;
}

static inline Found
find (DeviceKind kind, const EmdtrackParams *p, const EmdtrackFrame *plain,
    const Frame *f)
{
  EmdtrackFrame there = *plain;
  int width = 1, height = 1;
  Device dev;
  Emdtrack *e;
  Found found;

  there.image = f->image;
  ok (device_open (&dev, kind, NULL));
  ok (emdtrack_frame_size (&there, &width, &height));
  ok (emdtrack_new (&e, &dev, width, height));
  found = find_next (e, &dev, p, plain, f);
  emdtrack_free (e);
  device_close (&dev);
  return found;
}

static const EmdtrackFrame plain_frame
    __attribute__ ((unused)) = {.layout = EMDTRACK_PLAIN};

/* Blobs and noise, so that windows are neither all alike nor all different. */
static inline Frame
random_grey (int width, int height)
{
  Frame f = frame_new (IMAGE_GRAY8, width, height, (int) rnd (9), 1);
  int cell = 1 + (int) rnd (12), noise = 1 + (int) rnd (60);

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      int v = (int) random_below (check_seed + cell,
                  (uint64_t) (y / cell * 4096 + x / cell), 256) +
          (int) rnd (noise) - noise / 2;

      f.image.plane[0][(size_t) y * f.image.stride[0] + x] =
          (uint8_t) (v < 0  ? 0
                  : v > 255 ? 255
                            : v);
    }
  return f;
}

/* Some of the bins of a target are empty, sometimes all but one. */
static inline EmdtrackTarget
random_target (int bins)
{
  EmdtrackTarget t = {{0}};
  bool one = rnd (6) == 0;

  t.weight[rnd (bins)] = 1 + rnd (100);
  for (int i = 0; i < bins && !one; i++)
    if (rnd (3))
      t.weight[i] = rnd (1000) / 7.;
  return t;
}

/* Any symmetric distance, a metric or not, often with ties. */
static inline void
random_matrix (EmdtrackParams *p)
{
  uint32_t most = rnd (2) ? 255 : 1 + rnd (6);

  p->distance = EMDTRACK_MATRIX;
  for (int i = 0; i < p->bins; i++)
    for (int j = 0; j <= i; j++)
      p->matrix[i][j] = p->matrix[j][i] = rnd (most + 1);
  p->matrix[0][1] = p->matrix[1][0] = 1 + rnd (most);
}

static inline EmdtrackParams
random_params (int bins)
{
  EmdtrackParams p = intensity_defaults ();

  p.bins = bins;
  p.window = 1 + 2 * (int) rnd (8);
  p.distance = rnd (2) ? EMDTRACK_LINE : EMDTRACK_CIRCLE;
  if (rnd (2))
    random_matrix (&p);
  if (rnd (3) == 0)
    p.saturation = 1 + rnd (4);
  p.n_targets = 1 + (int) rnd (3);
  for (int t = 0; t < p.n_targets; t++)
    p.targets[t] = random_target (bins);
  return p;
}

/* Every value of some pixels is the oracle's, given the histograms found. */
static inline void
compare_with_oracle (const EmdtrackParams *p, const Found *f, int samples)
{
  uint8_t distance[EMDTRACK_BINS][EMDTRACK_BINS];
  int n = f->width * f->height, wrong = 0, d[EMDTRACK_BINS];
  double scale;

  ok (emdtrack_distances (p, distance, &scale));
  check (scale == f->results.scale);
  for (int t = 0; t < p->n_targets; t++) {
    emdtrack_quantise (p->targets[t].weight, p->bins, f->results.mass, d);
    for (int k = 0; k < samples; k++) {
      int i = samples < n ? (int) rnd (n) : k % n;

      wrong += f->map[t][i] !=
          oracle_emd (
              p->bins, f->histogram + (size_t) i * EMDTRACK_BINS, d, distance);
    }
  }
  check (wrong == 0);
}

static inline bool
same_maps (const Found *a, const Found *b)
{
  size_t bytes = (size_t) a->width * a->height * sizeof *a->map[0];

  if (a->results.n_targets != b->results.n_targets ||
      a->results.mass != b->results.mass ||
      memcmp (a->histogram, b->histogram,
          (size_t) a->width * a->height * EMDTRACK_BINS))
    return false;
  for (int t = 0; t < a->results.n_targets; t++)
    if (memcmp (a->map[t], b->map[t], bytes))
      return false;
  return true;
}
