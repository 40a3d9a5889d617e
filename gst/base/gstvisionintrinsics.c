/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/gstvisionintrinsics.h"

#include <string.h>

#include "base/gstvisioncalibration.h"

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
