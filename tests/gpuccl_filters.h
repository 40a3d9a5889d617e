/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The bilateral filter against the textbook in doubles, by what it lets hang
 * together; the window against a count of every window's pixels. */
#pragma once

#include "gpuccl_compare.h"

/* C. Tomasi, R. Manduchi, ICCV 1998, in a circle of 3 pixels. */
static inline double
textbook_bilateral (const Input *in, int x, int y, double scale)
{
  double z = *depth_at (in, x, y), sum = 0, weights = 0;

  for (int v = y - 3; v <= y + 3; v++)
    for (int u = x - 3; u <= x + 3; u++) {
      double r2 = (u - x) * (u - x) + (v - y) * (v - y), d, weight;

      if (r2 > 9 || u < 0 || v < 0 || u >= in->width || v >= in->height ||
          !*depth_at (in, u, v))
        continue;
      d = (*depth_at (in, u, v) - z) * scale / .04;
      weight = exp (-r2 / (2 * 4.5 * 4.5) - d * d / 2);
      sum += weight * *depth_at (in, u, v);
      weights += weight;
    }
  return sum / weights;
}

/* The filtered depths of @in, as the sums of components of one pixel have
 * them. */
static inline void
filter_by (DeviceKind kind, const Input *in, double scale, uint16_t *out)
{
  GpucclParams p = gpuccl_defaults ();
  Input one = input_new (GPUCCL_CLASSES, in->width, in->height, true);

  p.min_area = 1;
  p.max_components = GPUCCL_MAX_COMPONENTS;
  p.depth_scale = scale;
  memset (out, 0, (size_t) in->width * in->height * sizeof *out);
  for (int phase = 0; phase < 4; phase++) {
    Found f;

    for (int y = 0; y < in->height; y++)
      for (int x = 0; x < in->width; x++) {
        *map_at (&one, x, y) = x % 2 + y % 2 * 2 == phase ? 3 : 1;
        *depth_at (&one, x, y) = *depth_at (in, x, y);
      }
    f = find (kind, &p, &one);
    for (int i = 0; i < f.results.n_components; i++) {
      const GpucclSum *s = &f.components[i].sum;

      check (s->area == 1);
      out[s->label - 1] = (uint16_t) s->z;
    }
    found_free (&f);
  }
  input_free (&one);
}

/* A surface with noise, an edge, holes; units of several sizes. */
static inline void
test_bilateral (DeviceKind kind)
{
  static const double scales[] = {.001, .0001, .0002, .005, .00003};
  static uint16_t got[100 * 70];

  for (int round = 0; round < 10; round++) {
    double scale = scales[round % 5], worst = 0;
    Input in = input_new (GPUCCL_DEPTH_ONLY, 20 + (int) rnd (80), 70, true);
    int noise = 1 + (int) (.02 / scale), edge = (int) (.06 / scale);

    for (int y = 0; y < in.height; y++)
      for (int x = 0; x < in.width; x++) {
        int z = 12000 + x * noise / 20 + (x + y > 60 ? edge : 0) +
            (int) rnd ((uint32_t) noise);

        *depth_at (&in, x, y) = rnd (12) ? (uint16_t) z : 0;
      }
    filter_by (kind, &in, scale, got);
    for (int i = 0; i < in.width * in.height; i++) {
      int x = i % in.width, y = i / in.width;

      check (!got[i] == !*depth_at (&in, x, y));
      if (got[i])
        worst =
            fmax (worst, fabs (got[i] - textbook_bilateral (&in, x, y, scale)));
    }
    /* half a unit of rounding, and weights of 5 and 8 bits of 4 cm */
    check (worst <= .5 + .0004 / scale);
    check (worst > 0);
    input_free (&in);
  }
}

/* Links see fractions of a unit: along one row, those that the textbook's
 * depths clearly make, and no others. */
static inline void
test_bilateral_links (DeviceKind kind)
{
  int made = 0, cut = 0;

  for (int round = 0; round < 20; round++) {
    Input in = input_new (GPUCCL_DEPTH_ONLY, 400, 1, true);
    GpucclParams p = gpuccl_defaults ();
    int slope = 7 + (int) rnd (6);
    Found f;

    p.depth_step_k = round % 2 ? .002 : 0;
    for (int x = 0; x < 400; x++)
      *depth_at (&in, x, 0) = (uint16_t) (700 + slope * x + rnd (10));
    f = find (kind, &p, &in);
    for (int x = 1; x < 400; x++) {
      double a = textbook_bilateral (&in, x - 1, 0, .001);
      double b = textbook_bilateral (&in, x, 0, .001),
             near = fmin (a, b) / 1000;
      double limit =
          1000 * fmax (p.max_depth_step, p.depth_step_k * near * near);

      if (fabs (fabs (a - b) - limit) < .25)
        continue;
      made += fabs (a - b) < limit;
      cut += fabs (a - b) > limit;
      check ((f.labels[x] == f.labels[x - 1]) == (fabs (a - b) < limit));
    }
    found_free (&f);
    input_free (&in);
  }
  check (made > 1000 && cut > 1000);
}

/* What is flat stays as it is up to the last unit, at both ends of the range,
 * and so does what is alone. */
static inline void
test_bilateral_keeps (DeviceKind kind)
{
  static const uint16_t depths[] = {1, 2, 1000, 65534, 65535};
  static uint16_t got[20 * 20];

  for (int k = 0; k < 10; k++) {
    Input in = input_new (GPUCCL_DEPTH_ONLY, 20, 20, true);
    uint16_t z = depths[k / 2];

    for (int i = 0; i < 400; i++)
      *depth_at (&in, i % 20, i / 20) =
          k % 2 == 0 || (i % 20 % 7 == 3 && i / 20 % 7 == 3) ? z : 0;
    filter_by (kind, &in, .001, got);
    for (int i = 0; i < 400; i++)
      check (got[i] == *depth_at (&in, i % 20, i / 20));
    input_free (&in);
  }
}

/* Section 2.3, window by window. */
static inline void
window_oracle (const Input *in, const Rule *rule, uint8_t *marked)
{
  int w = in->width, h = in->height;
  uint8_t *grown = calloc ((size_t) w * h, 1);

  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < w * h; i++) {
      int x = i % w, y = i / w, reach = pass ? 9 : 25, set = 0, n = 0;

      if (!oracle_foreground (in, rule, x, y))
        continue;
      for (int v = y - reach; v <= y + reach; v++)
        for (int u = x - reach; u <= x + reach; u++)
          if (u >= 0 && v >= 0 && u < w && v < h) {
            n++;
            set +=
                pass ? marked[v * w + u] : oracle_foreground (in, rule, u, v);
          }
      (pass ? grown : marked)[i] = pass ? set > 0 : set >= .9 * n;
    }
  memcpy (marked, grown, (size_t) w * h);
  free (grown);
}

static inline void
check_window (const Found *f, const Input *in, const uint8_t *marked)
{
  uint32_t first = 0, area = 0;

  for (int i = 0; i < in->width * in->height; i++) {
    first = marked[i] && !first ? (uint32_t) i + 1 : first;
    area += marked[i];
    check (f->labels[i] == (marked[i] ? first : 0));
  }
  check (f->results.n_labels == (area > 0));
  check (f->results.largest_area == area);
  check (f->results.n_components == (area > 0));
  if (area)
    check (f->components[0].sum.area == area &&
        f->components[0].state == GPUCCL_NEW &&
        f->components[0].reason == GPUCCL_PERSISTENCE);
}

static inline void
test_window (DeviceKind kind)
{
  int found = 0;

  for (int round = 0; round < 12; round++) {
    GpucclParams p = gpuccl_defaults ();
    Rule rule = {4, 128, 0, 0};
    Input in = input_new (
        GPUCCL_CLASSES, 30 + (int) rnd (120), 30 + (int) rnd (80), rnd (2));
    uint8_t *marked = calloc ((size_t) in.width * in.height, 1);
    int x0 = (int) rnd (30), y0 = (int) rnd (30), most = round % 4 * 4;
    Found f;

    for (int i = 0; i < in.width * in.height; i++) {
      int x = i % in.width, y = i / in.width;
      bool inside = x >= x0 && x < x0 + 70 && y >= y0 && y < y0 + 60;

      *map_at (&in, x, y) = rnd (100) < (uint32_t) (inside ? 100 - most : 20);
      *map_at (&in, x, y) = *map_at (&in, x, y) ? 2 + (uint8_t) rnd (2) : 1;
      *depth_at (&in, x, y) = 1000;
    }
    p.detector = GPUCCL_WINDOW;
    p.min_area = 1;
    window_oracle (&in, &rule, marked);
    f = find (kind, &p, &in);
    check_window (&f, &in, marked);
    found += f.results.n_labels > 0;
    found_free (&f);
    free (marked);
    input_free (&in);
  }
  check (found > 3 && found < 12);
}
