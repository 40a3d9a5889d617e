/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PNG pictures: those that a fuzzer needs beside its input, and inputs whose
 * checksums are made right, without which nothing behind them is reached. */
#pragma once

#include <png.h>
#include <zlib.h>

#include "fuzz.h"

#define FUZZ_SIGNATURE 8 /* bytes before the first chunk of a PNG file */
#define FUZZ_CHUNK 12    /* of a chunk, besides its data */

/* Writes the input as file @name, the checksum of each chunk made right. */
static inline const char *
fuzz_png_file (const char *name, const uint8_t *data, size_t size)
{
  uint8_t *copy = (uint8_t *) fuzz_text (data, size);
  const char *path;

  for (size_t at = FUZZ_SIGNATURE; at + FUZZ_CHUNK <= size;) {
    size_t n = (size_t) copy[at] << 24 | (size_t) copy[at + 1] << 16 |
        (size_t) copy[at + 2] << 8 | copy[at + 3];
    uint32_t sum;

    if (n > size - at - FUZZ_CHUNK)
      break;
    sum = (uint32_t) crc32 (0, copy + at + 4, (unsigned) n + 4);
    for (int i = 0; i < 4; i++)
      copy[at + 8 + n + (size_t) i] = (uint8_t) (sum >> (24 - 8 * i));
    at += n + FUZZ_CHUNK;
  }
  path = fuzz_file (name, copy, size);
  free (copy);
  return path;
}

/* Writes a picture of 12 x 10 pixels as file @name: grey of 16 bits, a slope
 * around 1000, or colours of 8 bits. */
static inline void
fuzz_png_write (const char *name, bool grey)
{
  FILE *f = fopen (fuzz_path (name), "wb");
  png_structp png =
      png_create_write_struct (PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png_create_info_struct (png);

  REQUIRE (f && png && info);
  png_init_io (png, f);
  png_set_IHDR (png, info, 12, 10, grey ? 16 : 8,
      grey ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
      PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info (png, info);
  for (int y = 0; y < 10; y++) {
    uint8_t row[36];

    for (int x = 0; x < 12; x++) {
      int depth = 1000 + x + 2 * y;

      if (grey) {
        row[2 * x] = (uint8_t) (depth >> 8);
        row[2 * x + 1] = (uint8_t) depth;
      } else {
        row[3 * x] = (uint8_t) (20 * x);
        row[3 * x + 1] = (uint8_t) (25 * y);
        row[3 * x + 2] = 128;
      }
    }
    png_write_row (png, row);
  }
  png_write_end (png, info);
  png_destroy_write_struct (&png, &info);
  REQUIRE (!fclose (f));
}
