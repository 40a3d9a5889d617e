/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The output of a GstVisionAggregator where it is not the first frame but a
 * picture of its own, as large as a view: its caps, its buffers, and its pixels
 * as the child sees them. */
#pragma once

#include "base/gstvisionbackend.h"

G_BEGIN_DECLS

typedef struct {
  GstVideoInfo info;
  gboolean in_cuda;
  gboolean wanted; /* else the output is the first frame */
  gboolean copies; /* it is a copy of the first view */
  GstBufferPool *pool;
  GstVisionInput frame;
  Image image; /* while process () of the child runs */
} GstVisionAggregateOutput;

/* The caps of pictures in @format for views of @view, with @fields besides, in
 * CUDA memory too where that knows the format, which then comes first where
 * @in_cuda.  Takes @fields. */
GstCaps *gst_vision_aggregate_output_caps (GstVideoFormat format,
    const GstVideoInfo *view, GstStructure *fields, gboolean in_cuda);

/* @caps: fixed, or NULL where the output is the first frame.  Returns whether
 * it must be opened anew. */
gboolean gst_vision_aggregate_output_set_caps (
    GstVisionAggregateOutput *self, const GstCaps *caps);

/* Does nothing where none is wanted. */
const char *gst_vision_aggregate_output_open (GstVisionAggregateOutput *self,
    GstVisionBackend *backend, const GstVideoInfo *view);
void gst_vision_aggregate_output_close (
    GstVisionAggregateOutput *self, GstVisionBackend *backend);

/* Queues the copy of @view, while the picture is mapped. */
const char *gst_vision_aggregate_output_copy (
    GstVisionAggregateOutput *self, const Device *device, const Image *view);

/* Makes @picture, which is not mapped, black; FALSE where it cannot. */
gboolean gst_vision_aggregate_output_blacken (
    GstVisionAggregateOutput *self, GstBuffer *picture);

/* A picture for @first, with its times, flags and metas; NULL where memory has
 * run out. */
GstBuffer *gst_vision_aggregate_output_new_buffer (
    GstVisionAggregateOutput *self, GstBuffer *first);

G_END_DECLS
