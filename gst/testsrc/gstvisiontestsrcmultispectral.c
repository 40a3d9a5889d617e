/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "testsrc/gstvisiontestsrc.h"

/* Adds to caps the fields of frames that hold channels, which GstVideoInfo does
 * not know. */
static void
announce_channels (GstStructure *s, gint channels, gint mosaic)
{
  GValue list = G_VALUE_INIT, value = G_VALUE_INIT;
  gint step = mosaic ? mosaic : channels;
  gint max = mosaic ? MULTISPECTRAL_MAX_SIZE / mosaic * mosaic
                    : MULTISPECTRAL_MAX_SIZE * channels;

  gst_structure_set (s, "channels", G_TYPE_INT, channels, "channel-layout",
      G_TYPE_STRING, mosaic ? "mosaic" : "stacked", NULL);
  g_value_init (&value, GST_TYPE_INT_RANGE);
  gst_value_set_int_range_step (&value, step, max, step);
  gst_structure_set_value (s, "height", &value);
  if (mosaic) {
    gchar *pattern = g_strdup_printf ("%dx%d", mosaic, mosaic);

    gst_structure_set_value (s, "width", &value);
    gst_structure_set (s, "mosaic-pattern", G_TYPE_STRING, pattern, NULL);
    g_free (pattern);
  }
  g_value_unset (&value);
  g_value_init (&list, GST_TYPE_ARRAY);
  g_value_init (&value, G_TYPE_DOUBLE);
  for (gint c = 0; c < channels; c++) {
    g_value_set_double (&value, multispectral_wavelength (channels, c));
    gst_value_array_append_value (&list, &value);
  }
  gst_structure_set_value (s, "wavelengths", &list);
  g_value_unset (&list);
  g_value_unset (&value);
}

static void
get_channel_layout (GstVisionTestSrc *self, gint *channels, gint *mosaic)
{
  GST_OBJECT_LOCK (self);
  *mosaic = self->layout == GST_VISION_TEST_SRC_MOSAIC ? self->mosaic_side : 0;
  *channels =
      multispectral_channels (self->multispectral_params.channels, *mosaic);
  GST_OBJECT_UNLOCK (self);
}

static void
complete_channels (GstVisionTestSrc *self, GstCaps *caps)
{
  gint channels, mosaic;

  get_channel_layout (self, &channels, &mosaic);
  announce_channels (gst_caps_get_structure (caps, 0), channels, mosaic);
}

void
gst_vision_test_src_take_layout (
    GstVisionTestSrc *self, const GstStructure *caps)
{
  const gchar *pattern = gst_structure_get_string (caps, "mosaic-pattern");

  get_channel_layout (self, &self->shown_channels, &self->shown_mosaic);
  if (!gst_structure_get_int (caps, "channels", &self->shown_channels))
    return; /* caps of colour have no channels */
  self->shown_mosaic =
      pattern ? (gint) g_ascii_strtoull (pattern, NULL, 10) : 0;
}

static const char *
open_multispectral (GstVisionTestSrc *self, gint width, gint height)
{
  if (GST_VIDEO_INFO_IS_GRAY (&self->frame.info) && !self->shown_mosaic)
    height /= self->shown_channels;
  return multispectral_new (&self->multispectral, width, height);
}

static void
close_multispectral (GstVisionTestSrc *self)
{
  g_clear_pointer (&self->multispectral, multispectral_free);
}

static const char *
show_multispectral (
    GstVisionTestSrc *self, const Image *image, GstBuffer *buffer)
{
  gboolean stacked =
      GST_VIDEO_INFO_IS_GRAY (&self->frame.info) && !self->shown_mosaic;
  gint height = stacked ? image->height / self->shown_channels : image->height;
  gboolean label_map, attached;
  MultispectralParams params;
  guint16 *labels = NULL;
  SceneObject *objects;
  const char *err;

  GST_OBJECT_LOCK (self);
  params = self->multispectral_params;
  params.scene = self->params;
  label_map = self->label_map;
  GST_OBJECT_UNLOCK (self);
  params.channels = self->shown_channels;
  params.mosaic = self->shown_mosaic;
  if (label_map)
    labels = g_new (guint16, (gsize) image->width * height);
  objects = g_new (SceneObject, params.n_objects);
  err = multispectral_render (
      self->multispectral, &params, self->number, image, objects, labels);
  attached = !err &&
      gst_vision_test_src_attach_seen (
          self, buffer, image->width, height, objects, params.n_objects) &&
      gst_vision_test_src_attach_labels (
          buffer, image->width, height, g_steal_pointer (&labels));
  g_free (labels);
  g_free (objects);
  return err || attached ? err
                         : "the truth could not be attached to the buffer";
}

#define CAPS(formats) \
 "video/x-raw, format = (string) { " formats " }, width = (int) [ 1, 4096 ], " \
 "height = (int) [ 1, 4096 ], framerate = " GST_VIDEO_FPS_RANGE

const GstVisionTestSrcScene gst_vision_test_src_multispectral[] = {
    {CAPS ("GRAY16_LE, GRAY8"), complete_channels, open_multispectral,
        close_multispectral, show_multispectral},
    {CAPS ("RGBA, BGRA, RGBx, BGRx, RGB, BGR, NV12, I420, YUY2, P010_10LE"),
        NULL, open_multispectral, close_multispectral, show_multispectral},
};
