/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/gstvisionaggregateoutput.h"

GstCaps *
gst_vision_aggregate_output_caps (GstVideoFormat format,
    const GstVideoInfo *view, GstStructure *fields, gboolean in_cuda)
{
  gchar *formats =
      g_strdup_printf ("{ %s }", gst_video_format_to_string (format));
  GstCaps *caps = gst_vision_caps (formats), *more;

  gst_structure_set (fields, "width", G_TYPE_INT, view->width, "height",
      G_TYPE_INT, view->height, "framerate", GST_TYPE_FRACTION, view->fps_n,
      view->fps_d, "pixel-aspect-ratio", GST_TYPE_FRACTION, view->par_n,
      view->par_d, NULL);
  for (guint i = 0; i < gst_caps_get_size (caps); i++)
    for (gint k = 0; k < gst_structure_n_fields (fields); k++) {
      const gchar *name = gst_structure_nth_field_name (fields, (guint) k);

      gst_structure_set_value (gst_caps_get_structure (caps, i), name,
          gst_structure_get_value (fields, name));
    }
  if (!in_cuda) {
    more = gst_caps_copy_nth (caps, 0);
    gst_caps_remove_structure (caps, 0);
    gst_caps_append (caps, more);
  }
  gst_structure_free (fields);
  g_free (formats);
  return caps;
}

gboolean
gst_vision_aggregate_output_set_caps (
    GstVisionAggregateOutput *self, const GstCaps *caps)
{
  GstVisionAggregateOutput was = *self;

  self->wanted = caps && gst_video_info_from_caps (&self->info, caps);
  self->in_cuda = self->wanted && gst_vision_caps_in_cuda (caps);
  return self->wanted != was.wanted ||
      (self->wanted &&
          (self->in_cuda != was.in_cuda ||
              !gst_video_info_is_equal (&self->info, &was.info)));
}

const char *
gst_vision_aggregate_output_open (GstVisionAggregateOutput *self,
    GstVisionBackend *backend, const GstVideoInfo *view)
{
  if (!self->wanted)
    return NULL;
  if (self->info.width != view->width || self->info.height != view->height)
    return "the inputs were linked or released while frames came; link them "
           "before";
  if (self->in_cuda && !backend->context)
    return "the output shall lie in CUDA memory, but there is no GPU";
  self->pool =
      gst_vision_backend_new_pool (backend, &self->info, self->in_cuda, 0);
  if (!self->pool)
    return "out of memory for the output";
  return gst_vision_input_open (&self->frame, backend, &self->info,
      self->in_cuda, GST_VISION_FRAME_WRITE | GST_VISION_FRAME_FILL);
}

void
gst_vision_aggregate_output_close (
    GstVisionAggregateOutput *self, GstVisionBackend *backend)
{
  gst_vision_input_close (&self->frame, backend);
  if (!self->pool)
    return;
  gst_buffer_pool_set_active (self->pool, FALSE);
  gst_clear_object (&self->pool);
}

/* All metas but what tells of the pixels of the other. */
static gboolean
copy_meta (GstBuffer *from, GstMeta **meta, gpointer to)
{
  const GstMetaInfo *info = (*meta)->info;
  GstMetaTransformCopy whole = {FALSE, 0, (gsize) -1};

  if (info->transform_func && info->api != GST_VIDEO_META_API_TYPE &&
      !gst_meta_api_type_has_tag (info->api, _gst_meta_tag_memory))
    info->transform_func (to, *meta, from, _gst_meta_transform_copy, &whole);
  return TRUE;
}

GstBuffer *
gst_vision_aggregate_output_new_buffer (
    GstVisionAggregateOutput *self, GstBuffer *first)
{
  GstBuffer *buffer;

  if (gst_buffer_pool_acquire_buffer (self->pool, &buffer, NULL) != GST_FLOW_OK)
    return NULL;
  gst_buffer_copy_into (
      buffer, first, GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS, 0, -1);
  gst_buffer_foreach_meta (first, copy_meta, buffer);
  return buffer;
}

const char *
gst_vision_aggregate_output_copy (
    GstVisionAggregateOutput *self, const Device *device, const Image *view)
{
  const Image *to = &self->image;

  for (int p = 0; p < image_planes (to->format); p++)
    TRY (device_copy_rows (device, to->plane[p], to->stride[p], view->plane[p],
        view->stride[p], image_row_bytes (to->format, to->width, p),
        image_rows (to->format, to->height, p)));
  return NULL;
}

/* What byte @i of a row of plane @p is where all is black. */
static guint8
black (const Image *image, int p, int i)
{
  guint8 luma = image->full_range ? 0 : 16;

  if (!image_is_yuv (image->format))
    return 0;
  if (image->format == IMAGE_YUY2)
    return i % 2 ? 128 : luma;
  if (image->format == IMAGE_P010) /* the upper bytes */
    return i % 2 ? (p ? 128 : luma) : 0;
  return p ? 128 : luma;
}

gboolean
gst_vision_aggregate_output_blacken (
    GstVisionAggregateOutput *self, GstBuffer *picture)
{
  const Image *image = &self->frame.staged;
  GstVideoFrame frame;

  if (!gst_video_frame_map (&frame, &self->info, picture, GST_MAP_WRITE))
    return FALSE;
  for (int p = 0; p < image_planes (image->format); p++)
    for (int y = 0; y < image_rows (image->format, image->height, p); y++) {
      guint8 *row = (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (&frame, p) +
          (gsize) y * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, p);

      for (int i = 0; i < image_row_bytes (image->format, image->width, p); i++)
        row[i] = black (image, p, i);
    }
  gst_video_frame_unmap (&frame);
  return TRUE;
}
