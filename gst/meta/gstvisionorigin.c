/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstvisionorigin.h"

#include "gstvisionstructure.h"

G_DEFINE_ENUM_TYPE (GstVisionOrigin, gst_vision_origin,
    G_DEFINE_ENUM_VALUE (GST_VISION_ORIGIN_RESULT, "result"),
    G_DEFINE_ENUM_VALUE (GST_VISION_ORIGIN_TRUTH, "truth"))

/**
 * gst_vision_meta_register:
 *
 * Makes the metas known to GStreamer by name.  Every function that adds or
 * reads one does so by itself; this is for who reads them as GstCustomMeta, or
 * receives them from another process, without having called one.
 *
 * Since: 0.1
 */
void
gst_vision_meta_register (void)
{
  gst_vision_meta_info (GST_VISION_META_OBJECTS, GST_VISION_ORIGIN_RESULT);
}
