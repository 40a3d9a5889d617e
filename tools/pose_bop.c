/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Folders of BOP data sets. */
#include "pose_bop.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "common/number.h"
#include "pose_json.h"

#define MAX_BYTES ((size_t) 256 << 20)
#define MAX_SYMMETRIES 64 /* discrete symmetries of an object */
#define MAX_AXES 3
#define MM .001 /* metres; lengths of a data set are in millimetres */

/* A JSON file, whose values point into its bytes. */
typedef struct {
  char *bytes;
  PoseJson *root; /* an object; NULL: the file does not exist */
} File;

/* Sets @path to file @name of @folder. */
static const char *
join_path (char path[POSE_FILE_WHERE], const char *folder, const char *name)
{
  return snprintf (path, POSE_FILE_WHERE, "%s/%s", folder, name) <
          POSE_FILE_WHERE
      ? NULL
      : "the path is too long";
}

static const char *
load_json (
    File *f, const char *folder, const char *name, char where[POSE_FILE_WHERE])
{
  size_t n;
  int why;

  TRY (join_path (where, folder, name));
  why = file_read (where, MAX_BYTES, &f->bytes, &n);
  if (why) {
    f->bytes = NULL;
    return file_why (why);
  }
  f->root = pose_json_parse (f->bytes);
  return f->root && f->root->kind == POSE_JSON_OBJECT
      ? NULL
      : "it is no object of JSON";
}

static void
unload_json (File *f)
{
  free (f->root);
  free (f->bytes);
}

/* Whether the file exists.  A path that is too long counts as a file: opening
 * it then says what is wrong. */
static bool
file_exists (const char *folder, const char *name)
{
  char path[POSE_FILE_WHERE];

  return join_path (path, folder, name) || !access (path, F_OK);
}

/* ---- Scenes ---- */

static PoseBopView *
add_bop_view (PoseBopViews *views)
{
  if (views->n == views->room) {
    size_t room = views->room ? 2 * views->room : 64;
    PoseBopView *more = realloc (views->view, room * sizeof *more);

    if (!more)
      return NULL;
    views->view = more;
    views->room = room;
  }
  memset (&views->view[views->n], 0, sizeof *views->view);
  return &views->view[views->n++];
}

/* One object of scene_gt.json; @info, of scene_gt_info.json, may be NULL. */
static const char *
read_true_pose (PoseEvalList *truth, const PoseJson *o, const PoseJson *info)
{
  PoseEvalPose *p = pose_file_add (truth);
  double object;

  if (!p)
    return "out of memory";
  if (!pose_json_number (o, "obj_id", &object) ||
      !pose_json_numbers (o, "cam_R_m2c", 9, p->r) ||
      !pose_json_numbers (o, "cam_t_m2c", 3, p->t) || object < 0 ||
      object > 1e6)
    return "an object has no obj_id, cam_R_m2c of 9 numbers or cam_t_m2c of 3";
  p->object = (int) object;
  p->score = 1;
  p->visible = -1;
  for (int k = 0; k < 3; k++)
    p->t[k] *= MM;
  pose_json_number (info, "visib_fract", &p->visible);
  return pose_file_check (p);
}

static const char *
read_bop_view (PoseBopViews *views, const PoseJson *camera, const char *folder,
    int scene, int image)
{
  PoseBopView *v = add_bop_view (views);
  char name[32];
  double k[9] = {0}, scale = 1;

  if (!v)
    return "out of memory";
  if (camera && !pose_json_numbers (camera, "cam_K", 9, k))
    return "a camera has no cam_K of 9 numbers";
  pose_json_number (camera, "depth_scale", &scale);
  if (camera && (!(k[0] > 0) || !(k[4] > 0) || !(scale > 0)))
    return "a focal length or depth_scale is not above 0";
  *v = (PoseBopView){scene, image, k[0], k[4], k[2], k[5], MM * scale,
      file_exists (folder, "depth"), NULL};
  v->depth = malloc (POSE_FILE_WHERE);
  if (!v->depth)
    return "out of memory";
  snprintf (name, sizeof name, "depth/%06d.png", image);
  return join_path (v->depth, folder, name);
}

/* The images of a scene; @camera and @info may be NULL. */
static const char *
read_bop_image (PoseEvalList *truth, PoseBopViews *views, const PoseJson *list,
    const PoseJson *camera, const PoseJson *info, const char *folder, int scene)
{
  const PoseJson *seen = pose_json_member (info, list->name, POSE_JSON_ARRAY);
  const PoseJson *own = pose_json_member (camera, list->name, POSE_JSON_OBJECT);
  int image;
  const char *rest = number_read (list->name, &image);

  if (!rest || *rest || image < 0 || list->kind != POSE_JSON_ARRAY)
    return "it is not as BOP has it: numbers of images, each with a list";
  if (camera && !own)
    return "it has an image that is missing in scene_camera.json";
  seen = seen && seen->n == list->n ? seen->first : NULL;
  for (const PoseJson *o = list->first; o; o = o->next) {
    TRY (read_true_pose (truth, o, seen));
    truth->pose[truth->n - 1].scene = scene;
    truth->pose[truth->n - 1].image = image;
    seen = seen ? seen->next : NULL;
  }
  return read_bop_view (views, own, folder, scene, image);
}

static const char *
read_bop_scene (PoseEvalList *truth, PoseBopViews *views, const char *folder,
    int scene, char where[POSE_FILE_WHERE])
{
  static const char *const names[] = {
      "scene_gt.json", "scene_camera.json", "scene_gt_info.json"};
  File file[3] = {{NULL, NULL}, {NULL, NULL}, {NULL, NULL}};
  const char *err = NULL;

  for (int k = 0; k < 3 && !err; k++)
    if (k == 0 || file_exists (folder, names[k]))
      err = load_json (&file[k], folder, names[k], where);
  if (!err)
    err = join_path (where, folder, names[0]);
  for (const PoseJson *image = err ? NULL : file[0].root->first; image && !err;
       image = image->next)
    err = read_bop_image (
        truth, views, image, file[1].root, file[2].root, folder, scene);
  for (int k = 0; k < 3; k++)
    unload_json (&file[k]);
  return err;
}

/* The number that @name is; @otherwise if @name is no number. */
static int
number_of_name (const char *name, int otherwise)
{
  int number;
  const char *rest = number_read (name, &number);

  return rest && !*rest && number >= 0 ? number : otherwise;
}

/* The number that is the name of @folder; @otherwise if the name is no
 * number. */
static int
number_of_folder (const char *folder, int otherwise)
{
  char *path = realpath (folder, NULL);
  const char *name = path ? strrchr (path, '/') : NULL;
  int scene = name ? number_of_name (name + 1, otherwise) : otherwise;

  free (path);
  return scene;
}

static int
compare_views (const void *a, const void *b)
{
  const PoseBopView *p = a, *q = b;

  return p->scene != q->scene ? (p->scene > q->scene) - (p->scene < q->scene)
                              : (p->image > q->image) - (p->image < q->image);
}

/* Reads the scenes in the folders of @folder whose names are numbers. */
static const char *
read_bop_scenes (PoseEvalList *truth, PoseBopViews *views, const char *folder,
    char where[POSE_FILE_WHERE])
{
  DIR *dir = opendir (folder);
  struct dirent *entry;
  const char *err = NULL;

  if (!dir)
    return "it cannot be opened";
  while (!err && (entry = readdir (dir))) {
    int scene = number_of_name (entry->d_name, -1);
    char path[POSE_FILE_WHERE];

    if (scene < 0)
      continue;
    err = join_path (path, folder, entry->d_name);
    if (!err && file_exists (path, "scene_gt.json"))
      err = read_bop_scene (truth, views, path, scene, where);
  }
  closedir (dir);
  return err;
}

const char *
pose_bop_read (PoseEvalList *truth, PoseBopViews *views, const char *folder,
    int scene, char where[POSE_FILE_WHERE])
{
  snprintf (where, POSE_FILE_WHERE, "%s", folder);
  TRY (file_exists (folder, "scene_gt.json")
          ? read_bop_scene (
                truth, views, folder, number_of_folder (folder, scene), where)
          : read_bop_scenes (truth, views, folder, where));
  if (views->n)
    qsort (views->view, views->n, sizeof *views->view, compare_views);
  return truth->n ? NULL
                  : "it has no scene_gt.json with objects, nor folders 000001 "
                    "and so on that have one";
}

const PoseBopView *
pose_bop_view (const PoseBopViews *views, int scene, int image)
{
  PoseBopView key = {.scene = scene, .image = image};

  return views->n
      ? bsearch (&key, views->view, views->n, sizeof key, compare_views)
      : NULL;
}

void
pose_bop_free (PoseBopViews *views)
{
  for (size_t i = 0; i < views->n; i++)
    free (views->view[i].depth);
  free (views->view);
}

/* ---- Models ---- */

static bool
read_symmetry_axis (const PoseJson *o, double axis[6])
{
  bool is_whole = pose_json_numbers (o, "axis", 3, axis) &&
      pose_json_numbers (o, "offset", 3, axis + 3);

  for (int k = 3; k < 6; k++)
    axis[k] *= MM;
  return is_whole &&
      axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2] > 0;
}

static const char *
read_symmetry (const PoseJson *numbers, PoseEvalSymmetry *s)
{
  double m[16];

  if (!pose_json_all (numbers, 16, m))
    return "a discrete symmetry is not 16 numbers";
  for (int i = 0; i < 3; i++) {
    memcpy (s->r + 3 * i, m + 4 * i, 3 * sizeof *m);
    s->t[i] = MM * m[4 * i + 3];
  }
  return pose_file_is_turn (s->r) ? NULL : "a discrete symmetry is no turn";
}

static const char *
read_symmetries (PoseEvalMesh *mesh, const PoseJson *info)
{
  const PoseJson *list =
      pose_json_member (info, "symmetries_discrete", POSE_JSON_ARRAY);
  const PoseJson *lines =
      pose_json_member (info, "symmetries_continuous", POSE_JSON_ARRAY);
  PoseEvalSymmetry single[MAX_SYMMETRIES];
  double axes[MAX_AXES][6];
  int n = 0, n_axes = 0;

  if ((list && list->n > MAX_SYMMETRIES) || (lines && lines->n > MAX_AXES))
    return "an object has more than 64 discrete or 3 continuous symmetries";
  for (const PoseJson *s = list ? list->first : NULL; s; s = s->next)
    TRY (read_symmetry (s, &single[n++]));
  for (const PoseJson *s = lines ? lines->first : NULL; s; s = s->next)
    if (!read_symmetry_axis (s, axes[n_axes++]))
      return "a continuous symmetry has no axis or no offset";
  return pose_eval_symmetries (
      mesh, single, n, (const double (*)[6]) axes, n_axes);
}

static const char *
add_bop_object (PoseEvalMeshes *meshes, const char *folder, int object,
    const PoseJson *info, char where[POSE_FILE_WHERE])
{
  const PoseJson *own;
  PoseEvalMesh *mesh;
  double diameter;
  char name[32];

  snprintf (name, sizeof name, "obj_%06d.ply", object);
  TRY (join_path (where, folder, name));
  TRY (pose_eval_add_object (meshes, object, where));
  mesh = &meshes->list[meshes->n - 1];
  snprintf (name, sizeof name, "%d", object);
  own = pose_json_member (info, name, POSE_JSON_OBJECT);
  if (pose_json_number (own, "diameter", &diameter) && diameter > 0)
    mesh->diameter = MM * diameter;
  TRY (join_path (where, folder, "models_info.json"));
  return read_symmetries (mesh, own);
}

const char *
pose_bop_models (PoseEvalMeshes *meshes, const char *folder,
    const PoseEvalList *list, char where[POSE_FILE_WHERE])
{
  File info = {NULL, NULL};
  const char *err = NULL;

  if (file_exists (folder, "models_info.json"))
    err = load_json (&info, folder, "models_info.json", where);
  for (size_t i = 0; i < list->n && !err; i++)
    if (!pose_eval_mesh (meshes, list->pose[i].object))
      err = add_bop_object (
          meshes, folder, list->pose[i].object, info.root, where);
  unload_json (&info);
  return err;
}
