/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A PNG file as R G B A. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  gint width, height;
  guint8 *rgba; /* alpha not multiplied in */
} GstVisionPicture;

/* NULL, or why the file cannot be read. */
const gchar *gst_vision_picture_load (
    GstVisionPicture *self, const gchar *location);
void gst_vision_picture_clear (GstVisionPicture *self);

G_END_DECLS
