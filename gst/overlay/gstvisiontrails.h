/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where objects have been in the last frames, drawn as lines that fade. */
#pragma once

#include "meta/gstvisionmeta.h"
#include "overlay/overlay.h"

G_BEGIN_DECLS

typedef struct _GstVisionTrails GstVisionTrails;

GstVisionTrails *gst_vision_trails_new (void);
void gst_vision_trails_free (GstVisionTrails *self);
void gst_vision_trails_clear (GstVisionTrails *self);

/* Adds where @object is now, in a frame of @ref_width times @ref_height; a
 * trajectory of more than two points that it brings with it takes the place of
 * what is remembered. */
void gst_vision_trails_add (GstVisionTrails *self,
    const GstVisionObject *object, guint ref_width, guint ref_height,
    OverlayColour colour);

/* Draws all trails, of up to @length points and @line pixels wide, into a
 * frame.  Ends the frame: trails that got no point since the last call are
 * shortened until nothing is left. */
void gst_vision_trails_draw (GstVisionTrails *self, OverlayList *list,
    gint width, gint height, gdouble line, guint length);

G_END_DECLS
