/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a child of GstVisionFilter asks of its parent: where to work, and to
 * tell the world what it found. */
#include "base/gstvisionfilter.h"

GstVisionBackend *
gst_vision_filter_get_backend (GstVisionFilter *self)
{
  return &gst_vision_filter_get_common (self)->backend;
}

void
gst_vision_filter_fault (GstVisionFilter *self, const char *what)
{
  gst_vision_common_fault (gst_vision_filter_get_common (self), what);
}

gboolean
gst_vision_filter_wants_message (GstVisionFilter *self, GstBuffer *buffer)
{
  return gst_vision_common_wants_message (gst_vision_filter_get_common (self),
      &GST_BASE_TRANSFORM (self)->segment, buffer);
}

void
gst_vision_filter_post (
    GstVisionFilter *self, GstBuffer *buffer, GstStructure *structure)
{
  gst_vision_common_post (gst_vision_filter_get_common (self),
      &GST_BASE_TRANSFORM (self)->segment, buffer, structure);
}

void
gst_vision_filter_post_objects (
    GstVisionFilter *self, GstBuffer *buffer, const gchar *name)
{
  gst_vision_common_post_objects (gst_vision_filter_get_common (self),
      &GST_BASE_TRANSFORM (self)->segment, buffer, name);
}
