/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstvisioncuda.h for a build without CUDA: there is never a context. */
#include "base/gstvisioncuda.h"

const GstMapFlags gst_vision_cuda_map_flag = (GstMapFlags) 0;

gboolean
gst_vision_cuda_ensure_context (
    GstElement *element, gint device_id, GstObject **context)
{
  (void) element;
  (void) device_id;
  (void) context;
  return FALSE;
}

void
gst_vision_cuda_set_context (GstElement *element, GstContext *context,
    gint device_id, GstObject **cuda_context)
{
  (void) element;
  (void) context;
  (void) device_id;
  (void) cuda_context;
}

gboolean
gst_vision_cuda_query_context (
    GstElement *element, GstQuery *query, GstObject *cuda_context)
{
  (void) element;
  (void) query;
  (void) cuda_context;
  return FALSE;
}

gboolean
gst_vision_cuda_push (GstObject *context)
{
  (void) context;
  return FALSE;
}

void
gst_vision_cuda_pop (void)
{
}

gboolean
gst_vision_cuda_owns (GstMemory *memory)
{
  (void) memory;
  return FALSE;
}

GstObject *
gst_vision_cuda_buffer_context (GstBuffer *buffer)
{
  (void) buffer;
  return NULL;
}

gint
gst_vision_cuda_device_id (GstObject *context)
{
  (void) context;
  return -1;
}

const char *
gst_vision_cuda_follow (const Device *device, GstBuffer *buffer)
{
  (void) device;
  (void) buffer;
  return NULL;
}

void
gst_vision_cuda_written (GstBuffer *buffer)
{
  (void) buffer;
}

GstBufferPool *
gst_vision_cuda_pool_new (GstObject *context)
{
  (void) context;
  return NULL;
}

gpointer
gst_vision_cuda_alloc_pinned (GstObject *context, gsize bytes)
{
  (void) context;
  (void) bytes;
  return NULL;
}

void
gst_vision_cuda_free_pinned (GstObject *context, gpointer memory)
{
  (void) context;
  (void) memory;
}
