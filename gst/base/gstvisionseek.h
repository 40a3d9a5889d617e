/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Seeks that come from behind a GstAggregator, which follows them before it
 * asks the sources. */
#pragma once

#include <gst/base/gstaggregator.h>

G_BEGIN_DECLS

/* Adds, to a seek backwards from an unknown end, where the shortest input ends.
 * Takes and returns the event. */
GstEvent *gst_vision_seek_complete (GstAggregator *agg, GstEvent *event);
/* Whether the output can follow the seek, and the inputs can if it flushes. */
gboolean gst_vision_seek_is_possible (GstAggregator *agg, GstEvent *event);
gboolean gst_vision_seek_flushes (GstEvent *event);

G_END_DECLS
