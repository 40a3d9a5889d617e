/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gpuccl in a pipeline on a device that fails, at each of its calls in turn. */
#include "../failing.h"

#include <gst/check/gstcheck.h>

#include "base/gstvisionfilter.h"

static GstElement *
make_pipeline (void)
{
  GstElement *pipeline = gst_parse_launch (
      "visiontestsrc pattern=rgbd num-buffers=4 motion-start=0 speed=8 ! "
      "video/x-raw,width=80,height=60 ! gpuccl name=g frames=1 min-size=20 "
      "min-extent=3 ! fakesink",
      NULL);
  GstElement *gpuccl = gst_bin_get_by_name (GST_BIN (pipeline), "g");

  ((GstVisionFilterClass *) G_OBJECT_GET_CLASS (gpuccl))->open_device =
      failing_open;
  gst_object_unref (gpuccl);
  return pipeline;
}

/* The one error of the element g, or NULL where there is none.  The source's,
 * which cannot go on then, is the end. */
static GError *
play (GstElement *pipeline)
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
    ended = strcmp (GST_MESSAGE_SRC_NAME (message), "g") != 0;
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

/* The error says what can be done, nothing is left behind, and a healthy device
 * goes on. */
GST_START_TEST (test_element)
{
  GstElement *pipeline = make_pipeline ();
  gboolean reached = TRUE;
  gint k = 1;

  for (; reached; k++) {
    GError *error;

    failing_reset (k);
    error = play (pipeline);
    reached = failing_calls >= k && error;
    if (error)
      fail_unless (g_error_matches (error, GST_RESOURCE_ERROR,
                       GST_RESOURCE_ERROR_NO_SPACE_LEFT) ||
              g_error_matches (
                  error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED),
          "call %d: %s", k, error->message);
    g_clear_error (&error);
    fail_unless_equals_int (failing_blocks, 0);
  }
  fail_unless (k > 15, "%d calls", k);
  failing_reset (0);
  fail_unless (play (pipeline) == NULL);
  gst_object_unref (pipeline);
}
GST_END_TEST;

static Suite *
gpucclfailing_suite (void)
{
  Suite *suite = suite_create ("gpucclfailing");
  TCase *tc = tcase_create ("failing");

  suite_add_tcase (suite, tc);
  tcase_set_timeout (tc, 100);
  tcase_add_test (tc, test_element);
  return suite;
}

GST_CHECK_MAIN (gpucclfailing);
