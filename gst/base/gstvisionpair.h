/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which frames of two pads belong together: those whose running times differ
 * by at most `max-skew`.  Of two that differ by more the earlier one has no
 * partner. */
#pragma once

#include <gst/base/gstaggregator.h>

G_BEGIN_DECLS

/* So many frames in a row without a partner call for a warning. */
#define GST_VISION_PAIR_PATIENCE 10

typedef enum {
  GST_VISION_PAIR_WAIT,  /* the partner may still come */
  GST_VISION_PAIR_MATCH, /* the two oldest frames belong together */
  GST_VISION_PAIR_FIRST, /* the oldest frame of the first pad has no partner */
  GST_VISION_PAIR_SECOND,
  GST_VISION_PAIR_END, /* a pad has ended, and no pair will come any more */
} GstVisionPairing;

/* How it went so far. */
typedef struct {
  guint in_a_row;            /* frames without a partner since the last pair */
  GstClockTimeDiff distance; /* the least between two of them that met; first
                                minus second */
  gboolean met;              /* there is such a distance */
  gboolean matched;          /* there was a pair */
  gboolean warned;
} GstVisionPair;

/* Looks at the oldest frames of both pads.  @timeout: no more time to wait. */
GstVisionPairing gst_vision_pair_next (GstVisionPair *self,
    GstAggregatorPad *first, GstAggregatorPad *second, GstClockTime max_skew,
    gboolean timeout);

/* Warns where @patience or more frames in a row had no partner, once. */
void gst_vision_pair_warn (GstVisionPair *self, GstElement *element,
    GstClockTime max_skew, guint patience);

/* Running time of the pad's oldest frame, GST_CLOCK_TIME_NONE without one. */
GstClockTime gst_vision_pair_time (GstAggregatorPad *pad);

/* Whether the pad's oldest buffer says that there is no frame. */
gboolean gst_vision_pair_is_gap (GstBuffer *buffer);

G_END_DECLS
