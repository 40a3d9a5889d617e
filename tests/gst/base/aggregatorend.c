/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GstVisionAggregator: the end of a stream, and what comes after it. */
#include "suite.h"
#include "twoinputs.h"

#define N 32 /* bytes of a frame */

static void
expect_eos (Two *t)
{
  GstEvent *event;
  gboolean eos = FALSE;

  while (!eos && (event = gst_harness_pull_event (t->left))) {
    eos = GST_EVENT_TYPE (event) == GST_EVENT_EOS;
    gst_event_unref (event);
  }
  fail_unless (eos);
}

static void
push_pair (Two *t, guint ms)
{
  fail_unless_equals_int (two_push (t->left, ms, N, 1), GST_FLOW_OK);
  fail_unless_equals_int (two_push (t->right, ms, N, 1), GST_FLOW_OK);
  two_expect (t, ms, N);
}

static Two
two_with_a_pair (void)
{
  Two t = two_new (FALSE, GREY_8X4, GREY_8X4);

  push_pair (&t, 0);
  return t;
}

/* Once. */
static void
expect_end_told (Two *t, const gchar *text)
{
  expect_text (gst_bus_pop_filtered (t->bus, GST_MESSAGE_INFO), text);
  fail_unless (gst_bus_pop_filtered (t->bus, GST_MESSAGE_INFO) == NULL);
  fail_unless (two_is_silent (t));
}

/* The end of one input is the end: what waits is counted, the other input gets
 * EOS too, and a seek begins anew. */
GST_START_TEST (test_eos)
{
  Two t = two_with_a_pair ();
  GstHarness *ends = __i__ ? t.left : t.right,
             *other = __i__ ? t.right : t.left;

  fail_unless_equals_int (two_push (other, 40, N, 1), GST_FLOW_OK);
  fail_unless (gst_harness_push_event (ends, gst_event_new_eos ()));
  expect_eos (&t);
  fail_unless_equals_uint64 (two_stat (&t, "dropped"), 1);
  expect_end_told (&t, __i__ ? "sink_left has ended" : "sink_right has ended");
  for (gint i = 0; i < 3; i++)
    fail_unless_equals_int (two_push (other, 80 + 40 * i, N, 1), GST_FLOW_EOS);
  fail_unless_equals_int (gst_harness_buffers_in_queue (t.left), 0);

  two_begin_anew (&t);
  push_pair (&t, 0);
  fail_unless_equals_uint64 (two_stat (&t, "frames"), 2);
  fail_unless_equals_uint64 (two_stat (&t, "dropped"), 1);
  fail_unless (two_is_silent (&t));
  two_free (&t);
}
GST_END_TEST;

static gpointer
push_two (gpointer right)
{
  GstFlowReturn ret = two_push (right, 40, N, 1);

  return GINT_TO_POINTER (
      ret == GST_FLOW_OK ? two_push (right, 80, N, 1) : ret);
}

/* An input that waits for room when the end comes does not wait on. */
GST_START_TEST (test_eos_while_waiting)
{
  Two t = two_with_a_pair ();
  GThread *thread = g_thread_new ("right", push_two, t.right);

  g_usleep (50000); /* the second of them finds the first in its place */
  fail_unless (gst_harness_push_event (t.left, gst_event_new_eos ()));
  fail_unless_equals_int (
      GPOINTER_TO_INT (g_thread_join (thread)), GST_FLOW_EOS);
  expect_eos (&t);
  fail_unless_equals_int (two_push (t.right, 120, N, 1), GST_FLOW_EOS);
  two_free (&t);
}
GST_END_TEST;

static GstFlowReturn
want_no_more (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  (void) pad;
  (void) parent;
  gst_buffer_unref (buffer);
  return GST_FLOW_EOS;
}

/* Downstream wants no more: both inputs get EOS. */
GST_START_TEST (test_downstream_ends)
{
  Two t = two_with_a_pair ();

  gst_pad_set_chain_function (t.left->sinkpad, want_no_more);
  two_push (t.left, 40, N, 1);
  two_push (t.right, 40, N, 1);
  expect_eos (&t);
  fail_unless_equals_int (two_push (t.left, 80, N, 1), GST_FLOW_EOS);
  fail_unless_equals_int (two_push (t.right, 80, N, 1), GST_FLOW_EOS);
  two_free (&t);
}
GST_END_TEST;

/* New caps after the end: nobody is left to answer for their frames. */
GST_START_TEST (test_query_after_end)
{
  Two t = two_with_a_pair ();
  GstCaps *caps = gst_caps_from_string (GREY_8X4);
  GstQuery *query = gst_query_new_allocation (caps, TRUE);

  fail_unless (gst_pad_peer_query (t.right->srcpad, query));
  fail_unless_equals_int (two_push (t.right, 40, N, 1), GST_FLOW_OK);
  fail_unless (gst_harness_push_event (t.left, gst_event_new_eos ()));
  expect_eos (&t);
  fail_if (gst_pad_peer_query (t.right->srcpad, query));
  gst_query_unref (query);
  gst_caps_unref (caps);
  two_free (&t);
}
GST_END_TEST;

static void
new_stream (GstHarness *h)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (h, gst_event_new_stream_start ("another"));
  gst_harness_set_src_caps_str (h, GREY_8X4);
  gst_harness_push_event (h, gst_event_new_segment (&segment));
}

/* A stream that begins after the end, which a GstAggregator allows from 1.26
 * on. */
GST_START_TEST (test_new_stream)
{
  Two t = two_with_a_pair ();

  gst_harness_push_event (t.left, gst_event_new_eos ());
  gst_harness_push_event (t.right, gst_event_new_eos ());
  expect_eos (&t);
  new_stream (t.left);
  new_stream (t.right);
  push_pair (&t, 0);
  fail_unless_equals_uint64 (two_stat (&t, "frames"), 2);
  two_free (&t);
}
GST_END_TEST;

static gboolean
is_since_1_26 (void)
{
  guint major, minor, micro, nano;

  gst_version (&major, &minor, &micro, &nano);
  return minor >= 26;
}

SUITE (aggregatorend, LOOP (test_eos, 2), TEST (test_eos_while_waiting),
    TEST (test_downstream_ends), TEST (test_query_after_end),
    is_since_1_26 () ? TEST (test_new_stream) : (void) 0);
