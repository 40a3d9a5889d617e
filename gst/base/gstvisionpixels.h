/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Buffers for the pixels of maps, on the device where they are computed: a
 * pool of rows of bytes that the CPU and the GPU can both map. */
#pragma once

#include "base/gstvisionbackend.h"
#include "meta/gstvisionmeta.h"

G_BEGIN_DECLS

typedef struct {
  GstBufferPool *pool; /* NULL while closed */
  GstVisionMap what;   /* the map, without its pixels */
  GstBuffer *buffer;   /* while it is written; else NULL */
  void *address;       /* of its first row on the device; else NULL */
  gsize stride;
  gboolean on_gpu;
  GstMapInfo map;
} GstVisionPixels;

/* Makes buffers for maps like @what, whose names, stride and pixels are not
 * set; self->stride is known then. */
const char *gst_vision_pixels_open (
    GstVisionPixels *self, GstVisionBackend *backend, const GstVisionMap *what);
void gst_vision_pixels_close (GstVisionPixels *self);

/* Takes a new buffer to write to. */
const char *gst_vision_pixels_begin (GstVisionPixels *self);
/* The buffer, once all that writes to it has ended; or nothing of it. */
GstBuffer *gst_vision_pixels_end (GstVisionPixels *self);
void gst_vision_pixels_drop (GstVisionPixels *self);

/* Ends the buffer and attaches it to @buffer as the map self->what.  @err,
 * which is passed on: why it could not be written, and then it is not attached.
 */
const char *gst_vision_pixels_attach (
    GstVisionPixels *self, const char *err, GstBuffer *buffer);

G_END_DECLS
