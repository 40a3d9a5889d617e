/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * CUDA memory has no format for numbers, so its buffers are dressed as BGRA
 * pictures of the same size in bytes, which every release can allocate, copy
 * and download. */
#include "base/gstvisionpixels.h"

#include "base/gstvisioncuda.h"

const char *
gst_vision_pixels_open (GstVisionPixels *self, GstVisionBackend *backend,
    gsize row_bytes, guint rows)
{
  GstBuffer *buffer = NULL;
  GstVideoMeta *meta;
  GstVideoInfo info;

  *self = (GstVisionPixels){.on_gpu = backend->device.kind == DEVICE_CUDA};
  gst_video_info_set_format (
      &info, GST_VIDEO_FORMAT_BGRA, (guint) (row_bytes + 3) / 4, rows);
  self->pool = gst_vision_backend_new_pool (backend, &info, self->on_gpu, 2);
  if (!self->pool ||
      gst_buffer_pool_acquire_buffer (self->pool, &buffer, NULL) != GST_FLOW_OK)
    return "out of memory for the pixels of a map";
  meta = gst_buffer_get_video_meta (buffer);
  self->stride = meta ? (gsize) meta->stride[0] : (row_bytes + 3) / 4 * 4;
  gst_buffer_unref (buffer);
  return NULL;
}

void
gst_vision_pixels_close (GstVisionPixels *self)
{
  if (self->pool) {
    gst_buffer_pool_set_active (self->pool, FALSE);
    gst_clear_object (&self->pool);
  }
}

const char *
gst_vision_pixels_begin (
    GstVisionPixels *self, GstBuffer **buffer, void **address)
{
  int flags = GST_MAP_WRITE;

  if (self->on_gpu)
    flags |= gst_vision_cuda_map_flag;
  if (gst_buffer_pool_acquire_buffer (self->pool, buffer, NULL) != GST_FLOW_OK)
    return "out of memory for the pixels of a map";
  if (!gst_buffer_map (*buffer, &self->map, (GstMapFlags) flags)) {
    gst_clear_buffer (buffer);
    return "the pixels of a map could not be mapped";
  }
  *address = self->map.data;
  return NULL;
}

void
gst_vision_pixels_end (GstVisionPixels *self, GstBuffer *buffer)
{
  gst_buffer_unmap (buffer, &self->map);
  if (self->on_gpu)
    gst_vision_cuda_written (buffer);
}

const char *
gst_vision_pixels_attach (GstVisionPixels *self, GstVisionMap *map,
    const char *err, GstBuffer *buffer)
{
  map->stride = (guint) self->stride;
  map->on_gpu = self->on_gpu;
  gst_vision_pixels_end (self, map->pixels);
  if (!err &&
      !gst_buffer_add_vision_map (buffer, GST_VISION_ORIGIN_RESULT, map))
    err = "a map could not be attached to the buffer";
  gst_clear_buffer (&map->pixels);
  return err;
}
