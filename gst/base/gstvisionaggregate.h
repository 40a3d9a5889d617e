/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The streaming part of a GstVisionAggregator: frames, caps and queries of its
 * pads, and results downstream. */
#pragma once

#include "base/gstvisionarrival.h"
#include "base/gstvisionframes.h"
#include "base/gstvisionpair.h"
#include "base/gstvisionwaiting.h"

G_BEGIN_DECLS

/* Whether an input that goes on waits for the output to begin anew. */
enum {
  GST_VISION_BEGINS_NOT,
  GST_VISION_BEGINS_SOON,
  GST_VISION_BEGINS_NEVER, /* it waited long enough */
};

typedef struct {
  GstVisionCommon common;

  /* Under the object lock. */
  gint64 max_skew; /* as set; -1: as the caps say */
  GstVisionPacking packing;

  GstVisionFrames frames; /* of the streaming thread */
  GstVisionPair pair;     /* likewise */
  GstVisionArrival arrival[2];
  GstVisionWaiting waiting[2];
  gint has_ended; /* atomic: EOS is downstream, and nothing began since */
  gint begins[2]; /* atomic: GST_VISION_BEGINS_... */
  gint tell_end;  /* atomic: an input made that end, and nobody was told */
} GstVisionAggregatorPrivate;

GstVisionAggregatorPrivate *gst_vision_aggregator_private (gpointer self);

/* Counts frames that still wait for their partners as dropped: the output
 * ends, or the element stops. */
void gst_vision_aggregate_count_waiting (GstAggregator *agg);

/* The first pad (0) or the second (1), to be unreferenced; NULL where it was
 * not requested. */
GstAggregatorPad *gst_vision_aggregate_pad (GstAggregator *agg, gint i);
/* The property packing. */
GstVisionPacking gst_vision_aggregate_packing (GstAggregator *agg);
gint gst_vision_aggregate_number (GstAggregator *agg, GstAggregatorPad *pad);

/* Of GstAggregatorClass: */
GstFlowReturn gst_vision_aggregate (GstAggregator *agg, gboolean timeout);
/* What the times of a pair may differ by. */
GstClockTime gst_vision_aggregate_max_skew (GstAggregator *agg);
/* Whether that follows the frame rates of the caps. */
gboolean gst_vision_aggregate_skews_by_caps (GstAggregator *agg);
/* Where that has changed: a frame waits for its partner at most as long as that
 * may come later. */
void gst_vision_aggregate_update_latency (GstAggregator *agg);

/* Live: when the oldest frame that waits is due. */
GstClockTime gst_vision_aggregate_next_time (GstAggregator *agg);
/* What a seek left over before and after is no frame at all. */
GstBuffer *gst_vision_aggregate_clip (
    GstAggregator *agg, GstAggregatorPad *pad, GstBuffer *buffer);
/* After the end, frames and what waits for them are refused until a stream
 * begins anew. */
GstFlowReturn gst_vision_aggregate_sink_event_pre_queue (
    GstAggregator *agg, GstAggregatorPad *pad, GstEvent *event);
gboolean gst_vision_aggregate_sink_query_pre_queue (
    GstAggregator *agg, GstAggregatorPad *pad, GstQuery *query);
gboolean gst_vision_aggregate_sink_event (
    GstAggregator *agg, GstAggregatorPad *pad, GstEvent *event);
gboolean gst_vision_aggregate_sink_query (
    GstAggregator *agg, GstAggregatorPad *pad, GstQuery *query);
/* Of its pads, whose chaindata is a GstAggregatorPad's function; likewise. */
GstFlowReturn gst_vision_aggregate_chain (
    GstPad *pad, GstObject *agg, GstBuffer *buffer);
/* The output has the first input's caps, or those of a picture. */
GstFlowReturn gst_vision_aggregate_src_caps (
    GstAggregator *agg, GstCaps *allowed, GstCaps **caps);

G_END_DECLS
