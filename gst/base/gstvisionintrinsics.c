/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/gstvisionintrinsics.h"

#include <string.h>

#include "base/gstvisionmatrix.h"

/* ---- Calibration files ---- */

#define MAX_TERMS 14 /* names of the distortion in files of OpenCV and ROS */

static const gchar *const matrix_names[] = {
    "camera_matrix", "cameraMatrix", "Camera_Matrix", "M1", "K", "k", NULL};
static const gchar *const distortion_names[] = {"distortion_coefficients",
    "distCoeffs", "Distortion_Coefficients", "D1", "D", "d", NULL};
static const gchar *const width_names[] = {
    "image_width", "image_Width", "width", NULL};
static const gchar *const height_names[] = {
    "image_height", "image_Height", "height", NULL};

static gboolean
is_camera (const gdouble k[9])
{
  return k[0] > 0 && k[4] > 0 && k[3] == 0 && k[6] == 0 && k[7] == 0 &&
      k[8] == 1;
}

/* Reads the camera matrix by its name, or as the nine numbers of which the file
 * consists. */
static gboolean
read_camera_matrix (const gchar *text, gdouble k[9], GError **error)
{
  gint n = gst_vision_matrix_find (text, matrix_names)
      ? gst_vision_matrix_read (text, matrix_names, k, 9, error)
      : (gint) gst_vision_matrix_numbers (text, k, 9);

  if (n >= 0 && (n < 9 || !is_camera (k)))
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "it holds no camera matrix; write what OpenCV or ROS writes, or nine "
        "numbers: fx 0 cx 0 fy cy 0 0 1");
  return n == 9 && is_camera (k);
}

/* Reads k1 k2 p1 p2 k3.  Further terms, of models that a GstVisionCamera does
 * not know, must be 0. */
static gboolean
read_distortion (const gchar *text, gdouble d[5], GError **error)
{
  gdouble terms[MAX_TERMS] = {0};

  if (gst_vision_matrix_is_fisheye (text))
    REFUSE (
        "the model of fisheye lenses is not known; calibrate with plumb_bob");
  if (gst_vision_matrix_find (text, distortion_names) &&
      gst_vision_matrix_read (text, distortion_names, terms, MAX_TERMS, error) <
          0)
    return FALSE;
  for (gint i = 5; i < MAX_TERMS; i++)
    if (terms[i] != 0)
      REFUSE ("its lens has more than the five terms that are known, k1 k2 p1 "
              "p2 k3; calibrate without the rational model and thin prisms");
  memcpy (d, terms, 5 * sizeof *d);
  return TRUE;
}

static gboolean
read_camera_text (const gchar *text, GstVisionCamera *camera, GError **error)
{
  gdouble k[9], d[5];

  if (!read_camera_matrix (text, k, error) || !read_distortion (text, d, error))
    return FALSE;
  camera->ref_width = gst_vision_matrix_size (text, width_names);
  camera->ref_height = gst_vision_matrix_size (text, height_names);
  if (!camera->ref_width || !camera->ref_height)
    camera->ref_width = camera->ref_height = 0;
  camera->fx = k[0];
  camera->fy = k[4];
  camera->cx = k[2];
  camera->cy = k[5];
  memcpy (camera->distortion, d, sizeof camera->distortion);
  return TRUE;
}

gboolean
gst_vision_calibration_read (
    const gchar *path, GstVisionCamera *camera, GError **error)
{
  gchar *text;
  gboolean good;

  if (!gst_vision_file_read_text (path, &text, error))
    return FALSE;
  good = read_camera_text (text, camera, error);
  g_free (text);
  if (!good)
    g_prefix_error (error, "%s: ", path);
  return good;
}

/* ---- The properties ---- */

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

#define ROWS_OF GstVisionIntrinsics
const GstVisionProperty gst_vision_intrinsics_properties[] = {
    PARSED (read_intrinsics, STRING, intrinsics,
        "The camera: fx,fy,cx,cy[,k1,k2,p1,p2,k3] in pixels of the frame "
        "(unset = that of calibration, else the buffer's VisionCamera)"),
    PARSED (read_calibration, STRING, calibration,
        "Calibration file of the camera: OpenCV's (YAML or XML), ROS's "
        "(camera_info), or the nine numbers of a camera matrix"),
    {.params = NULL}};

const GstVisionProperty gst_vision_target_intrinsics_properties[] = {
    PARSED (read_intrinsics, STRING, intrinsics,
        "The camera whose pixels the depth gets: fx,fy,cx,cy[,k1,k2,p1,p2,k3] "
        "in pixels of the output (unset = that of target-calibration, else of "
        "rig)",
        .name = "target-intrinsics"),
    PARSED (read_calibration, STRING, calibration,
        "Calibration file of the camera whose pixels the depth gets, as for "
        "calibration",
        .name = "target-calibration"),
    {.params = NULL}};

void
gst_vision_camera_scale (GstVisionCamera *camera, guint width, guint height)
{
  gdouble x, y;

  if (camera->ref_width) {
    x = (gdouble) width / camera->ref_width;
    y = (gdouble) height / camera->ref_height;
    camera->fx *= x;
    camera->fy *= y;
    camera->cx = (camera->cx + .5) * x - .5;
    camera->cy = (camera->cy + .5) * y - .5;
  }
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
  gst_vision_camera_scale (camera, width, height);
  camera->has_pose = carried && theirs.has_pose;
  memcpy (camera->pose, theirs.pose, sizeof camera->pose);
  return TRUE;
}
