/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which video comes out for which goes in: of a frame, only its rate matters;
 * the map says the rest. */
#pragma once

#include <gst/base/gstbasetransform.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

GstStaticPadTemplate *gst_vision_map_template (GstPadDirection direction);

/* What the other pad can do where this one, of @direction, has @caps.  Maps of
 * @width times @height come; 0: that is not known yet. */
GstCaps *gst_vision_map_caps_transform (GstPadDirection direction,
    const GstCaps *caps, GstCaps *filter, gint width, gint height);
/* Chooses among @other, which it takes; where it is free, the size is that of
 * @caps. */
GstCaps *gst_vision_map_caps_fixate (const GstCaps *caps, GstCaps *other);
/* Of GstBaseTransform: the size of a buffer is that of its own caps. */
gboolean gst_vision_map_transform_size (GstBaseTransform *trans,
    GstPadDirection direction, GstCaps *caps, gsize size, GstCaps *other,
    gsize *other_size);

G_END_DECLS
