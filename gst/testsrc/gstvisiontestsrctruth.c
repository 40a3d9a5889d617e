/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "testsrc/gstvisiontestsrc.h"

#include <math.h>
#include <string.h>

static GstVisionObject
describe_object (GstVisionTestSrc *self, const SceneObject *o)
{
  const GstVideoInfo *info = &self->frame.info;
  gdouble rate =
      (gdouble) GST_VIDEO_INFO_FPS_N (info) / GST_VIDEO_INFO_FPS_D (info);
  GstVisionObject to;

  gst_vision_object_init (&to);
  to.id = (guint64) o->id + 1; /* the id 0 means no identity */
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
attach_objects (GstVisionTestSrc *self, GstBuffer *buffer, gint width,
    gint height, GstVisionObject *objects, gint n)
{
  gchar *name = gst_object_get_name (GST_OBJECT (self));
  gboolean attached;

  for (gint i = 0; i < n; i++)
    objects[i].source = name;
  attached = gst_buffer_add_vision_objects (
      buffer, GST_VISION_ORIGIN_TRUTH, width, height, objects, n);
  g_free (name);
  return attached;
}

gboolean
gst_vision_test_src_attach_camera (GstVisionTestSrc *self, GstBuffer *buffer,
    gdouble fx, gdouble fy, gdouble cx, gdouble cy, const gdouble distortion[5],
    const gdouble pose[7])
{
  const GstVideoInfo *info = &self->frame.info;
  GstVisionCamera camera;

  gst_vision_camera_init (&camera);
  camera.ref_width = GST_VIDEO_INFO_WIDTH (info);
  camera.ref_height = GST_VIDEO_INFO_HEIGHT (info);
  camera.fx = fx;
  camera.fy = fy;
  camera.cx = cx;
  camera.cy = cy;
  if (distortion)
    memcpy (camera.distortion, distortion, sizeof camera.distortion);
  memcpy (camera.pose, pose, sizeof camera.pose);
  camera.has_pose = TRUE;
  return gst_buffer_set_vision_camera (
             buffer, GST_VISION_ORIGIN_RESULT, &camera) &&
      gst_buffer_set_vision_camera (buffer, GST_VISION_ORIGIN_TRUTH, &camera);
}

gboolean
gst_vision_test_src_attach_things (GstVisionTestSrc *self, GstBuffer *buffer,
    gint width, gint height, SceneThing *things, gint n)
{
  g_autofree GstVisionObject *truth = g_new (GstVisionObject, n);

  for (gint i = 0; i < n; i++) {
    truth[i] = describe_object (self, &things[i].seen);
    truth[i].depth = things[i].pose[2];
    truth[i].pose = (GstVisionArray){7, things[i].pose};
    truth[i].extent = (GstVisionArray){3, things[i].extent};
  }
  return attach_objects (self, buffer, width, height, truth, n);
}

gboolean
gst_vision_test_src_attach_seen (GstVisionTestSrc *self, GstBuffer *buffer,
    gint width, gint height, const SceneObject *objects, gint n)
{
  g_autofree GstVisionObject *truth = g_new (GstVisionObject, n);

  for (gint i = 0; i < n; i++)
    truth[i] = describe_object (self, &objects[i]);
  return attach_objects (self, buffer, width, height, truth, n);
}

static guint
bytes_of_sample (const gchar *format)
{
  return g_str_equal (format, "u8") ? 1 : g_str_equal (format, "u16") ? 2 : 4;
}

gboolean
gst_vision_test_src_attach_map (GstBuffer *buffer, GstVisionOrigin origin,
    GstVisionMap map, gpointer pixels)
{
  gboolean attached;

  map.element = "visiontestsrc";
  map.stride = map.width * map.channels * bytes_of_sample (map.format);
  map.pixels = gst_buffer_new_wrapped (pixels, (gsize) map.stride * map.height);
  attached = gst_buffer_add_vision_map (buffer, origin, &map);
  gst_buffer_unref (map.pixels);
  return attached;
}

gboolean
gst_vision_test_src_attach_labels (
    GstBuffer *buffer, gint width, gint height, guint16 *labels)
{
  GstVisionMap map = {.kind = "labels",
      .format = "u16",
      .channels = 1,
      .width = width,
      .height = height,
      .scale = 1};

  return !labels ||
      gst_vision_test_src_attach_map (
          buffer, GST_VISION_ORIGIN_TRUTH, map, labels);
}
