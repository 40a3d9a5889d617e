/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * VisionObjects as the metas that other elements know.  Private to the
 * library. */
#pragma once

#include "gstvisionobjects.h"

/* An object's box, in whole pixels of the frame. */
typedef struct {
  GQuark type; /* what the object is */
  guint x, y, width, height;
} GstVisionBox;

/* Adds ROI and analytics metas, in pixels of the objects' reference size. */
void gst_vision_mirror_add (GstBuffer *buffer, const GstVisionObjects *objects);

/* The name of an object in the mirrored metas. */
GQuark gst_vision_mirror_type (const GstVisionObject *object);

/* The analytics metas' part; without GstAnalytics they do nothing.
 * gst_vision_analytics_clear () removes what was made of @objects; FALSE where
 * it has to stay, because others added to the same meta. */
gboolean gst_vision_analytics_clear (
    GstBuffer *buffer, const GstVisionObjects *objects);
void gst_vision_analytics_add (
    GstBuffer *buffer, const GstVisionObject *object, const GstVisionBox *box);

/* Only the tracking, of an object that is lost. */
void gst_vision_analytics_add_lost (
    GstBuffer *buffer, const GstVisionObject *object);

/* A region of interest for each detection that was not made of @objects (NULL:
 * none) and has none, in a frame of @info. */
void gst_vision_analytics_regions (GstBuffer *buffer, const GstVideoInfo *info,
    const GstVisionObjects *objects);
