/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "overlay/gstvisionpicture.h"

#include <cairo.h>
#include <gst/gst.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "overlay/overlay.h"

#define MAX_BYTES (128 << 20)
#define WIDTH 16 /* offsets of the size in a PNG file (PNG, 11.2.1) */
#define HEIGHT 20
#define SIGNATURE 8 /* bytes before the first chunk */
#define CHUNK 12    /* of a chunk besides its data: length, kind, checksum */

/* The unread bytes of a file. */
typedef struct {
  const gchar *bytes;
  gsize left;
} Rest;

static cairo_status_t
read_rest (void *closure, unsigned char *to, unsigned int n)
{
  Rest *rest = closure;

  if (n > rest->left)
    return CAIRO_STATUS_READ_ERROR;
  memcpy (to, rest->bytes, n);
  rest->bytes += n;
  rest->left -= n;
  return CAIRO_STATUS_SUCCESS;
}

/* Whether all chunks of a PNG file end within the file.  libpng must not see
 * other files: it clears as much memory as the length of a text or a profile
 * says, before it finds that the file is shorter. */
static gboolean
is_whole_png (const gchar *bytes, gsize n)
{
  gsize at = SIGNATURE;

  while (at + CHUNK <= n) {
    guint32 length; /* at any address */

    memcpy (&length, bytes + at, sizeof length);
    length = GUINT32_FROM_BE (length);
    if (length > n - at - CHUNK)
      return FALSE;
    if (!memcmp (bytes + at + 4, "IEND", 4))
      return TRUE;
    at += length + CHUNK;
  }
  return FALSE;
}

static cairo_surface_t *
decode_picture (const gchar *bytes, gsize n)
{
  Rest rest = {bytes, n};

  if (!is_whole_png (bytes, n) || n < HEIGHT + 4 ||
      GST_READ_UINT32_BE (bytes + WIDTH) > OVERLAY_MAX_TEXELS ||
      GST_READ_UINT32_BE (bytes + HEIGHT) > OVERLAY_MAX_TEXELS)
    return NULL;
  return cairo_image_surface_create_from_png_stream (read_rest, &rest);
}

/* Converts cairo's pixels, whose colours are multiplied by alpha. */
static void
unmultiply_alpha (
    GstVisionPicture *self, const guint8 *argb, gint stride, gboolean has_alpha)
{
  guint8 *out = self->rgba;

  for (gint y = 0; y < self->height; y++)
    for (gint x = 0; x < self->width; x++, out += 4) {
      guint32 p = ((const guint32 *) (argb + (gsize) y * stride))[x];
      guint a = has_alpha ? p >> 24 : 255;

      for (gint c = 0; c < 3; c++) {
        guint v = p >> (16 - 8 * c) & 255;

        out[c] = a ? MIN (255, (v * 255 + a / 2) / a) : 0;
      }
      out[3] = a;
    }
}

const gchar *
gst_vision_picture_load (GstVisionPicture *self, const gchar *location)
{
  const gchar *err = NULL;
  cairo_surface_t *surface;
  cairo_format_t format;
  gchar *bytes;
  gsize n;
  int why = file_read (location, MAX_BYTES, &bytes, &n);

  *self = (GstVisionPicture){0};
  if (why)
    return file_why (why);
  surface = decode_picture (bytes, n);
  free (bytes);
  format =
      surface ? cairo_image_surface_get_format (surface) : CAIRO_FORMAT_INVALID;
  /* for a file that is no PNG, cairo 1.16 says "out of memory" */
  if (!surface || cairo_surface_status (surface))
    err = "it is no PNG file, damaged or too large";
  else if (format != CAIRO_FORMAT_ARGB32 && format != CAIRO_FORMAT_RGB24)
    err = "its pixels have more than 8 bits";
  if (!err) {
    self->width = cairo_image_surface_get_width (surface);
    self->height = cairo_image_surface_get_height (surface);
    self->rgba = g_malloc ((gsize) self->width * self->height * 4);
    unmultiply_alpha (self, cairo_image_surface_get_data (surface),
        cairo_image_surface_get_stride (surface),
        format == CAIRO_FORMAT_ARGB32);
  }
  if (surface)
    cairo_surface_destroy (surface);
  return err;
}

void
gst_vision_picture_clear (GstVisionPicture *self)
{
  g_free (self->rgba);
  *self = (GstVisionPicture){0};
}
