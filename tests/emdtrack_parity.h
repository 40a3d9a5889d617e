/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * emdtrack on the CPU and on the GPU: bit for bit the same, and two runs on the
 * GPU the same in their counts, too. */
#pragma once

#include "emdtrack_play.h"
#include "emdtrack_spectra.h"

/* ---- Single frames ---- */

static inline void
compare_kinds (
    const EmdtrackParams *p, const EmdtrackFrame *layout, const Frame *f)
{
  Found cpu = find (DEVICE_CPU, p, layout, f);
  Found cuda = find (DEVICE_CUDA, p, layout, f);

  check (same_maps (&cpu, &cuda));
  check (cpu.results.form == cuda.results.form);
  check (cpu.results.counts.closed == cuda.results.counts.closed);
  found_free (&cpu);
  found_free (&cuda);
}

static inline void
compare_frames (int rounds)
{
  for (int round = 0; round < rounds; round++) {
    EmdtrackParams p = random_params (2 + (int) rnd (15));
    Frame f = random_grey (1 + (int) rnd (200), 1 + (int) rnd (90));

    p.solver = (EmdtrackSolver) (round % 3);
    compare_kinds (&p, &plain_frame, &f);
    frame_free (&f);
  }
}

static inline void
test_parity_frames (DeviceKind kind)
{
  (void) kind;
  compare_frames (60);
}

/* For the sanitizers, which are slow. */
static inline void
test_parity_short (DeviceKind kind)
{
  (void) kind;
  compare_frames (6);
}

/* Colours sorted into the entries of a random codebook. */
static inline EmdtrackCodebook
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

static inline void
test_parity_formats (DeviceKind kind)
{
  (void) kind;
  for (int k = 0; k < 3 * N_FORMATS; k++) {
    ImageFormat format = all_formats[k % N_FORMATS];
    bool grey = format == IMAGE_GRAY8 || format == IMAGE_GRAY16;
    EmdtrackParams p = random_params (k < N_FORMATS || grey ? 7 : 3);
    Frame f = frame_new (
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
    frame_free (&f);
  }
}

static inline void
test_parity_layouts (DeviceKind kind)
{
  static const int shapes[][2] = {{2, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 3}};

  (void) kind;
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
    uint16_t *value = malloc (width * height * channels * sizeof *value);
    Frame f;

    entries.spectra = 1;
    for (int i = 0; i < width * height * channels; i++)
      value[i] = (uint16_t) (i < channels ? 0 : rnd (k % 4 < 2 ? 65536 : 256));
    p.histogram = book ? EMDTRACK_CODEBOOK : EMDTRACK_CHANNELS;
    p.codebook = book ? &entries : NULL;
    p.spectrum_mass = 16 + (int) rnd (240);
    p.solver = (EmdtrackSolver) (k % 3);
    f = spectral_frame (&layout, k % 4 < 2, value, width, height);
    compare_kinds (&p, &layout, &f);
    frame_free (&f);
    free (value);
  }
}

/* ---- Many frames ---- */

/* What a scene that changes in every way leaves behind changes no value. */
static inline void
test_parity_scene (DeviceKind kind)
{
  EmdtrackParams p = intensity_defaults ();
  Frame f = frame_new (IMAGE_GRAY8, 150, 90, 0, 1);
  Player cpu, cuda, again;
  bool lost = false;

  (void) kind;
  player_open (&cpu, DEVICE_CPU, 150, 90);
  player_open (&cuda, DEVICE_CUDA, 150, 90);
  player_open (&again, DEVICE_CUDA, 150, 90);
  p.n_targets = 2;
  for (int k = 0; k < 80; k++) {
    Found a, b, c;

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
    found_free (&a);
    found_free (&b);
    found_free (&c);
  }
  player_close (&cpu);
  player_close (&cuda);
  player_close (&again);
  frame_free (&f);
}

/* ---- Regions and brightness ---- */

static inline int
random_side (int length)
{
  return rnd (4) ? 1 + (int) rnd (length) : 1 + (int) rnd (2 * length);
}

static inline void
test_parity_regions (DeviceKind kind)
{
  static EmdtrackRegion regions[300];
  int width = 333, height = 217;
  Frame f = frame_new (IMAGE_RGB, width, height, 5, 1);
  EmdtrackParams p = random_params (13);
  EmdtrackCodebook book = random_book (13, 3);
  const uint32_t *counts[2];
  double mean[2];
  Player player[2];

  (void) kind;
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
  frame_free (&f);
}
