/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pairs the frames of two pads.  Frames belong together if their running times
 * differ by at most `max-skew`.  If the oldest frames of both pads differ by
 * more, the earlier frame has no partner. */
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

/* The state of the pairing. */
typedef struct {
  GstClockTime max_skew; /* maximum difference of times in a pair */
  guint in_a_row;        /* frames without a partner since the last pair */
  guint
      turns; /* changes from one input to the other among the frames in_a_row */
  gboolean
      turn; /* the newest frame without a partner came from the second input */
  GstClockTimeDiff
      distance; /* the least difference in time between frames in_a_row and
                   frames of the other input; first minus second */
  gboolean met; /* distance is known */
  gboolean warned;
  gboolean matched; /* there was a pair since the start */
  GstClockTimeDiff
      skew;      /* difference in time of the newest pair; first minus second */
  guint skewed;  /* pairs in a row that are far apart */
  gboolean told; /* such pairs were reported */
} GstVisionPair;

/* Decides what to do with the oldest frames of both pads.  @timeout: they
 * cannot wait longer. */
GstVisionPairing gst_vision_pair_next (GstVisionPair *self,
    GstAggregatorPad *first, GstAggregatorPad *second, gboolean timeout);

/* Posts one warning if many frames in a row had no partner, or, with @at_end,
 * if any frame had none. */
void gst_vision_pair_warn (
    GstVisionPair *self, GstElement *element, gboolean at_end);
/* Posts one message that the frames of pairs are too far apart in time for
 * things that move. */
void gst_vision_pair_tell_skew (GstVisionPair *self, GstElement *element);

/* Running time of the pad's oldest frame, GST_CLOCK_TIME_NONE without one. */
GstClockTime gst_vision_pair_time (GstAggregatorPad *pad);

/* Whether @buffer stands for a GAP event, which says that no frame comes in its
 * time. */
gboolean gst_vision_pair_is_gap (GstBuffer *buffer);

/* ---- How late the frames of a live input come ----
 *
 * In a live pipeline a frame waits for its partner until the partner is late.
 * But if the sources, or the elements downstream, are slower than the clock,
 * all frames are late, and no pairs would be found.  So a frame waits longer
 * for an input that was late within the last second or that has just begun. */

/* The lateness of one input.  The thread that brings its frames uses all
 * fields; other threads only `until`. */
typedef struct {
  GstSegment segment; /* segment of the next frames */
  GstClockTime until; /* running time until which frames wait for this input;
                         under the object lock */
} GstVisionLateness;

/* To be called before an event or a frame of the input is queued. */
void gst_vision_lateness_take_event (
    GstVisionLateness *self, GstAggregator *agg, GstEvent *event);
void gst_vision_lateness_take_frame (
    GstVisionLateness *self, GstAggregator *agg, GstBuffer *buffer);

/* The running time until which frames wait for this input. */
GstClockTime gst_vision_lateness_get (
    GstVisionLateness *self, GstAggregator *agg);

G_END_DECLS
