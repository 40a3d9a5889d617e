/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Events between frames, in both directions, and queries. */
#include "stress.h"

#include <math.h>
#include <string.h>

#include <gst/video/navigation.h>

static GstPad *
sink_pad (Round *round)
{
  return round->stream[0].harness->sinkpad;
}

static void
push (Stream *stream, GstEvent *event)
{
  if (stress_is_loud)
    gst_print ("%d: %" GST_PTR_FORMAT "\n", stream->pad, event);
  gst_pad_push_event (stream->harness->srcpad, event);
}

static void
push_segment (Stream *stream)
{
  push (stream, gst_event_new_segment (&stream->segment));
}

static void
begin_segment (Stream *stream)
{
  gst_segment_init (&stream->segment, GST_FORMAT_TIME);
  push_segment (stream);
}

void
events_push_caps (Round *round, Dice *dice, Stream *stream)
{
  const Stream *other = stream->pad ? &round->stream[0] : NULL;
  GstCaps *caps = caps_make (round, dice, stream->pad, other);

  gst_caps_replace (&stream->caps, caps);
  stream->is_video = gst_video_info_from_caps (&stream->info, caps) &&
      GST_VIDEO_INFO_SIZE (&stream->info) > 0;
  if (stress_is_loud)
    gst_print ("%s: %" GST_PTR_FORMAT "\n", round->kind->name, caps);
  push (stream, gst_event_new_caps (caps));
  gst_caps_unref (caps);
}

void
events_begin (Round *round, Dice *dice, Stream *stream)
{
  gchar *id = g_strdup_printf ("%u", below (dice, 1000));

  stream->ended = FALSE;
  push (stream, gst_event_new_stream_start (id));
  g_free (id);
  if (stream->caps && one_in (dice, 2))
    push (stream, gst_event_new_caps (stream->caps));
  else
    events_push_caps (round, dice, stream);
  begin_segment (stream);
}

/* Rates, starts and ends of all kinds; of other formats, too. */
static void
other_segment (Dice *dice, Stream *stream)
{
  static const gdouble rates[] = {1, 1, 2, .5, -1, 1e-3, 1e3};
  static const GstFormat formats[] = {
      GST_FORMAT_BYTES, GST_FORMAT_DEFAULT, GST_FORMAT_BUFFERS};
  GstSegment *s = &stream->segment;

  gst_segment_init (
      s, one_in (dice, 6) ? PICK (dice, formats) : GST_FORMAT_TIME);
  if (one_in (dice, 2)) {
    s->rate = PICK (dice, rates);
    s->start = below (dice, 10) * 40 * GST_MSECOND;
    s->time = s->start;
    s->base = below (dice, 10) * 40 * GST_MSECOND;
    if (s->rate < 0 || one_in (dice, 2))
      s->stop = s->start + below (dice, 30) * 40 * GST_MSECOND;
    s->position = s->start;
    if (s->rate < 0 && one_in (dice, 2))
      s->applied_rate = -1;
  }
  push_segment (stream);
}

/* All pads, as a seek does; the other stream waits meanwhile. */
static void
flush (Round *round, Dice *dice, Stream *stream)
{
  Stream *other = round->n_streams > 1 ? &round->stream[!stream->pad] : NULL;
  gboolean both = other && !one_in (dice, 4);
  GstEvent *start = gst_event_new_flush_start ();
  GstEvent *stop = gst_event_new_flush_stop (!one_in (dice, 4));

  if (other && stream->pad) { /* only the first one's thread does this */
    gst_event_unref (start);
    gst_event_unref (stop);
    return;
  }
  /* a GstAggregator that is stopped between both stays mute for good */
  g_mutex_lock (&round->states);
  g_mutex_lock (&round->lock);
  play_flush (round);
  g_mutex_unlock (&round->lock);
  gst_event_set_seqnum (stop, gst_event_get_seqnum (start));
  push (stream, gst_event_ref (start));
  if (both) {
    push (other, gst_event_ref (start));
    g_mutex_lock (&other->lock);
  }
  push (stream, gst_event_ref (stop));
  begin_segment (stream);
  if (both) {
    push (other, gst_event_ref (stop));
    begin_segment (other);
    if (other->ended)
      push (other, gst_event_new_eos ());
    g_mutex_unlock (&other->lock);
  }
  g_mutex_unlock (&round->states);
  gst_event_unref (start);
  gst_event_unref (stop);
}

static void
custom (Dice *dice, Stream *stream)
{
  static const GstEventType types[] = {GST_EVENT_CUSTOM_DOWNSTREAM,
      GST_EVENT_CUSTOM_DOWNSTREAM_OOB, GST_EVENT_CUSTOM_DOWNSTREAM_STICKY,
      GST_EVENT_CUSTOM_BOTH, GST_EVENT_CUSTOM_BOTH_OOB};

  push (stream,
      gst_event_new_custom (PICK (dice, types), metas_structure (dice)));
}

void
events_downstream (Round *round, Dice *dice, Stream *stream)
{
  switch (below (dice, 12)) {
    case 0:
    case 1:
      flush (round, dice, stream);
      break;
    case 2:
      other_segment (dice, stream);
      break;
    case 3:
    case 4:
      push (stream,
          gst_event_new_gap (stream->n * 40 * GST_MSECOND,
              one_in (dice, 3) ? GST_CLOCK_TIME_NONE : 40 * GST_MSECOND));
      break;
    case 5:
    case 6:
      if (round->n_streams == 1 || one_in (dice, 4))
        events_push_caps (round, dice, stream);
      break;
    case 7:
      push (stream, gst_event_new_tag (gst_tag_list_new_empty ()));
      break;
    case 8:
      push (stream, gst_event_new_segment_done (GST_FORMAT_TIME, 0));
      break;
    case 9:
      if (round->n_streams > 1)
        break;
      push (stream, gst_event_new_eos ());
      events_begin (round, dice, stream);
      break;
    default:
      custom (dice, stream);
  }
}

static GstEvent *
seek (Dice *dice)
{
  static const gdouble rates[] = {1, 1, 1, 2, -1, .1};
  gint64 start = below (dice, 3) * GST_SECOND;
  gint64 stop = one_in (dice, 2) ? -1 : start + below (dice, 2 * GST_SECOND);
  gdouble rate = PICK (dice, rates);

  return gst_event_new_seek (rate,
      one_in (dice, 8) ? GST_FORMAT_BYTES : GST_FORMAT_TIME,
      (one_in (dice, 4) ? 0 : GST_SEEK_FLAG_FLUSH) |
          (one_in (dice, 4) ? GST_SEEK_FLAG_SEGMENT : 0),
      GST_SEEK_TYPE_SET, start, GST_SEEK_TYPE_SET, stop);
}

/* A source that was told where to go gives as many frames as lie there. */
static GstEvent *
seek_source (Round *round, Dice *dice)
{
  g_mutex_lock (&round->lock);
  round->wanted = -1;
  g_mutex_unlock (&round->lock);
  return seek (dice);
}

/* Buttons and moves, in the frame and far outside of it. */
static GstEvent *
mouse (Dice *dice)
{
  static const gdouble wild[] = {-1, NAN, INFINITY, -1e300, 1e300};
  gdouble x = one_in (dice, 6) ? PICK (dice, wild) : unit (dice) * 64;
  gdouble y = one_in (dice, 6) ? PICK (dice, wild) : unit (dice) * 48;
  gint button = one_in (dice, 4) ? between (dice, -1, 5) : 1;
  GstNavigationModifierType keys = roll_keys (dice);

  switch (below (dice, 5)) {
    case 0:
      return gst_navigation_event_new_mouse_move (x, y, keys);
    case 1:
    case 2:
      return gst_navigation_event_new_mouse_button_press (button, x, y, keys);
    default:
      return gst_navigation_event_new_mouse_button_release (button, x, y, keys);
  }
}

/* Of another size, seldom. */
static GstEvent *
new_object (Round *round, Dice *dice)
{
  GstCaps *caps = gst_pad_get_current_caps (sink_pad (round));
  gint width = 64, height = 48;

  if (caps && !one_in (dice, 8)) {
    const GstStructure *s = gst_caps_get_structure (caps, 0);

    gst_structure_get_int (s, "width", &width);
    gst_structure_get_int (s, "height", &height);
  }
  gst_clear_caps (&caps);
  return gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM,
      metas_new_object (dice, (guint) width, (guint) height));
}

void
events_upstream (Round *round, Dice *dice)
{
  GstEvent *event;

  switch (below (dice, 9)) {
    case 0:
    case 1:
      event = gst_event_new_qos (
          one_in (dice, 2) ? GST_QOS_TYPE_UNDERFLOW : GST_QOS_TYPE_OVERFLOW,
          unit (dice) * 3, (GstClockTimeDiff) below (dice, 200) * GST_MSECOND,
          below (dice, 20) * 40 * GST_MSECOND);
      break;
    case 2:
      event = seek_source (round, dice);
      break;
    case 3:
      event = gst_event_new_reconfigure ();
      break;
    case 4:
      event = gst_event_new_latency (below (dice, 100) * GST_MSECOND);
      break;
    case 5:
    case 6:
      event = mouse (dice);
      break;
    case 7:
      event = new_object (round, dice);
      break;
    default:
      event = gst_event_new_custom (
          GST_EVENT_CUSTOM_UPSTREAM, metas_structure (dice));
  }
  gst_pad_push_event (sink_pad (round), event);
}

static GstQuery *
make_query (Round *round, Dice *dice)
{
  GstCaps *caps = round->stream[0].harness->srcpad
      ? gst_pad_get_current_caps (round->stream[0].harness->srcpad)
      : NULL;
  GstQuery *query;

  switch (below (dice, 8)) {
    case 0:
      query = gst_query_new_position (GST_FORMAT_TIME);
      break;
    case 1:
      query = gst_query_new_duration (GST_FORMAT_TIME);
      break;
    case 2:
      query = gst_query_new_latency ();
      break;
    case 3:
      query = gst_query_new_seeking (GST_FORMAT_TIME);
      break;
    case 4:
      query = gst_query_new_context ("gst.cuda.context");
      break;
    case 5:
      query = gst_query_new_caps (caps);
      break;
    case 6:
      if (caps) {
        query = gst_query_new_accept_caps (caps);
        break;
      }
      /* fall through */
    default:
      query = gst_query_new_custom (GST_QUERY_CUSTOM, metas_structure (dice));
  }
  gst_clear_caps (&caps);
  return query;
}

void
events_query (Round *round, Dice *dice)
{
  GstPad *pad = sink_pad (round);
  GstQuery *query;

  if (round->stream[0].harness->srcpad && one_in (dice, 2))
    pad = round->stream[0].harness->srcpad;
  query = make_query (round, dice);
  gst_pad_peer_query (pad, query);
  gst_query_unref (query);
}
