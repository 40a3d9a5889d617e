/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The three formats have one shape as far as a camera goes: a name, some words
 * (of a type, rows and columns, "data") and numbers in brackets, tags or alone.
 * So names are searched for, and numbers behind them. */
#include "base/gstvisioncalibration.h"

#include <math.h>
#include <string.h>

static const gchar *const matrix_names[] = {
    "camera_matrix", "cameraMatrix", "Camera_Matrix", "M1", "K", "k", NULL};
static const gchar *const distortion_names[] = {"distortion_coefficients",
    "distCoeffs", "Distortion_Coefficients", "D1", "D", "d", NULL};
static const gchar *const width_names[] = {
    "image_width", "image_Width", "width", NULL};
static const gchar *const height_names[] = {
    "image_height", "image_Height", "height", NULL};

static gboolean
ends_name (gchar c)
{
  return c == ':' || c == '>' || g_ascii_isspace (c);
}

/* What follows the first of @names that begins a line or a tag. */
static const gchar *
find (const gchar *text, const gchar *const *names)
{
  for (; *names; names++) {
    gsize n = strlen (*names);

    for (const gchar *at = text; (at = strstr (at, *names)); at += n) {
      const gchar *before = at;

      while (before > text && (before[-1] == ' ' || before[-1] == '\t'))
        before--;
      if (ends_name (at[n]) &&
          (before == text || before[-1] == '\n' || before[-1] == '<'))
        return at + n;
    }
  }
  return NULL;
}

/* A matrix may say more of itself before its "data". */
static const gchar *
skip_to_data (const gchar *text)
{
  const gchar *data = strstr (text, "data"), *bracket = strchr (text, '[');

  return data && (!bracket || data < bracket) ? data + strlen ("data") : text;
}

static guint
read_numbers (const gchar *text, gdouble *numbers, guint max)
{
  guint n = 0;

  for (; n < max; n++) {
    gchar *end;

    text += strspn (text, " \t\r\n,:[>");
    numbers[n] = g_ascii_strtod (text, &end);
    if (end == text || !isfinite (numbers[n]))
      break;
    text = end;
  }
  return n;
}

static gboolean
is_camera (const gdouble k[9])
{
  return k[0] > 0 && k[4] > 0 && k[3] == 0 && k[6] == 0 && k[7] == 0 &&
      k[8] == 1;
}

static guint
read_size (const gchar *text, const gchar *const *names)
{
  const gchar *at = find (text, names);
  gdouble size;

  return at && read_numbers (at, &size, 1) && size >= 1 && size <= G_MAXINT
      ? (guint) size
      : 0;
}

static gboolean
read_text (const gchar *text, GstVisionCamera *camera)
{
  const gchar *matrix = find (text, matrix_names);
  const gchar *distortion = find (text, distortion_names);
  gdouble k[9], d[5] = {0};

  if (read_numbers (matrix ? skip_to_data (matrix) : text, k, 9) < 9 ||
      !is_camera (k))
    return FALSE;
  if (distortion)
    read_numbers (skip_to_data (distortion), d, 5);
  camera->ref_width = read_size (text, width_names);
  camera->ref_height = read_size (text, height_names);
  if (!camera->ref_width || !camera->ref_height)
    camera->ref_width = camera->ref_height = 0;
  camera->fx = k[0];
  camera->fy = k[4];
  camera->cx = k[2];
  camera->cy = k[5];
  memcpy (camera->distortion, d, sizeof d);
  return TRUE;
}

gboolean
gst_vision_calibration_read (
    const gchar *path, GstVisionCamera *camera, GError **error)
{
  gchar *text;
  gboolean good;

  if (!g_file_get_contents (path, &text, NULL, error))
    return FALSE;
  good = read_text (text, camera);
  g_free (text);
  if (!good)
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "%s holds no camera matrix; write what OpenCV or ROS writes, or nine "
        "numbers: fx 0 cx 0 fy cy 0 0 1",
        path);
  return good;
}
