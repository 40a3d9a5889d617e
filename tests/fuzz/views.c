/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lists of views of vision-model, which name the pictures d.png and c.png. */
#define FUZZ_INIT
#include "fuzz_mesh.h"
#include "fuzz_png.h"
#include "views.h"

static void
fuzz_init (void)
{
  fuzz_png_write ("d.png", true);
  fuzz_png_write ("c.png", false);
}

static void
fuzz (const uint8_t *data, size_t size)
{
  char where[VIEWS_WHERE];
  Mesh mesh;

  if (!views_read (&mesh, fuzz_file ("list", data, size), .002, where))
    fuzz_touch (&mesh);
  mesh_free (&mesh);
}
