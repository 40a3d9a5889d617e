/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * scopedetect on real frames with known poses, where VISION_TEST_DATA names
 * them.  `known`, on the CPU, and `cuda` hold it to what is reached; `--bench`
 * prints every object with every preset, and how long it takes on the GPU if
 * there is one; `--bench told` how many of the reported objects are in the
 * frame, with only the models of the frame and with those of YCB-Video beside
 * them, by all ways of the thesis's table 2.1, too, with the preset thesis if
 * that is named behind; `--bench steps [PRESET]` how many right poses each step
 * of the rounds leaves, on the CPU; `--bench clouds` what is
 * reported of YCB-Video's frames with models of meshes, and with models of
 * clouds in their place; `--bench times` how long each explanation takes on the
 * GPU. */
#include <json-glib/json-glib.h>
#include <math.h>
#include <unistd.h>

#include "common/pose_core.h"
#include "seconds.h"
#include "gpuccl/gpuccl_png.h"
#include "scopedetect/scopedetect_detector.h"
#include "scopedetect_observed.h"
#include "scopedetect_preset.h"
#include "scopedetect_ways.h"

#define DATA_OBJECTS 32

typedef struct {
  const char *name;
  ScopedetectModel *model;
  ScopedetectModelInfo info;
  bool is_there;
  double truth[7];
} DataObject;

typedef struct {
  uint16_t *depth;
  Image color;
  Camera camera;
  double depth_scale, far;
  bool table;
  int n_objects;
  DataObject object[DATA_OBJECTS];
} DataFrame;

static char data_folder[1024];

static const char *
data_path (const char *name)
{
  static char path[2048];

  snprintf (path, sizeof path, "%s/pose/%s", data_folder, name);
  return path;
}

/* RGB of an 8-bit picture of 640 x 480. */
static Image
data_color (const char *name)
{
  png_structp reader =
      png_create_read_struct (PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png_create_info_struct (reader);
  FILE *file = fopen (data_path (name), "rb");
  Image img = {.width = 640, .height = 480, .format = IMAGE_RGB};

  check (file != NULL);
  if (file && !setjmp (png_jmpbuf (reader))) {
    png_init_io (reader, file);
    png_read_png (reader, info, PNG_TRANSFORM_STRIP_ALPHA, NULL);
    img.plane[0] = malloc (640 * 480 * 3);
    img.stride[0] = 640 * 3;
    for (int y = 0; y < 480; y++)
      memcpy (
          img.plane[0] + y * 640 * 3, png_get_rows (reader, info)[y], 640 * 3);
  }
  png_destroy_read_struct (&reader, &info, NULL);
  if (file)
    fclose (file);
  return img;
}

static ScopedetectModel *
data_model (const char *path, const char *name, double unit)
{
  ScopedetectCompile how = SCOPEDETECT_COMPILE_DEFAULTS;
  Mesh mesh;
  ScopedetectModel *model = NULL;

  how.unit = unit;
  ok (mesh_read (&mesh, data_path (path)));
  ok (scopedetect_model_compile (&model, &mesh, name, &how));
  mesh_free (&mesh);
  return model;
}

static JsonParser *
data_json (const char *name)
{
  JsonParser *parser = json_parser_new ();

  check (json_parser_load_from_file (parser, data_path (name), NULL));
  return parser;
}

/* Without a pose, @r and @t NULL, it is not there. */
static void
data_add (DataFrame *f, const char *name, ScopedetectModel *model,
    const double *r, const double *t)
{
  DataObject *o = &f->object[f->n_objects++];

  o->name = name;
  o->model = model;
  if (model)
    scopedetect_model_info (model, &o->info);
  if (!(o->is_there = r != NULL))
    return;
  memcpy (o->truth, t, 3 * sizeof *t);
  quat64_of_rows (r, 3, o->truth + 3);
}

static void
data_numbers (JsonArray *a, double *v)
{
  for (guint i = 0; i < json_array_get_length (a); i++)
    v[i] = json_array_get_double_element (a, i);
}

/* Objects 1, 5, 6 and so on, of which @only, or 0 for all. */
static DataFrame
data_lmo (void)
{
  static const char *const names[] = {[1] = "ape",
      [5] = "can",
      [6] = "cat",
      [8] = "driller",
      [9] = "duck",
      [10] = "eggbox",
      [11] = "glue",
      [12] = "holepuncher"};
  DataFrame f = {
      .depth = png_read (data_path ("lmo_frame3/depth.png"), 640, 480),
      .camera = {572.4114, 573.57043, 325.2611, 242.04899, {0}},
      .depth_scale = .001,
      .far = 1.5,
      .table = true};
  JsonParser *parser = data_json ("lmo_frame3/scene_gt.json");
  JsonArray *list = json_object_get_array_member (
      json_node_get_object (json_parser_get_root (parser)), "3");

  f.color = data_color ("lmo_frame3/rgb.png");
  for (guint i = 0; i < json_array_get_length (list); i++) {
    JsonObject *o = json_array_get_object_element (list, i);
    int id = (int) json_object_get_int_member (o, "obj_id");
    double r[9], t[3];
    char path[64];

    data_numbers (json_object_get_array_member (o, "cam_R_m2c"), r);
    data_numbers (json_object_get_array_member (o, "cam_t_m2c"), t);
    for (int k = 0; k < 3; k++)
      t[k] /= 1000;
    snprintf (path, sizeof path, "lmo_frame3/models/obj_%06d.ply", id);
    data_add (&f, names[id], data_model (path, names[id], .001), r, t);
  }
  g_object_unref (parser);
  return f;
}

/* Those of YCB-Video that there are meshes or, else, clouds of. */
static const char *const ycb_names[] = {"002_master_chef_can",
    "003_cracker_box", "004_sugar_box", "005_tomato_soup_can",
    "006_mustard_bottle", "007_tuna_fish_can", "008_pudding_box",
    "009_gelatin_box", "010_potted_meat_can", "011_banana", "019_pitcher_base",
    "021_bleach_cleanser", "024_bowl", "025_mug", "035_power_drill",
    "036_wood_block", "037_scissors", "040_large_marker", "051_large_clamp",
    "052_extra_large_clamp", "061_foam_brick", NULL};

static bool clouds_alone; /* no meshes */

static ScopedetectModel *
ycb_model (const char *name)
{
  char path[64];

  snprintf (path, sizeof path, "ycbv/models/%s.ply", name);
  if (clouds_alone || access (data_path (path), R_OK))
    snprintf (path, sizeof path, "ycbv/models/%s.xyz", name);
  return data_model (path, name, 1);
}

static bool
has_object (const DataFrame *f, const char *name)
{
  for (int i = 0; i < f->n_objects; i++)
    if (!strcmp (f->object[i].name, name))
      return true;
  return false;
}

/* All those of YCB-Video that are not yet among the objects. */
static void
add_other_ycb (DataFrame *f)
{
  for (const char *const *name = ycb_names; *name; name++)
    if (!has_object (f, *name))
      data_add (f, *name, ycb_model (*name), NULL, NULL);
}

static void
add_ycb (DataFrame *f, JsonObject *o)
{
  const char *name = json_object_get_string_member (o, "name");
  JsonArray *rows = json_object_get_array_member (o, "T_model_to_camera");
  double m[12], r[9], t[3];

  for (int k = 0; k < 3; k++) {
    data_numbers (json_array_get_array_element (rows, (guint) k), m);
    memcpy (r + 3 * k, m, 3 * sizeof *m);
    t[k] = m[3];
  }
  for (const char *const *known = ycb_names; *known; known++)
    if (!strcmp (name, *known))
      data_add (f, *known, ycb_model (name), r, t);
}

/* The frame whose files' names begin with @files, in @folder. */
static DataFrame
data_ycb_frame (const char *folder, const char *files, double far)
{
  DataFrame f = {.camera = {1066.778, 1067.487, 312.9869, 241.3109, {0}},
      .depth_scale = .0001,
      .far = far,
      .table = true};
  char path[128];
  JsonParser *parser;
  JsonArray *list;

  snprintf (path, sizeof path, "%s/%s-depth.png", folder, files);
  f.depth = png_read (data_path (path), 640, 480);
  snprintf (path, sizeof path, "%s/%s-color.png", folder, files);
  f.color = data_color (path);
  snprintf (path, sizeof path, "%s/gt_poses.json", folder);
  parser = data_json (path);
  list = json_object_get_array_member (
      json_object_get_object_member (
          json_node_get_object (json_parser_get_root (parser)), "1"),
      "objects");
  for (guint i = 0; i < json_array_get_length (list); i++)
    add_ycb (&f, json_array_get_object_element (list, i));
  g_object_unref (parser);
  return f;
}

/* Three objects, and four of which two hide each other. */
static DataFrame
data_ycb (void)
{
  return data_ycb_frame ("ycbv", "000001", 1.3);
}

static DataFrame
data_ycb_second (void)
{
  return data_ycb_frame ("ycbv_0001", "0001-000001", 1.5);
}

static void
data_free (DataFrame *f)
{
  free (f->depth);
  free (f->color.plane[0]);
  for (int i = 0; i < f->n_objects; i++)
    scopedetect_model_free (f->object[i].model);
}

AUTO_FREE (DataFrame, data_free)

/* The nearest point of each pixel. */
static uint16_t *
data_depth (const char *name, const Camera *c, double scale)
{
  uint16_t *depth = calloc (640 * 480, sizeof *depth);
  Mesh mesh;

  ok (mesh_read (&mesh, data_path (name)));
  for (uint32_t i = 0; i < mesh.n; i++) {
    const float *p = mesh.x + 3 * (size_t) i;
    double z = p[2] / scale + .5;
    int u, v;

    if (!(p[2] > 0) || z > 65535)
      continue;
    u = (int) floor (c->fx * p[0] / p[2] + c->cx + .5);
    v = (int) floor (c->fy * p[1] / p[2] + c->cy + .5);
    if (u >= 0 && v >= 0 && u < 640 && v < 480 &&
        (!depth[v * 640 + u] || z < depth[v * 640 + u]))
      depth[v * 640 + u] = (uint16_t) z;
  }
  mesh_free (&mesh);
  return depth;
}

/* One object whose pose is in member @name of @file. */
static void
data_one (DataFrame *f, const char *file, const char *member, const char *model,
    const char *name)
{
  JsonParser *parser = data_json (file);
  JsonArray *rows = json_object_get_array_member (
      json_object_get_object_member (
          json_node_get_object (json_parser_get_root (parser)), member),
      "T_model_to_scene");
  double m[4], r[9], t[3];

  for (int k = 0; k < 3; k++) {
    data_numbers (json_array_get_array_element (rows, (guint) k), m);
    memcpy (r + 3 * k, m, 3 * sizeof *m);
    t[k] = m[3];
  }
  data_add (f, name, data_model (model, name, 1), r, t);
  g_object_unref (parser);
}

static DataFrame
data_milk (void)
{
  DataFrame f = {.camera = {525, 525, 319.5, 239.5, {0}},
      .depth_scale = .0001,
      .far = 1.5,
      .table = true};

  f.depth = data_depth (
      "pcl/milk_cartoon_all_small_clorox.pcd", &f.camera, f.depth_scale);
  data_one (&f, "pcl/gt_poses.json", "milk_tutorial.pcd",
      "pcl/milk_tutorial.pcd", "milk");
  return f;
}

/* A laser scan, cut to the objects: there is no table. */
static DataFrame
data_chef (void)
{
  DataFrame f = {.camera = {1100, 1100, 319.5, 239.5, {0}},
      .depth_scale = .00005,
      .far = 1.5};

  f.depth = data_depth ("mian_uwa/rs1.pcd", &f.camera, f.depth_scale);
  data_one (&f, "mian_uwa/poses_established.json", "chef.pcd",
      "mian_uwa/chef.pcd", "chef");
  return f;
}

#define TIMES 15 /* of detections that are measured */

static ScopedetectParams
params_of (const DataFrame *f, Preset preset, uint64_t seed)
{
  ScopedetectParams p;

  p = preset_params (preset);
  p.camera = f->camera;
  p.depth_scale = f->depth_scale;
  p.far = f->far;
  p.table = f->table;
  p.min_score = 0;
  p.explain = SCOPEDETECT_CONTEST; /* with the first-ranked pose of each */
  p.max_objects = 1;
  p.seed = seed;
  return p;
}

typedef struct {
  double add, add_s; /* of the first-ranked pose, metres */
} Error;

/* A detector of some of a frame's objects, and the frame where it is seen. */
typedef struct {
  Device dev;
  Scopedetect *s;
  ScopedetectFrame frame;
  Image color;
  void *depth, *pixels;
} Look;

static void
look_open (Look *l, DeviceKind kind, const DataFrame *f, int first, int n)
{
  const ScopedetectModel *models[DATA_OBJECTS];

  memset (l, 0, sizeof *l);
  for (int i = 0; i < n; i++)
    models[i] = f->object[first + i].model;
  ok (device_open (&l->dev, kind, NULL));
  ok (device_alloc (&l->dev, &l->depth, 640 * 480 * 2));
  ok (device_copy (&l->dev, l->depth, f->depth, 640 * 480 * 2));
  ok (device_alloc (&l->dev, &l->pixels, 640 * 480 * 3));
  if (f->color.plane[0])
    ok (device_copy (&l->dev, l->pixels, f->color.plane[0], 640 * 480 * 3));
  l->color = f->color;
  l->color.plane[0] = l->pixels;
  l->frame = (ScopedetectFrame){
      640, 480, l->depth, 1280, f->color.plane[0] ? &l->color : NULL, 0, {{0}}};
  ok (scopedetect_new (&l->s, &l->dev, 640, 480, models, n));
}

static void
look_close (Look *l)
{
  scopedetect_free (l->s);
  device_release (&l->dev, l->depth);
  device_release (&l->dev, l->pixels);
  device_close (&l->dev);
}

AUTO_FREE (Look, look_close)

/* Finds each object of the frame; prints and returns how far off it is. */
static void
find_all (
    DeviceKind kind, const DataFrame *f, Preset preset, uint64_t seed, Error *e)
{
  ScopedetectParams p = params_of (f, preset, seed);
  double wall, cpu;
  ScopedetectResults r;
  AUTO (Look) l;

  for (int i = 0; i < f->n_objects; i++)
    e[i].add = e[i].add_s = 9;
  look_open (&l, kind, f, 0, f->n_objects);
  wall = seconds ();
  cpu = cpu_seconds ();
  ok (observe_and_search (l.s, &p, &l.frame, &r));
  wall = seconds () - wall;
  cpu = cpu_seconds () - cpu;
  for (int i = 0; i < r.n_objects; i++) {
    const ScopedetectObject *o = &r.objects[i];
    const DataObject *d = &f->object[o->model];

    scopedetect_model_distance (
        d->model, o->pose, d->truth, &e[o->model].add, &e[o->model].add_s);
    printf ("     %-16s score %.2f, ADD %6.1f mm, ADD-S %6.1f mm of %3.0f\n",
        d->name, o->score, 1e3 * e[o->model].add, 1e3 * e[o->model].add_s,
        1e3 * d->info.diameter);
  }
  printf ("     %d objects in %.3f s, %.3f s of CPU time\n", f->n_objects, wall,
      cpu);
}

/* Correct: within a tenth of the diameter. */
static int
count_right (const DataFrame *f, const Error *e, bool symmetric)
{
  int right = 0;

  for (int i = 0; i < f->n_objects; i++)
    right +=
        (symmetric ? e[i].add_s : e[i].add) < .1 * f->object[i].info.diameter;
  return right;
}

/* Reported objects: how many are right, and how many are wrong, not in the
 * frame or reported twice. */
typedef struct {
  int right, wrong;
} Told;

/* Whether @pose moves the model's centre more than half a diameter off
 * its true place. */
static bool
is_far_off (const DataObject *d, const double pose[7])
{
  Pose p = pose_from (pose), truth = pose_from (d->truth);
  Turn of = turn_of (p.q), to = turn_of (truth.q);
  Vec c = d->model->shape.centre;

  return vec_norm (vec_sub (vec_transform (&of, p.t, c),
             vec_transform (&to, truth.t, c))) > .5 * d->info.diameter;
}

static bool
is_right_pose (const DataObject *d, const double pose[7])
{
  double add, add_s = 9;

  if (d->is_there && !is_far_off (d, pose))
    scopedetect_model_distance (d->model, pose, d->truth, &add, &add_s);
  return add_s < .1 * d->info.diameter;
}

static Told
count_told (const DataFrame *f, const Scopedetect *s)
{
  bool found[DATA_OBJECTS] = {false};
  Told told = {0};

  for (int i = 0; i < s->n_objects; i++) {
    const ScopedetectObject *o = &s->objects[i];
    const DataObject *d = &f->object[o->model];
    bool right = !found[o->model] && is_right_pose (d, o->pose);

    found[o->model] |= right;
    told.right += right;
    told.wrong += !right;
    printf ("     %-22s score %.2f %s\n", d->name, o->score,
        right             ? "right"
            : d->is_there ? "wrong"
                          : "not there");
  }
  return told;
}

/* Searches @f for all of its objects, as @way ranks poses. */
static void
search (Look *l, DeviceKind kind, const DataFrame *f, Preset preset, int way)
{
  ScopedetectParams p = params_of (f, preset, 0);
  ScopedetectResults r;

  look_open (l, kind, f, 0, f->n_objects);
  p.min_score = preset_params (preset).min_score;
  p.max_objects = preset_params (preset).max_objects;
  p.explain = SCOPEDETECT_EACH;
  way_rank (&p, way);
  ok (observe_and_search (l->s, &p, &l->frame, &r));
}

/* What each way from @first to @last makes of a frame that was searched, to
 * @told; of the first @n objects' models, as if no others had been looked for.
 */
static void
tell (Look *l, const DataFrame *f, Preset of, int n, int first, int last,
    Told *told)
{
  int found[DATA_OBJECTS], *now = l->s->found.by[0].n;
  ScopedetectParams preset = preset_params (of);
  size_t size = (size_t) f->n_objects * sizeof *now;

  memcpy (found, now, size);
  for (int m = n; m < f->n_objects; m++)
    now[m] = 0;
  for (int k = first; k <= last; k++) {
    way_choose (&l->s->params, &preset, k);
    ok (scopedetect_decide_frame (l->s));
    told[k] = count_told (f, l->s);
  }
  memcpy (now, found, size);
}

static int
by_size (const void *a, const void *b)
{
  double x = ((const Error *) a)->add_s, y = ((const Error *) b)->add_s;

  return (x > y) - (x < y);
}

static void
test_ycb (DeviceKind kind)
{
  AUTO (DataFrame) f = data_ycb ();
  Error e[DATA_OBJECTS];

  for (int preset = 0; preset <= PRESET_THOROUGH; preset++) {
    find_all (kind, &f, (Preset) preset, 0, e);
    check (count_right (&f, e, true) == f.n_objects);
    qsort (e, (size_t) f.n_objects, sizeof *e, by_size);
    check_near (e[f.n_objects / 2].add_s, 0, .003);
  }
}

/* Where 18 of 21 models are not there: what explains the frame together. */
static void
test_many_models (DeviceKind kind)
{
  AUTO (DataFrame) f = data_ycb ();
  Told told[N_WAYS];
  Look l;

  add_other_ycb (&f);
  check (f.n_objects == 21);
  search (&l, kind, &f, PRESET_FAST, WAY_ONE_STAGE);
  tell (&l, &f, PRESET_FAST, f.n_objects, WAY_ONE_STAGE, WAY_ONE_STAGE, told);
  look_close (&l);
  check (told[WAY_ONE_STAGE].right == 3 && told[WAY_ONE_STAGE].wrong == 0);
}

static void
test_lmo (DeviceKind kind)
{
  AUTO (DataFrame) f = data_lmo ();
  Error e[DATA_OBJECTS];

  find_all (kind, &f, PRESET_FAST, 0, e);
  check_near (e[3].add, 0, .1 * f.object[3].info.diameter);
  check (!strcmp (f.object[3].name, "driller"));
  find_all (kind, &f, PRESET_THOROUGH, 0, e);
  check_near (e[3].add, 0, .1 * f.object[3].info.diameter);
  check (count_right (&f, e, false) >= 5);
}

static void
test_milk (DeviceKind kind)
{
  AUTO (DataFrame) f = data_milk ();
  Error e[DATA_OBJECTS];

  for (uint64_t seed = 0; seed < 20; seed++) {
    find_all (kind, &f, PRESET_FAST, seed, e);
    check_near (e[0].add, 0, .002);
  }
}

static void
test_chef (DeviceKind kind)
{
  AUTO (DataFrame) f = data_chef ();
  Error e[DATA_OBJECTS];

  find_all (kind, &f, PRESET_THOROUGH, 0, e);
  check_near (e[0].add, 0, .003);
}

/* Milliseconds of a detection, and of one that follows what was found; the
 * medians of some, from the frame in device memory to results. */
static void
time_all (const DataFrame *f, Preset preset, int way, int first, int n)
{
  ScopedetectParams p = params_of (f, preset, 0);
  ScopedetectObject found[DATA_OBJECTS];
  double run[TIMES], track[TIMES];
  ScopedetectResults r;
  AUTO (Look) l;

  p.explain = way_explain (way);
  look_open (&l, DEVICE_CUDA, f, first, n);
  ok (observe_and_search (l.s, &p, &l.frame, &r));
  memcpy (found, r.objects, (size_t) r.n_objects * sizeof *found);
  for (int i = 0; i < TIMES; i++) {
    int found_now = r.n_objects;

    run[i] = seconds ();
    ok (observe_and_search (l.s, &p, &l.frame, &r));
    run[i] = seconds () - run[i];
    track[i] = seconds ();
    ok (observe_and_track (l.s, &p, &l.frame, found, found_now, &r));
    track[i] = seconds () - track[i];
  }
  printf ("     GPU, %s, %d models from %s on: %.2f ms, tracked %.2f ms\n",
      way_name[way], n, f->object[first].name, 1e3 * bench_median (run, TIMES),
      1e3 * bench_median (track, TIMES));
}

/* The objects that are reported of @f, which is freed, by presets up to
 * thorough or by thesis, with its own models and with those of YCB-Video beside
 * them. */
static void
print_told (DeviceKind kind, const char *name, DataFrame f, Preset most)
{
  int own = f.n_objects;

  add_other_ycb (&f);
  for (int preset = most == PRESET_THESIS ? most : 0; preset <= (int) most;
       preset++) {
    int begin = preset == PRESET_THESIS ? WAY_ONE_STAGE : WAY_CONTEST;
    Told told[N_WAYS];
    Look l;

    for (int first = begin; first < N_WAYS;
         first = first < WAY_BASELINE ? WAY_BASELINE : N_WAYS) {
      int last = first < WAY_BASELINE ? WAY_BASELINE - 1 : first;

      search (&l, kind, &f, (Preset) preset, first);
      for (int n = own; n; n = n < f.n_objects ? f.n_objects : 0) {
        tell (&l, &f, (Preset) preset, n, first, last, told);
        for (int k = first; k <= last; k++)
          printf ("%s, %d models, %s, %s: %d right, %d wrong\n", name, n,
              preset_name[preset], way_name[k], told[k].right, told[k].wrong);
        fflush (stdout);
      }
      look_close (&l);
    }
  }
  data_free (&f);
}

/* ---- What each step of the rounds leaves ---- */

static const DataFrame *stepped; /* the frame */
static const ScopedetectStages *stages_of_steps;

static void
print_step (const char *name, const ScopedetectHypotheses *h)
{
  printf ("%-8s", name);
  for (int m = 0; m < stepped->n_objects; m++) {
    int right = 0, best = -1;

    for (int i = 0; i < h->n[m]; i++) {
      const Pose *p =
          &h->of[(size_t) m * SCOPEDETECT_MAX_KEPT + (size_t) i].pose;
      double pose[] = {p->t.x, p->t.y, p->t.z, p->q.w, p->q.x, p->q.y, p->q.z};

      if (is_right_pose (&stepped->object[m], pose) && !right++)
        best = i;
    }
    printf (" %4d/%5d@%-4d", right, h->n[m], best);
  }
  printf ("\n");
  fflush (stdout);
}

/* A stage whose last argument are hypotheses, and what it leaves. */
#define STEP(stage, name, declared, ...) \
 static const char *stage##_step declared \
 { \
  const char *error = stages_of_steps->stage (__VA_ARGS__); \
\
  print_step (name, h); \
  return error; \
 }

STEP (choose_poses, "drawn",
    (const Device *dev, const ScopedetectScene *scene,
        const ScopedetectCloud *cloud, const ScopedetectQueries *queries,
        const ScopedetectModels *models, const ScopedetectMatches *matches,
        const ScopedetectParams *params, int max, ScopedetectChecks *checks,
        ScopedetectHypotheses *h),
    dev, scene, cloud, queries, models, matches, params, max, checks, h)
STEP (verify_poses, "checked",
    (const Device *dev, const ScopedetectScene *scene,
        const ScopedetectModels *models, const ScopedetectParams *params,
        ScopedetectHypotheses *h),
    dev, scene, models, params, h)
STEP (cluster_poses, "cluster",
    (const Device *dev, const ScopedetectModels *models,
        const ScopedetectParams *params, int max, ScopedetectSieve *sieve,
        ScopedetectHypotheses *h),
    dev, models, params, max, sieve, h)
STEP (score_poses, "score",
    (const Device *dev, const ScopedetectScoring *scoring,
        const ScopedetectModels *models, int points, ScopedetectShares *shares,
        ScopedetectHypotheses *h),
    dev, scoring, models, points, shares, h)
STEP (align_poses, "align",
    (const Device *dev, const ScopedetectScoring *scoring, const Quat *frame,
        const ScopedetectModels *models, int k, ScopedetectHypotheses *h),
    dev, scoring, frame, models, k, h)
STEP (climb_poses, "climb",
    (const Device *dev, const ScopedetectScoring *scoring,
        const ScopedetectModels *models, int steps, ScopedetectHypotheses *h),
    dev, scoring, models, steps, h)

/* After each step, for each object: right poses, all poses, and the rank of the
 * first right one. */
static void
print_steps (const char *name, DataFrame f, Preset preset)
{
  ScopedetectParams p = params_of (&f, preset, 0);
  ScopedetectStages stages;
  ScopedetectResults r;
  Look l;

  stepped = &f;
  look_open (&l, DEVICE_CPU, &f, 0, f.n_objects);
  stages_of_steps = l.s->stages;
  stages = *stages_of_steps;
  stages.choose_poses = choose_poses_step;
  stages.verify_poses = verify_poses_step;
  stages.cluster_poses = cluster_poses_step;
  stages.score_poses = score_poses_step;
  stages.align_poses = align_poses_step;
  stages.climb_poses = climb_poses_step;
  l.s->stages = &stages;
  printf ("%s, %s\n        ", name, preset_name[preset]);
  for (int m = 0; m < f.n_objects; m++)
    printf (" %15.15s", f.object[m].name);
  printf ("\n");
  ok (observe_and_search (l.s, &p, &l.frame, &r));
  l.s->stages = stages_of_steps;
  look_close (&l);
  data_free (&f);
}

/* ---- What rejects right poses ---- */

/* Sets @best to the terms of the fittest right pose of object @m, and @rank to
 * its rank by score; -1: none. */
static void
find_fittest_right (const Scopedetect *s, const DataObject *d, int m,
    double best[SCOPEDETECT_N_TERMS], int *rank)
{
  double max = -1e9;

  *rank = -1;
  for (int k = 0; k < s->found.by[0].n[m]; k++) {
    const Pose *p = &s->found.by[0].hypothesis[m * SCOPEDETECT_FOUND + k].pose;
    double pose[] = {p->t.x, p->t.y, p->t.z, p->q.w, p->q.x, p->q.y, p->q.z};
    ScopedetectRanked ranked = {m, 0, k, 0, false};
    double term[SCOPEDETECT_N_TERMS], odds;
    ScopedetectEvidence evidence;
    ScopedetectCandidate c;

    if (!is_right_pose (d, pose))
      continue;
    evidence = scopedetect_judge_ranked (&s->found, &ranked, &c);
    scopedetect_set_terms (&evidence, term);
    odds = scopedetect_log_odds (s->found.fit.term, term, SCOPEDETECT_N_TERMS);
    if (odds > max) {
      max = odds;
      *rank = k;
      memcpy (best, term, sizeof term);
    }
  }
}

/* The log-odds of each object's fittest right pose, and what each term adds to
 * them. */
static void
print_data_terms (DeviceKind kind, const char *name, DataFrame f, Preset preset)
{
  Look l;

  search (&l, kind, &f, preset, WAY_ONE_STAGE);
  l.s->params.explain = SCOPEDETECT_ONE_STAGE;
  ok (scopedetect_decide_frame (l.s)); /* makes the patches */
  for (int m = 0; m < f.n_objects; m++) {
    const double *weight = l.s->found.fit.term;
    double term[SCOPEDETECT_N_TERMS];
    int rank;

    find_fittest_right (l.s, &f.object[m], m, term, &rank);
    if (rank < 0) {
      printf ("%s, %s: no right pose\n", name, f.object[m].name);
      continue;
    }
    printf ("%s, %s, rank %d: %.2f", name, f.object[m].name, rank + 1,
        scopedetect_log_odds (weight, term, SCOPEDETECT_N_TERMS));
    for (int k = 0; k < SCOPEDETECT_N_TERMS; k++)
      printf (", %s %.4g: %.2f", scopedetect_term_names[k], term[k],
          weight[k] * term[k]);
    printf ("\n");
    fflush (stdout);
  }
  look_close (&l);
  data_free (&f);
}

static int
print_clouds (DeviceKind kind)
{
  for (int k = 0; k < 4; k++) {
    Told told[N_WAYS];
    AUTO (DataFrame) f;
    AUTO (Look) l;

    clouds_alone = k & 1;
    f = k & 2 ? data_ycb_second () : data_ycb ();
    printf ("%s, %s: contest, one-stage, two-stage\n",
        k & 2 ? "YCB-Video 0001" : "YCB-Video",
        clouds_alone ? "clouds" : "meshes");
    search (&l, kind, &f, PRESET_FAST, WAY_ONE_STAGE);
    tell (&l, &f, PRESET_FAST, f.n_objects, WAY_CONTEST, WAY_TWO_STAGE, told);
  }
  return check_failures != 0;
}

/* How long each explanation takes, with the models of the scene and with all;
 * the thesis's schedule takes minutes. */
static int
print_times (void)
{
  for (int k = 0; k < 4; k++) {
    AUTO (DataFrame) f = k & 2 ? data_lmo () : data_ycb ();

    if (k & 1)
      add_other_ycb (&f);
    for (int preset = 0; preset <= PRESET_THOROUGH; preset++)
      for (int way = 0; way < N_EXPLAINED; way++) {
        printf (
            "%s, %s\n", k & 2 ? "LM-O" : "YCB", preset ? "thorough" : "fast");
        time_all (&f, (Preset) preset, way, 0, f.n_objects);
        fflush (stdout);
      }
  }
  return check_failures != 0;
}

/* Every object, every preset. */
static int
print_all (int argc, char **argv)
{
  Preset named = preset_of (argc > 3 ? argv[3] : NULL);
  bool gpu = !device_cuda_probe ();
  DataFrame f[2] = {data_ycb (), data_lmo ()};
  Error e[DATA_OBJECTS];

  if (argc > 2 && !strcmp (argv[2], "steps")) {
    print_steps ("YCB-Video", data_ycb (), named);
    print_steps ("YCB-Video 0001", data_ycb_second (), named);
    print_steps ("LM-O", data_lmo (), named);
    return check_failures != 0;
  }
  if (argc > 2 && !strcmp (argv[2], "terms")) {
    DeviceKind kind = gpu ? DEVICE_CUDA : DEVICE_CPU;

    print_data_terms (kind, "YCB-Video", data_ycb (), named);
    print_data_terms (kind, "YCB-Video 0001", data_ycb_second (), named);
    print_data_terms (kind, "LM-O", data_lmo (), named);
    return check_failures != 0;
  }
  if (argc > 2 && !strcmp (argv[2], "told")) {
    Preset most = named == PRESET_THESIS ? named : PRESET_THOROUGH;
    DeviceKind kind = gpu ? DEVICE_CUDA : DEVICE_CPU;

    print_told (kind, "YCB-Video", data_ycb (), most);
    print_told (kind, "YCB-Video 0001", data_ycb_second (), most);
    print_told (kind, "LM-O", data_lmo (), most);
    return check_failures != 0;
  }
  if (gpu && argc > 2 && !strcmp (argv[2], "times"))
    return print_times ();
  if (argc > 2 && !strcmp (argv[2], "clouds"))
    return print_clouds (gpu ? DEVICE_CUDA : DEVICE_CPU);
  for (int k = 0; k < 2; k++)
    for (int preset = 0; preset <= PRESET_THESIS; preset++) {
      printf ("%s, %s\n", k ? "LM-O" : "YCB", preset_name[preset]);
      find_all (gpu ? DEVICE_CUDA : DEVICE_CPU, &f[k], (Preset) preset, 0, e);
      printf ("     right: %d by ADD, %d by ADD-S\n",
          count_right (&f[k], e, false), count_right (&f[k], e, true));
      if (!gpu)
        continue;
      time_all (&f[k], (Preset) preset, WAY_CONTEST, 0, f[k].n_objects);
      time_all (&f[k], (Preset) preset, WAY_CONTEST, k ? 3 : 0, 1);
    }
  data_free (&f[0]);
  data_free (&f[1]);
  return check_failures != 0;
}

static const CheckPart on_each[] = {{"YCB-Video", test_ycb},
    {"all models", test_many_models}, {"milk", test_milk}, {"chef", test_chef},
    {"LM-O", test_lmo}, {NULL, NULL}};

int
main (int argc, char **argv)
{
  const char *data = getenv ("VISION_TEST_DATA");

  snprintf (data_folder, sizeof data_folder, "%s", data ? data : "");
  if (!data || access (data_path ("README.md"), R_OK)) {
    printf ("SKIP: VISION_TEST_DATA names no folder with pose/\n");
    return 77;
  }
  return check_main (argc, argv, on_each, NULL, print_all);
}
