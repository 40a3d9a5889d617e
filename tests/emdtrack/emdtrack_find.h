/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Frames and params for emdtrack, and what it makes of them, in the host's
 * memory. */
#pragma once

#include "check.h"
#include "emdtrack/emdtrack.h"
#include "frames.h"

/* ---- An oracle ---- */

/* The earth mover's distance by successive shortest paths (Bellman-Ford on the
 * residual graph), and histograms by counting every window: slow, and written
 * apart from emdtrack's. */

/* With histograms that need no codebook. */
static inline EmdtrackParams
intensity_defaults (void)
{
  EmdtrackParams p = emdtrack_defaults ();

  p.histogram = EMDTRACK_INTENSITY;
  return p;
}

#define ORACLE_FAR (1 << 28)

typedef struct {
  int n;
  int supply[EMDTRACK_BINS], demand[EMDTRACK_BINS];
  int flow[EMDTRACK_BINS][EMDTRACK_BINS];
  int cost[EMDTRACK_BINS][EMDTRACK_BINS];
  int from_far[EMDTRACK_BINS], to_far[EMDTRACK_BINS]; /* path lengths */
  int from_by[EMDTRACK_BINS], to_by[EMDTRACK_BINS]; /* where paths come from */
} Oracle;

static inline void
oracle_paths (Oracle *o)
{
  bool shorter = true;

  for (int i = 0; i < o->n; i++) {
    o->from_far[i] = o->supply[i] ? 0 : ORACLE_FAR;
    o->from_by[i] = -1;
    o->to_far[i] = ORACLE_FAR;
  }
  while (shorter) {
    shorter = false;
    for (int i = 0; i < o->n; i++)
      for (int j = 0; j < o->n; j++) {
        if (o->from_far[i] + o->cost[i][j] < o->to_far[j]) {
          o->to_far[j] = o->from_far[i] + o->cost[i][j];
          o->to_by[j] = i;
          shorter = true;
        }
        if (o->flow[i][j] && o->to_far[j] - o->cost[i][j] < o->from_far[i]) {
          o->from_far[i] = o->to_far[j] - o->cost[i][j];
          o->from_by[i] = j;
          shorter = true;
        }
      }
  }
}

/* Sends what fits to the nearest sink that wants some; returns how much. */
static inline int
oracle_send (Oracle *o)
{
  int end = -1, most;

  for (int k = 0; k < o->n; k++)
    if (o->demand[k] && (end < 0 || o->to_far[k] < o->to_far[end]))
      end = k;
  most = o->demand[end];
  for (int pass = 0; pass < 2; pass++) { /* how much fits; then it is sent */
    int j = end, i;

    for (;;) {
      i = o->to_by[j];
      if (pass)
        o->flow[i][j] += most;
      if (o->from_by[i] < 0)
        break;
      j = o->from_by[i];
      if (pass)
        o->flow[i][j] -= most;
      else if (o->flow[i][j] < most)
        most = o->flow[i][j];
    }
    most = o->supply[i] < most ? o->supply[i] : most;
    if (pass)
      o->supply[i] -= most;
  }
  o->demand[end] -= most;
  return most;
}

static inline int
oracle_emd (int n, const uint8_t *s, const int *d,
    uint8_t distance[EMDTRACK_BINS][EMDTRACK_BINS])
{
  Oracle o = {.n = n};
  int left = 0, z = 0;

  for (int i = 0; i < n; i++) {
    o.supply[i] = s[i];
    o.demand[i] = d[i];
    left += s[i];
    for (int j = 0; j < n; j++)
      o.cost[i][j] = distance[i][j];
  }
  while (left > 0) {
    oracle_paths (&o);
    left -= oracle_send (&o);
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      z += o.flow[i][j] * o.cost[i][j];
  return z;
}

/* Of grey bytes, @bins equal bins of 0 to 255. */
static inline void
oracle_histogram (const Image *img, int x, int y, int window, int bins,
    uint8_t out[EMDTRACK_BINS])
{
  memset (out, 0, EMDTRACK_BINS);
  for (int v = y - window / 2; v <= y + window / 2; v++)
    for (int u = x - window / 2; u <= x + window / 2; u++) {
      int a = u < 0 ? 0 : u >= img->width ? img->width - 1 : u;
      int b = v < 0 ? 0 : v >= img->height ? img->height - 1 : v;

      out[img->plane[0][(size_t) b * img->stride[0] + a] * bins / 256]++;
    }
}

/* ---- Frames, and what is found ---- */

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

AUTO_FREE (Found, found_free)

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
  AUTO (Device) dev = device_of (kind);
  Emdtrack *e;
  Found found;

  there.image = f->image;
  ok (emdtrack_frame_size (&there, &width, &height));
  ok (emdtrack_new (&e, &dev, width, height));
  found = find_next (e, &dev, p, plain, f);
  emdtrack_free (e);
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

/* ---- One Emdtrack, frame after frame ---- */

typedef struct {
  Device dev;
  Emdtrack *e;
} Player;

static inline void
player_open (Player *p, DeviceKind kind, int width, int height)
{
  ok (device_open (&p->dev, kind, NULL));
  ok (emdtrack_new (&p->e, &p->dev, width, height));
}

static inline void
player_close (Player *p)
{
  emdtrack_free (p->e);
  device_close (&p->dev);
}

AUTO_FREE (Player, player_close)

/* Squares that go to and fro in front of a pattern, and some noise. */
static inline void
draw_scene (Frame *f, int k)
{
  const Image *img = &f->image;

  for (int y = 0; y < img->height; y++)
    for (int x = 0; x < img->width; x++) {
      int v = 90 + 70 * ((x / 9 + y / 7) % 3 - 1);

      for (int s = 1; s < 5; s++) {
        int u = (x + k * s) % (20 * s), w = (y + k) % (11 * s);

        if (u < 5 * s && w < 3 * s)
          v = 50 * s;
      }
      img->plane[0][(size_t) y * img->stride[0] + x] =
          (uint8_t) (v + (rnd (50) ? 0 : rnd (5)));
    }
}

/* `--bench`, of emdtrack_bench.c. */
int emdtrack_bench (int argc, char **argv);
