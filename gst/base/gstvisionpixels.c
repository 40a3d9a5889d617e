/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * CUDA memory has no format for numbers.  So buffers of maps have the caps of
 * BGRA pictures with as many bytes, which every release of GStreamer can
 * allocate, copy and download. */
#include "base/gstvisionpixels.h"

#include "base/gstvisioncuda.h"
#include "base/gstvisioninput.h"

/* Bytes of a number of a format of maps, such as 2 of "u16". */
static gsize
bytes_of_format (const gchar *format)
{
  return g_ascii_strtoull (format + 1, NULL, 10) / 8;
}

const char *
gst_vision_pixels_open (
    GstVisionPixels *self, GstVisionBackend *backend, const GstVisionMap *what)
{
  guint words =
      (what->width * what->channels * bytes_of_format (what->format) + 3) / 4;
  GstBuffer *buffer = NULL;
  GstVideoMeta *meta;
  GstVideoInfo info;

  *self = (GstVisionPixels){
      .what = *what, .on_gpu = backend->device.kind == DEVICE_CUDA};
  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_BGRA, words, what->height);
  self->pool = gst_vision_input_new_pool (backend, &info, self->on_gpu, 2);
  if (!self->pool ||
      gst_buffer_pool_acquire_buffer (self->pool, &buffer, NULL) != GST_FLOW_OK)
    return OUT_OF_MEMORY (info.size, " for the pixels of a map");
  meta = gst_buffer_get_video_meta (buffer);
  self->stride = meta ? (gsize) meta->stride[0] : 4 * (gsize) words;
  gst_buffer_unref (buffer);
  return NULL;
}

void
gst_vision_pixels_close (GstVisionPixels *self)
{
  gst_vision_pixels_drop (self);
  if (self->pool) {
    gst_buffer_pool_set_active (self->pool, FALSE);
    gst_clear_object (&self->pool);
  }
}

const char *
gst_vision_pixels_begin (GstVisionPixels *self)
{
  int flags = GST_MAP_WRITE;

  if (self->on_gpu)
    flags |= gst_vision_cuda_map_flag;
  if (gst_buffer_pool_acquire_buffer (self->pool, &self->buffer, NULL) !=
      GST_FLOW_OK)
    return OUT_OF_MEMORY (
        self->stride * self->what.height, " for the pixels of a map");
  if (!gst_buffer_map (self->buffer, &self->map, (GstMapFlags) flags)) {
    gst_clear_buffer (&self->buffer);
    return "the pixels of a map could not be mapped";
  }
  self->address = self->map.data;
  return NULL;
}

GstBuffer *
gst_vision_pixels_end (GstVisionPixels *self)
{
  gst_buffer_unmap (self->buffer, &self->map);
  if (self->on_gpu)
    gst_vision_cuda_written (self->buffer);
  self->address = NULL;
  return g_steal_pointer (&self->buffer);
}

void
gst_vision_pixels_drop (GstVisionPixels *self)
{
  if (self->buffer)
    gst_buffer_unref (gst_vision_pixels_end (self));
}

const char *
gst_vision_pixels_attach (
    GstVisionPixels *self, const char *err, GstBuffer *buffer)
{
  GstVisionMap map = self->what;

  map.stride = (guint) self->stride;
  map.on_gpu = self->on_gpu;
  map.pixels = gst_vision_pixels_end (self);
  if (!err &&
      !gst_buffer_add_vision_map (buffer, GST_VISION_ORIGIN_RESULT, &map))
    err = "a map could not be attached to the buffer";
  gst_buffer_unref (map.pixels);
  return err;
}
