/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/gstvisionfault.h"

#include "base/gstvisioncuda.h"

/* GStreamer maps what is as large as the caps say; without a GstVideoMeta that
 * is all there is to know. */
static gchar *
fault_of_size (const GstVideoInfo *info, GstBuffer *buffer)
{
  gsize size = gst_buffer_get_size (buffer);

  if (size >= GST_VIDEO_INFO_SIZE (info))
    return NULL;
  return g_strdup_printf ("its buffer holds %" G_GSIZE_FORMAT
                          " bytes, but %s of %dx%d has %" G_GSIZE_FORMAT,
      size, GST_VIDEO_INFO_NAME (info), GST_VIDEO_INFO_WIDTH (info),
      GST_VIDEO_INFO_HEIGHT (info), GST_VIDEO_INFO_SIZE (info));
}

/* Of any number that a GstVideoMeta may hold: since GStreamer 1.26,
 * gst_video_format_to_string () takes an unknown one for a fault of the program. */
static const gchar *
name_of (GstVideoFormat format)
{
  GEnumClass *formats = g_type_class_ref (GST_TYPE_VIDEO_FORMAT);
  gboolean known = format > GST_VIDEO_FORMAT_ENCODED &&
      g_enum_get_value (formats, (gint) format);

  g_type_class_unref (formats);
  return known ? gst_video_format_to_string (format) : "no raw video";
}

/* Where these differ, gst_video_frame_map () takes it for a fault of the
 * program. */
static gchar *
fault_of_meta (const GstVideoInfo *info, const GstVideoMeta *meta)
{
  if (meta->format != GST_VIDEO_INFO_FORMAT (info) ||
      meta->width < (guint) GST_VIDEO_INFO_WIDTH (info) ||
      meta->height < (guint) GST_VIDEO_INFO_HEIGHT (info))
    return g_strdup_printf (
        "its GstVideoMeta says %s of %ux%u, but its caps %s of %dx%d",
        name_of (meta->format), meta->width, meta->height,
        GST_VIDEO_INFO_NAME (info), GST_VIDEO_INFO_WIDTH (info),
        GST_VIDEO_INFO_HEIGHT (info));
  if (meta->n_planes != GST_VIDEO_INFO_N_PLANES (info))
    return g_strdup_printf ("its GstVideoMeta has %u planes, but %s has %u",
        meta->n_planes, GST_VIDEO_INFO_NAME (info),
        GST_VIDEO_INFO_N_PLANES (info));
  return NULL;
}

static gchar *
fault_of_offsets (const GstVideoMeta *meta, GstBuffer *buffer)
{
  gsize size = gst_buffer_get_size (buffer);

  for (guint p = 0; p < meta->n_planes; p++)
    if (meta->offset[p] >= size)
      return g_strdup_printf ("its GstVideoMeta has plane %u at byte "
                              "%" G_GSIZE_FORMAT ", but its buffer holds "
                              "%" G_GSIZE_FORMAT,
          p, meta->offset[p], size);
  return NULL;
}

gchar *
gst_vision_fault_of_buffer (const GstVideoInfo *info, GstBuffer *buffer)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);
  gchar *fault;

  if (!meta)
    return fault_of_size (info, buffer);
  fault = fault_of_meta (info, meta);
  return fault ? fault : fault_of_offsets (meta, buffer);
}

static gchar *
fault_of_plane (const Image *image, const GstVideoFrame *frame, int p)
{
  const GstMapInfo *map = &frame->map[frame->meta ? p : 0];
  gint stride = GST_VIDEO_FRAME_PLANE_STRIDE (frame, p);
  gint row = image_row_bytes (image->format, image->width, p);
  gint rows = image_rows (image->format, image->height, p);
  guint64 reach = (guint64) MAX (stride, 0) * (guint) (rows - 1) + (guint) row;
  gsize before = (gsize) ((const guint8 *) frame->data[p] - map->data);

  if (stride < row)
    return g_strdup_printf ("a row of plane %d has %d bytes, but the next one "
                            "begins %d bytes behind it",
        p, row, stride);
  if (before > map->size || map->size - before < reach)
    return g_strdup_printf ("the rows of plane %d need %" G_GUINT64_FORMAT
                            " bytes from byte %" G_GSIZE_FORMAT
                            " of its memory on, which has %" G_GSIZE_FORMAT,
        p, reach, before, map->size);
  return NULL;
}

gchar *
gst_vision_fault_of_frame (
    const Image *image, const GstVideoFrame *frame, gboolean on_gpu)
{
  for (int p = 0; p < image_planes (image->format); p++) {
    const GstMapInfo *map = &frame->map[frame->meta ? p : 0];
    gchar *fault;

    /* GStreamer puts several memories together in system memory */
    if (on_gpu && !gst_vision_cuda_owns (map->memory))
      return g_strdup ("its caps say CUDA memory, but its memory is another");
    fault = fault_of_plane (image, frame, p);
    if (fault)
      return fault;
  }
  return NULL;
}
