/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A mesh as PLY, binary_little_endian 1.0. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "mesh/mesh.h"

#define HEADER_ROOM 512

static uint8_t *
put (uint8_t *to, const void *value)
{
  uint32_t v;

  memcpy (&v, value, sizeof v);
  for (int i = 0; i < 4; i++)
    *to++ = (uint8_t) (v >> 8 * i);
  return to;
}

static int
write_header (const Mesh *m, char *to)
{
  int n = snprintf (to, HEADER_ROOM,
      "ply\nformat binary_little_endian 1.0\nelement vertex %u\n"
      "property float x\nproperty float y\nproperty float z\n",
      m->n);

  if (m->normal)
    n += snprintf (to + n, HEADER_ROOM - (size_t) n,
        "property float nx\nproperty float ny\nproperty float nz\n");
  if (m->colour)
    n += snprintf (to + n, HEADER_ROOM - (size_t) n,
        "property uchar red\nproperty uchar green\nproperty uchar blue\n");
  if (m->triangles)
    n += snprintf (to + n, HEADER_ROOM - (size_t) n,
        "element face %u\nproperty list uchar uint vertex_indices\n",
        m->n_triangles);
  return n + snprintf (to + n, HEADER_ROOM - (size_t) n, "end_header\n");
}

static uint8_t *
put_all (const Mesh *m, uint8_t *to)
{
  for (size_t i = 0; i < m->n; i++) {
    for (int k = 0; k < 3; k++)
      to = put (to, &m->x[3 * i + k]);
    for (int k = 0; m->normal && k < 3; k++)
      to = put (to, &m->normal[3 * i + k]);
    for (int k = 0; m->colour && k < 3; k++)
      *to++ = m->colour[3 * i + k];
  }
  for (size_t i = 0; m->triangles && i < m->n_triangles; i++) {
    *to++ = 3;
    for (int k = 0; k < 3; k++)
      to = put (to, &m->triangles[3 * i + k]);
  }
  return to;
}

const char *
mesh_write (const Mesh *m, const char *path)
{
  size_t vertex = 12 + (m->normal ? 12 : 0) + (m->colour ? 3 : 0);
  size_t faces = m->triangles ? 13 * (size_t) m->n_triangles : 0;
  uint8_t *bytes = malloc (HEADER_ROOM + vertex * m->n + faces), *end;
  int why;

  if (!bytes)
    return "out of memory for the file of the mesh";
  end = put_all (m, bytes + write_header (m, (char *) bytes));
  why = file_write (path, bytes, (size_t) (end - bytes), 1000);
  free (bytes);
  return why ? file_why (why) : NULL;
}
