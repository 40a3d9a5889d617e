/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Text of one font size, which Pango renders once into an atlas: ASCII letter
 * by letter, any other text as a whole. */
#pragma once

#include <glib.h>

#include "overlay/overlay.h"

G_BEGIN_DECLS

typedef struct _GstVisionGlyphs GstVisionGlyphs;

/* @size: of the font, in pixels. */
GstVisionGlyphs *gst_vision_glyphs_new (gint size);
void gst_vision_glyphs_free (GstVisionGlyphs *self);

gint gst_vision_glyphs_size (const GstVisionGlyphs *self);
/* Pixels above the baseline that capitals and figures need. */
gint gst_vision_glyphs_rise (const GstVisionGlyphs *self);
/* Pixels below the baseline that tails of letters need. */
gint gst_vision_glyphs_fall (const GstVisionGlyphs *self);

/* Between two frames: forgets all texts if they are too many. */
void gst_vision_glyphs_tidy (GstVisionGlyphs *self);

/* The width of @text, as it is drawn. */
gint gst_vision_glyphs_width (GstVisionGlyphs *self, const gchar *text);
/* Adds the text to the newest stroke, its pen at (@x, @baseline). */
void gst_vision_glyphs_draw (GstVisionGlyphs *self, OverlayList *list, gint x,
    gint baseline, const gchar *text);

/* Gives the atlas to @overlay if it has changed since the call before. */
const char *gst_vision_glyphs_upload (GstVisionGlyphs *self, Overlay *overlay);

G_END_DECLS
