/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/gstvisionmouse.h"

#include <math.h>

#define CLICK 3
/* The frame's edge is somewhere before. */
#define MAX_POSITION 65535

/* GStreamer must not be asked for the button of what has none. */
static gboolean
is_button (GstEvent *event)
{
  GstNavigationEventType type = GST_EVENT_TYPE (event) == GST_EVENT_NAVIGATION
      ? gst_navigation_event_get_type (event)
      : GST_NAVIGATION_EVENT_INVALID;

  return type == GST_NAVIGATION_EVENT_MOUSE_BUTTON_PRESS ||
      type == GST_NAVIGATION_EVENT_MOUSE_BUTTON_RELEASE;
}

static gint
whole (gdouble v)
{
  return isfinite (v) ? (gint) CLAMP (v, 0, MAX_POSITION) : 0;
}

gboolean
gst_vision_mouse_take (
    GstVisionMouse *self, GstEvent *event, GstVideoRectangle *box)
{
  gint button, x0, y0, x1, y1;
  gdouble x, y;

  if (!is_button (event) ||
      !gst_navigation_event_parse_mouse_button_event (event, &button, &x, &y) ||
      button != 1)
    return FALSE;
  if (gst_navigation_event_get_type (event) ==
      GST_NAVIGATION_EVENT_MOUSE_BUTTON_PRESS) {
    *self = (GstVisionMouse){TRUE, x, y};
    return FALSE;
  }
  if (!self->is_down)
    return FALSE;
  self->is_down = FALSE;
  x0 = whole (MIN (x, self->x));
  y0 = whole (MIN (y, self->y));
  x1 = whole (MAX (x, self->x));
  y1 = whole (MAX (y, self->y));
  *box = (GstVideoRectangle){x0, y0, x1 - x0, y1 - y0};
  if (box->w < CLICK && box->h < CLICK)
    box->w = box->h = 0;
  return TRUE;
}

void
gst_vision_mouse_widen (GstVideoRectangle *box, gint side)
{
  if (box->w || box->h)
    return;
  box->x = MAX (0, box->x - side / 2);
  box->y = MAX (0, box->y - side / 2);
  box->w = box->h = side;
}
