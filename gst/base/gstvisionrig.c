/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/gstvisionrig.h"

#include <math.h>
#include <string.h>

#include "base/gstvisionproperties.h"
#include "base/gstvisionmatrix.h"

#define NAMES(...) ((const gchar *const[]){__VA_ARGS__, NULL})
#define WIDTH NAMES ("image_width", "width")
#define HEIGHT NAMES ("image_height", "height")
#define ROS_PROJECTION NAMES ("projection_matrix", "P", "p")

/* The names of the matrices of both views, in files of OpenCV and of ROS. */
typedef const gchar *const ViewNames[4][4]; /* K D R P */
static ViewNames opencv_names[2] = {
    {{"M1", "K1", "cameraMatrix1"}, {"D1", "distCoeffs1"}, {"R1"}, {"P1"}},
    {{"M2", "K2", "cameraMatrix2"}, {"D2", "distCoeffs2"}, {"R2"}, {"P2"}}};
static ViewNames ros_names = {{"camera_matrix", "K", "k"},
    {"distortion_coefficients", "D", "d"}, {"rectification_matrix", "R", "r"},
    {"projection_matrix", "P", "p"}};

typedef struct {
  gchar *path[2], *text[2]; /* the second text may be NULL */
} Files;

/* The index of the file that has one of @names; 0 if none has. */
static gint
file_with (const Files *f, const gchar *const *names)
{
  return f->text[1] && !gst_vision_matrix_find (f->text[0], names) &&
      gst_vision_matrix_find (f->text[1], names);
}

static gint
read_rig_matrix (const Files *f, gint file, const gchar *const *names,
    gdouble *numbers, guint max, GError **error)
{
  gint n = gst_vision_matrix_read (f->text[file], names, numbers, max, error);

  if (n < 0)
    g_prefix_error (error, "%s: ", f->path[file]);
  return n;
}

static gboolean
read_exactly (const Files *f, gint file, const gchar *const *names,
    gdouble *numbers, guint wanted, GError **error)
{
  gint n = read_rig_matrix (f, file, names, numbers, wanted, error);

  if (n >= 0 && (guint) n != wanted)
    REFUSE ("%s: %s holds %d numbers, not %u; write it as OpenCV or ROS does",
        f->path[file], names[0], n, wanted);
  return n >= 0;
}

static gboolean
is_distortion (gint n)
{
  return n == 0 || n == 4 || n == 5 || n == 8 || n == 12 || n == 14;
}

/* Reads one view.  @file is the index of the file that holds all matrices of
 * the view; -1: each matrix may be in either file. */
static gboolean
read_view (const Files *f, gint file, ViewNames names, GstVisionRigView *v,
    GError **error)
{
  gint at[4], n;

  for (gint i = 0; i < 4; i++)
    at[i] = file < 0 ? file_with (f, names[i]) : file;
  if (!read_exactly (f, at[0], names[0], v->k, 9, error) ||
      !read_exactly (f, at[2], names[2], v->r, 9, error) ||
      !read_exactly (f, at[3], names[3], v->p, 12, error))
    return FALSE;
  n = read_rig_matrix (f, at[1], names[1], v->d, 14, error);
  if (n >= 0 && !is_distortion (n))
    REFUSE ("%s: %s holds %d numbers; the models known have 4, 5, 8, 12 or 14",
        f->path[at[1]], names[1][0], n);
  return n >= 0;
}

/* Whether the file ends right behind a size, whose last digits may then be
 * missing. */
static gboolean
ends_after_size (const gchar *text, const gchar *const *names)
{
  const gchar *at = gst_vision_matrix_find (text, names);

  return at && !at[strspn (at, " \t:>0123456789")];
}

static gboolean
read_sizes (
    const Files *f, gint file, guint *width, guint *height, GError **error)
{
  const gchar *text;

  if (file < 0)
    file = file_with (f, WIDTH);
  text = f->text[file];
  if (ends_after_size (text, WIDTH) || ends_after_size (text, HEIGHT))
    REFUSE ("%s: the size ends with the file; the file was cut off, copy it "
            "again",
        f->path[file]);
  *width = gst_vision_matrix_size (text, WIDTH);
  *height = gst_vision_matrix_size (text, HEIGHT);
  if (!*width || !*height)
    *width = *height = 0;
  return TRUE;
}

/* Computes Q as OpenCV's stereoRectify does, also for pixels that are not
 * square. */
static void
set_q (GstVisionRig *rig)
{
  const gdouble *l = rig->view[0].p, *r = rig->view[1].p;
  gdouble tx = r[3] / r[0], aspect = l[0] / l[5];
  gdouble q[16] = {1, 0, 0, -l[2], 0, aspect, 0, -l[6] * aspect, 0, 0, 0, l[0],
      0, 0, -1 / tx, (l[2] - r[2]) / tx};

  memcpy (rig->q, q, sizeof q);
}

/* Converts the lengths of the rig from the file's unit to metres. */
static void
convert_to_metres (GstVisionRig *rig, gdouble unit)
{
  for (gint i = 0; i < 2; i++)
    rig->view[i].p[3] *= unit;
  for (gint i = 12; i < 16; i++)
    rig->q[i] /= unit;
}

static gboolean
read_opencv (const Files *f, gdouble unit, GstVisionRig *rig, GError **error)
{
  const gchar *const *q = NAMES ("Q");
  gint file = file_with (f, q);

  if (!f->text[1] && !gst_vision_matrix_find (f->text[0], opencv_names[0][0]) &&
      gst_vision_matrix_find (f->text[0], ros_names[0]))
    REFUSE ("%s holds one camera; name the files of both as LEFT,RIGHT",
        f->path[0]);
  for (gint i = 0; i < 2; i++)
    if (!read_view (f, -1, opencv_names[i], &rig->view[i], error))
      return FALSE;
  if (!read_sizes (f, -1, &rig->width, &rig->height, error))
    return FALSE;
  if (!gst_vision_matrix_find (f->text[file], q))
    set_q (rig);
  else if (!read_exactly (f, file, q, rig->q, 16, error))
    return FALSE;
  convert_to_metres (rig, unit);
  return TRUE;
}

static gboolean
read_ros (const Files *f, GstVisionRig *rig, GError **error)
{
  guint width[2], height[2];

  for (gint i = 0; i < 2; i++) {
    if (gst_vision_matrix_is_fisheye (f->text[i]))
      REFUSE ("%s: the model of fisheye lenses is not known; calibrate with "
              "rational_polynomial",
          f->path[i]);
    if (!read_view (f, i, ros_names, &rig->view[i], error) ||
        !read_sizes (f, i, &width[i], &height[i], error))
      return FALSE;
  }
  if (width[0] != width[1] || height[0] != height[1])
    REFUSE ("%s is for frames of %u x %u and %s of %u x %u; calibrate both at "
            "one size",
        f->path[0], width[0], height[0], f->path[1], width[1], height[1]);
  rig->width = width[0];
  rig->height = height[0];
  set_q (rig);
  return TRUE;
}

static gboolean
read_files (const Files *f, gdouble unit, GstVisionRig *rig, GError **error)
{
  GstVisionRig read = {0};
  gboolean is_ros = f->text[1] &&
      gst_vision_matrix_find (f->text[0], ROS_PROJECTION) &&
      gst_vision_matrix_find (f->text[1], ROS_PROJECTION);

  if (!(is_ros ? read_ros (f, &read, error)
               : read_opencv (f, unit, &read, error)))
    return FALSE;
  if (!gst_vision_rig_check (&read, error)) {
    g_prefix_error (error, "%s: ", f->path[0]);
    return FALSE;
  }
  read.baseline = -read.view[1].p[3] / read.view[1].p[0];
  *rig = read;
  return TRUE;
}

gboolean
gst_vision_rig_read (
    const gchar *location, gdouble unit, GstVisionRig *rig, GError **error)
{
  const gchar *comma = strchr (location, ',');
  Files f = {{NULL}, {NULL}};
  gboolean one_missing = FALSE, good;

  if (!(unit > 0 && isfinite (unit)))
    REFUSE ("the unit of a rig is metres above 0, not %g", unit);
  if (comma && !g_file_test (location, G_FILE_TEST_EXISTS)) {
    f.path[0] = g_strndup (location, comma - location);
    f.path[1] = g_strdup (comma + 1);
    one_missing = !*f.path[0] || !*f.path[1];
  } else {
    f.path[0] = g_strdup (location);
  }
  if (one_missing)
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "\"%s\" names one file; name two, one on each side of the comma",
        location);
  good = !one_missing &&
      gst_vision_file_read_text (f.path[0], &f.text[0], error) &&
      (!f.path[1] ||
          gst_vision_file_read_text (f.path[1], &f.text[1], error)) &&
      read_files (&f, unit, rig, error);
  for (gint i = 0; i < 2; i++) {
    g_free (f.path[i]);
    g_free (f.text[i]);
  }
  return good;
}

/* ---- Whether numbers can be those of a rig ---- */

gboolean
gst_vision_is_rotation (const gdouble r[9])
{
  gdouble det = r[0] * (r[4] * r[8] - r[5] * r[7]) -
      r[1] * (r[3] * r[8] - r[5] * r[6]) + r[2] * (r[3] * r[7] - r[4] * r[6]);

  for (gint i = 0; i < 3; i++)
    for (gint j = 0; j < 3; j++) {
      gdouble dot = 0;

      for (gint k = 0; k < 3; k++)
        dot += r[3 * i + k] * r[3 * j + k];
      if (!(fabs (dot - (i == j)) < 1e-3))
        return FALSE;
    }
  return det > 0;
}

static gboolean
is_camera_matrix (const gdouble *k, guint columns)
{
  return k[0] > 0 && k[columns + 1] > 0 && k[2 * columns + 2] == 1 &&
      k[columns] == 0 && k[2 * columns] == 0 && k[2 * columns + 1] == 0;
}

static gboolean
check_view (const GstVisionRigView *v, const gchar *side, GError **error)
{
  if (!is_camera_matrix (v->k, 3))
    REFUSE ("the camera matrix of the %s view is none: it is fx 0 cx, 0 fy cy, "
            "0 0 1, with fx and fy above 0; calibrate again",
        side);
  if (!is_camera_matrix (v->p, 4))
    REFUSE ("the projection of the %s view is none; run stereoRectify, or "
            "vision-calibrate",
        side);
  if (!gst_vision_is_rotation (v->r))
    REFUSE ("the rectifying rotation of the %s view is singular, scaled or "
            "mirrored; run stereoRectify, or vision-calibrate",
        side);
  return TRUE;
}

static gboolean
are_near (gdouble a, gdouble b)
{
  return fabs (a - b) <= 1e-3 * MAX (fabs (a), 1);
}

gboolean
gst_vision_rig_check (const GstVisionRig *rig, GError **error)
{
  const gdouble *l = rig->view[0].p, *r = rig->view[1].p;

  if (!check_view (&rig->view[0], "left", error) ||
      !check_view (&rig->view[1], "right", error))
    return FALSE;
  if (!are_near (l[0], r[0]) || !are_near (l[5], r[5]) ||
      !are_near (l[6], r[6]))
    REFUSE ("rows of the two rectified views do not meet: fx, fy and cy of "
            "their projections differ; rectify them together");
  if (r[3] == 0 && r[7] != 0)
    REFUSE ("one camera is above the other; turn the rig by 90 degrees and "
            "calibrate again");
  if (r[3] == 0)
    REFUSE ("the baseline is 0: the projection of the right view has none; "
            "calibrate the two cameras as a pair");
  if (r[3] > 0)
    REFUSE ("the right camera is on the left of the left one; swap the two "
            "views");
  if (rig->q[10] == 0 && rig->q[14] == 0)
    REFUSE ("Q is singular: depth does not depend on disparity; run "
            "stereoRectify, or vision-calibrate");
  return TRUE;
}

static gboolean
is_central (gdouble centre, guint size)
{
  return fabs ((centre + .5) / size - .5) <= .2;
}

gboolean
gst_vision_rig_fits (
    const GstVisionRig *rig, guint width, guint height, GError **error)
{
  if (rig->width) {
    if (rig->width != width || rig->height != height)
      REFUSE ("the rig was calibrated at %u x %u and frames are %u x %u; scale "
              "the frames to %u x %u, or calibrate again at %u x %u",
          rig->width, rig->height, width, height, rig->width, rig->height,
          width, height);
    return TRUE;
  }
  for (gint i = 0; i < 2; i++) {
    const gdouble *k = rig->view[i].k;

    if (!is_central (k[2], width) || !is_central (k[5], height))
      REFUSE ("the rig was calibrated at another size than %u x %u, it seems: "
              "a camera looks at %.0f, %.0f; scale the frames to about %.0f x "
              "%.0f, or calibrate again at %u x %u; if it was that size, add "
              "image_width and image_height to the file",
          width, height, k[2], k[5], 2 * k[2] + 1, 2 * k[5] + 1, width, height);
  }
  return TRUE;
}
