/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/gstvisionseek.h"

#include "base/gstvisioncommon.h"

/* ---- The end of a seek backwards ---- */

static gboolean
take_shorter_duration (GstElement *element, GstPad *pad, gpointer shortest)
{
  gint64 duration, *min = shortest;

  (void) element;
  if (gst_pad_peer_query_duration (pad, GST_FORMAT_TIME, &duration) &&
      duration >= 0 && (*min < 0 || duration < *min))
    *min = duration;
  return TRUE;
}

GstEvent *
gst_vision_seek_complete (GstAggregator *agg, GstEvent *event)
{
  GstSeekType start_type, stop_type;
  gint64 start, stop, duration = -1;
  GstSeekFlags flags;
  GstFormat format;
  GstEvent *seek;
  gdouble rate;

  gst_event_parse_seek (
      event, &rate, &format, &flags, &start_type, &start, &stop_type, &stop);
  if (format != GST_FORMAT_TIME || rate > 0 ||
      (stop_type == GST_SEEK_TYPE_SET && stop >= 0))
    return event;
  gst_element_foreach_sink_pad (
      GST_ELEMENT (agg), take_shorter_duration, &duration);
  if (duration < 0)
    return event;
  seek = gst_event_new_seek (
      rate, format, flags, start_type, start, GST_SEEK_TYPE_SET, duration);
  gst_event_set_seqnum (seek, gst_event_get_seqnum (event));
  gst_event_unref (event);
  return seek;
}

/* ---- Whether a seek is possible ---- */

/* The time that one end of a seek means in @segment, whose position is @now. */
static guint64
time_sought (
    const GstSegment *segment, GstSeekType type, guint64 time, guint64 now)
{
  if (type == GST_SEEK_TYPE_SET)
    return time;
  return type == GST_SEEK_TYPE_END && segment->duration != G_MAXUINT64
      ? segment->duration + time
      : now;
}

/* Whether the start of a seek in @segment lies before its stop. */
static gboolean
seek_has_room (const GstSegment *segment, guint64 start, guint64 stop)
{
  gint64 end = (gint64) segment->duration;

  start = end != -1 ? MIN (start, segment->duration)
                    : (guint64) MAX ((gint64) start, 0);
  return stop == G_MAXUINT64 ||
      start <= (guint64) CLAMP ((gint64) stop, 0, end != -1 ? end : G_MAXINT64);
}

/* Whether the segment of a GstAggregator can follow a seek.  GLib warns if the
 * seek has another format than the segment, or stops before it starts.  A
 * segment that is played backwards and has no end gives frames no running time.
 */
static gboolean
segment_follows_seek (GstAggregator *agg, GstEvent *event)
{
  const GstSegment *segment = &GST_AGGREGATOR_PAD (agg->srcpad)->segment;
  GstSeekType start_type, stop_type;
  gint64 start, stop;
  GstFormat format;
  gdouble rate;

  gst_event_parse_seek (
      event, &rate, &format, NULL, &start_type, &start, &stop_type, &stop);
  if (format != GST_FORMAT_TIME ||
      (rate < 0 && (stop_type != GST_SEEK_TYPE_SET || stop < 0)))
    return FALSE;
  if (start_type == GST_SEEK_TYPE_SET && start == -1)
    start = 0;
  return GST_VISION_LOCKED (agg,
      seek_has_room (segment,
          time_sought (segment, start_type, (guint64) start, segment->start),
          time_sought (segment, stop_type, (guint64) stop, segment->stop)));
}

/* Whether the source of @pad can seek, or does not answer the query. */
static gboolean
input_can_seek (GstElement *element, GstPad *pad, gpointer unused)
{
  GstQuery *query = gst_query_new_seeking (GST_FORMAT_TIME);
  gboolean can_seek = TRUE;

  (void) element;
  (void) unused;
  if (gst_pad_peer_query (pad, query))
    gst_query_parse_seeking (query, NULL, &can_seek, NULL, NULL);
  gst_query_unref (query);
  return can_seek;
}

/* A GstAggregator flushes the output before it sends the seek to the sources.
 * Then it waits for the flush of each input, for ever if one source cannot
 * seek.  So the sources are asked before. */
gboolean
gst_vision_seek_is_possible (GstAggregator *agg, GstEvent *event)
{
  return segment_follows_seek (agg, event) &&
      (!gst_vision_seek_flushes (event) ||
          gst_element_foreach_sink_pad (
              GST_ELEMENT (agg), input_can_seek, NULL));
}

gboolean
gst_vision_seek_flushes (GstEvent *event)
{
  GstSeekFlags flags;

  gst_event_parse_seek (event, NULL, NULL, &flags, NULL, NULL, NULL, NULL);
  return (flags & GST_SEEK_FLAG_FLUSH) != 0;
}
