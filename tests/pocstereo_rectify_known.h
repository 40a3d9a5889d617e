/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Samples and positions worked out by hand. */
#pragma once

#include "pocstereo_rig.h"

/* What a sample is by the words of pocstereo_rectify.h. */
static int
grey_by_words (const Image *m, int x, int y)
{
  const uint8_t *row = m->plane[0] + (size_t) y * m->stride[0];
  uint8_t c[3];

  image_read (m, x, y, c);
  if (m->format == IMAGE_GRAY16)
    return (row[2 * x] + 256 * row[2 * x + 1]) / 16;
  if (m->format == IMAGE_P010)
    return (row[2 * x] + 256 * row[2 * x + 1]) / 64 * 4;
  if (m->format >= IMAGE_RGB && m->format <= IMAGE_BGRA)
    return (int) lround (16 * (.299 * c[0] + .587 * c[1] + .114 * c[2]));
  return 16 * c[0];
}

/* Every format, at sizes that divide by nothing. */
static void
test_grey (DeviceKind kind)
{
  for (int i = 0; i < CANVAS_FORMATS; i++) {
    Pair p = pair_new (
        canvas_formats[i], canvas_formats[(i + 3) % CANVAS_FORMATS], 37, 13);

    pair_run (&p, kind);
    for (int k = 0; k < 2; k++)
      for (int y = 0; y < 13; y++)
        for (int x = 0; x < 37; x++)
          check_near (pair_at (&p, k, x, y),
              grey_by_words (&p.frame[k].image, x, y),
              image_is_yuv (p.frame[k].image.format) ? 0 : 1);
    pair_free (&p);
  }
}

static void
test_grey_of_colours (DeviceKind kind)
{
  static const uint8_t rgba[4][4] = {
      {255, 255, 255, 0}, {255, 0, 0, 9}, {0, 255, 0, 9}, {0, 0, 255, 9}};
  static const int grey[4] = {4080, 1220, 2395, 465};
  Pair p = pair_new (IMAGE_RGBA, IMAGE_BGRA, 4, 1);

  memcpy (p.frame[0].image.plane[0], rgba, sizeof rgba);
  memcpy (p.frame[1].image.plane[0], rgba, sizeof rgba);
  pair_run (&p, kind);
  for (int x = 0; x < 4; x++) {
    check (pair_at (&p, 0, x, 0) == grey[x]);
    check (pair_at (&p, 1, x, 0) == grey[x % 2 ? 4 - x : x]);
  }
  pair_free (&p);
}

/* A camera that is rectified already, and one whose rectified principal point
 * lies 3 or 2.5 pixels to the right: samples come from as much to the left. */
static void
test_shifts (DeviceKind kind)
{
  enum { W = 41, H = 9 };
  PocstereoView view[2] = {view_plain (W, H, 50), view_plain (W, H, 50)};
  Pair p = pair_new (IMAGE_GRAY8, IMAGE_GRAY16, W, H), q;

  view[1].p[2] += 3;
  p.view = view;
  pair_run (&p, kind);
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      const Image *r = &p.frame[1].image;

      check (pair_at (&p, 0, x, y) == grey_by_words (&p.frame[0].image, x, y));
      check (pair_at (&p, 1, x, y) == grey_by_words (r, x < 3 ? 0 : x - 3, y));
      check (p.valid[0][y * W + x] == 1 && p.valid[1][y * W + x] == (x >= 3));
    }
  pair_free (&p);

  q = pair_new (IMAGE_GRAY8, IMAGE_GRAY8, W, H);
  view[1].p[2] -= .5;
  q.view = view;
  pair_run (&q, kind);
  for (int y = 0; y < H; y++)
    for (int x = 5; x < W; x++) {
      const uint8_t *s = q.frame[1].image.plane[0] +
          (size_t) y * q.frame[1].image.stride[0] + x - 4;
      int cubic = 9 * (s[1] + s[2]) - s[0] - s[3];

      check_near (pair_at (&q, 1, x, y),
          cubic < 0          ? 0
              : cubic > 4095 ? 4095
                             : cubic,
          1);
    }
  pair_free (&q);
}

typedef struct {
  double d[14];
  double x, y;           /* direction; z is 1 */
  double seen_x, seen_y; /* by hand */
} Bend;

/* Focal length 100, so that a position tells the direction to four digits. */
static void
test_lenses (DeviceKind kind)
{
  static const Bend bends[] = {{{0}, .5, -.25, .5, -.25}, {{.1}, 1, 0, 1.1, 0},
      {{0, .1}, 1, 1, 1.4, 1.4}, {{0, 0, .02, 0}, 1, 0, 1, .02},
      {{0, 0, 0, .01}, 1, 0, 1.03, 0}, {{0, 0, .01, 0}, 1, 1, 1.02, 1.04},
      {{0, 0, 0, 0, .1}, 1, 0, 1.1, 0}, {{0, 0, 0, 0, 0, .25}, 1, 0, .8, 0},
      {{0, 0, 0, 0, 0, 0, .25}, 1, 1, .5, .5},
      {{0, 0, 0, 0, 0, 0, 0, .25}, 1, 0, .8, 0}, {{[8] = .05}, 1, 1, 1.1, 1},
      {{[9] = .05}, 1, 1, 1.2, 1}, {{[10] = .05}, 1, 1, 1, 1.1},
      {{[11] = .05}, 1, 1, 1, 1.2},
      /* the sensor turned about one axis: x, y cos over cos + x sin, … */
      {{[13] = .1}, .5, .5, .5 / (.99500417 + .5 * .09983342),
          .5 * .99500417 / (.99500417 + .5 * .09983342)},
      {{[12] = .1}, .5, .5, .5 * .99500417 / (.99500417 - .5 * .09983342),
          .5 / (.99500417 - .5 * .09983342)}};
  enum { W = 401, H = 401 };
  static PocstereoPosition map[W * H];
  static uint8_t valid[W * H];

  (void) kind;
  for (size_t i = 0; i < sizeof bends / sizeof *bends; i++) {
    const Bend *b = &bends[i];
    PocstereoView v = view_plain (W, H, 100);
    int at = (200 + (int) (100 * b->y)) * W + 200 + (int) (100 * b->x);

    memcpy (v.d, b->d, sizeof v.d);
    ok (pocstereo_rectify_check (&v));
    pocstereo_rectify_map (&v, W, H, map, valid);
    check_near (map[at].x / 1024., 200 + 100 * b->seen_x, 6e-4);
    check_near (map[at].y / 1024., 200 + 100 * b->seen_y, 6e-4);
    check (valid[at]);
  }
  /* 1.6 to the right the lens is said to bend rays across its axis, to where
   * others already are; and by a term below the line, too */
  PocstereoView v = view_plain (W, H, 100);

  v.d[0] = -.5;
  pocstereo_rectify_map (&v, W, H, map, valid);
  check (map[200 * W + 360].x > 0 && !valid[200 * W + 360]);
  v.d[0] = 0, v.d[5] = -1;
  pocstereo_rectify_map (&v, W, H, map, valid);
  check (map[200 * W + 360].x > 0 && !valid[200 * W + 360]);
}

/* What is below the 10 bits of P010 does not count. */
static void
test_lower_bits (DeviceKind kind)
{
  static const uint8_t words[6] = {0xff, 0xff, 0x3f, 0x12, 0x40, 0};
  Pair p = pair_new (IMAGE_P010, IMAGE_GRAY16, 3, 1);

  memcpy (p.frame[0].image.plane[0], words, sizeof words);
  memcpy (p.frame[1].image.plane[0], words, sizeof words);
  pair_run (&p, kind);
  check (pair_at (&p, 0, 0, 0) == 4092 && pair_at (&p, 1, 0, 0) == 4095);
  check (pair_at (&p, 0, 1, 0) == 0x120 && pair_at (&p, 1, 1, 0) == 0x123);
  check (pair_at (&p, 0, 2, 0) == 4 && pair_at (&p, 1, 2, 0) == 4);
  pair_free (&p);
}

/* A camera turned by 45 degrees looks along x = z; half of what it is rectified
 * to lies beside it, and what lies behind it has no image. */
static void
test_turned (DeviceKind kind)
{
  enum { W = 301, H = 3 };
  static PocstereoPosition map[W * H];
  static uint8_t valid[W * H];
  PocstereoView v = view_plain (W, H, 100);

  (void) kind;
  /* the direction (0, 0, 1) of the camera is (s, 0, s) of the rectified one */
  view_turn (&v, (double[3]){0, M_PI / 4, 0});
  pocstereo_rectify_map (&v, W, H, map, valid);
  check_near (map[W + 250].x / 1024., 150, 1e-3);
  check_near (map[W + 150].x / 1024., 50, 1e-3);
  check (valid[W + 250] && valid[W + 150]);
  check (!valid[W + 20]); /* 52 degrees to the left: 97 from the axis */
  view_turn (&v, (double[3]){0, M_PI, 0});
  pocstereo_rectify_map (&v, W, H, map, valid);
  check (map[W + 200].x > 0 && !valid[W + 200]);
}
