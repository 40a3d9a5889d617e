/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Frames for algorithm tests: any format, any size, rows padded, guard bytes
 * before, between and behind planes, on any device. */
#pragma once

#include "check.h"
#include "common/image.h"
#include "common/yuv.h"

#define GUARD 64
#define GUARD_BYTE 0xa5

static const ImageFormat all_formats[]
    __attribute__ ((unused)) = {IMAGE_GRAY8, IMAGE_GRAY16, IMAGE_RGB, IMAGE_BGR,
        IMAGE_RGBA, IMAGE_BGRA, IMAGE_NV12, IMAGE_I420, IMAGE_YUY2, IMAGE_P010};
#define N_FORMATS (int) (sizeof all_formats / sizeof *all_formats)

typedef struct {
  Image image; /* in host memory */
  uint8_t *memory;
  size_t bytes;
} Frame;

/* @align: rows start at multiples of it, as a vector loader may want. */
static inline Frame __attribute__ ((unused))
frame_new (ImageFormat format, int width, int height, int padding, int align)
{
  Frame f = {.image = {.width = width, .height = height, .format = format}};
  size_t offset[3] = {0};

  f.bytes = GUARD;
  for (int p = 0; p < image_planes (format); p++) {
    int stride = image_row_bytes (format, width, p) + padding;

    f.image.stride[p] = (stride + align - 1) / align * align;
    f.bytes = (f.bytes + align - 1) / align * align;
    offset[p] = f.bytes;
    f.bytes +=
        (size_t) f.image.stride[p] * image_rows (format, height, p) + GUARD;
  }
  f.bytes = (f.bytes + 63) / 64 * 64;
  f.memory = aligned_alloc (64, f.bytes);
  memset (f.memory, GUARD_BYTE, f.bytes);
  for (int p = 0; p < image_planes (format); p++)
    f.image.plane[p] = f.memory + offset[p];
  return f;
}

static inline void __attribute__ ((unused)) frame_free (Frame *f)
{
  free (f->memory);
}

AUTO_FREE (Frame, frame_free)

/* Whether all rows of two images of one format and size have the same bytes. */
static inline bool __attribute__ ((unused))
images_are_alike (const Image *a, const Image *b)
{
  for (int p = 0; p < image_planes (a->format); p++)
    for (int y = 0; y < image_rows (a->format, a->height, p); y++)
      if (memcmp (a->plane[p] + (size_t) y * a->stride[p],
              b->plane[p] + (size_t) y * b->stride[p],
              (size_t) image_row_bytes (a->format, a->width, p)))
        return false;
  return true;
}

/* Sets the bytes of every row, padding left alone. */
static inline void __attribute__ ((unused)) frame_randomise (Frame *f)
{
  const Image *img = &f->image;

  for (int p = 0; p < image_planes (img->format); p++)
    for (int y = 0; y < image_rows (img->format, img->height, p); y++)
      for (int i = 0; i < image_row_bytes (img->format, img->width, p); i++)
        img->plane[p][(size_t) y * img->stride[p] + i] = (uint8_t) rnd (256);
}

/* Every byte of the rows is @value; random where it is negative.  P010 keeps
 * its lower bits 0. */
static inline void __attribute__ ((unused))
frame_fill_rows (Frame *f, int value)
{
  const Image *m = &f->image;

  for (int p = 0; p < image_planes (m->format); p++)
    for (int y = 0; y < image_rows (m->format, m->height, p); y++)
      for (int x = 0; x < image_row_bytes (m->format, m->width, p); x++) {
        uint8_t *at = m->plane[p] + (size_t) y * m->stride[p] + x;

        *at = (uint8_t) (value < 0 ? rnd (256) : (uint32_t) value);
        if (m->format == IMAGE_P010 && x % 2 == 0)
          *at &= 0xc0;
      }
}

static inline Frame __attribute__ ((unused)) frame_copy (const Frame *from)
{
  Frame f = *from;

  f.memory = aligned_alloc (64, f.bytes);
  memcpy (f.memory, from->memory, f.bytes);
  for (int p = 0; p < image_planes (f.image.format); p++)
    f.image.plane[p] = f.memory + (from->image.plane[p] - from->memory);
  return f;
}

/* Whether the guards and the padding of every row are as they were made. */
static inline bool __attribute__ ((unused)) frame_is_unharmed (const Frame *f)
{
  AUTO (Frame) blank = frame_copy (f);
  const Image *img = &blank.image;
  bool good = true;

  for (int p = 0; p < image_planes (img->format); p++)
    for (int y = 0; y < image_rows (img->format, img->height, p); y++)
      memset (img->plane[p] + (size_t) y * img->stride[p], GUARD_BYTE,
          image_row_bytes (img->format, img->width, p));
  for (size_t i = 0; i < blank.bytes; i++)
    good = good && blank.memory[i] == GUARD_BYTE;
  return good;
}

/* Sets one pixel, and in subsampled formats the chroma it shares. */
static inline void __attribute__ ((unused))
frame_set (Frame *f, int x, int y, const uint8_t rgb[3])
{
  const Image *img = &f->image;
  Yuv m = yuv_of (img->matrix, img->full_range);
  ImageRow row = image_row (img, y);
  uint8_t c[3] = {rgb[0], rgb[1], rgb[2]};
  int at = (x >> row.shift) * row.step;

  if (image_is_yuv (img->format) || !row.c1)
    yuv_from_rgb (&m, rgb, c);
  ((uint8_t *) row.c0)[x * row.step0] = c[0];
  if (row.c1) {
    ((uint8_t *) row.c1)[at] = c[1];
    ((uint8_t *) row.c2)[at] = c[2];
  }
}

static inline void __attribute__ ((unused))
frame_fill (Frame *f, ImageBox box, const uint8_t rgb[3])
{
  for (int y = box.y0; y < box.y1; y++)
    for (int x = box.x0; x < box.x1; x++)
      frame_set (f, x, y, rgb);
}

/* The frame where @dev can reach it; its memory goes to @memory. */
static inline Image __attribute__ ((unused))
frame_to_device (const Frame *f, const Device *dev, void **memory)
{
  Image there = f->image;

  ok (device_alloc (dev, memory, f->bytes));
  ok (device_copy (dev, *memory, f->memory, f->bytes));
  ok (device_wait (dev));
  for (int p = 0; p < image_planes (there.format); p++)
    there.plane[p] = (uint8_t *) *memory + (f->image.plane[p] - f->memory);
  return there;
}

/* The frame as it is now in that @memory, which is freed. */
static inline void __attribute__ ((unused))
frame_from_device (Frame *f, const Device *dev, void *memory)
{
  ok (device_copy (dev, f->memory, memory, f->bytes));
  ok (device_wait (dev));
  device_release (dev, memory);
}
