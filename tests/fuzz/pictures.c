/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pictures of a view of vision-model, and the depth of vision-pose-eval.  A
 * first byte that is odd makes the input the picture of colours. */
#define FUZZ_INIT
#include "fuzz_mesh.h"
#include "fuzz_png.h"
#include "pose_eval.h"
#include "views.h"

static const char list[] = "camera 20 20 6 5\n"
                           "view d.png c.png 0 0 0 1 0 0 0\n"
                           "view d.png - 0 0 0 1 0 0 0\n";

static void
fuzz_init (void)
{
  fuzz_file ("list", (const uint8_t *) list, sizeof list - 1);
}

static void
fuzz (const uint8_t *data, size_t size)
{
  bool is_colour = size && data[0] & 1;
  PoseEvalImage image = {.scale = .001};
  char where[VIEWS_WHERE];
  Mesh mesh;
  const char *path;

  if (!size)
    return;
  fuzz_png_write ("d.png", true);
  fuzz_png_write ("c.png", false);
  path = fuzz_png_file (is_colour ? "c.png" : "d.png", data + 1, size - 1);
  if (!pose_eval_read_depth (&image, path))
    REQUIRE (image.depth && image.width > 0 && image.height > 0);
  free (image.depth);
  if (!views_read (&mesh, fuzz_path ("list"), .002, where))
    fuzz_touch (&mesh);
  mesh_free (&mesh);
}
