/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a user points at in the window of a sink, which tells it by navigation
 * events; elements that scale or crop correct the positions on the way. */
#pragma once

#include <gst/video/video.h>

G_BEGIN_DECLS

typedef struct {
  gboolean is_down;
  gdouble x, y; /* where the first button went down */
} GstVisionMouse;

/* Takes an event that came upstream.  TRUE if it says that the first button was
 * released; @box is then what the user drew, in pixels of the frame.  The size
 * of a click, which moves by less than three pixels, is 0. */
gboolean gst_vision_mouse_take (
    GstVisionMouse *self, GstEvent *event, GstVideoRectangle *box);

/* A click becomes a square with @side pixels around it. */
void gst_vision_mouse_widen (GstVideoRectangle *box, gint side);

G_END_DECLS
