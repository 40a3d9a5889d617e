/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Buffers for the pixels of maps, on the device where they are computed: a
 * pool of rows of bytes that the CPU and the GPU can both map. */
#pragma once

#include "base/gstvisionbackend.h"
#include "meta/gstvisionmeta.h"

G_BEGIN_DECLS

typedef struct {
  GstBufferPool *pool;
  gsize stride;
  gboolean on_gpu;
  GstMapInfo map; /* while a buffer is written */
} GstVisionPixels;

/* Buffers of @rows rows of @row_bytes bytes; the stride is then known. */
const char *gst_vision_pixels_open (GstVisionPixels *self,
    GstVisionBackend *backend, gsize row_bytes, guint rows);
void gst_vision_pixels_close (GstVisionPixels *self);

/* A buffer to write to, at an address of the device; end () when what writes
 * to it is finished. */
const char *gst_vision_pixels_begin (
    GstVisionPixels *self, GstBuffer **buffer, void **address);
void gst_vision_pixels_end (GstVisionPixels *self, GstBuffer *buffer);

/* Ends the pixels of @map, which it takes, and attaches them to @buffer as the
 * map that @map says but for where they lie.  @err, which is passed on: why
 * they could not be written, and then they are not. */
const char *gst_vision_pixels_attach (GstVisionPixels *self, GstVisionMap *map,
    const char *err, GstBuffer *buffer);

G_END_DECLS
