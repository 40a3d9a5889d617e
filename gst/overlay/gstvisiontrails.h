/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where objects have been in the last seconds, drawn as lines that fade. */
#pragma once

#include "meta/gstvisionmeta.h"
#include "overlay/overlay.h"

G_BEGIN_DECLS

typedef struct _GstVisionTrails GstVisionTrails;

GstVisionTrails *gst_vision_trails_new (void);
void gst_vision_trails_free (GstVisionTrails *self);
void gst_vision_trails_clear (GstVisionTrails *self);

/* A frame begins, at @time; GST_CLOCK_TIME_NONE: one that has no time.  What is
 * older than @reach seconds is forgotten, as is all where time runs back. */
void gst_vision_trails_begin (
    GstVisionTrails *self, GstClockTime time, gdouble reach);

/* Adds where @object is now, in a frame of @ref_width times @ref_height.  Where
 * it is new, a trajectory that it brings is where it was. */
void gst_vision_trails_add (GstVisionTrails *self,
    const GstVisionObject *object, guint ref_width, guint ref_height,
    OverlayColour colour);

/* Draws all trails, @line pixels wide, into a frame. */
void gst_vision_trails_draw (GstVisionTrails *self, OverlayList *list,
    gint width, gint height, gdouble line);

G_END_DECLS
