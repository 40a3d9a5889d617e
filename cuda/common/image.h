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
  int full_range; /* of YUV: 1 for 0..255, 0 for 16..235 and 16..240; no bool,
                     so that an Image has no padding and can be compared */
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

/* Where a row keeps its components: of pixel x the first at c0 + x * step0,
 * the others at c1 and c2 + (x >> shift) * step.  Grey has no c1 and c2. */
typedef struct {
  const uint8_t *c0, *c1, *c2;
  int step0, step, shift;
} ImageRow;

BOTH ImageRow
image_row (const Image *img, int y)
{
  const uint8_t *p = img->plane[0] + (ptrdiff_t) y * img->stride[0];
  const uint8_t *q = img->plane[1] + (ptrdiff_t) (y / 2) * img->stride[1];
  const uint8_t *r = img->plane[2] + (ptrdiff_t) (y / 2) * img->stride[2];
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
      row.c1 = q, row.c2 = q + 1, row.step = 2, row.shift = 1;
      break;
    case IMAGE_I420:
      row.c1 = q, row.c2 = r, row.shift = 1;
      break;
    case IMAGE_YUY2:
      row.c1 = p + 1, row.c2 = p + 3, row.step0 = 2, row.step = 4;
      row.shift = 1;
      break;
    case IMAGE_P010: /* the upper byte of each word */
      row.c0 = p + 1, row.c1 = q + 1, row.c2 = q + 3;
      row.step0 = 2, row.step = 4, row.shift = 1;
      break;
  }
  return row;
}

/* The components of pixel @x as they are stored, 8 bits each: R G B, or Y U V
 * (of 10 bits the upper 8), or the grey value (of 16 bits the upper 8) with
 * neutral U and V. */
BOTH void
image_row_read (const ImageRow *row, int x, uint8_t c[3])
{
  int at = (x >> row->shift) * row->step;

  c[0] = row->c0[x * row->step0];
  c[1] = row->c1 ? row->c1[at] : 128;
  c[2] = row->c2 ? row->c2[at] : 128;
}

BOTH void
image_read (const Image *img, int x, int y, uint8_t c[3])
{
  ImageRow row = image_row (img, y);

  image_row_read (&row, x, c);
}
