/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Seeks from downstream of a GstAggregator.  A GstAggregator begins a seek
 * before it knows whether the sources can follow, so both are checked before.
 */
#pragma once

#include <gst/base/gstaggregator.h>

G_BEGIN_DECLS

/* Completes a seek backwards that states no stop: its stop becomes the end of
 * the shortest input.  Takes and returns the event. */
GstEvent *gst_vision_seek_complete (GstAggregator *agg, GstEvent *event);
/* Whether the output can follow the seek and, if the seek flushes, the inputs
 * can, too. */
gboolean gst_vision_seek_is_possible (GstAggregator *agg, GstEvent *event);
gboolean gst_vision_seek_flushes (GstEvent *event);

G_END_DECLS
