/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Models and labelled images for training: from BOP's folders, and from the
 * generator. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "common/parallel.h"
#include "common/random.h"
#include "common/pose_core.h"
#include "picture.h"
#include "train.h"

#define MIN_SCENES 12
#define RIGHT .1 /* ADD-S, in diameters */

/* ---- Models ---- */

static const char *
add_train_model (Train *t, int object, const char *shape)
{
  if (t->n_models == TRAIN_MODELS)
    return "there are more than 64 models";
  t->model[t->n_models++] = (TrainModel){.object = object, .shape = shape};
  return NULL;
}

static const char *
open_detectors (Train *t, TrainModel *m)
{
  ScopedetectCompile how = SCOPEDETECT_COMPILE_DEFAULTS;
  ScopedetectModelInfo info;
  const char *err;
  char name[64];
  Mesh mesh;

  how.unit = m->object < 0 ? 1 : t->unit;
  err = m->object < 0 ? clutter_solid_mesh (&mesh, m->shape)
                      : mesh_read (&mesh, m->shape);
  file_stem (m->shape, name, sizeof name); /* as vision-model names it */
  if (!err)
    err = scopedetect_model_compile (&m->model, &mesh, name, &how);
  if (!err && t->is_fit) {
    free (mesh.colour);
    mesh.colour = NULL;
    err = scopedetect_model_compile (&m->grey, &mesh, name, &how);
  }
  mesh_free (&mesh);
  TRY (err);
  scopedetect_model_info (m->model, &info);
  m->diameter = info.diameter;
  return NULL;
}

/* Holds back a fifth of the models, drawn at random. */
static void
hold_models_back (Train *t)
{
  for (int held = 0, i = 0; held < t->n_models / 5; i++) {
    TrainModel *m =
        &t->model[random_below (t->seed, (uint64_t) i, (uint32_t) t->n_models)];

    held += !m->is_held;
    m->is_held = true;
  }
}

static const char *
set_detector_models (
    Train *t, const char *const *solids, char where[POSE_FILE_WHERE])
{
  for (int i = 0; i < t->meshes.n; i++)
    TRY (add_train_model (t, t->meshes.list[i].object, t->meshes.list[i].path));
  for (; t->n_generated && *solids; solids++)
    TRY (add_train_model (t, -1, *solids));
  snprintf (where, POSE_FILE_WHERE, "the models");
  if (!t->n_models)
    return "none is given; give meshes by --models or --mesh, or draw scenes "
           "of solids by --generate";
  if (!t->is_fit)
    hold_models_back (t);
  for (int i = 0; i < t->n_models; i++) {
    snprintf (where, POSE_FILE_WHERE, "%s", t->model[i].shape);
    fprintf (stderr, "model %d of %d: %s\n", i + 1, t->n_models, where);
    TRY (open_detectors (t, &t->model[i]));
  }
  return NULL;
}

/* Opens the first or the second detector. */
static const char *
open_train_detector (Train *t, bool second)
{
  const ScopedetectModel *models[TRAIN_MODELS];
  TrainDetector *d = &t->detector[second];

  for (int i = 0; i < t->n_models; i++) {
    bool has = second || !t->model[i].is_held;

    d->of[i] = has ? d->n : -1;
    if (!has)
      continue;
    models[d->n] = t->is_fit && second ? t->model[i].grey : t->model[i].model;
    d->model[d->n++] = i;
  }
  return scopedetect_new (&d->s, &t->device, t->width, t->height, models, d->n);
}

/* ---- Folders ---- */

static int
model_of_object (const Train *t, int object)
{
  for (int i = 0; i < t->n_models; i++)
    if (t->model[i].object == object)
      return i;
  return -1;
}

/* Whether a corner of the object's outline is in the picture. */
static bool
is_outline_in_frame (const Train *t, const TrainModel *m, const PoseBopView *v,
    const TrainTruth *truth)
{
  Camera camera = {v->fx, v->fy, v->cx, v->cy, {0}};
  double xy[2 * 64];
  int n = scopedetect_model_outline (m->model, truth->pose, &camera, xy, 64);

  for (int i = 0; i < n; i++)
    if (xy[2 * i] > 0 && xy[2 * i] < t->width && xy[2 * i + 1] > 0 &&
        xy[2 * i + 1] < t->height)
      return true;
  return false;
}

static const char outside[] =
    "outside of the frame; are lengths in millimetres, and is cam_K right?";

/* Adds a true pose.  An object outside of the frame is not wanted, and is an
 * error if scene_gt_info.json says that it is visible.  @n_inside counts the
 * other objects. */
static const char *
set_truth (Train *t, TrainImage *im, const PoseEvalPose *p, int *n_inside,
    char where[POSE_FILE_WHERE])
{
  TrainTruth *truth = &im->truth[im->n_truth];
  bool is_inside;

  snprintf (where, POSE_FILE_WHERE, "scene %d, image %d, object %d", p->scene,
      p->image, p->object);
  if (im->n_truth == TRAIN_OBJECTS)
    return "there are more than 256 objects in the image";
  truth->model = model_of_object (t, p->object);
  if (truth->model < 0)
    return "no model is given for this object; give its mesh by --models or "
           "--mesh";
  memcpy (truth->pose, p->t, sizeof p->t);
  quat64_of_rows (p->r, 3, truth->pose + 3);
  is_inside = p->visible == 0 ||
      is_outline_in_frame (t, &t->model[truth->model], im->view, truth);
  if (p->visible > 0 && !is_inside)
    return outside;
  truth->is_wanted =
      is_inside && (p->visible < 0 || p->visible >= TRAIN_VISIBLE);
  *n_inside += is_inside;
  im->n_truth++;
  return NULL;
}

/* Sets @path to the colour picture that belongs to a depth picture; false: the
 * folder has no colour. */
static bool
color_path (const char *depth, char path[POSE_FILE_WHERE])
{
  const char *name = strrchr (depth, '/');
  int folder = (int) (name - depth) - (int) strlen ("depth");

  snprintf (path, POSE_FILE_WHERE, "%.*srgb", folder, depth);
  if (access (path, F_OK))
    return false;
  snprintf (path, POSE_FILE_WHERE, "%.*srgb%s", folder, depth, name);
  return true;
}

static const char *
read_train_picture (Train *t, const char *path, int bits, const Image *to,
    char where[POSE_FILE_WHERE])
{
  int width, height;
  void *pixels;
  size_t bytes;

  snprintf (where, POSE_FILE_WHERE, "%s", path);
  TRY (picture_read (path, bits, bits == 16 ? 1 : 3, &width, &height, &pixels));
  if (width == t->width && height == t->height) {
    bytes = (size_t) to->stride[0] * (size_t) height;
    memcpy (to->plane[0], pixels, bytes);
  }
  free (pixels);
  return width == t->width && height == t->height
      ? NULL
      : "it has another size than the first picture; train with pictures of "
        "one size";
}

/* All pictures have the size of the first picture. */
static const char *
set_picture_size (Train *t, char where[POSE_FILE_WHERE])
{
  const char *path = t->views.view[0].depth;
  void *pixels;

  snprintf (where, POSE_FILE_WHERE, "%s", path);
  TRY (picture_read (path, 16, 1, &t->width, &t->height, &pixels));
  free (pixels);
  return NULL;
}

static int
count_scenes (const PoseBopViews *views)
{
  int n = 0;

  for (size_t i = 0; i < views->n; i++)
    n += !i || views->view[i].scene != views->view[i - 1].scene;
  return n;
}

/* The part to which a scene belongs, drawn at random: learning, choosing and
 * report as 2 : 1 : 1. */
static TrainPart
part_of_scene (const Train *t, int place, int n)
{
  int at = (int) (((int64_t) place * 7919 +
                      random_below (t->seed, 1000, (uint32_t) n)) %
      n);

  return 4 * at < 2 * n ? TRAIN_LEARN
      : 4 * at < 3 * n  ? TRAIN_CHOOSE
                        : TRAIN_REPORT;
}

/* Whether image @i of its scene is used; the used images are spread evenly. */
static bool
is_used (const Train *t, size_t i)
{
  const PoseBopView *v = t->views.view;
  size_t first = i, end = i, max = (size_t) t->per_scene;

  while (first > 0 && v[first - 1].scene == v[i].scene)
    first--;
  while (end < t->views.n && v[end].scene == v[i].scene)
    end++;
  return (i - first) * max / (end - first) !=
      (i + 1 - first) * max / (end - first) ||
      max >= end - first;
}

static const char *
set_train_views (Train *t, char where[POSE_FILE_WHERE])
{
  int n = count_scenes (&t->views), scene = -1;

  t->image = calloc (t->views.n + 1, sizeof *t->image);
  if (!t->image)
    return "out of memory";
  for (size_t i = 0; i < t->views.n; i++) {
    const PoseBopView *v = &t->views.view[i];
    TrainImage *im = &t->image[t->n_images];

    scene += !i || v->scene != v[-1].scene;
    if (!is_used (t, i))
      continue;
    t->n_images++;
    *im = (TrainImage){.part = part_of_scene (t, scene, n), .view = v};
    snprintf (where, POSE_FILE_WHERE, "scene %d", v->scene);
    if (!(v->fx > 0))
      return "it has no scene_camera.json, or this lacks an image";
  }
  return NULL;
}

static const char *
load_picture (Train *t, const TrainImage *im, bool *has_color,
    char where[POSE_FILE_WHERE])
{
  char path[POSE_FILE_WHERE];

  TRY (read_train_picture (t, im->view->depth, 16, &t->depth, where));
  *has_color = color_path (im->view->depth, path);
  return *has_color ? read_train_picture (t, path, 8, &t->color, where) : NULL;
}

static const char *
set_labels (Train *t, char where[POSE_FILE_WHERE])
{
  for (int i = 0; i < t->n_images; i++) {
    TrainImage *im = &t->image[i];
    int n_inside = 0;

    im->truth = calloc (t->truth.n, sizeof *im->truth);
    if (!im->truth)
      return "out of memory";
    for (size_t k = 0; k < t->truth.n; k++)
      if (t->truth.pose[k].scene == im->view->scene &&
          t->truth.pose[k].image == im->view->image)
        TRY (set_truth (t, im, &t->truth.pose[k], &n_inside, where));
    snprintf (where, POSE_FILE_WHERE, "scene %d, image %d, all objects",
        im->view->scene, im->view->image);
    if (im->n_truth && !n_inside)
      return outside;
  }
  return NULL;
}

/* Checks all pictures first, so that an error does not come after hours. */
static const char *
check_pictures (Train *t, char where[POSE_FILE_WHERE])
{
  bool has_color;

  for (int i = 0; i < t->n_images; i++)
    TRY (load_picture (t, &t->image[i], &has_color, where));
  return NULL;
}

static const char *
read_folders (Train *t, const char *const *folders, int n, const char *models,
    char where[POSE_FILE_WHERE])
{
  for (int i = 0; i < n; i++)
    TRY (pose_bop_read (&t->truth, &t->views, folders[i], i + 1, where));
  if (!n) {
    snprintf (where, POSE_FILE_WHERE, "--models %s", models ? models : "");
    return models ? "no FOLDER's labels say which of these are wanted; give "
                    "meshes for generated scenes by --mesh"
                  : NULL;
  }
  snprintf (where, POSE_FILE_WHERE, "%d scenes", count_scenes (&t->views));
  if (count_scenes (&t->views) < MIN_SCENES)
    return "these are too few: 12 or more are needed, since those that weights "
           "are learned from say nothing of how good these are; --generate "
           "draws scenes";
  if (models)
    TRY (pose_bop_models (&t->meshes, models, &t->truth, where));
  for (int i = 0; i < t->meshes.n; i++) {
    snprintf (where, POSE_FILE_WHERE, "%s", t->meshes.list[i].path);
    if (access (where, R_OK))
      return "there is no such file, which a label or --mesh names as a model";
  }
  return set_picture_size (t, where);
}

/* ---- Searching images ---- */

/* Generates a scene, as tests/scopedetect/scopedetect_scenes.c does: depth is
 * too large by 0 to 7 mm, and a quarter of the scenes has no colour. */
static const char *
generate_scene (Train *t, TrainImage *im, bool *has_color, Camera *camera)
{
  ClutterParams scene = clutter_defaults ();
  ClutterTruth truth;

  scene.seed = im->seed;
  scene.n_objects = t->n_objects / 2 +
      (int) random_below (
          im->seed, 0, (uint32_t) (t->n_objects - t->n_objects / 2 + 1));
  scene.n_objects += !scene.n_objects;
  scene.depth_bias = random_below (im->seed, 1, 8) / 1000.;
  *has_color = random_below (im->seed, 2, 4) > 0;
  TRY (clutter_render (
      t->clutter, &scene, CLUTTER_COLOR, 0, &t->color, NULL, NULL));
  TRY (clutter_render (
      t->clutter, &scene, CLUTTER_DEPTH, 0, &t->depth, &truth, NULL));
  if (t->is_fit && random_below (im->seed, 4, 4))
    TRY (train_spoil_depth ((uint16_t *) (void *) t->depth.plane[0], t->width,
        t->height, im->seed));
  *camera = (Camera){truth.fx, truth.fy, truth.cx, truth.cy, {0}};
  for (im->n_truth = 0; im->n_truth < truth.n_objects; im->n_truth++) {
    const SceneThing *o = &truth.objects[im->n_truth];
    TrainTruth *to = &im->truth[im->n_truth];

    to->model = o->shape;
    memcpy (to->pose, o->pose, sizeof to->pose);
    to->is_wanted =
        (double) o->seen.area >= TRAIN_VISIBLE * (double) o->seen.full_area;
  }
  return NULL;
}

typedef struct {
  const Train *t;
  const TrainImage *im;
  TrainRecord *r;
  const ScopedetectRecorded *pose;
} Matching;

/* Finds the nearest object of each right pose. */
static void
match_poses (void *data, int begin, int end)
{
  const Matching *m = data;

  for (int i = begin; i < end; i++) {
    const TrainModel *model = &m->t->model[m->r->by->model[m->pose[i].model]];
    double min = RIGHT * model->diameter, add, add_s;

    m->r->right[i] = -1;
    for (int k = 0; k < m->im->n_truth; k++) {
      if (&m->t->model[m->im->truth[k].model] != model)
        continue;
      scopedetect_model_distance (
          model->model, m->pose[i].pose, m->im->truth[k].pose, &add, &add_s);
      if (add_s < min)
        min = add_s, m->r->right[i] = k;
    }
  }
}

static const char *
label_poses (const Train *t, const TrainImage *im, TrainRecord *r)
{
  Matching m = {t, im, r, scopedetect_record_poses (r->record, &r->n_poses)};

  r->n_truth = im->n_truth;
  r->right = calloc ((size_t) r->n_poses + 1, sizeof *r->right);
  r->wanted = calloc ((size_t) r->n_truth + 1, sizeof *r->wanted);
  r->held = calloc ((size_t) r->n_truth + 1, sizeof *r->held);
  r->model = calloc ((size_t) r->n_truth + 1, sizeof *r->model);
  if (!r->right || !r->wanted || !r->held || !r->model)
    return "out of memory";
  for (int k = 0; k < r->n_truth; k++) {
    r->model[k] = r->by->of[im->truth[k].model];
    r->wanted[k] = im->truth[k].is_wanted && r->model[k] >= 0;
    r->held[k] = t->model[im->truth[k].model].is_held;
  }
  parallel_for (r->n_poses, 1, match_poses, &m);
  return NULL;
}

/* Runs the detector on the loaded picture. */
static const char *
detect_poses (Train *t, TrainImage *im, bool has_color,
    const ScopedetectParams *params, TrainRecord *r)
{
  size_t n = (size_t) t->width * (size_t) t->height;
  Image color = t->color;
  ScopedetectFrame frame = {.width = t->width,
      .height = t->height,
      .depth = t->device_depth,
      .depth_stride = 2 * t->width,
      .color = has_color ? &color : NULL};
  ScopedetectResults results;

  color.plane[0] = t->device_color;
  TRY (device_copy (&t->device, t->device_depth, t->depth.plane[0], 2 * n));
  TRY (device_copy (&t->device, t->device_color, t->color.plane[0], 3 * n));
  TRY (device_wait (&t->device));
  *r = (TrainRecord){.part = im->part, .key = im->seed};
  r->scene = im->view ? im->view->scene : t->n_records;
  r->by = &t->detector[t->is_fit ? random_below (im->seed, 3, 4) == 0
                                 : im->part == TRAIN_REPORT];
  TRY (scopedetect_observe (r->by->s, params, &frame));
  TRY (scopedetect_search (r->by->s, &results));
  TRY (scopedetect_record_new (&r->record, r->by->s));
  return label_poses (t, im, r);
}

static const char *
search_image (Train *t, TrainImage *im, int round,
    const ScopedetectParams *params, char where[POSE_FILE_WHERE])
{
  ScopedetectParams p = *params;
  bool has_color = false;

  if (t->n_records == t->room) {
    int room = t->room ? 2 * t->room : 256;
    TrainRecord *more = realloc (t->record, (size_t) room * sizeof *more);

    if (!more)
      return "out of memory";
    t->record = more;
    t->room = room;
  }
  memset (&t->record[t->n_records], 0, sizeof *t->record);
  if (im->is_generated) {
    snprintf (where, POSE_FILE_WHERE, "generated scene %llu",
        (unsigned long long) im->seed);
    p.depth_scale = .001;
    TRY (generate_scene (t, im, &has_color, &p.camera));
  } else {
    TRY (load_picture (t, im, &has_color, where));
    p.depth_scale = im->view->scale;
    p.camera =
        (Camera){im->view->fx, im->view->fy, im->view->cx, im->view->cy, {0}};
    im->seed =
        random_u64 (t->seed, (uint64_t) (im - t->image)) + (uint64_t) round;
    snprintf (where, POSE_FILE_WHERE, "scene %d, image %d", im->view->scene,
        im->view->image);
  }
  t->n_records++;
  return detect_poses (t, im, has_color, &p, &t->record[t->n_records - 1]);
}

/* The seed of a generated scene: each part, and in learning each round, has its
 * own seeds. */
static uint64_t
scene_seed (const Train *t, TrainPart part, int round, int i)
{
  uint64_t which = part == TRAIN_LEARN ? 2 + (uint64_t) round
                                       : (uint64_t) part - TRAIN_CHOOSE;

  return random_u64 (t->seed, which << 32 | (uint64_t) i) >> 1;
}

const char *
train_search (Train *t, TrainPart part, int round,
    const ScopedetectParams *params, char where[POSE_FILE_WHERE])
{
  static const char *const names[] = {"learn from", "choose by", "report"};
  const char *why;
  TrainTruth truth[CLUTTER_MAX_OBJECTS];
  int n = t->n_generated / (part == TRAIN_LEARN ? 2 : 4), done = 0, all = n;

  for (int i = 0; i < t->n_images; i++)
    all += t->image[i].part == part;
  for (int i = 0; i < n + t->n_images; i++) {
    TrainImage drawn = {.part = part,
        .is_generated = true,
        .seed = scene_seed (t, part, round, i),
        .truth = truth};
    TrainImage *im = i < n ? &drawn : &t->image[i - n];

    if (im->part != part)
      continue;
    why = search_image (t, im, round, params, where);
    if (why) {
      fprintf (stderr, "\n");
      return why;
    }
    done++;
    fprintf (stderr, "\rscenes to %s: image %d of %d%s", names[part], done, all,
        done < all ? "" : "\n");
  }
  return NULL;
}

void
train_forget (Train *t, TrainPart part)
{
  int kept = 0;

  for (int i = 0; i < t->n_records; i++) {
    TrainRecord *r = &t->record[i];

    if (r->part != part) {
      t->record[kept++] = *r;
      continue;
    }
    scopedetect_record_free (r->record);
    free (r->right);
    free (r->wanted);
    free (r->held);
    free (r->model);
  }
  t->n_records = kept;
}

/* ---- Opening and closing ---- */

static const char *
allocate_images (Train *t)
{
  size_t n = (size_t) t->width * (size_t) t->height;

  t->color =
      (Image){.width = t->width, .height = t->height, .format = IMAGE_RGB};
  t->color.stride[0] = 3 * t->width;
  t->color.plane[0] = malloc (3 * n);
  t->depth =
      (Image){.width = t->width, .height = t->height, .format = IMAGE_GRAY16};
  t->depth.stride[0] = 2 * t->width;
  t->depth.plane[0] = malloc (2 * n);
  if (!t->color.plane[0] || !t->depth.plane[0])
    return "out of memory";
  TRY (device_alloc (&t->device, &t->device_color, 3 * n));
  return device_alloc (&t->device, &t->device_depth, 2 * n);
}

static const char *
open_clutter (Train *t)
{
  const char *shapes[TRAIN_MODELS];

  for (int i = 0; i < t->n_models; i++)
    shapes[i] = t->model[i].shape;
  return clutter_new (
      &t->clutter, t->width, t->height, shapes, t->n_models, t->unit);
}

const char *
train_open (Train *t, const char *const *folders, int n, const char *models,
    const char *const *solids, char where[POSE_FILE_WHERE])
{
  snprintf (where, POSE_FILE_WHERE, "%d generated scenes", t->n_generated);
  if (t->n_generated && t->n_generated < MIN_SCENES)
    return "these are too few: 12 or more are needed";
  TRY (read_folders (t, folders, n, models, where));
  snprintf (where, POSE_FILE_WHERE, "the device");
  TRY (device_open (
      &t->device, device_cuda_probe () ? DEVICE_CPU : DEVICE_CUDA, NULL));
  TRY (allocate_images (t));
  TRY (set_train_views (t, where));
  TRY (check_pictures (t, where));
  TRY (set_detector_models (t, solids, where));
  TRY (set_labels (t, where));
  snprintf (where, POSE_FILE_WHERE, "the models");
  for (int k = 0; k < 2; k++)
    TRY (open_train_detector (t, k));
  if (t->n_generated)
    TRY (open_clutter (t));
  return NULL;
}

void
train_close (Train *t)
{
  for (int part = 0; part < TRAIN_PARTS; part++)
    train_forget (t, (TrainPart) part);
  free (t->record);
  for (int i = 0; i < t->n_images; i++)
    free (t->image[i].truth);
  free (t->image);
  for (int k = 0; k < 2; k++)
    scopedetect_free (t->detector[k].s);
  if (t->device.ops) {
    device_release (&t->device, t->device_color);
    device_release (&t->device, t->device_depth);
    device_close (&t->device);
  }
  clutter_free (t->clutter);
  free (t->color.plane[0]);
  free (t->depth.plane[0]);
  for (int i = 0; i < t->n_models; i++) {
    scopedetect_model_free (t->model[i].model);
    scopedetect_model_free (t->model[i].grey);
  }
  pose_bop_free (&t->views);
  free (t->truth.pose);
  pose_eval_free (&t->meshes);
}
