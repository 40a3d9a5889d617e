/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Grey pictures of 8 or 16 bits. */
#pragma once

#include <png.h>

#include "check.h"

static inline bool
png_load (FILE *file, png_structp reader, png_infop info)
{
  if (!file || setjmp (png_jmpbuf (reader)))
    return false;
  png_init_io (reader, file);
  png_read_png (reader, info, PNG_TRANSFORM_SWAP_ENDIAN, NULL);
  return true;
}

static inline uint16_t *
png_values (png_structp reader, png_infop info, int width, int height)
{
  uint16_t *values = malloc ((size_t) width * height * sizeof *values);
  bool wide = png_get_bit_depth (reader, info) == 16;

  for (int i = 0; i < width * height; i++) {
    const void *row = png_get_rows (reader, info)[i / width];

    values[i] = wide ? ((const uint16_t *) row)[i % width]
                     : ((const uint8_t *) row)[i % width];
  }
  return values;
}

/* The values of the picture at @path, rows of @width; NULL, and a failed check,
 * without a picture of that name and size. */
static inline uint16_t *
png_read (const char *path, int width, int height)
{
  png_structp reader =
      png_create_read_struct (PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png_create_info_struct (reader);
  FILE *file = fopen (path, "rb");
  uint16_t *values = NULL;

  if (png_load (file, reader, info) &&
      (int) png_get_image_width (reader, info) == width &&
      (int) png_get_image_height (reader, info) == height &&
      png_get_color_type (reader, info) == PNG_COLOR_TYPE_GRAY)
    values = png_values (reader, info, width, height);
  check (values != NULL);
  png_destroy_read_struct (&reader, &info, NULL);
  if (file)
    fclose (file);
  return values;
}
