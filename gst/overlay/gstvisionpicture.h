/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A PNG file as R G B A. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  gint width, height;
  guint8 *rgba; /* colours are not multiplied by alpha */
} GstVisionPicture;

/* Reads the file; returns why it cannot, or NULL. */
const gchar *gst_vision_picture_load (
    GstVisionPicture *self, const gchar *location);
void gst_vision_picture_clear (GstVisionPicture *self);

G_END_DECLS
