/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What an element says: in messages, in its statistics, and of values. */
#pragma once

#include <gst/check/gstcheck.h>

#include <string.h>

/* The error of an info, a warning or an error; NULL: it is none of them. */
static inline GError *
error_told (GstMessage *message)
{
  GError *error = NULL;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_INFO)
    gst_message_parse_info (message, &error, NULL);
  else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING)
    gst_message_parse_warning (message, &error, NULL);
  return error;
}

/* The same of the next message of @type on @bus; NULL: there is none. */
static inline GError *
error_on (GstBus *bus, GstMessageType type)
{
  g_autoptr (GstMessage) message = gst_bus_pop_filtered (bus, type);

  return message ? error_told (message) : NULL;
}

/* @message, which this takes, is an info, a warning or an error that speaks of
 * @text. */
static inline void
expect_text (GstMessage *message, const gchar *text)
{
  g_autoptr (GError) error = message ? error_told (message) : NULL;

  fail_unless (error != NULL, "no message about %s", text);
  fail_unless (strstr (error->message, text) != NULL, "\"%s\" lacks \"%s\"",
      error->message, text);
  gst_message_unref (message);
}

/* The next results on @bus are @element's, of the frame at @time, and have @n
 * objects. */
static inline void
expect_results (GstBus *bus, const gchar *element, GstClockTime time, guint n)
{
  g_autoptr (GstMessage) message =
      gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT);
  const GstStructure *structure;
  guint64 told;

  fail_unless (message != NULL);
  structure = gst_message_get_structure (message);
  fail_unless (gst_structure_has_name (structure, element));
  fail_unless (gst_structure_get_uint64 (structure, "timestamp", &told));
  fail_unless_equals_uint64 (told, time);
  fail_unless_equals_int (
      gst_value_array_get_size (gst_structure_get_value (structure, "objects")),
      n);
}

/* The next message of @type on @bus speaks of @text, and there is no other. */
static inline void
expect_once (GstBus *bus, GstMessageType type, const gchar *text)
{
  expect_text (gst_bus_pop_filtered (bus, type), text);
  fail_unless (gst_bus_pop_filtered (bus, type) == NULL);
}

/* Waits for a message of @type that speaks of @text. */
static inline void
expect_soon (GstBus *bus, GstMessageType type, const gchar *text)
{
  expect_text (gst_bus_timed_pop_filtered (bus, 10 * GST_SECOND, type), text);
}

/* Nothing was warned of, nor failed. */
static inline void
expect_silence (GstBus *bus)
{
  g_autoptr (GstMessage) message =
      gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);

  fail_unless (message == NULL, "%" GST_PTR_FORMAT, message);
}

/* What @pipeline, which this takes, warns of until it ends, or fails with. */
static inline gchar *
said_until_end (GstElement *pipeline, const gchar *line)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GString *said = g_string_new (NULL);
  gboolean runs = TRUE;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (runs) {
    g_autoptr (GstMessage) m = gst_bus_timed_pop_filtered (bus, 50 * GST_SECOND,
        GST_MESSAGE_ERROR | GST_MESSAGE_WARNING | GST_MESSAGE_EOS);
    g_autoptr (GError) error = m ? error_told (m) : NULL;

    fail_unless (m != NULL, "%s: hangs", line);
    runs = GST_MESSAGE_TYPE (m) == GST_MESSAGE_WARNING;
    if (error)
      g_string_append_printf (said, "%s\n", error->message);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  return g_string_free (said, FALSE);
}

/* A count in the property stats. */
static inline guint64
stat_count (GstElement *element, const gchar *field)
{
  g_autoptr (GstStructure) stats = NULL;
  guint64 n;

  g_object_get (element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, field, &n));
  return n;
}

/* A number in the property stats. */
static inline gdouble
stat_number (GstElement *element, const gchar *field)
{
  g_autoptr (GstStructure) stats = NULL;
  gdouble x;

  g_object_get (element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_double (stats, field, &x));
  return x;
}

/* Of the whole numbers from 0 to @most @property takes @a and @b alone. */
static inline void
expect_choices (
    const gchar *element, const gchar *property, guint most, guint a, guint b)
{
  for (guint n = 0; n <= most; n++) {
    g_autofree gchar *line = g_strdup_printf ("%s %s=%u", element, property, n);
    GError *error = NULL;
    GstElement *made = gst_parse_launch (line, &error);

    if (n == a || n == b)
      fail_unless (made && !error, "%s: not taken", line);
    else
      fail_unless (g_error_matches (error, GST_PARSE_ERROR,
                       GST_PARSE_ERROR_COULD_NOT_SET_PROPERTY),
          "%s: taken", line);
    g_clear_error (&error);
    gst_clear_object (&made);
  }
}
