/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * scopedetect with models of clouds, against models of the meshes that they are
 * points of, in generated scenes of those meshes.  `known`: solids.  `--bench
 * choose [SCENES]` takes LM-O's eight meshes and 2,621 points drawn from each;
 * `--bench report [SCENES]` YCB-Video's seven meshes and their *.xyz, which are
 * for figures alone.  `choose-seeds` and `report-seeds` take the same meshes,
 * compiled by another seed, in place of clouds: two models of one mesh differ,
 * too.  All want VISION_TEST_DATA, and run on the GPU if there is one; each
 * thread looks at scenes of its own. */
#include <math.h>
#include <unistd.h>

#include "common/vec.h"
#include "scopedetect_table.h"

#define MAX_SHAPES 10 /* shapes */
#define POINTS 2621   /* of a cloud: as YCB-Video's */
#define VISIBLE .25   /* what counts as there to be found */
#define ALIKE .1      /* scores that differ by no more are */

typedef enum { MESHES, CLOUDS, N_WAYS } Way;

/* The models of shapes. */
typedef struct {
  int n;
  const char *const *names;
  double unit;
  bool reseeds; /* in place of clouds: the meshes once more, by another seed */
  ScopedetectModel *model[N_WAYS][MAX_SHAPES];
} Shapes;

/* Who looks for them, and at what. */
typedef struct {
  const Shapes *of;
  TableScene scene;
  Scopedetect *detector[N_WAYS];
} Bench;

/* How objects that are there are found by both ways. */
typedef struct {
  int wanted, found[N_WAYS], both, alike, told[N_WAYS], right[N_WAYS];
  double apart, worst; /* scores of those found by both: sum, and maximum */
} Count;

static Vec
corner (const Mesh *m, uint32_t t, int k)
{
  const float *x = m->x + 3 * (size_t) m->triangles[3 * (size_t) t + k];

  return vec (x[0], x[1], x[2]);
}

static double
area_of (const Mesh *m, uint32_t t)
{
  Vec a = corner (m, t, 0);

  return vec_norm (
      vec_cross (vec_sub (corner (m, t, 1), a), vec_sub (corner (m, t, 2), a)));
}

/* POINTS points anywhere on @mesh, without normals and colours. */
static Mesh
draw_points (const Mesh *m)
{
  Mesh cloud = {.n = POINTS, .x = malloc (sizeof (float) * 3 * POINTS)};
  double total = 0;

  for (uint32_t t = 0; t < m->n_triangles; t++)
    total += area_of (m, t);
  for (int i = 0; i < POINTS; i++) {
    double at = rnd (1 << 30) * total / (1 << 30), sum = 0;
    float a = (float) rnd (1 << 20) / (1 << 20);
    float b = (float) rnd (1 << 20) / (1 << 20);
    uint32_t t = 0;
    Vec p, e, f;

    while (t + 1 < m->n_triangles && (sum += area_of (m, t)) < at)
      t++;
    p = corner (m, t, 0);
    e = vec_sub (corner (m, t, 1), p), f = vec_sub (corner (m, t, 2), p);
    if (a + b > 1)
      a = 1 - a, b = 1 - b;
    p = vec_add (p, vec_add (vec_scale (e, a), vec_scale (f, b)));
    cloud.x[3 * i] = p.x, cloud.x[3 * i + 1] = p.y, cloud.x[3 * i + 2] = p.z;
  }
  return cloud;
}

static void
compile (Shapes *s, Way way, int i, const Mesh *mesh)
{
  ScopedetectCompile how = SCOPEDETECT_COMPILE_DEFAULTS;

  how.unit = s->unit;
  how.seed = s->reseeds && way == CLOUDS;
  ok (scopedetect_model_compile (&s->model[way][i], mesh, "object", &how));
}

/* Models of @name: of its mesh without colour, which the cloud has not, too,
 * and of its points, which are in @cloud or drawn; or of its mesh once more. */
static void
add_shape (Shapes *s, const char *name, const char *cloud)
{
  AUTO (Mesh) mesh, points;

  ok (strchr (name, '/') ? mesh_read (&mesh, name)
                         : clutter_solid_mesh (&mesh, name));
  if (cloud)
    ok (mesh_read (&points, cloud));
  else
    points = draw_points (&mesh);
  free (mesh.colour);
  mesh.colour = NULL;
  compile (s, MESHES, s->n, &mesh);
  compile (s, CLOUDS, s->n++, s->reseeds ? &mesh : &points);
}

static void
shapes_open (Shapes *s, const char *const *names, const char *const *clouds,
    int n, double unit, bool reseeds)
{
  *s = (Shapes){.names = names, .unit = unit, .reseeds = reseeds};
  for (int i = 0; i < n; i++)
    add_shape (s, names[i], clouds ? clouds[i] : NULL);
}

static void
shapes_close (Shapes *s)
{
  for (int way = 0; way < N_WAYS; way++)
    for (int i = 0; i < s->n; i++)
      scopedetect_model_free (s->model[way][i]);
}

AUTO_FREE (Shapes, shapes_close)

static void
bench_open (Bench *b, DeviceKind kind, const Shapes *s)
{
  *b = (Bench){.of = s};
  table_open (&b->scene, kind, s->names, s->n, s->unit);
  for (int way = 0; way < N_WAYS; way++)
    ok (scopedetect_new (&b->detector[way], &b->scene.dev, WIDTH, HEIGHT,
        (const ScopedetectModel *const *) s->model[way], s->n));
}

static void
bench_close (Bench *b)
{
  for (int way = 0; way < N_WAYS; way++)
    scopedetect_free (b->detector[way]);
  table_close (&b->scene);
}

AUTO_FREE (Bench, bench_close)

/* Scores of the objects of the scene, 0 where one is not found. */
static void
look (Bench *b, Way way, const ScopedetectFrame *frame,
    double score[CLUTTER_MAX_OBJECTS], Count *c)
{
  ScopedetectResults r;
  ScopedetectParams p = table_params (&b->scene, PRESET_FAST);

  p.max_objects = 1;
  ok (observe_and_search (b->detector[way], &p, frame, &r));
  memset (score, 0, sizeof *score * CLUTTER_MAX_OBJECTS);
  for (int i = 0; i < r.n_objects; i++) {
    int model = r.objects[i].model;
    int at = table_find (
        &b->scene, b->of->model[MESHES][model], model, r.objects[i].pose);

    c->told[way]++;
    c->right[way] += at >= 0;
    if (at >= 0)
      score[at] = r.objects[i].score;
  }
}

/* Draws scene @seed, and looks for all models in both ways. */
static void
run (Bench *b, uint64_t seed, bool tells, Count *c)
{
  ClutterParams scene = clutter_defaults ();
  double score[N_WAYS][CLUTTER_MAX_OBJECTS];
  ScopedetectFrame frame;

  scene.seed = seed;
  scene.n_objects =
      4 + (int) (seed % 3) < b->of->n ? 4 + (int) (seed % 3) : b->of->n;
  frame = table_draw (&b->scene, &scene, 0);
  for (int way = 0; way < N_WAYS; way++)
    look (b, (Way) way, &frame, score[way], c);
  for (int i = 0; i < b->scene.truth.n_objects; i++) {
    const SceneThing *o = &b->scene.truth.objects[i];
    double mesh = score[MESHES][i], cloud = score[CLOUDS][i];

    if ((double) o->seen.area < VISIBLE * (double) o->seen.full_area)
      continue;
    c->wanted++;
    c->found[MESHES] += mesh > 0;
    c->found[CLOUDS] += cloud > 0;
    if (mesh > 0 && cloud > 0) {
      c->both++;
      c->alike += fabs (mesh - cloud) <= ALIKE;
      c->apart += fabs (mesh - cloud);
      c->worst = fmax (c->worst, fabs (mesh - cloud));
    }
    if (tells)
      printf ("  scene %llu, shape %d: mesh %.2f, cloud %.2f\n",
          (unsigned long long) seed, o->shape, mesh, cloud);
  }
}

static void
print_count (const Count *c)
{
  printf ("%d objects; found: of meshes %d, of clouds %d, both %d; told and "
          "wrong: %d, %d; scores apart: mean %.3f, max %.2f, within %.1f %d\n",
      c->wanted, c->found[MESHES], c->found[CLOUDS], c->both,
      c->told[MESHES] - c->right[MESHES], c->told[CLOUDS] - c->right[CLOUDS],
      c->both ? c->apart / c->both : 0, c->worst, ALIKE, c->alike);
}

static void
test_solids (DeviceKind kind)
{
  static const char *const names[] = {"mug", "house", "drill"};
  Count c = {0};
  AUTO (Shapes) s;
  AUTO (Bench) b;

  shapes_open (&s, names, NULL, 3, 1, false);
  bench_open (&b, kind, &s);
  for (uint64_t seed = 1; seed <= 2; seed++)
    run (&b, seed, true, &c);
  print_count (&c);
  check (c.wanted >= 4);
  check (c.found[MESHES] >= c.wanted - 1);
  check (c.both == c.found[MESHES]);
  for (int way = 0; way < N_WAYS; way++)
    check (c.told[way] - c.right[way] <= 1);
}

/* Scenes to look at, by some threads. */
typedef struct {
  const Shapes *shapes;
  DeviceKind device;
  uint64_t first;
  int scenes, threads;
  Count *of; /* of each thread */
} Task;

/* Scenes @thread, @thread + threads and so on of the task. */
static void
run_thread (void *data, int thread, int end)
{
  const Task *t = data;

  for (; thread < end; thread++) {
    AUTO (Bench) b;

    bench_open (&b, t->device, t->shapes);
    for (int i = thread; i < t->scenes; i += t->threads)
      run (&b, t->first + (uint64_t) i, true, &t->of[thread]);
  }
}

static void
add_count (Count *c, const Count *of)
{
  c->wanted += of->wanted, c->both += of->both, c->alike += of->alike;
  for (int way = 0; way < N_WAYS; way++) {
    c->found[way] += of->found[way];
    c->told[way] += of->told[way];
    c->right[way] += of->right[way];
  }
  c->apart += of->apart;
  c->worst = fmax (c->worst, of->worst);
}

static void
run_scenes (const Shapes *s, uint64_t first, int scenes, Count *c)
{
  int processors = (int) sysconf (_SC_NPROCESSORS_ONLN);
  Task t = {.shapes = s,
      .device = device_cuda_probe () ? DEVICE_CPU : DEVICE_CUDA,
      .first = first,
      .scenes = scenes,
      .threads = scenes < processors ? scenes : processors};

  t.of = calloc ((size_t) t.threads, sizeof *t.of);
  parallel_for (t.threads, 1, run_thread, &t);
  for (int i = 0; i < t.threads; i++)
    add_count (c, &t.of[i]);
  free (t.of);
}

static int
bench (int argc, char **argv)
{
  static const char *const lmo[] = {"lmo_frame3/models/obj_000001.ply",
      "lmo_frame3/models/obj_000005.ply", "lmo_frame3/models/obj_000006.ply",
      "lmo_frame3/models/obj_000008.ply", "lmo_frame3/models/obj_000009.ply",
      "lmo_frame3/models/obj_000010.ply", "lmo_frame3/models/obj_000011.ply",
      "lmo_frame3/models/obj_000012.ply"};
  static const char *const ycb[] = {"ycbv/models/002_master_chef_can",
      "ycbv/models/003_cracker_box", "ycbv/models/006_mustard_bottle",
      "ycbv/models/009_gelatin_box", "ycbv/models/010_potted_meat_can",
      "ycbv/models/035_power_drill", "ycbv/models/061_foam_brick"};
  const char *data = getenv ("VISION_TEST_DATA");
  const char *part = argc > 2 ? argv[2] : "choose";
  bool report = !strncmp (part, "report", 6);
  int n = report ? 7 : 8, n_scenes = argc > 3 ? atoi (argv[3]) : 20;
  char mesh[MAX_SHAPES][1024], cloud[MAX_SHAPES][1024];
  const char *names[MAX_SHAPES], *clouds[MAX_SHAPES];
  Count c = {0};
  Shapes s;

  if (!data)
    return printf ("VISION_TEST_DATA names no data\n"), 1;
  for (int i = 0; i < n; i++) {
    snprintf (mesh[i], sizeof mesh[i], "%s/pose/%s%s", data,
        report ? ycb[i] : lmo[i], report ? ".ply" : "");
    snprintf (cloud[i], sizeof cloud[i], "%s/pose/%s.xyz", data, ycb[i % 7]);
    names[i] = mesh[i], clouds[i] = cloud[i];
  }
  shapes_open (&s, names, report ? clouds : NULL, n, report ? 1 : .001,
      strstr (part, "-seeds") != NULL);
  run_scenes (&s, report ? 50000 : 60000, n_scenes, &c);
  print_count (&c);
  shapes_close (&s);
  return check_failures != 0;
}

CHECK_MAIN (NULL, bench, PART (solids))
