/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Poses in the format of the BOP benchmark: a line an object, turns as nine
 * numbers row by row, translations in millimetres, and the seconds that the
 * frame took.  An object's number is its model's in the property models, from 1
 * on. */
#include <errno.h>
#include <glib/gstdio.h>

#include "scopedetect/gstscopedetect.h"

#define SCENE 1 /* a stream is one; its frames are counted from 0 */

gboolean
gst_scopedetect_open_csv (GstScopedetect *self)
{
  gchar *path;

  GST_OBJECT_LOCK (self);
  path = g_strdup (self->output_csv);
  GST_OBJECT_UNLOCK (self);
  self->n_images = 0;
  if (!path)
    return TRUE;
  self->csv = g_fopen (path, "w");
  if (!self->csv)
    GST_ELEMENT_ERROR (self, RESOURCE, OPEN_WRITE,
        ("\"%s\" cannot be written: %s.", path, g_strerror (errno)), (NULL));
  else
    fputs ("scene_id,im_id,obj_id,score,R,t,time\n", self->csv);
  g_free (path);
  return self->csv != NULL;
}

/* Never in the words of a locale. */
static void
put (FILE *csv, gdouble number, gchar after)
{
  gchar text[G_ASCII_DTOSTR_BUF_SIZE];

  fputs (g_ascii_formatd (text, sizeof text, "%.9g", number), csv);
  fputc (after, csv);
}

static void
write_line (GstScopedetect *self, const ScopedetectObject *o, gdouble seconds)
{
  gdouble w = o->pose[3], x = o->pose[4], y = o->pose[5], z = o->pose[6];
  const gdouble turn[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),
      2 * (x * z + w * y), 2 * (x * y + w * z), 1 - 2 * (x * x + z * z),
      2 * (y * z - w * x), 2 * (x * z - w * y), 2 * (y * z + w * x),
      1 - 2 * (x * x + y * y)};

  fprintf (self->csv, "%d,%u,%d,", SCENE, self->n_images, 1 + o->model);
  put (self->csv, o->score, ',');
  for (gint i = 0; i < 9; i++)
    put (self->csv, turn[i], i < 8 ? ' ' : ',');
  for (gint i = 0; i < 3; i++)
    put (self->csv, 1e3 * o->pose[i], i < 2 ? ' ' : ',');
  put (self->csv, seconds, '\n');
}

const char *
gst_scopedetect_write_csv (GstScopedetect *self, gdouble seconds)
{
  if (self->csv)
    for (guint i = 0; i < self->tracks->len; i++) {
      const GstScopedetectTrack *t =
          &g_array_index (self->tracks, GstScopedetectTrack, i);

      if (!t->missed)
        write_line (self, &t->object, seconds);
    }
  self->n_images++;
  return self->csv && (fflush (self->csv) || ferror (self->csv))
      ? "output-csv cannot be written"
      : NULL;
}

void
gst_scopedetect_close_csv (GstScopedetect *self)
{
  g_clear_pointer (&self->csv, fclose);
}
