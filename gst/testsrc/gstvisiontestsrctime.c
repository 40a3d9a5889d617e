/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "testsrc/gstvisiontestsrc.h"

#include "base/gstvisioncommon.h"

static GstBaseSrcClass *parent;

static GstClockTime
time_of (GstVisionTestSrc *self, guint64 number)
{
  const GstVideoInfo *info = &self->frame.info;

  if (!GST_VIDEO_INFO_FPS_N (info))
    return self->base_time;
  return self->base_time +
      gst_util_uint64_scale (number - self->base_number,
          GST_VIDEO_INFO_FPS_D (info) * GST_SECOND,
          GST_VIDEO_INFO_FPS_N (info));
}

void
gst_vision_test_src_rewind (GstVisionTestSrc *self)
{
  self->base_time = self->base_number = self->number = 0;
  self->sought = TRUE;
}

/* Backwards, numbers cannot go on: at a higher rate they would reach 0 before
 * the time does.  The frame is sought where the segment is. */
void
gst_vision_test_src_rate_changes (GstVisionTestSrc *self)
{
  if (self->sought)
    return; /* frames are counted from 0 on */
  if (self->reverse) {
    gst_vision_test_src_rewind (self);
    return;
  }
  self->base_time = time_of (self, self->number);
  self->base_number = self->number;
}

/* A live source has no frames of the past. */
static gboolean
is_seekable (GstBaseSrc *src)
{
  return !gst_base_src_is_live (src);
}

/* Refuse a seek to play backwards without an end before the parent flushes:
 * a flush takes the segment away, and a refusal afterwards sends no other. */
static gboolean
plays_from_nowhere (GstBaseSrc *src, GstEvent *event)
{
  GstSeekType stop_type;
  GstClockTime kept, duration;
  gint64 stop;
  gdouble rate;

  gst_event_parse_seek (
      event, &rate, NULL, NULL, NULL, NULL, &stop_type, &stop);
  GST_OBJECT_LOCK (src);
  kept = src->segment.stop;
  duration = src->segment.duration;
  GST_OBJECT_UNLOCK (src);
  if (rate > 0)
    return FALSE;
  return stop_type == GST_SEEK_TYPE_SET
      ? stop < 0
      : !GST_CLOCK_TIME_IS_VALID (
            stop_type == GST_SEEK_TYPE_END ? duration : kept);
}

static gboolean
event (GstBaseSrc *src, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK &&
      plays_from_nowhere (src, event))
    return FALSE; /* the scene has no end to begin with */
  return parent->event (src, event);
}

/* The frame rate may not be known yet. */
static gboolean
do_seek (GstBaseSrc *src, GstSegment *segment)
{
  GstVisionTestSrc *self = GST_VISION_TEST_SRC (src);

  if (segment->format != GST_FORMAT_TIME ||
      (segment->rate < 0 && !GST_CLOCK_TIME_IS_VALID (segment->stop)))
    return FALSE; /* the scene has no end to begin with */
  segment->time = segment->start;
  gst_vision_test_src_rewind (self);
  return TRUE;
}

/* Live: the next frame of a trigger that has run since the running time was 0,
 * so that two sources have the same frames at the same times. */
static gboolean
arrive_live (GstVisionTestSrc *self, guint64 n, guint64 d)
{
  GstClockTime now = gst_element_get_current_running_time (GST_ELEMENT (self));

  if (!gst_base_src_is_live (GST_BASE_SRC (self)) ||
      !GST_CLOCK_TIME_IS_VALID (now) || !n)
    return FALSE;
  self->number = gst_util_uint64_scale_ceil (now, n, d);
  self->begins_live = TRUE;
  return TRUE;
}

/* The number of the frame that is shown at the segment's position or,
 * backwards, of the last one that begins before it: at first it is the end. */
static void
arrive (GstVisionTestSrc *self)
{
  const GstSegment *segment = &GST_BASE_SRC (self)->segment;
  guint64 n = GST_VIDEO_INFO_FPS_N (&self->frame.info);
  guint64 d = GST_VIDEO_INFO_FPS_D (&self->frame.info) * GST_SECOND;

  self->sought = FALSE;
  self->reverse = segment->rate < 0;
  if (arrive_live (self, n, d))
    return;
  if (self->reverse && GST_CLOCK_TIME_IS_VALID (segment->position)) {
    self->number = gst_util_uint64_scale_ceil (segment->position, n, d);
    self->number -= self->number > 0;
    return;
  }
  self->number = gst_util_uint64_scale (segment->position, n, d);
  /* times are rounded down, too: the next frame may begin here */
  if (n && time_of (self, self->number + 1) <= segment->position)
    self->number++;
}

gboolean
gst_vision_test_src_is_over (GstVisionTestSrc *self)
{
  if (self->sought)
    arrive (self);
  /* a rate of 0 is a still picture */
  return !GST_VIDEO_INFO_FPS_N (&self->frame.info) &&
      self->number != self->base_number;
}

void
gst_vision_test_src_next (GstVisionTestSrc *self)
{
  self->number += self->reverse ? -1 : 1;
}

void
gst_vision_test_src_set_times (GstVisionTestSrc *self, GstBuffer *buffer)
{
  GstClockTime now;

  GST_BUFFER_PTS (buffer) = time_of (self, self->number);
  GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_DURATION (buffer) = GST_VIDEO_INFO_FPS_N (&self->frame.info)
      ? time_of (self, self->number + 1) - GST_BUFFER_PTS (buffer)
      : GST_CLOCK_TIME_NONE;
  GST_BUFFER_OFFSET (buffer) = self->number;
  GST_BUFFER_OFFSET_END (buffer) = self->number + 1;
  /* the frame that is shown where a segment starts may begin before it */
  now = gst_segment_to_stream_time (
      &GST_BASE_SRC (self)->segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));
  if (GST_CLOCK_TIME_IS_VALID (now))
    gst_object_sync_values (GST_OBJECT (self), now);
}

/* GstBaseSrc would shift all times by the running time of the first frame that
 * it waits for.  So it does not wait for the first one, which may thus come
 * early. */
static void
get_times (
    GstBaseSrc *src, GstBuffer *buffer, GstClockTime *start, GstClockTime *end)
{
  GstVisionTestSrc *self = GST_VISION_TEST_SRC (src);
  gboolean begins = self->begins_live;

  *start = *end = GST_CLOCK_TIME_NONE;
  self->begins_live = FALSE;
  if (!gst_base_src_is_live (src) || begins)
    return;
  *start = GST_BUFFER_PTS (buffer);
  if (GST_BUFFER_DURATION_IS_VALID (buffer))
    *end = *start + GST_BUFFER_DURATION (buffer);
}

/* A frame may take as long to make as it lasts, and waits until it is taken. */
static gboolean
query (GstBaseSrc *src, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY ||
      !gst_base_src_is_live (src))
    return parent->query (src, query);
  gst_query_set_latency (query, TRUE, gst_vision_frame_duration (src->srcpad),
      GST_CLOCK_TIME_NONE);
  return TRUE;
}

void
gst_vision_test_src_install_times (GstBaseSrcClass *klass)
{
  parent = g_type_class_peek_parent (klass);
  klass->query = query;
  klass->event = event;
  klass->is_seekable = is_seekable;
  klass->do_seek = do_seek;
  klass->get_times = get_times;
}
