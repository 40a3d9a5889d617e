/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How late the frames of a live input come.  In a live pipeline a frame waits
 * for its partner until that is late.  But if the sources, or the elements
 * downstream, are slower than the clock, all frames are late, and all pairs
 * would be parted.  So a frame waits longer for an input that was late within
 * the last second or that has just begun. */
#pragma once

#include <gst/base/gstaggregator.h>

G_BEGIN_DECLS

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
