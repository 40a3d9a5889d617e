/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Spectra of mosaics and stacked planes, and frames of all formats. */
#pragma once

#include "emdtrack_find.h"

/* A frame of @channels 8-bit or 16-bit channels that hold the same values in
 * either layout. */
static inline Frame
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
static inline void
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
    uint16_t *value = malloc (9 * 7 * channels * sizeof *value);
    Found a, b;
    Frame f, g;

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
    found_free (&a);
    found_free (&b);
    frame_free (&f);
    frame_free (&g);
    free (value);
  }
}

/* Every format: values are exact, guard bytes stay, and a YUV frame has the
 * grey values of its first plane. */
static inline void
test_formats (DeviceKind kind)
{
  for (int k = 0; k < N_FORMATS; k++) {
    EmdtrackParams p = random_params (6);
    Frame f = frame_new (all_formats[k], 23, 17, 5, 2);
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
    frame_free (&f);
  }
}

/* 16-bit grey of a sensor with 10 bits fills all bins where white says so. */
static inline void
test_white (DeviceKind kind)
{
  Frame f = frame_new (IMAGE_GRAY16, 5, 1, 0, 2);
  EmdtrackParams p = intensity_defaults ();
  static const int grey[5] = {0, 255, 256, 1023, 5000},
                   bin[5] = {0, 0, 1, 3, 3};
  Found found;

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
  found_free (&found);
  frame_free (&f);
}
