/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The left frame in colour, as it is and as a rig shows it. */
#pragma once

#include "common/yuv.h"
#include "pocstereo_rig.h"

#define PICTURE_GUARD 0x5a

/* Rows of @stride bytes with one before and one behind; free it. */
static inline uint8_t *
picture_of (
    DeviceKind kind, const Canvas *c, const PocstereoView *view, int stride)
{
  size_t bytes = (size_t) stride * (c->image.height + 2);
  uint8_t *picture = malloc (bytes);
  void *memory, *out;
  PocstereoRectify *r;
  Device dev;

  memset (picture, PICTURE_GUARD, bytes);
  ok (device_open (&dev, kind, NULL));
  Image image = canvas_upload (c, &dev, &memory);
  ok (device_alloc (&dev, &out, bytes));
  ok (device_copy (&dev, out, picture, bytes));
  ok (pocstereo_rectify_new (&r, &dev, image.width, image.height));
  ok (pocstereo_rectify_set (r, view, view));
  ok (pocstereo_rectify_picture (r, &image, (uint8_t *) out + stride, stride));
  check (pocstereo_rectify_picture (r, &image, out, 4 * image.width - 1));
  ok (device_copy (&dev, picture, out, bytes));
  ok (device_wait (&dev));
  pocstereo_rectify_free (r);
  device_release (&dev, memory);
  device_release (&dev, out);
  device_close (&dev);
  for (int i = 0; i < stride; i++)
    check (
        picture[i] == PICTURE_GUARD && picture[bytes - 1 - i] == PICTURE_GUARD);
  return picture;
}

/* What pixel (x, y) of the frame looks like. */
static inline void
colour_of (const Image *img, int x, int y, uint8_t rgb[3])
{
  Yuv m = yuv_of (img->matrix, img->full_range);
  uint8_t c[3];

  image_read (img, x, y, c);
  if (image_is_yuv (img->format))
    yuv_to_rgb (&m, c, rgb);
  else if (img->format == IMAGE_GRAY8 || img->format == IMAGE_GRAY16)
    rgb[0] = rgb[1] = rgb[2] = c[0];
  else
    memcpy (rgb, c, 3);
}

/* Of every format: as it is, and moved by whole pixels, with black where
 * nothing came from. */
static inline void
test_picture (DeviceKind kind)
{
  enum { W = 37, H = 22 };

  for (int i = 0; i < 2 * CANVAS_FORMATS; i++) {
    int moved = i % 2 ? 5 : 0, stride = 4 * W + (int) rnd (9);
    Canvas c = canvas_new (canvas_formats[i / 2], W, H, (int) rnd (20));
    PocstereoView v = view_plain (W, H, 30);
    uint8_t *p;

    canvas_fill (&c, -1);
    v.p[2] += moved;
    v.p[6] -= moved;
    p = picture_of (kind, &c, moved ? &v : NULL, stride);
    for (int y = 0; y < H; y++)
      for (int x = 0; x < W; x++) {
        const uint8_t *at = p + (size_t) (y + 1) * stride + 4 * x;
        uint8_t rgb[3] = {0, 0, 0};

        if (x >= moved && y + moved < H)
          colour_of (&c.image, x - moved, y + moved, rgb);
        check (!memcmp (at, rgb, 3) && at[3] == 255);
      }
    check (canvas_guarded (&c));
    free (p);
    canvas_free (&c);
  }
}

/* Between pixels: halfway is the mean. */
static inline void
test_picture_between (DeviceKind kind)
{
  enum { W = 24, H = 16 };
  Canvas c = canvas_new (IMAGE_RGB, W, H, 0);
  PocstereoView v = view_plain (W, H, 30);
  uint8_t *p;

  canvas_fill (&c, -1);
  v.p[2] += .5;
  p = picture_of (kind, &c, &v, 4 * W);
  for (int y = 0; y < H; y++)
    for (int x = 1; x < W; x++)
      for (int k = 0; k < 3; k++) {
        const uint8_t *row = c.image.plane[0] + y * c.image.stride[0];

        check_near (p[(y + 1) * 4 * W + 4 * x + k],
            (row[3 * x + k] + row[3 * x - 3 + k]) / 2., .51);
      }
  free (p);
  canvas_free (&c);
}

static inline void
test_picture_parity (DeviceKind kind)
{
  (void) kind;
  for (int round = 0; round < 40; round++) {
    int w = 1 + (int) rnd (200), h = 1 + (int) rnd (100);
    int stride = 4 * w + (int) rnd (9);
    PocstereoView view = view_random (w, h);
    Canvas c = canvas_new (
        canvas_formats[round % CANVAS_FORMATS], w, h, (int) rnd (20));
    uint8_t *a, *b;

    canvas_fill (&c, -1);
    a = picture_of (DEVICE_CPU, &c, round % 3 ? &view : NULL, stride);
    b = picture_of (DEVICE_CUDA, &c, round % 3 ? &view : NULL, stride);
    check (!memcmp (a, b, (size_t) stride * (h + 2)));
    free (a);
    free (b);
    canvas_free (&c);
  }
}
