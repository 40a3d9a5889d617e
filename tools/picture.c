/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "picture.h"

#include <png.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/file.h"

#define MAX_BYTES ((size_t) 256 << 20) /* of a file */
#define MAX_SIDE 8192                  /* pixels */

/* Memory that is freed after an error of libpng, which jumps back. */
typedef struct {
  int width, height;
  void *pixels;
  png_bytep *row;
} Picture;

/* Sets the form of rows, and checks the picture's form. */
static const char *
read_png_head (
    png_structp png, png_infop info, int bits, int channels, Picture *p)
{
  /* libpng makes room for texts and profiles as large as they say; leave them
   * out */
  png_set_keep_unknown_chunks (png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
  png_read_info (png, info);
  p->width = (int) png_get_image_width (png, info);
  p->height = (int) png_get_image_height (png, info);
  if (p->width > MAX_SIDE || p->height > MAX_SIDE)
    return "it has more than 8192 pixels a side";
  png_set_swap (png);
  if (channels == 3) {
    png_set_strip_alpha (png);
    png_set_expand (png);
    png_set_gray_to_rgb (png);
  }
  png_set_interlace_handling (png);
  png_read_update_info (png, info);
  return png_get_bit_depth (png, info) == bits &&
          png_get_channels (png, info) == channels
      ? NULL
      : "it is not as it must be: depth has 16 bits of grey, colour 8 bits";
}

static const char *
read_png_rows (
    png_structp png, png_infop info, int bits, int channels, Picture *p)
{
  const char *err;
  size_t row;

  if (setjmp (png_jmpbuf (png)))
    return "it is no whole PNG picture";
  err = read_png_head (png, info, bits, channels, p);
  if (err)
    return err;
  row = (size_t) p->width * (size_t) channels * (size_t) (bits / 8);
  p->pixels = malloc (row * (size_t) p->height);
  p->row = malloc ((size_t) p->height * sizeof *p->row);
  if (!p->pixels || !p->row)
    return "out of memory";
  for (int y = 0; y < p->height; y++)
    p->row[y] = (png_bytep) p->pixels + (size_t) y * row;
  png_read_image (png, p->row);
  png_read_end (png, NULL);
  return NULL;
}

const char *
picture_read (const char *path, int bits, int channels, int *width, int *height,
    void **pixels)
{
  char *bytes;
  size_t size;
  int why = file_read (path, MAX_BYTES, &bytes, &size);
  FILE *f = why || !size ? NULL : fmemopen (bytes, size, "rb");
  png_structp png =
      png_create_read_struct (PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png ? png_create_info_struct (png) : NULL;
  const char *err = why ? file_why (why)
      : !f              ? "it is no whole PNG picture"
      : !info           ? "out of memory"
                        : NULL;
  Picture p = {0, 0, NULL, NULL};

  if (!err) {
    png_init_io (png, f);
    err = read_png_rows (png, info, bits, channels, &p);
  }
  png_destroy_read_struct (&png, &info, NULL);
  if (f)
    fclose (f);
  free (bytes);
  free (p.row);
  if (err)
    free (p.pixels);
  *width = p.width;
  *height = p.height;
  *pixels = err ? NULL : p.pixels;
  return err;
}
