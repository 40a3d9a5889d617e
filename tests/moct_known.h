/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Answers that are known by hand. */
#pragma once

#include "moct/moct_sums.h"
#include "moct_find.h"

/* A red box of 4 x 2 pixels at (10, 20): 8 pixels, their centre half way, and
 * the second moments of 4 and 2 pixels, (n^2 - 1) / 12 + 1 / 12 each. */
static void
test_box (DeviceKind kind)
{
  MoctColour c = parse_one ("red:#dc1e1e~20");
  MoctParams p = default_params (&c, 1);
  MoctObject o;

  for (int i = 2; i < N_FORMATS; i++) {
    Frame f = frame_new (all_formats[i], 64, 48, 0, 1);

    frame_fill (&f, (ImageBox){0, 0, 64, 48}, grey);
    frame_fill (&f, (ImageBox){10, 20, 14, 22}, red);
    check (find (kind, &p, &f, &o, 1) == 1);
    check (o.area == 8 && o.colour == 0 && o.id == 1);
    check (o.cx == 11.5 && o.cy == 20.5);
    check (o.x0 == 10 && o.y0 == 20 && o.x1 == 14 && o.y1 == 22);
    check_near (o.orientation, 0, 1e-12);
    check_near (o.elongation, 2, 1e-12);
    frame_free (&f);
  }
}

/* A diagonal line of pixels: its major axis points down right. */
static void
test_orientation (DeviceKind kind)
{
  MoctColour c = parse_one ("red:#dc1e1e~20");
  MoctParams p = default_params (&c, 1);
  Frame f = frame_new (IMAGE_RGB, 100, 90, 5, 1);
  MoctObject o;

  frame_fill (&f, (ImageBox){0, 0, 100, 90}, grey);
  for (int i = 0; i < 80; i++)
    frame_set (&f, 5 + i, 7 + i, red);
  check (find (kind, &p, &f, &o, 1) == 1);
  check_near (o.orientation, M_PI / 4, 1e-9);
  check (o.area == 80 && o.cx == 44.5 && o.cy == 46.5);

  frame_fill (&f, (ImageBox){0, 0, 100, 90}, grey);
  for (int i = 0; i < 80; i++)
    frame_set (&f, 84 - i, 7 + i, red);
  check (find (kind, &p, &f, &o, 1) == 1);
  check_near (o.orientation, -M_PI / 4, 1e-9);
  frame_free (&f);
}

/* Two boxes with a gap of 9 pixels, one below with a gap of 3; both gaps lie
 * across a border of tiles. */
static void
test_merge_distance (DeviceKind kind)
{
  static const struct {
    int distance, blobs;
  } expected[] = {{0, 3}, {2, 3}, {3, 2}, {8, 2}, {9, 1}, {64, 1}};
  MoctColour c = parse_one ("red:#dc1e1e~20");
  MoctParams p = default_params (&c, 1);
  Frame f = frame_new (IMAGE_RGBA, 200, 100, 0, 16);
  MoctObject o[4];

  frame_fill (&f, (ImageBox){0, 0, 200, 100}, grey);
  frame_fill (&f, (ImageBox){20, 10, 55, 48}, red);
  frame_fill (&f, (ImageBox){64, 10, 90, 48}, red);
  frame_fill (&f, (ImageBox){30, 51, 50, 68}, red);
  for (int i = 0; i < 6; i++) {
    p.merge_distance = expected[i].distance;
    check (find (kind, &p, &f, o, 4) == expected[i].blobs);
  }
  p.merge_distance = 0;
  p.max_objects = 1; /* the largest stays */
  check (find (kind, &p, &f, o, 4) == 1);
  check (o[0].area == 35 * 38 && o[0].x0 == 20);
  p.max_objects = 64;
  p.min_area = 20 * 17 + 1; /* the lowest goes */
  check (find (kind, &p, &f, o, 4) == 2);
  p.max_area = 26 * 38; /* the left one too */
  check (find (kind, &p, &f, o, 4) == 1 && o[0].x0 == 64);
  frame_free (&f);
}

/* A colour in every tile of a large frame, whole and with a gap of 5 pixels
 * from top to bottom. */
static void
test_filled_frame (DeviceKind kind)
{
  const int w = 1001, h = 695, gap = 509;
  MoctColour c = parse_one ("bright:yuv=100..255,0..255,0..255");
  MoctParams p = default_params (&c, 1);
  Frame f = frame_new (IMAGE_GRAY8, w, h, 0, 16);
  MoctObject o[2];

  memset (f.image.plane[0], 200, (size_t) h * f.image.stride[0]);
  check (find (kind, &p, &f, o, 2) == 1);
  check (o[0].area == (uint64_t) w * h && o[0].cx == (w - 1) / 2.);
  check (o[0].cy == (h - 1) / 2. && o[0].x1 == w && o[0].y1 == h);
  for (int y = 0; y < h; y++)
    memset (f.image.plane[0] + (size_t) y * f.image.stride[0] + gap, 0, 5);
  p.merge_distance = 5;
  check (find (kind, &p, &f, o, 2) == 1);
  check (o[0].area == (uint64_t) (w - 5) * h && o[0].x1 == w);
  p.merge_distance = 4;
  check (find (kind, &p, &f, o, 2) == 2);
  check (o[0].area + o[1].area == (uint64_t) (w - 5) * h);
  check (fmin (o[0].cx, o[1].cx) == (gap - 1) / 2.);
  check (fmax (o[0].x0, o[1].x0) == gap + 5);
  frame_free (&f);
}

static void
test_region_and_order (DeviceKind kind)
{
  MoctColour c[2] = {
      parse_one ("any:rgb=0..255,0..255,0..255"), parse_one ("red:#dc1e1e~20")};
  MoctParams p = default_params (c, 2);
  Frame f = frame_new (IMAGE_NV12, 80, 60, 0, 16);
  MoctObject o[2];

  frame_fill (&f, (ImageBox){0, 0, 80, 60}, grey);
  frame_fill (&f, (ImageBox){20, 10, 40, 30}, red);
  check (find (kind, &p, &f, o, 2) == 1); /* the first holds every pixel */
  check (o[0].colour == 0 && o[0].area == 80 * 60);
  c[0] = parse_one ("blue:hsv=200..260,50..100,20..100");
  p.region = (ImageBox){25, 13, 31, 100};
  check (find (kind, &p, &f, o, 2) == 1);
  check (o[0].colour == 1 && o[0].area == 6 * 17);
  check (o[0].x0 == 25 && o[0].y0 == 13 && o[0].x1 == 31 && o[0].y1 == 30);
  frame_free (&f);
}

static void
test_hue_wraps (DeviceKind kind)
{
  MoctColour c = parse_one ("red:hsv=350..10,50..100,30..100");
  MoctParams p = default_params (&c, 1);
  Frame f = frame_new (IMAGE_RGB, 90, 32, 0, 1);
  /* hues 355, 5 and 20 */
  static const uint8_t hues[3][3] = {
      {200, 20, 35}, {200, 35, 20}, {200, 80, 20}};
  MoctObject o[4];

  for (int i = 0; i < 3; i++)
    frame_fill (&f, (ImageBox){30 * i, 0, 30 * i + 30, 32}, hues[i]);
  check (find (kind, &p, &f, o, 4) == 1);
  check (o[0].area == 60 * 32 && o[0].x0 == 0 && o[0].x1 == 60);
  frame_free (&f);
}

/* Every cell of the table has a place of its own, and every stored colour of a
 * cell a place of its own in it. */
static void
test_places (DeviceKind kind)
{
  static uint8_t taken[MOCT_PLACES], in_cell[MOCT_PART];
  int doubled = 0, wrong = 0;

  (void) kind;
  for (uint32_t cell = 0; cell < MOCT_CELLS; cell++) {
    uint32_t c = (cell & 31) << 3 | (cell >> 5 & 31) << 11 | cell >> 10 << 19;

    doubled += taken[moct_place (c)]++;
    wrong += moct_place (c | 0xff070707u) != moct_place (c);
  }
  for (uint32_t i = 0; i < MOCT_PART; i++)
    doubled += in_cell[moct_in_cell (
        0xfff8f8f8u | (i & 7) | (i >> 3 & 7) << 8 | i >> 6 << 16)]++;
  check (doubled == 0);
  check (wrong == 0);
}
