/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A colour learned from a region: the middle nine tenths of its pixels in each
 * axis of Lab, and a margin.  Lightness gets the wider one, because it changes
 * first when the object moves. */
#include <math.h>
#include <stdlib.h>

#include "moct/moct_colour.h"

#define MAX_SAMPLES (1 << 16)
#define TAIL 20 /* one in so many pixels is left out at either end */

static const float margin[3] = {12, 6, 6};
static const float least[3] = {0, -128, -128};
static const float most[3] = {100, 127, 127};

static int
compare (const void *p, const void *q)
{
  float a = *(const float *) p, b = *(const float *) q;

  return (a > b) - (a < b);
}

/* The rows of the region, in host memory that the caller frees. */
static const char *
fetch (const Device *dev, const Image *frame, const ImageBox *in, Image *rows,
    uint8_t **memory)
{
  int y0 = in->y0 & ~1, height = in->y1 - y0;
  size_t offset[3], size = 0;

  *rows = *frame;
  rows->height = height;
  for (int p = 0; p < image_planes (frame->format); p++) {
    offset[p] = size;
    rows->stride[p] = image_row_bytes (frame->format, frame->width, p);
    size += (size_t) rows->stride[p] * image_rows (frame->format, height, p);
  }
  if (!(*memory = malloc (size)))
    return "out of memory";
  for (int p = 0; p < image_planes (frame->format); p++) {
    int n = image_rows (frame->format, height, p);
    int first = p ? y0 / 2 : y0;

    rows->plane[p] = *memory + offset[p];
    TRY (device_copy_rows (dev, rows->plane[p], rows->stride[p],
        frame->plane[p] + (size_t) first * frame->stride[p], frame->stride[p],
        rows->stride[p], n));
  }
  return device_wait (dev);
}

/* Points of at most MAX_SAMPLES pixels, evenly spread; axis after axis. */
static int
sample (const Image *rows, const MoctEncoding *encoding, const ImageBox *in,
    float *points)
{
  int w = in->x1 - in->x0, h = in->y1 - in->y0, n = 0;
  int step = 1;

  while ((w / step + 1) * (h / step + 1) > MAX_SAMPLES)
    step++;
  for (int y = 0; y < h; y += step)
    for (int x = 0; x < w; x += step, n++) {
      uint8_t c[3];
      float p[3];

      image_read (rows, in->x0 + x, (in->y0 & 1) + y, c);
      moct_point (encoding, MOCT_LAB, c, p);
      for (int i = 0; i < 3; i++)
        points[i * MAX_SAMPLES + n] = p[i];
    }
  return n;
}

static void
set_box (MoctColour *colour, float *points, int n)
{
  colour->space = MOCT_LAB;
  for (int i = 0; i < 3; i++) {
    float *axis = points + (size_t) i * MAX_SAMPLES;

    qsort (axis, n, sizeof *axis, compare);
    colour->lo[i] = fmaxf (least[i], floorf (axis[n / TAIL] - margin[i]));
    colour->hi[i] = fminf (most[i], ceilf (axis[n - 1 - n / TAIL] + margin[i]));
  }
}

const char *
moct_learn_from (
    const Device *dev, const Image *frame, ImageBox in, MoctColour *colour)
{
  MoctEncoding encoding = moct_encoding (frame);
  uint8_t *memory = NULL;
  float *points;
  const char *err;
  Image rows;

  in.x0 = in.x0 < 0 ? 0 : in.x0;
  in.y0 = in.y0 < 0 ? 0 : in.y0;
  in.x1 = in.x1 > frame->width ? frame->width : in.x1;
  in.y1 = in.y1 > frame->height ? frame->height : in.y1;
  if (in.x0 >= in.x1 || in.y0 >= in.y1)
    return "the region to learn from lies outside the frame";
  if (!(points = malloc (3 * MAX_SAMPLES * sizeof *points)))
    return "out of memory";
  err = fetch (dev, frame, &in, &rows, &memory);
  if (!err)
    set_box (colour, points, sample (&rows, &encoding, &in, points));
  free (memory);
  free (points);
  return err;
}
