/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions of all synthetic scenes: noise, grain, moments, and storing a
 * picture. */
#include "scene/scene.h"

#include <math.h>

#include "common/random.h"
#include "common/yuv.h"

void
scene_make_noise (double sigma, int16_t table[SCENE_NOISE])
{
  const int half = SCENE_NOISE / 2;

  for (int i = 0; i < half; i++) {
    double lo = 0, hi = 5;

    for (int k = 0; k < 24; k++) {
      double z = (lo + hi) / 2;

      if (erf (z * M_SQRT1_2) < (i + .5) / half)
        lo = z;
      else
        hi = z;
    }
    table[half + i] = (int16_t) (lo * sigma * 16 + .5);
    table[half - 1 - i] = (int16_t) -table[half + i];
  }
}

/* The grain is smooth between the corners of the cells, without a kink at their
 * sides. */
void
scene_add_grain (
    float *row, int width, int y, uint64_t key, int size, float weight)
{
  uint64_t above = (uint64_t) (y / size) << 32;
  uint64_t below = (uint64_t) (y / size + 1) << 32;
  float v = (float) (y % size) / size;
  float left = 0, right = 0; /* of this row, at the cell's left and right
                                side */

  v = v * v * (3 - 2 * v);
  for (int x = 0; x < width; x++) {
    float u = (float) (x % size) / size;

    if (x % size == 0) {
      uint64_t cell = (uint64_t) (x / size) + 1;

      if (x == 0)
        right =
            random_unit (key, above) * (1 - v) + random_unit (key, below) * v;
      left = right;
      right = random_unit (key, above + cell) * (1 - v) +
          random_unit (key, below + cell) * v;
    }
    row[x] += weight * (left + (right - left) * u * u * (3 - 2 * u) - .5f);
  }
}

typedef struct {
  uint64_t n, x, y, xx, xy, yy;
} Sums;

/* Sums relative to the corner of @b, so that the sums of squares of any frame
 * stay far below 2^64. */
static Sums
count_label (const uint16_t *labels, int width, ImageBox b, uint16_t label,
    ImageBox *box)
{
  Sums s = {0};

  *box = (ImageBox){b.x1, b.y1, b.x0, b.y0};
  for (int y = b.y0; y < b.y1; y++)
    for (int x = b.x0; x < b.x1; x++)
      if (labels[(size_t) y * width + x] == label) {
        uint64_t u = x - b.x0, v = y - b.y0;

        s.n++, s.x += u, s.y += v;
        s.xx += u * u, s.xy += u * v, s.yy += v * v;
        box->x0 = x < box->x0 ? x : box->x0;
        box->x1 = x >= box->x1 ? x + 1 : box->x1;
        box->y0 = y < box->y0 ? y : box->y0;
        box->y1 = y + 1;
      }
  return s;
}

void
scene_measure (SceneObject *object, const uint16_t *labels, int width,
    ImageBox bounds, uint16_t label)
{
  const double square = 1. / 12; /* the second moment of a single pixel */
  Sums s = count_label (labels, width, bounds, label, &object->box);
  double n = s.n, mx = s.x / n, my = s.y / n;
  double xx = s.xx / n - mx * mx + square, xy = s.xy / n - mx * my;
  double yy = s.yy / n - my * my + square;
  double mean = (xx + yy) / 2, spread = hypot ((xx - yy) / 2, xy);

  object->area = s.n;
  object->cx = object->cy = object->orientation = object->elongation = NAN;
  if (!s.n) {
    object->box = (ImageBox){0};
    return;
  }
  object->cx = bounds.x0 + mx;
  object->cy = bounds.y0 + my;
  object->orientation = atan2 (2 * xy, xx - yy) / 2;
  if (object->orientation <= -M_PI_2)
    object->orientation = M_PI_2;
  object->elongation = sqrt ((mean + spread) / (mean - spread));
}

/* ---- Storing an RGB picture in each of the layouts ---- */

static void
put_packed_row (const Image *img, const uint8_t *rgb, int y)
{
  bool swap = img->format == IMAGE_BGR || img->format == IMAGE_BGRA;
  int bytes = img->format == IMAGE_RGB || img->format == IMAGE_BGR ? 3 : 4;
  uint8_t *p = img->plane[0] + (ptrdiff_t) y * img->stride[0];

  for (int x = 0; x < img->width; x++, p += bytes, rgb += 3) {
    p[0] = rgb[swap ? 2 : 0], p[1] = rgb[1], p[2] = rgb[swap ? 0 : 2];
    if (bytes == 4)
      p[3] = 255;
  }
}

static void
put_luma_row (const Image *img, const Yuv *m, const uint8_t *rgb, int y)
{
  bool yuy2 = img->format == IMAGE_YUY2, p010 = img->format == IMAGE_P010;
  bool words = p010 || img->format == IMAGE_GRAY16; /* little endian */
  uint8_t *p = img->plane[0] + (ptrdiff_t) y * img->stride[0], yuv[3];

  for (int x = 0; x < img->width; x++, rgb += 3) {
    yuv_from_rgb (m, rgb, yuv);
    if (words)
      *p++ = p010 ? 0 : yuv[0];
    *p = yuv[0];
    p += yuy2 ? 2 : 1;
  }
  if (yuy2 && img->width % 2)
    *p = p[-2];
}

/* The mean colour of the up to two by two pixels right of and below @rgb. */
static void
mean_of_block (const uint8_t *rgb, size_t row, int w, int h, uint8_t mean[3])
{
  for (int c = 0; c < 3; c++) {
    int sum = rgb[c] + (w > 1 ? rgb[c + 3] : rgb[c]);

    rgb += h > 1 ? row : 0;
    sum += rgb[c] + (w > 1 ? rgb[c + 3] : rgb[c]);
    rgb -= h > 1 ? row : 0;
    mean[c] = (uint8_t) ((sum + 2) / 4);
  }
}

/* Stores the chroma of @rows rows from @y on. */
static void
put_chroma_row (
    const Image *img, const Yuv *m, const uint8_t *rgb, int y, int rows)
{
  size_t row = (size_t) img->width * 3;
  uint8_t *u = NULL, *v = NULL, yuv[3], mean[3];
  int step = 0;

  switch (img->format) {
    case IMAGE_NV12:
      u = img->plane[1] + (ptrdiff_t) (y / 2) * img->stride[1];
      v = u + 1, step = 2;
      break;
    case IMAGE_P010:
      u = img->plane[1] + (ptrdiff_t) (y / 2) * img->stride[1] + 1;
      v = u + 2, step = 4;
      break;
    case IMAGE_I420:
      u = img->plane[1] + (ptrdiff_t) (y / 2) * img->stride[1];
      v = img->plane[2] + (ptrdiff_t) (y / 2) * img->stride[2];
      step = 1;
      break;
    case IMAGE_YUY2:
      u = img->plane[0] + (ptrdiff_t) y * img->stride[0] + 1;
      v = u + 2, step = 4;
      break;
    default:
      return;
  }
  for (int x = 0; x < img->width; x += 2, u += step, v += step, rgb += 6) {
    mean_of_block (rgb, row, img->width - x, rows, mean);
    yuv_from_rgb (m, mean, yuv);
    u[0] = yuv[1], v[0] = yuv[2];
    if (img->format == IMAGE_P010)
      u[-1] = v[-1] = 0;
  }
}

void
scene_put_rows (const Image *img, const uint8_t *rgb, int y)
{
  bool grey = img->format == IMAGE_GRAY8 || img->format == IMAGE_GRAY16;
  bool quarter = image_is_yuv (img->format) && img->format != IMAGE_YUY2;
  Yuv m = yuv_of (img->matrix, img->full_range || grey);
  int rows = img->height - y > 1 ? 2 : 1;
  const uint8_t *p = rgb + (size_t) y * img->width * 3;

  for (int i = 0; i < rows; i++, p += (size_t) img->width * 3) {
    if (!grey && !image_is_yuv (img->format)) {
      put_packed_row (img, p, y + i);
      continue;
    }
    put_luma_row (img, &m, p, y + i);
    if (!quarter)
      put_chroma_row (img, &m, p, y + i, 1);
  }
  if (quarter)
    put_chroma_row (img, &m, rgb + (size_t) y * img->width * 3, y, rows);
}
