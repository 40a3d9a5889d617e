/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The label map in 8 or 16 bits, which is what GstAnalytics takes: region k is
 * the k-th of the reported components, from 1. */
#include "gpuccl/gstgpuccl.h"

/* @regions: of each label. */
static void
fill (guint8 *mask, gint stride, const guint16 *regions, const guint8 *labels,
    gsize labels_stride, gint width, gint height, gboolean wide)
{
  for (gint y = 0; y < height; y++) {
    const guint32 *from = (const guint32 *) (labels + y * labels_stride);
    guint8 *to = mask + (gsize) y * stride;

    for (gint x = 0; x < width; x++)
      if (wide)
        GST_WRITE_UINT16_LE (to + 2 * x, regions[from[x]]);
      else
        to[x] = (guint8) regions[from[x]];
  }
}

const char *
gst_gpuccl_attach_segments (GstGpuccl *self, const GpucclResults *results,
    const void *labels, GstBuffer *buffer)
{
  gsize pixels = (gsize) self->width * self->height;
  gboolean wide = results->n_components > G_MAXUINT8, added;
  gint stride = self->width * (wide ? 2 : 1);
  GstBuffer *mask =
      gst_buffer_new_allocate (NULL, (gsize) stride * self->height, NULL);
  GstMapInfo map;

  if (!mask || !gst_buffer_map (mask, &map, GST_MAP_WRITE)) {
    gst_clear_buffer (&mask);
    return "out of memory for the mask of the regions";
  }
  if (!self->regions)
    self->regions = g_new0 (guint16, pixels + 1);
  for (gint i = 0; i < results->n_components; i++)
    self->regions[results->components[i].sum.label] = (guint16) (i + 1);
  fill (map.data, stride, self->regions, labels, self->labels.stride,
      self->width, self->height, wide);
  for (gint i = 0; i < results->n_components; i++)
    self->regions[results->components[i].sum.label] = 0;
  gst_buffer_unmap (mask, &map);
  gst_buffer_add_video_meta_full (mask, GST_VIDEO_FRAME_FLAG_NONE,
      wide ? GST_VIDEO_FORMAT_GRAY16_LE : GST_VIDEO_FORMAT_GRAY8, self->width,
      self->height, 1, (gsize[GST_VIDEO_MAX_PLANES]){0},
      (gint[GST_VIDEO_MAX_PLANES]){stride});
  added = gst_buffer_add_vision_segmentation (
      buffer, mask, (guint) results->n_components);
  gst_buffer_unref (mask);
  return added ? NULL : "the regions could not be attached to the buffer";
}
