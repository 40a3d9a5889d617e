/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "envisrc/gstenvicube.h"

#include <string.h>

/* "cube.hdr" goes with "cube", "cube.img" …, "cube.raw.hdr" with "cube.raw". */
static GMappedFile *
open_numbers (const gchar *path)
{
  static const gchar *const endings[] = {
      "", ".img", ".raw", ".dat", ".bin", ".bsq", ".bil", ".bip", NULL};
  gsize n = strlen (path);
  GMappedFile *file = NULL;
  gchar *stem;

  if (n > 4 && !g_ascii_strcasecmp (path + n - 4, ".hdr"))
    n -= 4;
  stem = g_strndup (path, n);
  for (const gchar *const *ending = endings; *ending && !file; ending++) {
    gchar *name = g_strconcat (stem, *ending, NULL);

    if (strcmp (name, path) && g_file_test (name, G_FILE_TEST_IS_REGULAR))
      file = g_mapped_file_new (name, FALSE, NULL);
    g_free (name);
  }
  g_free (stem);
  return file;
}

gboolean
gst_envi_cube_open (GstEnviCube *cube, const gchar *path, GError **error)
{
  const GstEnviHeader *h = &cube->header;
  guint64 needed;

  cube->file = NULL;
  if (!gst_envi_header_read (&cube->header, path, error))
    return FALSE;
  needed =
      (guint64) h->samples * h->lines * h->bands * gst_envi_header_bytes (h);
  cube->file = open_numbers (path);
  if (!cube->file)
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
        "%s: the file with its numbers is not there; it has the same name "
        "without .hdr, or with .img, .raw, .dat, .bin, .bsq, .bil or .bip",
        path);
  else if (h->offset > G_MAXINT64 - needed ||
      g_mapped_file_get_length (cube->file) < h->offset + needed)
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "%s: the file with its numbers ends early: %" G_GSIZE_FORMAT
        " bytes of %" G_GUINT64_FORMAT,
        path, g_mapped_file_get_length (cube->file), h->offset + needed);
  else
    return TRUE;
  gst_envi_cube_close (cube);
  return FALSE;
}

void
gst_envi_cube_close (GstEnviCube *cube)
{
  g_clear_pointer (&cube->file, g_mapped_file_unref);
  gst_envi_header_clear (&cube->header);
}

guint
gst_envi_choice_band (const GstEnviChoice *choice, guint c)
{
  guint64 bands = choice->last_band - choice->first_band + 1;

  return choice->first_band + (guint) (bands * c / choice->channels);
}

/* The bits of a number, which may lie at any address. */
static guint64
bits_at (const guint8 *p, guint bytes, gboolean big_endian)
{
  guint64 bits = 0;

  for (guint i = 0; i < bytes; i++)
    bits |= (guint64) p[big_endian ? bytes - 1 - i : i] << (8 * i);
  return bits;
}

/* Number @at of @data. */
static gdouble
number_at (const GstEnviHeader *h, const guint8 *data, guint64 at)
{
  guint bytes = gst_envi_header_bytes (h);
  guint64 bits = bits_at (data + at * bytes, bytes, h->big_endian);
  guint32 half = (guint32) bits;
  gfloat f;
  gdouble d;

  switch (h->type) {
    case GST_ENVI_I16:
      return (gint16) bits;
    case GST_ENVI_I32:
      return (gint32) bits;
    case GST_ENVI_F32:
      memcpy (&f, &half, sizeof f);
      return f;
    case GST_ENVI_F64:
      memcpy (&d, &bits, sizeof d);
      return d;
    default:
      return (gdouble) bits;
  }
}

/* How far a step along a row and a step to the next band lead, in numbers. */
static void
get_steps (
    const GstEnviHeader *h, guint64 *line, guint64 *sample, guint64 *band)
{
  guint64 samples = h->samples, lines = h->lines, bands = h->bands;

  *sample = h->interleave == GST_ENVI_BIP ? bands : 1;
  *line = h->interleave == GST_ENVI_BSQ ? samples : samples * bands;
  *band = h->interleave == GST_ENVI_BSQ ? samples * lines
      : h->interleave == GST_ENVI_BIL   ? samples
                                        : 1;
}

static void
put (guint8 *row, guint x, guint bytes, gdouble value)
{
  gdouble most = bytes == 2 ? G_MAXUINT16 : G_MAXUINT8;
  guint level = value >= most ? (guint) most
      : value > 0             ? (guint) (value + .5)
                              : 0; /* NaN too */

  if (bytes == 2)
    GST_WRITE_UINT16_LE (row + 2 * x, level);
  else
    row[x] = (guint8) level;
}

void
gst_envi_cube_read (const GstEnviCube *cube, const GstEnviChoice *choice,
    guint c, guint bytes, guint8 *pixels, gint stride)
{
  const GstEnviHeader *h = &cube->header;
  const guint8 *data =
      (const guint8 *) g_mapped_file_get_contents (cube->file) + h->offset;
  guint first = gst_envi_choice_band (choice, c);
  guint end = gst_envi_choice_band (choice, c + 1);
  gdouble scale = (bytes == 2 ? G_MAXUINT16 : G_MAXUINT8) / choice->full_scale /
      (end - first);
  guint64 line, sample, band;

  get_steps (h, &line, &sample, &band);
  for (guint y = 0; y < h->lines; y++)
    for (guint x = 0; x < h->samples; x++) {
      gdouble sum = 0;

      for (guint b = first; b < end; b++)
        sum += number_at (h, data, y * line + x * sample + b * band);
      put (pixels + (gsize) y * stride, x, bytes, sum * scale);
    }
}
