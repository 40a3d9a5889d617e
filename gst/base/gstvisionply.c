/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/gstvisionply.h"

#include <math.h>
#include <string.h>

#include "mesh/mesh.h"

struct _GstVisionPly {
  Mesh mesh;
  guint room; /* the vertices */
};

static void
make_vertex_room (GstVisionPly *self, guint room)
{
  self->room = room;
  self->mesh.x = g_renew (float, self->mesh.x, 3 * (gsize) room);
  self->mesh.colour = g_renew (uint8_t, self->mesh.colour, 3 * (gsize) room);
  self->mesh.confidence = g_renew (float, self->mesh.confidence, room);
}

GstVisionPly *
gst_vision_ply_new (void)
{
  GstVisionPly *self = g_new0 (GstVisionPly, 1);

  make_vertex_room (self, 1024);
  return self;
}

void
gst_vision_ply_free (GstVisionPly *self)
{
  if (!self)
    return;
  mesh_free (&self->mesh);
  g_free (self);
}

void
gst_vision_ply_clear (GstVisionPly *self)
{
  self->mesh.n = 0;
}

void
gst_vision_ply_add (GstVisionPly *self, const GstVisionPlyPoint *p)
{
  Mesh *m = &self->mesh;
  gsize at = m->n;

  if (!isfinite (p->x) || !isfinite (p->y) || !isfinite (p->z) ||
      !isfinite (p->confidence))
    return;
  if (m->n == self->room)
    make_vertex_room (self, 2 * self->room);
  m->x[3 * at] = p->x;
  m->x[3 * at + 1] = p->y;
  m->x[3 * at + 2] = p->z;
  m->colour[3 * at] = p->red;
  m->colour[3 * at + 1] = p->green;
  m->colour[3 * at + 2] = p->blue;
  m->confidence[at] = p->confidence;
  m->n++;
}

guint
gst_vision_ply_size (const GstVisionPly *self)
{
  return self->mesh.n;
}

gboolean
gst_vision_ply_write (
    const GstVisionPly *self, const gchar *path, GError **error)
{
  const char *why = mesh_write (&self->mesh, path);

  if (why)
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE,
        "points cannot be written to %s: %s; name a file in a folder that "
        "exists and has room, or a FIFO that somebody reads",
        path, why);
  return why == NULL;
}

/* Returns the text behind the pattern of an integer, such as %05d, that begins
 * at the percent sign @at; NULL: @at begins no such pattern. */
static const gchar *
skip_integer (const gchar *at)
{
  gsize digits = strspn (++at, "0123456789");

  return digits <= 2 && at[digits] == 'd' ? at + digits + 1 : NULL;
}

/* The number of patterns of integers in @location; -1: @location has other
 * patterns, too. */
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
