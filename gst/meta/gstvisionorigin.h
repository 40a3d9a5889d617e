/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the metas of every kind share: where they come from, and their names. */
#pragma once

#include <gst/gst.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

#ifndef GST_VISION_META_API
# define GST_VISION_META_API __attribute__ ((visibility ("default"))) extern
#endif

/**
 * GstVisionOrigin:
 * @GST_VISION_ORIGIN_RESULT: an element found it; the metas are named
 *   VisionObjects, VisionCamera and VisionMaps
 * @GST_VISION_ORIGIN_TRUTH: it is true by construction, as in a synthetic
 *   scene; the metas are named VisionTruthObjects, VisionTruthCamera and
 *   VisionTruthMaps
 *
 * Where what a meta says comes from.
 *
 * Since: 0.1
 */
typedef enum {
  GST_VISION_ORIGIN_RESULT,
  GST_VISION_ORIGIN_TRUTH,
} GstVisionOrigin;

#define GST_TYPE_VISION_ORIGIN (gst_vision_origin_get_type ())
GST_VISION_META_API
GType gst_vision_origin_get_type (void);

GST_VISION_META_API
void gst_vision_meta_register (void);

G_END_DECLS
