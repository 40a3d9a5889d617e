/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What an application does to a chain that plays.  What is serialized with
 * frames goes by the thread that brings them: chain_frames.c. */
#include "chains.h"

#include <string.h>

static GstPad *
first_pad (GstElement *element, gboolean is_src)
{
  GList *pads = is_src ? element->srcpads : element->sinkpads;

  return pads ? gst_object_ref (pads->data) : NULL;
}

/* Without a flush a seek waits for the source's thread, which may wait for the
 * sink or for another input. */
static gboolean
may_seek_on (Chain *chain)
{
  return GST_STATE (chain->pipeline) == GST_STATE_PLAYING &&
      !strstr (chain->line, "tee") && !strstr (chain->line, "identity") &&
      !strstr (chain->line, "name=p ") && !strstr (chain->line, "sync=true");
}

/* A GstBaseSrc (1.22 to 1.26) warns where the stop of an earlier seek, which
 * GST_SEEK_TYPE_NONE keeps, is before the start.  No seek is sent to an element
 * that the streaming thread may stop meanwhile: gst_element_send_event () holds
 * the lock of the element's state while the seek waits for that thread, also
 * for an identity (1.22). */
static void
seek_chain (Chain *chain, GstElement *member)
{
  static const gdouble rates[] = {1, 1, 1, -1, .5, -3, 1e-3};
  static const GstFormat formats[] = {GST_FORMAT_TIME, GST_FORMAT_TIME,
      GST_FORMAT_TIME, GST_FORMAT_BYTES, GST_FORMAT_DEFAULT,
      GST_FORMAT_PERCENT};
  static const GstSeekFlags flags[] = {GST_SEEK_FLAG_NONE, GST_SEEK_FLAG_NONE,
      GST_SEEK_FLAG_SEGMENT, GST_SEEK_FLAG_TRICKMODE, GST_SEEK_FLAG_ACCURATE};
  Dice *dice = &chain->dice;
  gdouble rate = PICK (dice, rates);
  gint64 start = below (dice, 300) * GST_MSECOND;
  gint64 stop = start + (1 + below (dice, 300)) * GST_MSECOND;
  gboolean goes_on = may_seek_on (chain) && one_in (dice, 3);
  gboolean to_member = one_in (dice, 4) && !g_atomic_int_get (&chain->relinks);

  gst_element_seek (to_member ? member : chain->pipeline, rate,
      PICK (dice, formats),
      PICK (dice, flags) | (goes_on ? 0 : GST_SEEK_FLAG_FLUSH),
      GST_SEEK_TYPE_SET, start, GST_SEEK_TYPE_SET,
      rate < 0 || one_in (dice, 2) ? stop : (gint64) GST_CLOCK_TIME_NONE);
}

/* A filter of caps in the chain, to be unreferenced; NULL: there is none. */
static GstElement *
find_filter (Chain *chain)
{
  GstIterator *all = gst_bin_iterate_all_by_element_factory_name (
      GST_BIN (chain->pipeline), "capsfilter");
  GstElement *filter = NULL;
  GValue value = G_VALUE_INIT;

  while ((!filter || one_in (&chain->dice, 2)) &&
      gst_iterator_next (all, &value) == GST_ITERATOR_OK) {
    gst_clear_object (&filter);
    filter = g_value_dup_object (&value);
    g_value_reset (&value);
  }
  g_value_unset (&value);
  gst_iterator_free (all);
  return filter;
}

/* Another size, and seldom another format. */
static void
renegotiate (Chain *chain)
{
  static const gchar *const formats[] = {
      "GRAY8", "GRAY16_LE", "RGB", "NV12", "I420", "YUY2", "P010_10LE", "BGRx"};
  Dice *dice = &chain->dice;
  GstElement *filter = find_filter (chain);
  GstCaps *caps;

  if (!filter)
    return;
  g_object_get (filter, "caps", &caps, NULL);
  caps = gst_caps_make_writable (caps);
  gst_caps_set_simple (caps, "width", G_TYPE_INT, 16 + 2 * below (dice, 40),
      "height", G_TYPE_INT, 16 + 2 * below (dice, 30), NULL);
  if (one_in (dice, 6))
    gst_caps_set_simple (
        caps, "format", G_TYPE_STRING, PICK (dice, formats), NULL);
  g_object_set (filter, "caps", caps, NULL);
  gst_caps_unref (caps);
  gst_object_unref (filter);
}

static void
change_chain_state (Chain *chain)
{
  static const GstState states[] = {
      GST_STATE_PAUSED, GST_STATE_READY, GST_STATE_NULL};

  gst_element_set_state (chain->pipeline, PICK (&chain->dice, states));
  g_usleep (below (&chain->dice, 3000));
  gst_element_set_state (chain->pipeline, GST_STATE_PLAYING);
}

/* One element is stopped and started while the rest plays. */
static void
change_one_state (Chain *chain, GstElement *member)
{
  static const GstState states[] = {
      GST_STATE_PAUSED, GST_STATE_READY, GST_STATE_NULL};

  gst_element_set_locked_state (member, TRUE);
  gst_element_set_state (member, PICK (&chain->dice, states));
  g_usleep (below (&chain->dice, 3000));
  gst_element_set_locked_state (member, FALSE);
  chain_start_alone ();
  gst_element_sync_state_with_parent (member);
}

static void
flush_member (Chain *chain, GstElement *member)
{
  GstPad *pad = first_pad (member, FALSE);

  if (!pad)
    return;
  gst_pad_send_event (pad, gst_event_new_flush_start ());
  gst_pad_send_event (pad, gst_event_new_flush_stop (one_in (&chain->dice, 2)));
  gst_object_unref (pad);
}

static void
ask_member (Chain *chain, GstElement *member)
{
  GstQuery *query;

  switch (below (&chain->dice, 5)) {
    case 0:
      query = gst_query_new_latency ();
      break;
    case 1:
      query = gst_query_new_caps (NULL);
      break;
    case 2:
      query = gst_query_new_duration (GST_FORMAT_TIME);
      break;
    case 3:
      query = gst_query_new_position (GST_FORMAT_TIME);
      break;
    default:
      query = gst_query_new_context ("gst.cuda.context");
  }
  gst_element_query (
      one_in (&chain->dice, 2) ? chain->pipeline : member, query);
  gst_query_unref (query);
}

static void
step_chain (Chain *chain)
{
  gst_element_set_state (chain->pipeline, GST_STATE_PAUSED);
  gst_element_send_event (chain->pipeline,
      gst_event_new_step (
          GST_FORMAT_BUFFERS, below (&chain->dice, 4), 1, TRUE, FALSE));
  gst_element_set_state (chain->pipeline, GST_STATE_PLAYING);
}

static void
change_latency (Chain *chain)
{
  gst_pipeline_set_latency (GST_PIPELINE (chain->pipeline),
      one_in (&chain->dice, 2) ? GST_CLOCK_TIME_NONE
                               : below (&chain->dice, 30) * GST_MSECOND);
  gst_bin_recalculate_latency (GST_BIN (chain->pipeline));
}

static void
click_at (Chain *chain)
{
  gdouble x = below (&chain->dice, 90), y = below (&chain->dice, 60);
  GstNavigationModifierType keys = roll_keys (&chain->dice);

  gst_element_send_event (chain->pipeline,
      one_in (&chain->dice, 2)
          ? gst_navigation_event_new_mouse_button_press (1, x, y, keys)
          : gst_navigation_event_new_mouse_button_release (1, x, y, keys));
}

static void
send_qos (Chain *chain, GstElement *member)
{
  static const GstQOSType types[] = {
      GST_QOS_TYPE_UNDERFLOW, GST_QOS_TYPE_OVERFLOW, GST_QOS_TYPE_THROTTLE};
  Dice *dice = &chain->dice;
  GstPad *pad = first_pad (member, TRUE);

  if (pad)
    gst_pad_send_event (pad,
        gst_event_new_qos (PICK (dice, types), unit (dice) * 3,
            below (dice, 200) * GST_MSECOND, below (dice, 300) * GST_MSECOND));
  gst_clear_object (&pad);
}

static void
relink_member (Chain *chain, GstElement *member)
{
  GstPad *sink = first_pad (member, FALSE);
  GstPad *src = sink ? gst_pad_get_peer (sink) : NULL;

  if (src)
    relink_behind (chain, src);
  gst_clear_object (&src);
  gst_clear_object (&sink);
}

/* EOS, and then the whole once more.  A GstBaseSrc (1.22) that is not started
 * keeps an EOS for ever. */
static void
end_and_play_again (Chain *chain)
{
  if (GST_STATE (chain->pipeline) > GST_STATE_READY)
    gst_element_send_event (chain->pipeline, gst_event_new_eos ());
  g_usleep (below (&chain->dice, 5000));
  gst_element_seek_simple (
      chain->pipeline, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, 0);
}

static void
change_properties (Chain *chain, GstElement *member)
{
  Round *round = &member_of (member)->round;

  switch (below (&chain->dice, 6)) {
    case 0:
      properties_read (round, &chain->dice);
      break;
    case 1:
      properties_preset (round, &chain->dice);
      break;
    case 2:
      properties_signal (round, &chain->dice);
      break;
    default:
      properties_set_one (round, &chain->dice);
  }
}

#define DO(what, call) \
 chain->doing = what; \
 call; \
 break

void
act_once (Chain *chain)
{
  GstElement *member = member_any (chain, &chain->dice);

  if (!member)
    return;
  switch (below (&chain->dice, 20)) {
    case 0:
    case 1:
      DO ("seek", seek_chain (chain, member));
    case 2:
      DO ("renegotiate", renegotiate (chain));
    case 3:
    case 4:
      DO ("relink", relink_member (chain, member));
    case 5:
      DO ("state", change_chain_state (chain));
    case 6:
    case 7:
      DO ("state of one", change_one_state (chain, member));
    case 8:
      DO ("flush", flush_member (chain, member));
    case 9:
      DO ("query", ask_member (chain, member));
    case 10:
      DO ("step", step_chain (chain));
    case 11:
      DO ("latency", change_latency (chain));
    case 12:
      DO ("mouse", click_at (chain));
    case 13:
      DO ("QoS", send_qos (chain, member));
    case 14:
    case 15:
      DO ("EOS", end_and_play_again (chain));
    default:
      DO ("properties", change_properties (chain, member));
  }
  gst_object_unref (member);
}
