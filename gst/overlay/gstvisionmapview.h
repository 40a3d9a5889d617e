/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A map of a buffer as the Overlay takes it. */
#pragma once

#include "meta/gstvisionmeta.h"
#include "overlay/overlay.h"

G_BEGIN_DECLS

typedef struct {
  GstBuffer *pixels;
  GstMapInfo info;
} GstVisionMapView;

/* Maps the pixels where @device can reach them; on the CPU, those of the GPU
 * are downloaded.  What is drawn of @out has to be finished before end (). */
const char *gst_vision_map_view_begin (GstVisionMapView *self,
    const Device *device, const GstVisionMap *map, OverlayMap *out);
/* Also right after a begin () that failed. */
void gst_vision_map_view_end (GstVisionMapView *self);

G_END_DECLS
