/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/gstvisionpace.h"

/* So many late frames in a row are no hiccup, and of the times of so many the
 * mean is taken. */
#define LATE 10
#define LEAST 5

/* Time from frame to frame by the caps; 0: they do not say. */
static GstClockTime
find_apart (GstPad *src)
{
  GstCaps *caps = gst_pad_get_current_caps (src);
  gint n = 0, d = 1;

  if (caps)
    gst_structure_get_fraction (
        gst_caps_get_structure (caps, 0), "framerate", &n, &d);
  gst_clear_caps (&caps);
  return n > 0 ? gst_util_uint64_scale_int (GST_SECOND, d, n) : 0;
}

GstClockTime
gst_vision_pace_take (GstVisionPace *self, GstEvent *event, GstPad *src,
    guint64 n, GstClockTime sum, GstClockTime *apart)
{
  GstClockTimeDiff late;
  GstClockTime each;

  if (GST_EVENT_TYPE (event) != GST_EVENT_QOS || self->told)
    return 0;
  gst_event_parse_qos (event, NULL, NULL, &late, NULL);
  if (late <= 0) {
    self->late = 0;
    return 0;
  }
  if (self->late++ == 0) {
    self->n = n;
    self->sum = sum;
  }
  *apart = find_apart (src);
  if (self->late < LATE || n < self->n + LEAST || !*apart)
    return 0;
  each = (sum - self->sum) / (n - self->n);
  self->told = each > *apart;
  return self->told ? each : 0;
}
