/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstvisioncamera.h"

#include <math.h>
#include <string.h>

#include "gstvisionstructure.h"

#define N_INTRINSICS 9

G_DEFINE_BOXED_TYPE (GstVisionCamera, gst_vision_camera, gst_vision_camera_copy,
    gst_vision_camera_free)

static const gchar *const intrinsics[N_INTRINSICS] = {
    "fx", "fy", "cx", "cy", "k1", "k2", "p1", "p2", "k3"};

/**
 * gst_vision_camera_new:
 *
 * Makes a camera of which nothing is known.
 *
 * Returns: (transfer full): the camera; free it with gst_vision_camera_free()
 *
 * Since: 0.1
 */
GstVisionCamera *
gst_vision_camera_new (void)
{
  GstVisionCamera *camera = g_new (GstVisionCamera, 1);

  gst_vision_camera_init (camera);
  return camera;
}

/**
 * gst_vision_camera_copy:
 * @camera: a camera
 *
 * Copies a camera.
 *
 * Returns: (transfer full): the copy; free it with gst_vision_camera_free()
 *
 * Since: 0.1
 */
GstVisionCamera *
gst_vision_camera_copy (const GstVisionCamera *camera)
{
  return g_memdup2 (camera, sizeof *camera);
}

/**
 * gst_vision_camera_free:
 * @camera: (transfer full): a camera that gst_vision_camera_new() or
 *   gst_vision_camera_copy() returned
 *
 * Frees a camera.
 *
 * Since: 0.1
 */
void
gst_vision_camera_free (GstVisionCamera *camera)
{
  g_free (camera);
}

/**
 * gst_vision_camera_init:
 * @camera: a camera
 *
 * Sets all fields to 0, and the baseline to NAN: nothing is known of the
 * camera.
 *
 * Since: 0.1
 */
void
gst_vision_camera_init (GstVisionCamera *camera)
{
  *camera = (GstVisionCamera){.baseline = NAN};
}

static gboolean
parse_intrinsic (
    const gchar *entry, guint index, gdouble *number, GError **error)
{
  const gchar *name = intrinsics[index];
  gchar *end;

  *number = g_ascii_strtod (entry, &end);
  if (end == entry || *g_strchug (end) || !isfinite (*number)) {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "entry %u (%s) is \"%s\", which is not a number", index + 1, name,
        entry);
    return FALSE;
  }
  if (index < 2 && *number <= 0) {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "entry %u (%s) is %g; a focal length is above 0", index + 1, name,
        *number);
    return FALSE;
  }
  return TRUE;
}

/**
 * gst_vision_camera_set_intrinsics:
 * @camera: a camera
 * @text: four to nine numbers with commas between them, "fx,fy,cx,cy" in pixels
 *   and then k1, k2, p1, p2 and k3; the function sets missing ones to 0
 * @error: on failure, a #GstLibraryError whose message names the wrong entry
 *
 * Reads the text that elements take as their property "intrinsics", and sets
 * @fx, @fy, @cx, @cy and @distortion.  The other fields stay as they are.
 *
 * Returns: %TRUE; or %FALSE if the count of numbers is wrong, or if a number,
 *   or the sum of the first four, is not finite or, as a focal length, not
 *   above 0: @camera then stays as it is
 *
 * Since: 0.1
 */
gboolean
gst_vision_camera_set_intrinsics (
    GstVisionCamera *camera, const gchar *text, GError **error)
{
  gdouble numbers[N_INTRINSICS] = {0};
  gchar **entries = g_strsplit (text, ",", -1);
  guint n = g_strv_length (entries);
  gboolean good = n >= 4 && n <= N_INTRINSICS;

  if (!good)
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "fx,fy,cx,cy are needed, k1,k2,p1,p2,k3 may follow; numbers found: %u",
        n);
  for (guint i = 0; good && i < n; i++)
    good = parse_intrinsic (entries[i], i, &numbers[i], error);
  g_strfreev (entries);
  if (good && !isfinite (numbers[0] + numbers[1] + numbers[2] + numbers[3])) {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "fx, fy, cx and cy are too large: their sum is not finite");
    good = FALSE;
  }
  if (!good)
    return FALSE;
  camera->fx = numbers[0];
  camera->fy = numbers[1];
  camera->cx = numbers[2];
  camera->cy = numbers[3];
  memcpy (camera->distortion, &numbers[4], sizeof camera->distortion);
  return TRUE;
}

/**
 * gst_vision_camera_set_pose:
 * @camera: a camera
 * @pose: (array fixed-size=7): the transform from the camera's coordinates to
 *   those of the world, laid out as #GstVisionObject.pose
 *
 * Sets @pose and @has_pose, for languages that cannot set an array.
 *
 * Since: 0.1
 */
void
gst_vision_camera_set_pose (GstVisionCamera *camera, const gdouble *pose)
{
  g_return_if_fail (camera != NULL && pose != NULL);
  memcpy (camera->pose, pose, sizeof camera->pose);
  camera->has_pose = TRUE;
}

static gboolean
is_sound_camera (const GstVisionCamera *camera)
{
  return camera->ref_width > 0 && camera->ref_height > 0 && camera->fx > 0 &&
      camera->fy > 0 &&
      isfinite (camera->fx + camera->fy + camera->cx + camera->cy);
}

static void
set_doubles (GstStructure *structure, const gchar *field,
    const gdouble *numbers, guint n)
{
  GValue value = G_VALUE_INIT;

  gst_vision_doubles_to_value (numbers, n, &value);
  gst_structure_take_value (structure, field, &value);
}

static gboolean
get_doubles (const GstStructure *structure, const gchar *field,
    gdouble *numbers, guint n)
{
  const GValue *value = gst_structure_get_value (structure, field);

  return value && GST_VALUE_HOLDS_ARRAY (value) &&
      gst_value_array_get_size (value) == n &&
      gst_vision_doubles_from_value (value, numbers);
}

/**
 * gst_buffer_set_vision_camera:
 * @buffer: a writable #GstBuffer
 * @origin: whether a calibration (result) or a synthetic scene (truth) gives
 *   the camera
 * @camera: the camera, whose reference size and focal lengths are above 0; the
 *   function copies it
 *
 * Attaches the camera that took the frame.  It replaces the buffer's camera of
 * this origin.
 *
 * Returns: %TRUE; or %FALSE, with a critical warning, if @buffer is not
 *   writable or @camera is not usable
 *
 * Since: 0.1
 */
gboolean
gst_buffer_set_vision_camera (
    GstBuffer *buffer, GstVisionOrigin origin, const GstVisionCamera *camera)
{
  GstStructure *structure;

  g_return_val_if_fail (GST_IS_BUFFER (buffer), FALSE);
  g_return_val_if_fail (gst_buffer_is_writable (buffer), FALSE);
  g_return_val_if_fail (camera && is_sound_camera (camera), FALSE);

  structure =
      gst_vision_structure_ensure (buffer, GST_VISION_META_CAMERA, origin);
  gst_structure_remove_all_fields (structure);
  gst_structure_set (structure, "ref-width", G_TYPE_UINT, camera->ref_width,
      "ref-height", G_TYPE_UINT, camera->ref_height, "fx", G_TYPE_DOUBLE,
      camera->fx, "fy", G_TYPE_DOUBLE, camera->fy, "cx", G_TYPE_DOUBLE,
      camera->cx, "cy", G_TYPE_DOUBLE, camera->cy, NULL);
  set_doubles (structure, "distortion", camera->distortion, 5);
  if (isfinite (camera->baseline))
    gst_structure_set (
        structure, "baseline", G_TYPE_DOUBLE, camera->baseline, NULL);
  if (camera->has_pose)
    set_doubles (structure, "pose", camera->pose, 7);
  return TRUE;
}

/**
 * gst_buffer_get_vision_camera:
 * @buffer: a #GstBuffer
 * @origin: the origin of the camera to read
 * @camera: (out caller-allocates): the camera
 *
 * Reads the camera that took the frame.
 *
 * Returns: %TRUE; or %FALSE if the buffer has no camera of this origin, or one
 *   without a reference size or intrinsics: the values in @camera then have no
 *   meaning
 *
 * Since: 0.1
 */
gboolean
gst_buffer_get_vision_camera (
    GstBuffer *buffer, GstVisionOrigin origin, GstVisionCamera *camera)
{
  const GstStructure *structure;

  g_return_val_if_fail (GST_IS_BUFFER (buffer), FALSE);
  g_return_val_if_fail (camera != NULL, FALSE);
  gst_vision_camera_init (camera);
  structure = gst_vision_structure_get (buffer, GST_VISION_META_CAMERA, origin);
  if (!structure ||
      !gst_vision_structure_get_reference (
          structure, &camera->ref_width, &camera->ref_height) ||
      !gst_structure_get (structure, "fx", G_TYPE_DOUBLE, &camera->fx, "fy",
          G_TYPE_DOUBLE, &camera->fy, "cx", G_TYPE_DOUBLE, &camera->cx, "cy",
          G_TYPE_DOUBLE, &camera->cy, NULL) ||
      !is_sound_camera (camera))
    return FALSE;
  if (!get_doubles (structure, "distortion", camera->distortion, 5))
    memset (camera->distortion, 0, sizeof camera->distortion);
  gst_structure_get_double (structure, "baseline", &camera->baseline);
  if (!isfinite (camera->baseline))
    camera->baseline = NAN;
  camera->has_pose = get_doubles (structure, "pose", camera->pose, 7);
  return TRUE;
}
