/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The frames of an input that a GstAggregator holds until they are paired.  It
 * drops them in silence where it stops, and at the end those that lie behind an
 * event; and of frames whose times do not go on it would hold any number. */
#pragma once

#include <gst/base/gstaggregator.h>

G_BEGIN_DECLS

/* Of one input. */
typedef struct {
  gint n;              /* atomic: clip () has the pad's lock */
  GstClockTime newest; /* of the thread that brings frames */
} GstVisionWaiting;

/* @buffer comes; FALSE where it is no frame but a gap.  One whose time does not
 * go on waits here for room, but not while @over (atomic) or where @pad
 * flushes. */
gboolean gst_vision_waiting_add (
    GstVisionWaiting *self, GstPad *pad, GstBuffer *buffer, const gint *over);
/* A frame was refused, or taken. */
void gst_vision_waiting_remove (GstVisionWaiting *self);
/* How many there were: from here on there are none. */
guint gst_vision_waiting_clear (GstVisionWaiting *self);

G_END_DECLS
