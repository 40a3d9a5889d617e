/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/gstvisionpacking.h"

static GstVisionPacking
packing_of (const GstVideoInfo *info)
{
  switch (GST_VIDEO_INFO_MULTIVIEW_MODE (info)) {
    case GST_VIDEO_MULTIVIEW_MODE_SIDE_BY_SIDE:
      return GST_VISION_PACKING_SIDE_BY_SIDE;
    case GST_VIDEO_MULTIVIEW_MODE_TOP_BOTTOM:
      return GST_VISION_PACKING_TOP_BOTTOM;
    default:
      return GST_VISION_PACKING_AUTO;
  }
}

/* Whether a view can begin in the middle of @n pixels: a chroma sample must
 * begin there, too. */
static gboolean
can_halve (gint n, guint subsampling)
{
  return n % (2 << subsampling) == 0;
}

const char *
gst_vision_views_find (GstVisionViews *self, GstVisionPacking packing,
    const GstVideoInfo *info, GstVideoInfo *view)
{
  const GstVideoFormatInfo *format = info->finfo;
  guint last = GST_VIDEO_FORMAT_INFO_N_COMPONENTS (format) > 1;
  gint width = GST_VIDEO_INFO_WIDTH (info);
  gint height = GST_VIDEO_INFO_HEIGHT (info);

  self->packing =
      packing == GST_VISION_PACKING_AUTO ? packing_of (info) : packing;
  self->swapped = GST_VIDEO_INFO_MULTIVIEW_FLAGS (info) &
      GST_VIDEO_MULTIVIEW_FLAGS_RIGHT_VIEW_FIRST;
  if (self->packing == GST_VISION_PACKING_AUTO)
    return "only one input is linked, and its caps do not say that a frame "
           "holds both views; link the other one, or set packing=side-by-side "
           "or packing=top-bottom";
  if (self->packing == GST_VISION_PACKING_SIDE_BY_SIDE) {
    if (!can_halve (width, GST_VIDEO_FORMAT_INFO_W_SUB (format, last)))
      return "the frame's width cannot be halved; crop it to a multiple of 4";
    width /= 2;
  } else {
    if (!can_halve (height, GST_VIDEO_FORMAT_INFO_H_SUB (format, last)))
      return "the frame's height cannot be halved; crop it to a multiple of 4";
    height /= 2;
  }
  gst_video_info_set_format (view, GST_VIDEO_INFO_FORMAT (info), width, height);
  view->colorimetry = info->colorimetry;
  view->fps_n = info->fps_n;
  view->fps_d = info->fps_d;
  return NULL;
}

void
gst_vision_views_split (
    const GstVisionViews *self, const Image *image, Image view[2])
{
  gboolean beside = self->packing == GST_VISION_PACKING_SIDE_BY_SIDE;
  int x = beside ? image->width / 2 : 0;
  int y = beside ? 0 : image->height / 2;
  Image *second = &view[self->swapped ? 0 : 1];

  view[0] = view[1] = *image;
  for (int p = 0; p < image_planes (image->format); p++)
    second->plane[p] +=
        (size_t) image_rows (image->format, y, p) * image->stride[p] +
        image_row_bytes (image->format, x, p);
  for (int i = 0; i < 2; i++) {
    view[i].width -= x;
    view[i].height -= y;
  }
}
