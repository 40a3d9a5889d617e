/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GstVisionAggregator: how long frames wait, and the end. */
#include "suite.h"

#include <time.h>

#include "twoinputs.h"

/* ---- Between live sources ---- */

static Two
two_new_live (void)
{
  Two t = two_new_grey (TRUE);

  while (gst_harness_query_latency (t.left) != 25 * GST_MSECOND)
    g_usleep (1000); /* until both caps were seen */
  return t;
}

/* The oldest frame waits, and does so until @ms. */
static void
expect_wait (Two *t, guint ms)
{
  GstTestClock *clock = gst_harness_get_testclock (t->left);

  fail_unless (gst_harness_wait_for_clock_id_waits (t->left, 1, 10));
  fail_unless_equals_uint64 (
      gst_test_clock_get_next_entry_time (clock), ms * GST_MSECOND);
  gst_object_unref (clock);
}

static void
expect_dropped (Two *t, guint n)
{
  while (two_stat (t, "dropped") < n)
    g_usleep (1000);
  fail_unless_equals_uint64 (two_stat (t, "dropped"), n);
}

/* Live: a frame waits for its partner as long as that may come later, and the
 * latency says so; for the first one a second. */
GST_START_TEST (test_live)
{
  g_auto (Two) t = two_new_live ();

  for (guint i = 0; i < 12; i++) {
    guint ms = 960 + 80 * i;

    two_push (t.left, ms, N, 1);
    expect_wait (&t, MAX (1000, ms) + 25);
    fail_unless (gst_harness_crank_single_clock_wait (t.left));
    expect_dropped (&t, i + 1);
  }
  expect_soon (
      t.bus, GST_MESSAGE_WARNING, "sent nothing in time. Raise \"latency\"");
  two_pair (&t, 2000);
  fail_unless_equals_uint64 (two_stat (&t, "dropped"), 12);
}
GST_END_TEST;

/* Live, and both are ever slower than the clock: what belongs together still
 * finds together, and an input that stops is waited for no more than a second.
 */
GST_START_TEST (test_slow)
{
  g_auto (Two) t = two_new_live ();
  guint i;

  for (i = 0; i < 20; i++) {
    guint now = 500 + 100 * i;

    gst_harness_set_time (t.left, now * GST_MSECOND);
    two_push (t.left, 40 * i, N, 1);
    /* from when the right one came last, and that was late */
    expect_wait (&t, (i ? now - 100 : 0) + 1025);
    two_push (t.right, 40 * i, N, 1);
    two_expect (&t, 40 * i, N);
  }
  fail_unless_equals_uint64 (two_stat (&t, "dropped"), 0);
  two_push (t.left, 40 * i, N, 1);
  fail_unless (gst_harness_crank_single_clock_wait (t.left));
  expect_dropped (&t, 1);
  expect_silence (t.bus);
}
GST_END_TEST;

/* Time begins anew, and what was late before counts no more. */
GST_START_TEST (test_anew)
{
  g_auto (Two) t = two_new_live ();

  gst_harness_set_time (t.left, 9 * GST_SECOND);
  two_push (t.right, 0, N, 1); /* late */
  two_begin_anew (&t);
  gst_element_set_base_time (GST_ELEMENT (t.element), 9 * GST_SECOND);
  two_push (t.left, 0, N, 1);
  expect_wait (&t, 9025);
}
GST_END_TEST;

/* A frame whose time is 292 years ahead waits, and the processor with it. */
GST_START_TEST (test_far_time)
{
  g_auto (Two) t = two_new_live ();
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, N, NULL);
  clock_t spent;

  gst_harness_use_systemclock (t.left);
  gst_element_set_base_time (
      GST_ELEMENT (t.element), gst_util_get_timestamp ());
  GST_BUFFER_PTS (buffer) = G_MAXINT64 - GST_SECOND;
  fail_unless_equals_int (gst_harness_push (t.left, buffer), GST_FLOW_OK);
  spent = clock ();
  g_usleep (500000);
  spent = clock () - spent;
  fail_unless (spent < CLOCKS_PER_SEC / 5, "%g s of a processor",
      (gdouble) spent / CLOCKS_PER_SEC);
}
GST_END_TEST;

/* ---- Frames that a GstAggregator holds, and events that it would not survive
 * ---- */

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
  g_auto (Two) t = two_with_a_pair (TRUE);

  fail_unless_equals_int (push_standing (t.left), GST_FLOW_OK);
  gst_harness_push_event (
      t.left, gst_event_new_tag (gst_tag_list_new_empty ()));
  fail_unless_equals_int (push_standing (t.left), GST_FLOW_OK);
  gst_harness_push_event (t.right, gst_event_new_eos ());
  expect_soon (t.bus, GST_MESSAGE_INFO, "sink_right has ended");
  gst_element_set_state (GST_ELEMENT (t.element), GST_STATE_READY);
  fail_unless_equals_uint64 (two_stat (&t, "dropped"), 2);
}
GST_END_TEST;

/* What waits when the element is stopped is counted. */
GST_START_TEST (test_stop)
{
  g_auto (Two) t = two_with_a_pair (FALSE);

  fail_unless_equals_int (two_push (t.left, 40, N, 1), GST_FLOW_OK);
  gst_element_set_state (GST_ELEMENT (t.element), GST_STATE_READY);
  fail_unless_equals_uint64 (two_stat (&t, "frames"), 1);
  fail_unless_equals_uint64 (two_stat (&t, "dropped"), 1);
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
  g_auto (Two) t = two_with_a_pair (TRUE);
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
  g_auto (Two) t = two_with_a_pair (FALSE);
  GstPad *out = t.left->sinkpad;
  GstSeekType type;
  GstEvent *event;
  gint64 stop;

  fail_unless (!gst_pad_push_event (out, seek (1, GST_FORMAT_BYTES, -1)));
  fail_unless (!gst_pad_push_event (out, seek (-1, GST_FORMAT_TIME, -1)));
  two_pair (&t, 40);

  while ((event = gst_harness_try_pull_upstream_event (t.left)))
    gst_event_unref (event);
  gst_pad_set_query_function (t.left->srcpad, answer_duration);
  fail_unless (gst_pad_push_event (out, seek (-1, GST_FORMAT_TIME, -1)));
  event = gst_harness_try_pull_upstream_event (t.left);
  fail_unless (event && GST_EVENT_TYPE (event) == GST_EVENT_SEEK);
  gst_event_parse_seek (event, NULL, NULL, NULL, NULL, NULL, &type, &stop);
  fail_unless (type == GST_SEEK_TYPE_SET && stop == 5 * GST_SECOND);
  gst_event_unref (event);
}
GST_END_TEST;

static gboolean
answer_that_it_cannot_seek (GstPad *pad, GstObject *parent, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) != GST_QUERY_SEEKING)
    return gst_pad_query_default (pad, parent, query);
  gst_query_set_seeking (query, GST_FORMAT_TIME, FALSE, 0, -1);
  return TRUE;
}

static GstEvent *
seek_between (GstSeekFlags flags, gint64 start, gint64 stop)
{
  return gst_event_new_seek (1, GST_FORMAT_TIME, flags, GST_SEEK_TYPE_SET,
      start, stop < 0 ? GST_SEEK_TYPE_NONE : GST_SEEK_TYPE_SET, stop);
}

/* A seek that stops before it starts, or that one of the sources cannot follow,
 * is refused, without a warning of GLib's, and frames go on. */
GST_START_TEST (test_impossible_seeks)
{
  g_auto (Two) t = two_with_a_pair (FALSE);
  GstElement *element = GST_ELEMENT (t.element);
  GstPad *out = t.left->sinkpad;
  GstSegment segment;

  fail_if (gst_pad_push_event (
      out, seek_between (GST_SEEK_FLAG_NONE, 5 * GST_SECOND, 2 * GST_SECOND)));
  fail_if (gst_element_send_event (element,
      seek_between (GST_SEEK_FLAG_FLUSH, 5 * GST_SECOND, 2 * GST_SECOND)));
  gst_pad_set_query_function (t.right->srcpad, answer_that_it_cannot_seek);
  fail_if (gst_pad_push_event (out, seek_between (GST_SEEK_FLAG_FLUSH, 0, -1)));
  two_pair (&t, 40);

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.stop = GST_SECOND;
  gst_harness_push_event (t.left, gst_event_new_segment (&segment));
  gst_harness_push_event (t.right, gst_event_new_segment (&segment));
  two_pair (&t, 80);
  fail_if (gst_pad_push_event (
      out, seek_between (GST_SEEK_FLAG_NONE, 2 * GST_SECOND, -1)));
  two_pair (&t, 120);

  gst_element_set_state (element, GST_STATE_READY);
  fail_if (gst_element_send_event (element,
      seek_between (GST_SEEK_FLAG_FLUSH, 5 * GST_SECOND, 2 * GST_SECOND)));
  fail_if (gst_element_send_event (element, seek (1, GST_FORMAT_BYTES, -1)));
}
GST_END_TEST;

static gboolean
custom_event_is_out (GstHarness *h)
{
  GstEvent *event;
  gboolean custom = FALSE;

  while (!custom && (event = gst_harness_try_pull_event (h))) {
    custom = GST_EVENT_TYPE (event) == GST_EVENT_CUSTOM_DOWNSTREAM;
    gst_event_unref (event);
  }
  return custom;
}

/* The flushes of a seek come one after the other, as from two sources.  What
 * one input sends in between goes downstream. */
GST_START_TEST (test_between_flushes)
{
  g_auto (Two) t = two_with_a_pair (FALSE);
  GstEvent *start = gst_event_new_flush_start (),
           *stop = gst_event_new_flush_stop (TRUE);

  gst_event_set_seqnum (start, 1000);
  gst_event_set_seqnum (stop, 1000);
  gst_harness_push_event (t.left, gst_event_ref (start));
  gst_harness_push_event (t.right, start);
  gst_harness_push_event (t.left, gst_event_ref (stop));
  gst_harness_push_event (t.left, two_segment (1, 0));
  gst_harness_push_event (t.left,
      gst_event_new_custom (
          GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty ("between")));
  gst_harness_push_event (t.right, stop);
  gst_harness_push_event (t.right, two_segment (1, 0));
  two_pair (&t, 0);
  fail_unless (custom_event_is_out (t.left));
}
GST_END_TEST;

static void
note_freed (gpointer freed, GstMiniObject *event)
{
  (void) event;
  *(gboolean *) freed = TRUE;
}

static guint
upstream_seeks (GstHarness *h)
{
  GstEvent *event;
  guint n = 0;

  while ((event = gst_harness_try_pull_upstream_event (h))) {
    n += GST_EVENT_TYPE (event) == GST_EVENT_SEEK;
    gst_event_unref (event);
  }
  return n;
}

/* Two sinks behind a tee send the same seek twice.  Where the sources have
 * flushed for it by another way, it does not come to them again.  Its event is
 * freed. */
GST_START_TEST (test_same_seek)
{
  g_auto (Two) t = two_with_a_pair (FALSE);
  GstEvent *event = seek_between (GST_SEEK_FLAG_FLUSH, 0, -1);
  gboolean is_elsewhere = __i__, freed = FALSE;

  gst_event_set_seqnum (event, 1000); /* as two_flush () has it */
  gst_mini_object_weak_ref (GST_MINI_OBJECT (event), note_freed, &freed);
  if (!is_elsewhere)
    fail_unless (gst_pad_push_event (t.left->sinkpad, gst_event_ref (event)));
  two_begin_anew (&t);
  fail_unless (gst_pad_push_event (t.left->sinkpad, event));
  fail_unless_equals_int (upstream_seeks (t.left), !is_elsewhere);
  fail_unless_equals_int (upstream_seeks (t.right), !is_elsewhere);
  fail_unless (freed);
  two_pair (&t, 0);
}
GST_END_TEST;

/* An error, but no warning of GLib's. */
GST_START_TEST (test_backward_segment)
{
  g_auto (Two) t = two_with_a_pair (FALSE);

  gst_harness_push_event (t.left, two_segment (-1, 0));
  gst_harness_push_event (t.right, two_segment (-1, 0));
  two_push (t.left, 40, N, 1);
  two_push (t.right, 40, N, 1);
  expect_soon (t.bus, GST_MESSAGE_ERROR, "backwards");
}
GST_END_TEST;

/* One input goes on after the end, and the other does not: the frame is refused
 * in the end. */
GST_START_TEST (test_flush_of_one)
{
  g_auto (Two) t = two_with_a_pair (FALSE);

  gst_harness_push_event (t.right, gst_event_new_eos ());
  while (two_push (t.left, 40, N, 1) == GST_FLOW_OK)
    ;
  gst_harness_push_event (t.left, gst_event_new_flush_start ());
  gst_harness_push_event (t.left, gst_event_new_flush_stop (TRUE));
  gst_harness_push_event (t.left, two_segment (1, 0));
  fail_unless_equals_int (two_push (t.left, 0, N, 1), GST_FLOW_EOS);
  fail_unless_equals_int (two_push (t.left, 40, N, 1), GST_FLOW_EOS);
  fail_unless_equals_int (two_push (t.left, 80, N, 1), GST_FLOW_EOS);
}
GST_END_TEST;

/* A gap without a time, and one where no segment tells what its time is. */
GST_START_TEST (test_gaps)
{
  g_auto (Two) t = two_with_a_pair (FALSE);
  GstBuffer *nothing = gst_buffer_new ();

  GST_BUFFER_FLAG_SET (nothing, GST_BUFFER_FLAG_GAP);
  fail_unless_equals_int (gst_harness_push (t.left, nothing), GST_FLOW_OK);
  fail_unless_equals_int (two_push (t.right, 20, N, 1), GST_FLOW_OK);
  two_pair (&t, 40);
  two_flush (&t, gst_event_new_flush_start ());
  two_flush (&t, gst_event_new_flush_stop (TRUE));
  gst_harness_push_event (t.left, gst_event_new_gap (0, GST_SECOND));
  gst_harness_push_event (t.right, gst_event_new_gap (0, GST_SECOND));
  g_usleep (50000); /* of the thread that takes them */
}
GST_END_TEST;

/* ---- The end of a stream, and what comes after it ---- */

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

/* Once. */
static void
expect_end_told (Two *t, const gchar *text)
{
  expect_text (gst_bus_pop_filtered (t->bus, GST_MESSAGE_INFO), text);
  fail_unless (gst_bus_pop_filtered (t->bus, GST_MESSAGE_INFO) == NULL);
  expect_silence (t->bus);
}

/* The end of one input is the end: what waits is counted, the other input gets
 * EOS too, and a seek begins anew. */
GST_START_TEST (test_eos)
{
  g_auto (Two) t = two_with_a_pair (FALSE);
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
  two_pair (&t, 0);
  fail_unless_equals_uint64 (two_stat (&t, "frames"), 2);
  fail_unless_equals_uint64 (two_stat (&t, "dropped"), 1);
  expect_silence (t.bus);
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
  g_auto (Two) t = two_with_a_pair (FALSE);
  GThread *thread = g_thread_new ("right", push_two, t.right);

  g_usleep (50000); /* the second of them finds the first in its place */
  fail_unless (gst_harness_push_event (t.left, gst_event_new_eos ()));
  fail_unless_equals_int (
      GPOINTER_TO_INT (g_thread_join (thread)), GST_FLOW_EOS);
  expect_eos (&t);
  fail_unless_equals_int (two_push (t.right, 120, N, 1), GST_FLOW_EOS);
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

/* An application ends the output, and frames do not wait for it. */
GST_START_TEST (test_sent_end)
{
  g_auto (Two) t = two_with_a_pair (FALSE);

  fail_unless_equals_int (two_push (t.right, 40, N, 1), GST_FLOW_OK);
  gst_element_send_event (GST_ELEMENT (t.element), gst_event_new_eos ());
  expect_eos (&t);
  fail_unless_equals_int (two_push (t.right, 80, N, 1), GST_FLOW_EOS);
  fail_unless_equals_uint64 (two_stat (&t, "dropped"), 1);
  two_begin_anew (&t);
  two_pair (&t, 0);
}
GST_END_TEST;

/* Downstream wants no more: both inputs get EOS. */
GST_START_TEST (test_downstream_ends)
{
  g_auto (Two) t = two_with_a_pair (FALSE);

  gst_pad_set_chain_function (t.left->sinkpad, want_no_more);
  two_push (t.left, 40, N, 1);
  two_push (t.right, 40, N, 1);
  expect_eos (&t);
  fail_unless_equals_int (two_push (t.left, 80, N, 1), GST_FLOW_EOS);
  fail_unless_equals_int (two_push (t.right, 80, N, 1), GST_FLOW_EOS);
}
GST_END_TEST;

static gboolean
ask_drain (GstHarness *h)
{
  g_autoptr (GstQuery) query = gst_query_new_drain ();

  return gst_pad_peer_query (h->srcpad, query);
}

/* An allocation hangs on nothing that waits, and has its answer at once.  A
 * drain waits for the partners of the frames before it, but neither long nor
 * after the end. */
GST_START_TEST (test_queries)
{
  g_auto (Two) t = two_with_a_pair (FALSE);
  g_autoptr (GstCaps) caps = gst_caps_from_string (GREY_8X4);
  g_autoptr (GstQuery) query = gst_query_new_allocation (caps, TRUE);

  ask_drain (t.right);
  fail_unless_equals_int (two_push (t.right, 40, N, 1), GST_FLOW_OK);
  fail_unless (gst_pad_peer_query (t.right->srcpad, query));
  fail_if (ask_drain (t.right)); /* after five seconds */
  fail_unless (gst_harness_push_event (t.left, gst_event_new_eos ()));
  expect_eos (&t);
  fail_unless (gst_pad_peer_query (t.right->srcpad, query));
  fail_if (ask_drain (t.right));
}
GST_END_TEST;

static void
new_stream (GstHarness *h)
{
  gst_harness_push_event (h, gst_event_new_stream_start ("another"));
  gst_harness_set_src_caps_str (h, GREY_8X4);
  gst_harness_push_event (h, two_segment (1, 0));
}

/* A stream that begins after the end, which a GstAggregator allows from 1.26
 * on. */
GST_START_TEST (test_new_stream)
{
  g_auto (Two) t = two_with_a_pair (FALSE);

  gst_harness_push_event (t.left, gst_event_new_eos ());
  gst_harness_push_event (t.right, gst_event_new_eos ());
  expect_eos (&t);
  new_stream (t.left);
  new_stream (t.right);
  two_pair (&t, 0);
  fail_unless_equals_uint64 (two_stat (&t, "frames"), 2);
}
GST_END_TEST;

/* As a stop and a start of the pad's element. */
static void
restart_pad (GstPad *pad)
{
  gst_pad_set_active (pad, FALSE);
  gst_pad_set_active (pad, TRUE);
}

/* A stop in the middle of a seek's flush: before the sources have heard of it,
 * after both have begun to flush, and after one has ended its flush. */
GST_START_TEST (test_stop_while_flushing)
{
  g_auto (Two) t = two_with_a_pair (FALSE);
  GstElement *element = GST_ELEMENT (t.element);
  GstEvent *stop = gst_event_new_flush_stop (TRUE);

  gst_event_set_seqnum (stop, 1000);
  if (__i__ == 0)
    fail_unless (gst_pad_push_event (
        t.left->sinkpad, seek_between (GST_SEEK_FLAG_FLUSH, 0, -1)));
  else
    two_flush (&t, gst_event_new_flush_start ());
  if (__i__ == 2)
    gst_harness_push_event (t.left, gst_event_ref (stop));
  gst_event_unref (stop);
  gst_element_set_state (element, GST_STATE_READY);
  restart_pad (t.left->sinkpad);
  restart_pad (t.left->srcpad);
  restart_pad (t.right->srcpad);
  gst_element_set_state (element, GST_STATE_PLAYING);
  new_stream (t.left);
  new_stream (t.right);
  two_pair (&t, 0);
  two_pair (&t, 40);
}
GST_END_TEST;

static gboolean
is_since_1_26 (void)
{
  guint major, minor, micro, nano;

  gst_version (&major, &minor, &micro, &nano);
  return minor >= 26;
}

SUITE (aggregatorwaiting, TEST (test_live), TEST (test_slow), TEST (test_anew),
    TEST (test_far_time), TEST (test_behind_an_event), TEST (test_stop),
    TEST (test_standing_times), TEST (test_seek), TEST (test_impossible_seeks),
    TEST (test_between_flushes), LOOP (test_same_seek, 2),
    LOOP (test_stop_while_flushing, 3), TEST (test_backward_segment),
    TEST (test_flush_of_one), TEST (test_gaps), LOOP (test_eos, 2),
    TEST (test_eos_while_waiting), TEST (test_downstream_ends),
    TEST (test_sent_end), TEST (test_queries),
    is_since_1_26 () ? TEST (test_new_stream) : (void) 0);
