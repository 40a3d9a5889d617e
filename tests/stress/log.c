/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is said: to GLib, where a warning or worse is a fault, and on the bus,
 * where an error or a warning is a sentence that can be read. */
#include "stress.h"

#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEEPEST 8 /* frames of the stack with GLib's part of a message */
#define NEAREST 4 /* frames behind these with whoever called */
#define MOST_KNOWN 2

static const gchar *blamed;                /* NULL: each library */
static const gchar *known_too[MOST_KNOWN]; /* atomic: texts, or NULL */
static GPrivate current;                   /* Round */
static GPrivate expects_refusal;           /* not NULL: yes */
static GPrivate allowed;                   /* a text, or NULL */

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

void
log_allow (const gchar *text)
{
  g_private_set (&allowed, (gpointer) text);
}

/* GStreamer's own (1.22):
 * - a GstPad takes frames a moment before it asks for the events that belong
 *   before them, where an element starts while others push; and where both
 *   inputs flush, a GstAggregator may send a frame between the second flush and
 *   its segment;
 * - a sink that is to step asks its segment for a time, of whatever format the
 *   segment is;
 * - a videotestsrc that has no caps yet converts the times of a seek by them.
 */
static gboolean
is_known (const gchar *text)
{
  static const gchar *const known[] = {"Got data flow before",
      "gst_segment_position_from_running_time", "gst_video_info_convert"};

  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (strstr (text, known[i]))
      return TRUE;
  for (guint i = 0; i < MOST_KNOWN; i++) {
    const gchar *too = g_atomic_pointer_get (&known_too[i]);

    if (too && strstr (text, too))
      return TRUE;
  }
  return FALSE;
}

void
log_know (const gchar *text)
{
  for (guint i = 0; i < MOST_KNOWN; i++)
    if (!text)
      g_atomic_pointer_set (&known_too[i], NULL);
    else if (g_atomic_pointer_compare_and_exchange (
                 &known_too[i], NULL, text) ||
        g_atomic_pointer_get (&known_too[i]) == text)
      return;
}

void
log_blame (const gchar *library)
{
  blamed = library;
}

/* Whether the library that is to blame called the function that complains. */
static gboolean
is_to_blame (void)
{
  gpointer at[64];
  gint n = backtrace (at, G_N_ELEMENTS (at)), last = 0;
  gchar **names = backtrace_symbols (at, n);
  gboolean called = FALSE;

  for (gint i = 0; i < n && i < DEEPEST; i++)
    if (strstr (names[i], "libglib"))
      last = i;
  for (gint i = last; i < n && i < last + NEAREST; i++)
    called |= strstr (names[i], blamed) != NULL;
  free (names);
  return called;
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
  if (is_known (text) || (blamed && !is_to_blame ()) ||
      (g_private_get (&allowed) && strstr (text, g_private_get (&allowed))))
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

static void
check_text (const Round *round, GstMessage *message, const GError *error)
{
  if (!error || !error->message || !error->message[0])
    stress_find (round, "%s without a text", GST_MESSAGE_TYPE_NAME (message));
  else if (!g_utf8_validate (error->message, -1, NULL))
    stress_find (round, "%s is no UTF-8", GST_MESSAGE_TYPE_NAME (message));
  if (stress_is_loud && error)
    printf ("%s: %s: %s\n", GST_MESSAGE_SRC_NAME (message),
        GST_MESSAGE_TYPE_NAME (message), error->message);
}

void
log_check (const Round *round, GstMessage *message)
{
  GError *error = NULL;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING)
    gst_message_parse_warning (message, &error, NULL);
  else
    return;
  check_text (round, message, error);
  g_clear_error (&error);
}
