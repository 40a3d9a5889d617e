/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GstVisionFilter while it plays: messages, statistics, seeks, control. */
#include "suite.h"
#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gstinterpolationcontrolsource.h>

#include "oneinput.h"

/* Messages as `interval` asks for them, with the buffer's times. */
GST_START_TEST (test_messages)
{
  OneInput *self;
  GstBus *bus;
  GstHarness *h = harness (&self, &bus);
  GstMessage *message;
  guint64 expected = 0;

  g_object_set (self, "post-messages", TRUE, "interval",
      (guint64) 100 * GST_MSECOND, NULL);
  gst_harness_set_src_caps_str (h, CAPS ("RGB", 4, 4));
  for (guint i = 0; i < 10; i++)
    gst_harness_push (h, frame_of (48, i * 40 * GST_MSECOND));
  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT))) {
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
  g_object_set (self, "post-messages", FALSE, NULL);
  gst_harness_push (h, frame_of (48, GST_SECOND));
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT) == NULL);
  finish (h, bus);
}
GST_END_TEST;

/* The newest time is that of a frame that took none, after one that did. */
static void
expect_times (GstHarness *h, const gchar *newest, const gchar *mean,
    const gchar *max, GstClockTime spent)
{
  fail_unless (stat_of (h, max) >= spent);
  fail_unless (stat_of (h, max) < spent + GST_SECOND);
  fail_unless (stat_of (h, newest) < stat_of (h, max));
  fail_unless (stat_of (h, mean) >= spent / 2);
  fail_unless (stat_of (h, mean) < stat_of (h, max));
}

/* The times that `stats` gives are those that were spent. */
GST_START_TEST (test_stats)
{
  OneInput *self;
  GstBus *bus;
  GstHarness *h = harness (&self, &bus);
  GstStructure *stats;

  gst_harness_set_src_caps_str (h, CAPS ("RGB", 4, 4));
  self->sleep = 20000;
  gst_harness_push (h, frame_of (48, 0));
  self->sleep = 0;
  gst_harness_push (h, frame_of (48, 40 * GST_MSECOND));
  fail_unless_equals_uint64 (stat_of (h, "frames"), 2);
  expect_times (h, "latency", "latency-mean", "latency-max", 20 * GST_MSECOND);
  expect_times (h, "kernel-time", "kernel-time-mean", "kernel-time-max",
      20 * GST_MSECOND);
  g_object_get (self, "stats", &stats, NULL);
  fail_unless_equals_string (gst_structure_get_string (stats, "device"), "cpu");
  gst_structure_free (stats);

  gst_element_set_state (h->element, GST_STATE_NULL);
  gst_element_set_state (h->element, GST_STATE_PLAYING);
  fail_unless_equals_uint64 (stat_of (h, "frames"), 0);
  fail_unless_equals_uint64 (stat_of (h, "latency-max"), 0);
  fail_unless_equals_uint64 (stat_of (h, "kernel-time-max"), 0);
  finish (h, bus);
}
GST_END_TEST;

/* What is done with results once the device was waited for is latency, and no
 * work of the device. */
GST_START_TEST (test_kernel_time)
{
  OneInput *self;
  GstBus *bus;
  GstHarness *h = harness (&self, &bus);

  gst_harness_set_src_caps_str (h, CAPS ("RGB", 4, 4));
  self->sleep = 10000;
  self->after = 50000;
  gst_harness_push (h, frame_of (48, 0));
  fail_unless (stat_of (h, "kernel-time") >= 10 * GST_MSECOND);
  fail_unless (stat_of (h, "latency") + GST_MSECOND >=
      stat_of (h, "kernel-time") + 50 * GST_MSECOND);
  finish (h, bus);
}
GST_END_TEST;

GST_START_TEST (test_flush)
{
  OneInput *self;
  GstBus *bus;
  GstHarness *h = harness (&self, &bus);
  GstSegment segment;

  gst_harness_set_src_caps_str (h, CAPS ("RGB", 4, 4));
  gst_harness_push (h, frame_of (48, 0));
  fail_unless_equals_int (self->resets, 0);
  gst_harness_push_event (h, gst_event_new_flush_start ());
  gst_harness_push_event (h, gst_event_new_flush_stop (TRUE));
  fail_unless_equals_int (self->resets, 1);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (h, gst_event_new_segment (&segment));
  fail_unless_equals_int (gst_harness_push (h, frame_of (48, 0)), GST_FLOW_OK);
  fail_unless_equals_int (self->opened, 1);
  finish (h, bus);
}
GST_END_TEST;

/* A property under control follows the stream time of each frame. */
GST_START_TEST (test_controlled)
{
  OneInput *self;
  GstBus *bus;
  GstHarness *h = harness (&self, &bus);
  GstControlSource *source = gst_interpolation_control_source_new ();
  GstTimedValueControlSource *values = GST_TIMED_VALUE_CONTROL_SOURCE (source);

  g_object_set (source, "mode", GST_INTERPOLATION_MODE_NONE, NULL);
  gst_object_add_control_binding (GST_OBJECT (self),
      gst_direct_control_binding_new_absolute (
          GST_OBJECT (self), "step", source));
  gst_timed_value_control_source_set (values, 0, 3);
  gst_timed_value_control_source_set (values, 80 * GST_MSECOND, 50);
  gst_harness_set_src_caps_str (h, CAPS ("RGB", 4, 4));
  for (guint i = 0; i < 4; i++) {
    GstBuffer *buffer =
        gst_harness_push_and_pull (h, frame_of (48, i * 40 * GST_MSECOND));

    fail_unless_equals_int (first_byte (buffer), 9 + (i < 2 ? 3 : 50));
    gst_buffer_unref (buffer);
  }
  gst_object_unref (source);
  finish (h, bus);
}
GST_END_TEST;

/* Two in one process, and a caps change in one is none of the other. */
GST_START_TEST (test_two_instances)
{
  OneInput *a, *b;
  GstBus *bus_a, *bus_b;
  GstHarness *h = harness (&a, &bus_a), *i = harness (&b, &bus_b);

  b->step = 7;
  gst_harness_set_src_caps_str (h, CAPS ("RGB", 4, 4));
  gst_harness_set_src_caps_str (i, CAPS ("GRAY8", 16, 3));
  gst_harness_push (h, frame_of (48, 0));
  gst_harness_push (i, frame_of (48, 0));
  gst_harness_set_src_caps_str (h, CAPS ("RGBA", 3, 4));
  gst_harness_push (h, frame_of (48, 0));
  gst_harness_push (i, frame_of (48, 0));
  fail_unless_equals_int (a->opened, 2);
  fail_unless_equals_int (b->opened, 1);
  fail_unless_equals_int (a->seen.width, 3);
  fail_unless_equals_int (b->seen.width, 16);
  fail_unless_equals_uint64 (stat_of (h, "frames"), 2);
  finish (h, bus_a);
  finish (i, bus_b);
}
GST_END_TEST;

SUITE (filterplay, TEST (test_messages), TEST (test_stats),
    TEST (test_kernel_time), TEST (test_flush), TEST (test_controlled),
    TEST (test_two_instances));
