/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/gstvisionpair.h"

static GstClockTime
running_time (GstAggregatorPad *pad, GstClockTime time)
{
  return gst_segment_to_running_time (&pad->segment, GST_FORMAT_TIME, time);
}

GstClockTime
gst_vision_pair_time (GstAggregatorPad *pad)
{
  GstBuffer *buffer = gst_aggregator_pad_peek_buffer (pad);
  GstClockTime time = GST_CLOCK_TIME_NONE;

  if (buffer)
    time = running_time (pad, GST_BUFFER_PTS (buffer));
  gst_clear_buffer (&buffer);
  return time;
}

/* GstAggregator makes such a buffer of a GAP event. */
gboolean
gst_vision_pair_is_gap (GstBuffer *buffer)
{
  return GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP) &&
      gst_buffer_get_size (buffer) == 0;
}

/* When the gap @buffer of @pad is over. */
static GstClockTime
end_of_gap (GstAggregatorPad *pad, GstBuffer *buffer)
{
  GstClockTime end = GST_BUFFER_PTS (buffer);

  if (GST_BUFFER_DURATION_IS_VALID (buffer))
    end += GST_BUFFER_DURATION (buffer);
  if (GST_CLOCK_TIME_IS_VALID (pad->segment.stop))
    end = MIN (end, pad->segment.stop);
  return running_time (pad, end);
}

/* One or both are gaps: what lies in a gap of the other has no partner, and a
 * gap goes when it is over. */
static GstVisionPairing
beside_gap (GstAggregatorPad *first, GstBuffer *a, GstAggregatorPad *second,
    GstBuffer *b)
{
  if (gst_vision_pair_is_gap (a) && gst_vision_pair_is_gap (b))
    return end_of_gap (first, a) <= end_of_gap (second, b)
        ? GST_VISION_PAIR_FIRST
        : GST_VISION_PAIR_SECOND;
  if (gst_vision_pair_is_gap (a))
    return running_time (second, GST_BUFFER_PTS (b)) < end_of_gap (first, a)
        ? GST_VISION_PAIR_SECOND
        : GST_VISION_PAIR_FIRST;
  return running_time (first, GST_BUFFER_PTS (a)) < end_of_gap (second, b)
      ? GST_VISION_PAIR_FIRST
      : GST_VISION_PAIR_SECOND;
}

static GstVisionPairing
compare (GstVisionPair *self, GstClockTime a, GstClockTime b, GstClockTime skew)
{
  GstClockTimeDiff distance = GST_CLOCK_DIFF (b, a);

  /* without times the frames go together as they come */
  if (!GST_CLOCK_TIME_IS_VALID (a) || !GST_CLOCK_TIME_IS_VALID (b) ||
      (GstClockTime) ABS (distance) <= skew) {
    self->in_a_row = 0;
    self->met = FALSE;
    self->matched = TRUE;
    return GST_VISION_PAIR_MATCH;
  }
  if (!self->met || ABS (distance) < ABS (self->distance))
    self->distance = distance;
  self->met = TRUE;
  self->in_a_row++;
  return distance < 0 ? GST_VISION_PAIR_FIRST : GST_VISION_PAIR_SECOND;
}

/* One pad has nothing: the frame of the other waits while it may. */
static GstVisionPairing
alone (GstVisionPair *self, gboolean has_first, gboolean has_second,
    gboolean timeout)
{
  if (!timeout || !(has_first || has_second))
    return GST_VISION_PAIR_WAIT;
  self->in_a_row++;
  return has_first ? GST_VISION_PAIR_FIRST : GST_VISION_PAIR_SECOND;
}

GstVisionPairing
gst_vision_pair_next (GstVisionPair *self, GstAggregatorPad *first,
    GstAggregatorPad *second, GstClockTime max_skew, gboolean timeout)
{
  GstBuffer *a = gst_aggregator_pad_peek_buffer (first);
  GstBuffer *b = gst_aggregator_pad_peek_buffer (second);
  GstVisionPairing pairing;

  if ((!a && gst_aggregator_pad_is_eos (first)) ||
      (!b && gst_aggregator_pad_is_eos (second)))
    pairing = GST_VISION_PAIR_END;
  else if (!a || !b)
    pairing = alone (self, a != NULL, b != NULL, timeout);
  else if (gst_vision_pair_is_gap (a) || gst_vision_pair_is_gap (b))
    pairing = beside_gap (first, a, second, b);
  else
    pairing = compare (self, running_time (first, GST_BUFFER_PTS (a)),
        running_time (second, GST_BUFFER_PTS (b)), max_skew);
  gst_clear_buffer (&a);
  gst_clear_buffer (&b);
  return pairing;
}

void
gst_vision_pair_warn (GstVisionPair *self, GstElement *element,
    GstClockTime max_skew, guint patience)
{
  gchar *measured;
  const gchar *remedy =
      "Raise \"max-skew\", or let both sources share a clock or a trigger";

  if (self->warned || self->in_a_row < patience)
    return;
  self->warned = TRUE;
  if (!self->met)
    remedy = "Raise \"latency\" if its frames come late, or \"max-skew\" if "
             "they are of other times";
  measured = self->met
      ? g_strdup_printf ("the nearest frames are %.3f ms apart (first minus "
                         "second), and max-skew is %.3f ms",
            (gdouble) self->distance / GST_MSECOND,
            (gdouble) max_skew / GST_MSECOND)
      : g_strdup ("one input has sent nothing in time");
  GST_ELEMENT_WARNING (element, STREAM, FAILED,
      ("%u frame%s in a row had no partner and %s dropped: %s. %s.",
          self->in_a_row, self->in_a_row == 1 ? "" : "s",
          self->in_a_row == 1 ? "was" : "were", measured, remedy),
      (NULL));
  g_free (measured);
}
