/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Mesh files: which kind, and what their readers share. */
#include "mesh/text.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>

#include "common/file.h"

#define MAX_FILE ((size_t) 1 << 30)
#define MAX_INDEX 4294967295.

bool
mesh_text_line (MeshText *t, char *line, size_t room)
{
  size_t n = 0;

  if (t->at >= t->size)
    return false;
  while (t->at < t->size && t->bytes[t->at] != '\n') {
    char c = (char) t->bytes[t->at++];

    if (c != '\r' && n + 1 < room)
      line[n++] = c;
  }
  t->at++;
  line[n] = 0;
  return true;
}

bool
mesh_text_number (MeshText *t, double *value)
{
  const char *from = (const char *) t->bytes + t->at;
  char *end;

  if (t->at >= t->size)
    return false;
  *value = strtod (from, &end); /* stops at the 0 behind the text */
  t->at += (size_t) (end - from);
  return end > from;
}

bool
mesh_text_binary (MeshText *t, int bytes, bool is_float, bool is_signed,
    bool swap, double *value)
{
  uint8_t b[8] = {0};
  uint64_t u = 0;
  float f;

  if (t->size - t->at < (size_t) bytes || t->at > t->size)
    return false;
  for (int i = 0; i < bytes; i++)
    b[i] = t->bytes[t->at + (size_t) (swap ? bytes - 1 - i : i)];
  t->at += (size_t) bytes;
  for (int i = 0; i < bytes; i++)
    u |= (uint64_t) b[i] << (8 * i);
  if (is_float && bytes == 8) {
    memcpy (value, &u, sizeof *value);
  } else if (is_float) {
    uint32_t w = (uint32_t) u;

    memcpy (&f, &w, sizeof f);
    *value = f;
  } else if (is_signed && u >> (8 * bytes - 1)) {
    *value = (double) u - (double) ((uint64_t) 1 << (8 * bytes));
  } else {
    *value = (double) u;
  }
  return true;
}

const char *
mesh_room (Mesh *m, uint32_t n, size_t bytes, bool normals, bool colours)
{
  if (n > bytes)
    return "the file is too short for the vertices that it announces";
  if (m->x)
    return "the file lists vertices twice";
  m->x = calloc (n ? n : 1, 3 * sizeof *m->x);
  m->normal = normals ? calloc (n ? n : 1, 3 * sizeof *m->normal) : NULL;
  m->colour = colours ? calloc (n ? n : 1, 3) : NULL;
  m->n = n;
  return m->x && (m->normal || !normals) && (m->colour || !colours)
      ? NULL
      : "out of memory";
}

const char *
mesh_add_triangle (Mesh *m, double a, double b, double c)
{
  uint32_t n = m->n_triangles;

  if (!(a >= 0 && b >= 0 && c >= 0 && a <= MAX_INDEX && b <= MAX_INDEX &&
          c <= MAX_INDEX))
    return "a triangle of the model names a vertex that is not there";
  if (!(n & (n - 1))) { /* a power of two, or 0: it is full */
    uint32_t *more =
        realloc (m->triangles, (n ? 2 * (size_t) n : 1) * 3 * sizeof *more);

    if (!more)
      return "out of memory";
    m->triangles = more;
  }
  m->triangles[3 * (size_t) n] = (uint32_t) a;
  m->triangles[3 * (size_t) n + 1] = (uint32_t) b;
  m->triangles[3 * (size_t) n + 2] = (uint32_t) c;
  m->n_triangles++;
  return NULL;
}

static bool
has_suffix (const char *path, const char *suffix)
{
  size_t n = strlen (path), k = strlen (suffix);

  return n >= k && !strcmp (path + n - k, suffix);
}

static const char *
read_text (Mesh *m, MeshText text, const char *path)
{
  if (text.size >= 4 && !memcmp (text.bytes, "ply", 3))
    return mesh_read_ply (m, text);
  if (has_suffix (path, ".pcd") ||
      (text.size > 5 && !memcmp (text.bytes, "# .PCD", 6)))
    return mesh_read_pcd (m, text);
  if (has_suffix (path, ".obj"))
    return mesh_read_obj (m, text);
  if (has_suffix (path, ".xyz"))
    return mesh_read_xyz (m, text);
  return "the file is no PLY, PCD, OBJ or XYZ file";
}

/* The numbers of a file have a decimal point, in whatever locale the program
 * runs. */
static const char *
read_in_any_locale (Mesh *m, MeshText text, const char *path)
{
  locale_t plain = newlocale (LC_NUMERIC_MASK, "C", (locale_t) 0), before;
  const char *error;

  if (!plain)
    return "out of memory";
  before = uselocale (plain);
  error = read_text (m, text, path);
  uselocale (before);
  freelocale (plain);
  return error;
}

const char *
mesh_check (const Mesh *m)
{
  for (size_t i = 0; i < 3 * (size_t) m->n; i++)
    if (!isfinite (m->x[i]))
      return "a vertex is not a number";
  for (size_t i = 0; i < 3 * (size_t) m->n_triangles; i++)
    if (m->triangles[i] >= m->n)
      return "a triangle names a vertex that is not there";
  return NULL;
}

const char *
mesh_read (Mesh *m, const char *path)
{
  MeshText text = {0};
  const char *error;
  char *bytes;
  int why;

  memset (m, 0, sizeof *m);
  if ((why = file_read (path, MAX_FILE, &bytes, &text.size)))
    return file_why (why);
  text.bytes = (const uint8_t *) bytes;
  error = read_in_any_locale (m, text, path);
  free (bytes);
  if (!error && !m->n)
    error = "the file has no vertices";
  if (error)
    mesh_free (m);
  return error;
}

void
mesh_free (Mesh *m)
{
  free (m->x);
  free (m->normal);
  free (m->colour);
  free (m->triangles);
  memset (m, 0, sizeof *m);
}
