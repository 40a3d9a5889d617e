/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/gstvisioncalibration.h"

#include <string.h>

#include "base/gstvisionfile.h"
#include "base/gstvisionmatrix.h"

#define MAX_TERMS 14 /* of OpenCV's distortion */

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

/* The numbers of a matrix that has a name, or of a file that is one. */
static gboolean
read_matrix (const gchar *text, gdouble k[9], GError **error)
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

/* k1 k2 p1 p2 k3; there may be more, of models that a GstVisionCamera does not
 * know, if they are 0. */
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
read_text (const gchar *text, GstVisionCamera *camera, GError **error)
{
  gdouble k[9], d[5];

  if (!read_matrix (text, k, error) || !read_distortion (text, d, error))
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
  good = read_text (text, camera, error);
  g_free (text);
  if (!good)
    g_prefix_error (error, "%s: ", path);
  return good;
}
