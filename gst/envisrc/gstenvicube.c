/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "envisrc/gstenvicube.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes of a block of lines that is read at once: more calls cost time, larger
 * blocks leave the cache. */
#define BLOCK (1 << 20)

/* Opens the file of numbers beside the header @path: for "cube.hdr" it is
 * "cube", "cube.img" …, for "cube.raw.hdr" it is "cube.raw".  Returns 0, or an
 * errno: ENOENT if no such file exists. */
static int
open_numbers_file (GstEnviCube *cube, const gchar *path)
{
  static const gchar *const endings[] = {
      "", ".img", ".raw", ".dat", ".bin", ".bsq", ".bil", ".bip", NULL};
  gsize n = strlen (path);
  int why = ENOENT;
  gchar *stem;

  if (n > 4 && !g_ascii_strcasecmp (path + n - 4, ".hdr"))
    n -= 4;
  stem = g_strndup (path, n);
  for (const gchar *const *ending = endings; *ending && !cube->path; ending++) {
    gchar *name = g_strconcat (stem, *ending, NULL);

    if (strcmp (name, path) && g_file_test (name, G_FILE_TEST_IS_REGULAR)) {
      cube->file = g_open (name, O_RDONLY | O_CLOEXEC, 0);
      why = cube->file < 0 ? errno : 0;
      if (!why)
        cube->path = g_steal_pointer (&name);
    }
    g_free (name);
  }
  g_free (stem);
  return why;
}

static guint64
length_of_file (gint file)
{
  struct stat about;

  return fstat (file, &about) ? 0 : (guint64) about.st_size;
}

gboolean
gst_envi_cube_open (GstEnviCube *cube, const gchar *path, GError **error)
{
  const GstEnviHeader *h = &cube->header;
  guint64 needed;
  int why;

  if (!gst_envi_header_read (&cube->header, path, error))
    return FALSE;
  needed =
      (guint64) h->samples * h->lines * h->bands * gst_envi_header_bytes (h);
  why = open_numbers_file (cube, path);
  if (why == ENOENT)
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
        "%s: the file with its numbers is not there; it has the same name "
        "without .hdr, or with .img, .raw, .dat, .bin, .bsq, .bil or .bip",
        path);
  else if (why)
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_READ,
        "%s: the file with its numbers cannot be read: %s", path,
        g_strerror (why));
  else if (h->offset > G_MAXINT64 - needed ||
      length_of_file (cube->file) < h->offset + needed)
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "%s: the file with its numbers ends early: %" G_GUINT64_FORMAT
        " bytes of %" G_GUINT64_FORMAT,
        path, length_of_file (cube->file), h->offset + needed);
  else
    return TRUE;
  gst_envi_cube_close (cube);
  return FALSE;
}

void
gst_envi_cube_close (GstEnviCube *cube)
{
  if (cube->path)
    close (cube->file);
  g_clear_pointer (&cube->path, g_free);
  g_clear_pointer (&cube->lines, g_free);
  cube->room = 0;
  gst_envi_header_clear (&cube->header);
}

static guint
wanted_bands (const GstEnviChoice *choice)
{
  return choice->last_band - choice->first_band + 1;
}

guint
gst_envi_choice_band (const GstEnviChoice *choice, guint c)
{
  guint64 bands = wanted_bands (choice);

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
cube_number_at (const GstEnviHeader *h, const guint8 *data, guint64 at)
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

/* Some lines of the wanted bands, in memory in the order of the file. */
typedef struct {
  guint first, n;             /* lines */
  guint64 line, sample, band; /* from one to the next, counted in numbers */
  guint64 from;               /* index of the first number, in memory */
} Block;

/* Sets the steps between lines, samples and bands, if @lines and @bands are
 * stored. */
static void
get_steps (const GstEnviHeader *h, guint64 lines, guint64 bands, Block *b)
{
  guint64 samples = h->samples;

  b->sample = h->interleave == GST_ENVI_BIP ? bands : 1;
  b->line = h->interleave == GST_ENVI_BSQ ? samples : samples * bands;
  b->band = h->interleave == GST_ENVI_BSQ ? samples * lines
      : h->interleave == GST_ENVI_BIL     ? samples
                                          : 1;
}

/* Reads @n numbers, beginning with number @at of the file. */
static gboolean
read_numbers (
    const GstEnviCube *cube, guint64 at, guint64 n, guint8 *to, GError **error)
{
  const GstEnviHeader *h = &cube->header;
  guint64 from = h->offset + at * gst_envi_header_bytes (h);
  gsize left = n * gst_envi_header_bytes (h);

  while (left) {
    gssize got = pread (cube->file, to, left, (off_t) from);

    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ,
          "%s cannot be read: %s", cube->path, g_strerror (errno));
    if (got == 0)
      g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ,
          "%s was cut short while it played; copy it again, and play it when "
          "it is whole",
          cube->path);
    if (got <= 0)
      return FALSE;
    to += got;
    from += (guint64) got;
    left -= (gsize) got;
  }
  return TRUE;
}

/* Reads the lines of @b into cube->lines: of bsq and bil only the wanted bands,
 * which lie side by side in each run. */
static gboolean
read_block (const GstEnviCube *cube, const GstEnviChoice *choice, Block *b,
    GError **error)
{
  const GstEnviHeader *h = &cube->header;
  gboolean bsq = h->interleave == GST_ENVI_BSQ;
  guint64 bands =
      h->interleave == GST_ENVI_BIP ? h->bands : wanted_bands (choice);
  guint runs = bsq ? (guint) bands : bands == h->bands ? 1 : b->n;
  guint64 first = h->interleave == GST_ENVI_BIP ? 0 : choice->first_band;
  guint64 run = (guint64) h->samples * b->n * bands / runs;
  Block there;

  get_steps (h, h->lines, h->bands, &there);
  get_steps (h, b->n, bands, b);
  b->from = h->interleave == GST_ENVI_BIP ? choice->first_band : 0;
  for (guint i = 0; i < runs; i++)
    if (!read_numbers (cube,
            b->first * there.line + first * there.band +
                i * (bsq ? there.band : there.line),
            run, cube->lines + i * run * gst_envi_header_bytes (h), error))
      return FALSE;
  return TRUE;
}

/* Allocates room for a block of lines; returns their number; 0: out of memory.
 */
static guint
make_line_room (GstEnviCube *cube, const GstEnviChoice *choice, GError **error)
{
  const GstEnviHeader *h = &cube->header;
  gsize line = (gsize) h->samples * gst_envi_header_bytes (h) *
      (h->interleave == GST_ENVI_BIP ? h->bands : wanted_bands (choice));
  guint n = (guint) CLAMP (BLOCK / line, 1, h->lines);

  if (n * line > cube->room) {
    g_free (cube->lines);
    cube->lines = g_try_malloc (n * line);
    cube->room = cube->lines ? n * line : 0;
  }
  if (cube->lines)
    return n;
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
      "%s: there is not enough memory for a line of it", cube->path);
  return 0;
}

static void
put_sample (guint8 *row, guint x, guint bytes, gdouble value)
{
  gdouble max = bytes == 2 ? G_MAXUINT16 : G_MAXUINT8;
  guint level = value >= max ? (guint) max
      : value > 0            ? (guint) (value + .5)
                             : 0; /* NaN too */

  if (bytes == 2)
    GST_WRITE_UINT16_LE (row + 2 * x, level);
  else
    row[x] = (guint8) level;
}

/* Writes the lines of the block @at as rows of channel @c. */
static void
put_rows (const GstEnviCube *cube, const GstEnviChoice *choice, const Block *at,
    guint c, guint bytes, guint8 *pixels, gint stride)
{
  const GstEnviHeader *h = &cube->header;
  guint first = gst_envi_choice_band (choice, c) - choice->first_band;
  guint end = gst_envi_choice_band (choice, c + 1) - choice->first_band;
  gdouble scale = (bytes == 2 ? G_MAXUINT16 : G_MAXUINT8) / choice->full_scale /
      (end - first);

  for (guint y = 0; y < at->n; y++)
    for (guint x = 0; x < h->samples; x++) {
      gdouble sum = 0;

      for (guint b = first; b < end; b++)
        sum += cube_number_at (h, cube->lines,
            at->from + y * at->line + x * at->sample + b * at->band);
      put_sample (pixels + (gsize) y * stride, x, bytes, sum * scale);
    }
}

gboolean
gst_envi_cube_read (GstEnviCube *cube, const GstEnviChoice *choice, guint bytes,
    guint8 *pixels, gint stride, GError **error)
{
  guint lines = cube->header.lines;
  Block block = {.n = make_line_room (cube, choice, error)};

  if (!block.n)
    return FALSE;
  for (; block.first < lines; block.first += block.n) {
    block.n = MIN (block.n, lines - block.first);
    if (!read_block (cube, choice, &block, error))
      return FALSE;
    for (guint c = 0; c < choice->channels; c++)
      put_rows (cube, choice, &block, c, bytes,
          pixels + ((gsize) c * lines + block.first) * stride, stride);
  }
  return TRUE;
}
