/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The gate between the two inputs of a GstVisionAggregator and its output:
 * which frames pass, which wait and which are refused, from the end of the
 * output until both inputs have begun anew; and how many frames wait behind it
 * for their partners.
 *
 * A GstAggregator has one thread for the output.  The thread stops at the end
 * and after an error.  It starts again once both inputs have flushed or, from
 * GStreamer 1.26 on, once a stream begins.  An input that alone has begun anew
 * would wait for that thread for ever: here it waits for the other input, and
 * not for long.
 *
 *                frame of the      the output     the first      the second
 *                first    second   ends           begins anew    begins anew
 * OPEN           passes   passes   CUT, SHUT [1]  OPEN [2]       OPEN [2]
 * CUT [3]        refused  refused  SHUT           AWAITS_SECOND  AWAITS_FIRST
 * SHUT           refused  refused  SHUT           AWAITS_SECOND  AWAITS_FIRST
 * AWAITS_FIRST   refused  waits    AWAITS_FIRST   OPEN [2]       AWAITS_FIRST
 * AWAITS_SECOND  waits    refused  AWAITS_SECOND  AWAITS_SECOND  OPEN [2]
 * LEFT_FIRST     refused  refused  AWAITS_FIRST   OPEN [2]       AWAITS_FIRST
 * LEFT_SECOND    refused  refused  AWAITS_SECOND  AWAITS_SECOND  OPEN [2]
 * FAILED         refused  refused  FAILED         FAILED         FAILED
 *
 * [1] An input that has begun anew, and of which no frame has passed since, has
 * not ended: the gate awaits the other input.  If both are such inputs, the
 * output goes on.
 *
 * [2] If the output's thread does not run, as between the flushes of a seek,
 * the gate awaits the other input.
 *
 * [3] One input has ended and the other one has not.  The first frame that is
 * refused is reported and leads to SHUT.
 *
 * A frame that has waited as long as it may leads from AWAITS_FIRST to
 * LEFT_FIRST and from AWAITS_SECOND to LEFT_SECOND.  An error of the output
 * leads to SHUT, or to FAILED if only a start mends it.  A start leads from
 * each state to OPEN.  If only one input is linked, its new beginning leads to
 * OPEN.
 *
 * The state is under the element's object lock.  Each change wakes all threads
 * that wait, as do a flush, a stop and the release of a pad. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef enum {
  GST_VISION_GATE_OPEN,
  GST_VISION_GATE_CUT,
  GST_VISION_GATE_SHUT,
  GST_VISION_GATE_AWAITS_FIRST,
  GST_VISION_GATE_AWAITS_SECOND,
  GST_VISION_GATE_LEFT_FIRST,
  GST_VISION_GATE_LEFT_SECOND,
  GST_VISION_GATE_FAILED,
} GstVisionGateState;

/* The output's thread at the time when an input begins anew. */
typedef enum {
  GST_VISION_GATE_THREAD_STANDS,
  GST_VISION_GATE_THREAD_STARTS,
  GST_VISION_GATE_THREAD_RUNS, /* the thread may be about to stop */
} GstVisionGateThread;

/* The fate of a frame at the gate. */
typedef enum {
  GST_VISION_PASSAGE_GRANTED,
  GST_VISION_PASSAGE_REFUSED,
  GST_VISION_PASSAGE_CUT,  /* refused; the first frame refused in the state CUT
                            */
  GST_VISION_PASSAGE_LEFT, /* refused: it has waited for the other input */
  GST_VISION_PASSAGE_FULL, /* to be dropped: it has waited for room */
  GST_VISION_PASSAGE_FLUSHED, /* its pad flushes, stops or was released */
} GstVisionPassage;

/* Kinds of events whose number in the GstAggregator is counted. */
enum {
  GST_VISION_GATE_STREAMS, /* beginnings of streams */
  GST_VISION_GATE_ENDS,
  GST_VISION_GATE_GAPS,
  GST_VISION_GATE_N_HELD,
};

/* The state of one input. */
typedef struct {
  guint waiting;       /* number of frames that the GstAggregator holds */
  GstBuffer *entering; /* the frame that is on its way into the GstAggregator;
                          not owned */
  gboolean stopped;    /* the output has stopped since @entering was set */
  guint held[GST_VISION_GATE_N_HELD]; /* number of events that the GstAggregator
                                         holds */
  guint32 flush;        /* sequence number of the flush in progress; 0: none */
  guint32 newest_flush; /* sequence number of the newest flush that has ended */
  guint32 begun_flush;  /* sequence number of the newest flush that has begun */
  gboolean anew;        /* no frame has come since the input began anew */
  GstClockTime newest;  /* time of the newest frame; used by the thread that
                           brings the frames */
} GstVisionGateInput;

typedef struct {
  GstElement *element; /* not owned */
  gint64 patience;     /* maximum length of each wait, in microseconds */
  GCond changed;
  GstVisionGateState state;
  GstFlowReturn refusal; /* what a refused frame returns */
  guint32 flush; /* the common sequence number of all flushes since the output
                    stopped; 0: there was none */

  gboolean stops; /* the output's thread is to stop, or has stopped */
  guint32 seek; /* sequence number of the newest seek from downstream or, if it
                   is newer, of the newest flush of all inputs */
  GstVisionGateInput input[2];
} GstVisionGate;

void gst_vision_gate_init (GstVisionGate *self, GstElement *element);
void gst_vision_gate_clear (GstVisionGate *self);

/* Puts the gate into its first state, when the element starts. */
void gst_vision_gate_open (GstVisionGate *self, gint64 patience);

/* Notes the end of the output; @cut: only one input has ended.  Returns the
 * number of waiting frames, which are lost; -1: the output goes on, since both
 * inputs have begun anew. */
gint gst_vision_gate_end (GstVisionGate *self, gboolean cut);
/* Notes that the output stops for @reason; @for_good: only a new start of the
 * element mends it.  Returns the number of waiting frames, which are lost. */
guint gst_vision_gate_fail (
    GstVisionGate *self, GstFlowReturn reason, gboolean for_good);
/* Whether the end of one input is to be reported now, which is so in the state
 * CUT.  The state becomes SHUT. */
gboolean gst_vision_gate_tell_cut (GstVisionGate *self);
/* Notes that input @i begins anew; @alone: no other input is linked.  TRUE: the
 * output begins anew, too, after gst_vision_gate_reopen (). */
gboolean gst_vision_gate_renew (
    GstVisionGate *self, gint i, GstVisionGateThread thread, gboolean alone);
void gst_vision_gate_reopen (GstVisionGate *self);
/* Whether frames of input @i wait until the other input begins anew. */
gboolean gst_vision_gate_awaits_other (GstVisionGate *self, gint i);
/* Notes a seek from downstream, by its sequence number; @flushes: both inputs
 * will begin anew.  FALSE: the seek is done already, since several sinks send
 * the same one, and their ways to the sources differ. */
gboolean gst_vision_gate_take_seek (
    GstVisionGate *self, guint32 seek, gboolean flushes);
/* Notes that the pad of input @i is activated. */
void gst_vision_gate_activate (GstVisionGate *self, gint i);
/* Wakes all threads that wait at the gate, because a pad was deactivated or
 * released. */
void gst_vision_gate_wake (GstVisionGate *self);
gboolean gst_vision_gate_is_open (GstVisionGate *self);

/* Numbers a FLUSH_START or FLUSH_STOP of input @i.  Once the output has
 * stopped, all flushes get the same sequence number: a GstAggregator begins
 * anew only after flushes of one number, but a player seeks its two files one
 * after the other, by two numbers.  Takes and returns the event. */
GstEvent *gst_vision_gate_take_flush (
    GstVisionGate *self, gint i, GstEvent *event);

/* To be called before the GstAggregator gets an event, and when it has read or
 * refused the event.  If the GstAggregator read an event that came before a
 * flush, the second function returns FALSE. */
void gst_vision_gate_hold_event (
    GstVisionGate *self, gint i, GstEventType type);
gboolean gst_vision_gate_free_event (
    GstVisionGate *self, gint i, GstEventType type);
/* Whether the GstAggregator holds the beginning of a stream, so that the input
 * has not ended.  The gate then counts this beginning no more. */
gboolean gst_vision_gate_forget_stream (GstVisionGate *self, gint i);

/* ---- Frames that wait for their partner ----
 *
 * A GstAggregator holds the frames of an input until they are paired.  When it
 * stops, it drops them in silence, so the gate counts them.  Frames whose times
 * do not increase would pile up in it, so the gate limits their number. */

/* To be called by the thread that brings a frame of input @i: enter () before
 * the GstAggregator gets the frame, pass () afterwards.  Enter () may wait.
 * @took: the GstAggregator took the frame.  @frame is NULL for a gap, which is
 * not counted. */
GstVisionPassage gst_vision_gate_enter (
    GstVisionGate *self, gint i, GstPad *pad, GstBuffer *frame);
GstVisionPassage gst_vision_gate_pass (
    GstVisionGate *self, gint i, const GstBuffer *frame, gboolean took);
/* The flow that the chain function returns for a refused frame. */
GstFlowReturn gst_vision_gate_refusal (GstVisionGate *self);

/* Notes that the output's thread has taken a frame. */
void gst_vision_gate_leave (
    GstVisionGate *self, gint i, const GstBuffer *frame);
/* Notes that the GstAggregator has dropped what it held of input @i; returns
 * the number of its frames. */
guint gst_vision_gate_empty (GstVisionGate *self, gint i);
/* Waits until the output has taken all frames of input @i; FALSE if this takes
 * too long, or the output will not take them. */
gboolean gst_vision_gate_drain (GstVisionGate *self, gint i, GstPad *pad);

G_END_DECLS
