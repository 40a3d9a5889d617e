/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Buffers for the pixels of maps, on the device where they are computed: a
 * pool of rows of bytes that the CPU and the GPU can both map. */
#pragma once

#include "base/gstvisionbackend.h"
#include "meta/gstvisionmeta.h"

G_BEGIN_DECLS

typedef struct {
  GstBufferPool *pool; /* NULL: closed */
  GstVisionMap what;   /* description of the map, without pixels */
  GstBuffer *buffer;   /* the buffer that is written; NULL: none */
  void *address; /* address of the buffer's first row on the device; NULL: no
                    buffer */
  gsize stride;
  gboolean on_gpu;
  GstMapInfo map;
} GstVisionPixels;

/* Makes a pool of buffers for maps like @what, whose names, stride and pixels
 * need not be set.  Sets self->stride. */
const char *gst_vision_pixels_open (
    GstVisionPixels *self, GstVisionBackend *backend, const GstVisionMap *what);
void gst_vision_pixels_close (GstVisionPixels *self);

/* Takes a new buffer from the pool, to be written. */
const char *gst_vision_pixels_begin (GstVisionPixels *self);
/* End () returns the buffer, after the work that writes it has ended; drop ()
 * discards the buffer. */
GstBuffer *gst_vision_pixels_end (GstVisionPixels *self);
void gst_vision_pixels_drop (GstVisionPixels *self);

/* Ends the buffer and attaches it to @buffer as the map self->what.  If the
 * buffer could not be written, @err says why: the map is not attached, and @err
 * is returned. */
const char *gst_vision_pixels_attach (
    GstVisionPixels *self, const char *err, GstBuffer *buffer);

G_END_DECLS
