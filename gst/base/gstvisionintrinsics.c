/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/gstvisionintrinsics.h"

#include <string.h>

#include "base/gstvisioncalibration.h"

enum { INTRINSICS, CALIBRATION, DEPTH_SCALE, N_IDS };

G_STATIC_ASSERT (N_IDS == GST_VISION_INTRINSICS_N_IDS);

static gboolean
read_intrinsics (
    GstElement *element, gpointer owner, const gchar *text, GError **error)
{
  GstVisionIntrinsics *self = owner;
  GstVisionCamera camera;

  gst_vision_camera_init (&camera);
  if (text && !gst_vision_camera_set_intrinsics (&camera, text, error))
    return FALSE;
  GST_OBJECT_LOCK (element);
  self->written = camera;
  GST_OBJECT_UNLOCK (element);
  return TRUE;
}

static gboolean
read_calibration (
    GstElement *element, gpointer owner, const gchar *path, GError **error)
{
  GstVisionIntrinsics *self = owner;
  GstVisionCamera camera;

  gst_vision_camera_init (&camera);
  if (path && !gst_vision_calibration_read (path, &camera, error))
    return FALSE;
  GST_OBJECT_LOCK (element);
  self->read = camera;
  GST_OBJECT_UNLOCK (element);
  return TRUE;
}

const GstVisionProperty gst_vision_intrinsics_properties[] = {
    {.param = PARAM_STRING (GstVisionIntrinsics, intrinsics, NULL, "Intrinsics",
         "The camera: fx,fy,cx,cy[,k1,k2,p1,p2,k3] in pixels of the frame "
         "(unset = that of calibration, else the buffer's VisionCamera)"),
        .parse = read_intrinsics},
    {.param =
            PARAM_STRING (GstVisionIntrinsics, calibration, NULL, "Calibration",
                "Calibration file of the camera: OpenCV's (YAML or XML), ROS's "
                "(camera_info), or the nine numbers of a camera matrix"),
        .parse = read_calibration},
    {.params = NULL}};

void
gst_vision_intrinsics_install_properties (GObjectClass *klass, guint first_id)
{
  GParamFlags flags =
      G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;

  g_object_class_install_property (klass, first_id + INTRINSICS,
      g_param_spec_string ("intrinsics", "Intrinsics",
          "The camera: fx,fy,cx,cy[,k1,k2,p1,p2,k3] in pixels of the frame "
          "(unset = that of calibration, else the buffer's VisionCamera)",
          NULL, flags));
  g_object_class_install_property (klass, first_id + CALIBRATION,
      g_param_spec_string ("calibration", "Calibration",
          "Calibration file of the camera: OpenCV's (YAML or XML), ROS's "
          "(camera_info), or the nine numbers of a camera matrix",
          NULL, flags));
  g_object_class_install_property (klass, first_id + DEPTH_SCALE,
      g_param_spec_double ("depth-scale", "Depth scale",
          "Metres per unit of depth", 1e-9, 1e3, .001,
          flags | G_PARAM_CONSTRUCT | GST_PARAM_CONTROLLABLE));
}

/* Reads @text into @camera, and keeps it as @kept if that can be done. */
static void
set_camera (GstElement *element, const gchar *text, gboolean is_file,
    gchar **kept, GstVisionCamera *camera)
{
  GstVisionCamera read;
  GError *error = NULL;
  gboolean good;

  if (text && !*text)
    text = NULL;
  gst_vision_camera_init (&read);
  good = !text ||
      (is_file ? gst_vision_calibration_read (text, &read, &error)
               : gst_vision_camera_set_intrinsics (&read, text, &error));
  GST_OBJECT_LOCK (element);
  if (good) {
    g_free (*kept);
    *kept = g_strdup (text);
    *camera = read;
  }
  GST_OBJECT_UNLOCK (element);
  gst_vision_properties_refuse (
      element, is_file ? "calibration" : "intrinsics", error);
}

void
gst_vision_intrinsics_set_property (GstVisionIntrinsics *self,
    GstElement *element, guint id, const GValue *value)
{
  switch (id) {
    case INTRINSICS:
      set_camera (element, g_value_get_string (value), FALSE, &self->intrinsics,
          &self->written);
      break;
    case CALIBRATION:
      set_camera (element, g_value_get_string (value), TRUE, &self->calibration,
          &self->read);
      break;
    case DEPTH_SCALE:
      GST_OBJECT_LOCK (element);
      self->depth_scale = g_value_get_double (value);
      GST_OBJECT_UNLOCK (element);
      break;
  }
}

void
gst_vision_intrinsics_get_property (
    GstVisionIntrinsics *self, GstElement *element, guint id, GValue *value)
{
  GST_OBJECT_LOCK (element);
  switch (id) {
    case INTRINSICS:
      g_value_set_string (value, self->intrinsics);
      break;
    case CALIBRATION:
      g_value_set_string (value, self->calibration);
      break;
    case DEPTH_SCALE:
      g_value_set_double (value, self->depth_scale);
      break;
  }
  GST_OBJECT_UNLOCK (element);
}

void
gst_vision_intrinsics_clear (GstVisionIntrinsics *self)
{
  g_free (self->intrinsics);
  g_free (self->calibration);
}

/* Pixels of another size of the same view; centres lie at integers. */
static void
scale (GstVisionCamera *camera, guint width, guint height)
{
  gdouble x = (gdouble) width / camera->ref_width;
  gdouble y = (gdouble) height / camera->ref_height;

  camera->fx *= x;
  camera->fy *= y;
  camera->cx = (camera->cx + .5) * x - .5;
  camera->cy = (camera->cy + .5) * y - .5;
  camera->ref_width = width;
  camera->ref_height = height;
}

gboolean
gst_vision_intrinsics_find (GstVisionIntrinsics *self, GstElement *element,
    GstBuffer *buffer, guint width, guint height, GstVisionCamera *camera)
{
  GstVisionCamera theirs;
  gboolean carried =
      gst_buffer_get_vision_camera (buffer, GST_VISION_ORIGIN_RESULT, &theirs);
  gboolean known;

  GST_OBJECT_LOCK (element);
  known = carried || self->intrinsics || self->calibration;
  *camera = self->intrinsics ? self->written
      : self->calibration    ? self->read
                             : theirs;
  GST_OBJECT_UNLOCK (element);
  if (!known)
    return FALSE;
  if (camera->ref_width)
    scale (camera, width, height);
  camera->ref_width = width;
  camera->ref_height = height;
  camera->has_pose = carried && theirs.has_pose;
  memcpy (camera->pose, theirs.pose, sizeof camera->pose);
  return TRUE;
}
