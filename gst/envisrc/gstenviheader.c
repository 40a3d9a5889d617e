/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A header has lines of "name = value"; a value in braces may have several
 * lines;
 * ";" begins a comment.  Unknown names are ignored. */
#include "envisrc/gstenviheader.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "common/file.h"

#define MAX_BYTES (1 << 22) /* of a header */

static void
refuse_header (GError **error, const gchar *path, const gchar *what)
{
  g_set_error (
      error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "%s: %s", path, what);
}

/* Takes the next "name = value" off @text, without comments and lines that have
 * no "=".  Returns the beginning of the name; NULL: the end. */
static const gchar *
next_entry (const gchar **text, const gchar **value, gsize *length)
{
  const gchar *name, *equals, *end;

  do {
    *text += strspn (*text, " \t\r\n");
    if (!**text)
      return NULL;
    name = *text;
    end = name + strcspn (name, "\n");
    equals = *name == ';' ? NULL : memchr (name, '=', end - name);
    *text = end;
  } while (!equals);
  *value = equals + 1 + strspn (equals + 1, " \t");
  if (**value == '{') {
    ++*value;
    end = *value + strcspn (*value, "}");
    *text = *end ? end + 1 : end;
  } else {
    end = *value + strcspn (*value, "\r\n;");
  }
  *length = end - *value;
  return name;
}

/* The value of @name; NULL if there is none. */
static gchar *
find_header_entry (const gchar *text, const gchar *name)
{
  gsize n = strlen (name), length;
  const gchar *at, *value;

  while ((at = next_entry (&text, &value, &length)))
    if (!g_ascii_strncasecmp (at, name, n) &&
        at[n + strspn (at + n, " \t")] == '=')
      return g_strstrip (g_strndup (value, length));
  return NULL;
}

/* Finds the whole number @name, from @min to @max; FALSE: there is none. */
static gboolean
find_number (const gchar *text, const gchar *name, guint64 min, guint64 max,
    guint64 *number)
{
  gchar *value = find_header_entry (text, name);
  gboolean good =
      value && g_ascii_string_to_unsigned (value, 10, min, max, number, NULL);

  g_free (value);
  return good;
}

static gboolean
find_interleave (const gchar *text, GstEnviInterleave *interleave)
{
  static const gchar *const names[] = {"bsq", "bil", "bip"};
  gchar *value = find_header_entry (text, "interleave");
  guint i = 0;

  while (
      value && i < G_N_ELEMENTS (names) && g_ascii_strcasecmp (value, names[i]))
    i++;
  g_free (value);
  *interleave = i;
  return value && i < G_N_ELEMENTS (names);
}

static void
read_header_wavelengths (const gchar *text, GArray *wavelengths)
{
  gchar *value = find_header_entry (text, "wavelength");
  gchar **words = value ? g_strsplit_set (value, ", \t\r\n", -1) : NULL;

  for (gchar **word = words; word && *word; word++)
    if (**word) {
      gchar *end;
      gdouble number = g_ascii_strtod (*word, &end);

      if (!*end && isfinite (number))
        g_array_append_val (wavelengths, number);
    }
  g_strfreev (words);
  g_free (value);
}

guint
gst_envi_header_bytes (const GstEnviHeader *header)
{
  switch (header->type) {
    case GST_ENVI_U8:
      return 1;
    case GST_ENVI_I16:
    case GST_ENVI_U16:
      return 2;
    case GST_ENVI_F64:
      return 8;
    default:
      return 4;
  }
}

static const gchar *
parse_header (GstEnviHeader *h, const gchar *text)
{
  guint64 samples, lines, bands, type, order = 0;
  gchar *value;

  if (!g_str_has_prefix (text, "ENVI"))
    return "it does not begin with ENVI; name the .hdr file";
  if (!find_number (text, "samples", 1, G_MAXUINT16, &samples) ||
      !find_number (text, "lines", 1, G_MAXUINT16, &lines) ||
      !find_number (text, "bands", 1, G_MAXUINT16, &bands))
    return "samples, lines and bands must be given, 1 to 65535 each";
  if (!find_number (text, "data type", 1, 15, &type) ||
      (type > GST_ENVI_F64 && type != GST_ENVI_U16 && type != GST_ENVI_U32))
    return "data type must be 1 to 5, 12 or 13; complex and 64-bit numbers are "
           "not read";
  if (!find_interleave (text, &h->interleave))
    return "interleave must be bsq, bil or bip";
  if ((value = find_header_entry (text, "header offset"))) {
    gboolean good =
        g_ascii_string_to_unsigned (value, 10, 0, G_MAXINT64, &h->offset, NULL);

    g_free (value);
    if (!good)
      return "header offset must be a number of bytes";
  }
  if ((value = find_header_entry (text, "byte order"))) {
    gboolean good = g_ascii_string_to_unsigned (value, 10, 0, 1, &order, NULL);

    g_free (value);
    if (!good)
      return "byte order must be 0 or 1";
  }
  h->samples = (guint) samples;
  h->lines = (guint) lines;
  h->bands = (guint) bands;
  h->type = (GstEnviType) type;
  h->big_endian = order == 1;
  read_header_wavelengths (text, h->wavelengths);
  if (h->wavelengths->len && h->wavelengths->len != bands)
    return "there are not as many wavelengths as bands";
  return NULL;
}

gboolean
gst_envi_header_read (GstEnviHeader *header, const gchar *path, GError **error)
{
  const gchar *wrong;
  gchar *text;
  gsize n;
  int why = file_read (path, MAX_BYTES, &text, &n);

  memset (header, 0, sizeof *header);
  if (why == EFBIG) {
    refuse_header (
        error, path, "it is too large for a header; name the .hdr file");
  } else if (why) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ,
        "\"%s\" cannot be read: %s", path, file_why (why));
  }
  if (why)
    return FALSE;
  header->wavelengths = g_array_new (FALSE, FALSE, sizeof (gdouble));
  wrong = parse_header (header, text);
  free (text);
  if (wrong) {
    refuse_header (error, path, wrong);
    gst_envi_header_clear (header);
  }
  return !wrong;
}

void
gst_envi_header_clear (GstEnviHeader *header)
{
  g_clear_pointer (&header->wavelengths, g_array_unref);
  memset (header, 0, sizeof *header);
}
