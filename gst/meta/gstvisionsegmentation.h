/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The regions of a frame as a segmentation of GstAnalytics, which has them from
 * 1.26 on. */
#pragma once

#include "gstvisionorigin.h"

G_BEGIN_DECLS

GST_VISION_META_API
gboolean gst_vision_segmentation_is_known (void);
GST_VISION_META_API
gboolean gst_buffer_add_vision_segmentation (
    GstBuffer *buffer, GstBuffer *mask, guint n_regions);

G_END_DECLS
