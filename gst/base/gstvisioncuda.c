/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/gstvisioncuda.h"

#include "base/gstcudaapi.h"

const GstMapFlags gst_vision_cuda_map_flag = (GstMapFlags) GST_MAP_CUDA;

/* All elements of the process that are given no context share one context for
 * each device: the GPU never runs work of two contexts side by side, but in
 * turns of about a millisecond. */
#define SHARED 64
static GMutex lock;
static GWeakRef shared[SHARED];

static GstCudaContext *
share_process_context (gint device_id)
{
  guint i = MAX (device_id, 0);
  GstCudaContext *context;

  if (i >= SHARED)
    return gst_cuda_context_new (i);
  g_mutex_lock (&lock);
  context = g_weak_ref_get (&shared[i]);
  if (!context && (context = gst_cuda_context_new (i)))
    g_weak_ref_set (&shared[i], context);
  g_mutex_unlock (&lock);
  return context;
}

static gboolean
ask_peer (GstElement *element, GstPad *pad, gpointer query)
{
  (void) element;
  return !gst_pad_peer_query (pad, query); /* FALSE ends the iteration */
}

/* Asks for a context as GStreamer's elements do: first the neighbours
 * downstream, then those upstream, then the application.  Their answer calls
 * set_context (), which puts the context into @cuda_context. */
static void
ask_around (GstElement *element, GstObject **cuda_context)
{
  GstQuery *query = gst_query_new_context (GST_CUDA_CONTEXT_TYPE);
  GstContext *context = NULL;

  gst_element_foreach_src_pad (element, ask_peer, query);
  gst_query_parse_context (query, &context);
  if (!context) {
    gst_element_foreach_sink_pad (element, ask_peer, query);
    gst_query_parse_context (query, &context);
  }
  if (context)
    gst_element_set_context (element, context);
  if (!*cuda_context)
    gst_element_post_message (element,
        gst_message_new_need_context (
            GST_OBJECT (element), GST_CUDA_CONTEXT_TYPE));
  gst_query_unref (query);
}

gboolean
gst_vision_cuda_ensure_context (
    GstElement *element, gint device_id, GstObject **context)
{
  GstCudaContext *mine;
  GstContext *message;

  if (device_cuda_probe () != NULL || !gst_cuda_load_library ())
    return FALSE;
  gst_cuda_memory_init_once ();
  if (!*context)
    ask_around (element, context);
  if (*context)
    return TRUE;
  mine = share_process_context (device_id);
  if (!mine)
    return FALSE;
  message = gst_context_new_cuda_context (mine);
  gst_object_unref (mine);
  gst_element_set_context (element, message);
  gst_element_post_message (
      element, gst_message_new_have_context (GST_OBJECT (element), message));
  return *context != NULL;
}

void
gst_vision_cuda_set_context (GstElement *element, GstContext *context,
    gint device_id, GstObject **cuda_context)
{
  gst_cuda_handle_set_context (
      element, context, device_id, (GstCudaContext **) cuda_context);
}

gboolean
gst_vision_cuda_query_context (
    GstElement *element, GstQuery *query, GstObject *cuda_context)
{
  return cuda_context &&
      gst_cuda_handle_context_query (
          element, query, GST_CUDA_CONTEXT (cuda_context));
}

gboolean
gst_vision_cuda_push (GstObject *context)
{
  return gst_cuda_context_push (GST_CUDA_CONTEXT (context));
}

void
gst_vision_cuda_pop (void)
{
  gst_cuda_context_pop (NULL);
}

gboolean
gst_vision_cuda_owns (GstMemory *memory)
{
  return memory && gst_is_cuda_memory (memory);
}

static GstCudaMemory *
cuda_memory (GstBuffer *buffer)
{
  GstMemory *memory =
      gst_buffer_n_memory (buffer) ? gst_buffer_peek_memory (buffer, 0) : NULL;

  return gst_vision_cuda_owns (memory) ? GST_CUDA_MEMORY_CAST (memory) : NULL;
}

GstObject *
gst_vision_cuda_buffer_context (GstBuffer *buffer)
{
  GstCudaMemory *memory = cuda_memory (buffer);

  return memory ? GST_OBJECT (memory->context) : NULL;
}

gint
gst_vision_cuda_device_id (GstObject *context)
{
  guint id = 0;

  g_object_get (context, "cuda-device-id", &id, NULL);
  return (gint) id;
}

#if GSTCUDA_MINOR >= 24
const char *
gst_vision_cuda_follow (const Device *device, GstBuffer *buffer)
{
  GstCudaMemory *memory = cuda_memory (buffer);
  GstCudaStream *stream = memory ? gst_cuda_memory_get_stream (memory) : NULL;

  if (!stream ||
      !GST_MEMORY_FLAG_IS_SET (memory, GST_CUDA_MEMORY_TRANSFER_NEED_SYNC))
    return NULL;
  if (device->kind == DEVICE_CUDA)
    return device_follow (device, gst_cuda_stream_get_handle (stream));
  gst_cuda_memory_sync (memory);
  return NULL;
}

void
gst_vision_cuda_written (GstBuffer *buffer)
{
  GstCudaMemory *memory = cuda_memory (buffer);

  if (memory)
    GST_MEMORY_FLAG_UNSET (memory, GST_CUDA_MEMORY_TRANSFER_NEED_SYNC);
}
#else
/* In GStreamer 1.22 an element waits until its work on a buffer is done before
 * it pushes the buffer; so does this function. */
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
#endif

GstBufferPool *
gst_vision_cuda_pool_new (GstObject *context)
{
  return gst_cuda_buffer_pool_new (GST_CUDA_CONTEXT (context));
}

gpointer
gst_vision_cuda_alloc_pinned (GstObject *context, gsize bytes)
{
  gpointer memory = NULL;
  gboolean is_done;

  if (!gst_vision_cuda_push (context))
    return NULL;
  is_done = CuMemAllocHost (&memory, bytes) == CUDA_SUCCESS;
  gst_vision_cuda_pop ();
  return is_done ? memory : NULL;
}

void
gst_vision_cuda_free_pinned (GstObject *context, gpointer memory)
{
  if (!gst_vision_cuda_push (context))
    return;
  CuMemFreeHost (memory);
  gst_vision_cuda_pop ();
}
