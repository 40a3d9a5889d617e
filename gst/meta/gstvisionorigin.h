/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the metas of all kinds share: their origin, and their names. */
#pragma once

#include <gst/gst.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

#ifndef GST_VISION_META_API
# define GST_VISION_META_API __attribute__ ((visibility ("default"))) extern
#endif

/**
 * GstVisionOrigin:
 * @GST_VISION_ORIGIN_RESULT: an element measured the content of the meta; such
 *   metas have the names VisionObjects, VisionCamera and VisionMaps
 * @GST_VISION_ORIGIN_TRUTH: the content is true by construction, as that of a
 *   synthetic scene; such metas have the names VisionTruthObjects,
 *   VisionTruthCamera and VisionTruthMaps
 *
 * The origin of the content of a meta.  A buffer may have metas of both
 * origins.
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
GST_VISION_META_API
void gst_vision_meta_watch (GstElement *element);

G_END_DECLS
