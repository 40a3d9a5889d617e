/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "overlay/gstvisionpicture.h"

#include <cairo.h>

/* From cairo's pixels, which have alpha multiplied in. */
static void
convert (
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
  cairo_surface_t *surface = cairo_image_surface_create_from_png (location);
  cairo_status_t status = cairo_surface_status (surface);
  cairo_format_t format = cairo_image_surface_get_format (surface);
  const gchar *err = NULL;

  *self = (GstVisionPicture){0};
  if (status == CAIRO_STATUS_FILE_NOT_FOUND ||
      status == CAIRO_STATUS_READ_ERROR)
    err = cairo_status_to_string (status);
  else if (status) /* of any other file, cairo 1.16 says that memory is out */
    err = "it is no PNG file, damaged or too large";
  else if (format != CAIRO_FORMAT_ARGB32 && format != CAIRO_FORMAT_RGB24)
    err = "its pixels have more than 8 bits";
  if (!err) {
    self->width = cairo_image_surface_get_width (surface);
    self->height = cairo_image_surface_get_height (surface);
    self->rgba = g_malloc ((gsize) self->width * self->height * 4);
    convert (self, cairo_image_surface_get_data (surface),
        cairo_image_surface_get_stride (surface),
        format == CAIRO_FORMAT_ARGB32);
  }
  cairo_surface_destroy (surface);
  return err;
}

void
gst_vision_picture_clear (GstVisionPicture *self)
{
  g_free (self->rgba);
  *self = (GstVisionPicture){0};
}
