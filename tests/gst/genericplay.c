/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What must hold for every element of the plug-in: it plays to the end, twice
 * in one process. */
#include "elements.h"
#include "envicube.h"
#include "scopedetectscene.h"

/* What plays @element, which is `first` where it is a source.  One with two
 * inputs gets both views in one frame, or colour and depth. */
static gchar *
launch_line (const gchar *element)
{
  gboolean source = strstr (element, "src") != NULL;
  gboolean stereo = strcmp (element, "pocstereo") == 0;

  if (!strcmp (element, "scopedetect"))
    return g_strdup_printf (
        "visiontestsrc pattern=rgbd num-buffers=5 ! "
        "video/x-raw,width=160,height=120 ! queue ! s.sink_depth visiontestsrc "
        "name=first num-buffers=5 ! video/x-raw,width=160,height=120 ! queue ! "
        "s.sink_color scopedetect name=s models=%s "
        "intrinsics=150,150,79.5,59.5 queries=500 kept=500 clusters=50 ! "
        "fakesink",
        model_path);
  return g_strdup_printf ("%s name=first num-buffers=5 %s%s%s ! fakesink",
      source ? element : "visiontestsrc",
      stereo ? "pattern=stereo view=side-by-side ! "
               "video/x-raw,width=320,height=120 "
             : "",
      source ? "" : "! ", source ? "" : element);
}

static GstElement *
start_pipeline (const gchar *element)
{
  gchar *line = launch_line (element);
  GstElement *pipeline = gst_parse_launch (line, NULL), *first;

  fail_unless (pipeline != NULL, "cannot build %s", line);
  first = gst_bin_get_by_name (GST_BIN (pipeline), "first");
  give_cube (first);
  gst_object_unref (first);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_free (line);
  return pipeline;
}

static void
end_pipeline (GstElement *pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered (
      bus, 30 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);

  fail_unless (message != NULL, "no end of stream");
  fail_unless (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS, "%s failed",
      GST_MESSAGE_SRC_NAME (message));
  gst_message_unref (message);
  gst_object_unref (bus);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

/* As they are by default, both on the same device. */
GST_START_TEST (test_two_at_once)
{
  GList *all = elements ();

  for (GList *l = all; l; l = l->next) {
    GstElement *a = start_pipeline (GST_OBJECT_NAME (l->data));
    GstElement *b = start_pipeline (GST_OBJECT_NAME (l->data));

    end_pipeline (a);
    end_pipeline (b);
  }
  gst_plugin_feature_list_free (all);
}
GST_END_TEST;

static Suite *
genericplay_suite (void)
{
  Suite *suite = suite_create ("genericplay");
  TCase *tc = tcase_create ("every element");

  suite_add_tcase (suite, tc);
  tcase_add_checked_fixture (tc, make_cube, remove_folder);
  tcase_add_checked_fixture (tc, make_model, remove_model);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, test_two_at_once);
  return suite;
}

GST_CHECK_MAIN (genericplay);
