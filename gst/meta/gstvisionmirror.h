/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * VisionObjects as the metas that other elements read: regions of interest and
 * GstAnalytics.  Private to the library. */
#pragma once

#include "gstvisionmaps.h"
#include "gstvisionobjects.h"

/* An object's box, in whole pixels of the frame. */
typedef struct {
  GQuark type; /* gst_vision_object_make_type () of the object */
  guint x, y, width, height;
} GstVisionBox;

/* Adds ROI and analytics metas, in pixels of the objects' reference size. */
void gst_vision_mirror_add (GstBuffer *buffer, const GstVisionObjects *objects);

/* Removes the ROI and analytics metas of @objects, and adds them anew. */
void gst_vision_mirror_renew (
    GstBuffer *buffer, const GstVisionObjects *objects);

/* Appends the detections and regions of other elements to @found, whose
 * GstVisionObjects own what they point to.  @objects, which may be NULL, are
 * not of other elements. */
void gst_vision_mirror_read (
    GstBuffer *buffer, const GstVisionObjects *objects, GArray *found);

/* gstvisionsegmentation.c: adds the segmentation that a map of numbers is, such
 * as labels; nothing where the map is no such, or GStreamer has none. */
void gst_vision_segmentation_add_map (
    GstBuffer *buffer, const GstVisionMap *map);

/* gstvisionobject.c: the type of an object in these metas, the quark of its
 * label or element.  find: "object" if no such quark exists; make: a new quark
 * then, unless labels have made too many. */
GQuark gst_vision_object_find_type (const GstVisionObject *object);
GQuark gst_vision_object_make_type (const GstVisionObject *object);

/* Whether an object with the label @type has this type, which may be NULL. */
gboolean gst_vision_object_is_type (const gchar *type);

/* gstvisionanalytics.c: GstAnalytics; without it, these functions do nothing.
 * clear () removes the parts that were made of @objects; FALSE if they have to
 * stay, because another element added parts to the same meta. */
gboolean gst_vision_analytics_clear (
    GstBuffer *buffer, const GstVisionObjects *objects);

/* Adds one of @n_objects objects; the meta takes 256 at most. */
void gst_vision_analytics_add (GstBuffer *buffer, const GstVisionObject *object,
    const GstVisionBox *box, guint n_objects);

/* Adds a tracking that is marked as lost, without a detection. */
void gst_vision_analytics_add_lost (
    GstBuffer *buffer, const GstVisionObject *object, guint n_objects);

/* Adds a region of interest for each detection of another element that has no
 * region, in a frame of @info.  @objects, which may be NULL, are not detections
 * of other elements. */
void gst_vision_analytics_regions (GstBuffer *buffer, const GstVideoInfo *info,
    const GstVisionObjects *objects);

/* Appends an object for each detection of another element. */
void gst_vision_analytics_read (
    GstBuffer *buffer, const GstVisionObjects *objects, GArray *found);
