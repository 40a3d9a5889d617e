/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The colours of names, in overlays and in maps of labels. */
#pragma once

#include <glib.h>

#include "overlay/overlay.h"

G_BEGIN_DECLS

#define GST_VISION_COLOURS 16

/* Whose colours these are; all 0 at the beginning. */
typedef struct {
  gchar *names[GST_VISION_COLOURS];
} GstVisionColours;

void gst_vision_colours_clear (GstVisionColours *self);

/* Always the same for a name: its own where it is the name of a colour, else
 * one of GST_VISION_COLOURS. */
OverlayColour gst_vision_colours_of (GstVisionColours *self, const gchar *name);

/* Those of @names, which semicolons set apart; returns how many. */
guint gst_vision_colours_of_names (GstVisionColours *self, const gchar *names,
    OverlayColour colours[OVERLAY_COLOURS]);

G_END_DECLS
