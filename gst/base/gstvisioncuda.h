/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the parents need of GStreamer's CUDA library, with the differences
 * between its releases (1.22 to 1.28) hidden.  gstvisioncuda.c holds it;
 * gstvisionnocuda.c stands in where the suite is built without CUDA. */
#pragma once

#include <gst/video/video.h>

#include "common/device.h"

G_BEGIN_DECLS

#define GST_VISION_CUDA_MEMORY "memory:CUDAMemory"

/* Flag for gst_buffer_map (): maps CUDA memory as a pointer of the device. */
extern const GstMapFlags gst_vision_cuda_map_flag;

/* Finds the GstCudaContext of @element: the context of its neighbours or the
 * application, else a context that all elements of the process share.  The
 * element's set_context () gets the context and puts it into @context.  FALSE
 * without a driver or a device. */
gboolean gst_vision_cuda_ensure_context (
    GstElement *element, gint device_id, GstObject **context);
void gst_vision_cuda_set_context (GstElement *element, GstContext *context,
    gint device_id, GstObject **cuda_context);
gboolean gst_vision_cuda_query_context (
    GstElement *element, GstQuery *query, GstObject *cuda_context);

/* Push makes @context current in the calling thread; pop restores the context
 * before. */
gboolean gst_vision_cuda_push (GstObject *context);
void gst_vision_cuda_pop (void);

/* Whether @memory is CUDA memory. */
gboolean gst_vision_cuda_owns (GstMemory *memory);
/* The context in which the buffer's memory lies, NULL for system memory. */
GstObject *gst_vision_cuda_buffer_context (GstBuffer *buffer);
gint gst_vision_cuda_device_id (GstObject *context);

/* Makes @device wait for the queued work that writes @buffer. */
const char *gst_vision_cuda_follow (const Device *device, GstBuffer *buffer);
/* Marks the work that wrote to @buffer as finished. */
void gst_vision_cuda_written (GstBuffer *buffer);

GstBufferPool *gst_vision_cuda_pool_new (GstObject *context);

/* Page-locked memory of the host; NULL if there is none. */
gpointer gst_vision_cuda_alloc_pinned (GstObject *context, gsize bytes);
void gst_vision_cuda_free_pinned (GstObject *context, gpointer memory);

G_END_DECLS
