/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Puts a map that came on a buffer where the device can reach it. */
#pragma once

#include "base/gstvisionbackend.h"
#include "meta/gstvisionmeta.h"

G_BEGIN_DECLS

/* Maps the pixels of @map for reading.  If they lie in CUDA memory of @context,
 * in which @device works, they stay there and @on_device is TRUE.  All other
 * pixels, also those of another GPU, are mapped in system memory.  @context may
 * be NULL.  After an error nothing is mapped. */
const char *gst_vision_map_pixels (const GstVisionMap *map,
    const Device *device, GstObject *context, GstMapInfo *info,
    gboolean *on_device);

typedef struct {
  GstBuffer *pixels; /* the map's buffer while it is mapped; not owned */
  GstMapInfo info;
  void *staging; /* device memory for maps that come in system memory */
  gsize size;    /* size of staging in bytes */
} GstVisionMapInput;

/* Puts the pixels of @map at @address of the device, in rows of map->stride
 * bytes; valid until unmap (). */
const char *gst_vision_map_input_map (GstVisionMapInput *self,
    GstVisionBackend *backend, const GstVisionMap *map, const void **address);
/* Does nothing if no map is mapped. */
void gst_vision_map_input_unmap (GstVisionMapInput *self);
void gst_vision_map_input_close (
    GstVisionMapInput *self, GstVisionBackend *backend);

G_END_DECLS
