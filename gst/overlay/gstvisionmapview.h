/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A map of a buffer as an OverlayMap. */
#pragma once

#include "meta/gstvisionmeta.h"
#include "overlay/gstvisioncolours.h"

G_BEGIN_DECLS

typedef struct {
  GstBuffer *pixels;
  GstMapInfo info;
  OverlayColour colours[OVERLAY_COLOURS]; /* of labels with names */
} GstVisionMapView;

/* Maps the pixels as gst_vision_map_pixels () does.  All drawing of @out must
 * be finished before end (). */
const char *gst_vision_map_view_begin (GstVisionMapView *self,
    const Device *device, GstObject *context, const GstVisionMap *map,
    OverlayMap *out);
/* Gives labels that have names the colours of their names. */
void gst_vision_map_view_name (GstVisionMapView *self, const GstVisionMap *map,
    GstVisionColours *colours, OverlayMap *out);
/* Shows values from @low to @high.  If these are equal, a map of one number a
 * pixel is shown from its least to its largest value, and a map of three
 * numbers over the range of its format: floats to 1, normals from -1 to 1. */
void gst_vision_map_view_set_range (
    const GstVisionMap *map, gdouble low, gdouble high, OverlayMap *out);
/* To be called also after a begin () that failed. */
void gst_vision_map_view_end (GstVisionMapView *self);

G_END_DECLS
