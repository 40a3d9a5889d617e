/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Drawings whose pixels are worked out by hand. */
#pragma once

#include "overlay_draw.h"

/* A box covers exactly its pixels; opacity 128 over 10 gives 10 + 190 * 128 /
 * 255 = 105.4 in red, 55.2 in green and 30.1 in blue. */
static void
test_box (DeviceKind kind)
{
  for (int blend = 0; blend < 2; blend++) {
    Canvas c = canvas_new (IMAGE_RGB, 9, 7, 5);
    OverlayList *list = list_for (&c);

    canvas_fill (&c, 10);
    overlay_stroke (list, blend ? half : red);
    overlay_fill (list, 2, 1, 5, 3, 0);
    finish (kind, &c, list);
    for (int y = 0; y < 7; y++)
      for (int x = 0; x < 9; x++) {
        bool in = x >= 2 && x < 5 && y >= 1 && y < 3;

        check (at (&c, x, y, 0) == (in ? blend ? 105 : 200 : 10));
        check (at (&c, x, y, 1) == (in ? blend ? 55 : 100 : 10));
        check (at (&c, x, y, 2) == (in ? blend ? 30 : 50 : 10));
      }
    canvas_free (&c);
  }
}

static void
check_row (const Canvas *c, int y, int n, const int *row)
{
  for (int x = 0; x < n; x++) {
    check (at (c, x, y, 0) == row[x]);
    if (at (c, x, y, 0) != row[x])
      printf ("  (%d, %d) is %d, not %d\n", x, y, at (c, x, y, 0), row[x]);
  }
}

/* White on black: the value is the coverage, 128 for half a pixel.  The end of
 * the thick line is round: at the corner the edge is sqrt (2) - 1 away. */
static void
test_lines (DeviceKind kind)
{
  static const int thin[] = {0, 0, 255, 255, 255, 255, 255, 0, 0, 0};
  static const int faint[] = {0, 0, 128, 128, 128, 128, 128, 0, 0, 0};
  static const int edge[] = {0, 22, 128, 128, 128, 128, 128, 22, 0, 0};
  static const int thick[] = {0, 128, 255, 255, 255, 255, 255, 128, 0, 0};
  static const int dash[] = {0, 255, 255, 0, 0, 0, 255, 255, 0, 0};
  static const int side[] = {255, 255, 0, 0, 0, 0, 0, 255, 255, 0};
  static const int none[10];
  Canvas c = canvas_new (IMAGE_GRAY8, 10, 20, 3);
  OverlayList *list = list_for (&c);

  canvas_fill (&c, 0);
  overlay_stroke (list, (OverlayColour){255, 255, 255, 255});
  overlay_line (list, 2, 1, 6, 1, 1, 255);
  overlay_line (list, 2, 4, 6, 4, 2, 255);
  overlay_line (list, 2, 7, 6, 7, 1, 128);
  overlay_dashes (list, .5, 9, 8.5, 9, 1, 2, 3);
  overlay_outline (list, 0, 12, 9, 19, 0, 2);
  finish (kind, &c, list);
  check_row (&c, 0, 10, none);
  check_row (&c, 1, 10, thin);
  check_row (&c, 2, 10, none);
  check_row (&c, 3, 10, edge);
  check_row (&c, 4, 10, thick);
  check_row (&c, 5, 10, edge);
  check_row (&c, 7, 10, faint);
  check_row (&c, 9, 10, dash);
  check (at (&c, 0, 12, 0) == 255 && at (&c, 8, 18, 0) == 255);
  check_row (&c, 14, 10, side);
  check_row (&c, 16, 10, side);
  check_row (&c, 19, 10, none);
  canvas_free (&c);
}

/* Two crossing lines of one stroke are one shape: no pixel is blended twice. */
static void
test_stroke (DeviceKind kind)
{
  Canvas c = canvas_new (IMAGE_GRAY8, 9, 9, 0);
  OverlayList *list = list_for (&c);

  canvas_fill (&c, 0);
  overlay_stroke (list, (OverlayColour){255, 255, 255, 100});
  overlay_line (list, 1, 4, 7, 4, 1, 255);
  overlay_line (list, 4, 1, 4, 7, 1, 255);
  finish (kind, &c, list);
  check (at (&c, 4, 4, 0) == 100 && at (&c, 1, 4, 0) == 100);
  canvas_free (&c);
}

static void
test_glyph (DeviceKind kind)
{
  static const int upper[] = {0, 0, 255, 128, 0}, lower[] = {0, 0, 20, 30, 0};
  Canvas c = canvas_new (IMAGE_GRAY8, 5, 4, 1);
  OverlayList *list = list_for (&c);

  canvas_fill (&c, 0);
  overlay_stroke (list, (OverlayColour){255, 255, 255, 255});
  overlay_glyph (list, 2, 1, &(ImageBox){1, 0, 3, 2});
  finish (kind, &c, list);
  check_row (&c, 1, 5, upper);
  check_row (&c, 2, 5, lower);
  canvas_free (&c);
}

/* One pixel of four is covered: luma there is the colour's, and chroma goes a
 * quarter of the way to it.  In YUY2 two pixels share chroma: half the way. */
static void
test_chroma (DeviceKind kind)
{
  Yuv m = yuv_of (IMAGE_BT601, false);
  uint8_t rgb[3] = {200, 100, 50}, yuv[3];
  OverlayList *list;
  Canvas c = canvas_new (IMAGE_NV12, 4, 4, 2);
  const Image *i = &c.image;

  yuv_from_rgb (&m, rgb, yuv);
  list = list_for (&c);
  canvas_fill (&c, 100);
  overlay_stroke (list, red);
  overlay_fill (list, 2, 2, 3, 3, 0);
  finish (kind, &c, list);
  check (i->plane[0][2 * i->stride[0] + 2] == yuv[0]);
  check (i->plane[0][2 * i->stride[0] + 3] == 100);
  check (i->plane[1][i->stride[1] + 2] == (300 + yuv[1] + 2) / 4);
  check (i->plane[1][i->stride[1] + 3] == (300 + yuv[2] + 2) / 4);
  check (i->plane[1][i->stride[1]] == 100 && i->plane[1][2] == 100);
  canvas_free (&c);

  c = canvas_new (IMAGE_YUY2, 4, 4, 2);
  list = list_for (&c);
  canvas_fill (&c, 100);
  overlay_stroke (list, red);
  overlay_fill (list, 2, 2, 3, 3, 0);
  finish (kind, &c, list);
  check (i->plane[0][2 * i->stride[0] + 4] == yuv[0]);
  check (i->plane[0][2 * i->stride[0] + 6] == 100);
  check (i->plane[0][2 * i->stride[0] + 5] == (100 + yuv[1] + 1) / 2);
  check (i->plane[0][2 * i->stride[0] + 7] == (100 + yuv[2] + 1) / 2);
  canvas_free (&c);
}

/* Two numbers over four columns; the one that is invalid leaves the frame. */
static void
test_map (DeviceKind kind)
{
  static const uint16_t numbers[2] = {100, 300};
  Canvas c = canvas_new (IMAGE_RGB, 4, 2, 1), shown[3];
  OverlayMap map = {.pixels = numbers,
      .on_host = true,
      .width = 2,
      .height = 1,
      .stride = 4,
      .format = OVERLAY_U16,
      .scale = .5f,
      .invalid = NAN,
      .low = 50,
      .high = 150,
      .opacity = 255};

  canvas_fill (&c, 7);
  for (int i = 0; i < 3; i++) {
    OverlayList *list = list_for (&c);

    if (i == 1)
      map.low = map.high = 0; /* found: the same */
    if (i == 2)
      map.invalid = 300;
    shown[i] = canvas_copy (&c);
    ok (overlay_map (list, &map));
    finish (kind, &shown[i], list);
  }
  /* The ends of the ramp are an indigo and a red. */
  for (int x = 0; x < 2; x++) {
    check (at (&shown[0], x, 1, 2) > at (&shown[0], x, 1, 0) + 40);
    check (at (&shown[0], x + 2, 0, 0) > at (&shown[0], x + 2, 0, 2) + 100);
  }
  check (!memcmp (shown[0].bytes, shown[1].bytes, c.size));
  check (at (&shown[2], 1, 1, 2) == at (&shown[0], 1, 1, 2));
  check (at (&shown[2], 2, 0, 0) == 7 && at (&shown[2], 3, 1, 2) == 7);
  for (int i = 0; i < 3; i++)
    canvas_free (&shown[i]);
  canvas_free (&c);
}

/* A map of labels and overlay_colour_of () agree. */
static void
test_labels (DeviceKind kind)
{
  uint32_t names[64];
  Canvas c = canvas_new (IMAGE_RGBA, 64, 1, 0);
  OverlayList *list = list_for (&c);

  for (uint32_t i = 0; i < 64; i++)
    names[i] = i * i * i;
  canvas_fill (&c, 0);
  ok (overlay_map (list,
      &(OverlayMap){.pixels = names,
          .on_host = true,
          .width = 64,
          .height = 1,
          .stride = 256,
          .format = OVERLAY_U32,
          .labels = true,
          .invalid = 27,
          .opacity = 255}));
  finish (kind, &c, list);
  for (int i = 0; i < 64; i++) {
    OverlayColour o = overlay_colour_of (names[i]);

    check (at (&c, i, 0, 0) == (i == 3 ? 0 : o.r));
    check (at (&c, i, 0, 1) == (i == 3 ? 0 : o.g));
    check (at (&c, i, 0, 2) == (i == 3 ? 0 : o.b));
  }
  canvas_free (&c);
}

/* The image's opaque red half keeps its colour although a transparent blue
 * texel is next to it; the other half leaves the frame. */
static void
test_image (DeviceKind kind)
{
  Canvas c = canvas_new (IMAGE_RGB, 10, 6, 0);
  OverlayList *list = list_for (&c);

  canvas_fill (&c, 0);
  overlay_image (list, &(ImageBox){1, 1, 9, 5}, 255);
  finish (kind, &c, list);
  for (int y = 1; y < 5; y++) {
    check (at (&c, 1, y, 0) == 255 && at (&c, 2, y, 0) == 255);
    check (at (&c, 4, y, 0) > 100 && at (&c, 5, y, 0) < 155);
    check (at (&c, 8, y, 0) == 0 && at (&c, 0, y, 0) == 0);
    for (int x = 0; x < 10; x++)
      check (at (&c, x, y, 1) == 0 && at (&c, x, y, 2) == 0);
  }
  canvas_free (&c);
}
