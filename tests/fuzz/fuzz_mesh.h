/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Mesh files.  Which reader gets them, the name's ending says. */
#pragma once

#include "fuzz.h"
#include "mesh/mesh.h"

/* Every number of a mesh that was read can be read. */
static inline void
fuzz_touch (const Mesh *m)
{
  volatile uint64_t sum = 0;

  for (size_t i = 0; i < 3 * (size_t) m->n; i++) {
    uint32_t bits;

    memcpy (&bits, &m->x[i], sizeof bits);
    sum += bits;
    if (m->normal) {
      memcpy (&bits, &m->normal[i], sizeof bits);
      sum += bits;
    }
    sum += m->colour ? m->colour[i] : 0;
  }
  for (size_t i = 0; i < 3 * (size_t) m->n_triangles; i++)
    sum += m->triangles[i];
  (void) sum;
}

static inline void
fuzz_mesh (const char *name, const uint8_t *data, size_t size)
{
  const char *path = fuzz_file (name, data, size);
  Mesh mesh;

  if (!mesh_read (&mesh, path))
    fuzz_touch (&mesh);
  mesh_free (&mesh);
}
