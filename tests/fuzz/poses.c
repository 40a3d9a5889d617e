/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Poses of vision-pose-eval, as CSV or lines of visionjson, and its measures
 * and table of them. */
#define FUZZ_INIT
#include "fuzz_png.h"
#include "pose_table.h"

#define MAX_POSES 6 /* that are measured; each is compared with each */

static const char tetrahedron[] =
    "v 0 0 0\nv 50 0 0\nv 0 50 0\nv 0 0 50\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 "
    "4\n";
static PoseEvalMeshes meshes = {.unit = .001};
static char depth[600]; /* the picture of all images */

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
  fuzz_png_write ("d.png", true);
  snprintf (depth, sizeof depth, "%s", fuzz_path ("d.png"));
}

static PoseEvalList
list_of (const uint8_t *data, size_t size, bool is_truth, PoseEvalImage *image)
{
  PoseFileLines lines = {1, 0, &meshes};
  PoseEvalList list = {0};
  char where[POSE_FILE_WHERE];

  if (pose_file_read (&list, fuzz_file ("poses", data, size), &lines, is_truth,
          image, where))
    list.n = 0;
  list.n = list.n < MAX_POSES ? list.n : MAX_POSES;
  return list;
}

static void
fuzz (const uint8_t *data, size_t size)
{
  PoseEvalImage image = {.fx = 20, .fy = 20, .cx = 6, .cy = 5};
  PoseBopView view[MAX_POSES];
  PoseBopViews views = {view, MAX_POSES, MAX_POSES};
  PoseTableRow row = {.name = "poses"};
  char where[POSE_FILE_WHERE];

  for (int i = 0; i < MAX_POSES; i++)
    view[i] = (PoseBopView){1, i, 20, 20, 6, 5, .001, true, depth};
  row.estimates = list_of (data, size, false, &image);
  row.truth = list_of (data, size, true, NULL);
  if (!pose_table_measure (&row, &meshes, &views, &image, false, where))
    REQUIRE (!pose_table_print (&row, 1, &meshes, stdout));
  pose_table_free (&row);
}
