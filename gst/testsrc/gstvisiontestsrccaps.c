/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "testsrc/gstvisiontestsrc.h"

const GstVisionTestSrcScene *
gst_vision_test_src_scene (GstVisionTestSrc *self)
{
  const GstVisionTestSrcScene *scene = &gst_vision_test_src_chromatic;

  GST_OBJECT_LOCK (self);
  if (self->pattern == GST_VISION_TEST_SRC_RGBD)
    scene = &gst_vision_test_src_rgbd;
  else if (self->pattern == GST_VISION_TEST_SRC_STEREO)
    scene =
        &gst_vision_test_src_stereo[self->view > GST_VISION_TEST_SRC_TOP_BOTTOM
                ? GST_VISION_TEST_SRC_LEFT
                : self->view];
  else if (self->pattern == GST_VISION_TEST_SRC_MULTISPECTRAL)
    scene = &gst_vision_test_src_multispectral[self->layout ==
        GST_VISION_TEST_SRC_COLOUR];
  else if (self->pattern == GST_VISION_TEST_SRC_CLUTTER)
    scene =
        &gst_vision_test_src_clutter[self->view == GST_VISION_TEST_SRC_DEPTH];
  GST_OBJECT_UNLOCK (self);
  return scene;
}

GstCaps *
gst_vision_test_src_caps (
    GstVisionTestSrc *self, const GstVisionTestSrcScene *scene)
{
  GstCaps *caps = gst_caps_from_string (scene->caps);

  if (scene->complete)
    scene->complete (self, caps);
  return caps;
}

static GstCaps *
get_caps (GstBaseSrc *src, GstCaps *filter)
{
  GstVisionTestSrc *self = GST_VISION_TEST_SRC (src);
  GstCaps *all =
      gst_vision_test_src_caps (self, gst_vision_test_src_scene (self));
  GstCaps *caps = all;

  if (filter) {
    caps = gst_caps_intersect_full (filter, all, GST_CAPS_INTERSECT_FIRST);
    gst_caps_unref (all);
  }
  return caps;
}

/* The nearest to 640 x 480: two of these for two views, one below the other a
 * channel, and whole cells of a mosaic. */
static void
fixate_size (GstStructure *s)
{
  const gchar *mode = gst_structure_get_string (s, "multiview-mode");
  const gchar *layout = gst_structure_get_string (s, "channel-layout");
  const gchar *pattern = gst_structure_get_string (s, "mosaic-pattern");
  gint width = 640, height = 480, channels;

  if (!g_strcmp0 (mode, "side-by-side"))
    width *= 2;
  if (!g_strcmp0 (mode, "top-bottom"))
    height *= 2;
  if (!g_strcmp0 (layout, "stacked") &&
      gst_structure_get_int (s, "channels", &channels))
    height *= channels;
  if (!g_strcmp0 (pattern, "3x3"))
    width--;
  gst_structure_fixate_field_nearest_int (s, "width", width);
  gst_structure_fixate_field_nearest_int (s, "height", height);
}

static GstCaps *
fixate (GstBaseSrc *src, GstCaps *caps)
{
  GstStructure *s;

  caps = gst_caps_make_writable (gst_caps_truncate (caps));
  s = gst_caps_get_structure (caps, 0);
  fixate_size (s);
  gst_structure_fixate_field_nearest_fraction (s, "framerate", 30, 1);
  if (gst_structure_has_field (s, "pixel-aspect-ratio"))
    gst_structure_fixate_field_nearest_fraction (s, "pixel-aspect-ratio", 1, 1);
  if (gst_structure_has_field (s, "interlace-mode"))
    gst_structure_fixate_field_string (s, "interlace-mode", "progressive");
  return GST_BASE_SRC_CLASS (g_type_class_peek (GST_TYPE_PUSH_SRC))
      ->fixate (src, caps);
}

void
gst_vision_test_src_install_caps (GstBaseSrcClass *klass)
{
  klass->get_caps = get_caps;
  klass->fixate = fixate;
}
