/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GstVisionAggregator between live sources: how long a frame waits. */
#include "suite.h"
#include "twoinputs.h"

#define N 32 /* bytes of a frame */

static Two
two_new_live (void)
{
  Two t = two_new (TRUE, GREY_8X4, GREY_8X4);

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
  Two t = two_new_live ();

  for (guint i = 0; i < 12; i++) {
    guint ms = 960 + 80 * i;

    two_push (t.left, ms, N, 1);
    expect_wait (&t, MAX (1000, ms) + 25);
    fail_unless (gst_harness_crank_single_clock_wait (t.left));
    expect_dropped (&t, i + 1);
  }
  two_expect_message (
      &t, GST_MESSAGE_WARNING, "sent nothing in time. Raise \"latency\"");
  two_push (t.left, 2000, N, 1);
  two_push (t.right, 2000, N, 1);
  two_expect (&t, 2000, N);
  fail_unless_equals_uint64 (two_stat (&t, "dropped"), 12);
  two_free (&t);
}
GST_END_TEST;

/* Live, and both are ever slower than the clock: what belongs together still
 * finds together, and an input that stops is waited for no more than a second.
 */
GST_START_TEST (test_slow)
{
  Two t = two_new_live ();
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
  fail_unless (two_is_silent (&t));
  two_free (&t);
}
GST_END_TEST;

/* Time begins anew, and what was late before counts no more. */
GST_START_TEST (test_anew)
{
  Two t = two_new_live ();

  gst_harness_set_time (t.left, 9 * GST_SECOND);
  two_push (t.right, 0, N, 1); /* late */
  two_begin_anew (&t);
  gst_element_set_base_time (GST_ELEMENT (t.element), 9 * GST_SECOND);
  two_push (t.left, 0, N, 1);
  expect_wait (&t, 9025);
  two_free (&t);
}
GST_END_TEST;

SUITE (aggregatorlive, TEST (test_live), TEST (test_slow), TEST (test_anew));
