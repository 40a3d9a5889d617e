/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The JSON files of a BOP folder: the scene's if the first byte is even, else
 * what is said of models. */
#define FUZZ_INIT
#include <sys/stat.h>

#include "fuzz.h"
#include "pose_bop.h"

static const char scene[] =
    "{\"0\":[{\"obj_id\":1,\"cam_R_m2c\":[1,0,0,0,1,0,0,0,1],"
    "\"cam_t_m2c\":[0,0,500]}]}";

static void
fuzz_init (void)
{
  mkdir (fuzz_path ("1"), 0777);
}

static void
fuzz (const uint8_t *data, size_t size)
{
  static const char *const of_scene[] = {
      "1/scene_gt.json", "1/scene_camera.json", "1/scene_gt_info.json"};
  PoseEvalMeshes meshes = {.unit = .001};
  PoseEvalList truth = {0};
  PoseBopViews views = {0};
  char where[POSE_FILE_WHERE];

  if (!size)
    return;
  for (int k = 0; k < 3; k++)
    if (data[0] & 1)
      fuzz_file (of_scene[k], (const uint8_t *) scene, sizeof scene - 1);
    else
      fuzz_file (of_scene[k], data + 1, size - 1);
  fuzz_file ("1/models_info.json", data + 1, size - 1);
  if (!pose_bop_read (&truth, &views, fuzz_path ("1"), 1, where)) {
    REQUIRE (truth.n > 0 && views.n > 0);
    if (!pose_bop_models (&meshes, fuzz_path ("1"), &truth, where))
      REQUIRE (meshes.n > 0 && meshes.list->n_symmetries > 0);
  }
  pose_eval_free (&meshes);
  pose_bop_free (&views);
  free (truth.pose);
}
