/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Trails: the positions of objects in the last seconds, as lines that fade. */
#pragma once

#include "meta/gstvisionmeta.h"
#include "overlay/overlay.h"

G_BEGIN_DECLS

typedef struct _GstVisionTrails GstVisionTrails;

GstVisionTrails *gst_vision_trails_new (void);
void gst_vision_trails_free (GstVisionTrails *self);
void gst_vision_trails_clear (GstVisionTrails *self);

/* Begins a frame, at @time; GST_CLOCK_TIME_NONE: the frame has no time. Forgets
 * points that are older than @reach seconds, and all points if time runs back.
 */
void gst_vision_trails_begin (
    GstVisionTrails *self, GstClockTime time, gdouble reach);

/* Adds the position of @object, in a frame of @ref_width times @ref_height.  If
 * the object is new, its trajectory is added, too. */
void gst_vision_trails_add (GstVisionTrails *self,
    const GstVisionObject *object, guint ref_width, guint ref_height,
    OverlayColour colour);

/* Draws all trails, @line pixels wide, into a frame. */
void gst_vision_trails_draw (GstVisionTrails *self, OverlayList *list,
    gint width, gint height, gdouble line);

G_END_DECLS
