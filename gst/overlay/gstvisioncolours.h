/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The colours of names, in overlays and in maps of labels. */
#pragma once

#include <glib.h>

#include "overlay/overlay.h"

G_BEGIN_DECLS

#define GST_VISION_COLOURS 16

/* The names that the colours were given to; NULL: the colour is free. */
typedef struct {
  gchar *names[GST_VISION_COLOURS];
} GstVisionColours;

void gst_vision_colours_clear (GstVisionColours *self);

/* The colour of a name, the same in each call: the colour that is called so,
 * else one of GST_VISION_COLOURS colours. */
OverlayColour gst_vision_colours_of (GstVisionColours *self, const gchar *name);

/* The colours of @names, which are separated by semicolons; returns their
 * number. */
guint gst_vision_colours_of_names (GstVisionColours *self, const gchar *names,
    OverlayColour colours[OVERLAY_COLOURS]);

G_END_DECLS
