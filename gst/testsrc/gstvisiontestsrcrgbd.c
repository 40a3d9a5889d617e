/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "testsrc/gstvisiontestsrc.h"

#include <math.h>

static const char *
open_rgbd (GstVisionTestSrc *self, gint width, gint height)
{
  return rgbd_new (&self->rgbd, width, height);
}

static void
close_rgbd (GstVisionTestSrc *self)
{
  g_clear_pointer (&self->rgbd, rgbd_free);
}

static gboolean
attach_rgbd_classes (GstBuffer *buffer, const Image *image, guint8 *classes)
{
  GstVisionMap map = {.kind = "correspondence",
      .format = "u8",
      .channels = 2,
      .width = image->width,
      .height = image->height,
      .scale = 1,
      .invalid = NAN};

  return gst_vision_test_src_attach_map (
      buffer, GST_VISION_ORIGIN_RESULT, map, classes);
}

static const char *
show_rgbd (GstVisionTestSrc *self, const Image *image, GstBuffer *buffer)
{
  gsize pixels = (gsize) image->width * image->height;
  guint8 *classes = NULL;
  guint16 *labels = NULL;
  gboolean attached;
  RgbdParams params;
  RgbdTruth truth;
  const char *err;

  GST_OBJECT_LOCK (self);
  params = self->rgbd_params;
  params.scene = self->params;
  if (self->correspondence_map)
    classes = g_new (guint8, 2 * pixels);
  if (self->label_map)
    labels = g_new (guint16, pixels);
  GST_OBJECT_UNLOCK (self);
  err = rgbd_render (
      self->rgbd, &params, self->number, image, &truth, classes, labels);
  attached = !err &&
      gst_vision_test_src_attach_camera (self, buffer, truth.fx, truth.fy,
          truth.cx, truth.cy, truth.distortion, truth.camera) &&
      gst_vision_test_src_attach_things (self, buffer, image->width,
          image->height, truth.objects, truth.n_objects);
  if (attached && classes)
    attached = attach_rgbd_classes (buffer, image, g_steal_pointer (&classes));
  attached = attached &&
      gst_vision_test_src_attach_labels (
          buffer, image->width, image->height, g_steal_pointer (&labels));
  g_free (classes);
  g_free (labels);
  return err || attached ? err
                         : "the truth could not be attached to the buffer";
}

const GstVisionTestSrcScene gst_vision_test_src_rgbd = {
    "video/x-raw, format = (string) GRAY16_LE, width = (int) [ 1, 4096 ], "
    "height = (int) [ 1, 4096 ], framerate = " GST_VIDEO_FPS_RANGE,
    NULL, open_rgbd, close_rgbd, show_rgbd};
