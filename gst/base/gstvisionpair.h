/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which frames of two pads belong together: those whose running times differ
 * by at most `max-skew`.  Of two that differ by more the earlier one has no
 * partner. */
#pragma once

#include <gst/base/gstaggregator.h>

G_BEGIN_DECLS

typedef enum {
  GST_VISION_PAIR_WAIT,  /* the partner may still come */
  GST_VISION_PAIR_MATCH, /* the two oldest frames belong together */
  GST_VISION_PAIR_FIRST, /* the oldest frame of the first pad has no partner */
  GST_VISION_PAIR_SECOND,
  GST_VISION_PAIR_END, /* a pad has ended, and no pair will come any more */
} GstVisionPairing;

/* How it went so far. */
typedef struct {
  GstClockTime max_skew;     /* between frames that belong together */
  guint in_a_row;            /* frames without a partner since the last pair */
  guint turns;               /* how often among them the input changed */
  gboolean turn;             /* the newest of them was the second input's */
  GstClockTimeDiff distance; /* the minimum between two of them that met; first
                                minus second */
  gboolean met;              /* there is such a distance */
  gboolean warned;
  gboolean matched;      /* there was a pair */
  GstClockTimeDiff skew; /* of the newest pair; first minus second */
  guint skewed;          /* pairs in a row that are far apart */
  gboolean told;         /* of those */
} GstVisionPair;

/* Looks at the oldest frames of both pads.  @timeout: no more time to wait. */
GstVisionPairing gst_vision_pair_next (GstVisionPair *self,
    GstAggregatorPad *first, GstAggregatorPad *second, gboolean timeout);

/* Warns, once, where no frame of either input has a partner, or many in a row
 * had none, or @at_end, any. */
void gst_vision_pair_warn (
    GstVisionPair *self, GstElement *element, gboolean at_end);
/* Tells, once, where pairs are farther apart than moving things allow. */
void gst_vision_pair_tell_skew (GstVisionPair *self, GstElement *element);

/* Running time of the pad's oldest frame, GST_CLOCK_TIME_NONE without one. */
GstClockTime gst_vision_pair_time (GstAggregatorPad *pad);

/* Whether the pad's oldest buffer says that there is no frame. */
gboolean gst_vision_pair_is_gap (GstBuffer *buffer);

/* ---- Frames that wait for their partner ----
 *
 * A GstAggregator holds the frames of an input until they are paired.  It drops
 * them in silence where it stops, and at the end those that lie behind an
 * event; and of frames whose times do not go on it would hold any number. */

/* Of one input. */
typedef struct {
  gint n;              /* atomic: clip () has the pad's lock */
  GstClockTime newest; /* of the thread that brings frames */
} GstVisionWaiting;

/* @buffer comes; FALSE where it is no frame but a gap.  One whose time does not
 * go on waits here for room, but not while @over (atomic) or where @pad
 * flushes. */
gboolean gst_vision_waiting_add (
    GstVisionWaiting *self, GstPad *pad, GstBuffer *buffer, const gint *over);
/* A frame was refused, or taken. */
void gst_vision_waiting_remove (GstVisionWaiting *self);
/* How many there were: from here on there are none. */
guint gst_vision_waiting_clear (GstVisionWaiting *self);

/* ---- How late the frames of a live input come ----
 *
 * In a live pipeline a frame waits for its partner until that is late.  But if
 * the sources, or the elements downstream, are slower than the clock, all
 * frames are late, and all pairs would be parted.  So a frame waits longer for
 * an input that was late within the last second or that has just begun. */

/* Of one input; all but `until` is of the thread that brings its frames. */
typedef struct {
  GstSegment segment; /* of the frames that come next */
  GstClockTime until; /* running time; with the object's lock */
} GstVisionLateness;

/* Before an event, or a frame, of the input is queued. */
void gst_vision_lateness_take_event (
    GstVisionLateness *self, GstAggregator *agg, GstEvent *event);
void gst_vision_lateness_take_frame (
    GstVisionLateness *self, GstAggregator *agg, GstBuffer *buffer);

/* The running time until which frames wait for this input. */
GstClockTime gst_vision_lateness_get (
    GstVisionLateness *self, GstAggregator *agg);

G_END_DECLS
