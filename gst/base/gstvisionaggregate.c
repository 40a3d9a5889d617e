/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/gstvisionaggregate.h"

#define PARENT GST_AGGREGATOR_CLASS (g_type_class_peek (GST_TYPE_AGGREGATOR))

static const gchar *
name_of_pad (gpointer self, gint i)
{
  return i ? GST_VISION_AGGREGATOR_GET_CLASS (self)->second_pad
           : GST_VISION_AGGREGATOR_GET_CLASS (self)->first_pad;
}

GstAggregatorPad *
gst_vision_aggregate_pad (GstAggregator *agg, gint i)
{
  return (GstAggregatorPad *) gst_element_get_static_pad (
      GST_ELEMENT (agg), name_of_pad (agg, i));
}

gint
gst_vision_aggregate_number (GstAggregator *agg, GstAggregatorPad *pad)
{
  return g_strcmp0 (GST_PAD_NAME (pad), name_of_pad (agg, 0)) != 0;
}

/* Where there was no frame downstream need not wait for one. */
static void
forward_gap (GstAggregator *agg, GstBuffer *gap)
{
  if (gst_pad_has_current_caps (agg->srcpad) && GST_BUFFER_PTS_IS_VALID (gap))
    gst_pad_push_event (agg->srcpad,
        gst_event_new_gap (GST_BUFFER_PTS (gap), GST_BUFFER_DURATION (gap)));
}

static GstVisionWaiting *
waiting (GstAggregator *agg, GstAggregatorPad *pad)
{
  return &gst_vision_aggregator_private (agg)
              ->waiting[gst_vision_aggregate_number (agg, pad)];
}

static GstBuffer *
pop_frame (GstAggregator *agg, GstAggregatorPad *pad)
{
  GstBuffer *buffer = gst_aggregator_pad_pop_buffer (pad);

  if (buffer && !gst_vision_pair_is_gap (buffer))
    gst_vision_waiting_remove (waiting (agg, pad));
  return buffer;
}

void
gst_vision_aggregate_count_waiting (GstAggregator *agg)
{
  GstVisionAggregatorPrivate *p = gst_vision_aggregator_private (agg);

  for (gint i = 0; i < 2; i++)
    gst_vision_common_count_dropped (
        &p->common, gst_vision_waiting_clear (&p->waiting[i]));
}

static void
drop_frame (GstAggregator *agg, GstAggregatorPad *pad)
{
  GstVisionAggregatorPrivate *p = gst_vision_aggregator_private (agg);
  GstBuffer *buffer = pop_frame (agg, pad);

  if (!buffer)
    return;
  if (!gst_vision_pair_is_gap (buffer)) {
    gst_vision_common_count_dropped (&p->common, 1);
    gst_vision_pair_warn (&p->pair, GST_ELEMENT (agg), FALSE);
  } else if (gst_vision_aggregate_number (agg, pad) == 0)
    forward_gap (agg, buffer);
  gst_buffer_unref (buffer);
}

/* Takes both. */
static GstFlowReturn
process (GstAggregator *agg, GstBuffer *first, GstBuffer *second)
{
  GstVisionAggregatorPrivate *p = gst_vision_aggregator_private (agg);
  GstSegment *segment = &GST_AGGREGATOR_PAD (agg->srcpad)->segment;
  GstClockTime time = gst_segment_to_stream_time (
      segment, GST_FORMAT_TIME, GST_BUFFER_PTS (first));
  GstFlowReturn ret;

  if (GST_CLOCK_TIME_IS_VALID (time))
    gst_object_sync_values (GST_OBJECT (agg), time);
  first = gst_buffer_make_writable (first);
  ret = gst_vision_frames_process (&p->frames, &first, second);
  gst_clear_buffer (&second);
  if (ret == GST_FLOW_OK)
    return gst_aggregator_finish_buffer (agg, first);
  gst_buffer_unref (first);
  return ret;
}

static GstFlowReturn
aggregate_single (GstAggregator *agg, GstAggregatorPad *pad)
{
  GstBuffer *buffer = pop_frame (agg, pad);

  if (!buffer)
    return gst_aggregator_pad_is_eos (pad) ? GST_FLOW_EOS
                                           : GST_AGGREGATOR_FLOW_NEED_DATA;
  if (!gst_vision_pair_is_gap (buffer))
    return process (agg, buffer, NULL);
  forward_gap (agg, buffer);
  gst_buffer_unref (buffer);
  return GST_AGGREGATOR_FLOW_NEED_DATA;
}

static GstFlowReturn
aggregate_pair (GstAggregator *agg, GstAggregatorPad *first,
    GstAggregatorPad *second, gboolean timeout)
{
  GstVisionAggregatorPrivate *p = gst_vision_aggregator_private (agg);

  p->pair.max_skew = gst_vision_aggregate_max_skew (agg);
  switch (gst_vision_pair_next (&p->pair, first, second, timeout)) {
    case GST_VISION_PAIR_MATCH:
      gst_vision_common_set_stat (&p->common, "skew", (gdouble) p->pair.skew);
      if (gst_vision_aggregate_skews_by_caps (agg))
        gst_vision_pair_tell_skew (&p->pair, GST_ELEMENT (agg));
      return process (agg, pop_frame (agg, first), pop_frame (agg, second));
    case GST_VISION_PAIR_FIRST:
      drop_frame (agg, first);
      break;
    case GST_VISION_PAIR_SECOND:
      drop_frame (agg, second);
      break;
    case GST_VISION_PAIR_END:
      return GST_FLOW_EOS;
    case GST_VISION_PAIR_WAIT:
      break;
  }
  return GST_AGGREGATOR_FLOW_NEED_DATA;
}

/* Once: frames of @pad come after the other input's end. */
static void
tell_end (GstAggregator *agg, GstAggregatorPad *pad)
{
  GstVisionAggregatorPrivate *p = gst_vision_aggregator_private (agg);
  gint i = gst_vision_aggregate_number (agg, pad);
  gchar *text;

  if (!g_atomic_int_compare_and_exchange (&p->tell_end, TRUE, FALSE))
    return;
  text = g_strdup_printf ("%s has ended, and with it the output; what %s still "
                          "sends is dropped.",
      name_of_pad (agg, !i), name_of_pad (agg, i));
  /* gst-launch-1.0 prints the second one alone */
  GST_ELEMENT_INFO (agg, STREAM, FAILED, ("%s", text), ("%s", text));
  g_free (text);
}

static gboolean
is_over (GstAggregatorPad *pad)
{
  return pad && gst_aggregator_pad_is_eos (pad);
}

/* From here on frames are refused, and one whose thread waits for room gets
 * it.  A GstAggregator itself refuses frames after its end only before 1.26;
 * later ones would leave those who send them waiting for ever. */
static void
end (GstAggregator *agg, GstAggregatorPad *first, GstAggregatorPad *second)
{
  GstVisionAggregatorPrivate *p = gst_vision_aggregator_private (agg);
  GstAggregatorPad *pads[2] = {first, second};

  if (!p->pair.matched) /* a short stream may not lose all without a word */
    gst_vision_pair_warn (&p->pair, GST_ELEMENT (agg), TRUE);
  g_atomic_int_set (&p->tell_end, is_over (first) != is_over (second));
  g_atomic_int_set (&p->has_ended, TRUE);
  for (gint i = 0; i < 2; i++)
    while (pads[i] && gst_aggregator_pad_has_buffer (pads[i])) {
      tell_end (agg, pads[i]);
      drop_frame (agg, pads[i]);
    }
  gst_vision_aggregate_count_waiting (agg);
}

GstFlowReturn
gst_vision_aggregate (GstAggregator *agg, gboolean timeout)
{
  GstAggregatorPad *first = gst_vision_aggregate_pad (agg, 0),
                   *second = gst_vision_aggregate_pad (agg, 1);
  GstFlowReturn ret;

  if (gst_vision_aggregator_private (agg)->common.has_failed)
    ret = GST_FLOW_ERROR;
  else if (first && second)
    ret = aggregate_pair (agg, first, second, timeout);
  else if (first)
    ret = aggregate_single (agg, first);
  else {
    GST_ELEMENT_ERROR (agg, CORE, NEGOTIATION,
        ("Nothing is linked to %s.", name_of_pad (agg, 0)), (NULL));
    ret = GST_FLOW_NOT_NEGOTIATED;
  }
  if (ret == GST_FLOW_EOS)
    end (agg, first, second);
  gst_clear_object (&first);
  gst_clear_object (&second);
  return ret;
}

GstClockTime
gst_vision_aggregate_next_time (GstAggregator *agg)
{
  GstVisionArrival *arrival = gst_vision_aggregator_private (agg)->arrival;
  GstClockTime next = GST_CLOCK_TIME_NONE, not_before = 0;

  for (gint i = 0; i < 2; i++) {
    GstAggregatorPad *pad = gst_vision_aggregate_pad (agg, i);

    if (pad && gst_aggregator_pad_has_buffer (pad))
      next = MIN (next, gst_vision_pair_time (pad));
    else if (pad)
      not_before = gst_vision_arrival_get (&arrival[i], agg);
    gst_clear_object (&pad);
  }
  return GST_CLOCK_TIME_IS_VALID (next) ? MAX (next, not_before) : next;
}

static gboolean
has_ended (GstObject *agg)
{
  return g_atomic_int_get (&gst_vision_aggregator_private (agg)->has_ended);
}

static gboolean
has_output (GstAggregator *agg)
{
  return gst_pad_get_task_state (agg->srcpad) == GST_TASK_STARTED;
}

/* After the end, or an error, one input may flush and go on, and the output
 * begins anew once the other one has flushed, too.  Where that does not come, a
 * frame would wait for ever. */
static gboolean
wait_for_output (GstAggregator *agg, GstPad *pad, gint *begins)
{
  gint64 until = g_get_monotonic_time () + 5 * G_USEC_PER_SEC;

  if (g_atomic_int_get (begins) == GST_VISION_BEGINS_NEVER)
    return has_output (agg);
  while (g_atomic_int_get (begins) && !has_output (agg) &&
      !gst_vision_pad_is_flushing (pad)) {
    if (g_get_monotonic_time () > until) {
      g_atomic_int_set (begins, GST_VISION_BEGINS_NEVER);
      return FALSE;
    }
    g_usleep (1000);
  }
  return TRUE;
}

GstFlowReturn
gst_vision_aggregate_chain (GstPad *pad, GstObject *agg, GstBuffer *buffer)
{
  GstVisionAggregatorPrivate *p = gst_vision_aggregator_private (agg);
  gint i = gst_vision_aggregate_number (
      GST_AGGREGATOR (agg), GST_AGGREGATOR_PAD (pad));
  GstFlowReturn ret;
  gboolean waits;

  if (has_ended (agg)) {
    tell_end (GST_AGGREGATOR (agg), GST_AGGREGATOR_PAD (pad));
    gst_buffer_unref (buffer);
    return GST_FLOW_EOS;
  }
  if (!wait_for_output (GST_AGGREGATOR (agg), pad, &p->begins[i])) {
    gst_buffer_unref (buffer);
    return p->common.has_failed ? GST_FLOW_ERROR : GST_FLOW_EOS;
  }
  gst_vision_arrival_take_frame (&p->arrival[i], GST_AGGREGATOR (agg), buffer);
  waits = gst_vision_waiting_add (&p->waiting[i], pad, buffer, &p->has_ended);
  ret = ((GstPadChainFunction) pad->chaindata) (pad, agg, buffer);
  if (waits && (ret != GST_FLOW_OK || has_ended (agg)))
    gst_vision_waiting_remove (&p->waiting[i]);
  if (ret != GST_FLOW_OK || !has_ended (agg))
    return ret;
  gst_aggregator_pad_drop_buffer (GST_AGGREGATOR_PAD (pad));
  return GST_FLOW_EOS;
}

static void
begin_anew (GstAggregator *agg, GstAggregatorPad *pad)
{
  GstVisionAggregatorPrivate *p = gst_vision_aggregator_private (agg);
  gboolean runs = !g_atomic_int_get (&p->has_ended) && has_output (agg);

  g_atomic_int_set (&p->has_ended, FALSE);
  g_atomic_int_set (&p->begins[gst_vision_aggregate_number (agg, pad)],
      runs ? GST_VISION_BEGINS_NOT : GST_VISION_BEGINS_SOON);
}

static gboolean
is_backward_without_end (GstEvent *event)
{
  const GstSegment *segment;

  if (GST_EVENT_TYPE (event) != GST_EVENT_SEGMENT)
    return FALSE;
  gst_event_parse_segment (event, &segment);
  return segment->format == GST_FORMAT_TIME &&
      !gst_vision_segment_has_times (segment);
}

GstFlowReturn
gst_vision_aggregate_sink_event_pre_queue (
    GstAggregator *agg, GstAggregatorPad *pad, GstEvent *event)
{
  GstVisionAggregatorPrivate *p = gst_vision_aggregator_private (agg);

  /* a GstAggregator looks for its times at once */
  if (is_backward_without_end (event)) {
    GST_ELEMENT_ERROR (agg, STREAM, FAILED,
        ("The segment is played backwards and does not say where it ends. Seek "
         "with a stop."),
        (NULL));
    gst_event_unref (event);
    return GST_FLOW_ERROR;
  }
  gst_vision_arrival_take_event (
      &p->arrival[gst_vision_aggregate_number (agg, pad)], agg, event);
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    gst_vision_waiting_clear (waiting (agg, pad)); /* as a seek wants */
  if (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START ||
      GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    begin_anew (agg, pad);
  return PARENT->sink_event_pre_queue (agg, pad, event);
}

gboolean
gst_vision_aggregate_sink_query_pre_queue (
    GstAggregator *agg, GstAggregatorPad *pad, GstQuery *query)
{
  if (GST_QUERY_IS_SERIALIZED (query) && has_ended (GST_OBJECT (agg)))
    return FALSE;
  return PARENT->sink_query_pre_queue (agg, pad, query);
}

GstBuffer *
gst_vision_aggregate_clip (
    GstAggregator *agg, GstAggregatorPad *pad, GstBuffer *buffer)
{
  if (!gst_vision_segment_has_times (&pad->segment) || /* it was refused */
      !GST_BUFFER_PTS_IS_VALID (buffer) ||
      GST_CLOCK_TIME_IS_VALID (gst_segment_to_running_time (
          &pad->segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer))))
    return buffer;
  if (!gst_vision_pair_is_gap (buffer))
    gst_vision_waiting_remove (waiting (agg, pad));
  gst_buffer_unref (buffer);
  return NULL;
}

gboolean
gst_vision_aggregate_sink_event (
    GstAggregator *agg, GstAggregatorPad *pad, GstEvent *event)
{
  GstVisionAggregatorPrivate *p = gst_vision_aggregator_private (agg);
  gint i = gst_vision_aggregate_number (agg, pad);
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    gst_vision_frames_take_caps (&p->frames, i, caps);
    gst_vision_aggregate_update_latency (agg);
    if (!i)
      gst_pad_mark_reconfigure (agg->srcpad);
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT) {
    const GstSegment *segment;

    gst_event_parse_segment (event, &segment);
    if (!gst_vision_common_takes_segment (&p->common, segment)) {
      gst_event_unref (event);
      return FALSE;
    }
    if (!i)
      gst_aggregator_update_segment (agg, segment);
  }
  /* a GstAggregator does not look whether there is a segment */
  if (GST_EVENT_TYPE (event) == GST_EVENT_GAP &&
      pad->segment.format != GST_FORMAT_TIME) {
    gst_event_unref (event);
    return FALSE;
  }
  return PARENT->sink_event (agg, pad, event);
}
