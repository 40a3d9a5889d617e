/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What blobs keep, and frames that nobody would send. */
#pragma once

#include "moct_find.h"

/* The sums of a colour's blobs add up to the sum of the colour, whatever hangs
 * together; mirrored frames give mirrored boxes. */
static void
test_blobs_add_up (DeviceKind kind)
{
  static MoctObject o[4096];
  MoctColour c = parse_one ("c:rgb=100..255,0..140,20..200");
  MoctParams p = default_params (&c, 1);

  for (int round = 0; round < 10; round++) {
    Frame f = frame_new (IMAGE_RGBA, 200 + rnd (100), 150, 0, 16);
    MoctObject all;
    uint64_t area = 0;
    double x = 0;
    int n;

    frame_fill (&f, (ImageBox){0, 0, f.image.width, 150}, green);
    for (int i = 0; i < 25; i++) {
      uint8_t rgb[3] = {200, 50, 100};
      int x0 = rnd (f.image.width - 20), y0 = rnd (130);

      frame_fill (
          &f, (ImageBox){x0, y0, x0 + 1 + rnd (20), y0 + 1 + rnd (20)}, rgb);
    }
    p.blobs = true;
    n = find (kind, &p, &f, o, 4096);
    for (int i = 0; i < n; i++) {
      area += o[i].area;
      x += o[i].cx * (double) o[i].area;
    }
    p.blobs = false;
    check (find (kind, &p, &f, &all, 1) == 1);
    check (n > 1 && n <= 25);
    check (area == all.area);
    check_near (x / (double) area, all.cx, 1e-9);
    frame_free (&f);
  }
}

/* Frames of one pixel, of one row, no match, all matching, and a frame whose
 * every pixel is another class, which no slot has room for. */
static void
test_hostile (DeviceKind kind)
{
  static const int sizes[][2] = {
      {1, 1}, {1, 300}, {300, 1}, {17, 16}, {15, 33}, {2, 2}, {64, 1}};
  MoctColour c[2] = {parse_one ("none:rgb=1..1,2..2,3..3"),
      parse_one ("all:rgb=0..255,0..255,0..255")};
  MoctParams p = default_params (c, 2);
  MoctObject o;

  for (int i = 0; i < 7; i++)
    for (int k = 0; k < N_FORMATS; k++) {
      int w = sizes[i][0], h = sizes[i][1];
      Frame f = frame_new (all_formats[k], w, h, 7, 1);

      frame_fill (&f, (ImageBox){0, 0, w, h}, green);
      check (find (kind, &p, &f, &o, 1) == 1);
      check (o.area == (uint64_t) w * h && o.x1 == w && o.y1 == h);
      check_near (o.cx, (w - 1) / 2., 1e-12);
      check (frame_is_unharmed (&f));
      frame_free (&f);
    }
}

static void
test_every_pixel_another_class (DeviceKind kind)
{
  static MoctColour c[1024];
  static MoctObject o[4096];
  MoctParams p = default_params (c, 1024);
  Frame f = frame_new (IMAGE_RGB, 64, 64, 0, 1);
  int n;

  for (int k = 0; k < 1024; k++) {
    char text[64];

    snprintf (text, sizeof text, "c%d:rgb=%d..%d,%d..%d,0..255", k, k % 32 * 8,
        k % 32 * 8 + 7, k / 32 * 8, k / 32 * 8 + 7);
    c[k] = parse_one (text);
  }
  for (int i = 0; i < 64 * 64; i++) {
    uint8_t rgb[3] = {
        (uint8_t) (i % 32 * 8 + 3), (uint8_t) (i / 32 % 32 * 8 + 3), 9};

    frame_set (&f, i % 64, i / 64, rgb);
  }
  n = find (kind, &p, &f, o, 4096);
  check (n == 4096); /* each class stands alone in four places */
  for (int i = 0; i < n; i++)
    check (o[i].area == 1 && o[i].colour == i / 4);
  frame_free (&f);
}
