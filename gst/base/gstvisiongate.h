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

/* The output's thread when an input begins anew. */
typedef enum {
  GST_VISION_GATE_THREAD_STANDS,
  GST_VISION_GATE_THREAD_STARTS,
  GST_VISION_GATE_THREAD_RUNS, /* maybe only until it stops */
} GstVisionGateThread;

/* The fate of a frame at the gate. */
typedef enum {
  GST_VISION_PASSAGE_GRANTED,
  GST_VISION_PASSAGE_REFUSED,
  GST_VISION_PASSAGE_CUT,     /* refused, as the first one in CUT */
  GST_VISION_PASSAGE_LEFT,    /* refused: it has waited for the other input */
  GST_VISION_PASSAGE_FULL,    /* to be dropped: it has waited for room */
  GST_VISION_PASSAGE_FLUSHED, /* its pad flushes, stops or was released */
} GstVisionPassage;

/* Events that are counted. */
enum {
  GST_VISION_GATE_STREAMS, /* their beginnings */
  GST_VISION_GATE_ENDS,
  GST_VISION_GATE_GAPS,
  GST_VISION_GATE_N_HELD,
};

/* Of one input. */
typedef struct {
  guint waiting;       /* frames that the GstAggregator holds */
  GstBuffer *entering; /* a frame on its way into it; not owned */
  gboolean stopped;    /* the output has stopped since that frame set out */
  guint held[GST_VISION_GATE_N_HELD]; /* events that the GstAggregator holds */
  guint32 flush;        /* number of the flush in progress; 0: none is */
  guint32 newest_flush; /* number of the newest one that is over */
  gboolean anew;        /* no frame has come since the input began anew */
  GstClockTime newest;  /* of the thread that brings the frames */
} GstVisionGateInput;

typedef struct {
  GstElement *element; /* not owned */
  gint64 patience;     /* microseconds that each wait lasts at most */
  GCond changed;
  GstVisionGateState state;
  GstFlowReturn refusal; /* what a refused frame returns */
  guint32 flush; /* number of all flushes since the output stopped; 0: none
                    was */

  gboolean stops; /* the output's thread is to stop, or has stopped */
  guint32 seek;   /* number of the newest seek with a flush; 0: none was */
  GstVisionGateInput input[2];
} GstVisionGate;

void gst_vision_gate_init (GstVisionGate *self, GstElement *element);
void gst_vision_gate_clear (GstVisionGate *self);

/* At a start: forgets everything. */
void gst_vision_gate_open (GstVisionGate *self, gint64 patience);

/* The output ends; @cut: one input ended alone.  Returns the number of frames
 * that waited and go with it; -1: the output goes on, since both inputs have
 * begun anew. */
gint gst_vision_gate_end (GstVisionGate *self, gboolean cut);
/* The output stops for @reason, one that only a start mends if @for_good.
 * Returns the number of frames that waited. */
guint gst_vision_gate_fail (
    GstVisionGate *self, GstFlowReturn reason, gboolean for_good);
/* Whether the end of one input is to be reported now: in CUT, which becomes
 * SHUT. */
gboolean gst_vision_gate_tell_cut (GstVisionGate *self);
/* Input @i begins anew; @alone: no other input is linked.  TRUE: the output
 * begins anew, too, after gst_vision_gate_reopen (). */
gboolean gst_vision_gate_renew (
    GstVisionGate *self, gint i, GstVisionGateThread thread, gboolean alone);
void gst_vision_gate_reopen (GstVisionGate *self);
/* Whether frames of input @i wait until the other input begins anew. */
gboolean gst_vision_gate_awaits_other (GstVisionGate *self, gint i);
/* The seek of this number comes from downstream, once or, from several sinks,
 * several times: both inputs are to begin anew. */
void gst_vision_gate_renew_both (GstVisionGate *self, guint32 seek);
/* The pad of input @i is activated. */
void gst_vision_gate_activate (GstVisionGate *self, gint i);
/* A pad is deactivated or released: all that wait look at theirs. */
void gst_vision_gate_wake (GstVisionGate *self);
gboolean gst_vision_gate_is_open (GstVisionGate *self);

/* To be asked for each FLUSH_START and FLUSH_STOP of input @i.  Once the output
 * has stopped, all flushes get one number: a GstAggregator begins anew only
 * after flushes of one number, but a player seeks its files in turn.  Takes
 * and returns the event. */
GstEvent *gst_vision_gate_take_flush (
    GstVisionGate *self, gint i, GstEvent *event);

/* The GstAggregator is given an event, or has taken or refused it.  It may take
 * one that came before a flush: the second function then returns FALSE. */
void gst_vision_gate_hold_event (
    GstVisionGate *self, gint i, GstEventType type);
gboolean gst_vision_gate_free_event (
    GstVisionGate *self, gint i, GstEventType type);
/* Whether the GstAggregator holds the beginning of a stream, which it reads
 * next: then the input has not ended.  Forgets it. */
gboolean gst_vision_gate_forget_stream (GstVisionGate *self, gint i);

/* ---- Frames that wait for their partner ----
 *
 * A GstAggregator holds the frames of an input until they are paired.  It drops
 * them in silence where it stops; and of frames whose times do not go on it
 * would hold any number. */

/* A frame of input @i, in the thread that brings it, before the GstAggregator
 * gets it and after it, which @took the frame or refused it.  Waits before.
 * @frame: NULL for a gap, which nobody counts. */
GstVisionPassage gst_vision_gate_enter (
    GstVisionGate *self, gint i, GstPad *pad, GstBuffer *frame);
GstVisionPassage gst_vision_gate_pass (
    GstVisionGate *self, gint i, const GstBuffer *frame, gboolean took);
/* The flow that the chain function returns for a refused frame. */
GstFlowReturn gst_vision_gate_refusal (GstVisionGate *self);

/* The output's thread has taken a frame. */
void gst_vision_gate_leave (
    GstVisionGate *self, gint i, const GstBuffer *frame);
/* Forgets what the GstAggregator held; returns the number of frames. */
guint gst_vision_gate_empty (GstVisionGate *self, gint i);
/* Waits until the output has taken all frames of the input; FALSE if that takes
 * too long, or it will not take them. */
gboolean gst_vision_gate_drain (GstVisionGate *self, gint i, GstPad *pad);

G_END_DECLS
