/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Poses of vision-pose-eval, and its measures of them. */
#define FUZZ_INIT
#define main pose_eval_main
#include "vision-pose-eval.c"
#undef main

#include "fuzz.h"

#define MAX_POSES 6 /* that are measured; each is compared with each */

static const char tetrahedron[] =
    "v 0 0 0\nv 50 0 0\nv 0 50 0\nv 0 0 50\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 "
    "4\n";
static PoseEvalMeshes meshes = {.unit = .001};
static float depth[12 * 10];

static void
fuzz_init (void)
{
  static char arg[600];
  const char *where;

  snprintf (arg, sizeof arg, "1=%s",
      fuzz_file (
          "mesh.obj", (const uint8_t *) tetrahedron, sizeof tetrahedron - 1));
  REQUIRE (!pose_eval_add_mesh (&meshes, arg));
  REQUIRE (!pose_eval_load (&meshes, &where));
  for (size_t i = 0; i < sizeof depth / sizeof *depth; i++)
    depth[i] = 1 + (float) (i % 5) / 100;
}

static void
fuzz (const uint8_t *data, size_t size)
{
  PoseEvalImage image = {12, 10, depth, .001, 20, 20, 6, 5};
  List list = {0};
  char where[WHERE];

  (void) pose_eval_main;
  if (!read_csv (&list, fuzz_file ("poses.csv", data, size), where)) {
    list.n = list.n < MAX_POSES ? list.n : MAX_POSES;
    compare (&list, &list, &meshes, &image);
  }
  free (list.pose);
}
