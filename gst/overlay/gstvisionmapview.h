/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A map of a buffer as the Overlay takes it. */
#pragma once

#include "meta/gstvisionmeta.h"
#include "overlay/gstvisioncolours.h"

G_BEGIN_DECLS

typedef struct {
  GstBuffer *pixels;
  GstMapInfo info;
  OverlayColour colours[OVERLAY_COLOURS]; /* of labels that have names */
} GstVisionMapView;

/* Maps the pixels where @device can reach them; on the CPU, those of the GPU
 * are downloaded.  What is drawn of @out has to be finished before end (). */
const char *gst_vision_map_view_begin (GstVisionMapView *self,
    const Device *device, const GstVisionMap *map, OverlayMap *out);
/* Labels that have names get the colours of these. */
void gst_vision_map_view_name (GstVisionMapView *self, const GstVisionMap *map,
    GstVisionColours *colours, OverlayMap *out);
/* Shows values from @low to @high.  Where these are equal, colours end where
 * their format does, floats at 1, normals at -1 and 1; a map of one number a
 * pixel ends at its least and its largest value. */
void gst_vision_map_view_set_range (
    const GstVisionMap *map, gdouble low, gdouble high, OverlayMap *out);
/* Also right after a begin () that failed. */
void gst_vision_map_view_end (GstVisionMapView *self);

G_END_DECLS
