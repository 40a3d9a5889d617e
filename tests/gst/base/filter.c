/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GstVisionFilter, the parent of elements with one input: which frames it
 * takes, what becomes of them, and what it does while it plays. */
#include "suite.h"

#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gstinterpolationcontrolsource.h>

#include "base/gstvisioninput.h"
#include "oneinput.h"
#include "said.h"

/* Every format that is offered, at odd sizes too, is negotiated and seen as
 * what it is. */
GST_START_TEST (test_formats)
{
  static const gint sizes[][2] = {{1, 1}, {5, 3}, {64, 48}, {1, 100}};
  GValue list = G_VALUE_INIT;
  g_auto (One) t = one_new ();

  g_value_init (&list, GST_TYPE_LIST);
  fail_unless (gst_value_deserialize (&list, FORMATS));
  for (guint i = 0; i < 4 * gst_value_list_get_size (&list); i++) {
    const gchar *name =
        g_value_get_string (gst_value_list_get_value (&list, i / 4));
    GstVideoInfo info;
    GstBuffer *buffer;

    gst_video_info_set_format (&info, gst_video_format_from_string (name),
        sizes[i % 4][0], sizes[i % 4][1]);
    gst_harness_set_src_caps (t.h, gst_video_info_to_caps (&info));
    buffer = gst_harness_push_and_pull (t.h, frame_of (info.size, 0));
    fail_unless (buffer != NULL, "%s", name);
    fail_unless_equals_int (first_byte (buffer), 10);
    gst_buffer_unref (buffer);
    fail_unless_equals_int (t.element->seen.width, sizes[i % 4][0]);
    fail_unless_equals_int (t.element->seen.height, sizes[i % 4][1]);
    fail_unless_equals_int (t.element->seen.stride[0], info.stride[0]);
    fail_unless_equals_int (t.element->opened, i + 1);
    fail_unless_equals_int (t.element->closed, i);
  }
  g_value_unset (&list);
}
GST_END_TEST;

/* CUDA memory is offered for all formats but grey, which it does not know. */
GST_START_TEST (test_templates)
{
  g_autoptr (GstCaps) caps = gst_vision_caps ("{ NV12, GRAY8 }");
  g_autoptr (GstCaps) yes =
      gst_caps_from_string ("video/x-raw(memory:CUDAMemory),format=NV12;"
                            "video/x-raw,format=NV12;video/x-raw,format=GRAY8");
  g_autoptr (GstCaps) no =
      gst_caps_from_string ("video/x-raw(memory:CUDAMemory),format=GRAY8");

  for (guint i = 0; i < 3; i++) {
    g_autoptr (GstCaps) one = gst_caps_copy_nth (yes, i);

    fail_unless (gst_caps_can_intersect (caps, one));
  }
  fail_if (gst_caps_can_intersect (caps, no));
}
GST_END_TEST;

/* Rows longer than they need be, as GstVideoMeta says. */
GST_START_TEST (test_strides)
{
  g_auto (One) t = one_new ();
  gsize offset[GST_VIDEO_MAX_PLANES] = {100, 100 + 4 * 32};
  gint stride[GST_VIDEO_MAX_PLANES] = {32, 48};
  g_autoptr (GstBuffer) buffer = frame_of (100 + 4 * 32 + 2 * 48, 0);

  gst_harness_set_src_caps_str (t.h, CAPS ("NV12", 8, 4));
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_FORMAT_NV12, 8, 4, 2, offset, stride);
  buffer = gst_harness_push_and_pull (t.h, buffer);
  fail_unless_equals_int (t.element->seen.stride[0], 32);
  fail_unless_equals_int (t.element->seen.stride[1], 48);
  fail_unless_equals_int (
      t.element->seen.plane[1] - t.element->seen.plane[0], 4 * 32);
  fail_unless_equals_int (first_byte (buffer), 9);
}
GST_END_TEST;

/* What a log function of the next test has seen. */
typedef struct {
  guint frames;
  GstClockTime latency;
} Traced;

static void
take_trace (GstDebugCategory *category, GstDebugLevel level, const gchar *file,
    const gchar *function, gint line, GObject *object, GstDebugMessage *message,
    gpointer user)
{
  const gchar *text = gst_debug_message_get (message);
  GstStructure *s;
  Traced *traced = user;

  (void) category, (void) level, (void) file, (void) function, (void) line;
  (void) object;
  if (!text || !g_str_has_prefix (text, "vision-frame, "))
    return;
  s = gst_structure_from_string (text, NULL);
  fail_unless (s != NULL, "%s", text);
  fail_unless_equals_string (gst_structure_get_string (s, "element"), "one");
  fail_unless (gst_structure_get_uint64 (s, "latency", &traced->latency));
  traced->frames++;
  gst_structure_free (s);
}

/* A tracer's record of each frame, if the log asks for it. */
GST_START_TEST (test_trace)
{
  g_auto (One) t = one_new ();
  Traced traced = {0};
  guint64 latency;
  g_autoptr (GstStructure) stats = NULL;

  gst_object_set_name (GST_OBJECT (t.h->element), "one");
  gst_debug_add_log_function (take_trace, &traced, NULL);
  gst_harness_set_src_caps_str (t.h, CAPS ("RGB", 4, 4));
  gst_buffer_unref (gst_harness_push_and_pull (t.h, frame_of (48, 0)));
  fail_unless_equals_int (traced.frames, 0);
  gst_debug_set_threshold_for_name ("GST_TRACER", GST_LEVEL_TRACE);
  for (guint i = 1; i < 4; i++)
    gst_buffer_unref (
        gst_harness_push_and_pull (t.h, frame_of (48, i * GST_MSECOND)));
  gst_debug_unset_threshold_for_name ("GST_TRACER");
  gst_debug_remove_log_function (take_trace);
  fail_unless_equals_int (traced.frames, 3);
  g_object_get (t.h->element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, "latency", &latency));
  fail_unless_equals_uint64 (traced.latency, latency);
}
GST_END_TEST;

/* What another branch holds of the frame stays as it was. */
GST_START_TEST (test_shared_buffer)
{
  g_auto (One) t = one_new ();
  g_autoptr (GstBuffer) kept = frame_of (48, 0), drawn = NULL;

  gst_harness_set_src_caps_str (t.h, CAPS ("RGB", 4, 4));
  drawn = gst_harness_push_and_pull (t.h, gst_buffer_ref (kept));
  fail_unless_equals_int (first_byte (kept), 9);
  fail_unless_equals_int (first_byte (drawn), 10);
}
GST_END_TEST;

/* A sink that says it is late: frames are skipped, and counted at the end. */
GST_START_TEST (test_qos)
{
  g_auto (One) t = one_new ();

  gst_base_transform_set_qos_enabled (GST_BASE_TRANSFORM (t.element), TRUE);
  gst_harness_set_src_caps_str (t.h, CAPS ("RGB", 4, 4));
  gst_harness_push (t.h, frame_of (48, 0));
  gst_harness_push_upstream_event (t.h,
      gst_event_new_qos (
          GST_QOS_TYPE_UNDERFLOW, 2., 100 * GST_MSECOND, 40 * GST_MSECOND));
  for (guint i = 1; i <= 10; i++)
    gst_harness_push (t.h, frame_of (48, i * 40 * GST_MSECOND));
  gst_harness_push_event (t.h, gst_event_new_eos ());
  fail_unless (stat_count (t.h->element, "dropped") > 0);
  fail_unless_equals_uint64 (stat_count (t.h->element, "dropped") +
          stat_count (t.h->element, "frames"),
      11);
  fail_unless_equals_uint64 (
      stat_count (t.h->element, "frames"), gst_harness_buffers_received (t.h));
}
GST_END_TEST;

/* What cannot keep up says so once; what is fast enough, or has no rate to keep
 * up with, does not. */
GST_START_TEST (test_pace)
{
  static const struct {
    const gchar *caps;
    gulong sleep;
    gboolean warns;
  } cases[] = {
      {"video/x-raw,format=RGB,width=4,height=4,framerate=500/1", 4000, TRUE},
      {"video/x-raw,format=RGB,width=4,height=4,framerate=1/1", 4000, FALSE},
      {"video/x-raw,format=RGB,width=4,height=4,framerate=0/1", 4000, FALSE}};

  for (guint c = 0; c < G_N_ELEMENTS (cases); c++) {
    g_auto (One) t = one_new ();
    GstMessage *message;

    t.element->sleep = cases[c].sleep;
    gst_harness_set_src_caps_str (t.h, cases[c].caps);
    for (guint i = 0; i < 30; i++) {
      gst_buffer_unref (
          gst_harness_push_and_pull (t.h, frame_of (48, i * GST_MSECOND)));
      gst_harness_push_upstream_event (t.h,
          gst_event_new_qos (
              GST_QOS_TYPE_UNDERFLOW, 2., 5 * GST_MSECOND, i * GST_MSECOND));
      message = gst_bus_pop_filtered (t.bus, GST_MESSAGE_WARNING);
      if (cases[c].warns && i == 9)
        expect_text (message, "500.0 come");
      else
        fail_unless (message == NULL, "frame %u", i);
    }
  }
}
GST_END_TEST;

/* Frames that were skipped when the element stops are counted, too. */
GST_START_TEST (test_qos_and_stop)
{
  g_auto (One) t = one_new ();

  gst_base_transform_set_qos_enabled (GST_BASE_TRANSFORM (t.element), TRUE);
  gst_harness_set_src_caps_str (t.h, CAPS ("RGB", 4, 4));
  gst_harness_push (t.h, frame_of (48, 0));
  gst_harness_push_upstream_event (t.h,
      gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 2., GST_SECOND, GST_SECOND));
  gst_harness_push (t.h, frame_of (48, 40 * GST_MSECOND));
  gst_element_set_state (t.h->element, GST_STATE_READY);
  fail_unless_equals_uint64 (stat_count (t.h->element, "frames"), 1);
  fail_unless_equals_uint64 (stat_count (t.h->element, "dropped"), 1);
}
GST_END_TEST;

static gboolean (*plain_start) (GstBaseTransform *trans);

static gboolean
slow_start (GstBaseTransform *trans)
{
  g_usleep (100000);
  return plain_start (trans);
}

static gpointer
push_until_ok (gpointer h)
{
  GstFlowReturn ret;

  do {
    ret = gst_harness_push (h, frame_of (48, 0));
    g_usleep (100);
  } while (ret == GST_FLOW_FLUSHING);
  return GINT_TO_POINTER (ret);
}

/* A source that pushes while the element starts never gets an error. */
GST_START_TEST (test_push_while_starting)
{
  g_auto (One) t = one_new ();
  GstBaseTransformClass *klass = GST_BASE_TRANSFORM_GET_CLASS (t.element);
  GThread *thread;

  gst_harness_set_src_caps_str (t.h, CAPS ("RGB", 4, 4));
  gst_element_set_state (t.h->element, GST_STATE_READY);
  plain_start = klass->start;
  klass->start = slow_start;
  thread = g_thread_new ("push", push_until_ok, t.h);
  gst_element_set_state (t.h->element, GST_STATE_PLAYING);
  fail_unless_equals_int (
      GPOINTER_TO_INT (g_thread_join (thread)), GST_FLOW_OK);
  klass->start = plain_start;
}
GST_END_TEST;

/* A fault is warned of once in a while, another one at once, and of many not
 * all. */
GST_START_TEST (test_faults)
{
  g_auto (One) t = one_new ();
  GstVisionFilter *filter = GST_VISION_FILTER (t.element);
  GstMessage *message;
  guint n_told = 2;

  for (guint i = 0; i < 3; i++) {
    gst_vision_common_fault (gst_vision_common (filter), "its map is odd");
    gst_vision_common_fault (gst_vision_common (filter), "its window is even");
  }
  expect_text (gst_bus_pop_filtered (t.bus, GST_MESSAGE_WARNING), "map is odd");
  expect_text (
      gst_bus_pop_filtered (t.bus, GST_MESSAGE_WARNING), "window is even");
  fail_unless (gst_bus_pop_filtered (t.bus, GST_MESSAGE_WARNING) == NULL);
  for (guint i = 0; i < 20; i++) {
    g_autofree gchar *what = g_strdup_printf ("file %u cannot be written", i);

    gst_vision_common_fault (gst_vision_common (filter), what);
  }
  for (; (message = gst_bus_pop_filtered (t.bus, GST_MESSAGE_WARNING));
       n_told++)
    gst_message_unref (message);
  fail_unless_equals_int (n_told, GST_VISION_WARNINGS);
  fail_unless_equals_uint64 (stat_count (t.h->element, "faulty"), 26);
}
GST_END_TEST;

/* What was wrong may quote a path, which need not be UTF-8. */
GST_START_TEST (test_fault_that_is_no_utf8)
{
  static gboolean (*const ways[]) (GstVisionCommon *, const char *) = {
      gst_vision_common_failed, gst_vision_common_refused};
  static const char *const texts[] = {
      "\"a\xff\xc3\" cannot be read", "out of memory for \"a\xff\xc3\""};

  for (guint i = 0; i < 5; i++) {
    g_auto (One) t = one_new ();
    GstVisionCommon *common = gst_vision_common (t.element);
    g_autoptr (GError) error = NULL;

    if (i < 4)
      fail_unless (ways[i % 2](common, texts[i / 2]));
    else
      gst_vision_common_fault (common, texts[0]);
    error = error_on (t.bus, i < 4 ? GST_MESSAGE_ERROR : GST_MESSAGE_WARNING);
    fail_unless (error != NULL);
    fail_unless (g_utf8_validate (error->message, -1, NULL));
    fail_unless (strstr (error->message, "\"a") != NULL);
  }
}
GST_END_TEST;

/* ---- While it plays: messages, statistics, seeks, control ---- */

/* Messages as `interval` asks for them, with the buffer's times. */
GST_START_TEST (test_messages)
{
  g_auto (One) t = one_new ();
  GstMessage *message;
  guint64 expected = 0;

  g_object_set (t.element, "post-messages", TRUE, "interval",
      (guint64) 100 * GST_MSECOND, NULL);
  gst_harness_set_src_caps_str (t.h, CAPS ("RGB", 4, 4));
  for (guint i = 0; i < 10; i++)
    gst_harness_push (t.h, frame_of (48, i * 40 * GST_MSECOND));
  while ((message = gst_bus_pop_filtered (t.bus, GST_MESSAGE_ELEMENT))) {
    const GstStructure *s = gst_message_get_structure (message);
    guint64 timestamp, running, stream, duration;

    fail_unless (gst_structure_get (s, "timestamp", G_TYPE_UINT64, &timestamp,
        "running-time", G_TYPE_UINT64, &running, "stream-time", G_TYPE_UINT64,
        &stream, "duration", G_TYPE_UINT64, &duration, NULL));
    fail_unless_equals_uint64 (timestamp, expected);
    fail_unless_equals_uint64 (running, expected);
    fail_unless_equals_uint64 (stream, expected);
    fail_unless_equals_uint64 (duration, 40 * GST_MSECOND);
    expected += 120 * GST_MSECOND;
    gst_message_unref (message);
  }
  fail_unless_equals_uint64 (expected, 480 * GST_MSECOND);
  g_object_set (t.element, "post-messages", FALSE, NULL);
  gst_harness_push (t.h, frame_of (48, GST_SECOND));
  fail_unless (gst_bus_pop_filtered (t.bus, GST_MESSAGE_ELEMENT) == NULL);
}
GST_END_TEST;

/* The newest time is that of a frame that took none, after one that did. */
static void
expect_times (GstHarness *h, const gchar *newest, const gchar *mean,
    const gchar *max, GstClockTime spent)
{
  fail_unless (stat_count (h->element, max) >= spent);
  fail_unless (stat_count (h->element, max) < spent + GST_SECOND);
  fail_unless (stat_count (h->element, newest) < stat_count (h->element, max));
  fail_unless (stat_count (h->element, mean) >= spent / 2);
  fail_unless (stat_count (h->element, mean) < stat_count (h->element, max));
}

/* The times that `stats` gives are those that were spent. */
GST_START_TEST (test_stats)
{
  g_auto (One) t = one_new ();
  GstStructure *stats;

  gst_harness_set_src_caps_str (t.h, CAPS ("RGB", 4, 4));
  t.element->sleep = 20000;
  gst_harness_push (t.h, frame_of (48, 0));
  t.element->sleep = 0;
  gst_harness_push (t.h, frame_of (48, 40 * GST_MSECOND));
  fail_unless_equals_uint64 (stat_count (t.h->element, "frames"), 2);
  expect_times (
      t.h, "latency", "latency-mean", "latency-max", 20 * GST_MSECOND);
  expect_times (t.h, "kernel-time", "kernel-time-mean", "kernel-time-max",
      20 * GST_MSECOND);
  g_object_get (t.element, "stats", &stats, NULL);
  fail_unless_equals_string (gst_structure_get_string (stats, "device"), "cpu");
  gst_structure_free (stats);

  gst_element_set_state (t.h->element, GST_STATE_NULL);
  gst_element_set_state (t.h->element, GST_STATE_PLAYING);
  fail_unless_equals_uint64 (stat_count (t.h->element, "frames"), 0);
  fail_unless_equals_uint64 (stat_count (t.h->element, "latency-max"), 0);
  fail_unless_equals_uint64 (stat_count (t.h->element, "kernel-time-max"), 0);
}
GST_END_TEST;

/* What is done with results once the device was waited for is latency, and no
 * work of the device. */
GST_START_TEST (test_kernel_time)
{
  g_auto (One) t = one_new ();

  gst_harness_set_src_caps_str (t.h, CAPS ("RGB", 4, 4));
  t.element->sleep = 10000;
  t.element->after = 50000;
  gst_harness_push (t.h, frame_of (48, 0));
  fail_unless (stat_count (t.h->element, "kernel-time") >= 10 * GST_MSECOND);
  fail_unless (stat_count (t.h->element, "latency") + GST_MSECOND >=
      stat_count (t.h->element, "kernel-time") + 50 * GST_MSECOND);
}
GST_END_TEST;

GST_START_TEST (test_flush)
{
  g_auto (One) t = one_new ();
  GstSegment segment;

  gst_harness_set_src_caps_str (t.h, CAPS ("RGB", 4, 4));
  gst_harness_push (t.h, frame_of (48, 0));
  fail_unless_equals_int (t.element->resets, 0);
  gst_harness_push_event (t.h, gst_event_new_flush_start ());
  gst_harness_push_event (t.h, gst_event_new_flush_stop (TRUE));
  fail_unless_equals_int (t.element->resets, 1);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (t.h, gst_event_new_segment (&segment));
  fail_unless_equals_int (
      gst_harness_push (t.h, frame_of (48, 0)), GST_FLOW_OK);
  fail_unless_equals_int (t.element->opened, 1);
}
GST_END_TEST;

/* A property under control follows the stream time of each frame. */
GST_START_TEST (test_controlled)
{
  g_auto (One) t = one_new ();
  GstControlSource *source = gst_interpolation_control_source_new ();
  GstTimedValueControlSource *values = GST_TIMED_VALUE_CONTROL_SOURCE (source);

  g_object_set (source, "mode", GST_INTERPOLATION_MODE_NONE, NULL);
  gst_object_add_control_binding (GST_OBJECT (t.element),
      gst_direct_control_binding_new_absolute (
          GST_OBJECT (t.element), "step", source));
  gst_timed_value_control_source_set (values, 0, 3);
  gst_timed_value_control_source_set (values, 80 * GST_MSECOND, 50);
  gst_harness_set_src_caps_str (t.h, CAPS ("RGB", 4, 4));
  for (guint i = 0; i < 4; i++) {
    g_autoptr (GstBuffer) buffer =
        gst_harness_push_and_pull (t.h, frame_of (48, i * 40 * GST_MSECOND));

    fail_unless_equals_int (first_byte (buffer), 9 + (i < 2 ? 3 : 50));
  }
  gst_object_unref (source);
}
GST_END_TEST;

/* Two in one process, and a caps change in one is none of the other. */
GST_START_TEST (test_two_instances)
{
  g_auto (One) a = one_new ();
  g_auto (One) b = one_new ();

  b.element->step = 7;
  gst_harness_set_src_caps_str (a.h, CAPS ("RGB", 4, 4));
  gst_harness_set_src_caps_str (b.h, CAPS ("GRAY8", 16, 3));
  gst_harness_push (a.h, frame_of (48, 0));
  gst_harness_push (b.h, frame_of (48, 0));
  gst_harness_set_src_caps_str (a.h, CAPS ("RGBA", 3, 4));
  gst_harness_push (a.h, frame_of (48, 0));
  gst_harness_push (b.h, frame_of (48, 0));
  fail_unless_equals_int (a.element->opened, 2);
  fail_unless_equals_int (b.element->opened, 1);
  fail_unless_equals_int (a.element->seen.width, 3);
  fail_unless_equals_int (b.element->seen.width, 16);
  fail_unless_equals_uint64 (stat_count (a.h->element, "frames"), 2);
}
GST_END_TEST;

SUITE (filter, TEST (test_formats), TEST (test_templates), TEST (test_strides),
    TEST (test_trace), TEST (test_shared_buffer), TEST (test_qos),
    TEST (test_qos_and_stop), TEST (test_pace), TEST (test_push_while_starting),
    TEST (test_faults), TEST (test_fault_that_is_no_utf8), TEST (test_messages),
    TEST (test_stats), TEST (test_kernel_time), TEST (test_flush),
    TEST (test_controlled), TEST (test_two_instances));
