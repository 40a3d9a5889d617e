/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Messages: to GLib, where a warning or worse is a fault, and to the bus, where
 * an error says what became of frames. */
#include "stress.h"

#include <stdio.h>
#include <string.h>

static GPrivate current;         /* Round */
static GPrivate expects_refusal; /* not NULL: yes */

void
log_set_round (Round *round)
{
  g_private_set (&current, round);
}

void
log_expect (gboolean expects)
{
  g_private_set (&expects_refusal, GINT_TO_POINTER (expects));
}

/* GStreamer's own: a GstPad takes frames a moment before it asks for the events
 * that belong before them, where an element starts while others push; and where
 * both inputs flush, a GstAggregator may send a frame between the second flush
 * and its segment. */
static gboolean
is_early (const gchar *text)
{
  return strstr (text, "Got data flow before") != NULL;
}

static void
take_log (const gchar *domain, GLogLevelFlags level, const gchar *text,
    gpointer unused)
{
  (void) unused;
  if (!(level &
          (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING)))
    return;
  if (g_private_get (&expects_refusal) && strstr (text, "out of range"))
    return;
  if (is_early (text))
    return;
  stress_find (g_private_get (&current), "%s: %s: %s",
      level & G_LOG_LEVEL_WARNING ? "WARNING" : "CRITICAL",
      domain ? domain : "-", text);
}

void
log_watch (void)
{
  g_log_set_default_handler (take_log, NULL);
}

/* An error or warning is a sentence that can be read. */
static void
check_text (Round *round, GstMessage *message, const GError *error)
{
  if (!error || !error->message || !error->message[0])
    stress_find (round, "%s without a text", GST_MESSAGE_TYPE_NAME (message));
  else if (!g_utf8_validate (error->message, -1, NULL))
    stress_find (round, "%s is no UTF-8", GST_MESSAGE_TYPE_NAME (message));
  if (stress_is_loud && error)
    printf ("%s: %s\n", GST_MESSAGE_TYPE_NAME (message), error->message);
}

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
  GError *error = NULL;

  (void) bus;
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING)
    gst_message_parse_warning (message, &error, NULL);
  if (error)
    check_text (round, message, error);
  g_mutex_lock (&round->lock);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    round->tally.errors++;
    play_cut (round);
  }
  round->tally.warnings += GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING;
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_QOS)
    take_qos (round, message);
  g_mutex_unlock (&round->lock);
  g_clear_error (&error);
  gst_message_unref (message);
  return GST_BUS_DROP;
}

GstBus *
log_bus (Round *round)
{
  GstBus *bus = gst_bus_new ();

  gst_bus_set_sync_handler (bus, take_message, round, NULL);
  return bus;
}
