/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * OBJ and XYZ files. */
#include <stdio.h>
#include <stdlib.h>

#include "mesh/text.h"

static uint32_t
count_xyz_lines (MeshText text, const char *start)
{
  char line[512];
  uint32_t n = 0;

  while (mesh_text_line (&text, line, sizeof line))
    n += !strncmp (line, start, strlen (start)) && line[0] && line[0] != '#';
  return n;
}

const char *
mesh_read_xyz (Mesh *m, MeshText text)
{
  uint32_t i = 0, room = count_xyz_lines (text, "");
  char line[512];
  float n[3];

  TRY (mesh_room (m, room, text.size, true, false));
  for (; mesh_text_line (&text, line, sizeof line);) {
    float *x = m->x + 3 * (size_t) i;
    int k;

    if (!line[0] || line[0] == '#')
      continue;
    k = sscanf (line, "%f %f %f %f %f %f", x, x + 1, x + 2, n, n + 1, n + 2);
    if (k < 3)
      return "a line of the XYZ file has fewer than three numbers";
    if (k < 6 && m->normal) { /* normals only if all lines have them */
      free (m->normal);
      m->normal = NULL;
    }
    if (m->normal)
      memcpy (m->normal + 3 * (size_t) i, n, sizeof n);
    i++;
  }
  return NULL;
}

/* ---- OBJ: vertices and faces; other lines are left out ---- */

static const char *
read_obj_face (Mesh *m, const char *line, uint32_t seen)
{
  double first = 0, last = 0;
  const char *p = line + 1;

  for (int k = 0;; k++) {
    char *end;
    long v = strtol (p, &end, 10);
    double at = v < 0 ? (double) seen + (double) v : (double) v - 1;

    if (end == p)
      return NULL;
    if (k >= 2)
      TRY (mesh_add_triangle (m, first, last, at));
    first = k ? first : at;
    last = at;
    p = end + strcspn (end, " \t"); /* past /texture/normal */
  }
}

const char *
mesh_read_obj (Mesh *m, MeshText text)
{
  char line[65536];
  uint32_t i = 0;

  TRY (mesh_room (m, count_xyz_lines (text, "v "), text.size, false, false));
  while (mesh_text_line (&text, line, sizeof line)) {
    float *x = m->x + 3 * (size_t) i;

    if (!strncmp (line, "v ", 2)) {
      if (sscanf (line, "v %f %f %f", x, x + 1, x + 2) != 3)
        return "a vertex of the OBJ file has fewer than three numbers";
      i++;
    } else if (!strncmp (line, "f ", 2)) {
      if (strlen (line) + 1 == sizeof line)
        return "a face of the OBJ file has more than 65,534 characters";
      TRY (read_obj_face (m, line, i));
    }
  }
  return i ? NULL : "the OBJ file has no vertices";
}
