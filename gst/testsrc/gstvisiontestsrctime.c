/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "testsrc/gstvisiontestsrc.h"

#include "base/gstvisioncommon.h"

static GstBaseSrcClass *parent;

static GstClockTime
time_of_frame (GstVisionTestSrc *self, guint64 number)
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

/* Forwards, numbers go on from the next frame.  Backwards they cannot, because
 * at a higher rate they would reach 0 before the time does: the next frame is
 * then found from the position of the segment. */
void
gst_vision_test_src_rate_changes (GstVisionTestSrc *self)
{
  if (self->sought)
    return; /* the base is frame 0 */
  if (self->reverse) {
    gst_vision_test_src_rewind (self);
    return;
  }
  self->base_time = time_of_frame (self, self->number);
  self->base_number = self->number;
}

/* A live source has no frames of the past. */
static gboolean
test_src_is_seekable (GstBaseSrc *src)
{
  return !gst_base_src_is_live (src);
}

/* Whether a seek plays backwards from no end, because neither the seek nor the
 * segment has an end.  Such a seek is refused before the parent flushes: a
 * flush takes the segment away, and a refusal afterwards sends no new segment.
 */
static gboolean
seek_has_no_end (GstBaseSrc *src, GstEvent *event)
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
test_src_event (GstBaseSrc *src, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK && seek_has_no_end (src, event))
    return FALSE;
  return parent->event (src, event);
}

/* The frame rate may not be known yet. */
static gboolean
test_src_do_seek (GstBaseSrc *src, GstSegment *segment)
{
  GstVisionTestSrc *self = GST_VISION_TEST_SRC (src);

  if (segment->format != GST_FORMAT_TIME ||
      (segment->rate < 0 && !GST_CLOCK_TIME_IS_VALID (segment->stop)))
    return FALSE; /* a scene has no last frame to play backwards from */
  segment->time = segment->start;
  gst_vision_test_src_rewind (self);
  return TRUE;
}

/* A live source begins with the frame that is due next, counted from running
 * time 0, so that two sources have the same frames at the same times.  FALSE if
 * the source is not live. */
static gboolean
begin_live (GstVisionTestSrc *self, guint64 n, guint64 d)
{
  GstClockTime now = gst_element_get_current_running_time (GST_ELEMENT (self));

  if (!gst_base_src_is_live (GST_BASE_SRC (self)) ||
      !GST_CLOCK_TIME_IS_VALID (now) || !n)
    return FALSE;
  self->number = gst_util_uint64_scale_ceil (now, n, d);
  self->begins_live = TRUE;
  return TRUE;
}

/* Sets the number of the next frame: the frame that is shown at the segment's
 * position or, backwards, the last frame that begins before the position, which
 * is the segment's end at first. */
static void
begin_segment (GstVisionTestSrc *self)
{
  const GstSegment *segment = &GST_BASE_SRC (self)->segment;
  guint64 n = GST_VIDEO_INFO_FPS_N (&self->frame.info);
  guint64 d = GST_VIDEO_INFO_FPS_D (&self->frame.info) * GST_SECOND;

  self->sought = FALSE;
  self->reverse = segment->rate < 0;
  if (begin_live (self, n, d))
    return;
  if (self->reverse && GST_CLOCK_TIME_IS_VALID (segment->position)) {
    self->number = gst_util_uint64_scale_ceil (segment->position, n, d);
    self->number -= self->number > 0;
    return;
  }
  self->number = gst_util_uint64_scale (segment->position, n, d);
  /* times are rounded down, too: the next frame may begin here */
  if (n && time_of_frame (self, self->number + 1) <= segment->position)
    self->number++;
}

gboolean
gst_vision_test_src_is_over (GstVisionTestSrc *self)
{
  if (self->sought)
    begin_segment (self);
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

  GST_BUFFER_PTS (buffer) = time_of_frame (self, self->number);
  GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_DURATION (buffer) = GST_VIDEO_INFO_FPS_N (&self->frame.info)
      ? time_of_frame (self, self->number + 1) - GST_BUFFER_PTS (buffer)
      : GST_CLOCK_TIME_NONE;
  GST_BUFFER_OFFSET (buffer) = self->number;
  GST_BUFFER_OFFSET_END (buffer) = self->number + 1;
  /* the frame that is shown where a segment starts may begin before it */
  now = gst_segment_to_stream_time (
      &GST_BASE_SRC (self)->segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));
  if (GST_CLOCK_TIME_IS_VALID (now))
    gst_object_sync_values (GST_OBJECT (self), now);
}

/* GstBaseSrc shifts all times by the running time of the first frame that it
 * waits for.  The first frame therefore has no time to wait for, and may come
 * early. */
static void
test_src_get_times (
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

/* The latency is a frame's duration, since making a frame may take as long. */
static gboolean
test_src_query (GstBaseSrc *src, GstQuery *query)
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
  klass->query = test_src_query;
  klass->event = test_src_event;
  klass->is_seekable = test_src_is_seekable;
  klass->do_seek = test_src_do_seek;
  klass->get_times = test_src_get_times;
}
