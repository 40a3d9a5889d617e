/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A view of a frame that somebody else owns, in any of the layouts the suite
 * reads, in host or in device memory.
 *
 * Coordinates: x right, y down, the centre of the first pixel at (0, 0).
 * Boxes are half-open: x0 <= x < x1. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/both.h"

typedef enum {
  IMAGE_GRAY8,  /* one plane, 1 byte */
  IMAGE_GRAY16, /* one plane, 2 bytes, little endian */
  IMAGE_RGB,    /* one plane, 3 bytes: R, G, B */
  IMAGE_BGR,
  IMAGE_RGBA, /* one plane, 4 bytes: R, G, B, any (RGBA or RGBx) */
  IMAGE_BGRA,
  IMAGE_NV12, /* Y, then interleaved U V at half size */
  IMAGE_I420, /* Y, U, V; U and V at half size */
  IMAGE_YUY2, /* one plane: Y0 U Y1 V for two pixels */
  IMAGE_P010, /* as NV12 with 16-bit words, the value in the upper 10 bits */
} ImageFormat;

typedef enum { IMAGE_BT601, IMAGE_BT709, IMAGE_BT2020 } ImageMatrix;

typedef struct {
  uint8_t *plane[3];
  int stride[3];     /* bytes from one row of the plane to the next */
  int width, height; /* pixels */
  ImageFormat format;
  ImageMatrix matrix; /* of YUV formats */
  bool full_range;    /* YUV: 0..255 rather than 16..235 and 16..240 */
} Image;

/* Where a pixel box is: half-open. */
typedef struct {
  int x0, y0, x1, y1;
} ImageBox;

BOTH bool
image_is_yuv (ImageFormat f)
{
  return f >= IMAGE_NV12;
}

BOTH int
image_planes (ImageFormat f)
{
  return f == IMAGE_I420 ? 3 : f == IMAGE_NV12 || f == IMAGE_P010 ? 2 : 1;
}

/* Bytes that row after row of plane @p holds, padding left out. */
BOTH int
image_row_bytes (ImageFormat f, int width, int p)
{
  int half = (width + 1) / 2;

  switch (f) {
    case IMAGE_GRAY8:
      return width;
    case IMAGE_GRAY16:
      return 2 * width;
    case IMAGE_RGB:
    case IMAGE_BGR:
      return 3 * width;
    case IMAGE_RGBA:
    case IMAGE_BGRA:
      return 4 * width;
    case IMAGE_NV12:
      return p ? 2 * half : width;
    case IMAGE_I420:
      return p ? half : width;
    case IMAGE_YUY2:
      return 4 * half;
    case IMAGE_P010:
      return p ? 4 * half : 2 * width;
  }
  return 0;
}

BOTH int
image_rows (ImageFormat f, int height, int p)
{
  return p && image_planes (f) > 1 ? (height + 1) / 2 : height;
}

/* The components of pixel (@x, @y) as they are stored, 8 bits each: R G B, or
 * Y U V (of 10 bits the upper 8), or the grey value with neutral U and V (of
 * 16 bits the upper 8). */
BOTH void
image_read (const Image *img, int x, int y, uint8_t c[3])
{
  const uint8_t *row = img->plane[0] + (size_t) y * img->stride[0];
  const uint8_t *p;

  switch (img->format) {
    case IMAGE_GRAY8:
      c[0] = row[x], c[1] = c[2] = 128;
      return;
    case IMAGE_GRAY16:
      c[0] = row[2 * x + 1], c[1] = c[2] = 128;
      return;
    case IMAGE_RGB:
      c[0] = row[3 * x], c[1] = row[3 * x + 1], c[2] = row[3 * x + 2];
      return;
    case IMAGE_BGR:
      c[2] = row[3 * x], c[1] = row[3 * x + 1], c[0] = row[3 * x + 2];
      return;
    case IMAGE_RGBA:
      c[0] = row[4 * x], c[1] = row[4 * x + 1], c[2] = row[4 * x + 2];
      return;
    case IMAGE_BGRA:
      c[2] = row[4 * x], c[1] = row[4 * x + 1], c[0] = row[4 * x + 2];
      return;
    case IMAGE_NV12:
      p = img->plane[1] + (size_t) (y / 2) * img->stride[1] + x / 2 * 2;
      c[0] = row[x], c[1] = p[0], c[2] = p[1];
      return;
    case IMAGE_I420:
      c[0] = row[x];
      c[1] = img->plane[1][(size_t) (y / 2) * img->stride[1] + x / 2];
      c[2] = img->plane[2][(size_t) (y / 2) * img->stride[2] + x / 2];
      return;
    case IMAGE_YUY2:
      p = row + x / 2 * 4;
      c[0] = row[2 * x], c[1] = p[1], c[2] = p[3];
      return;
    case IMAGE_P010:
      p = img->plane[1] + (size_t) (y / 2) * img->stride[1] + x / 2 * 4;
      c[0] = row[2 * x + 1], c[1] = p[1], c[2] = p[3];
      return;
  }
}
