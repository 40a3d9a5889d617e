/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Mesh files: the kind of a file, and its reader. */
#include "mesh/text.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>

#include "common/file.h"

#define MAX_FILE ((size_t) 1 << 30)

static bool
has_suffix (const char *path, const char *suffix)
{
  size_t n = strlen (path), k = strlen (suffix);

  return n >= k && !strcmp (path + n - k, suffix);
}

static const char *
read_kind (Mesh *m, MeshText text, const char *path)
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

/* Reads the file with a decimal point in its numbers, in whatever locale the
 * program runs. */
static const char *
read_in_any_locale (Mesh *m, MeshText text, const char *path)
{
  locale_t plain = newlocale (LC_NUMERIC_MASK, "C", (locale_t) 0), before;
  const char *error;

  if (!plain)
    return OUT_OF_MEMORY (sizeof (Mesh), "");
  before = uselocale (plain);
  error = read_kind (m, text, path);
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
  free (m->confidence);
  free (m->triangles);
  memset (m, 0, sizeof *m);
}
