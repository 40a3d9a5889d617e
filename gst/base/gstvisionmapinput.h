/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A map that came on a buffer, put where the device can reach it. */
#pragma once

#include "base/gstvisionbackend.h"
#include "meta/gstvisionmeta.h"

G_BEGIN_DECLS

typedef struct {
  GstBuffer *pixels; /* while mapped; not owned */
  GstMapInfo info;
  void *staging; /* device memory for maps that come in system memory */
  gsize size;    /* its size in bytes */
} GstVisionMapInput;

/* The pixels of @map at @address of the device, in rows of map->stride bytes,
 * until unmap (). */
const char *gst_vision_map_input_map (GstVisionMapInput *self,
    GstVisionBackend *backend, const GstVisionMap *map, const void **address);
/* Does nothing if no map is mapped. */
void gst_vision_map_input_unmap (GstVisionMapInput *self);
void gst_vision_map_input_close (
    GstVisionMapInput *self, GstVisionBackend *backend);

G_END_DECLS
