/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * scopedetect on generated scenes in which most of the models are not there:
 * the ten solids of scene/clutter.h and, where VISION_TEST_DATA names them,
 * LM-O's eight meshes, 4 to 8 of them on the table, depth too large by 0 to
 * 7 mm, a quarter of the frames without colour and a quarter of the models.
 * The seeds are in two parts: weights are chosen on `choose`, and `report` is
 * for figures alone.  `--bench PART [SCENES [PRESET]]` prints those of each
 * explanation, with intervals of 95 % from a bootstrap over scenes.  `--bench
 * many [SCENES]` is of six of 50 models, `--bench instances [SCENES]` of two to
 * four of one solid among two others, of which its model alone is given.
 * `--bench seeds [SCENES]` says how alike the answers to 20 seeds are, `--bench
 * energy [SCENES]` what the search for an explanation reaches, `--bench table
 * [SCENES]` fills the thesis's table 2.1 by `report`'s scenes, `--bench times
 * [SCENES [MODELS]]` how long a frame takes, with max-models, `--bench rest
 * [SCENES]` how long, and what is found, where one more object is put into a
 * video and what the followed ones leave is searched.  `--bench votes
 * [SCENES [many]]` says what is found where some of 18 models are
 * searched for, or of the 50.  Benchmarks run on the GPU if there is one,
 * and but for `times` and `rest` a thread looks at scenes of its own. */
#include <math.h>
#include <unistd.h>

#include "seconds.h"
#include "scopedetect/explain/record.h"
#include "scopedetect/scopedetect_detector.h"
#include "scopedetect_table.h"
#include "scopedetect_ways.h"

#define SOLIDS 10
#define MAX_MODELS 50
#define MAX_INSTANCES 4
#define MAX_SCENES 1000
#define VISIBLE .25 /* what counts as there to be found */

/* Which of the models are looked for. */
typedef enum {
  ALL,
  HALF, /* a random half of them */
  OWN,  /* those of the scene */
  N_GIVEN
} Given;

static const char *const given_name[] = {"all", "half of them", "its own"};

/* Of a scene: objects that are @wanted, and those of them that were @found;
 * objects that were reported (@told), and those of them that are right. */
typedef struct {
  int wanted, found, told, right;
} Count;

/* What was told, for its score. */
typedef struct {
  double score;
  bool right;
} Told;

typedef struct {
  int n_models, max_objects;
  int n_ways, n_given; /* how many of them are looked at: the first ones */
  Preset preset;
  TableScene scene;
  ScopedetectModel *model[MAX_MODELS];
  Scopedetect *detector[2]; /* of models with colour, and without */
  int n_scenes;
  Count count[N_GIVEN][N_WAYS][MAX_SCENES];
  Count ceiling[MAX_SCENES]; /* found: among a model's candidates */
  Told *told[N_GIVEN][N_WAYS];
  int n_told[N_GIVEN][N_WAYS];
} Bench;

/* ---- Models and scenes ---- */

/* Names of solids and, with @meshes, of files to @names; returns how many. */
static int
list_shapes (const char *names[MAX_MODELS], bool meshes)
{
  static const int lmo[] = {1, 5, 6, 8, 9, 10, 11, 12};
  static char path[8][1024];
  const char *data = meshes ? getenv ("VISION_TEST_DATA") : NULL;
  int n = 0;

  for (; clutter_solids[n]; n++)
    names[n] = clutter_solids[n];
  for (int i = 0; data && i < 8; i++) {
    snprintf (path[i], sizeof path[i], "%s/pose/lmo_frame3/models/obj_%06d.ply",
        data, lmo[i]);
    if (!access (path[i], R_OK))
      names[n++] = path[i];
  }
  return n;
}

static void
compile (Bench *b, int i, const char *name)
{
  ScopedetectCompile how = SCOPEDETECT_COMPILE_DEFAULTS;
  bool solid = strchr (name, '/') == NULL;
  AUTO (Mesh) mesh;

  how.unit = solid ? 1 : .001;
  ok (solid ? clutter_solid_mesh (&mesh, name) : mesh_read (&mesh, name));
  ok (scopedetect_model_compile (&b->model[i], &mesh, name, &how));
}

static void
new_detector (Bench *b, int which)
{
  for (int i = 0; i < b->n_models; i++)
    b->model[i]->shape.has_colour &= !which;
  ok (scopedetect_new (&b->detector[which], &b->scene.dev, WIDTH, HEIGHT,
      (const ScopedetectModel *const *) b->model, b->n_models));
}

/* For scenes of the models of @n @names. */
static void
bench_open (Bench *b, DeviceKind kind, const char *const *names, int n)
{
  memset (b, 0, sizeof *b);
  b->n_models = n;
  b->max_objects = 1;
  b->n_ways = N_EXPLAINED;
  b->n_given = N_GIVEN;
  table_open (&b->scene, kind, names, n, .001);
  for (int i = 0; i < n; i++)
    compile (b, i, names[i]);
  for (int k = 0; k < 2; k++)
    new_detector (b, k);
  for (int i = 0; i < N_GIVEN * N_WAYS; i++)
    b->told[i / N_WAYS][i % N_WAYS] =
        malloc (sizeof (Told) * MAX_SCENES * MAX_MODELS);
}

static void
bench_close (Bench *b)
{
  for (int k = 0; k < 2; k++)
    scopedetect_free (b->detector[k]);
  for (int i = 0; i < N_GIVEN * N_WAYS; i++)
    free (b->told[i / N_WAYS][i % N_WAYS]);
  for (int i = 0; i < b->n_models; i++)
    scopedetect_model_free (b->model[i]);
  table_close (&b->scene);
}

/* Draws scene @seed of @n_objects to device memory; what to look by goes to @p
 * and @frame.  Returns who is to look. */
static Scopedetect *
draw (Bench *b, uint64_t seed, int n_objects, ScopedetectParams *p,
    ScopedetectFrame *frame)
{
  ClutterParams scene = clutter_defaults ();
  bool colour = random_below (seed, 2, 4) > 0;

  scene.seed = seed;
  scene.n_objects = n_objects;
  scene.depth_bias = random_below (seed, 1, 8) / 1000.;
  *frame = table_draw (&b->scene, &scene, 0);
  frame->color = colour ? frame->color : NULL;
  *p = table_params (&b->scene, b->preset);
  if (b->max_objects > 1)
    p->max_objects = b->max_objects;
  return b->detector[random_below (seed, 3, 4) == 0];
}

/* Looks for all models in scene @seed of @n_objects, as @way ranks poses, the
 * detector's own draws by @own_seed; returns who did. */
static Scopedetect *
look_again (Bench *b, uint64_t seed, int n_objects, int way, uint64_t own_seed)
{
  ScopedetectFrame frame;
  ScopedetectParams p;
  ScopedetectResults r;
  Scopedetect *s = draw (b, seed, n_objects, &p, &frame);

  p.explain = SCOPEDETECT_EACH;
  way_rank (&p, way);
  p.seed = own_seed;
  ok (observe_and_search (s, &p, &frame, &r));
  return s;
}

static Scopedetect *
look (Bench *b, uint64_t seed, int n_objects)
{
  return look_again (b, seed, n_objects, WAY_ONE_STAGE, 0);
}

/* ---- What is right ---- */

static bool
is_wanted (const SceneThing *o)
{
  return (double) o->seen.area >= VISIBLE * (double) o->seen.full_area;
}

static bool
is_there (const Bench *b, int model)
{
  for (int i = 0; i < b->scene.truth.n_objects; i++)
    if (b->scene.truth.objects[i].shape == model)
      return true;
  return false;
}

static bool
is_given (const Bench *b, int model, Given given, uint64_t seed)
{
  return given == ALL || (given == OWN && is_there (b, model)) ||
      (given == HALF && random_below (seed, 100 + (uint64_t) model, 2));
}

/* The objects of @s to @c; each to @told, which may be NULL. */
static void
count (const Bench *b, const Scopedetect *s, const bool *looked_for, Count *c,
    Told *told)
{
  bool found[CLUTTER_MAX_OBJECTS] = {false};

  memset (c, 0, sizeof *c);
  for (int i = 0; i < s->n_objects; i++) {
    const ScopedetectObject *o = &s->objects[i];
    int at = table_find (&b->scene, b->model[o->model], o->model, o->pose);
    bool right = at >= 0 && !found[at];

    if (right)
      found[at] = true;
    c->told++;
    c->right += right;
    if (told)
      told[i] = (Told){o->score, right};
  }
  for (int i = 0; i < b->scene.truth.n_objects; i++)
    if (is_wanted (&b->scene.truth.objects[i]) &&
        looked_for[b->scene.truth.objects[i].shape])
      c->wanted++, c->found += found[i];
}

/* Whether a right pose is among the candidates at all. */
static void
count_ceiling (const Bench *b, const Scopedetect *s, Count *c)
{
  memset (c, 0, sizeof *c);
  for (int i = 0; i < b->scene.truth.n_objects; i++) {
    int model = b->scene.truth.objects[i].shape;
    bool found = false;

    if (!is_wanted (&b->scene.truth.objects[i]))
      continue;
    for (int k = 0; k < s->found.by[0].n[model] && k < s->params.candidates;
         k++) {
      const Pose *p =
          &s->found.by[0].hypothesis[model * SCOPEDETECT_FOUND + k].pose;
      double pose[] = {p->t.x, p->t.y, p->t.z, p->q.w, p->q.x, p->q.y, p->q.z};

      found |= table_find (&b->scene, b->model[model], model, pose) >= 0;
    }
    c->wanted++;
    c->found += found;
  }
}

/* What is told by way @k of the models @given. */
static void
tell (Bench *b, Scopedetect *s, int k, Given given, uint64_t seed)
{
  ScopedetectParams preset;
  bool looked_for[MAX_MODELS];
  int n[MAX_MODELS];

  preset = preset_params (b->preset);
  memcpy (n, s->found.by[0].n, (size_t) b->n_models * sizeof *n);
  for (int m = 0; m < b->n_models; m++) {
    looked_for[m] = is_given (b, m, given, seed);
    s->found.by[0].n[m] = looked_for[m] ? n[m] : 0;
  }
  way_choose (&s->params, &preset, k);
  ok (scopedetect_decide_frame (s));
  count (b, s, looked_for, &b->count[given][k][b->n_scenes],
      b->told[given][k] + b->n_told[given][k]);
  b->n_told[given][k] += s->n_objects;
  memcpy (s->found.by[0].n, n, (size_t) b->n_models * sizeof *n);
}

static void
run (Bench *b, uint64_t seed, int n_objects)
{
  Scopedetect *s = look (b, seed, n_objects);

  count_ceiling (b, s, &b->ceiling[b->n_scenes]);
  for (int k = 0; k < b->n_ways; k++) {
    if (k == WAY_BASELINE)
      s = look_again (b, seed, n_objects, k, 0);
    for (int given = 0; given < b->n_given; given++)
      tell (b, s, k, (Given) given, seed);
  }
  b->n_scenes++;
}

/* ---- Figures ---- */

typedef enum { RECALL, PRECISION } Figure;

static double
figure (const Count *c, Figure of)
{
  int part = of == RECALL ? c->found : c->right;
  int all = of == RECALL ? c->wanted : c->told;

  return all ? 100. * part / all : 100;
}

/* Scene @i of drawing @draw of a bootstrap; those of drawing 0 are the scenes
 * themselves. */
static int
drawn (int draw, int i, int n)
{
  return draw ? (int) random_below ((uint64_t) draw, (uint64_t) i, (uint32_t) n)
              : i;
}

static double
figure_of (const Count *scene, int n, Figure of, int draw)
{
  Count sum = {0, 0, 0, 0};

  for (int i = 0; i < n; i++) {
    const Count *c = &scene[drawn (draw, i, n)];

    sum.wanted += c->wanted, sum.found += c->found;
    sum.told += c->told, sum.right += c->right;
  }
  return figure (&sum, of);
}

#define DRAWS 1000

/* A figure of @scene, less that of @than where that is not NULL, with its
 * interval. */
static void
print_figure (const Count *scene, const Count *than, int n, Figure of)
{
  double value[DRAWS + 1];

  for (int draw = 0; draw <= DRAWS; draw++)
    value[draw] = figure_of (scene, n, of, draw) -
        (than ? figure_of (than, n, of, draw) : 0);
  printf (than ? " %+6.1f" : " %6.1f", value[0]);
  qsort (value + 1, DRAWS, sizeof *value, bench_compare);
  printf (than ? " [%+.1f, %+.1f]" : " [%.1f, %.1f]",
      value[1 + (int) (.025 * DRAWS)], value[(int) (.975 * DRAWS)]);
}

static void
print_counts (const char *name, const Count *scene, int n)
{
  Count sum = {0, 0, 0, 0};

  for (int i = 0; i < n; i++) {
    sum.wanted += scene[i].wanted, sum.found += scene[i].found;
    sum.told += scene[i].told, sum.right += scene[i].right;
  }
  printf ("  %-10s %4d of %4d found, %3d wrong; recall", name, sum.found,
      sum.wanted, sum.told - sum.right);
  print_figure (scene, NULL, n, RECALL);
  printf (", precision");
  print_figure (scene, NULL, n, PRECISION);
  printf ("\n");
}

static int
by_score (const void *a, const void *b)
{
  return bench_compare (&((const Told *) a)->score, &((const Told *) b)->score);
}

/* The chance that a right one scores higher than a wrong one. */
static double
area_under_curve (const Told *t, int n)
{
  double sum = 0, right = 0;

  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (t[i].right && !t[j].right)
        sum += t[i].score > t[j].score ? 1 : t[i].score == t[j].score ? .5 : 0;
  for (int i = 0; i < n; i++)
    right += t[i].right;
  return right > 0 && right < n ? sum / (right * (n - right)) : NAN;
}

#define BINS 10

/* Expected calibration error: how far scores are from the share of right ones,
 * on average over ten parts with as many objects. */
static double
calibration_error (Told *t, int n)
{
  double sum = 0;

  qsort (t, (size_t) n, sizeof *t, by_score);
  for (int k = 0; k < BINS; k++) {
    double score = 0, right = 0;

    for (int i = k * n / BINS; i < (k + 1) * n / BINS; i++)
      score += t[i].score, right += t[i].right;
    sum += fabs (score - right);
  }
  return n ? sum / n : NAN;
}

static void
print_score (const char *name, Told *told, int n)
{
  printf ("  score of %s: calibration error %.3f, area under the curve %.3f of "
          "%d\n",
      name, calibration_error (told, n), area_under_curve (told, n), n);
}

static void
print (Bench *b)
{
  int n = b->n_scenes;

  printf ("%d scenes, %d models\n", n, b->n_models);
  print_counts ("ceiling", b->ceiling, n);
  for (int given = 0; given < b->n_given; given++) {
    printf ("given %s\n", given_name[given]);
    for (int k = 0; k < b->n_ways; k++)
      print_counts (way_name[k], b->count[given][k], n);
    for (int k = 1; k < N_EXPLAINED; k++) {
      printf ("  %s less %s: recall", way_name[k], way_name[k - 1]);
      print_figure (b->count[given][k], b->count[given][k - 1], n, RECALL);
      printf (", precision");
      print_figure (b->count[given][k], b->count[given][k - 1], n, PRECISION);
      printf ("\n");
    }
    for (int k = 0; k < N_EXPLAINED; k++)
      print_score (way_name[k], b->told[given][k], b->n_told[given][k]);
  }
}

/* ---- Scenes side by side ---- */

/* Scenes to look at, from the first seed on, with models of the names; of some
 * objects each, or 0: of 4 to 8.  Each of some threads has a bench of its own.
 */
typedef struct {
  DeviceKind device;
  Preset preset;
  const char *const *names;
  int n_names, scenes, n_objects, threads;
  bool table; /* that of the thesis: all ways */
  uint64_t first;
  Bench *bench; /* of each thread */
} Task;

static int
threads_for (int scenes)
{
  int processors = (int) sysconf (_SC_NPROCESSORS_ONLN);

  return scenes < processors ? scenes : processors;
}

/* Scenes @thread, @thread + threads and so on of the task. */
static void
run_thread (void *data, int thread, int end)
{
  const Task *t = data;

  for (; thread < end; thread++) {
    Bench *b = &t->bench[thread];

    bench_open (b, t->device, t->names, t->n_names);
    b->preset = t->preset;
    if (t->table)
      b->n_ways = N_WAYS,
      b->n_given = t->preset == PRESET_THESIS ? ALL + 1 : HALF + 1;
    for (int i = thread; i < t->scenes; i += t->threads) {
      uint64_t seed = t->first + (uint64_t) i;

      run (b, seed,
          t->n_objects ? t->n_objects : 4 + (int) random_below (seed, 0, 5));
    }
  }
}

/* Adds what @of has counted to @b. */
static void
add_counts (Bench *b, const Bench *of)
{
  for (int i = 0; i < of->n_scenes; i++)
    b->ceiling[b->n_scenes + i] = of->ceiling[i];
  for (int given = 0; given < N_GIVEN; given++)
    for (int k = 0; k < N_WAYS; k++) {
      int *n = &b->n_told[given][k];

      memcpy (b->count[given][k] + b->n_scenes, of->count[given][k],
          (size_t) of->n_scenes * sizeof (Count));
      memcpy (b->told[given][k] + *n, of->told[given][k],
          (size_t) of->n_told[given][k] * sizeof (Told));
      *n += of->n_told[given][k];
    }
  b->n_scenes += of->n_scenes;
}

/* Figures of the scenes of a task, of which threads and benches are not set. */
static int
bench_scenes (Task t)
{
  t.threads = threads_for (t.scenes);
  t.bench = calloc ((size_t) t.threads, sizeof *t.bench);
  parallel_for (t.threads, 1, run_thread, &t);
  for (int i = 1; i < t.threads; i++) {
    add_counts (&t.bench[0], &t.bench[i]);
    bench_close (&t.bench[i]);
  }
  print (&t.bench[0]);
  bench_close (&t.bench[0]);
  free (t.bench);
  return check_failures != 0;
}

/* ---- Several of one kind ---- */

static void
print_instances (const Count count[N_EXPLAINED][MAX_SCENES], int n)
{
  printf ("%d scenes of two to four of a solid\n", n);
  for (int k = 0; k < N_EXPLAINED; k++)
    print_counts (way_name[k], count[k], n);
}

/* @scenes of solid @kind, from @first on; each way's figures to @count. */
static void
run_instances (DeviceKind device, int kind, int scenes, uint64_t first,
    Count count_of[N_EXPLAINED][MAX_SCENES], int at)
{
  const char *names[MAX_INSTANCES + 2];
  bool looked_for[] = {true, false};
  AUTO_MEMORY Bench *b = malloc (sizeof *b);

  bench_open (b, device, &clutter_solids[kind], 1);
  b->max_objects = MAX_INSTANCES;
  for (int i = 0; i < scenes; i++, at++) {
    uint64_t seed = first + (uint64_t) i;
    int copies = 2 + (int) random_below (seed, 4, MAX_INSTANCES - 1);
    Scopedetect *s;

    for (int k = 0; k < copies + 2; k++)
      names[k] =
          clutter_solids[k < copies ? kind : (kind + 1 + k - copies) % SOLIDS];
    clutter_free (b->scene.clutter);
    ok (clutter_new (&b->scene.clutter, WIDTH, HEIGHT, names, copies + 2, 1));
    s = look (b, seed, copies + 2);
    for (int k = 0; k < copies + 2; k++) /* from names to models */
      b->scene.truth.objects[k].shape =
          b->scene.truth.objects[k].shape >= copies;
    for (int k = 0; k < N_EXPLAINED; k++) {
      s->params.explain = way_explain (k);
      ok (scopedetect_decide_frame (s));
      count (b, s, looked_for, &count_of[k][at], NULL);
    }
  }
  bench_close (b);
}

typedef struct {
  DeviceKind device;
  int each; /* scenes of a solid */
  Count (*count_of)[MAX_SCENES];
} Instances;

static void
run_kinds (void *data, int kind, int end)
{
  const Instances *t = data;

  for (; kind < end; kind++)
    run_instances (t->device, kind, t->each,
        41000 + (uint64_t) (kind * t->each), t->count_of, kind * t->each);
}

static int
bench_instances (DeviceKind device, int scenes)
{
  static Count count_of[N_EXPLAINED][MAX_SCENES];
  Instances t = {device, (scenes + SOLIDS - 1) / SOLIDS, count_of};

  parallel_for (SOLIDS, 1, run_kinds, &t);
  print_instances (
      (const Count (*)[MAX_SCENES]) (void *) count_of, SOLIDS * t.each);
  return check_failures != 0;
}

/* Whether the object at @pose is one of those that were reported. */
static bool
is_reported (const Scopedetect *s, const ScopedetectRecorded *pose)
{
  for (int i = 0; i < s->n_objects; i++)
    if (s->objects[i].model == pose->model &&
        !memcmp (s->objects[i].pose, pose->pose, sizeof pose->pose))
      return true;
  return false;
}

/* A record of a frame chooses what the frame's explanation did; of fewer
 * models, or where each object costs more than it can be worth, less. */
static void
check_record (Bench *b, uint64_t seed)
{
  Scopedetect *s = look (b, seed, 5);
  bool given[MAX_MODELS] = {false};
  int chosen[SCOPEDETECT_MAX_CHOSEN], n, all, objects = 0;

  for (int k = WAY_ONE_STAGE; k < N_EXPLAINED; k++) {
    ScopedetectParams *p = &s->params;
    const ScopedetectRecorded *pose;
    ScopedetectRecord *r;

    p->explain = way_explain (k);
    ok (scopedetect_decide_frame (s));
    ok (scopedetect_record_new (&r, s));
    pose = scopedetect_record_poses (r, &all);
    n = scopedetect_record_explain (r, p, NULL, false, chosen);
    for (int i = 0; i < n; i++) {
      bool is_told = pose[chosen[i]].score >= p->min_score;

      objects += is_told;
      check (chosen[i] < all);
      check (is_told == is_reported (s, &pose[chosen[i]]));
    }
    objects -= s->n_objects;
    check (
        n >= 3 && scopedetect_record_explain (r, p, given, false, chosen) == 0);
    given[pose[chosen[0]].model] = true;
    check (scopedetect_record_explain (r, p, given, false, chosen) == 1);
    given[pose[chosen[0]].model] = false;
    p->weight_object = p->first_weight_object = 10;
    check (scopedetect_record_explain (r, p, NULL, false, chosen) == 0);
    p->weight_object = p->first_weight_object = .06;
    scopedetect_record_free (r);
  }
  check (objects == 0);
}

/* A scene with a model of each solid, and one with three of a kind: no
 * object that is reported is wrong, and most of those in the frame are. */
static void
test_scenes (DeviceKind kind)
{
  static Count count_of[N_EXPLAINED][MAX_SCENES];
  const char *names[MAX_MODELS];
  Bench *b = malloc (sizeof *b);
  const Count *c;
  int n;

  n = list_shapes (names, false);
  bench_open (b, kind, names, n);
  b->n_ways = N_WAYS;
  run (b, 1, 4 + (int) random_below (1, 0, 5));
  print (b);
  c = b->count[ALL][WAY_ONE_STAGE];
  check (c->wanted >= 4 && c->found >= c->wanted - 1 && c->right == c->told);
  check (b->count[ALL][WAY_TWO_STAGE]->found >= c->found);
  for (int k = WAY_TWO_STAGE; k < N_WAYS; k++)
    check (b->count[ALL][k]->right == b->count[ALL][k]->told);
  check_record (b, 2);
  bench_close (b);
  free (b);
  run_instances (kind, 0, 1, 1, count_of, 0);
  print_instances ((const Count (*)[MAX_SCENES]) (void *) count_of, 1);
  c = count_of[WAY_ONE_STAGE];
  check (c->wanted >= 2 && c->found >= 2 && c->right == c->told);
}

/* ---- Fifty models ---- */

#define LARGER 1.25f
#define SMALLER .8f

/* Writes shape @name with its coordinates times @scale, which makes millimetres
 * of them, to a file in @folder, whose path goes to @path. */
static void
scale_shape (const char *name, float scale, const char *folder, int number,
    char path[64])
{
  AUTO (Mesh) mesh;
  bool solid = strchr (name, '/') == NULL;

  ok (solid ? clutter_solid_mesh (&mesh, name) : mesh_read (&mesh, name));
  for (size_t k = 0; k < 3 * (size_t) mesh.n; k++)
    mesh.x[k] *= scale;
  snprintf (path, 64, "%s/shape%d.ply", folder, number);
  ok (mesh_write (&mesh, path));
}

/* The ten solids, LM-O's eight meshes and YCB-Video's seven, and all of them
 * once more: solids larger, the others smaller. */
static int
write_shapes (const char *folder, char path[MAX_MODELS][64])
{
  static const char *const ycb[] = {"002_master_chef_can", "003_cracker_box",
      "006_mustard_bottle", "009_gelatin_box", "010_potted_meat_can",
      "035_power_drill", "061_foam_brick"};
  const char *names[MAX_MODELS], *data = getenv ("VISION_TEST_DATA");
  char file[1024];
  int n = 0, listed = list_shapes (names, true);

  for (int twice = 0; twice < 2; twice++) {
    for (int i = 0; i < listed; i++, n++)
      scale_shape (names[i],
          i < SOLIDS  ? 1000 * (twice ? LARGER : 1)
              : twice ? SMALLER
                      : 1,
          folder, n, path[n]);
    for (int i = 0; data && i < 7; i++, n++) {
      snprintf (file, sizeof file, "%s/pose/ycbv/models/%s.ply", data, ycb[i]);
      scale_shape (file, 1000 * (twice ? SMALLER : 1), folder, n, path[n]);
    }
  }
  return n;
}

/* Files of those fifty; fewer with no meshes. */
typedef struct {
  char folder[32], path[MAX_MODELS][64];
  const char *names[MAX_MODELS];
  int n;
} Files;

static Files *
files_new (void)
{
  Files *f = calloc (1, sizeof *f);

  strcpy (f->folder, "/tmp/scopedetectXXXXXX");
  check (mkdtemp (f->folder) != NULL);
  f->n = write_shapes (f->folder, f->path);
  for (int i = 0; i < f->n; i++)
    f->names[i] = f->path[i];
  return f;
}

static void
files_free (Files *f)
{
  for (int i = 0; i < f->n; i++)
    unlink (f->path[i]);
  rmdir (f->folder);
  free (f);
}

static Task
task_of_many (DeviceKind device, const Files *f, int scenes)
{
  return (Task){.device = device,
      .names = f->names,
      .n_names = f->n,
      .scenes = scenes,
      .n_objects = 6,
      .first = 50000};
}

static int
bench_many (DeviceKind device, int scenes)
{
  Files *f = files_new ();
  int status = bench_scenes (task_of_many (device, f, scenes));

  files_free (f);
  return status;
}

/* ---- Votes ---- */

static const int most_models[] = {0, 6, 8, 10, 12, 14, 16, 20, 24, 32};

#define N_MOST 10

/* Of each scene, with each number of models: wanted objects whose models were
 * searched for (found), and what is told with one stage and with two. */
typedef struct {
  Task task;
  Count searched[N_MOST][MAX_SCENES], count[N_MOST][2][MAX_SCENES];
} Votes;

/* Of the wanted objects of a scene that was searched, those whose models were
 * searched for in stage 1. */
static void
count_searched (const Bench *b, const Scopedetect *s, Count *c)
{
  memset (c, 0, sizeof *c);
  for (int i = 0; i < b->scene.truth.n_objects; i++) {
    const SceneThing *o = &b->scene.truth.objects[i];

    c->wanted += is_wanted (o);
    for (int k = 0; k < s->n_searched; k++)
      c->found += is_wanted (o) && s->chosen[k] == o->shape;
  }
}

static void
run_votes (Votes *v, Bench *b, int scene)
{
  uint64_t seed = v->task.first + (uint64_t) scene;
  int n = v->task.n_objects;
  bool all[MAX_MODELS];
  ScopedetectFrame frame;
  ScopedetectParams p;
  ScopedetectResults r;
  Scopedetect *s =
      draw (b, seed, n ? n : 4 + (int) random_below (seed, 0, 5), &p, &frame);

  memset (all, true, sizeof all);
  for (int k = 0; k < N_MOST && most_models[k] < b->n_models; k++)
    for (int two = 0; two < 2; two++) {
      p.max_models = most_models[k];
      p.explain = two ? SCOPEDETECT_TWO_STAGE : SCOPEDETECT_ONE_STAGE;
      ok (observe_and_search (s, &p, &frame, &r));
      count_searched (b, s, &v->searched[k][scene]);
      count (b, s, all, &v->count[k][two][scene], NULL);
    }
}

static void
run_votes_thread (void *data, int thread, int end)
{
  Votes *v = data;

  for (; thread < end; thread++) {
    AUTO_MEMORY Bench *b = malloc (sizeof *b);

    bench_open (b, v->task.device, v->task.names, v->task.n_names);
    for (int i = thread; i < v->task.scenes; i += v->task.threads)
      run_votes (v, b, i);
    bench_close (b);
  }
}

static void
print_votes (const Votes *v)
{
  int n = v->task.scenes;

  printf ("%d scenes, %d models\n", n, v->task.n_names);
  for (int k = 0; k < N_MOST && most_models[k] < v->task.n_names; k++) {
    printf (
        "max-models=%d: models of wanted objects searched for", most_models[k]);
    print_figure (v->searched[k], NULL, n, RECALL);
    printf ("\n");
    for (int two = 0; two < 2; two++) {
      print_counts (way_name[WAY_ONE_STAGE + two], v->count[k][two], n);
      if (!k)
        continue;
      printf ("  less that of all: recall");
      print_figure (v->count[k][two], v->count[0][two], n, RECALL);
      printf (", precision");
      print_figure (v->count[k][two], v->count[0][two], n, PRECISION);
      printf ("\n");
    }
  }
}

/* The scenes of @t, whose threads are not set. */
static int
bench_votes (Task t)
{
  static Votes v;

  t.threads = threads_for (t.scenes);
  v.task = t;
  parallel_for (t.threads, 1, run_votes_thread, &v);
  print_votes (&v);
  return check_failures != 0;
}

static int
bench_votes_of_many (DeviceKind device, int scenes)
{
  Files *f = files_new ();
  int status = bench_votes (task_of_many (device, f, scenes));

  files_free (f);
  return status;
}

/* ---- Times ---- */

#define TIMES 9

/* The middle one of TIMES searches of scene @seed, milliseconds; of as many
 * frames that follow what was found to @tracked. */
static double
time_scene (Bench *b, uint64_t seed, ScopedetectExplained explain,
    int max_models, double *tracked)
{
  ScopedetectObject found[MAX_MODELS];
  double run[TIMES], track[TIMES];
  ScopedetectFrame frame;
  ScopedetectParams p;
  ScopedetectResults r;
  Scopedetect *s =
      draw (b, seed, 4 + (int) random_below (seed, 0, 5), &p, &frame);
  int n;

  p.explain = explain;
  p.max_models = max_models;
  ok (observe_and_search (s, &p, &frame, &r));
  memcpy (found, r.objects, (size_t) (n = r.n_objects) * sizeof *found);
  for (int i = 0; i < TIMES; i++) {
    run[i] = seconds ();
    ok (observe_and_search (s, &p, &frame, &r));
    run[i] = seconds () - run[i];
  }
  for (int i = 0; i < TIMES; i++) {
    track[i] = seconds ();
    ok (observe_and_track (s, &p, &frame, found, n, &r));
    track[i] = seconds () - track[i];
  }
  *tracked = 1e3 * bench_median (track, TIMES);
  return 1e3 * bench_median (run, TIMES);
}

/* How long 18 models take, those of `report` or, without its meshes, solids
 * alone. */
static int
bench_times (DeviceKind device, int scenes, int max_models)
{
  static const char *const presets[] = {"fast", "thorough"};
  static double run[MAX_SCENES], track[MAX_SCENES];
  Bench *b = malloc (sizeof *b);
  Files *f = files_new ();

  bench_open (b, device, f->names, f->n < 18 ? f->n : 18);
  files_free (f);
  for (int i = 0; i < 2 * N_EXPLAINED; i++) {
    int way = i % N_EXPLAINED;

    b->preset = (Preset) (i / N_EXPLAINED);
    for (int k = 0; k < scenes; k++)
      run[k] = time_scene (
          b, 30000 + (uint64_t) k, way_explain (way), max_models, &track[k]);
    printf ("%d of %d models, %s, %s: ms a frame, median of %d scenes %.2f, "
            "tracked %.2f;",
        max_models ? max_models : b->n_models, b->n_models,
        presets[i / N_EXPLAINED], way_name[way], scenes,
        bench_median (run, scenes), bench_median (track, scenes));
    printf (" most %.2f, %.2f\n", run[scenes - 1], track[scenes - 1]);
    fflush (stdout);
  }
  bench_close (b);
  free (b);
  return check_failures != 0;
}

/* ---- One more object in a video ---- */

#define PUT_IN 60     /* the frame */
#define REST_FRAMES 3 /* in which all models are searched for */

/* Of one scene: milliseconds of a frame that is followed, of the slowest in
 * which the rest is searched, and of one that is searched as a whole; with the
 * time of all threads, too. */
typedef struct {
  double followed[2], rest[2], whole[2];
} Times;

typedef struct {
  Bench *b;
  ScopedetectObject object[MAX_MODELS]; /* of the newest frame */
  int n;
  bool is_other; /* a search of the rest has changed a followed object */
} Video;

/* Draws frame @number of the scene @seed; the last object is there from frame
 * PUT_IN on. */
static ScopedetectFrame
draw_video (Video *v, uint64_t seed, uint64_t number, ScopedetectParams *p)
{
  ClutterParams scene = clutter_defaults ();
  ScopedetectFrame frame;

  scene.seed = seed;
  scene.n_objects = 7;
  scene.n_absent = number < PUT_IN;
  scene.scene_frames = 1000;
  scene.depth_bias = random_below (seed, 1, 8) / 1000.;
  frame = table_draw (&v->b->scene, &scene, number);
  *p = table_params (&v->b->scene, v->b->preset);
  return frame;
}

static void
take_objects (Video *v, const ScopedetectResults *r)
{
  memcpy (v->object, r->objects, (size_t) r->n_objects * sizeof *r->objects);
  v->n = r->n_objects;
}

/* Whether all followed objects are in @r as they were. */
static bool
are_all_in (const Video *v, const ScopedetectResults *r)
{
  int n = 0;

  for (int k = 0; k < v->n; k++)
    for (int i = 0; i < r->n_objects; i++)
      n += r->objects[i].model == v->object[k].model &&
          r->objects[i].score == v->object[k].score &&
          !memcmp (
              r->objects[i].pose, v->object[k].pose, sizeof v->object[k].pose);
  return n == v->n;
}

/* Searches the rest for part @part of the models without object. */
static void
search_part (Video *v, int part)
{
  int models[MAX_MODELS], n = 0, missing = 0;
  ScopedetectResults r;

  for (int m = 0; m < v->b->n_models; m++) {
    bool is_there = false;

    for (int k = 0; k < v->n; k++)
      is_there |= v->object[k].model == m;
    if (!is_there && missing++ % REST_FRAMES == part)
      models[n++] = m;
  }
  ok (scopedetect_search_rest (v->b->detector[0], models, n, &r));
  v->is_other |= !are_all_in (v, &r);
  take_objects (v, &r);
}

/* Follows the objects in frame @number of scene @seed, searches part @part of
 * the rest, if not negative, and returns the time, wall's and all threads'. */
static void
follow_video (Video *v, uint64_t seed, int number, int part, double ms[2])
{
  ScopedetectParams p;
  ScopedetectFrame f = draw_video (v, seed, (uint64_t) number, &p);
  double wall = seconds (), cpu = cpu_seconds ();
  ScopedetectResults r;

  ok (observe_and_track (v->b->detector[0], &p, &f, v->object, v->n, &r));
  take_objects (v, &r);
  if (part >= 0)
    search_part (v, part);
  ms[0] = fmax (ms[0], 1e3 * (seconds () - wall));
  ms[1] = fmax (ms[1], 1e3 * (cpu_seconds () - cpu));
}

static void
search_video (Video *v, uint64_t seed, uint64_t number, double ms[2])
{
  ScopedetectParams p;
  ScopedetectFrame f = draw_video (v, seed, number, &p);
  double wall = seconds (), cpu = cpu_seconds ();
  ScopedetectResults r;

  ok (observe_and_search (v->b->detector[0], &p, &f, &r));
  take_objects (v, &r);
  ms[0] = 1e3 * (seconds () - wall);
  ms[1] = 1e3 * (cpu_seconds () - cpu);
}

/* Adds to @c whether the object that was put in is found, and what else is
 * reported of models that are not in @before. */
static void
count_put_in (const Video *v, const Video *before, Count *c)
{
  const TableScene *t = &v->b->scene;
  int last = t->truth.n_objects - 1;
  bool found = false;

  for (int i = 0; i < v->n; i++) {
    const ScopedetectObject *o = &v->object[i];
    bool is_new = true;
    int at = table_find (t, v->b->model[o->model], o->model, o->pose);

    for (int k = 0; k < before->n; k++)
      is_new &= before->object[k].model != o->model;
    found |= at == last;
    c->told += is_new;
    c->right += is_new && at >= 0;
  }
  if (is_wanted (&t->truth.objects[last]))
    c->wanted++, c->found += found;
}

/* Follows scene @seed, into which one more object is put; counts what is found
 * by a search of the rest, and by one of the whole frame. */
static Times
run_video (Bench *b, uint64_t seed, Count *rest, Count *whole)
{
  Video v = {.b = b}, before;
  Times t = {{0}, {0}, {0}};

  search_video (&v, seed, PUT_IN - 6, t.whole);
  for (int i = 5; i > 0; i--) {
    memset (t.followed, 0, sizeof t.followed);
    follow_video (&v, seed, PUT_IN - i, -1, t.followed);
  }
  before = v;
  for (int k = 0; k < REST_FRAMES; k++)
    follow_video (&v, seed, PUT_IN + k, k, t.rest);
  count_put_in (&v, &before, rest);
  check (!v.is_other);
  search_video (&v, seed, PUT_IN + REST_FRAMES, t.whole);
  count_put_in (&v, &before, whole);
  return t;
}

static int
compare_ratio (const void *a, const void *b)
{
  const Times *p = a, *q = b;
  double x = p->rest[0] / p->followed[0], y = q->rest[0] / q->followed[0];

  return (x > y) - (x < y);
}

static int
bench_rest (DeviceKind device, const char *const *names, int n, int scenes)
{
  Bench *b = malloc (sizeof *b);
  Times *t = malloc ((size_t) scenes * sizeof *t), *middle = &t[scenes / 2];
  Count rest = {0}, whole = {0};

  bench_open (b, device, names, n);
  if (device == DEVICE_CUDA)
    run_video (b, 19999, &(Count){0}, &(Count){0}); /* which warms up */
  for (int k = 0; k < scenes; k++)
    t[k] = run_video (b, 30000 + (uint64_t) k, &rest, &whole);
  qsort (t, (size_t) scenes, sizeof *t, compare_ratio);
  printf ("%d models, 7th object put in, %d scenes: found by a search of the "
          "rest %d of %d, of the whole %d; wrong new ones %d, %d\n",
      n, scenes, rest.found, rest.wanted, whole.found, rest.told - rest.right,
      whole.told - whole.right);
  printf ("  ms a frame (CPU time): followed %.2f (%.0f), the rest searched "
          "%.2f (%.0f), the whole %.2f (%.0f); rest to followed %.2f, at most "
          "%.2f\n",
      middle->followed[0], middle->followed[1], middle->rest[0],
      middle->rest[1], middle->whole[0], middle->whole[1],
      middle->rest[0] / middle->followed[0],
      t[scenes - 1].rest[0] / t[scenes - 1].followed[0]);
  bench_close (b);
  free (b);
  free (t);
  return check_failures != 0;
}

/* ---- Other seeds ---- */

#define SEEDS 20
#define SAME_PLACE .01 /* metres */
#define SAME_TURN 10.  /* degrees */

typedef struct {
  int n;
  ScopedetectObject object[MAX_MODELS];
} Answer;

/* Whether two poses are the same, but for turns that leave the model alike. */
static bool
is_same_pose (const ScopedetectShape *s, const ScopedetectObject *a,
    const ScopedetectObject *b)
{
  Pose p = pose_from (a->pose), q = pose_from (b->pose);
  Turn of_p = turn_of (p.q), of_q = turn_of (q.q);
  Vec apart = vec_sub (vec_transform (&of_p, p.t, s->centre),
      vec_transform (&of_q, q.t, s->centre));
  float most = 0;

  for (int i = 0; i < s->n_symmetries; i++)
    most = fmaxf (
        most, fabsf (quat_dot (quat_times (p.q, s->symmetry[i].q), q.q)));
  return vec_norm (apart) <= SAME_PLACE &&
      most >= cos (SAME_TURN / 2 * 3.14159265358979 / 180);
}

/* Objects come in the order of their models. */
static bool
is_same_answer (const Bench *b, const Answer *x, const Answer *y)
{
  if (x->n != y->n)
    return false;
  for (int i = 0; i < x->n; i++)
    if (x->object[i].model != y->object[i].model ||
        !is_same_pose (
            &b->model[x->object[i].model]->shape, &x->object[i], &y->object[i]))
      return false;
  return true;
}

/* Of pairs of two seeds' answers about scenes, how many are the same. */
typedef struct {
  DeviceKind device;
  const char *const *names;
  int n_names, scenes, threads, same[MAX_SCENES];
} Seeds;

static void
run_seeds (Seeds *t, Bench *b, int scene)
{
  Answer *answer = malloc (SEEDS * sizeof *answer);
  uint64_t first = 60000 + (uint64_t) scene;

  for (int k = 0; k < SEEDS; k++) {
    Scopedetect *s = look_again (b, first, 4 + (int) random_below (first, 0, 5),
        WAY_ONE_STAGE, (uint64_t) k);

    s->params.explain = SCOPEDETECT_ONE_STAGE;
    ok (scopedetect_decide_frame (s));
    answer[k].n = s->n_objects;
    memcpy (answer[k].object, s->objects,
        (size_t) s->n_objects * sizeof *s->objects);
  }
  for (int i = 0; i < SEEDS; i++)
    for (int j = 0; j < i; j++)
      t->same[scene] += is_same_answer (b, &answer[i], &answer[j]);
  free (answer);
}

static void
run_seeds_thread (void *data, int thread, int end)
{
  Seeds *t = data;

  for (; thread < end; thread++) {
    AUTO_MEMORY Bench *b = malloc (sizeof *b);

    bench_open (b, t->device, t->names, t->n_names);
    b->preset = PRESET_THOROUGH;
    for (int i = thread; i < t->scenes; i += t->threads)
      run_seeds (t, b, i);
    bench_close (b);
  }
}

static int
bench_seeds (
    DeviceKind device, const char *const *names, int n_names, int scenes)
{
  static Seeds t;
  int same = 0, worst = SEEDS * (SEEDS - 1) / 2;

  t = (Seeds){device, names, n_names, scenes, threads_for (scenes), {0}};
  parallel_for (t.threads, 1, run_seeds_thread, &t);
  for (int i = 0; i < scenes; i++) {
    same += t.same[i];
    worst = t.same[i] < worst ? t.same[i] : worst;
  }
  printf ("%d scenes, %d seeds: %d of %d pairs of answers are the same, in the "
          "worst scene %d of %d\n",
      scenes, SEEDS, same, scenes * SEEDS * (SEEDS - 1) / 2, worst,
      SEEDS * (SEEDS - 1) / 2);
  return check_failures != 0;
}

/* ---- Energy ---- */

/* The best energy that @s finds among the candidates of its frame, by the
 * schedule of the thesis or by that of the defaults; its steps to @steps. */
static int64_t
best_energy (Scopedetect *s, bool thesis, double *steps)
{
  const ScopedetectCandidates *c = &s->candidates;
  ScopedetectAssignment best;
  ScopedetectAssignTask task;
  ScopedetectParams p;

  p = scopedetect_defaults ();
  if (thesis) {
    p.schedule = SCOPEDETECT_SCHEDULE_THESIS;
    p.restarts = 50;
  }
  task = scopedetect_assign_task (&p, c->n, false);
  task.candidate = c->candidate;
  task.n_patches = s->found.patches.n;
  task.excludes = c->excludes;
  ok (scopedetect_assign (s->on_host, &task, &best));
  *steps = (double) task.searches * task.steps;
  return best.energy;
}

/* What the searches of the defaults reach in scenes, beside the schedule of
 * the thesis. */
static int
bench_reached (
    DeviceKind device, const char *const *names, int n_names, int scenes)
{
  Bench *b = malloc (sizeof *b);
  int higher = 0, lower = 0;
  double most = 0;

  bench_open (b, device, names, n_names);
  for (int i = 0; i < scenes; i++) {
    uint64_t seed = 30000 + (uint64_t) i;
    Scopedetect *s = look (b, seed, 4 + (int) random_below (seed, 0, 5));
    double steps, of_thesis;
    int64_t ours, other;

    s->params.explain = SCOPEDETECT_ONE_STAGE;
    ok (scopedetect_decide_frame (s));
    ours = best_energy (s, false, &steps);
    other = best_energy (s, true, &of_thesis);
    higher += ours > other;
    lower += ours < other;
    most = fmax (most, steps / of_thesis);
  }
  printf ("%d scenes, %d models, against the thesis's schedule: energy higher "
          "in %d, lower in %d, in %.4f of the steps at most\n",
      scenes, n_names, higher, lower, most);
  bench_close (b);
  free (b);
  return check_failures != 0;
}

static int
bench (int argc, char **argv)
{
  const char *part = argc > 2 ? argv[2] : "report", *names[MAX_MODELS];
  int scenes = argc > 3 ? atoi (argv[3]) : 60, n = list_shapes (names, true);
  DeviceKind device = device_cuda_probe () ? DEVICE_CPU : DEVICE_CUDA;

  scenes = scenes < MAX_SCENES ? scenes : MAX_SCENES - SOLIDS;
  if (!strcmp (part, "instances"))
    return bench_instances (device, scenes);
  if (!strcmp (part, "many"))
    return bench_many (device, scenes);
  if (!strcmp (part, "seeds"))
    return bench_seeds (device, names, n, scenes);
  if (!strcmp (part, "energy"))
    return bench_reached (device, names, n, scenes);
  if (!strcmp (part, "rest"))
    return bench_rest (device, names, n, scenes);
  if (!strcmp (part, "times"))
    return bench_times (device, scenes, argc > 4 ? atoi (argv[4]) : 0);
  if (!strcmp (part, "votes") && argc > 4)
    return bench_votes_of_many (device, scenes);
  if (!strcmp (part, "votes"))
    return bench_votes ((Task){.device = device,
        .names = names,
        .n_names = n,
        .scenes = scenes,
        .first = 30000});
  return bench_scenes ((Task){.device = device,
      .table = !strcmp (part, "table"),
      .preset = preset_of (argc > 4 ? argv[4] : NULL),
      .names = names,
      .n_names = n,
      .scenes = scenes,
      .first = strcmp (part, "choose") ? 30000 : 20000});
}

/* ---- Light ---- */

/* What a right pose of @m says of colours in a scene of its points, under light
 * that makes L + 16, a and b @dimmer, and with @redder more a. */
static ScopedetectEvidence
judge_light (const ScopedetectModel *m, float dimmer, float redder)
{
  const ScopedetectShape *s = &m->shape;
  ScopedetectPatches patches = {
      .patch = calloc (SCOPEDETECT_MAX_PATCHES, sizeof *patches.patch)};
  ScopedetectHypothesis a = {
      .pose = {{1, 0, 0, 0}, {0, 0, 0}}, .part = {[SCOPEDETECT_EDGE] = -3}};
  ScopedetectCandidate *c = malloc (sizeof *c);
  Vec *lab = malloc ((size_t) s->n * sizeof *lab);
  ScopedetectEvidence e;

  for (int i = 0; i < s->n; i++) {
    lab[i] = vec_scale (
        vec (s->lab[i].x + 16, s->lab[i].y + redder, s->lab[i].z), dimmer);
    lab[i].x -= 16;
  }
  scopedetect_set_patches (&patches, s->x, s->normal, lab, s->n, s->spacing);
  e = scopedetect_judge (&patches, s, &a, true, c);
  check (c->n_patches > .9 * patches.n);
  free (patches.patch);
  free (c);
  free (lab);
  return e;
}

/* A pose is as likely in dim light as in that of the model, less so where it is
 * hardly lit, and where its colour is another. */
static void
test_light (DeviceKind kind)
{
  ScopedetectCompile how = SCOPEDETECT_COMPILE_DEFAULTS;
  ScopedetectModel *model;
  ScopedetectEvidence lit, dim, dark, other;
  ScopedetectFit fit;
  Mesh mesh;

  ok (clutter_solid_mesh (&mesh, "house"));
  ok (scopedetect_model_compile (&model, &mesh, "house", &how));
  mesh_free (&mesh);
  fit = scopedetect_fit_shipped ();
  lit = judge_light (model, 1, 0);
  dim = judge_light (model, .8f, 0);
  dark = judge_light (model, .4f, 0);
  other = judge_light (model, .8f, 60);
  check (lit.colour && lit.lightness < .01f && lit.chroma < .01f);
  check (
      abs (scopedetect_fit (&fit, &dim) - scopedetect_fit (&fit, &lit)) < 100);
  check (dark.lightness > .3f);
  check (scopedetect_fit (&fit, &dark) < scopedetect_fit (&fit, &lit) - 1000);
  check (other.chroma > 1.5f);
  check (scopedetect_fit (&fit, &other) < scopedetect_fit (&fit, &lit) - 10000);
  scopedetect_model_free (model);
}

CHECK_MAIN (NULL, bench, PART (scenes), PART (light))
