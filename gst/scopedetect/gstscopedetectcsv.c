/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Poses in the format of the BOP benchmark: a line an object, turns as nine
 * numbers row by row, translations in millimetres, and the seconds that the
 * frame took.  An object's number is its model's in the property models, from 1
 * on. */
#include <errno.h>

#include "common/file.h"
#include "scopedetect/gstscopedetect.h"
#include "base/gstvisiontell.h"

#define SCENE 1 /* a stream is one; its frames are counted from 0 */
#define HEAD "scene_id,im_id,obj_id,score,R,t,time\n"

/* Posts @error of output-csv, once. */
static const char *
fail (GstScopedetect *self, int error)
{
  GstVisionCommon *common = gst_vision_common (self);
  gchar *path;

  GST_OBJECT_LOCK (self);
  path = g_strdup (self->output_csv);
  GST_OBJECT_UNLOCK (self);
  if (!common->has_failed)
    GST_VISION_ERROR (self, RESOURCE, WRITE,
        ("\"%s\" cannot be written: %s. Set output-csv to a file in a folder "
         "that exists, is yours and has room.",
            path, file_why (error)));
  common->has_failed = TRUE;
  g_free (path);
  return "output-csv cannot be written";
}

gboolean
gst_scopedetect_open_csv (GstScopedetect *self)
{
  gchar *path;
  int error = 0;

  GST_OBJECT_LOCK (self);
  path = g_strdup (self->output_csv);
  GST_OBJECT_UNLOCK (self);
  self->n_images = 0;
  if (path) {
    error = gst_vision_lines_open (&self->csv, GST_ELEMENT (self), path, -1);
    if (!error)
      error = gst_vision_lines_write (&self->csv, HEAD, strlen (HEAD));
    if (error) {
      fail (self, error);
      gst_vision_lines_close (&self->csv);
    } else {
      self->csv_lines = g_string_new (NULL);
    }
  }
  g_free (path);
  return !error;
}

/* Never in the words of a locale. */
static void
put (GString *lines, gdouble number, gchar after)
{
  gchar text[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (lines, g_ascii_formatd (text, sizeof text, "%.9g", number));
  g_string_append_c (lines, after);
}

static void
add_line (GstScopedetect *self, const ScopedetectObject *o, gdouble seconds)
{
  gdouble w = o->pose[3], x = o->pose[4], y = o->pose[5], z = o->pose[6];
  const gdouble turn[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),
      2 * (x * z + w * y), 2 * (x * y + w * z), 1 - 2 * (x * x + z * z),
      2 * (y * z - w * x), 2 * (x * z - w * y), 2 * (y * z + w * x),
      1 - 2 * (x * x + y * y)};
  GString *lines = self->csv_lines;

  g_string_append_printf (
      lines, "%d,%u,%d,", SCENE, self->n_images, 1 + o->model);
  put (lines, o->score, ',');
  for (gint i = 0; i < 9; i++)
    put (lines, turn[i], i < 8 ? ' ' : ',');
  for (gint i = 0; i < 3; i++)
    put (lines, 1e3 * o->pose[i], i < 2 ? ' ' : ',');
  put (lines, seconds, '\n');
}

const char *
gst_scopedetect_write_csv (GstScopedetect *self, gdouble seconds)
{
  int error = 0;

  if (self->csv_lines) {
    g_string_truncate (self->csv_lines, 0);
    for (guint i = 0; i < self->tracks->len; i++) {
      const GstScopedetectTrack *t =
          &g_array_index (self->tracks, GstScopedetectTrack, i);

      if (!t->missed)
        add_line (self, &t->object, seconds);
    }
    error = gst_vision_lines_write (
        &self->csv, self->csv_lines->str, self->csv_lines->len);
  }
  self->n_images++;
  /* cancelled, it stops anyway */
  return error && error != ECANCELED ? fail (self, error) : NULL;
}

void
gst_scopedetect_close_csv (GstScopedetect *self)
{
  gst_vision_lines_close (&self->csv);
  if (self->csv_lines)
    g_string_free (self->csv_lines, TRUE);
  self->csv_lines = NULL;
}
