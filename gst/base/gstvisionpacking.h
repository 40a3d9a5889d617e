/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Two views in one frame: which half of it is which. */
#pragma once

#include "base/gstvisionaggregator.h"

G_BEGIN_DECLS

typedef struct {
  GstVisionPacking packing; /* not AUTO */
  gboolean swapped;         /* the second view is on the left, or above */
} GstVisionViews;

/* @packing: as set.  @view becomes that of one of the two views.  The error
 * says what the user can do. */
const char *gst_vision_views_find (GstVisionViews *self,
    GstVisionPacking packing, const GstVideoInfo *info, GstVideoInfo *view);

/* The views of @image; they are valid as long as it is. */
void gst_vision_views_split (
    const GstVisionViews *self, const Image *image, Image view[2]);

G_END_DECLS
