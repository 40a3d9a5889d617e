/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/gstvisionlateness.h"

#include "base/gstvisioncommon.h"

#define PATIENCE GST_SECOND

static void
be_patient (GstVisionLateness *self, GstAggregator *agg, GstClockTime now)
{
  GST_OBJECT_LOCK (agg);
  self->until = now + PATIENCE;
  GST_OBJECT_UNLOCK (agg);
}

void
gst_vision_lateness_take_event (
    GstVisionLateness *self, GstAggregator *agg, GstEvent *event)
{
  GstClockTime now;

  if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT)
    gst_event_copy_segment (event, &self->segment);
  if (GST_EVENT_TYPE (event) != GST_EVENT_STREAM_START)
    return;
  now = gst_element_get_current_running_time (GST_ELEMENT (agg));
  if (GST_CLOCK_TIME_IS_VALID (now))
    be_patient (self, agg, now);
}

void
gst_vision_lateness_take_frame (
    GstVisionLateness *self, GstAggregator *agg, GstBuffer *buffer)
{
  GstClockTime now = gst_element_get_current_running_time (GST_ELEMENT (agg));
  GstClockTime latency = gst_aggregator_get_latency (agg);
  GstClockTime time;

  if (!gst_vision_segment_has_times (&self->segment))
    return;
  time = gst_segment_to_running_time (
      &self->segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));
  if (GST_CLOCK_TIME_IS_VALID (now) && GST_CLOCK_TIME_IS_VALID (time) &&
      GST_CLOCK_TIME_IS_VALID (latency) && now > time + latency)
    be_patient (self, agg, now);
}

GstClockTime
gst_vision_lateness_get (GstVisionLateness *self, GstAggregator *agg)
{
  GstClockTime now = gst_element_get_current_running_time (GST_ELEMENT (agg));
  GstClockTime until;

  GST_OBJECT_LOCK (agg);
  if (GST_CLOCK_TIME_IS_VALID (now) && self->until > now + PATIENCE)
    self->until = 0; /* time began anew, as after a seek */
  until = self->until;
  GST_OBJECT_UNLOCK (agg);
  return until;
}
