/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Maps of kind correspondence, two numbers a pixel: a class, and which model it
 * is of. */
#pragma once

#include "base/gstvisionbackend.h"
#include "meta/gstvisionmeta.h"

G_BEGIN_DECLS

gboolean gst_vision_map_has_classes (const GstVisionMap *map);

/* Paints the map into @image, which has its size: in grey the numbers of the
 * classes, times @gain from @low on, else colours. */
const char *gst_vision_map_paint_classes (const Device *device,
    const GstVisionMap *map, gdouble low, gdouble gain, const Image *image);

G_END_DECLS
