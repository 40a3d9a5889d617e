/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A frame of any format with padded rows and guard bytes around its planes, in
 * host memory, and its way to a device and back. */
#pragma once

#include "check.h"
#include "common/image.h"

#define CANVAS_GUARD 0xa5
#define CANVAS_MARGIN 64

typedef struct {
  Image image;
  uint8_t *bytes;
  size_t size;
} Canvas;

static const ImageFormat canvas_formats[] = {IMAGE_GRAY8, IMAGE_GRAY16,
    IMAGE_RGB, IMAGE_BGR, IMAGE_RGBA, IMAGE_BGRA, IMAGE_NV12, IMAGE_I420,
    IMAGE_YUY2, IMAGE_P010};
#define CANVAS_FORMATS 10

/* Rows are @padding bytes longer than they need be. */
static inline Canvas
canvas_new (ImageFormat format, int width, int height, int padding)
{
  Canvas c = {.image = {.width = width, .height = height, .format = format}};
  size_t at[3] = {0};

  c.size = CANVAS_MARGIN;
  for (int p = 0; p < image_planes (format); p++) {
    c.image.stride[p] = image_row_bytes (format, width, p) + padding;
    at[p] = c.size;
    c.size += (size_t) c.image.stride[p] * image_rows (format, height, p) +
        CANVAS_MARGIN;
  }
  c.bytes = malloc (c.size);
  memset (c.bytes, CANVAS_GUARD, c.size);
  for (int p = 0; p < image_planes (format); p++)
    c.image.plane[p] = c.bytes + at[p];
  return c;
}

static inline void
canvas_free (Canvas *c)
{
  free (c->bytes);
}

static inline Canvas
canvas_copy (const Canvas *from)
{
  Canvas c = *from;

  c.bytes = malloc (c.size);
  memcpy (c.bytes, from->bytes, c.size);
  for (int p = 0; p < image_planes (c.image.format); p++)
    c.image.plane[p] = c.bytes + (from->image.plane[p] - from->bytes);
  return c;
}

/* Every byte of the rows is @value; random where it is negative.  P010 keeps
 * its lower bits 0. */
static inline void
canvas_fill (Canvas *c, int value)
{
  const Image *m = &c->image;

  for (int p = 0; p < image_planes (m->format); p++)
    for (int y = 0; y < image_rows (m->format, m->height, p); y++)
      for (int x = 0; x < image_row_bytes (m->format, m->width, p); x++) {
        uint8_t *at = m->plane[p] + (size_t) y * m->stride[p] + x;

        *at = (uint8_t) (value < 0 ? rnd (256) : (uint32_t) value);
        if (m->format == IMAGE_P010 && x % 2 == 0)
          *at &= 0xc0;
      }
}

/* Guard bytes and padding are as they were made. */
static inline bool
canvas_guarded (const Canvas *c)
{
  Canvas blank = canvas_copy (c);
  bool good = true;

  for (int p = 0; p < image_planes (c->image.format); p++)
    for (int y = 0; y < image_rows (c->image.format, c->image.height, p); y++)
      memset (blank.image.plane[p] + (size_t) y * c->image.stride[p],
          CANVAS_GUARD, image_row_bytes (c->image.format, c->image.width, p));
  for (size_t i = 0; i < c->size; i++)
    good = good && blank.bytes[i] == CANVAS_GUARD;
  canvas_free (&blank);
  return good;
}

/* Memory of the device that holds the whole canvas, guard bytes too. */
static inline Image
canvas_upload (const Canvas *c, const Device *dev, void **memory)
{
  Image there = c->image;

  ok (device_alloc (dev, memory, c->size));
  ok (device_copy (dev, *memory, c->bytes, c->size));
  for (int p = 0; p < image_planes (there.format); p++)
    there.plane[p] = (uint8_t *) *memory + (c->image.plane[p] - c->bytes);
  return there;
}

static inline void
canvas_download (Canvas *c, const Device *dev, void *memory)
{
  ok (device_copy (dev, c->bytes, memory, c->size));
  ok (device_wait (dev));
  device_release (dev, memory);
}
