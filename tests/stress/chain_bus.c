/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Messages of a chain.  Where an element says something, its properties may
 * change in the same thread. */
#include "chains.h"

static GPrivate answers; /* Dice of this thread while it answers a message */

/* A property that is set may bring the next message, in the same thread. */
static void
answer_message (Chain *chain, GstMessage *message)
{
  GstElement *element = GST_ELEMENT (GST_MESSAGE_SRC (message));
  Dice dice = {chain->seed ^ gst_message_get_seqnum (message), 0};
  Member *member = member_of (element);

  if (!member || g_atomic_int_get (&chain->over) || g_private_get (&answers))
    return;
  g_private_set (&answers, &dice);
  if (chain->play == PLAY_STOP && one_in (&dice, 2))
    stop_from_within (chain, element, &dice);
  else if (one_in (&dice, 2))
    properties_set_one (&member->round, &dice);
  else if (one_in (&dice, 2))
    properties_read (&member->round, &dice);
  g_private_set (&answers, NULL);
}

static void
count_qos (GstMessage *message)
{
  Member *member = member_of (GST_ELEMENT (GST_MESSAGE_SRC (message)));
  guint64 processed, dropped;
  GstFormat format;

  gst_message_parse_qos_stats (message, &format, &processed, &dropped);
  if (member && format == GST_FORMAT_BUFFERS)
    g_atomic_int_inc (&member->dropped);
}

/* The end and errors are for bus_wait_for_end (). */
static GstBusSyncReply
take_chain_message (GstBus *bus, GstMessage *message, gpointer data)
{
  Chain *chain = data;
  GstMessageType type = GST_MESSAGE_TYPE (message);

  (void) bus;
  log_check (NULL, message);
  if (type == GST_MESSAGE_ERROR)
    g_atomic_int_inc (&chain->errors);
  if (type == GST_MESSAGE_QOS)
    count_qos (message);
  if (type & (GST_MESSAGE_ELEMENT | GST_MESSAGE_WARNING | GST_MESSAGE_ERROR))
    answer_message (chain, message);
  if (type & (GST_MESSAGE_EOS | GST_MESSAGE_ERROR))
    return GST_BUS_PASS;
  gst_message_unref (message);
  return GST_BUS_DROP;
}

void
bus_watch (Chain *chain)
{
  chain->bus = gst_element_get_bus (chain->pipeline);
  gst_bus_set_sync_handler (chain->bus, take_chain_message, chain, NULL);
}

gboolean
bus_wait_for_end (Chain *chain, gint seconds)
{
  gint until = g_atomic_int_get (&stress_idle) + seconds;
  GstMessage *message = NULL;

  while (!message && g_atomic_int_get (&stress_idle) < until)
    message = gst_bus_timed_pop_filtered (
        chain->bus, GST_SECOND / 5, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  if (!message)
    return FALSE;
  gst_message_unref (message);
  return TRUE;
}
