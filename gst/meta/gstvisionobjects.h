/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The objects of a frame, as one meta on its buffer. */
#pragma once

#include "gstvisionobject.h"

G_BEGIN_DECLS

/**
 * GstVisionObjects:
 * @ref_width: width of the reference frame in pixels, above 0; the objects
 *   count its pixels
 * @ref_height: height of the reference frame in pixels, above 0
 * @n_objects: number of objects; 0 if the elements found nothing
 * @objects: (array length=n_objects): the objects, in the order in which
 *   elements added them
 *
 * A copy of the objects of a buffer, and of all that they point to.
 *
 * Since: 0.1
 */
typedef struct {
  guint ref_width, ref_height;
  guint n_objects;
  GstVisionObject *objects;
} GstVisionObjects;

#define GST_TYPE_VISION_OBJECTS (gst_vision_objects_get_type ())
GST_VISION_META_API
GType gst_vision_objects_get_type (void);
GST_VISION_META_API
GstVisionObjects *gst_vision_objects_copy (const GstVisionObjects *objects);
GST_VISION_META_API
void gst_vision_objects_free (GstVisionObjects *objects);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstVisionObjects, gst_vision_objects_free)
GST_VISION_META_API
GstVisionObject *gst_vision_objects_nth (
    const GstVisionObjects *objects, guint index);
GST_VISION_META_API
void gst_vision_objects_scale (
    GstVisionObjects *objects, guint ref_width, guint ref_height);

GST_VISION_META_API
gboolean gst_buffer_add_vision_objects (GstBuffer *buffer,
    GstVisionOrigin origin, guint ref_width, guint ref_height,
    const GstVisionObject *objects, guint n_objects);
GST_VISION_META_API
GstVisionObjects *gst_buffer_get_vision_objects (
    GstBuffer *buffer, GstVisionOrigin origin);
GST_VISION_META_API
gboolean gst_buffer_mirror_vision_objects (
    GstBuffer *buffer, const GstVideoInfo *info);
GST_VISION_META_API
guint gst_buffer_import_vision_objects (
    GstBuffer *buffer, const GstVideoInfo *info);

G_END_DECLS
