/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/gstvisionpair.h"

#include "base/gstvisioncommon.h"

/* A warning needs PATIENCE frames in a row without a partner, or among such
 * frames TURNS changes from one input to the other: then each frame lies
 * between two frames of the other input and is near neither. */
#define PATIENCE 10
#define TURNS 3

/* Pairs are far apart if FAR_PAIRS of them in a row are at least FAR apart. */
#define FAR (10 * GST_MSECOND)
#define FAR_PAIRS 4

/* The segment of the pad's oldest frame; NULL after a flush. */
static GstSegment
segment_of_pad (GstAggregatorPad *pad)
{
  return GST_VISION_LOCKED (pad, pad->segment);
}

static GstClockTime
running_time_at (GstAggregatorPad *pad, GstClockTime time)
{
  GstSegment segment = segment_of_pad (pad);

  return segment.format == GST_FORMAT_TIME /* else the segment was refused */
      ? gst_segment_to_running_time (&segment, GST_FORMAT_TIME, time)
      : GST_CLOCK_TIME_NONE;
}

GstClockTime
gst_vision_pair_time (GstAggregatorPad *pad)
{
  GstBuffer *buffer = gst_aggregator_pad_peek_buffer (pad);
  GstClockTime time = GST_CLOCK_TIME_NONE;

  if (buffer)
    time = running_time_at (pad, GST_BUFFER_PTS (buffer));
  gst_clear_buffer (&buffer);
  return time;
}

/* GstAggregator makes a buffer with these flags of a GAP event. */
gboolean
gst_vision_pair_is_gap (GstBuffer *buffer)
{
  return GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP) &&
      gst_buffer_get_size (buffer) == 0;
}

/* Running time at which the gap @buffer of @pad ends. */
static GstClockTime
end_of_gap (GstAggregatorPad *pad, GstBuffer *buffer)
{
  GstSegment segment = segment_of_pad (pad);
  GstClockTime end = GST_BUFFER_PTS (buffer);

  if (GST_BUFFER_DURATION_IS_VALID (buffer))
    end += GST_BUFFER_DURATION (buffer);
  if (GST_CLOCK_TIME_IS_VALID (segment.stop))
    end = MIN (end, segment.stop);
  return running_time_at (pad, end);
}

/* A gap without a time, which no frame can lie in. */
static gboolean
gap_has_no_time (GstBuffer *buffer)
{
  return gst_vision_pair_is_gap (buffer) && !GST_BUFFER_PTS_IS_VALID (buffer);
}

/* Decides for two buffers of which one or both are gaps.  A frame that lies in
 * a gap of the other input has no partner; a gap is dropped once it is over. */
static GstVisionPairing
pair_with_gap (GstAggregatorPad *first, GstBuffer *a, GstAggregatorPad *second,
    GstBuffer *b)
{
  if (gap_has_no_time (a) || gap_has_no_time (b))
    return gap_has_no_time (a) ? GST_VISION_PAIR_FIRST : GST_VISION_PAIR_SECOND;
  if (gst_vision_pair_is_gap (a) && gst_vision_pair_is_gap (b))
    return end_of_gap (first, a) <= end_of_gap (second, b)
        ? GST_VISION_PAIR_FIRST
        : GST_VISION_PAIR_SECOND;
  if (gst_vision_pair_is_gap (a))
    return running_time_at (second, GST_BUFFER_PTS (b)) < end_of_gap (first, a)
        ? GST_VISION_PAIR_SECOND
        : GST_VISION_PAIR_FIRST;
  return running_time_at (first, GST_BUFFER_PTS (a)) < end_of_gap (second, b)
      ? GST_VISION_PAIR_FIRST
      : GST_VISION_PAIR_SECOND;
}

static GstVisionPairing
match_frames (GstVisionPair *self, GstClockTimeDiff distance)
{
  self->in_a_row = self->turns = 0;
  self->met = FALSE;
  self->matched = TRUE;
  self->skew = distance;
  self->skewed = ABS (distance) > FAR ? self->skewed + 1 : 0;
  return GST_VISION_PAIR_MATCH;
}

static GstVisionPairing
compare_times (GstVisionPair *self, GstClockTime a, GstClockTime b)
{
  GstClockTimeDiff distance = GST_CLOCK_DIFF (b, a);
  gboolean turn = distance > 0;

  /* frames without times are paired as they come */
  if (!GST_CLOCK_TIME_IS_VALID (a) || !GST_CLOCK_TIME_IS_VALID (b))
    return match_frames (self, 0);
  if ((GstClockTime) ABS (distance) <= self->max_skew)
    return match_frames (self, distance);
  if (!self->met || ABS (distance) < ABS (self->distance))
    self->distance = distance;
  self->met = TRUE;
  self->turns += self->in_a_row && turn != self->turn;
  self->turn = turn;
  self->in_a_row++;
  return turn ? GST_VISION_PAIR_SECOND : GST_VISION_PAIR_FIRST;
}

/* Decides if one pad has no frame: the frame of the other pad waits until
 * @timeout. */
static GstVisionPairing
wait_for_partner (GstVisionPair *self, gboolean has_first, gboolean has_second,
    gboolean timeout)
{
  if (!timeout || !(has_first || has_second))
    return GST_VISION_PAIR_WAIT;
  self->in_a_row++;
  return has_first ? GST_VISION_PAIR_FIRST : GST_VISION_PAIR_SECOND;
}

GstVisionPairing
gst_vision_pair_next (GstVisionPair *self, GstAggregatorPad *first,
    GstAggregatorPad *second, gboolean timeout)
{
  GstBuffer *a = gst_aggregator_pad_peek_buffer (first);
  GstBuffer *b = gst_aggregator_pad_peek_buffer (second);
  GstVisionPairing pairing;

  if ((!a && gst_aggregator_pad_is_eos (first)) ||
      (!b && gst_aggregator_pad_is_eos (second)))
    pairing = GST_VISION_PAIR_END;
  else if (!a || !b)
    pairing = wait_for_partner (self, a != NULL, b != NULL, timeout);
  else if (gst_vision_pair_is_gap (a) || gst_vision_pair_is_gap (b))
    pairing = pair_with_gap (first, a, second, b);
  else
    pairing = compare_times (self, running_time_at (first, GST_BUFFER_PTS (a)),
        running_time_at (second, GST_BUFFER_PTS (b)));
  gst_clear_buffer (&a);
  gst_clear_buffer (&b);
  return pairing;
}

void
gst_vision_pair_tell_skew (GstVisionPair *self, GstElement *element)
{
  gchar *text;

  if (self->told || self->skewed < FAR_PAIRS)
    return;
  self->told = TRUE;
  text = g_strdup_printf ("The frames of a pair are %.3f ms apart (first minus "
                          "second): what moves is seen at two places. Let both "
                          "sources share a trigger, or set \"max-skew\" (now "
                          "-1, any that are nearest) to refuse such pairs.",
      (gdouble) self->skew / GST_MSECOND);
  /* gst-launch-1.0 prints the second text alone */
  GST_ELEMENT_INFO (element, STREAM, FAILED, ("%s", text), ("%s", text));
  g_free (text);
}

void
gst_vision_pair_warn (GstVisionPair *self, GstElement *element, gboolean at_end)
{
  gchar *measured;
  const gchar *remedy =
      "Raise \"max-skew\", or let both sources share a clock or a trigger";

  if (self->warned || !self->in_a_row ||
      (!at_end && self->in_a_row < PATIENCE && self->turns < TURNS))
    return;
  self->warned = TRUE;
  if (!self->met)
    remedy = "Raise \"latency\" if its frames come late, or \"max-skew\" if "
             "they are of other times";
  measured = self->met
      ? g_strdup_printf ("the nearest frames are %.3f ms apart (first minus "
                         "second), and max-skew is %.3f ms",
            (gdouble) self->distance / GST_MSECOND,
            (gdouble) self->max_skew / GST_MSECOND)
      : g_strdup ("one input has sent nothing in time");
  GST_ELEMENT_WARNING (element, STREAM, FAILED,
      ("%u frame%s in a row had no partner and %s dropped: %s. %s.",
          self->in_a_row, self->in_a_row == 1 ? "" : "s",
          self->in_a_row == 1 ? "was" : "were", measured, remedy),
      (NULL));
  g_free (measured);
}

/* ---- How late the frames of a live input come ---- */

#define EXTRA_TIME \
 GST_SECOND /* maximum time for which frames wait for a late input */

static void
wait_longer (GstVisionLateness *self, GstAggregator *agg, GstClockTime now)
{
  GST_OBJECT_LOCK (agg);
  self->until = now + EXTRA_TIME;
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
    wait_longer (self, agg, now);
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
    wait_longer (self, agg, now);
}

GstClockTime
gst_vision_lateness_get (GstVisionLateness *self, GstAggregator *agg)
{
  GstClockTime now = gst_element_get_current_running_time (GST_ELEMENT (agg));
  GstClockTime until;

  GST_OBJECT_LOCK (agg);
  if (GST_CLOCK_TIME_IS_VALID (now) && self->until > now + EXTRA_TIME)
    self->until = 0; /* running time has begun anew, as after a seek */
  until = self->until;
  GST_OBJECT_UNLOCK (agg);
  return until;
}
