/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The bus of a round: an error says what became of frames, and a QoS message
 * counts those that an element without stats drops. */
#include "stress.h"

static void
take_qos (Round *round, GstMessage *message)
{
  guint64 processed, dropped;
  GstFormat format;

  gst_message_parse_qos_stats (message, &format, &processed, &dropped);
  (void) processed;
  if (!round->kind->has_stats && format == GST_FORMAT_BUFFERS)
    round->tally.dropped++;
}

static GstBusSyncReply
take_message (GstBus *bus, GstMessage *message, gpointer data)
{
  Round *round = data;

  (void) bus;
  log_check (round, message);
  g_mutex_lock (&round->lock);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    round->tally.errors++;
    play_cut (round);
  }
  round->tally.warnings += GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING;
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_QOS)
    take_qos (round, message);
  g_mutex_unlock (&round->lock);
  gst_message_unref (message);
  return GST_BUS_DROP;
}

GstBus *
bus_make (Round *round)
{
  GstBus *bus = gst_bus_new ();

  gst_bus_set_sync_handler (bus, take_message, round, NULL);
  return bus;
}
