/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A map painted into a frame of its size: its numbers as grey values, or in
 * colours by the Overlay. */
#pragma once

#include "common/device.h"
#include "meta/gstvisionmeta.h"
#include "overlay/gstvisioncolours.h"

G_BEGIN_DECLS

typedef struct {
  Device device;
  Overlay *overlay;
  OverlayList *list;
  GstVisionColours colours;
} GstVisionMapPaint;

const char *gst_vision_map_paint_open (GstVisionMapPaint *self);
void gst_vision_map_paint_close (GstVisionMapPaint *self);

/* Makes @frame black, and paints @map unless it is NULL.  If @low and @high
 * differ, they are the values at the two ends of the colours. */
const char *gst_vision_map_paint (GstVisionMapPaint *self,
    const GstVisionMap *map, gdouble low, gdouble high, GstVideoFrame *frame);

G_END_DECLS
