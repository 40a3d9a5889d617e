/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pixels of frames of every format.  Each plane is an allocation of its own,
 * and a plane that the format lacks is NULL. */
#include "common/image.h"
#include "fuzz.h"

#define HEAD 4 /* bytes: format, width, height, padding */
#define MAX_SIDE 32

static void
make_planes (Image *img, const uint8_t *data, size_t size, int padding)
{
  for (int p = 0; p < image_planes (img->format); p++) {
    int row = image_row_bytes (img->format, img->width, p);
    int rows = image_rows (img->format, img->height, p);
    size_t bytes = (size_t) (row + padding) * (rows - 1) + row;

    img->stride[p] = row + padding;
    img->plane[p] = malloc (bytes);
    REQUIRE (img->plane[p]);
    for (size_t i = 0; i < bytes; i++)
      img->plane[p][i] = data[(i + (size_t) p) % size];
  }
}

static void
fuzz (const uint8_t *data, size_t size)
{
  Image img = {0};

  if (size <= HEAD)
    return;
  img.format = (ImageFormat) (data[0] % (IMAGE_P010 + 1));
  img.width = 1 + data[1] % MAX_SIDE;
  img.height = 1 + data[2] % MAX_SIDE;
  make_planes (&img, data + HEAD, size - HEAD, 2 * (data[3] % 8));
  for (int y = 0; y < img.height; y++)
    for (int x = 0; x < img.width; x++) {
      uint8_t c[3];

      image_read (&img, x, y, c);
      if (img.format <= IMAGE_GRAY16)
        REQUIRE (c[1] == 128 && c[2] == 128);
      else if (img.format == IMAGE_I420)
        REQUIRE (c[2] == img.plane[2][y / 2 * img.stride[2] + x / 2]);
    }
  for (int p = 0; p < 3; p++)
    free (img.plane[p]);
}
