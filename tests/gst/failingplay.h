/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A pipeline whose element works on a device that fails, at each of its calls
 * in turn. */
#pragma once

#include "failing.h"

#include <gst/check/gstcheck.h>

#include <string.h>

#include "base/gstvisionaggregator.h"
#include "base/gstvisionfilter.h"

typedef const char *(*OpenDevice) (Device *, DeviceKind, void *);

/* The pipeline @text, whose element of that name opens its device by
 * @open_device. */
static inline GstElement *
failing_pipeline (const gchar *text, const gchar *name, OpenDevice open_device)
{
  GstElement *pipeline = gst_parse_launch (text, NULL);
  GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), name);

  if (g_type_is_a (
          G_OBJECT_TYPE (element), g_type_from_name ("GstVisionAggregator")))
    ((GstVisionAggregatorClass *) G_OBJECT_GET_CLASS (element))->open_device =
        open_device;
  else
    ((GstVisionFilterClass *) G_OBJECT_GET_CLASS (element))->open_device =
        open_device;
  gst_object_unref (element);
  return pipeline;
}

/* The one error of the element @name, or NULL if there is none.  The source's,
 * which cannot go on then, is the end. */
static inline GError *
failing_play (GstElement *pipeline, const gchar *name)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GError *error = NULL, *other;
  GstMessage *message;
  gboolean ended = FALSE;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (!ended) {
    message = gst_bus_timed_pop_filtered (
        bus, 20 * GST_SECOND, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
    fail_unless (message != NULL, "neither error nor end");
    ended = strcmp (GST_MESSAGE_SRC_NAME (message), name) != 0;
    if (!ended) {
      gst_message_parse_error (message, &other, NULL);
      fail_unless (error == NULL, "a second error: %s", other->message);
      error = other;
    }
    gst_message_unref (message);
  }
  fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_NULL),
      GST_STATE_CHANGE_SUCCESS);
  gst_object_unref (bus);
  return error;
}

/* At each call: the error says what can be done, and nothing is left behind;
 * and a healthy device goes on.  There are more than 15 calls. */
static inline void
failing_play_all (GstElement *pipeline, const gchar *name)
{
  gboolean reached = TRUE;

  for (gint k = 1; reached; k++) {
    GError *error;

    failing_reset (k);
    error = failing_play (pipeline, name);
    reached = failing_calls >= k && error;
    if (error)
      fail_unless (g_error_matches (error, GST_RESOURCE_ERROR,
                       GST_RESOURCE_ERROR_NO_SPACE_LEFT) ||
              g_error_matches (
                  error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED),
          "call %d: %s", k, error->message);
    fail_unless (reached || k > 15, "%d calls", k);
    g_clear_error (&error);
    fail_unless_equals_int (failing_blocks, 0);
  }
  failing_reset (0);
  fail_unless (failing_play (pipeline, name) == NULL);
}
