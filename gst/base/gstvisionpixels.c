/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * CUDA memory has no format for numbers, so its buffers are dressed as BGRA
 * pictures of the same size in bytes, which every release can allocate, copy
 * and download. */
#include "base/gstvisionpixels.h"

#include "base/gstvisioncuda.h"

static GstBufferPool *
make_pool (GstVisionPixels *self, GstVisionBackend *backend)
{
  GstBufferPool *pool = self->on_gpu
      ? gst_vision_cuda_pool_new (backend->context)
      : gst_video_buffer_pool_new ();
  GstStructure *config = gst_buffer_pool_get_config (pool);
  GstVideoInfo info;
  GstCaps *caps;

  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_BGRA,
      (guint) (self->row_bytes + 3) / 4, self->rows);
  caps = gst_video_info_to_caps (&info);
  if (self->on_gpu)
    gst_caps_set_features_simple (
        caps, gst_caps_features_new (GST_VISION_CUDA_MEMORY, NULL));
  gst_buffer_pool_config_set_params (
      config, caps, (guint) GST_VIDEO_INFO_SIZE (&info), 2, 0);
  gst_buffer_pool_config_add_option (config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  gst_caps_unref (caps);
  if (gst_buffer_pool_set_config (pool, config) &&
      gst_buffer_pool_set_active (pool, TRUE))
    return pool;
  gst_object_unref (pool);
  return NULL;
}

const char *
gst_vision_pixels_open (GstVisionPixels *self, GstVisionBackend *backend,
    gsize row_bytes, guint rows)
{
  GstBuffer *buffer = NULL;
  GstVideoMeta *meta;

  *self = (GstVisionPixels){.row_bytes = row_bytes,
      .rows = rows,
      .on_gpu = backend->device.kind == DEVICE_CUDA};
  if (!(self->pool = make_pool (self, backend)) ||
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
