/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What happens to frames between two elements: some are lost, or kept and shown
 * to another element, or they come in pieces, too short, with other times and
 * with metas of other frames.  In the same thread properties change, and events
 * go downstream as an element before would send them. */
#include "chains.h"

#include <string.h>

typedef struct {
  Chain *chain;
  Dice dice;      /* of the thread that holds the pad's stream lock */
  gboolean waits; /* the sink, or an element of two inputs, waits for times */
} Meddler;

static GstBuffer *
change_times (Meddler *self, GstBuffer *buffer)
{
  static const GstClockTime times[] = {
      0, GST_CLOCK_TIME_NONE, G_MAXINT64 - 1, GST_SECOND};

  buffer = gst_buffer_make_writable (buffer);
  GST_BUFFER_PTS (buffer) = self->waits
      ? below (&self->dice, 20) * 5 * GST_MSECOND
      : PICK (&self->dice, times);
  return buffer;
}

static GstBuffer *
change_flags (Meddler *self, GstBuffer *buffer)
{
  static const GstBufferFlags flags[] = {GST_BUFFER_FLAG_DISCONT,
      GST_BUFFER_FLAG_GAP, GST_BUFFER_FLAG_DROPPABLE,
      GST_BUFFER_FLAG_CORRUPTED};

  buffer = gst_buffer_make_writable (buffer);
  GST_BUFFER_FLAG_SET (buffer, PICK (&self->dice, flags));
  GST_BUFFER_DURATION (buffer) =
      self->waits ? GST_CLOCK_TIME_NONE : roll (&self->dice);
  return buffer;
}

/* Whether a copy of further metas to @buffer would make GStreamer warn. */
static gboolean
has_analytics (GstBuffer *buffer)
{
  GType api = g_type_from_name ("GstAnalyticsRelationMetaAPI");

  return api && gst_buffer_get_meta (buffer, api);
}

static GstBuffer *
add_metas_of_kept (Meddler *self, GstBuffer *buffer)
{
  g_mutex_lock (&self->chain->lock);
  if (self->chain->kept && self->chain->kept != buffer &&
      !has_analytics (buffer)) {
    buffer = gst_buffer_make_writable (buffer);
    gst_buffer_copy_into (
        buffer, self->chain->kept, GST_BUFFER_COPY_META, 0, (gsize) -1);
  }
  g_mutex_unlock (&self->chain->lock);
  return buffer;
}

static void
keep_frame (Meddler *self, GstBuffer *buffer)
{
  g_mutex_lock (&self->chain->lock);
  gst_buffer_replace (&self->chain->kept, buffer);
  g_mutex_unlock (&self->chain->lock);
}

static GstBuffer *
split_frame (Meddler *self, GstBuffer *buffer)
{
  gsize size = gst_buffer_get_size (buffer), cut;
  GstBuffer *first;

  if (size < 2)
    return buffer;
  cut = 1 + below (&self->dice, (guint) size - 1);
  first = gst_buffer_copy_region (buffer, GST_BUFFER_COPY_ALL, 0, cut);
  first = gst_buffer_append (first,
      gst_buffer_copy_region (buffer, GST_BUFFER_COPY_MEMORY, cut, size - cut));
  gst_buffer_unref (buffer);
  return first;
}

static GstBuffer *
shorten (Meddler *self, GstBuffer *buffer)
{
  gsize size = gst_buffer_get_size (buffer);

  buffer = gst_buffer_make_writable (buffer);
  gst_buffer_set_size (buffer, (gssize) below (&self->dice, (guint) size + 1));
  return buffer;
}

static void
set_some_property (Meddler *self, GstPad *pad)
{
  GstElement *element = one_in (&self->dice, 2)
      ? member_any (self->chain, &self->dice)
      : gst_pad_get_parent_element (pad);

  if (element && member_of (element))
    properties_set_one (&member_of (element)->round, &self->dice);
  gst_clear_object (&element);
}

static GstEvent *
event_behind (Dice *dice)
{
  GstSegment segment;

  switch (below (dice, 8)) {
    case 0:
      return gst_event_new_eos ();
    case 1:
      return gst_event_new_gap (
          below (dice, 100) * GST_MSECOND, GST_CLOCK_TIME_NONE);
    case 2:
    case 3:
      gst_segment_init (&segment, GST_FORMAT_TIME);
      segment.rate = one_in (dice, 3) ? -1 : 1;
      if (segment.rate < 0 || one_in (dice, 2))
        segment.stop = (1 + below (dice, 100)) * GST_MSECOND;
      return gst_event_new_segment (&segment);
    case 4:
      return gst_event_new_segment_done (GST_FORMAT_TIME, 0);
    case 5:
      return gst_event_new_tag (gst_tag_list_new_empty ());
    default:
      return gst_event_new_custom (
          GST_EVENT_CUSTOM_DOWNSTREAM, metas_structure (dice));
  }
}

static void
flush_behind (GstPad *pad)
{
  const GstSegment *old;
  GstSegment segment;
  GstEvent *event = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);

  gst_segment_init (&segment, GST_FORMAT_TIME);
  if (event) {
    gst_event_parse_segment (event, &old);
    segment = *old;
    gst_event_unref (event);
  }
  gst_pad_push_event (pad, gst_event_new_flush_start ());
  gst_pad_push_event (pad, gst_event_new_flush_stop (TRUE));
  gst_pad_push_event (pad, gst_event_new_segment (&segment));
}

static void
ask_behind (Meddler *self, GstPad *pad)
{
  GstCaps *caps = gst_pad_get_current_caps (pad);
  GstQuery *query = caps && one_in (&self->dice, 2)
      ? gst_query_new_allocation (caps, one_in (&self->dice, 2))
      : gst_query_new_drain ();

  gst_pad_peer_query (pad, query);
  gst_query_unref (query);
  gst_clear_caps (&caps);
}

/* What the element of @pad might send.  A sink that flushes may let its bin
 * (1.22) recalculate the latency in this thread, under the bin's state lock; an
 * application that sends an event to a live source meanwhile holds that lock
 * and waits for this thread. */
static void
send_something (Meddler *self, GstPad *pad)
{
  if (!GST_PAD_IS_SRC (pad))
    return;
  switch (below (&self->dice, 6)) {
    case 0:
      if (!self->waits)
        flush_behind (pad);
      break;
    case 1:
    case 2:
      ask_behind (self, pad);
      break;
    default:
      gst_pad_push_event (pad, event_behind (&self->dice));
  }
}

static GstPadProbeReturn
meddle_with_frame (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Meddler *self = data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);

  if (g_atomic_int_get (&self->chain->over))
    return GST_PAD_PROBE_OK;
  switch (below (&self->dice, 20)) {
    case 0:
      return GST_PAD_PROBE_DROP;
    case 1:
      buffer = change_times (self, buffer);
      break;
    case 2:
      buffer = change_flags (self, buffer);
      break;
    case 3:
      buffer = add_metas_of_kept (self, buffer);
      break;
    case 4:
      keep_frame (self, buffer);
      break;
    case 5:
      buffer = split_frame (self, buffer);
      break;
    case 6:
      if (self->chain->play == PLAY_STOP || one_in (&self->dice, 4))
        buffer = shorten (self, buffer);
      break;
    case 7:
    case 8:
      set_some_property (self, pad);
      break;
    case 9:
      if (one_in (&self->dice, 2))
        send_something (self, pad);
      break;
    case 10:
    case 11:
      if (self->chain->play == PLAY_STOP)
        stop_from_within (self->chain, pad, &self->dice);
      break;
    default:
      break;
  }
  GST_PAD_PROBE_INFO_DATA (info) = buffer;
  return GST_PAD_PROBE_OK;
}

static void
free_meddler (gpointer data)
{
  chain_unref (((Meddler *) data)->chain);
  g_free (data);
}

void
frames_meddle (Chain *chain, Dice *dice, GstElement *element, guint one)
{
  for (GList *l = element->pads; l; l = l->next) {
    Meddler *self;

    if (!one_in (dice, one))
      continue;
    self = g_new0 (Meddler, 1);
    self->chain = chain_ref (chain);
    self->dice.seed = roll (dice);
    self->waits = strstr (chain->line, " sync=true") ||
        strstr (chain->line, "is-live=true");
    gst_pad_add_probe (l->data, GST_PAD_PROBE_TYPE_BUFFER, meddle_with_frame,
        self, free_meddler);
  }
}
