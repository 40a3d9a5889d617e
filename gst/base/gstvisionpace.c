/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/gstvisionpace.h"

/* The warning needs LATE late frames in a row, so that one interruption causes
 * none, and the mean time of at least MIN_FRAMES frames. */
#define LATE 10
#define MIN_FRAMES 5

/* Time from frame to frame by the caps; 0 if they do not state it. */
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
  if (self->late < LATE || n < self->n + MIN_FRAMES || !*apart)
    return 0;
  each = (sum - self->sum) / (n - self->n);
  self->told = each > *apart;
  return self->told ? each : 0;
}
