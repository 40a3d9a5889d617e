/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "testsrc/gstvisiontestsrc.h"

#include "meta/gstvisionmeta.h"

static GstVisionObject
describe (const SceneObject *o, gdouble rate)
{
  GstVisionObject to;

  gst_vision_object_init (&to);
  to.id = (guint64) o->id + 1; /* 0 would say that nothing tracks it */
  to.element = "visiontestsrc";
  to.label = o->label;
  to.state = o->area ? GST_VISION_STATE_TRACKING : GST_VISION_STATE_OCCLUDED;
  to.area = o->area;
  if (o->area) {
    to.x = o->box.x0;
    to.y = o->box.y0;
    to.width = o->box.x1 - o->box.x0;
    to.height = o->box.y1 - o->box.y0;
  }
  to.cx = o->cx;
  to.cy = o->cy;
  to.score = o->full_area ? (gdouble) o->area / o->full_area : 0;
  to.orientation = o->orientation;
  to.elongation = o->elongation;
  if (rate > 0) {
    to.vx = o->vx * rate;
    to.vy = o->vy * rate;
  }
  return to;
}

static gboolean
attach_labels (GstBuffer *buffer, const GstVideoInfo *info, GstBuffer *labels)
{
  GstVisionMap map = {.element = "visiontestsrc",
      .kind = "labels",
      .format = "u16",
      .channels = 1,
      .width = GST_VIDEO_INFO_WIDTH (info),
      .height = GST_VIDEO_INFO_HEIGHT (info),
      .stride = 2 * GST_VIDEO_INFO_WIDTH (info),
      .scale = 1,
      .invalid = 0,
      .pixels = labels};

  return gst_buffer_add_vision_map (buffer, GST_VISION_ORIGIN_TRUTH, &map);
}

const char *
gst_vision_test_src_attach (GstVisionTestSrc *self, GstBuffer *buffer,
    const SceneObject *objects, gint n, GstBuffer *labels)
{
  const GstVideoInfo *info = &self->frame.info;
  gdouble rate =
      (gdouble) GST_VIDEO_INFO_FPS_N (info) / GST_VIDEO_INFO_FPS_D (info);
  GstVisionObject *truth = g_new (GstVisionObject, n);
  gchar *name = gst_object_get_name (GST_OBJECT (self));
  gboolean attached;

  for (gint i = 0; i < n; i++) {
    truth[i] = describe (&objects[i], rate);
    truth[i].source = name;
  }
  attached = gst_buffer_add_vision_objects (buffer, GST_VISION_ORIGIN_TRUTH,
      GST_VIDEO_INFO_WIDTH (info), GST_VIDEO_INFO_HEIGHT (info), truth, n);
  if (attached && labels)
    attached = attach_labels (buffer, info, labels);
  g_free (truth);
  g_free (name);
  return attached ? NULL : "the truth could not be attached to the buffer";
}
