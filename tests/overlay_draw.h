/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the overlay's tests share: a list, and its drawing on a device. */
#pragma once

#include "canvas.h"

#include <math.h>

#include "common/yuv.h"
#include "overlay/overlay.h"

static const OverlayColour red = {200, 100, 50, 255},
                           half = {200, 100, 50, 128};

static const uint8_t atlas[4 * 2] = {0, 255, 128, 64, 10, 20, 30, 40};

/* Draws @list into @c on a device. */
static const char *
draw (DeviceKind kind, Canvas *c, const OverlayList *list)
{
  /* An opaque texel, a transparent one. */
  static const uint8_t image[8] = {255, 0, 0, 255, 0, 0, 255, 0};
  Device dev;
  Overlay *o = NULL;
  void *memory;
  Image there;
  const char *err;

  ok (device_open (&dev, kind, NULL));
  there = canvas_upload (c, &dev, &memory);
  ok (overlay_new (&o, &dev));
  ok (overlay_set_atlas (o, atlas, 4, 2, 4));
  ok (overlay_set_image (o, image, 2, 1, 8));
  err = overlay_draw (o, &there, list);
  canvas_download (c, &dev, memory);
  overlay_free (o);
  device_close (&dev);
  check (canvas_guarded (c));
  return err;
}

static OverlayList *
list_for (const Canvas *c)
{
  OverlayList *list = NULL;

  ok (overlay_list_new (&list));
  overlay_list_clear (list, c->image.width, c->image.height);
  return list;
}

/* Sample @i of pixel (@x, @y) of a format with one plane of bytes. */
static int
at (const Canvas *c, int x, int y, int i)
{
  int step = image_row_bytes (c->image.format, 1, 0);

  return c->image.plane[0][(size_t) y * c->image.stride[0] + x * step + i];
}

static void
finish (DeviceKind kind, Canvas *c, OverlayList *list)
{
  ok (draw (kind, c, list));
  overlay_list_free (list);
}
