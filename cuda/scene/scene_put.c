/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An RGB picture, stored in each of the layouts. */
#include "scene/scene.h"

#include "common/yuv.h"

static void
put_packed (const Image *img, const uint8_t *rgb, int y)
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
put_luma (const Image *img, const Yuv *m, const uint8_t *rgb, int y)
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
block_mean (const uint8_t *rgb, size_t row, int w, int h, uint8_t mean[3])
{
  for (int c = 0; c < 3; c++) {
    int sum = rgb[c] + (w > 1 ? rgb[c + 3] : rgb[c]);

    rgb += h > 1 ? row : 0;
    sum += rgb[c] + (w > 1 ? rgb[c + 3] : rgb[c]);
    rgb -= h > 1 ? row : 0;
    mean[c] = (uint8_t) ((sum + 2) / 4);
  }
}

/* The chroma of @rows rows from @y on. */
static void
put_chroma (const Image *img, const Yuv *m, const uint8_t *rgb, int y, int rows)
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
    block_mean (rgb, row, img->width - x, rows, mean);
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
      put_packed (img, p, y + i);
      continue;
    }
    put_luma (img, &m, p, y + i);
    if (!quarter)
      put_chroma (img, &m, p, y + i, 1);
  }
  if (quarter)
    put_chroma (img, &m, rgb + (size_t) y * img->width * 3, y, rows);
}
