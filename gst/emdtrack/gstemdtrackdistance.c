/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ground distances of a file. */
#include "base/gstvisionfile.h"
#include "emdtrack/gstemdtrack.h"

/* Keeps a sentence that names the file. */
static const char *wrong_with (GstEmdtrack *self, const gchar *format, ...)
    G_GNUC_PRINTF (2, 3);

static const char *
wrong_with (GstEmdtrack *self, const gchar *format, ...)
{
  va_list args;

  va_start (args, format);
  g_free (self->wrong);
  self->wrong = g_strdup_vprintf (format, args);
  va_end (args);
  return self->wrong;
}

const char *
gst_emdtrack_read_distances (GstEmdtrack *self, EmdtrackParams *p)
{
  const gchar *path = self->distance_file;
  gdouble numbers[EMDTRACK_BINS * EMDTRACK_BINS];
  GError *error = NULL;
  gchar *text;
  const char *err;
  gint n;

  if (!path || !*path)
    return "ground-distance=file needs distance-file";
  if (!gst_vision_file_read_text (path, &text, &error)) {
    err = wrong_with (self, "distance-file: %s", error->message);
    g_error_free (error);
    return err;
  }
  err = gst_emdtrack_parse_numbers (
      text, EMDTRACK_BINS * EMDTRACK_BINS, numbers, &n);
  g_free (text);
  if (err)
    return wrong_with (
        self, "distance-file \"%s\" holds something else than numbers", path);
  if (n != p->bins * p->bins)
    return wrong_with (self,
        "distance-file \"%s\" holds %d numbers, not bins x bins, which are %d",
        path, n, p->bins * p->bins);
  for (gint i = 0; i < n; i++)
    p->matrix[i / p->bins][i % p->bins] = numbers[i];
  return NULL;
}
