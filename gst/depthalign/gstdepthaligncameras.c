/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Both cameras and the transform between them, from properties, files and
 * metadata. */
#include "depthalign/gstdepthalign.h"

#include <math.h>
#include <string.h>

#include "base/gstvisionmatrix.h"
#include "base/gstvisionrig.h"

#define NAMES(...) ((const gchar *const[]){__VA_ARGS__, NULL})

/* ---- A transform as a text ---- */

/* Makes a pose of a translation and the rotation whose row i begins at @r[i *
 * @stride]; FALSE: it is no rotation. */
static gboolean
pose_of_rows (const gdouble *r, gint stride, const gdouble t[3], Pose64 *pose)
{
  gdouble rows[9];

  for (gint i = 0; i < 3; i++)
    memcpy (rows + 3 * i, r + i * stride, 3 * sizeof *r);
  if (!gst_vision_is_rotation (rows))
    return FALSE;
  memcpy (pose->t, t, sizeof pose->t);
  quat64_of_rows (rows, 3, pose->q);
  pose64_unit (pose);
  return TRUE;
}

/* Reads a pose of @n numbers: a translation, a pose of a VisionCamera, or a
 * matrix of three or four rows. */
static gboolean
pose_of_numbers (const gdouble *m, guint n, Pose64 *pose, GError **error)
{
  const gdouble last[] = {0, 0, 0, 1};

  *pose = pose64_identity ();
  if (n == 3 || n == 7)
    memcpy (pose->t, m, sizeof pose->t);
  if (n == 7) {
    gdouble length = m[3] * m[3] + m[4] * m[4] + m[5] * m[5] + m[6] * m[6];

    if (!(fabs (length - 1) < 1e-3))
      REFUSE ("the quaternion has the length %g, not 1", sqrt (length));
    memcpy (pose->q, m + 3, sizeof pose->q);
    pose64_unit (pose);
  }
  if (n == 3 || n == 7)
    return TRUE;
  if (n != 12 && n != 16)
    REFUSE ("it has %u numbers, not 3, 7, 12 or 16", n);
  for (guint i = 12; i < n; i++)
    if (m[i] != last[i - 12])
      REFUSE ("the last row of the matrix is not 0 0 0 1");
  if (!pose_of_rows (m, 4, (gdouble[3]){m[3], m[7], m[11]}, pose))
    REFUSE ("the first three columns of the matrix are no rotation");
  return TRUE;
}

/* All finite numbers of @text, with blanks, commas or semicolons between
 * them. */
static gboolean
numbers_of_text (
    const gchar *text, gdouble numbers[16], guint *n, GError **error)
{
  for (*n = 0;;) {
    gdouble number;
    gchar *end;

    text += strspn (text, " \t\r\n,;");
    if (!*text)
      return TRUE;
    number = g_ascii_strtod (text, &end);
    if (end == text || !isfinite (number))
      REFUSE ("entry %u is not a number", *n + 1);
    if (*n == 16)
      REFUSE ("it has more than 16 numbers");
    numbers[(*n)++] = number;
    text = end;
  }
}

static gboolean
read_transform (
    GstElement *element, gpointer owner, const gchar *text, GError **error)
{
  GstDepthalignCameras *self = owner;
  Pose64 pose = pose64_identity ();
  gdouble numbers[16];
  guint n;

  if (text &&
      (!numbers_of_text (text, numbers, &n, error) ||
          !pose_of_numbers (numbers, n, &pose, error)))
    return FALSE;
  GST_OBJECT_LOCK (element);
  self->moved = pose;
  GST_OBJECT_UNLOCK (element);
  return TRUE;
}

/* ---- A file of both cameras ---- */

static gboolean
read_pair_camera (const gchar *text, const gchar *const *matrix,
    const gchar *const *distortion, GstVisionCamera *camera, GError **error)
{
  gdouble k[9], d[14] = {0};
  gint n = gst_vision_matrix_read (text, matrix, k, 9, error);

  if (n < 0 || gst_vision_matrix_read (text, distortion, d, 14, error) < 0)
    return FALSE;
  if (n != 9 || !(k[0] > 0 && k[4] > 0) || k[8] != 1)
    REFUSE ("%s is no camera matrix: it is fx 0 cx, 0 fy cy, 0 0 1, with fx "
            "and fy above 0; calibrate again",
        matrix[0]);
  for (gint i = 5; i < 14; i++)
    if (d[i] != 0)
      REFUSE ("%s has more than the five terms that are known, k1 k2 p1 p2 "
              "k3; calibrate without the rational model and thin prisms",
          distortion[0]);
  camera->fx = k[0];
  camera->fy = k[4];
  camera->cx = k[2];
  camera->cy = k[5];
  memcpy (camera->distortion, d, sizeof camera->distortion);
  return TRUE;
}

static gboolean
read_pair_text (const gchar *text, GstDepthalignPair *pair, GError **error)
{
  gdouble r[9], t[3];
  gint n, n_t;

  for (gint i = 0; i < 2; i++)
    gst_vision_camera_init (&pair->camera[i]);
  if (!read_pair_camera (text, NAMES ("M1", "K1", "cameraMatrix1"),
          NAMES ("D1", "distCoeffs1"), &pair->camera[0], error) ||
      !read_pair_camera (text, NAMES ("M2", "K2", "cameraMatrix2"),
          NAMES ("D2", "distCoeffs2"), &pair->camera[1], error))
    return FALSE;
  n = gst_vision_matrix_read (text, NAMES ("R"), r, 9, error);
  if (n < 0)
    return FALSE;
  n_t = gst_vision_matrix_read (text, NAMES ("T"), t, 3, error);
  if (n_t < 0)
    return FALSE;
  if (n_t != 3)
    REFUSE ("T holds %d numbers, not 3; write it as OpenCV does", n_t);
  if (n != 9 || !pose_of_rows (r, 3, t, &pair->transform))
    REFUSE ("R is singular, scaled or mirrored; calibrate again");
  pair->camera[0].ref_width =
      gst_vision_matrix_size (text, NAMES ("image_width", "width"));
  pair->camera[0].ref_height =
      gst_vision_matrix_size (text, NAMES ("image_height", "height"));
  pair->camera[1].ref_width =
      gst_vision_matrix_size (text, NAMES ("image_width2", "image_width"));
  pair->camera[1].ref_height =
      gst_vision_matrix_size (text, NAMES ("image_height2", "image_height"));
  for (gint i = 0; i < 2; i++)
    if (!pair->camera[i].ref_width || !pair->camera[i].ref_height)
      pair->camera[i].ref_width = pair->camera[i].ref_height = 0;
  return TRUE;
}

static gboolean
read_pair (
    GstElement *element, gpointer owner, const gchar *path, GError **error)
{
  GstDepthalignCameras *self = owner;
  GstDepthalignPair pair = {0};
  gboolean good = TRUE;
  gchar *text;

  if (path) {
    if (!gst_vision_file_read_text (path, &text, error))
      return FALSE;
    good = read_pair_text (text, &pair, error);
    g_free (text);
    if (!good)
      g_prefix_error (error, "%s: ", path);
  }
  if (!good)
    return FALSE;
  GST_OBJECT_LOCK (element);
  self->pair = pair;
  GST_OBJECT_UNLOCK (element);
  return TRUE;
}

/* ---- The properties ---- */

#define ROWS_OF GstDepthalignCameras
const GstVisionProperty gst_depthalign_cameras_properties[] = {
    PROPERTIES (gst_vision_intrinsics_properties, depth),
    PROPERTIES (gst_vision_target_intrinsics_properties, target),
    PARSED (read_transform, STRING, transform,
        "Where the depth camera's points are for the target camera: "
        "x,y,z[,qw,qx,qy,qz], or a matrix of 3 x 4 or 4 x 4 numbers row by "
        "row; metres, x to the right, y down, z ahead (unset = that of rig, "
        "else both cameras are at one place)"),
    PARSED (read_pair, STRING, rig,
        "Calibration file of both cameras, the depth camera first: M1 D1 M2 "
        "D2 R T of OpenCV's stereoCalibrate, as vision-calibrate writes it"),
    NUMBER (calibration_unit, 1e-9, 1e6, 1,
        "Metres per unit of T in rig: 0.001 for squares in millimetres",
        .title = "Unit of the calibration"),
    SWITCH (inverse, FALSE,
        "The other way round: transform moves points of the target camera to "
        "the depth camera, and rig has the target camera first"),
    {.params = NULL}};

/* ---- For a frame ---- */

static const GstVisionCamera *
pair_target (const GstDepthalignCameras *c)
{
  return &c->pair.camera[c->inverse ? 0 : 1];
}

/* The target camera that the properties name; NULL: none. */
static const GstVisionCamera *
named_target (const GstDepthalignCameras *c)
{
  return c->target.intrinsics ? &c->target.written
      : c->target.calibration ? &c->target.read
      : c->rig                ? pair_target (c)
                              : NULL;
}

void
gst_depthalign_target_size (GstDepthalign *self, gint *width, gint *height)
{
  const GstVisionCamera *target;

  GST_OBJECT_LOCK (self);
  target = named_target (&self->cameras);
  *width = target ? (gint) target->ref_width : 0;
  *height = target ? (gint) target->ref_height : 0;
  GST_OBJECT_UNLOCK (self);
}

static Pose64
named_transform (const GstDepthalignCameras *c)
{
  Pose64 p = c->transform ? c->moved
      : c->rig            ? c->pair.transform
                          : pose64_identity ();

  for (gint i = 0; i < 3 && !c->transform; i++)
    p.t[i] *= c->calibration_unit;
  return c->inverse ? pose64_inverse (p) : p;
}

static Camera
camera_of_meta (const GstVisionCamera *camera)
{
  Camera c = {camera->fx, camera->fy, camera->cx, camera->cy, {0}};

  memcpy (c.distortion, camera->distortion, sizeof c.distortion);
  return c;
}

/* The pose of the target in the world, where the depth camera's is @pose. */
static void
set_target_pose (
    GstVisionCamera *target, const gdouble pose[7], const Pose64 *transform)
{
  Pose64 world, p;

  memcpy (&world, pose, sizeof world);
  pose64_unit (&world);
  p = pose64_times (world, pose64_inverse (*transform));
  memcpy (target->pose, &p, sizeof target->pose);
  target->has_pose = TRUE;
}

const char *
gst_depthalign_find_cameras (GstDepthalign *self, GstBuffer *buffer,
    const Image *depth, DepthalignParams *params, GstVisionCamera *target)
{
  guint width = (guint) depth->width, height = (guint) depth->height;
  GstDepthalignCameras *c = &self->cameras;
  const GstVisionCamera *found;
  GstVisionCamera own;
  gboolean knows_own, by_rig;

  knows_own = gst_vision_intrinsics_find (
      &c->depth, GST_ELEMENT (self), buffer, width, height, &own);
  GST_OBJECT_LOCK (self);
  by_rig = c->rig && !c->depth.intrinsics && !c->depth.calibration;
  if (by_rig) {
    GstVisionCamera camera = c->pair.camera[c->inverse ? 1 : 0];

    gst_vision_camera_scale (&camera, width, height);
    if (knows_own && own.has_pose)
      gst_vision_camera_set_pose (&camera, own.pose);
    own = camera;
  }
  found = named_target (c);
  if (found)
    *target = *found;
  params->transform = named_transform (c);
  GST_OBJECT_UNLOCK (self);
  if (!knows_own && !by_rig)
    return "the depth camera is not known; set intrinsics, calibration or rig";
  if (!found)
    return "the target camera is not known; set target-intrinsics, "
           "target-calibration or rig";
  gst_vision_camera_scale (target, (guint) GST_VIDEO_INFO_WIDTH (&self->out),
      (guint) GST_VIDEO_INFO_HEIGHT (&self->out));
  params->depth = camera_of_meta (&own);
  params->target = camera_of_meta (target);
  if (own.has_pose)
    set_target_pose (target, own.pose, &params->transform);
  return depthalign_check (params);
}
