/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One round: an element between harnesses, frames pushed into it, and at the
 * end the question where they are. */
#include "stress.h"

#include <string.h>

/* Adds what the element has counted since its start. */
static void
take_stats (Round *round)
{
  guint64 frames = 0, dropped = 0, faulty = 0;
  GstStructure *stats;

  if (!round->kind->has_stats)
    return;
  g_object_get (round->element, "stats", &stats, NULL);
  gst_structure_get (stats, "frames", G_TYPE_UINT64, &frames, "dropped",
      G_TYPE_UINT64, &dropped, "faulty", G_TYPE_UINT64, &faulty, NULL);
  gst_structure_free (stats);
  g_mutex_lock (&round->lock);
  round->tally.counted += frames * round->n_streams;
  round->tally.dropped += dropped;
  round->tally.faulty += faulty;
  g_mutex_unlock (&round->lock);
}

/* What waits at a stop is counted; the pair that is just being processed may
 * not be. */
void
play_cut (Round *round)
{
  round->cuts++;
  if (round->kind->sinks[1])
    round->slack += round->n_streams;
}

/* A GstAggregator holds frames of some 60 ms on each pad and, of frames whose
 * times do not go on, more. */
void
play_flush (Round *round)
{
  play_cut (round);
  for (guint i = 0; i < round->n_streams && round->kind->sinks[1]; i++)
    round->slack += round->stream[i].stands ? 33 : 5;
}

static gboolean
restart (Round *round)
{
  g_mutex_lock (&round->lock);
  play_cut (round);
  round->stopped = TRUE;
  round->wanted = -1;
  g_mutex_unlock (&round->lock);
  gst_element_set_state (round->element, GST_STATE_READY);
  take_stats (round);
  if (gst_element_set_state (round->element, GST_STATE_PLAYING) !=
      GST_STATE_CHANGE_FAILURE)
    return TRUE;
  gst_element_set_state (round->element, GST_STATE_READY);
  round->dead = TRUE;
  g_atomic_int_set (&round->over, TRUE);
  return FALSE;
}

gboolean
play_restart (Round *round)
{
  gboolean done;

  g_mutex_lock (&round->states);
  done = !round->dead && restart (round);
  g_mutex_unlock (&round->states);
  return done;
}

/* Downstream: takes frames, and seldom does not. */
static GstFlowReturn
take_frame (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Round *round = g_object_get_data (G_OBJECT (pad), "round");
  static const GstFlowReturn answers[] = {GST_FLOW_EOS, GST_FLOW_ERROR,
      GST_FLOW_NOT_LINKED, GST_FLOW_FLUSHING, GST_FLOW_NOT_NEGOTIATED};
  Dice dice = {round->seed ^ 0x646f776e, 0};
  GstFlowReturn ret = GST_FLOW_OK;

  (void) parent;
  g_atomic_int_inc (&stress_progress);
  metas_read (buffer);
  g_mutex_lock (&round->lock);
  dice.n = 8 * ++round->tally.out;
  if (one_in (&dice, 400)) {
    ret = PICK (&dice, answers);
    round->answered = TRUE;
    play_cut (round);
  }
  g_mutex_unlock (&round->lock);
  gst_buffer_unref (buffer);
  return ret;
}

static GstPadProbeReturn
take_event (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Round *round = data;

  (void) pad;
  g_atomic_int_inc (&stress_progress);
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) != GST_EVENT_EOS)
    return GST_PAD_PROBE_OK;
  g_mutex_lock (&round->lock);
  round->has_eos = TRUE;
  g_mutex_unlock (&round->lock);
  return GST_PAD_PROBE_OK;
}

static void
watch_output (Round *round)
{
  GstPad *pad = round->stream[0].harness->sinkpad;

  g_object_set_data (G_OBJECT (pad), "round", round);
  gst_pad_set_chain_function (pad, take_frame);
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, take_event, round, NULL);
}

/* Whether what came back from a push is said somewhere. */
static gboolean
is_explained (Round *round, GstFlowReturn ret)
{
  gboolean explained;

  g_mutex_lock (&round->lock);
  explained = ret == GST_FLOW_OK || round->answered ||
      round->tally.errors > 0 || ret == GST_FLOW_FLUSHING ||
      ret == GST_FLOW_EOS || ret == GST_FLOW_NOT_NEGOTIATED;
  g_mutex_unlock (&round->lock);
  return explained;
}

static GstFlowReturn
push_frame (Round *round, Dice *dice, Stream *stream)
{
  GstBuffer *buffer = frames_make (dice, stream), *kept = NULL;
  gboolean nothing =
      round->kind->sinks[1] && frames_is_nothing (stream, buffer);
  GstClockTime time = GST_BUFFER_PTS (buffer);
  GstFlowReturn ret;

  if (one_in (dice, 2))
    metas_add (dice, buffer, stream);
  if (one_in (dice, 10))
    kept = gst_buffer_ref (buffer);
  g_mutex_lock (&round->lock);
  stream->stands |= !GST_CLOCK_TIME_IS_VALID (time) || time <= stream->newest;
  stream->newest = time;
  g_mutex_unlock (&round->lock);
  ret = gst_pad_push (stream->harness->srcpad, buffer);
  gst_clear_buffer (&kept);
  g_atomic_int_inc (&stress_progress);
  if (stress_is_loud)
    gst_print ("%d: frame %u at %" GST_TIME_FORMAT ": %s%s\n", stream->pad,
        stream->n, GST_TIME_ARGS (time), gst_flow_get_name (ret),
        nothing ? ", nothing" : "");
  g_mutex_lock (&round->lock);
  if (ret != GST_FLOW_OK)
    round->tally.refused++;
  else if (nothing)
    round->tally.nothing++;
  else
    round->tally.in++;
  g_mutex_unlock (&round->lock);
  if (!is_explained (round, ret))
    stress_find (round, "%s came back, and no error was posted",
        gst_flow_get_name (ret));
  return ret;
}

/* Whether there may be more frames after @ret. */
static gboolean
goes_on (Round *round, Dice *dice, GstFlowReturn ret, guint *refused)
{
  if (ret == GST_FLOW_OK)
    return TRUE;
  if (++*refused > 6 || g_atomic_int_get (&round->over))
    return FALSE;
  if (ret == GST_FLOW_ERROR && round->n_streams == 1 && one_in (dice, 3))
    return play_restart (round);
  g_usleep (500);
  return ret == GST_FLOW_FLUSHING || one_in (dice, 2);
}

static void
push_frames (Round *round, Dice *dice, Stream *stream, guint n)
{
  guint refused = 0;
  gboolean more = TRUE;

  for (guint i = 0; i < n && more && !stress_is_late (); i++) {
    GstFlowReturn ret;

    g_mutex_lock (&stream->lock);
    if (one_in (dice, 10))
      events_downstream (round, dice, stream);
    ret = push_frame (round, dice, stream);
    g_mutex_unlock (&stream->lock);
    more = goes_on (round, dice, ret, &refused);
    if (one_in (dice, 16))
      g_usleep (below (dice, 4000));
  }
  g_mutex_lock (&stream->lock);
  stream->ended = TRUE;
  gst_pad_push_event (stream->harness->srcpad, gst_event_new_eos ());
  g_mutex_unlock (&stream->lock);
}

static guint
length_of (Round *round)
{
  Dice dice = {round->seed ^ 0x6e, 0};

  return one_in (&dice, 16) ? 0 : 1 + below (&dice, 30);
}

static gpointer
push_second (gpointer data)
{
  Round *round = data;
  Dice dice = {round->seed ^ 0x7365636f6e64, 0};

  log_set_round (round);
  push_frames (round, &dice, &round->stream[1], length_of (round));
  return NULL;
}

static gboolean
is_finished (Round *round)
{
  gboolean finished;

  g_mutex_lock (&round->lock);
  finished = round->has_eos || round->tally.errors > 0 || round->answered ||
      (round->n_streams && round->stopped);
  g_mutex_unlock (&round->lock);
  return finished;
}

/* Waits for what follows the last frame: EOS, or why there is none.  Whoever
 * was stopped in between has lost the EOS that came before. */
static void
wait_for_end (Round *round)
{
  gint64 end = g_get_monotonic_time () + stress_patience / 2 * G_USEC_PER_SEC;

  while (!is_finished (round) && !g_atomic_int_get (&round->over)) {
    if (g_get_monotonic_time () > end) {
      stress_find (round, "neither an end nor an error came");
      return;
    }
    g_usleep (500);
  }
}

static void
play_streams (Round *round, Dice *dice)
{
  GThread *second = NULL;

  for (guint i = 0; i < round->n_streams; i++)
    events_begin (round, dice, &round->stream[i]);
  if (round->n_streams > 1)
    second = g_thread_new ("second", push_second, round);
  push_frames (round, dice, &round->stream[0], length_of (round));
  if (second)
    g_thread_join (second);
  if (round->kind->sinks[1])
    wait_for_end (round);
}

/* Upstream: a source that cannot seek.  One that says it can must flush. */
static gboolean
take_upstream (GstPad *pad, GstObject *parent, GstEvent *event)
{
  gboolean takes = GST_EVENT_TYPE (event) != GST_EVENT_SEEK;

  (void) pad;
  (void) parent;
  gst_event_unref (event);
  return takes;
}

static void
connect (Round *round, Dice *dice)
{
  const Kind *kind = round->kind;

  gboolean live = one_in (dice, 3);

  round->n_streams = (kind->sinks[0] != NULL) + (kind->sinks[1] != NULL);
  if (kind->sinks[1] && one_in (dice, 4))
    round->n_streams = 1; /* frames of both views */
  for (gint i = (gint) round->n_streams - 1; i >= 0; i--) {
    Stream *s = &round->stream[i];

    s->pad = i;
    s->times = one_in (dice, 4) ? below (dice, 5) : 0;
    s->layouts = below (dice, 16);
    g_mutex_init (&s->lock);
    s->harness = gst_harness_new_with_element (
        round->element, kind->sinks[i], i ? NULL : "src");
    gst_pad_set_event_function (s->harness->srcpad, take_upstream);
    gst_harness_set_live (s->harness, live);
  }
  if (round->n_streams)
    return;
  round->stream[0].harness =
      gst_harness_new_with_element (round->element, NULL, "src");
  gst_harness_use_systemclock (round->stream[0].harness);
  gst_harness_set_sink_caps (
      round->stream[0].harness, caps_wanted (round, dice));
}

/* One that would go on for ever. */
static void
limit_source (Round *round, Dice *dice)
{
  if (round->n_streams)
    return;
  g_object_get (round->element, "num-buffers", &round->wanted, NULL);
  if (round->wanted < 0) {
    round->wanted = between (dice, 0, 30);
    g_object_set (round->element, "num-buffers", round->wanted, NULL);
  }
}

static void
disconnect (Round *round)
{
  for (gint i = 1; i >= 0; i--) {
    Stream *s = &round->stream[i];

    if (s->harness)
      gst_harness_teardown (s->harness);
    if (i < (gint) round->n_streams)
      g_mutex_clear (&s->lock);
    gst_clear_caps (&s->caps);
  }
}

/* Where the frames are. */
static void
judge (Round *round)
{
  const Tally *t = &round->tally;
  gint64 known = (gint64) (round->kind->has_stats ? t->counted : t->out) +
      (gint64) t->dropped;
  gint64 lost = (gint64) t->in - known;
  gint64 shown =
      (gint64) (t->counted / MAX (round->n_streams, 1)) - (gint64) t->out;

  if (!round->n_streams)
    return;
  if (lost > (gint64) round->slack)
    stress_find (round,
        "of %" G_GUINT64_FORMAT " frames %" G_GINT64_FORMAT
        " are neither out nor counted: %" G_GUINT64_FORMAT
        " out, %" G_GUINT64_FORMAT " counted, %" G_GUINT64_FORMAT
        " dropped, %" G_GUINT64_FORMAT " in flushes and stops at most",
        t->in, lost, t->out, t->counted, t->dropped, round->slack);
  if (-lost > (gint64) (t->refused + t->nothing + round->slack))
    stress_find (round,
        "%" G_GINT64_FORMAT " frames are counted of %" G_GUINT64_FORMAT
        " that came",
        known, t->in);
  if (round->kind->has_stats &&
      (shown > (gint64) (round->cuts + t->refused) || shown < 0))
    stress_find (round,
        "%" G_GUINT64_FORMAT " frames came out of %" G_GUINT64_FORMAT
        " that stats counts",
        t->out, t->counted / round->n_streams);
}

static void
judge_source (Round *round)
{
  const Tally *t = &round->tally;

  if (round->n_streams || round->dead)
    return;
  if (round->wanted >= 0 && t->out > (guint64) round->wanted)
    stress_find (round, "%" G_GUINT64_FORMAT " frames, and %d were asked for",
        t->out, round->wanted);
}

void
play_round (Round *round)
{
  Dice dice = {round->seed, 0};
  gboolean fails;
  GThread *other = NULL;

  round->wanted = -1;
  round->element = gst_element_factory_make (round->kind->name, NULL);
  if (!round->element) {
    stress_find (round, "there is no such element");
    return;
  }
  device_watch (round->element);
  round->bus = bus_make (round);
  gst_element_set_bus (round->element, round->bus);
  properties_useful (round, &dice);
  connect (round, &dice);
  watch_output (round);
  /* a harness plays at once, and insists that this is possible */
  gst_element_set_state (round->element, GST_STATE_READY);
  properties_begin (round, &dice);
  limit_source (round, &dice);
  fails = one_in (&dice, 20) && device_fail_begin (&dice);
  if (one_in (&dice, 2))
    other = meddle_begin (round);
  if (gst_element_set_state (round->element, GST_STATE_PLAYING) !=
      GST_STATE_CHANGE_FAILURE) {
    if (round->n_streams)
      play_streams (round, &dice);
    else
      wait_for_end (round);
  } else {
    g_mutex_lock (&round->states); /* the other thread may restart it */
    round->dead = TRUE;
    g_mutex_unlock (&round->states);
  }
  g_atomic_int_set (&round->over, TRUE);
  if (other)
    g_thread_join (other);
  gst_element_set_state (round->element, GST_STATE_READY);
  if (!round->dead)
    take_stats (round);
  judge (round);
  judge_source (round);
  gst_element_set_bus (round->element, NULL);
  disconnect (round);
  if (fails)
    device_fail_end ();
  gst_object_unref (round->element);
  gst_object_unref (round->bus);
}
