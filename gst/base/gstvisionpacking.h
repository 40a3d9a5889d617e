/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Two views in one frame: which half holds which view. */
#pragma once

#include "base/gstvisionaggregator.h"

G_BEGIN_DECLS

typedef struct {
  GstVisionPacking packing; /* not AUTO */
  gboolean swapped;         /* the second view is on the left, or above */
} GstVisionViews;

/* Finds where the views lie, from the property @packing and the caps in @info.
 * @view becomes the description of one view.  The error says what the user can
 * do. */
const char *gst_vision_views_find (GstVisionViews *self,
    GstVisionPacking packing, const GstVideoInfo *info, GstVideoInfo *view);

/* Splits @image into its two views, which are valid as long as @image. */
void gst_vision_views_split (
    const GstVisionViews *self, const Image *image, Image view[2]);

G_END_DECLS
