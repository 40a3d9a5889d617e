/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GstVisionAggregator: ends, flushes, new streams, caps, segments, queries,
 * gaps and stops of both inputs, in all orders.  No thread waits longer than it
 * may, the output begins anew once both inputs have, and each frame is out,
 * counted or refused. */
#include "suite.h"

#include "twoinputs.h"

/* Seconds within which everything that may wait goes on, on a busy machine. */
#define BOUND 20
/* Microseconds that the element under test waits for an input to begin anew. */
#define SHORT_PATIENCE 20000
/* Microseconds after which the next step comes, even if the one before waits.
 */
#define SETTLE 4000
#define CASES_AT_ONCE 8

typedef enum {
  STEP_EOS,
  STEP_FLUSH,
  STEP_STREAM,
  STEP_CAPS,
  STEP_SEGMENT,
  STEP_ALLOCATION,
  STEP_DRAIN,
  STEP_GAP,
  N_STEPS,
  STEP_FRAME,
  STEP_NONE,
} Step;

static const gchar *const step_names[] = {
    "EOS", "flush", "stream", "caps", "segment", "allocation", "drain", "gap"};

/* One input, and the thread that feeds it. */
typedef struct {
  GstHarness *h;
  GThread *thread;
  GAsyncQueue *steps; /* Step + 1 */
  gint given, done;   /* atomic: steps */
  guint n;            /* of the next frame since the newest segment */
  guint taken;        /* frames, of the thread; one came before it */
} Feed;

static gboolean
push_allocation (Feed *feed)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (GREY_8X4);
  g_autoptr (GstQuery) query = gst_query_new_allocation (caps, TRUE);

  return gst_pad_peer_query (feed->h->srcpad, query);
}

static gboolean
push_drain (Feed *feed)
{
  g_autoptr (GstQuery) query = gst_query_new_drain ();

  return gst_pad_peer_query (feed->h->srcpad, query);
}

static void
push_segment (Feed *feed)
{
  feed->n = 0;
  gst_harness_push_event (feed->h, two_segment (1, 0));
}

static void
push_caps (Feed *feed)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (GREY_8X4);

  gst_harness_push_event (feed->h, gst_event_new_caps (caps));
}

static void
take_step (Feed *feed, Step step)
{
  GstHarness *h = feed->h;

  switch (step) {
    case STEP_EOS:
      gst_harness_push_event (h, gst_event_new_eos ());
      break;
    case STEP_FLUSH: /* its start has come from another thread */
      gst_harness_push_event (h, gst_event_new_flush_stop (TRUE));
      push_segment (feed);
      break;
    case STEP_STREAM:
      gst_harness_push_event (h, gst_event_new_stream_start ("another"));
      push_caps (feed);
      push_segment (feed);
      break;
    case STEP_CAPS:
      push_caps (feed);
      break;
    case STEP_SEGMENT:
      push_segment (feed);
      break;
    case STEP_ALLOCATION:
      push_allocation (feed);
      break;
    case STEP_DRAIN:
      push_drain (feed);
      break;
    case STEP_GAP:
      gst_harness_push_event (h,
          gst_event_new_gap (40 * feed->n++ * GST_MSECOND, 40 * GST_MSECOND));
      break;
    case STEP_FRAME:
      feed->taken += two_push (h, 40 * feed->n++, N, 1) == GST_FLOW_OK;
      break;
    default:
      break;
  }
}

static gpointer
feed_input (gpointer data)
{
  Feed *feed = data;
  Step step;

  do {
    step = (Step) GPOINTER_TO_INT (g_async_queue_pop (feed->steps)) - 1;
    take_step (feed, step);
    g_atomic_int_inc (&feed->done);
  } while (step != STEP_NONE);
  return NULL;
}

/* Waits for all steps of both inputs; FALSE if that takes longer than @us. */
static gboolean
wait_for_feeds (Feed feeds[2], gint64 us)
{
  gint64 until = g_get_monotonic_time () + us;

  for (gint i = 0; i < 2; i++)
    while (g_atomic_int_get (&feeds[i].done) !=
        g_atomic_int_get (&feeds[i].given)) {
      if (g_get_monotonic_time () > until)
        return FALSE;
      g_usleep (200);
    }
  return TRUE;
}

static void
give_step (Feed feeds[2], gint i, Step step)
{
  if (step == STEP_FLUSH)
    gst_harness_push_event (feeds[i].h, gst_event_new_flush_start ());
  g_atomic_int_inc (&feeds[i].given);
  g_async_queue_push (feeds[i].steps, GINT_TO_POINTER (step + 1));
}

static void
give_both (Feed feeds[2], Step step)
{
  for (gint i = 0; i < 2; i++)
    give_step (feeds, i, step);
}

static void
feeds_start (Feed feeds[2], Two *t)
{
  for (gint i = 0; i < 2; i++) {
    feeds[i] = (Feed){.h = i ? t->right : t->left,
        .steps = g_async_queue_new (),
        .n = 1,
        .taken = 1};
    feeds[i].thread = g_thread_new ("feed", feed_input, &feeds[i]);
  }
}

static void
feeds_stop (Feed feeds[2])
{
  give_both (feeds, STEP_NONE);
  for (gint i = 0; i < 2; i++) {
    g_thread_join (feeds[i].thread);
    g_async_queue_unref (feeds[i].steps);
  }
}

static gboolean
is_ended (Two *t, guint unused)
{
  g_autoptr (GstEvent) event =
      gst_pad_get_sticky_event (t->left->sinkpad, GST_EVENT_EOS, 0);

  (void) unused;
  return event != NULL;
}

static gboolean
are_out (Two *t, guint n)
{
  return gst_harness_buffers_received (t->left) >= n;
}

/* FALSE if that takes too long. */
static gboolean
wait_until (gboolean (*holds) (Two *t, guint n), Two *t, guint n)
{
  gint64 until = g_get_monotonic_time () + BOUND * G_USEC_PER_SEC;

  while (!holds (t, n)) {
    if (g_get_monotonic_time () > until)
      return FALSE;
    g_usleep (200);
  }
  return TRUE;
}

/* The end of both inputs lets everything go. */
static const gchar *
end_both (Two *t, Feed feeds[2])
{
  give_both (feeds, STEP_EOS);
  if (!wait_for_feeds (feeds, BOUND * G_USEC_PER_SEC))
    return "a thread stalls";
  return wait_until (is_ended, t, 0) ? NULL : "the output does not end";
}

/* After flushes of two numbers, as of two files, and in either order, pairs
 * pass. */
static const gchar *
begin_both_anew (Two *t, Feed feeds[2], gint first)
{
  guint out;

  give_step (feeds, first, STEP_FLUSH);
  wait_for_feeds (feeds, BOUND * G_USEC_PER_SEC);
  give_step (feeds, !first, STEP_FLUSH);
  if (!wait_for_feeds (feeds, BOUND * G_USEC_PER_SEC))
    return "a flush stalls";
  out = gst_harness_buffers_received (t->left);
  /* a GstAggregator may let a gap through that came before the flush */
  for (guint i = 0; i < 5; i++) {
    give_both (feeds, STEP_FRAME);
    wait_for_feeds (feeds, SETTLE);
  }
  return wait_until (are_out, t, out + 3) ? NULL
                                          : "the output does not begin anew";
}

/* A stop lets go, and each frame that was taken is out or counted, or else a
 * flush asked for its loss. */
static const gchar *
stop_both (Two *t, Feed feeds[2], gboolean flushed)
{
  guint64 taken, told;

  give_step (feeds, 0, STEP_FRAME);
  give_step (feeds, 0, STEP_FRAME);
  wait_for_feeds (feeds, SETTLE);
  gst_element_set_state (GST_ELEMENT (t->element), GST_STATE_READY);
  if (!wait_for_feeds (feeds, BOUND * G_USEC_PER_SEC))
    return "a stop does not let a thread go";
  taken = feeds[0].taken + feeds[1].taken;
  told = 2 * two_stat (t, "frames") + two_stat (t, "dropped");
  if (told > taken)
    return "frames are counted twice";
  return told == taken || flushed ? NULL : "frames are lost in silence";
}

typedef struct {
  Step step[3];
  gint input[3];
} Case;

static const gchar *
play_case (const Case *c, Two *t, Feed feeds[2])
{
  gboolean flushed = FALSE;
  const gchar *fault;

  for (guint i = 0; i < G_N_ELEMENTS (c->step); i++) {
    flushed |= c->step[i] == STEP_FLUSH;
    give_step (feeds, c->input[i], c->step[i]);
    wait_for_feeds (feeds, SETTLE);
    give_both (feeds, STEP_FRAME);
    wait_for_feeds (feeds, SETTLE);
  }
  fault = end_both (t, feeds);
  if (!fault)
    fault = begin_both_anew (t, feeds, c->input[2]);
  return fault ? fault : stop_both (t, feeds, flushed);
}

static GMutex faults_lock;
static guint n_faults;

static void
report_fault (const Case *c, const gchar *fault)
{
  g_autoptr (GString) order = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (c->step); i++)
    g_string_append_printf (order, "%s %s, ", c->input[i] ? "right" : "left",
        step_names[c->step[i]]);
  g_mutex_lock (&faults_lock);
  g_printerr ("%sthen %s\n", order->str, fault);
  n_faults++;
  g_mutex_unlock (&faults_lock);
}

static void
run_case (gpointer data, gpointer unused)
{
  g_autofree Case *c = data;
  g_auto (Two) t = two_with_a_pair (FALSE);
  const gchar *fault;
  Feed feeds[2];

  (void) unused;
  feeds_start (feeds, &t);
  fault = play_case (c, &t, feeds);
  if (fault)
    report_fault (c, fault);
  gst_element_set_state (GST_ELEMENT (t.element), GST_STATE_READY);
  feeds_stop (feeds);
}

/* The loop chooses the first of three steps. */
GST_START_TEST (test_orders)
{
  TwoInputsClass *klass = g_type_class_ref (two_inputs_get_type ());
  GThreadPool *pool =
      g_thread_pool_new (run_case, NULL, CASES_AT_ONCE, FALSE, NULL);

  klass->patience = SHORT_PATIENCE;
  n_faults = 0;
  for (gint i = 0; i < 2 * N_STEPS; i++)
    for (gint k = 0; k < 2 * N_STEPS; k++) {
      Case c = {{__i__ / 2, i / 2, k / 2}, {__i__ % 2, i % 2, k % 2}};

      g_thread_pool_push (pool, g_memdup2 (&c, sizeof c), NULL);
    }
  g_thread_pool_free (pool, FALSE, TRUE);
  fail_unless_equals_int (n_faults, 0);
  g_type_class_unref (klass);
}
GST_END_TEST;

SUITE (aggregatorend, TIMEOUT (240), LOOP (test_orders, 2 * N_STEPS));
