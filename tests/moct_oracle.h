/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An oracle that shares no code with moct: colours by the textbook, in doubles,
 * and sums by a plain loop. */
#pragma once

#include "moct_find.h"

typedef struct {
  double n, x, y, x0, y0, x1, y1;
} Sums;

static double
lab_curve (double t)
{
  return t > 216. / 24389 ? cbrt (t) : (24389. / 27 * t + 16) / 116;
}

/* Position of an RGB colour in @space, by the textbook. */
static void
textbook (MoctSpace space, const uint8_t rgb[3], double p[3])
{
  double v[3], max, min, sum = 0;

  for (int i = 0; i < 3; i++)
    v[i] = rgb[i];
  max = fmax (v[0], fmax (v[1], v[2])), min = fmin (v[0], fmin (v[1], v[2]));
  sum = v[0] + v[1] + v[2];
  if (space == MOCT_RG) {
    p[0] = sum > 0 ? v[0] / sum : 1. / 3, p[1] = sum > 0 ? v[1] / sum : 1. / 3;
    p[2] = 0;
  } else if (space == MOCT_HSV) {
    double h = 0;

    if (max > min)
      h = max == v[0]   ? fmod ((v[1] - v[2]) / (max - min) + 6, 6)
          : max == v[1] ? (v[2] - v[0]) / (max - min) + 2
                        : (v[0] - v[1]) / (max - min) + 4;
    p[0] = 60 * h, p[1] = max > 0 ? 100 * (max - min) / max : 0;
    p[2] = 100 * max / 255;
  } else if (space == MOCT_LAB || space == MOCT_NEAR) {
    /* IEC 61966-2-1's matrix, white of D65 */
    static const double m[3][3] = {{0.4124, 0.3576, 0.1805},
        {0.2126, 0.7152, 0.0722}, {0.0193, 0.1192, 0.9505}};
    double l[3], t[3];

    for (int i = 0; i < 3; i++)
      l[i] = v[i] <= 255 * 0.04045 ? v[i] / 255 / 12.92
                                   : pow ((v[i] / 255 + 0.055) / 1.055, 2.4);
    for (int i = 0; i < 3; i++)
      t[i] = lab_curve ((m[i][0] * l[0] + m[i][1] * l[1] + m[i][2] * l[2]) /
          (m[i][0] + m[i][1] + m[i][2]));
    p[0] = 116 * t[1] - 16, p[1] = 500 * (t[0] - t[1]);
    p[2] = 200 * (t[1] - t[2]);
  } else {
    memcpy (p, v, sizeof v);
  }
}

/* How far inside (positive) or outside the model a colour is. */
static double
depth_inside (const MoctColour *c, const uint8_t rgb[3])
{
  double p[3], depth = 1e9;

  textbook (c->space, rgb, p);
  if (c->space == MOCT_NEAR) {
    double centre[3], d = 0;

    textbook (MOCT_LAB, c->rgb, centre);
    for (int i = 0; i < 3; i++)
      d += (p[i] - centre[i]) * (p[i] - centre[i]);
    return c->hi[0] - sqrt (d);
  }
  for (int i = 0; i < (c->space == MOCT_RG ? 2 : 3); i++) {
    double lo = p[i] - c->lo[i], hi = c->hi[i] - p[i];
    double d = c->lo[i] <= c->hi[i] ? fmin (lo, hi) : fmax (lo, hi);

    depth = fmin (depth, d);
  }
  return depth;
}

static MoctColour
random_colour (int k)
{
  char text[200];
  int a = rnd (180), b = rnd (180), c = rnd (180), d = 20 + rnd (56);

  switch (rnd (5)) {
    case 0:
      snprintf (text, sizeof text, "c%d:rgb=%d..%d,%d..%d,%d..%d", k, a, a + d,
          b, b + d, c, c + d);
      break;
    case 1:
      snprintf (text, sizeof text, "c%d:rg=0.%02d..0.%02d,0.%02d..0.%02d", k,
          a / 4, a / 4 + 20, b / 4, b / 4 + 20);
      break;
    case 2:
      snprintf (text, sizeof text, "c%d:hsv=%d..%d,%d..100,%d..100", k,
          (a * 2 + 300) % 360, (a * 2 + 300 + d) % 360, b / 4, c / 4);
      break;
    case 3:
      snprintf (text, sizeof text, "c%d:lab=%d..%d,%d..%d,%d..%d", k, a / 4,
          a / 4 + 50, b / 2 - 80, b / 2 - 80 + d, c / 2 - 80, c / 2 - 80 + d);
      break;
    default:
      snprintf (text, sizeof text, "c%d:#%02x%02x%02x~%d", k, rnd (256),
          rnd (256), rnd (256), 5 + rnd (40));
  }
  return parse_one (text);
}

/* Blotches of a few colours, so that some fall on borders of tiles. */
static void
paint (Frame *f, int blotches)
{
  frame_randomise (f);
  for (int i = 0; i < blotches; i++) {
    uint8_t rgb[3] = {
        (uint8_t) rnd (256), (uint8_t) rnd (256), (uint8_t) rnd (256)};
    int x = rnd (f->image.width), y = rnd (f->image.height);
    int x1 = x + 1 + rnd (60), y1 = y + 1 + rnd (60);

    frame_fill (f,
        (ImageBox){x, y, x1 < f->image.width ? x1 : f->image.width,
            y1 < f->image.height ? y1 : f->image.height},
        rgb);
  }
}

/* The label map against the textbook, for every space: where the textbook is
 * sure, they agree. */
static void
test_labels (DeviceKind kind)
{
  Device dev;

  ok (device_open (&dev, kind, NULL));
  for (int round = 0; round < 12; round++) {
    Frame f = frame_new (IMAGE_RGB, 150, 70, 3, 1);
    MoctColour c[6];
    MoctParams p = default_params (c, 6);
    uint16_t *labels, got[150 * 70];
    void *memory;
    Moct *m;
    Image there;
    int sure = 0, wrong = 0;

    for (int k = 0; k < 6; k++)
      c[k] = random_colour (k);
    paint (&f, 30);
    there = frame_to_device (&f, &dev, &memory);
    ok (moct_new (&m, &dev, 150, 70, 0));
    ok (device_alloc (&dev, (void **) &labels, sizeof got));
    ok (moct_labels (m, &p, &there, labels, 300));
    ok (device_copy (&dev, got, labels, sizeof got));
    ok (device_wait (&dev));
    for (int i = 0; i < 150 * 70; i++) {
      uint8_t rgb[3];
      int expected = 0;
      double least = 1e9;

      image_read (&f.image, i % 150, i / 150, rgb);
      for (int k = 5; k >= 0; k--) {
        double d = depth_inside (&c[k], rgb);

        least = fmin (least, fabs (d) / (c[k].space == MOCT_RG ? 1e-5 : 0.05));
        expected = d >= 0 ? k + 1 : expected;
      }
      sure += least > 1;
      wrong += least > 1 && got[i] != expected;
    }
    check (wrong == 0);
    check (sure > 9000);
    device_release (&dev, labels);
    device_release (&dev, memory);
    moct_free (m);
    frame_free (&f);
  }
  device_close (&dev);
}

/* Sums of a colour over random frames against a plain loop. */
static void
test_sums (DeviceKind kind)
{
  MoctColour c = parse_one ("c:rgb=100..255,0..140,20..200");
  MoctParams p = default_params (&c, 1);

  p.blobs = false;
  for (int round = 0; round < 30; round++) {
    int w = 1 + rnd (300), h = 1 + rnd (200);
    Frame f = frame_new (IMAGE_RGB, w, h, rnd (9), 1);
    Sums s = {0, 0, 0, 1e9, 1e9, -1, -1};
    MoctObject o;

    paint (&f, 20);
    for (int y = 0; y < h; y++)
      for (int x = 0; x < w; x++) {
        const uint8_t *q =
            f.image.plane[0] + (size_t) y * f.image.stride[0] + 3 * x;

        if (q[0] < 100 || q[1] > 140 || q[2] < 20 || q[2] > 200)
          continue;
        s.n++, s.x += x, s.y += y;
        s.x0 = fmin (s.x0, x), s.x1 = fmax (s.x1, x + 1);
        s.y0 = fmin (s.y0, y), s.y1 = fmax (s.y1, y + 1);
      }
    check (find (kind, &p, &f, &o, 1) == (s.n > 0));
    if (s.n > 0) {
      check ((double) o.area == s.n && o.cx == s.x / s.n && o.cy == s.y / s.n);
      check (o.x0 == s.x0 && o.y0 == s.y0 && o.x1 == s.x1 && o.y1 == s.y1);
    }
    frame_free (&f);
  }
}
