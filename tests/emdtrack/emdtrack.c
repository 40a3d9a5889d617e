/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * emdtrack's maps: by hand, against an oracle, over many frames, on hostile
 * input, and CPU against CUDA bit for bit.
 *
 * parity short: a few frames, for sanitizers.
 * --print N prints N problems and the values found, for emdtrack_peers.py. */
#include <math.h>

#include "emdtrack_find.h"
#include "failing.h"

/* ---- Known answers ---- */

/* Answers of emdtrack that are worked out by hand. */

/* The distance of one histogram, made of one grey value a window of one pixel,
 * from @target. */
static int
value_of (DeviceKind kind, EmdtrackParams *p, int bin)
{
  AUTO (Frame) f = frame_new (IMAGE_GRAY8, 1, 1, 0, 1);
  int value;
  AUTO (Found) found;

  f.image.plane[0][0] = (uint8_t) (bin * 256 / p->bins + 1);
  p->window = 1;
  found = find (kind, p, &plain_frame, &f);
  value = found.map[0][0];
  return value;
}

/* One unit of mass travels from bin to bin: the ground distance itself. */
static void
test_one_bin (DeviceKind kind)
{
  for (int solver = EMDTRACK_AUTO; solver <= EMDTRACK_PAPER; solver++)
    for (int from = 0; from < 8; from++)
      for (int to = 0; to < 8; to++) {
        EmdtrackParams p = intensity_defaults ();
        int way = abs (from - to);

        p.bins = 8;
        p.solver = (EmdtrackSolver) solver;
        p.n_targets = 1;
        p.targets[0].weight[to] = 3;
        check (value_of (kind, &p, from) == way);
        p.saturation = 2;
        check (value_of (kind, &p, from) == (way < 2 ? way : 2));
        p.saturation = 0;
        p.distance = EMDTRACK_CIRCLE;
        check (value_of (kind, &p, from) == (way < 4 ? way : 8 - way));
      }
}

/* Two grey values, half the window each, at a straight edge: pixel x of the row
 * has 11 (6 + x - 10) light ones, and each goes 5 bins to the dark target. */
static void
test_edge (DeviceKind kind)
{
  AUTO (Frame) f = frame_new (IMAGE_GRAY8, 20, 13, 3, 1);
  EmdtrackParams p = intensity_defaults ();
  Found found;

  for (int y = 0; y < 13; y++)
    for (int x = 0; x < 20; x++)
      f.image.plane[0][y * f.image.stride[0] + x] = x < 10 ? 0 : 130;
  p.n_targets = 1;
  p.targets[0].weight[0] = 1;
  for (int solver = EMDTRACK_AUTO; solver <= EMDTRACK_PAPER; solver++) {
    p.solver = (EmdtrackSolver) solver;
    found = find (kind, &p, &plain_frame, &f);
    check (found.results.mass == 121 && found.results.scale == 1);
    for (int y = 0; y < 13; y++)
      for (int x = 0; x < 20; x++) {
        int light = x - 4 < 0 ? 0 : x - 4 > 11 ? 11 : x - 4;

        check (found.map[0][y * 20 + x] == 11 * light * 5);
      }
    found_free (&found);
  }
}

/* Largest remainder: 10 to 1 : 1 : 1 is 4, 3, 3; ties go to the first. */
static void
test_quantise (DeviceKind kind)
{
  double thirds[3] = {1, 1, 1}, mixed[4] = {.5, 0, 2.75, 6.75};
  int out[4];

  emdtrack_quantise (thirds, 3, 10, out);
  check (out[0] == 4 && out[1] == 3 && out[2] == 3);
  emdtrack_quantise (mixed, 4, 10, out);
  check (out[0] == 0 && out[1] == 0 && out[2] == 3 && out[3] == 7);
  for (int k = 0; k < 1000; k++) {
    int n = 2 + (int) rnd (15), mass = 1 + (int) rnd (255), sum = 0;
    EmdtrackTarget t = random_target (n);
    int d[EMDTRACK_BINS];
    double all = 0;

    for (int i = 0; i < n; i++)
      all += t.weight[i];
    emdtrack_quantise (t.weight, n, mass, d);
    for (int i = 0; i < n; i++) {
      sum += d[i];
      check_near (d[i], t.weight[i] / all * mass, 1);
      check (t.weight[i] > 0 || !d[i]);
    }
    check (sum == mass);
  }
}

static EmdtrackForm
form_of (const EmdtrackParams *p)
{
  AUTO (Frame) f = random_grey (9, 7);
  EmdtrackParams with = *p;
  AUTO (Found) found, slow;
  EmdtrackForm form;

  with.n_targets = 2;
  with.targets[0] = random_target (p->bins);
  with.targets[1] = random_target (p->bins);
  found = find (DEVICE_CPU, &with, &plain_frame, &f);
  form = found.results.form;
  check ((found.results.counts.closed > 0) == (form != EMDTRACK_FORM_ANY));
  with.solver = EMDTRACK_REUSE;
  slow = find (DEVICE_CPU, &with, &plain_frame, &f);
  check (slow.results.counts.closed == 0);
  check (same_maps (&found, &slow));
  return form;
}

/* The path lengths of a random tree, whose bins are some of its nodes. */
static void
tree_matrix (EmdtrackParams *p, int nodes)
{
  int way[32][32] = {{0}}, at[EMDTRACK_BINS];

  for (int a = 1; a < nodes; a++) {
    int parent = (int) rnd (a), length = 1 + (int) rnd (7);

    for (int b = 0; b < a; b++)
      way[a][b] = way[b][a] = way[parent][b] + length;
  }
  for (int i = 0; i < p->bins; i++)
    at[i] = nodes - 1 - i;
  p->distance = EMDTRACK_MATRIX;
  for (int i = 0; i < p->bins; i++)
    for (int j = 0; j < p->bins; j++)
      p->matrix[i][j] = way[at[i]][at[j]];
}

static void
test_forms (DeviceKind kind)
{
  EmdtrackParams p = intensity_defaults ();

  check (form_of (&p) == EMDTRACK_FORM_LINE);
  p.saturation = 3;
  check (form_of (&p) == EMDTRACK_FORM_ANY);
  p.saturation = 1; /* all bins are equally far: a star */
  check (form_of (&p) == EMDTRACK_FORM_TREE);
  p.saturation = 0;
  p.distance = EMDTRACK_CIRCLE;
  check (form_of (&p) == EMDTRACK_FORM_CIRCLE);
  for (int i = 0; i < p.bins; i++)
    p.positions[i] = 400 + 9 * i * i;
  p.circumference = 1000;
  check (form_of (&p) == EMDTRACK_FORM_CIRCLE);
  p.distance = EMDTRACK_LINE;
  check (form_of (&p) == EMDTRACK_FORM_LINE);
  for (int k = 0; k < 200; k++) {
    EmdtrackForm form;

    p = intensity_defaults ();
    p.bins = 4 + (int) rnd (13);
    tree_matrix (&p, p.bins + (int) rnd (12));
    form = form_of (&p);
    check (form == EMDTRACK_FORM_TREE || form == EMDTRACK_FORM_LINE);
    p.matrix[1][2] = p.matrix[2][1] = p.matrix[1][2] + 1;
    form_of (&p); /* whatever it is now, values agree */
  }
}

/* ---- Spectra ---- */

/* Spectra of mosaics and stacked planes, and frames of all formats. */

/* A frame of @channels 8-bit or 16-bit channels that hold the same values in
 * either layout. */
static Frame
spectral_frame (EmdtrackFrame *layout, bool wide, const uint16_t *value,
    int width, int height)
{
  bool mosaic = layout->layout == EMDTRACK_MOSAIC;
  int mw = mosaic ? layout->mosaic_width : 1;
  int mh = mosaic ? layout->mosaic_height : layout->channels;
  Frame f = frame_new (
      wide ? IMAGE_GRAY16 : IMAGE_GRAY8, width * mw, height * mh, 2, 1);

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      for (int c = 0; c < layout->channels; c++) {
        int u = mosaic ? x * mw + c % mw : x;
        int v = mosaic ? y * mh + c / mw : c * height + y;
        uint8_t *at =
            f.image.plane[0] + (size_t) v * f.image.stride[0] + u * (1 + wide);
        uint16_t s = value[(y * width + x) * layout->channels + c];

        at[0] = (uint8_t) s;
        if (wide)
          at[1] = (uint8_t) (s >> 8);
      }
  return f;
}

/* Both layouts give the same spectra, by largest remainder. */
static void
test_layouts (DeviceKind kind)
{
  static const int shapes[][2] = {{2, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 3}};

  for (int k = 0; k < 10; k++) {
    int mw = shapes[k / 2][0], mh = shapes[k / 2][1], channels = mw * mh;
    EmdtrackFrame mosaic = {.layout = EMDTRACK_MOSAIC,
        .channels = channels,
        .mosaic_width = mw,
        .mosaic_height = mh};
    EmdtrackFrame stacked = {.layout = EMDTRACK_STACKED, .channels = channels};
    EmdtrackParams p = random_params (channels);
    AUTO_MEMORY uint16_t *value = malloc (9 * 7 * channels * sizeof *value);
    AUTO (Found) a, b;
    AUTO (Frame) f, g;

    for (int i = 0; i < 9 * 7 * channels; i++)
      value[i] = (uint16_t) (i < channels ? 0 : rnd (k % 2 ? 65536 : 256));
    p.histogram = EMDTRACK_CHANNELS;
    p.spectrum_mass = 16 + (int) rnd (240);
    f = spectral_frame (&mosaic, k % 2, value, 9, 7);
    g = spectral_frame (&stacked, k % 2, value, 9, 7);
    a = find (kind, &p, &mosaic, &f);
    b = find (kind, &p, &stacked, &g);
    check (same_maps (&a, &b) && a.results.mass == p.spectrum_mass);
    compare_with_oracle (&p, &a, 63);
    for (int i = 0; i < 9 * 7; i++) {
      double w[EMDTRACK_BINS], all = 0;
      int d[EMDTRACK_BINS];

      for (int c = 0; c < channels; c++)
        all += w[c] = value[i * channels + c];
      for (int c = 0; c < channels && all == 0; c++)
        w[c] = 1; /* no light: all alike */
      emdtrack_quantise (w, channels, p.spectrum_mass, d);
      for (int c = 0; c < channels; c++) {
        int got = a.histogram[i * EMDTRACK_BINS + c];

        check (got >= d[c] - 1 && got <= d[c] + 1);
        check (all > 0 || got == d[c]);
      }
    }
  }
}

/* Every format: values are exact, guard bytes stay, and a YUV frame has the
 * grey values of its first plane. */
static void
test_formats (DeviceKind kind)
{
  for (int k = 0; k < N_FORMATS; k++) {
    EmdtrackParams p = random_params (6);
    AUTO (Frame) f = frame_new (all_formats[k], 23, 17, 5, 2);
    Found found;

    frame_randomise (&f);
    p.window = 5;
    found = find (kind, &p, &plain_frame, &f);
    compare_with_oracle (&p, &found, 60);
    if (all_formats[k] == IMAGE_NV12 || all_formats[k] == IMAGE_GRAY8)
      for (int i = 0; i < 23 * 17; i++) {
        uint8_t h[EMDTRACK_BINS];

        oracle_histogram (&f.image, i % 23, i / 23, 5, 6, h);
        check (!memcmp (h, found.histogram + i * EMDTRACK_BINS, sizeof h));
      }
    found_free (&found);
    p.histogram = EMDTRACK_CHANNELS;
    p.bins = 3;
    p.distance = EMDTRACK_LINE;
    if (all_formats[k] != IMAGE_GRAY8 && all_formats[k] != IMAGE_GRAY16) {
      p.targets[0] = p.targets[1] = p.targets[2] = random_target (3);
      found = find (kind, &p, &plain_frame, &f);
      compare_with_oracle (&p, &found, 60);
      found_free (&found);
    }
  }
}

/* 16-bit grey of a sensor with 10 bits fills all bins where white says so. */
static void
test_white (DeviceKind kind)
{
  AUTO (Frame) f = frame_new (IMAGE_GRAY16, 5, 1, 0, 2);
  EmdtrackParams p = intensity_defaults ();
  static const int grey[5] = {0, 255, 256, 1023, 5000},
                   bin[5] = {0, 0, 1, 3, 3};
  AUTO (Found) found;

  for (int x = 0; x < 5; x++) {
    f.image.plane[0][2 * x] = (uint8_t) grey[x];
    f.image.plane[0][2 * x + 1] = (uint8_t) (grey[x] >> 8);
  }
  p.bins = 4;
  p.window = 1;
  p.white = 1023;
  found = find (kind, &p, &plain_frame, &f);
  for (int x = 0; x < 5; x++)
    check (found.histogram[x * EMDTRACK_BINS + bin[x]] == 1);
}

/* ---- Hostile input ---- */

/* What emdtrack must refuse, and the smallest and oddest it must take. */

static bool
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

static void
test_params (DeviceKind kind)
{
  EmdtrackCodebook book = {.entries = 11, .dims = 3};
  EmdtrackParams line = random_params (11);
  uint8_t distances[EMDTRACK_BINS][EMDTRACK_BINS];
  double tiny[EMDTRACK_BINS], scale;

  line.distance = EMDTRACK_LINE;
  line.circumference = 1e300; /* of no meaning for a line */
  ok (emdtrack_distances (&line, distances, &scale));

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
  REFUSED (p.saturation = 1e-310);
  REFUSED (p.positions[0] = -1e308, p.positions[p.bins - 1] = 1e308);
  for (int i = 0; i < EMDTRACK_BINS; i++)
    tiny[i] = i * 1e-310;
  REFUSED (memcpy (p.positions, tiny, sizeof tiny));
  REFUSED (p.positions[3] = INFINITY);
  REFUSED (p.positions[3] = 1);
  REFUSED (p.distance = EMDTRACK_CIRCLE, p.circumference = 10);
  REFUSED (p.distance = EMDTRACK_CIRCLE, p.circumference = NAN);
  REFUSED (p.distance = EMDTRACK_EUCLIDEAN);
  REFUSED (p.distance = EMDTRACK_MATRIX);
  REFUSED (p.distance = EMDTRACK_MATRIX, p.matrix[0][1] = 1);
  REFUSED (p.distance = EMDTRACK_MATRIX, p.matrix[0][1] = p.matrix[1][0] = -1);
  REFUSED (p.distance = EMDTRACK_MATRIX, p.matrix[0][1] = p.matrix[1][0] = NAN);
  REFUSED (
      p.distance = EMDTRACK_MATRIX, p.matrix[0][1] = p.matrix[1][0] = 1e-310);
  REFUSED (p.distance = (EmdtrackDistance) 9);
  REFUSED (p.histogram = (EmdtrackBins) 9);
  REFUSED (p.solver = (EmdtrackSolver) 9);
  REFUSED (p.histogram = EMDTRACK_CODEBOOK);
  REFUSED (p.codebook = &book, p.bins = 12);
  REFUSED (p.codebook = &book, book.dims = 2);
  REFUSED (p.codebook = &book, book.spectra = 1, book.dims = 17);
  REFUSED (p.codebook = &book, book.dims = 3, book.centre[1][1] = NAN);
}

static bool
frame_refused (EmdtrackFrame f)
{
  int width, height;

  return emdtrack_frame_size (&f, &width, &height) != NULL;
}

static void
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
  AUTO (Device) dev = device_of (kind);
  Emdtrack *e;

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
  /* 4 times that is 16 in 32 bits */
  f = mosaic, f.image.width = f.mosaic_width = 1073741828;
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
}

/* One pixel, one row, one column, no target. */
static void
test_small (DeviceKind kind)
{
  static const int sizes[][2] = {{1, 1}, {1, 90}, {90, 1}, {2, 3}, {7, 129}};

  for (int k = 0; k < 5; k++)
    for (int solver = EMDTRACK_AUTO; solver <= EMDTRACK_PAPER; solver++) {
      EmdtrackParams p = random_params (2 + (int) rnd (15));
      AUTO (Frame) f = random_grey (sizes[k][0], sizes[k][1]);
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
    }
}

/* Every allocation and every copy fails once: a sentence, nothing kept, and the
 * frame after it is right. */
static void
test_failing (DeviceKind kind)
{
  AUTO (Frame) f = random_grey (30, 20);
  EmdtrackFrame frame = {.image = f.image};
  EmdtrackParams p = random_params (7);
  AUTO (Found) right = find (DEVICE_CPU, &p, &plain_frame, &f);
  int calls = 1;

  for (int at = 0; at <= calls; at++) {
    EmdtrackResults r;
    const char *err;
    bool made;
    AUTO (Device) dev;
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
  }
  check (calls > 8);
}

/* What a frame that failed has left half done in the cache is not used. */
static void
test_failing_cache (DeviceKind kind)
{
  AUTO (Frame) f = random_grey (30, 20);
  EmdtrackFrame frame = {.image = f.image};
  EmdtrackParams p = random_params (7);
  EmdtrackResults r;
  Emdtrack *e;
  AUTO (Device) dev;

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
}

/* ---- Many frames: what earlier ones left changes no value ---- */

/* 500 frames, now and then another target or window, equal those of a run that
 * starts each frame afresh. */
static void
test_long_run (DeviceKind kind)
{
  EmdtrackParams p = intensity_defaults ();
  AUTO (Frame) f = frame_new (IMAGE_GRAY8, 64, 48, 0, 1);
  EmdtrackCounts sum = {0};
  AUTO (Player) with, without;

  player_open (&with, kind, 64, 48);
  player_open (&without, kind, 64, 48);
  p.bins = 9;
  p.n_targets = 2;
  random_matrix (&p);
  for (int k = 0; k < 500; k++) {
    AUTO (Found) a, b;

    if (k % 100 == 0)
      p.targets[0] = random_target (p.bins);
    if (k % 170 == 0)
      p.targets[1] = random_target (p.bins);
    p.window = k % 250 < 200 ? 11 : 7;
    p.solver = k % 90 < 80 ? EMDTRACK_AUTO : EMDTRACK_PAPER;
    p.n_targets = k % 60 < 50 ? 2 : 1;
    draw_scene (&f, k);
    ok (emdtrack_reset (without.e));
    a = find_next (with.e, &with.dev, &p, &plain_frame, &f);
    b = find_next (without.e, &without.dev, &p, &plain_frame, &f);
    check (same_maps (&a, &b));
    check (b.results.counts.unchanged + b.results.counts.own == 0);
    sum.unchanged += a.results.counts.unchanged;
    sum.own += a.results.counts.own;
    sum.cached += a.results.counts.cached;
    sum.simplex += a.results.counts.simplex;
    if (k % 50 == 7)
      compare_with_oracle (&p, &a, 100);
  }
  check (sum.unchanged > 0 && sum.own + sum.cached > 0);
  check (sum.simplex < 500 * 64 * 48 / 50);
}

/* Too few trees, and too few cached values: they go, are counted, and no value
 * changes. */
static void
test_full (DeviceKind kind)
{
  EmdtrackParams p = intensity_defaults ();
  EmdtrackCounts sum = {0};
  AUTO (Player) player;

  player_open (&player, kind, 80, 60);
  p.bins = 16;
  p.n_targets = 1;
  random_matrix (&p);
  p.targets[0] = random_target (16);
  for (int i = 0; i < 16; i++)
    p.targets[0].weight[i] += 1;
  p.max_trees = 64;
  p.cache_bits = 8;
  for (int k = 0; k < 6; k++) {
    AUTO (Frame) f = random_grey (80, 60);
    AUTO (Found) found;

    p.solver = k < 4 ? EMDTRACK_REUSE : EMDTRACK_PAPER;
    found = find_next (player.e, &player.dev, &p, &plain_frame, &f);
    compare_with_oracle (&p, &found, 300);
    sum.unstored += found.results.counts.unstored;
    sum.evicted += found.results.counts.evicted;
    check (found.results.counts.trees <= 64);
    check (found.results.counts.fallback == 0);
    check (k != 5 || found.results.counts.evicted > 0);
  }
  check (sum.unstored > 0 && sum.evicted > 0);
}

/* Frames that threads share: whoever stores which tree first, values stay. */
static void
test_large (DeviceKind kind)
{
  EmdtrackParams p = intensity_defaults ();
  AUTO (Frame) f = random_grey (421, 303);
  AUTO (Found) first = {0};
  AUTO (Player) player;

  player_open (&player, kind, 421, 303);
  random_matrix (&p);
  p.n_targets = 1;
  p.targets[0] = random_target (p.bins);
  p.targets[0].weight[1] += 1;
  p.targets[0].weight[5] += 1;
  p.solver = EMDTRACK_REUSE;
  for (int k = 0; k < 4; k++) {
    Found found;

    ok (emdtrack_reset (player.e));
    found = find_next (player.e, &player.dev, &p, &plain_frame, &f);
    compare_with_oracle (&p, &found, 200);
    if (k) {
      check (same_maps (&first, &found));
      found_free (&found);
    } else {
      first = found;
    }
  }
}

/* Counts add up to the pixels, whatever the solver. */
static void
test_counts (DeviceKind kind)
{
  for (int round = 0; round < 20; round++) {
    EmdtrackParams p = random_params (2 + (int) rnd (15));
    AUTO (Frame) f = random_grey (41, 33);
    AUTO (Player) player;

    p.solver = (EmdtrackSolver) rnd (3);
    player_open (&player, kind, 41, 33);
    for (int k = 0; k < 2; k++) {
      AUTO (Found) found =
          find_next (player.e, &player.dev, &p, &plain_frame, &f);
      EmdtrackCounts c = found.results.counts;
      uint64_t all = (uint64_t) p.n_targets * 41 * 33;

      if (p.solver == EMDTRACK_PAPER) {
        check (k ? c.cached == all && !c.distinct : c.distinct > 0);
      } else {
        check (c.unchanged + c.closed + c.own + c.equal + c.neighbour +
                c.table + c.simplex + c.cached + c.distinct ==
            all);
        check (!k || c.unchanged == all || c.closed == all);
      }
      check (c.fallback == 0);
    }
  }
}

/* ---- Parity ---- */

/* emdtrack on the CPU and on the GPU: bit for bit the same, and two runs on the
 * GPU the same in their counts, too. */

/* ---- Single frames ---- */

static void
compare_kinds (
    const EmdtrackParams *p, const EmdtrackFrame *layout, const Frame *f)
{
  AUTO (Found) cpu = find (DEVICE_CPU, p, layout, f);
  AUTO (Found) cuda = find (DEVICE_CUDA, p, layout, f);

  check (same_maps (&cpu, &cuda));
  check (cpu.results.form == cuda.results.form);
  check (cpu.results.counts.closed == cuda.results.counts.closed);
}

static void
compare_frames (int rounds)
{
  for (int round = 0; round < rounds; round++) {
    EmdtrackParams p = random_params (2 + (int) rnd (15));
    AUTO (Frame) f = random_grey (1 + (int) rnd (200), 1 + (int) rnd (90));

    p.solver = (EmdtrackSolver) (round % 3);
    compare_kinds (&p, &plain_frame, &f);
  }
}

static void
test_parity_frames (DeviceKind kind)
{
  compare_frames (60);
}

/* For the sanitizers, which are slow. */
static void
test_parity_short (DeviceKind kind)
{
  compare_frames (6);
}

/* Colours sorted into the entries of a random codebook. */
static EmdtrackCodebook
random_book (int entries, int dims)
{
  EmdtrackCodebook b = {.entries = entries, .dims = dims, .spectra = dims != 3};

  for (int k = 0; k < entries; k++)
    for (int c = 0; c < dims; c++)
      b.centre[k][c] = dims != 3 ? (float) rnd (2 * 255 / dims)
          : c                    ? (float) rnd (120) - 60
                                 : (float) rnd (100);
  return b;
}

static void
test_parity_formats (DeviceKind kind)
{
  for (int k = 0; k < 3 * N_FORMATS; k++) {
    ImageFormat format = all_formats[k % N_FORMATS];
    bool grey = format == IMAGE_GRAY8 || format == IMAGE_GRAY16;
    EmdtrackParams p = random_params (k < N_FORMATS || grey ? 7 : 3);
    AUTO (Frame) f = frame_new (
        format, 1 + (int) rnd (70), 1 + (int) rnd (40), (int) rnd (9), 2);
    EmdtrackCodebook book = random_book (p.bins, 3);

    frame_randomise (&f);
    f.image.matrix = (ImageMatrix) rnd (3);
    f.image.full_range = (int) rnd (2);
    p.histogram = k < N_FORMATS     ? EMDTRACK_INTENSITY
        : k < 2 * N_FORMATS || grey ? EMDTRACK_CODEBOOK
                                    : EMDTRACK_CHANNELS;
    p.codebook = p.histogram == EMDTRACK_CODEBOOK ? &book : NULL;
    p.gain = .5 + rnd (100) / 60.;
    p.white = format == IMAGE_GRAY16 ? (int) rnd (65536) : (int) rnd (256);
    compare_kinds (&p, &plain_frame, &f);
  }
}

static void
test_parity_layouts (DeviceKind kind)
{
  static const int shapes[][2] = {{2, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 3}};

  for (int k = 0; k < 20; k++) {
    int mw = shapes[k % 5][0], mh = shapes[k % 5][1], channels = mw * mh;
    int width = 1 + (int) rnd (40), height = 1 + (int) rnd (30);
    EmdtrackFrame layout = {
        .layout = k % 2 ? EMDTRACK_MOSAIC : EMDTRACK_STACKED,
        .channels = channels,
        .mosaic_width = mw,
        .mosaic_height = mh};
    bool book = k >= 10;
    EmdtrackParams p = random_params (book ? 9 : channels);
    EmdtrackCodebook entries = random_book (9, channels);
    AUTO_MEMORY uint16_t *value =
        malloc (width * height * channels * sizeof *value);
    AUTO (Frame) f;

    entries.spectra = 1;
    for (int i = 0; i < width * height * channels; i++)
      value[i] = (uint16_t) (i < channels ? 0 : rnd (k % 4 < 2 ? 65536 : 256));
    p.histogram = book ? EMDTRACK_CODEBOOK : EMDTRACK_CHANNELS;
    p.codebook = book ? &entries : NULL;
    p.spectrum_mass = 16 + (int) rnd (240);
    p.solver = (EmdtrackSolver) (k % 3);
    f = spectral_frame (&layout, k % 4 < 2, value, width, height);
    compare_kinds (&p, &layout, &f);
  }
}

/* ---- Many frames ---- */

/* What a scene that changes in every way leaves behind changes no value. */
static void
test_parity_scene (DeviceKind kind)
{
  EmdtrackParams p = intensity_defaults ();
  AUTO (Frame) f = frame_new (IMAGE_GRAY8, 150, 90, 0, 1);
  AUTO (Player) cpu, cuda, again;
  bool lost = false;

  player_open (&cpu, DEVICE_CPU, 150, 90);
  player_open (&cuda, DEVICE_CUDA, 150, 90);
  player_open (&again, DEVICE_CUDA, 150, 90);
  p.n_targets = 2;
  for (int k = 0; k < 80; k++) {
    AUTO (Found) a, b, c;

    if (k % 20 == 0) {
      p.bins = 2 + (int) rnd (15);
      p.distance = EMDTRACK_MATRIX;
      random_matrix (&p);
      p.targets[0] = random_target (p.bins);
      p.targets[1] = random_target (p.bins);
    }
    p.window = 3 + 2 * (k / 7 % 5);
    p.solver = k % 15 < 11 ? EMDTRACK_REUSE : (EmdtrackSolver) (k % 3);
    p.n_targets = 1 + (k % 9 < 6);
    p.max_trees = k / 40 ? 600 : 4096;
    draw_scene (&f, k % 30 == 29 ? k * 31 : k);
    a = find_next (cpu.e, &cpu.dev, &p, &plain_frame, &f);
    b = find_next (cuda.e, &cuda.dev, &p, &plain_frame, &f);
    c = find_next (again.e, &again.dev, &p, &plain_frame, &f);
    check (same_maps (&a, &b));
    check (same_maps (&b, &c));
    lost = lost || b.results.counts.unstored;
    if (!lost) /* else who came first found room */
      check (!memcmp (
          &b.results.counts, &c.results.counts, sizeof b.results.counts));
  }
}

/* Frames of few greys, in which many histograms are equal: after a cut they are
 * grouped on the GPU, also where few trees find room. */
static void
test_parity_equal (DeviceKind kind)
{
  EmdtrackParams p = intensity_defaults ();
  AUTO (Frame) f = frame_new (IMAGE_GRAY8, 149, 83, 3, 1);
  AUTO (Player) cpu, cuda;

  player_open (&cpu, DEVICE_CPU, 149, 83);
  player_open (&cuda, DEVICE_CUDA, 149, 83);
  p.solver = EMDTRACK_REUSE;
  p.distance = EMDTRACK_MATRIX;
  p.n_targets = 1;
  p.window = 5;
  for (int k = 0; k < 24; k++) {
    const uint32_t greys = 2 + k / 4 % 3;
    AUTO (Found) a, b;

    if (k % 8 == 0) {
      p.bins = 4 + (int) rnd (13);
      random_matrix (&p);
      p.targets[0] = random_target (p.bins);
      p.max_trees = k / 16 ? 64 : 4096;
    }
    for (int y = 0; y < 83; y++)
      for (int x = 0; x < 149; x++)
        if (k % 4 == 0 || !rnd (k % 4 == 3 ? 8 : 400))
          ((uint8_t *) f.image.plane[0])[y * f.image.stride[0] + x] =
              (uint8_t) (255 * rnd (greys) / (greys - 1));
    a = find_next (cpu.e, &cpu.dev, &p, &plain_frame, &f);
    b = find_next (cuda.e, &cuda.dev, &p, &plain_frame, &f);
    check (same_maps (&a, &b));
    check (a.results.counts.equal == 0);
    check (k % 8 || b.results.counts.equal > 149 * 83 / 4);
  }
}

/* ---- Regions and brightness ---- */

static int
random_side (int length)
{
  return rnd (4) ? 1 + (int) rnd (length) : 1 + (int) rnd (2 * length);
}

static void
test_parity_regions (DeviceKind kind)
{
  static EmdtrackRegion regions[300];
  int width = 333, height = 217;
  AUTO (Frame) f = frame_new (IMAGE_RGB, width, height, 5, 1);
  EmdtrackParams p = random_params (13);
  EmdtrackCodebook book = random_book (13, 3);
  const uint32_t *counts[2];
  double mean[2];
  Player player[2];

  frame_randomise (&f);
  p.histogram = EMDTRACK_CODEBOOK;
  p.codebook = &book;
  for (int i = 0; i < 300; i++) {
    int x = (int) rnd (width + 100) - 50, y = (int) rnd (height + 100) - 50;

    regions[i] = (EmdtrackRegion){
        {x, y, x + random_side (width), y + random_side (height)},
        1 + (int) rnd (5)};
  }
  for (int k = 0; k < 2; k++) {
    EmdtrackFrame frame = {.layout = EMDTRACK_PLAIN};
    void *memory;

    player_open (&player[k], k ? DEVICE_CUDA : DEVICE_CPU, width, height);
    frame.image = frame_to_device (&f, &player[k].dev, &memory);
    ok (emdtrack_index (player[k].e, &p, &frame));
    ok (emdtrack_count (player[k].e, regions, 0, &counts[k]));
    ok (emdtrack_count (player[k].e, regions, 300, &counts[k]));
    ok (emdtrack_brightness (player[k].e, &p, &frame, &mean[k]));
    device_release (&player[k].dev, memory);
  }
  check (
      !memcmp (counts[0], counts[1], 300 * EMDTRACK_BINS * sizeof *counts[0]));
  check (mean[0] == mean[1] && mean[0] > 0);
  player_close (&player[0]);
  player_close (&player[1]);
}

/* ---- Against the oracle ---- */

static void
test_oracle (DeviceKind kind)
{
  for (int round = 0; round < 30; round++)
    for (int solver = EMDTRACK_AUTO; solver <= EMDTRACK_PAPER; solver++) {
      EmdtrackParams p = random_params (2 + round % 15);
      AUTO (Frame) f = random_grey (20 + (int) rnd (60), 10 + (int) rnd (40));
      AUTO (Found) found;

      p.solver = (EmdtrackSolver) solver;
      found = find (kind, &p, &plain_frame, &f);
      compare_with_oracle (&p, &found, 150);
      for (int i = 0; i < found.width * found.height; i += 7) {
        uint8_t h[EMDTRACK_BINS];

        oracle_histogram (
            &f.image, i % found.width, i / found.width, p.window, p.bins, h);
        check (!memcmp (h, found.histogram + i * EMDTRACK_BINS, sizeof h));
      }
    }
}

/* The target is the histogram of one pixel: there, and wherever the histogram
 * is the same, the distance is 0 if that of each bin from itself is. */
static void
test_equal (DeviceKind kind)
{
  for (int round = 0; round < 20; round++) {
    EmdtrackParams p = random_params (2 + (int) rnd (15));
    AUTO (Frame) f = random_grey (30, 30);
    int at = (int) rnd (900);
    Found found;

    for (int i = 0; i < p.bins; i++)
      p.matrix[i][i] = 0;
    p.solver = (EmdtrackSolver) rnd (3);
    found = find (kind, &p, &plain_frame, &f);
    for (int i = 0; i < p.bins; i++)
      p.targets[0].weight[i] = found.histogram[at * EMDTRACK_BINS + i];
    found_free (&found);
    found = find (kind, &p, &plain_frame, &f);
    for (int i = 0; i < 900; i++)
      if (!memcmp (found.histogram + i * EMDTRACK_BINS,
              found.histogram + at * EMDTRACK_BINS, EMDTRACK_BINS))
        check (found.map[0][i] == 0);
    found_free (&found);
  }
}

/* One line a problem: bins, mass, histogram, target, distances, value. */
static int
print_problems (int n)
{
  for (int k = 0; k < n; k++) {
    EmdtrackParams p = random_params (2 + k % 15);
    AUTO (Frame) f = random_grey (12, 12);
    uint8_t distance[EMDTRACK_BINS][EMDTRACK_BINS];
    int at = (int) rnd (144), d[EMDTRACK_BINS];
    double scale;
    AUTO (Found) found;

    p.solver = (EmdtrackSolver) (k % 3);
    found = find (DEVICE_CPU, &p, &plain_frame, &f);
    ok (emdtrack_distances (&p, distance, &scale));
    emdtrack_quantise (p.targets[0].weight, p.bins, found.results.mass, d);
    printf ("%d %d", p.bins, found.results.mass);
    for (int i = 0; i < p.bins; i++)
      printf (" %d", found.histogram[at * EMDTRACK_BINS + i]);
    for (int i = 0; i < p.bins; i++)
      printf (" %d", d[i]);
    for (int i = 0; i < p.bins * p.bins; i++)
      printf (" %d", distance[i / p.bins][i % p.bins]);
    printf (" %d\n", found.map[0][at]);
  }
  return check_failures != 0;
}

static const CheckPart on_each[] = {{"one bin", test_one_bin},
    {"an edge", test_edge}, {"largest remainder", test_quantise},
    {"closed forms", test_forms}, {"oracle", test_oracle},
    {"equal histograms", test_equal}, {"layouts", test_layouts},
    {"formats", test_formats}, {"white", test_white}, {"counts", test_counts},
    {"large frames", test_large}, {"long run", test_long_run},
    {"full tables", test_full}, {"params", test_params},
    {"frames", test_frames}, {"small frames", test_small},
    {"a device that fails", test_failing}, {"and a cache", test_failing_cache},
    {NULL, NULL}};

static const CheckPart parity[] = {{"single frames", test_parity_frames},
    {"formats", test_parity_formats}, {"layouts", test_parity_layouts},
    {"many frames", test_parity_scene}, {"equal", test_parity_equal},
    {"regions", test_parity_regions}, {NULL, NULL}};

static const CheckPart parity_short[] = {
    {"few frames", test_parity_short}, {NULL, NULL}};

int
main (int argc, char **argv)
{
  bool is_short = argc > 2 && !strcmp (argv[2], "short");

  if (argc > 2 && !strcmp (argv[1], "--print"))
    return print_problems (atoi (argv[2]));
  return check_main (
      argc, argv, on_each, is_short ? parity_short : parity, emdtrack_bench);
}
