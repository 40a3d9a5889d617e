/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/gstvisiongate.h"

#include <string.h>

#include "base/gstvisioncommon.h"

/* Maximum number of waiting frames whose times do not increase. */
#define MAX_WAITING 32

#define LOCK(self) GST_OBJECT_LOCK ((self)->element)
#define UNLOCK(self) GST_OBJECT_UNLOCK ((self)->element)

void
gst_vision_gate_init (GstVisionGate *self, GstElement *element)
{
  self->element = element;
  g_cond_init (&self->changed);
}

void
gst_vision_gate_clear (GstVisionGate *self)
{
  g_cond_clear (&self->changed);
}

void
gst_vision_gate_open (GstVisionGate *self, gint64 patience)
{
  LOCK (self);
  self->patience = patience;
  self->state = GST_VISION_GATE_OPEN;
  self->refusal = GST_FLOW_OK;
  self->flush = 0;
  self->stops = FALSE;
  for (gint i = 0; i < 2; i++)
    self->input[i] = (GstVisionGateInput){.newest = GST_CLOCK_TIME_NONE};
  UNLOCK (self);
}

/* ---- The state ---- */

/* The state in which frames of the other input wait until input @i begins anew.
 */
static GstVisionGateState
state_awaiting (gint i)
{
  return i ? GST_VISION_GATE_AWAITS_SECOND : GST_VISION_GATE_AWAITS_FIRST;
}

/* The state in which frames have waited too long for the other input. */
static GstVisionGateState
state_left_by (gint i)
{
  return i ? GST_VISION_GATE_LEFT_SECOND : GST_VISION_GATE_LEFT_FIRST;
}

static void
change_gate_state (GstVisionGate *self, GstVisionGateState state)
{
  self->state = state;
  g_cond_broadcast (&self->changed);
}

/* Notes that the waiting frames are lost, since the output stops; returns their
 * number.  The output begins anew with the flush that is in progress, or with a
 * flush that has ended and was not used yet. */
static guint
forget_frames (GstVisionGate *self)
{
  GstVisionGateInput *in = self->input;
  guint n = in[0].waiting + in[1].waiting;

  self->flush = 0;
  self->stops = TRUE;
  for (gint i = 0; i < 2; i++) {
    in[i].waiting = 0;
    in[i].stopped = TRUE;
    if (!self->flush && in[i].flush)
      self->flush = in[i].flush;
    else if (!self->flush && in[i].anew)
      self->flush = in[i].newest_flush;
  }
  return n;
}

/* The state after the end of the output: an input that has begun anew, and of
 * which no frame has come since, waits for the other input. */
static GstVisionGateState
state_after_end (const GstVisionGate *self, gboolean cut)
{
  if (self->input[0].anew || self->input[1].anew)
    return state_awaiting (self->input[0].anew);
  return cut ? GST_VISION_GATE_CUT : GST_VISION_GATE_SHUT;
}

gint
gst_vision_gate_end (GstVisionGate *self, gboolean cut)
{
  GstVisionGateInput *in = self->input;
  gint n = -1;

  LOCK (self);
  if (!in[0].anew || !in[1].anew) {
    n = (gint) forget_frames (self);
    if (self->state != GST_VISION_GATE_FAILED) {
      self->refusal = GST_FLOW_EOS;
      change_gate_state (self, state_after_end (self, cut));
    }
  }
  UNLOCK (self);
  return n;
}

guint
gst_vision_gate_fail (
    GstVisionGate *self, GstFlowReturn reason, gboolean for_good)
{
  guint n;

  LOCK (self);
  self->input[0].anew = self->input[1].anew = FALSE;
  n = forget_frames (self);
  if (self->state != GST_VISION_GATE_FAILED) {
    self->refusal = reason;
    change_gate_state (
        self, for_good ? GST_VISION_GATE_FAILED : GST_VISION_GATE_SHUT);
  }
  UNLOCK (self);
  return n;
}

gboolean
gst_vision_gate_tell_cut (GstVisionGate *self)
{
  gboolean cut;

  LOCK (self);
  cut = self->state == GST_VISION_GATE_CUT;
  if (cut)
    change_gate_state (self, GST_VISION_GATE_SHUT);
  UNLOCK (self);
  return cut;
}

gboolean
gst_vision_gate_renew (
    GstVisionGate *self, gint i, GstVisionGateThread thread, gboolean alone)
{
  gboolean was_open, opens, runs;

  LOCK (self);
  self->input[i].anew = TRUE;
  self->stops &= thread != GST_VISION_GATE_THREAD_STARTS;
  runs = thread != GST_VISION_GATE_THREAD_STANDS && !self->stops;
  was_open = self->state == GST_VISION_GATE_OPEN;
  opens = runs && !was_open && self->state != GST_VISION_GATE_FAILED &&
      (alone || self->state == state_awaiting (i) ||
          self->state == state_left_by (i));
  if (was_open && runs)
    self->flush = 0;
  else if (!opens && self->state != GST_VISION_GATE_FAILED) {
    if (was_open) /* the other input is about to flush, too */
      self->refusal = GST_FLOW_FLUSHING;
    change_gate_state (self, state_awaiting (!i));
  }
  UNLOCK (self);
  return opens;
}

void
gst_vision_gate_reopen (GstVisionGate *self)
{
  LOCK (self);
  self->flush = 0;
  change_gate_state (self, GST_VISION_GATE_OPEN);
  UNLOCK (self);
}

gboolean
gst_vision_gate_take_seek (GstVisionGate *self, guint32 seek, gboolean flushes)
{
  gboolean is_new;

  LOCK (self);
  is_new = seek != self->seek;
  if (is_new && flushes && self->state != GST_VISION_GATE_OPEN &&
      self->state != GST_VISION_GATE_FAILED) {
    self->flush = 0;
    change_gate_state (self, GST_VISION_GATE_SHUT);
  }
  self->seek = seek;
  UNLOCK (self);
  return is_new;
}

gboolean
gst_vision_gate_awaits_other (GstVisionGate *self, gint i)
{
  return GST_VISION_LOCKED (self->element, self->state == state_awaiting (!i));
}

void
gst_vision_gate_activate (GstVisionGate *self, gint i)
{
  LOCK (self);
  self->input[i].flush = 0;
  memset (self->input[i].held, 0, sizeof self->input[i].held);
  g_cond_broadcast (&self->changed);
  UNLOCK (self);
}

void
gst_vision_gate_wake (GstVisionGate *self)
{
  LOCK (self);
  g_cond_broadcast (&self->changed);
  UNLOCK (self);
}

gboolean
gst_vision_gate_is_open (GstVisionGate *self)
{
  return GST_VISION_LOCKED (self->element, self->state == GST_VISION_GATE_OPEN);
}

/* Gives @event the sequence number @flush.  Takes and returns the event. */
static GstEvent *
number_event (GstEvent *event, guint32 flush)
{
  if (gst_event_get_seqnum (event) == flush)
    return event;
  event = gst_event_make_writable (event);
  gst_event_set_seqnum (event, flush);
  return event;
}

/* Notes that input @i flushes for the seek of number @flush, which both inputs
 * have taken if the other one flushes for it, too. */
static void
note_flush (GstVisionGate *self, gint i, guint32 flush)
{
  self->input[i].begun_flush = flush;
  if (self->element->numsinkpads < 2 || self->input[!i].begun_flush == flush)
    self->seek = flush;
}

GstEvent *
gst_vision_gate_take_flush (GstVisionGate *self, gint i, GstEvent *event)
{
  gboolean stops = GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP;

  LOCK (self);
  if (self->state != GST_VISION_GATE_OPEN && self->flush)
    event = number_event (event, self->flush);
  if (self->state != GST_VISION_GATE_OPEN || stops)
    self->flush = gst_event_get_seqnum (event);
  self->input[i].flush = stops ? 0 : gst_event_get_seqnum (event);
  if (!stops)
    note_flush (self, i, gst_event_get_seqnum (event));
  else {
    self->input[i].newest_flush = gst_event_get_seqnum (event);
    self->input[i].waiting = 0;
    self->input[i].held[GST_VISION_GATE_ENDS] = 0;
    self->input[i].held[GST_VISION_GATE_GAPS] = 0;
    self->input[i].newest = GST_CLOCK_TIME_NONE;
  }
  g_cond_broadcast (&self->changed);
  UNLOCK (self);
  return event;
}

/* The index of @type among the kinds of events that are counted; -1: it is not
 * counted. */
static gint
place_of_event (GstEventType type)
{
  return type == GST_EVENT_STREAM_START ? GST_VISION_GATE_STREAMS
      : type == GST_EVENT_EOS           ? GST_VISION_GATE_ENDS
      : type == GST_EVENT_GAP           ? GST_VISION_GATE_GAPS
                                        : -1;
}

void
gst_vision_gate_hold_event (GstVisionGate *self, gint i, GstEventType type)
{
  gint place = place_of_event (type);

  if (place < 0)
    return;
  LOCK (self);
  self->input[i].held[place]++;
  UNLOCK (self);
}

gboolean
gst_vision_gate_free_event (GstVisionGate *self, gint i, GstEventType type)
{
  gint place = place_of_event (type);
  gboolean held;

  if (place < 0)
    return TRUE;
  LOCK (self);
  held = self->input[i].held[place] > 0;
  self->input[i].held[place] -= held;
  UNLOCK (self);
  return held;
}

gboolean
gst_vision_gate_forget_stream (GstVisionGate *self, gint i)
{
  gboolean held;

  LOCK (self);
  held = self->input[i].held[GST_VISION_GATE_STREAMS] > 0;
  self->input[i].held[GST_VISION_GATE_STREAMS] = 0;
  UNLOCK (self);
  return held;
}

/* ---- Frames ---- */

/* Whether @pad of input @i refuses all data.  The pad alone does not know: a
 * GstPad forgets that it flushes before the thread that brings frames has left
 * it. */
static gboolean
pad_is_gone (const GstVisionGate *self, gint i, GstPad *pad)
{
  return self->input[i].flush || gst_vision_pad_is_flushing (pad) ||
      !gst_object_has_as_parent (GST_OBJECT (pad), GST_OBJECT (self->element));
}

/* Waits for a change of the gate; FALSE if none comes before the time @until.
 */
static gboolean
wait_for_change (GstVisionGate *self, gint64 until)
{
  return g_cond_wait_until (
      &self->changed, GST_OBJECT_GET_LOCK (self->element), until);
}

/* Waits until the other input begins anew; FALSE if this takes too long. */
static gboolean
wait_for_other (GstVisionGate *self, gint i, GstPad *pad)
{
  gint64 until = g_get_monotonic_time () + self->patience;

  while (self->state == state_awaiting (!i) && !pad_is_gone (self, i, pad))
    if (!wait_for_change (self, until) && self->state == state_awaiting (!i)) {
      self->refusal = GST_FLOW_EOS;
      change_gate_state (self, state_left_by (!i));
      return FALSE;
    }
  return TRUE;
}

/* Waits until the GstAggregator has room for a frame of input @i; FALSE if this
 * takes too long. */
static gboolean
wait_for_room (GstVisionGate *self, gint i, GstPad *pad)
{
  gint64 until = g_get_monotonic_time () + self->patience;

  while (self->state == GST_VISION_GATE_OPEN &&
      self->input[i].waiting >= MAX_WAITING && !pad_is_gone (self, i, pad))
    if (!wait_for_change (self, until))
      return FALSE;
  return TRUE;
}

/* Whether the time of @frame is later than that of the frame before it. */
static gboolean
frame_goes_on (GstVisionGateInput *input, const GstBuffer *frame)
{
  GstClockTime before = input->newest;

  input->newest = GST_BUFFER_PTS (frame);
  return GST_CLOCK_TIME_IS_VALID (input->newest) &&
      (!GST_CLOCK_TIME_IS_VALID (before) || input->newest > before);
}

static GstVisionPassage
refuse_frame (GstVisionGate *self)
{
  if (self->state != GST_VISION_GATE_CUT)
    return GST_VISION_PASSAGE_REFUSED;
  change_gate_state (self, GST_VISION_GATE_SHUT);
  return GST_VISION_PASSAGE_CUT;
}

GstVisionPassage
gst_vision_gate_enter (
    GstVisionGate *self, gint i, GstPad *pad, GstBuffer *frame)
{
  GstVisionGateInput *in = &self->input[i];
  gboolean goes_on = !frame || frame_goes_on (in, frame);
  GstVisionPassage passage = GST_VISION_PASSAGE_GRANTED;

  LOCK (self);
  if (!wait_for_other (self, i, pad))
    passage = GST_VISION_PASSAGE_LEFT;
  else if (!goes_on && !wait_for_room (self, i, pad))
    passage = GST_VISION_PASSAGE_FULL;
  else if (pad_is_gone (self, i, pad))
    passage = GST_VISION_PASSAGE_FLUSHED;
  else if (self->state != GST_VISION_GATE_OPEN)
    passage = refuse_frame (self);
  in->stopped = FALSE;
  if (passage == GST_VISION_PASSAGE_GRANTED) {
    in->entering = frame;
    in->anew = FALSE;
  }
  UNLOCK (self);
  return passage;
}

GstVisionPassage
gst_vision_gate_pass (
    GstVisionGate *self, gint i, const GstBuffer *frame, gboolean took)
{
  GstVisionGateInput *in = &self->input[i];
  GstVisionPassage passage = GST_VISION_PASSAGE_GRANTED;

  LOCK (self);
  if (in->entering != frame) /* the output has taken the frame already */
    ;
  else if (in->stopped)
    passage = refuse_frame (self);
  else if (took && frame)
    in->waiting++;
  in->entering = NULL;
  UNLOCK (self);
  return passage;
}

GstFlowReturn
gst_vision_gate_refusal (GstVisionGate *self)
{
  return GST_VISION_LOCKED (self->element, self->refusal);
}

void
gst_vision_gate_leave (GstVisionGate *self, gint i, const GstBuffer *frame)
{
  GstVisionGateInput *in = &self->input[i];

  LOCK (self);
  if (in->entering == frame)
    in->entering = NULL;
  else if (in->waiting)
    in->waiting--;
  g_cond_broadcast (&self->changed);
  UNLOCK (self);
}

guint
gst_vision_gate_empty (GstVisionGate *self, gint i)
{
  guint n;

  LOCK (self);
  n = self->input[i].waiting;
  self->input[i].waiting = 0;
  memset (self->input[i].held, 0, sizeof self->input[i].held);
  g_cond_broadcast (&self->changed);
  UNLOCK (self);
  return n;
}

gboolean
gst_vision_gate_drain (GstVisionGate *self, gint i, GstPad *pad)
{
  gint64 until = g_get_monotonic_time () + self->patience;
  gboolean drained;

  LOCK (self);
  while (!pad_is_gone (self, i, pad) &&
      (self->state == state_awaiting (!i) ||
          (self->state == GST_VISION_GATE_OPEN && self->input[i].waiting)) &&
      wait_for_change (self, until))
    ;
  drained = self->state == GST_VISION_GATE_OPEN && !self->input[i].waiting;
  UNLOCK (self);
  return drained;
}
