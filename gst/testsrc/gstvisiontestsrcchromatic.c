/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "testsrc/gstvisiontestsrc.h"

static const char *
open_chromatic (GstVisionTestSrc *self, gint width, gint height)
{
  return chromatic_new (&self->chromatic, width, height);
}

static void
close_chromatic (GstVisionTestSrc *self)
{
  g_clear_pointer (&self->chromatic, chromatic_free);
}

static const char *
show_chromatic (GstVisionTestSrc *self, const Image *image, GstBuffer *buffer)
{
  SceneObject *objects;
  guint16 *labels = NULL;
  ChromaticParams params;
  gboolean label_map, attached;
  const char *err;

  GST_OBJECT_LOCK (self);
  params = self->chromatic_params;
  params.scene = self->params;
  label_map = self->label_map;
  GST_OBJECT_UNLOCK (self);
  if (label_map)
    labels = g_new (guint16, (gsize) image->width * image->height);
  objects = g_new (SceneObject, params.n_objects);
  err = chromatic_render (
      self->chromatic, &params, self->number, image, objects, labels);
  attached = !err &&
      gst_vision_test_src_attach_seen (self, buffer, image->width,
          image->height, objects, params.n_objects) &&
      gst_vision_test_src_attach_labels (
          buffer, image->width, image->height, g_steal_pointer (&labels));
  g_free (labels);
  g_free (objects);
  return err || attached ? err
                         : "the truth could not be attached to the buffer";
}

const GstVisionTestSrcScene gst_vision_test_src_chromatic = {
    "video/x-raw, format = (string) { RGBA, BGRA, RGBx, BGRx, RGB, BGR, GRAY8, "
    "NV12, I420, YUY2, P010_10LE }, width = (int) [ 1, 16384 ], "
    "height = (int) [ 1, 16384 ], framerate = " GST_VIDEO_FPS_RANGE,
    NULL, open_chromatic, close_chromatic, show_chromatic};
