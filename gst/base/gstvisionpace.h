/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether an element keeps up with the clock: sinks that wait for it tell, by
 * QoS events, when frames come too late. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Under the element's object lock. */
typedef struct {
  guint late;       /* events in a row */
  guint64 n;        /* frames that had been processed at the first of them */
  GstClockTime sum; /* of the time that these took */
  gboolean told;
} GstVisionPace;

/* Takes what @event of @src says, where it is a QoS event.  @n frames took the
 * time @sum so far.  The time a frame takes, where that is longer than frames
 * are apart, they are late and this was not returned before; else 0. */
GstClockTime gst_vision_pace_take (GstVisionPace *self, GstEvent *event,
    GstPad *src, guint64 n, GstClockTime sum, GstClockTime *apart);

G_END_DECLS
