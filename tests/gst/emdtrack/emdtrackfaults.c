/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element emdtrack: what is wrong with caps, files, targets and properties
 * is said in a sentence, and one frame's fault does not end the stream. */
#include "suite.h"
#include <glib/gstdio.h>

#include "emdtrackstage.h"

static GstCaps *
caps_of (const gchar *fields)
{
  g_autofree gchar *text =
      g_strconcat ("video/x-raw, framerate=25/1, ", fields, NULL);
  GstCaps *caps = gst_caps_from_string (text);

  fail_unless (caps != NULL, "%s", text);
  return caps;
}

/* @fields are refused by an error that speaks of @text. */
static void
refuse (const gchar *property, const gchar *value, const gchar *fields,
    const gchar *text)
{
  g_auto (Stage) s = stage_new (GST_VIDEO_FORMAT_UNKNOWN, TARGETS);

  if (property)
    gst_util_set_object_arg (G_OBJECT (s.h->element), property, value);
  gst_harness_set_src_caps (s.h, caps_of (fields));
  expect_text (gst_bus_pop_filtered (s.bus, GST_MESSAGE_ERROR), text);
}

#define GREY "format=GRAY8, width=60, height=40"

GST_START_TEST (test_layouts)
{
  refuse (NULL, NULL, GREY ", channels=3, channel-layout=stacked",
      "multiple of its channels");
  refuse (NULL, NULL, GREY ", channels=9, channel-layout=mosaic",
      "multiple of the mosaic's pattern");
  refuse (NULL, NULL, GREY ", channels=6, channel-layout=mosaic",
      "needs mosaic-pattern");
  refuse (NULL, NULL,
      GREY ", channels=6, channel-layout=mosaic, mosaic-pattern=4x2",
      "as many cells as channels");
  refuse ("mosaic-pattern", "five", GREY ", channels=6, channel-layout=mosaic",
      "such as 4x4");
  refuse (NULL, NULL, GREY ", channels=4, channel-layout=tangled",
      "neither mosaic nor stacked");
  refuse (NULL, NULL, GREY ", channels=4", "how they lie");
  refuse (NULL, NULL, GREY ", channels=20, channel-layout=stacked",
      "2 to 16 channels");
  refuse (NULL, NULL,
      "format=RGB, width=60, height=40, channels=4, channel-layout=stacked",
      "grey frames");
  refuse (NULL, NULL, "format=GRAY8, width=16385, height=2", "put videoscale");
}
GST_END_TEST;

GST_START_TEST (test_histograms)
{
  refuse ("histogram", "channels", GREY, "several channels");
  refuse ("histogram", "intensity", GREY ", channels=4, channel-layout=stacked",
      "frames of one channel");
  refuse ("window", "4", GREY, "window must be odd");
  refuse ("resume", "0.9", GREY, "resume must be at most occlude");
  refuse ("ground-distance", "file", GREY, "needs distance-file");
}
GST_END_TEST;

/* A file of @text as the distance between three bins. */
static void
try_file (const gchar *text, const gchar *problem)
{
  g_auto (Stage) s = stage_new (GST_VIDEO_FORMAT_UNKNOWN, TARGETS);
  g_autofree gchar *path = NULL;
  gint file = g_file_open_tmp ("emdtrack-XXXXXX", &path, NULL);

  fail_unless (file >= 0);
  g_close (file, NULL);
  g_file_set_contents (path, text, -1, NULL);
  g_object_set (
      s.h->element, "bins", 3, "distance-file", path, "emd-map", TRUE, NULL);
  gst_util_set_object_arg (G_OBJECT (s.h->element), "ground-distance", "file");
  gst_harness_set_src_caps (
      s.h, stage_format (&s, GST_VIDEO_FORMAT_GRAY8, WIDTH, HEIGHT));
  if (problem)
    expect_text (gst_bus_pop_filtered (s.bus, GST_MESSAGE_ERROR), problem);
  else
    gst_vision_objects_free (stage_push (&s));
  g_remove (path);
}

GST_START_TEST (test_files)
{
  try_file ("# three bins\n0 1 5\n1, 0, 2\n5;2;0\n", NULL);
  try_file ("0 1 5 1 0 2 4 2 0", "symmetric");
  try_file ("0 -1 5 -1 0 2 5 2 0", "0 or more");
  try_file ("0 nan 5 nan 0 2 5 2 0", "0 or more");
  try_file ("0 1 5 1 0 2 5 2", "holds 8 numbers, not bins x bins, which are 9");
  try_file ("0 1 5 1 0 2 5 2 0 7", "holds 10 numbers");
  try_file ("0 one 5 1 0 2 5 2 0", "something else than numbers");
  try_file ("0 0 0 0 0 0 0 0 0", "must exceed 0");
}
GST_END_TEST;

/* Sizes are 1, 3 or 5: no other number can be set. */
GST_START_TEST (test_scales)
{
  static const gchar *const lines[] = {
      "emdtrack scales=2", "emdtrack scales=4"};
  GstElement *element = gst_parse_launch ("emdtrack scales=5", NULL);

  fail_unless (element != NULL);
  gst_object_unref (element);
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    GError *error = NULL;

    element = gst_parse_launch (lines[i], &error);
    fail_unless (g_error_matches (error, GST_PARSE_ERROR,
                     GST_PARSE_ERROR_COULD_NOT_SET_PROPERTY),
        "%s: taken", lines[i]);
    g_clear_error (&error);
    gst_clear_object (&element);
  }
}
GST_END_TEST;

/* A text that cannot be read is warned of, and the targets before stay. */
GST_START_TEST (test_texts)
{
  static const struct {
    const gchar *text, *problem;
  } wrong[] = {
      {"square:30,40", "is written"},
      {"square:30,40,10,10 11", "is written"},
      {"30,40,0,10", "is empty"},
      {"30,40,10,-1", "is empty"},
      {"99999,40,10,10", "farther off"},
      {"0,0,5,5;0,0,5,5;0,0,5,5;0,0,5,5;0,0,5,5;0,0,5,5;0,0,5,5;0,0,5,5;"
       "0,0,5,5",
          "8 targets"},
      {"0123456789012345678901234567890123456789012345678901234567890123:"
       "0,0,5,5",
          "longer than 63"},
  };
  g_auto (Stage) s = stage_new (GST_VIDEO_FORMAT_RGB, TARGETS);

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    gchar *now;

    g_object_set (s.h->element, "targets", wrong[i].text, NULL);
    expect_text (
        gst_bus_pop_filtered (s.bus, GST_MESSAGE_WARNING), wrong[i].problem);
    g_object_get (s.h->element, "targets", &now, NULL);
    fail_unless_equals_string (now, TARGETS);
    g_free (now);
    stage_follow (&s, 1, 3);
  }
}
GST_END_TEST;

/* A box outside of the frame is warned of, each by its name; others are
 * followed. */
GST_START_TEST (test_outside)
{
  g_auto (Stage) s = stage_new (
      GST_VIDEO_FORMAT_RGB, "far:500,500,10,10;left:-30,0,20,20;" TARGETS);

  stage_follow (&s, 5, 3);
  expect_text (gst_bus_pop_filtered (s.bus, GST_MESSAGE_WARNING),
      "\"far\" at 500,500,10,10 is left out: its box");
  expect_text (gst_bus_pop_filtered (s.bus, GST_MESSAGE_WARNING),
      "\"left\" at -30,0,20,20 is left out: its box");
  g_object_set (s.h->element, "targets", "below:0,900,20,20;" TARGETS, NULL);
  s.n = 0;
  stage_follow (&s, 5, 3);
  expect_text (gst_bus_pop_filtered (s.bus, GST_MESSAGE_WARNING), "\"below\"");
  fail_unless (stat_count (s.h->element, "faulty") == 0);
}
GST_END_TEST;

/* Properties that fit no more while it plays: frames pass, and are counted. */
GST_START_TEST (test_playing)
{
  g_auto (Stage) s = stage_new (GST_VIDEO_FORMAT_RGB, TARGETS);
  GstBuffer *buffer;

  stage_follow (&s, 3, 3);
  g_object_set (s.h->element, "window", 6, NULL);
  buffer = gst_harness_push_and_pull (s.h, stage_frame (&s));
  fail_unless (
      gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_RESULT) == NULL);
  gst_buffer_unref (buffer);
  expect_text (
      gst_bus_pop_filtered (s.bus, GST_MESSAGE_WARNING), "window must be odd");
  fail_unless (stat_count (s.h->element, "faulty") == 1);
  g_object_set (s.h->element, "window", 7, "resume", .9, NULL);
  gst_buffer_unref (gst_harness_push_and_pull (s.h, stage_frame (&s)));
  expect_text (gst_bus_pop_filtered (s.bus, GST_MESSAGE_WARNING),
      "resume must be at most occlude");
  g_object_set (s.h->element, "resume", .35, NULL);
  g_object_set (s.h->element, "window", 7, NULL);
  stage_follow (&s, 3, 3);
}
GST_END_TEST;

SUITE (emdtrackfaults, TIMEOUT (120), TEST (test_layouts),
    TEST (test_histograms), TEST (test_files), TEST (test_scales),
    TEST (test_texts), TEST (test_outside), TEST (test_playing));
