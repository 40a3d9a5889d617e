/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A view of a frame that somebody else owns, in one of the layouts that the
 * suite reads, in memory of the host or of the device.
 *
 * Coordinates: x points to the right and y down; the centre of the first pixel
 * is at (0, 0).  Boxes are half-open: x0 <= x < x1. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/both.h"

typedef enum {
  IMAGE_GRAY8,  /* one plane, 1 byte per pixel */
  IMAGE_GRAY16, /* one plane, 2 bytes per pixel, little endian */
  IMAGE_RGB,    /* one plane, 3 bytes per pixel: R, G, B */
  IMAGE_BGR,    /* B, G, R */
  IMAGE_RGBA, /* one plane, 4 bytes per pixel: R, G, B and alpha or any byte */
  IMAGE_BGRA, /* B, G, R and alpha or any byte */
  IMAGE_NV12, /* a plane of Y, and one of U and V in turn, at half size */
  IMAGE_I420, /* planes of Y, U and V; U and V at half size */
  IMAGE_YUY2, /* one plane: Y0, U, Y1, V for two pixels */
  IMAGE_P010, /* as NV12, of 16-bit words whose upper 10 bits are the value */
} ImageFormat;

/* The matrix between RGB and YUV, by ITU-R BT.601-7, BT.709-6 or BT.2020-2. */
typedef enum { IMAGE_BT601, IMAGE_BT709, IMAGE_BT2020 } ImageMatrix;

typedef struct {
  uint8_t *plane[3]; /* first row of each plane, see image_planes () */
  int stride[3];     /* bytes from one row of the plane to the next */
  int width, height; /* pixels, at least 1 */
  ImageFormat format;
  ImageMatrix matrix; /* of YUV formats */
  int full_range; /* of YUV formats, 1: components are 0..255; 0: Y is 16..235,
                     U and V are 16..240.  As an int it leaves no padding, so
                     that memcmp () compares two Images */
} Image;

/* A box of pixels, half-open: x0 <= x < x1, y0 <= y < y1. */
typedef struct {
  int x0, y0, x1, y1;
} ImageBox;

/* Whether pixels are Y, U and V. */
BOTH bool
image_is_yuv (ImageFormat f)
{
  return f >= IMAGE_NV12;
}

/* The number of planes, 1 to 3. */
BOTH int
image_planes (ImageFormat f)
{
  return f == IMAGE_I420 ? 3 : f == IMAGE_NV12 || f == IMAGE_P010 ? 2 : 1;
}

/* The bytes of a row of plane @p, without padding. */
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

/* The number of rows of plane @p. */
BOTH int
image_rows (ImageFormat f, int height, int p)
{
  return p && image_planes (f) > 1 ? (height + 1) / 2 : height;
}

/* The addresses of the components of a row.  Pixel x has its first component at
 * c0 + x * step0, the others at c1 and c2 + (x >> shift) * step.  In grey, c1
 * and c2 are NULL. */
typedef struct {
  const uint8_t *c0, *c1, *c2;
  int step0, step, shift;
} ImageRow;

/* Row @y of plane @p, which the format must have: a plane that it lacks may be
 * NULL, and NULL has no rows. */
BOTH const uint8_t *
image_plane_row (const Image *img, int p, int y)
{
  return img->plane[p] + (ptrdiff_t) y * img->stride[p];
}

/* Row @y, 0 to height - 1.  Its components are the upper bytes if the format
 * has 16-bit words. */
BOTH ImageRow
image_row (const Image *img, int y)
{
  const uint8_t *p = image_plane_row (img, 0, y);
  ImageRow row = {p, p, p, 1, 1, 0};

  switch (img->format) {
    case IMAGE_GRAY8:
      row.c1 = row.c2 = NULL;
      break;
    case IMAGE_GRAY16: /* the upper byte */
      row.c0 = p + 1, row.c1 = row.c2 = NULL, row.step0 = 2;
      break;
    case IMAGE_RGB:
      row.c1 = p + 1, row.c2 = p + 2, row.step0 = row.step = 3;
      break;
    case IMAGE_BGR:
      row.c0 = p + 2, row.c1 = p + 1, row.step0 = row.step = 3;
      break;
    case IMAGE_RGBA:
      row.c1 = p + 1, row.c2 = p + 2, row.step0 = row.step = 4;
      break;
    case IMAGE_BGRA:
      row.c0 = p + 2, row.c1 = p + 1, row.step0 = row.step = 4;
      break;
    case IMAGE_NV12:
      row.c1 = image_plane_row (img, 1, y / 2), row.c2 = row.c1 + 1;
      row.step = 2, row.shift = 1;
      break;
    case IMAGE_I420:
      row.c1 = image_plane_row (img, 1, y / 2);
      row.c2 = image_plane_row (img, 2, y / 2), row.shift = 1;
      break;
    case IMAGE_YUY2:
      row.c1 = p + 1, row.c2 = p + 3, row.step0 = 2, row.step = 4;
      row.shift = 1;
      break;
    case IMAGE_P010: /* the upper byte of each word */
      row.c0 = p + 1;
      row.c1 = image_plane_row (img, 1, y / 2) + 1, row.c2 = row.c1 + 2;
      row.step0 = 2, row.step = 4, row.shift = 1;
      break;
  }
  return row;
}

/* Sets @c to the components of pixel @x, the upper 8 bits of each: R, G, B; or
 * Y, U, V; or the grey value with 128 for U and V. */
BOTH void
image_row_read (const ImageRow *row, int x, uint8_t c[3])
{
  int at = (x >> row->shift) * row->step;

  c[0] = row->c0[x * row->step0];
  c[1] = row->c1 ? row->c1[at] : 128;
  c[2] = row->c2 ? row->c2[at] : 128;
}

/* Sets @c to the components of the pixel at (@x, @y) of @img, as image_row_read
 * () does. */
BOTH void
image_read (const Image *img, int x, int y, uint8_t c[3])
{
  ImageRow row = image_row (img, y);

  image_row_read (&row, x, c);
}
