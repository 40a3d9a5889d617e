/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * visiontestsrc: seeks, and caps that change. */

#define SHOWN 40
#define RATE ",framerate=30000/1001"

static GstElement *
pipeline_new (void)
{
  GstElement *pipeline = gst_parse_launch (
      "visiontestsrc " FAST " ! video/x-raw" RATE SMALL " ! fakesink name=sink",
      NULL);

  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  fail_unless (gst_element_get_state (pipeline, NULL, NULL, 10 * GST_SECOND) ==
      GST_STATE_CHANGE_SUCCESS);
  return pipeline;
}

static void
pipeline_free (GstElement *pipeline)
{
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

/* The frame that a paused pipeline shows after a seek to @time. */
static GstBuffer *
shown_at (GstElement *pipeline, GstClockTime time)
{
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GstSample *sample;
  GstBuffer *buffer;

  fail_unless (gst_element_seek_simple (
      pipeline, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, time));
  fail_unless (gst_element_get_state (pipeline, NULL, NULL, 10 * GST_SECOND) ==
      GST_STATE_CHANGE_SUCCESS);
  g_object_get (sink, "last-sample", &sample, NULL);
  fail_unless (sample != NULL);
  buffer = gst_buffer_ref (gst_sample_get_buffer (sample));
  gst_sample_unref (sample);
  gst_object_unref (sink);
  return buffer;
}

GST_START_TEST (test_seeks)
{
  static const guint to[] = {0, 1, 39, 7, 7, 38, 20};
  GstHarness *h =
      play ("num-buffers=" G_STRINGIFY (SHOWN), "video/x-raw" RATE SMALL);
  GstElement *pipeline = pipeline_new ();
  GstBuffer *played[SHOWN], *sought;

  for (guint i = 0; i < SHOWN; i++)
    played[i] = pull (h);
  for (guint i = 0; i < G_N_ELEMENTS (to); i++) {
    GstBuffer *there = played[to[i]];
    /* where it begins, and anywhere before the next one does */
    GstClockTime time = GST_BUFFER_PTS (there) + i % 3 * 16600000;

    sought = shown_at (pipeline, time);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (sought), GST_BUFFER_PTS (there));
    fail_unless_equals_uint64 (GST_BUFFER_OFFSET (sought), to[i]);
    check_same (sought, there, TRUE);
    gst_buffer_unref (sought);
  }
  for (guint i = 0; i < SHOWN; i++)
    gst_buffer_unref (played[i]);
  pipeline_free (pipeline);
  gst_harness_teardown (h);
}
GST_END_TEST;

static void
note_number (GstElement *sink, GstBuffer *buffer, GstPad *pad, GArray *numbers)
{
  guint64 number = GST_BUFFER_OFFSET (buffer);

  (void) sink, (void) pad;
  g_array_append_val (numbers, number);
}

/* From the end to the start, each frame once. */
GST_START_TEST (test_reverse)
{
  GstElement *pipeline = pipeline_new ();
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GArray *numbers = g_array_new (FALSE, FALSE, sizeof (guint64));
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;

  fail_unless (gst_element_seek (pipeline, -1, GST_FORMAT_TIME,
      GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_SET,
      gst_util_uint64_scale (10, 1001 * GST_SECOND, 30000)));
  g_signal_connect (sink, "handoff", G_CALLBACK (note_number), numbers);
  g_object_set (sink, "signal-handoffs", TRUE, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (
      bus, 10 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS);
  fail_unless_equals_int (numbers->len, 10);
  for (guint i = 0; i < 10; i++)
    fail_unless_equals_uint64 (g_array_index (numbers, guint64, i), 9 - i);
  gst_message_unref (message);
  g_array_unref (numbers);
  gst_object_unref (bus);
  gst_object_unref (sink);
  pipeline_free (pipeline);
}
GST_END_TEST;

/* Another size and rate in mid-stream: numbers and times go on. */
GST_START_TEST (test_caps_change)
{
  GstHarness *h = play ("", "video/x-raw,format=NV12,framerate=10/1" SMALL);
  GstCaps *caps = gst_caps_from_string (
      "video/x-raw,format=RGB,width=33,height=21,framerate=50/1");
  GstClockTime end = 0;
  guint changed = 0;

  for (guint i = 0; changed < 5; i++) {
    GstBuffer *buffer = pull (h);
    GstVisionObjects *truth =
        gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_TRUTH);

    fail_unless (i < 20, "the caps do not change");
    changed += truth->ref_width == 33;
    fail_unless_equals_int (
        gst_buffer_get_size (buffer), changed ? 21 * 100 : 160 * 120 * 3 / 2);
    fail_unless_equals_uint64 (GST_BUFFER_OFFSET (buffer), i);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), end);
    fail_unless_equals_uint64 (
        GST_BUFFER_DURATION (buffer), GST_SECOND / (changed ? 50 : 10));
    end += GST_BUFFER_DURATION (buffer);
    if (i == 3)
      gst_harness_set (h, "capsfilter", "caps", caps, NULL);
    gst_vision_objects_free (truth);
    gst_buffer_unref (buffer);
  }
  gst_caps_unref (caps);
  gst_harness_teardown (h);
}
GST_END_TEST;
