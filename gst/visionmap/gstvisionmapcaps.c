/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "visionmap/gstvisionmapcaps.h"

static GstStaticPadTemplate sink = GST_STATIC_PAD_TEMPLATE (
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("video/x-raw(ANY)"));
static GstStaticPadTemplate src =
    GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
        GST_STATIC_CAPS (GST_VIDEO_CAPS_MAKE (
            "{ RGBx, RGBA, BGRx, BGRA, RGB, BGR, GRAY8, GRAY16_LE }")));

GstStaticPadTemplate *
gst_vision_map_template (GstPadDirection direction)
{
  return direction == GST_PAD_SINK ? &sink : &src;
}

GstCaps *
gst_vision_map_caps_transform (GstPadDirection direction, const GstCaps *caps,
    GstCaps *filter, gint width, gint height)
{
  GstCaps *all = gst_static_pad_template_get_caps (gst_vision_map_template (
      direction == GST_PAD_SINK ? GST_PAD_SRC : GST_PAD_SINK));
  GstCaps *result = gst_caps_new_empty ();

  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    const GValue *rate =
        gst_structure_get_value (gst_caps_get_structure (caps, i), "framerate");
    GstCaps *some = gst_caps_copy (all);

    if (rate)
      gst_caps_set_value (some, "framerate", rate);
    if (direction == GST_PAD_SINK && width)
      gst_caps_set_simple (
          some, "width", G_TYPE_INT, width, "height", G_TYPE_INT, height, NULL);
    result = gst_caps_merge (result, some);
  }
  gst_caps_unref (all);
  if (filter) {
    all = result;
    result = gst_caps_intersect_full (filter, all, GST_CAPS_INTERSECT_FIRST);
    gst_caps_unref (all);
  }
  return result;
}

GstCaps *
gst_vision_map_caps_fixate (const GstCaps *caps, GstCaps *other)
{
  static const gchar *const size[] = {"width", "height"};
  const GstStructure *in = gst_caps_get_structure (caps, 0);
  GstStructure *out;
  gint pixels;

  other = gst_caps_make_writable (gst_caps_truncate (other));
  out = gst_caps_get_structure (other, 0);
  for (guint i = 0; i < G_N_ELEMENTS (size); i++)
    if (gst_structure_get_int (in, size[i], &pixels))
      gst_structure_fixate_field_nearest_int (out, size[i], pixels);
  return gst_caps_fixate (other);
}

gboolean
gst_vision_map_transform_size (GstBaseTransform *trans,
    GstPadDirection direction, GstCaps *caps, gsize size, GstCaps *other,
    gsize *other_size)
{
  GstVideoInfo info;

  (void) trans;
  (void) direction;
  (void) caps;
  (void) size;
  if (!gst_video_info_from_caps (&info, other))
    return FALSE;
  *other_size = GST_VIDEO_INFO_SIZE (&info);
  return TRUE;
}
