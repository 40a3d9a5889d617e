/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Drawings that are wrong, and draws in quick succession. */
#pragma once

#include "overlay_draw.h"

/* Frame after frame is queued without waiting: every list is drawn. */
static void
test_flight (DeviceKind kind)
{
  Canvas c = canvas_new (IMAGE_GRAY8, 64, 40, 0);
  OverlayList *list = list_for (&c);
  Device dev;
  Overlay *o = NULL;
  void *memory;
  Image there;

  canvas_fill (&c, 0);
  ok (device_open (&dev, kind, NULL));
  there = canvas_upload (&c, &dev, &memory);
  ok (overlay_new (&o, &dev));
  for (int i = 0; i < 40; i++) {
    overlay_list_clear (list, 64, 40);
    for (int n = 0; n < 1 + 100 * (i / 10); n++) { /* and the block grows */
      overlay_stroke (list, (OverlayColour){200, 200, 200, 255});
      overlay_fill (list, i, i, i + 1, i + 1, 0);
    }
    ok (overlay_draw (o, &there, list));
  }
  canvas_download (&c, &dev, memory);
  overlay_free (o);
  device_close (&dev);
  overlay_list_free (list);
  for (int y = 0; y < 40; y++)
    for (int x = 0; x < 64; x++)
      check (at (&c, x, y, 0) == (x == y ? 200 : 0));
  canvas_free (&c);
}

static const double nonsense[] = {
    NAN, INFINITY, -INFINITY, 1e300, -1e300, 1e9, -1e9, 0, 5.5};
#define NONSENSE (sizeof nonsense / sizeof *nonsense)

/* Any of these may come in a result; none may crash, or write outside. */
static void
test_nonsense (DeviceKind kind)
{
  Canvas c = canvas_new (IMAGE_NV12, 33, 21, 7);

  for (int i = 0; i < 100; i++) {
    OverlayList *list = list_for (&c);

    canvas_fill (&c, 50);
    overlay_stroke (list, red);
    for (int n = 0; n < 40; n++) {
      double v[6];

      for (int k = 0; k < 6; k++)
        v[k] = nonsense[rnd (NONSENSE)];
      overlay_line (list, v[0], v[1], v[2], v[3], v[4], v[5] > 0 ? 300 : -9);
      overlay_dashes (list, v[0], v[1], v[2], v[3], v[4], v[5], v[0]);
      overlay_fill (list, v[0], v[1], v[2], v[3], v[4]);
      overlay_outline (list, v[0], v[1], v[2], v[3], v[4], v[5]);
    }
    overlay_image (list, &(ImageBox){INT32_MIN, -9, INT32_MAX, 9}, 999);
    overlay_image (list, &(ImageBox){5, 5, 5, 5}, 255);
    finish (kind, &c, list);
  }
  canvas_free (&c);
}

/* A box beyond all bounds is the frame; a box of no size is nothing. */
static void
test_tiny (DeviceKind kind)
{
  for (int f = 0; f < CANVAS_FORMATS; f++)
    for (int enormous = 0; enormous < 2; enormous++) {
      Canvas c = canvas_new (canvas_formats[f], 1, 1, 3), before;
      OverlayList *list = list_for (&c);
      double far = enormous ? 1e12 : 0;

      canvas_fill (&c, 50);
      before = canvas_copy (&c);
      overlay_stroke (list, red);
      overlay_fill (list, -far, -far, far, far, 0);
      finish (kind, &c, list);
      check (!memcmp (c.bytes, before.bytes, c.size) == !enormous);
      canvas_free (&c);
      canvas_free (&before);
    }
}

static void
test_errors (DeviceKind kind)
{
  static const float number[2];
  Canvas c = canvas_new (IMAGE_RGB, 8, 8, 0);
  OverlayList *list = list_for (&c);
  OverlayMap map = {.pixels = number,
      .on_host = true,
      .width = 1,
      .height = 1,
      .stride = 4,
      .format = OVERLAY_F32};

  canvas_fill (&c, 50);
  overlay_stroke (list, red);
  overlay_glyph (list, 0, 0, &(ImageBox){3, 0, 5, 2});
  check (draw (kind, &c, list) != NULL); /* the atlas is 4 wide */
  overlay_list_clear (list, 8, 9);
  overlay_stroke (list, red);
  overlay_fill (list, 0, 0, 9, 9, 0);
  check (draw (kind, &c, list) != NULL); /* another size */
  check (at (&c, 0, 0, 0) == 50);

  overlay_list_clear (list, 8, 8);
  map.stride = 3;
  check (overlay_map (list, &map) != NULL);
  map.stride = 6;
  check (overlay_map (list, &map) != NULL);
  map.stride = 4, map.width = 0;
  check (overlay_map (list, &map) != NULL);
  map.width = 1, map.pixels = NULL;
  check (overlay_map (list, &map) != NULL);
  check (draw (kind, &c, list) == NULL);
  check (at (&c, 0, 0, 0) == 50);
  overlay_list_free (list);
  canvas_free (&c);
}

/* A device whose calls work only so many times. */
static const DeviceOps *working;
static int calls_left;

static const char *
alloc_or_fail (const Device *dev, void **p, size_t bytes)
{
  *p = NULL;
  return calls_left-- > 0 ? working->alloc (dev, p, bytes) : "out of memory";
}

static const char *
alloc_pinned_or_fail (const Device *dev, void **p, size_t bytes)
{
  *p = NULL;
  return calls_left-- > 0 ? working->alloc_pinned (dev, p, bytes)
                          : "out of memory";
}

static const char *
copy_or_fail (const Device *dev, void *dst, const void *src, size_t bytes)
{
  return calls_left-- > 0 ? working->copy (dev, dst, src, bytes) : "lost";
}

static const char *
copy_rows_or_fail (const Device *dev, void *dst, size_t dst_stride,
    const void *src, size_t src_stride, size_t row_bytes, size_t rows)
{
  return calls_left-- > 0 ? working->copy_rows (dev, dst, dst_stride, src,
                                src_stride, row_bytes, rows)
                          : "lost";
}

static const char *
use (
    const Device *dev, Overlay **o, const Image *frame, const OverlayList *list)
{
  static const uint8_t image[4] = {0, 255, 0, 255};

  TRY (overlay_new (o, dev));
  TRY (overlay_set_atlas (*o, atlas, 4, 2, 4));
  TRY (overlay_set_image (*o, image, 1, 1, 4));
  return overlay_draw (*o, frame, list);
}

/* Whichever call fails, the error comes back and nothing is left behind. */
static void
test_failing_device (DeviceKind kind)
{
  static const uint16_t number = 7;
  Canvas c = canvas_new (IMAGE_NV12, 40, 30, 0);
  OverlayList *list = list_for (&c);
  OverlayMap map = {.pixels = &number,
      .on_host = true,
      .width = 1,
      .height = 1,
      .stride = 2,
      .format = OVERLAY_U16,
      .invalid = NAN};
  const char *err = "";

  canvas_fill (&c, 90);
  overlay_image (list, &(ImageBox){2, 2, 9, 9}, 255);
  ok (overlay_map (list, &map));
  for (int n = 0; err; n++) {
    Overlay *o = NULL;
    DeviceOps ops;
    Device dev;
    Image there;
    void *memory;

    ok (device_open (&dev, kind, NULL));
    there = canvas_upload (&c, &dev, &memory);
    working = dev.ops;
    ops = *working;
    ops.alloc = alloc_or_fail;
    ops.alloc_pinned = alloc_pinned_or_fail;
    ops.copy = copy_or_fail;
    ops.copy_rows = copy_rows_or_fail;
    dev.ops = &ops;
    calls_left = n;
    err = use (&dev, &o, &there, list);
    check (n < 30 && (err != NULL) == (n < 13));
    overlay_free (o);
    dev.ops = working;
    device_release (&dev, memory);
    device_close (&dev);
  }
  overlay_list_free (list);
  canvas_free (&c);
}
