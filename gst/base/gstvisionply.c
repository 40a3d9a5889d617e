/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/gstvisionply.h"

#include <math.h>
#include <string.h>

#include "common/file.h"

#define VERTEX_BYTES (3 * 4 + 3 + 4)
#define PATIENCE 1000   /* milliseconds for the reader of a FIFO */
#define HEADER_ROOM 256 /* bytes; the header has some 200 */

/* The bytes of the file: HEADER_ROOM bytes, of which the last ones become the
 * header, then the vertices. */
struct _GstVisionPly {
  GByteArray *bytes;
};

GstVisionPly *
gst_vision_ply_new (void)
{
  GstVisionPly *self = g_new (GstVisionPly, 1);

  self->bytes = g_byte_array_new ();
  gst_vision_ply_clear (self);
  return self;
}

void
gst_vision_ply_free (GstVisionPly *self)
{
  if (!self)
    return;
  g_byte_array_unref (self->bytes);
  g_free (self);
}

void
gst_vision_ply_clear (GstVisionPly *self)
{
  g_byte_array_set_size (self->bytes, HEADER_ROOM);
}

/* @to: any address, aligned or not. */
static void
put_float (guint8 *to, gfloat value)
{
  guint32 bits;

  memcpy (&bits, &value, sizeof bits);
  bits = GUINT32_TO_LE (bits);
  memcpy (to, &bits, sizeof bits);
}

void
gst_vision_ply_add (GstVisionPly *self, const GstVisionPlyPoint *p)
{
  guint8 vertex[VERTEX_BYTES];

  if (!isfinite (p->x) || !isfinite (p->y) || !isfinite (p->z) ||
      !isfinite (p->confidence))
    return;
  put_float (vertex, p->x);
  put_float (vertex + 4, p->y);
  put_float (vertex + 8, p->z);
  vertex[12] = p->red;
  vertex[13] = p->green;
  vertex[14] = p->blue;
  put_float (vertex + 15, p->confidence);
  g_byte_array_append (self->bytes, vertex, VERTEX_BYTES);
}

guint
gst_vision_ply_size (const GstVisionPly *self)
{
  return (self->bytes->len - HEADER_ROOM) / VERTEX_BYTES;
}

gboolean
gst_vision_ply_write (
    const GstVisionPly *self, const gchar *path, GError **error)
{
  gchar header[HEADER_ROOM];
  gint length = g_snprintf (header, sizeof header,
      "ply\nformat binary_little_endian 1.0\nelement vertex %u\n"
      "property float x\nproperty float y\nproperty float z\n"
      "property uchar red\nproperty uchar green\nproperty uchar blue\n"
      "property float confidence\nend_header\n",
      gst_vision_ply_size (self));
  guint8 *begin = self->bytes->data + HEADER_ROOM - length;
  int why;

  memcpy (begin, header, length);
  why = file_write (
      path, begin, self->bytes->len - (HEADER_ROOM - length), PATIENCE);
  if (why)
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE,
        "points cannot be written to %s: %s; name a file in a folder that "
        "exists and has room, or a FIFO that somebody reads",
        path, file_why (why));
  return why == 0;
}

/* @at: a percent sign.  The text behind the pattern of an integer that it
 * begins; NULL: it begins none. */
static const gchar *
skip_integer (const gchar *at)
{
  gsize digits = strspn (++at, "0123456789");

  return digits <= 2 && at[digits] == 'd' ? at + digits + 1 : NULL;
}

/* The number of patterns of integers in @location; -1: it has other patterns,
 * too. */
static gint
count_patterns (const gchar *location)
{
  gint n = 0;

  while ((location = strchr (location, '%'))) {
    if (location[1] == '%') {
      location += 2;
    } else {
      location = skip_integer (location);
      if (!location)
        return -1;
      n++;
    }
  }
  return n;
}

gboolean
gst_vision_ply_check (const gchar *location, GError **error)
{
  gint n = count_patterns (location);

  if (*location && (n == 0 || n == 1))
    return TRUE;
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS,
      "\"%s\" names no file for points: write a path, with one pattern such as "
      "%%05d in it for a file each frame, and %%%% for a percent sign",
      location);
  return FALSE;
}

gchar *
gst_vision_ply_path (const gchar *location, guint index)
{
  GString *path = g_string_new (NULL);

  while (*location) {
    gsize plain = strcspn (location, "%");
    const gchar *end;

    g_string_append_len (path, location, plain);
    location += plain;
    if (!*location)
      break;
    end = skip_integer (location);
    if (end) {
      guint width = (guint) g_ascii_strtoull (location + 1, NULL, 10);
      gboolean zeros = location[1] == '0';

      g_string_append_printf (
          path, zeros ? "%0*u" : "%*u", (gint) width, index);
      location = end;
    } else {
      g_string_append_c (path, '%');
      location += location[1] == '%' ? 2 : 1;
    }
  }
  return g_string_free (path, FALSE);
}
