/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GstVisionAggregator: frames that a GstAggregator holds, and events that it
 * would not survive. */
#include "suite.h"
#include "twoinputs.h"

#define N 32 /* bytes of a frame */

static Two
two_with_a_pair (gboolean live)
{
  Two t = two_new (live, GREY_8X4, GREY_8X4);

  fail_unless_equals_int (two_push (t.left, 0, N, 1), GST_FLOW_OK);
  fail_unless_equals_int (two_push (t.right, 0, N, 1), GST_FLOW_OK);
  two_expect (&t, 0, N);
  return t;
}

/* A frame that takes no time: live, a GstAggregator holds any number of them.
 */
static GstFlowReturn
push_standing (GstHarness *h)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, N, NULL);

  gst_buffer_memset (buffer, 0, 1, N);
  GST_BUFFER_PTS (buffer) = 0;
  return gst_harness_push (h, buffer);
}

/* The other input ends: a frame behind an event is counted, too. */
GST_START_TEST (test_behind_an_event)
{
  Two t = two_with_a_pair (TRUE);

  fail_unless_equals_int (push_standing (t.left), GST_FLOW_OK);
  gst_harness_push_event (
      t.left, gst_event_new_tag (gst_tag_list_new_empty ()));
  fail_unless_equals_int (push_standing (t.left), GST_FLOW_OK);
  gst_harness_push_event (t.right, gst_event_new_eos ());
  two_expect_message (&t, GST_MESSAGE_INFO, "sink_right has ended");
  gst_element_set_state (GST_ELEMENT (t.element), GST_STATE_READY);
  fail_unless_equals_uint64 (two_stat (&t, "dropped"), 2);
  two_free (&t);
}
GST_END_TEST;

/* What waits when the element is stopped is counted. */
GST_START_TEST (test_stop)
{
  Two t = two_with_a_pair (FALSE);

  fail_unless_equals_int (two_push (t.left, 40, N, 1), GST_FLOW_OK);
  gst_element_set_state (GST_ELEMENT (t.element), GST_STATE_READY);
  fail_unless_equals_uint64 (two_stat (&t, "frames"), 1);
  fail_unless_equals_uint64 (two_stat (&t, "dropped"), 1);
  two_free (&t);
}
GST_END_TEST;

static gint pushed; /* atomic */

static gpointer
push_many (gpointer left)
{
  GstFlowReturn ret = GST_FLOW_OK;

  while (ret == GST_FLOW_OK && g_atomic_int_get (&pushed) < 500) {
    ret = push_standing (left);
    if (ret == GST_FLOW_OK)
      g_atomic_int_inc (&pushed);
  }
  return GINT_TO_POINTER (ret);
}

/* Frames whose times do not go on wait for their partners, but not any number
 * of them. */
GST_START_TEST (test_standing_times)
{
  Two t = two_with_a_pair (TRUE);
  GThread *thread;
  gint n;

  g_object_set (t.element, "latency", 50 * GST_MSECOND, NULL);
  g_atomic_int_set (&pushed, 0);
  thread = g_thread_new ("left", push_many, t.left);
  do {
    n = g_atomic_int_get (&pushed);
    g_usleep (200000);
  } while (n < 2 || g_atomic_int_get (&pushed) != n);
  fail_unless (n > 1 && n < 100, "%d frames wait", n);
  fail_unless_equals_int (two_push (t.right, 0, N, 1), GST_FLOW_OK);
  gst_buffer_unref (gst_harness_pull (t.left));
  gst_element_set_state (GST_ELEMENT (t.element), GST_STATE_READY);
  fail_unless_equals_int (
      GPOINTER_TO_INT (g_thread_join (thread)), GST_FLOW_FLUSHING);
  fail_unless_equals_uint64 (two_stat (&t, "frames"), 2);
  fail_unless (two_stat (&t, "dropped") + 1 >= (guint64) n);
  two_free (&t);
}
GST_END_TEST;

static GstEvent *
seek (gdouble rate, GstFormat format, gint64 stop)
{
  return gst_event_new_seek (rate, format, GST_SEEK_FLAG_NONE,
      GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_SET, stop);
}

static gboolean
answer_duration (GstPad *pad, GstObject *parent, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) != GST_QUERY_DURATION)
    return gst_pad_query_default (pad, parent, query);
  gst_query_set_duration (query, GST_FORMAT_TIME, 5 * GST_SECOND);
  return TRUE;
}

/* Bytes are nothing to seek to, nor is an end that nobody knows. */
GST_START_TEST (test_seek)
{
  Two t = two_with_a_pair (FALSE);
  GstPad *out = t.left->sinkpad;
  GstSeekType type;
  GstEvent *event;
  gint64 stop;

  fail_unless (!gst_pad_push_event (out, seek (1, GST_FORMAT_BYTES, -1)));
  fail_unless (!gst_pad_push_event (out, seek (-1, GST_FORMAT_TIME, -1)));
  fail_unless_equals_int (two_push (t.left, 40, N, 1), GST_FLOW_OK);
  fail_unless_equals_int (two_push (t.right, 40, N, 1), GST_FLOW_OK);
  two_expect (&t, 40, N);

  while ((event = gst_harness_try_pull_upstream_event (t.left)))
    gst_event_unref (event);
  gst_pad_set_query_function (t.left->srcpad, answer_duration);
  fail_unless (gst_pad_push_event (out, seek (-1, GST_FORMAT_TIME, -1)));
  event = gst_harness_try_pull_upstream_event (t.left);
  fail_unless (event && GST_EVENT_TYPE (event) == GST_EVENT_SEEK);
  gst_event_parse_seek (event, NULL, NULL, NULL, NULL, NULL, &type, &stop);
  fail_unless (type == GST_SEEK_TYPE_SET && stop == 5 * GST_SECOND);
  gst_event_unref (event);
  two_free (&t);
}
GST_END_TEST;

/* An error, but no warning of GLib's. */
GST_START_TEST (test_backward_segment)
{
  Two t = two_with_a_pair (FALSE);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.rate = -1;
  gst_harness_push_event (t.left, gst_event_new_segment (&segment));
  gst_harness_push_event (t.right, gst_event_new_segment (&segment));
  two_push (t.left, 40, N, 1);
  two_push (t.right, 40, N, 1);
  two_expect_message (&t, GST_MESSAGE_ERROR, "backwards");
  two_free (&t);
}
GST_END_TEST;

/* One input goes on after the end, and the other does not: the frame is refused
 * in the end. */
GST_START_TEST (test_flush_of_one)
{
  Two t = two_with_a_pair (FALSE);
  GstSegment segment;

  gst_harness_push_event (t.right, gst_event_new_eos ());
  while (two_push (t.left, 40, N, 1) == GST_FLOW_OK)
    ;
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (t.left, gst_event_new_flush_start ());
  gst_harness_push_event (t.left, gst_event_new_flush_stop (TRUE));
  gst_harness_push_event (t.left, gst_event_new_segment (&segment));
  fail_unless_equals_int (two_push (t.left, 0, N, 1), GST_FLOW_EOS);
  fail_unless_equals_int (two_push (t.left, 40, N, 1), GST_FLOW_EOS);
  fail_unless_equals_int (two_push (t.left, 80, N, 1), GST_FLOW_EOS);
  two_free (&t);
}
GST_END_TEST;

/* A gap without a time, and one where no segment tells what its time is. */
GST_START_TEST (test_gaps)
{
  Two t = two_with_a_pair (FALSE);
  GstBuffer *nothing = gst_buffer_new ();

  GST_BUFFER_FLAG_SET (nothing, GST_BUFFER_FLAG_GAP);
  fail_unless_equals_int (gst_harness_push (t.left, nothing), GST_FLOW_OK);
  fail_unless_equals_int (two_push (t.right, 20, N, 1), GST_FLOW_OK);
  fail_unless_equals_int (two_push (t.left, 40, N, 1), GST_FLOW_OK);
  fail_unless_equals_int (two_push (t.right, 40, N, 1), GST_FLOW_OK);
  two_expect (&t, 40, N);
  two_flush (&t, gst_event_new_flush_start ());
  two_flush (&t, gst_event_new_flush_stop (TRUE));
  gst_harness_push_event (t.left, gst_event_new_gap (0, GST_SECOND));
  gst_harness_push_event (t.right, gst_event_new_gap (0, GST_SECOND));
  g_usleep (50000); /* of the thread that takes them */
  two_free (&t);
}
GST_END_TEST;

SUITE (aggregatorwaiting, TEST (test_behind_an_event), TEST (test_stop),
    TEST (test_standing_times), TEST (test_seek), TEST (test_backward_segment),
    TEST (test_flush_of_one), TEST (test_gaps));
