/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GstVisionAggregator, the parent of elements with two inputs: which frames it
 * pairs, and what it says of those that it does not. */
#include "suite.h"
#include "twoinputs.h"

#include "failing.h"

#define N 32 /* bytes of a frame */

GST_START_TEST (test_pairs)
{
  Two t = two_new (FALSE, GREY_8X4, GREY_8X4);
  /* left and right, milliseconds: exact, then with jitter up to max-skew */
  static const guint times[][2] = {
      {0, 0}, {40, 40}, {80, 89}, {120, 111}, {160, 170}};

  for (guint i = 0; i < G_N_ELEMENTS (times); i++) {
    gboolean same = i % 2;

    fail_unless_equals_int (two_push (t.left, times[i][0], N, 7), GST_FLOW_OK);
    fail_unless_equals_int (
        two_push (t.right, times[i][1], N, same ? 7 : 8), GST_FLOW_OK);
    two_expect (&t, times[i][0], same ? N : 0);
  }
  fail_unless_equals_uint64 (two_stat (&t, "frames"), 5);
  fail_unless_equals_uint64 (two_stat (&t, "dropped"), 0);
  fail_unless (two_stat (&t, "kernel-time") > 0);
  fail_unless (two_stat (&t, "kernel-time") <= two_stat (&t, "latency-max"));
  fail_unless_equals_int (t.element->opened, 1);
  fail_unless (two_is_silent (&t));
  two_free (&t);
}
GST_END_TEST;

/* One frame of the right is missing, later one of the left. */
GST_START_TEST (test_missing)
{
  Two t = two_new (FALSE, GREY_8X4, GREY_8X4);

  two_push (t.left, 0, N, 1);
  two_push (t.right, 40, N, 1);
  two_push (t.left, 40, N, 1);
  two_expect (&t, 40, N);
  fail_unless_equals_uint64 (two_stat (&t, "dropped"), 1);
  two_push (t.right, 80, N, 1);
  two_push (t.left, 120, N, 1);
  two_push (t.right, 120, N, 1);
  two_expect (&t, 120, N);
  fail_unless_equals_uint64 (two_stat (&t, "dropped"), 2);
  fail_unless_equals_uint64 (two_stat (&t, "frames"), 2);
  fail_unless (two_is_silent (&t));
  two_free (&t);
}
GST_END_TEST;

/* Both always 15 ms apart, and that is too much: dropped, counted, warned of as
 * soon as that is sure and once, with the figure; a greater max-skew helps. */
GST_START_TEST (test_skew)
{
  Two t = two_new (FALSE, GREY_8X4, GREY_8X4);
  guint i;

  g_object_set (t.element, "max-skew", (gint64) 10 * GST_MSECOND, NULL);
  for (i = 0; i < 20; i++) {
    two_push (t.left, 40 * i, N, 1);
    if (i == 2)
      two_expect_message (&t, GST_MESSAGE_WARNING,
          "4 frames in a row had no partner and were dropped: the nearest "
          "frames are -15.000 ms apart");
    two_push (t.right, 40 * i + 15, N, 1);
  }
  while (two_stat (&t, "dropped") < 39) /* the last of the right still waits */
    g_usleep (1000);
  g_object_set (t.element, "max-skew", (gint64) 15 * GST_MSECOND, NULL);
  two_push (t.left, 40 * i, N, 1);
  two_push (t.right, 40 * i + 15, N, 1);
  two_expect (&t, 40 * i, N);
  fail_unless_equals_uint64 (two_stat (&t, "dropped"), 40);
  fail_unless_equals_uint64 (two_stat (&t, "frames"), 1);
  fail_unless (two_is_silent (&t));
  two_free (&t);
}
GST_END_TEST;

/* As set by default, whenever the second input begins, each frame has a partner
 * that is near; for pairs that are far apart there is a warning. */
GST_START_TEST (test_nearest)
{
  for (guint offset = 0; offset <= 40; offset += 5) {
    Two t = two_new (FALSE, GREY_8X4, GREY_8X4);
    guint late = offset > 25; /* the nearest to the right is the next left */
    gint64 skew = (late ? 40 - (gint64) offset : -(gint64) offset);
    gdouble told;

    for (guint i = 0; i < 6; i++) {
      two_push (t.left, 40 * i, N, 1);
      two_push (t.right, 40 * i + offset, N, 1);
    }
    for (guint i = late; i < 6; i++)
      two_expect (&t, 40 * i, N);
    fail_unless_equals_uint64 (two_stat (&t, "dropped"), late);
    told = stat_number (GST_ELEMENT (t.element), "skew");
    fail_unless (told == skew * GST_MSECOND, "%g", told);
    if (ABS (skew) > 10)
      two_expect_message (&t, GST_MESSAGE_INFO, "The frames of a pair are");
    fail_unless (gst_bus_pop_filtered (t.bus, GST_MESSAGE_INFO) == NULL);
    fail_unless (two_is_silent (&t));
    two_free (&t);
  }
}
GST_END_TEST;

/* A stream too short for that warning, of which no frame had a partner, says so
 * at its end. */
GST_START_TEST (test_short)
{
  Two t = two_new (FALSE, GREY_8X4, GREY_8X4);

  two_push (t.left, 0, N, 1);
  two_push (t.right, 30, N, 1);
  gst_harness_push_event (t.left, gst_event_new_eos ());
  gst_harness_push_event (t.right, gst_event_new_eos ());
  two_expect_message (&t, GST_MESSAGE_WARNING, "-30.000 ms");
  two_free (&t);
}
GST_END_TEST;

/* A seek: what waits goes, and time begins anew. */
GST_START_TEST (test_flush)
{
  Two t = two_new (FALSE, GREY_8X4, GREY_8X4);

  two_push (t.left, 400, N, 1);
  two_push (t.right, 400, N, 1);
  two_expect (&t, 400, N);
  two_push (t.left, 440, N, 1);
  two_begin_anew (&t);
  fail_unless_equals_int (t.element->resets, 1);
  two_push (t.left, 0, N, 1);
  two_push (t.right, 0, N, 2);
  two_expect (&t, 0, 0);
  fail_unless_equals_uint64 (two_stat (&t, "frames"), 2);
  fail_unless_equals_int (t.element->opened, 1);
  two_free (&t);
}
GST_END_TEST;

/* A gap says that there is no frame: the other's frame does not wait. */
GST_START_TEST (test_gap)
{
  Two t = two_new (FALSE, GREY_8X4, GREY_8X4);

  two_push (t.left, 0, N, 1);
  two_push (t.right, 0, N, 1);
  two_expect (&t, 0, N);
  two_push (t.left, 40, N, 1);
  fail_unless (gst_harness_push_event (
      t.right, gst_event_new_gap (40 * GST_MSECOND, 40 * GST_MSECOND)));
  two_push (t.left, 80, N, 1);
  two_push (t.right, 80, N, 1);
  two_expect (&t, 80, N);
  fail_unless_equals_uint64 (two_stat (&t, "dropped"), 1);
  fail_unless (gst_harness_push_event (
      t.left, gst_event_new_gap (120 * GST_MSECOND, 40 * GST_MSECOND)));
  fail_unless (gst_harness_push_event (
      t.right, gst_event_new_gap (120 * GST_MSECOND, 40 * GST_MSECOND)));
  two_push (t.left, 160, N, 1);
  two_push (t.right, 160, N, 1);
  two_expect (&t, 160, N);
  fail_unless_equals_uint64 (two_stat (&t, "dropped"), 1);
  two_free (&t);
}
GST_END_TEST;

/* A segment that begins later: running time pairs, not the timestamp. */
GST_START_TEST (test_segments)
{
  Two t = two_new (FALSE, GREY_8X4, GREY_8X4);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.time = 1000 * GST_MSECOND;
  gst_harness_push_event (t.right, gst_event_new_segment (&segment));
  two_push (t.left, 0, N, 1);
  two_push (t.right, 960, N, 1); /* before the segment */
  two_push (t.right, 1000, N, 1);
  two_expect (&t, 0, N);
  fail_unless_equals_uint64 (two_stat (&t, "dropped"), 0);
  two_free (&t);
}
GST_END_TEST;

/* The device is lost: one error, nothing goes on, and a restart heals. */
GST_START_TEST (test_device_lost)
{
  GstVisionAggregatorClass *klass = g_type_class_ref (two_inputs_get_type ());
  Two t;

  klass->open_device = failing_open;
  failing_reset (1);
  t = two_new (FALSE, GREY_8X4, GREY_8X4);
  two_push (t.left, 0, N, 1);
  two_push (t.right, 0, N, 1);
  two_expect_message (&t, GST_MESSAGE_ERROR, FAILING_LOST);
  while (two_push (t.left, 40, N, 1) == GST_FLOW_OK)
    ; /* until the streaming thread is done */
  fail_unless_equals_int (two_push (t.left, 40, N, 1), GST_FLOW_ERROR);
  fail_unless (two_is_silent (&t));
  fail_unless_equals_int (t.element->closed, t.element->opened);
  two_free (&t);

  failing_reset (0);
  t = two_new (FALSE, GREY_8X4, GREY_8X4);
  two_push (t.left, 0, N, 1);
  two_push (t.right, 0, N, 1);
  two_expect (&t, 0, N);
  fail_unless (failing_calls > 0);
  two_free (&t);
  g_type_class_unref (klass);
}
GST_END_TEST;

SUITE (aggregator, TEST (test_pairs), TEST (test_missing), TEST (test_skew),
    TEST (test_nearest), TEST (test_short), TEST (test_flush), TEST (test_gap),
    TEST (test_segments), TEST (test_device_lost));
