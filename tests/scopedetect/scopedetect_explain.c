/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * scopedetect: which of the poses that explain one surface are reported, and
 * which of many models are searched for; the votes of the CPU against those of
 * the GPU. */
#include "scopedetect_bench.h"

/* A detector of @n names, up to 20, of the bench's model, with a scene in which
 * it is, and params for it. */
static Scopedetect *
names_of_one (Bench *b, DeviceKind kind, int n, ScopedetectParams *p)
{
  const ScopedetectModel *models[20];
  Scopedetect *s;

  bench_open (b, kind);
  solid_draw (b->depth, SOLID_STRIDE, solid_pose (.7, 0, .5));
  for (int i = 0; i < n; i++)
    models[i] = b->model;
  draw_wall (b->depth);
  *p = before_wall (PRESET_FAST);
  p->queries = 200;
  ok (scopedetect_new (&s, &b->dev, SOLID_WIDTH, SOLID_HEIGHT, models, n));
  return s;
}

/* Three names of one model, one of which is in the frame: it is reported once,
 * and thrice where nothing need be its own or each counts by itself. */
static void
test_contest (DeviceKind kind)
{
  AUTO (Bench) b;
  ScopedetectParams p;
  ScopedetectResults r;
  AUTO (Detector) s = names_of_one (&b, kind, 3, &p);

  p.explain = SCOPEDETECT_CONTEST;
  ok (observe_and_search (s, &p, &b.frame, &r));
  check (r.n_objects == 1 && r.objects[0].model == 0);
  check (r.objects[0].explained > .5 && r.objects[0].explained <= 1);
  p.least_own = 0;
  ok (observe_and_search (s, &p, &b.frame, &r));
  check (r.n_objects == 3);
  p.least_own = 1.5;
  check (observe_and_search (s, &p, &b.frame, &r) != NULL);
  p.least_own = .5;
  p.explain = SCOPEDETECT_EACH;
  ok (observe_and_search (s, &p, &b.frame, &r));
  check (r.n_objects == 3 && r.search.agreement == 1);
}

/* The same: an assignment has one of them, and all searches agree.  What is
 * found explains the same wherever it is looked for next, and nothing where
 * each object costs too much. */
static void
test_explain (DeviceKind kind)
{
  AUTO (Bench) b;
  ScopedetectParams p;
  ScopedetectResults r;
  AUTO (Detector) s = names_of_one (&b, kind, 3, &p);
  ScopedetectObject found;

  p.explain = SCOPEDETECT_ONE_STAGE;
  ok (observe_and_search (s, &p, &b.frame, &r));
  check (r.n_objects == 1);
  found = r.objects[0];
  check (found.score > .5 && found.score <= 1);
  check (r.search.agreement > 0 && found.agreement >= r.search.agreement);
  ok (observe_and_track (s, &p, &b.frame, &found, 1, &r));
  check (r.n_objects == 1 && r.search.agreement == 1);
  check_near (r.objects[0].score, found.score, .1);
  p.weight_object = 100;
  ok (observe_and_search (s, &p, &b.frame, &r));
  check (r.n_objects == 0);
}

/* Bad weights are refused; more candidates than poses, frames of nothing and of
 * things without a model are no errors. */
static void
test_explain_hostile (DeviceKind kind)
{
  AUTO (Bench) b;
  ScopedetectParams good, p;
  ScopedetectResults r;
  AUTO (Detector) s = names_of_one (&b, kind, 3, &good);

#define WRONG(change, word) \
 p = good, change; \
 check (strstr (observe_and_search (s, &p, &b.frame, &r) ?: "", word))
  WRONG (p.weight_fit = -1, "weight-fit");
  WRONG (p.weight_unexplained = NAN, "weight-unexplained");
  WRONG (p.weight_overlap = INFINITY, "weight-overlap");
  WRONG (p.weight_object = 1001, "weight-object");
  WRONG (p.candidates = 0, "candidates");
  WRONG (p.candidates = SCOPEDETECT_MAX_OBJECTS + 1, "candidates");
  WRONG (p.explain_steps = 0, "explain-steps");
  WRONG (p.explain = (ScopedetectExplained) 9, "explain");
  WRONG (p.schedule = (ScopedetectSchedule) 9, "schedule");
  WRONG (p.restarts = 0, "restarts");
  WRONG (p.restarts = SCOPEDETECT_MAX_RESTARTS + 1, "restarts");
  WRONG (p.restart_steps = 0, "restart-steps");
  WRONG (p.max_time = -1, "max-time");
  WRONG (p.max_steps = -1, "max-steps");
  WRONG (p.min_rest = 0, "min-rest");
  WRONG (p.first_weight_unexplained = NAN, "first-weight-unexplained");
  WRONG (p.first_weight_object = -1, "first-weight-object");
  WRONG (
      p.weight_fit = p.weight_unexplained = 0, "nothing is worth explaining");
  WRONG (p.weight_fit = p.weight_unexplained = 4e-4, "0.001 or more");
  WRONG (memset (p.weight, 0, sizeof p.weight), "all poses are as good");
#undef WRONG
  p = good;
  p.explain = SCOPEDETECT_TWO_STAGE; /* all weights of stage 1 are 0 */
  p.weight_fit = p.weight_object = p.first_weight_overlap = 0;
  p.first_weight_object = 0;
  ok (observe_and_search (s, &p, &b.frame, &r));
  check (r.n_objects == 1 && r.search.second == SCOPEDETECT_ACCEPTED);
  p = good;
  p.last = 2;
  p.candidates = SCOPEDETECT_MAX_OBJECTS;
  p.max_objects = SCOPEDETECT_MAX_OBJECTS;
  p.explain_steps = 1;
  ok (observe_and_search (s, &p, &b.frame, &r));
  check (r.n_objects == 1);
  memset (b.depth, 0, SOLID_BYTES);
  ok (observe_and_search (s, &good, &b.frame, &r));
  check (r.n_objects == 0 && r.search.agreement == 1);
  for (int y = 60; y < 180; y++) /* a ramp, larger than the solid */
    for (int x = 60; x < 260; x++)
      b.depth[y * SOLID_WIDTH + x] = (uint16_t) (5000 + 10 * x);
  good.table = false;
  ok (observe_and_search (s, &good, &b.frame, &r));
  check (r.n_points > 500 && r.n_objects == 0);
}

static bool
same_objects (const Scopedetect *s, const ScopedetectObject *than, int n)
{
  return s->n_objects == n &&
      !memcmp (s->objects, than, (size_t) n * sizeof *than);
}

/* Two solids beside each other, and one model that may be there @max times. */
static void
two_solids (Bench *b, ScopedetectParams *p, int max)
{
  memset (b->depth, 0, SOLID_BYTES);
  solid_draw (b->depth, SOLID_STRIDE, solid_pose (.7, -.08, .5));
  solid_draw (b->depth, SOLID_STRIDE, solid_pose (2.1, .08, .55));
  draw_wall (b->depth);
  p->explain = SCOPEDETECT_TWO_STAGE;
  p->max_objects = max;
}

/* A cost of an object that is more than what the less sure one of two is worth,
 * and less than the other. */
static double
between (Scopedetect *s, const ScopedetectParams *p, ScopedetectFrame *frame)
{
  ScopedetectParams one = *p;
  ScopedetectResults r;
  double odds = 0;

  one.explain = SCOPEDETECT_ONE_STAGE;
  ok (observe_and_search (s, &one, frame, &r));
  check (r.n_objects == 2);
  for (int i = 0; i < r.n_objects; i++)
    odds += log (r.objects[i].score / (1 - r.objects[i].score));
  return odds / 2 / SCOPEDETECT_SURE_ODDS;
}

/* The second stage is left out where the first explains nearly all, and where
 * it has found all that may be; else it searches what is left.  What it finds
 * is accepted if it explains more. */
static void
test_two_stages (DeviceKind kind)
{
  AUTO (Bench) b;
  ScopedetectParams p;
  ScopedetectResults r;
  AUTO (Detector) s = names_of_one (&b, kind, 1, &p);
  ScopedetectObject one[2], found;

  ok (observe_and_search (s, &p, &b.frame, &r));
  check (r.n_objects == 1 && r.search.second == SCOPEDETECT_NOT_ASKED);
  one[0] = r.objects[0];
  p.explain = SCOPEDETECT_TWO_STAGE;
  p.first_weight_object = 0;
  ok (observe_and_search (s, &p, &b.frame, &r));
  printf ("     %d of %d points are left\n", r.search.n_rest, r.n_points);
  check (r.search.second == SCOPEDETECT_FEW_POINTS && r.search.n_rest < 200);
  check (same_objects (s, one, 1) && !r.search.is_cut);
  two_solids (&b, &p, 1);
  ok (observe_and_search (s, &p, &b.frame, &r));
  check (r.search.second == SCOPEDETECT_NO_MODELS && r.search.n_rest > 200);
  check (r.n_objects == 1);
  found = r.objects[0];
  p.max_objects = 2;
  p.first_weight_object = between (s, &p, &b.frame);
  ok (observe_and_search (s, &p, &b.frame, &r));
  check (r.search.second == SCOPEDETECT_ACCEPTED && r.n_objects == 2);
  check (!memcmp (r.objects[0].pose, found.pose, sizeof found.pose) ||
      !memcmp (r.objects[1].pose, found.pose, sizeof found.pose));
  check (r.search.steps > p.explain_steps);
  memcpy (one, r.objects, sizeof one);
  ok (scopedetect_decide_frame (s)); /* anew, by what stage 1 searched for */
  check (same_objects (s, one, 2) && s->report.steps == r.search.steps);
  parallel_limit (1);
  ok (observe_and_search (s, &p, &b.frame, &r));
  parallel_limit (0);
  check (same_objects (s, one, 2));
  p.fix_first = false;
  ok (observe_and_search (s, &p, &b.frame, &r));
  check (r.n_objects == 2);
  p.weight_object = 100; /* stage 1 has one; another costs too much */
  p.fix_first = true;
  ok (observe_and_search (s, &p, &b.frame, &r));
  check (r.search.second == SCOPEDETECT_REFUSED && r.n_objects == 1);
  ok (observe_and_track (s, &p, &b.frame, one, 2, &r));
  check (r.search.second == SCOPEDETECT_NOT_ASKED);
}

/* Frames without depth, and with things that no model explains: two empty
 * stages. */
static void
test_two_stages_of_nothing (DeviceKind kind)
{
  AUTO (Bench) b;
  ScopedetectParams p;
  ScopedetectResults r;
  AUTO (Detector) s = names_of_one (&b, kind, 3, &p);

  p.explain = SCOPEDETECT_TWO_STAGE;
  p.table = false;
  memset (b.depth, 0, SOLID_BYTES);
  ok (observe_and_search (s, &p, &b.frame, &r));
  check (r.n_objects == 0 && r.search.second == SCOPEDETECT_FEW_POINTS);
  check (r.search.steps == 0 && !r.search.is_cut);
  p.min_rest = 1;
  for (int y = 60; y < 180; y++)
    for (int x = 60; x < 260; x++)
      b.depth[y * SOLID_WIDTH + x] = (uint16_t) (5000 + 10 * x);
  ok (observe_and_search (s, &p, &b.frame, &r));
  check (r.n_objects == 0 && r.search.second == SCOPEDETECT_REFUSED);
  check (r.search.n_rest == r.n_points);
}

/* The clock stops a search; the number of steps that it took then says as much
 * as the clock did. */
static void
test_max_time (DeviceKind kind)
{
  AUTO (Bench) b;
  ScopedetectParams p;
  ScopedetectResults r;
  AUTO (Detector) s = names_of_one (&b, kind, 1, &p);
  ScopedetectObject found[2];
  ScopedetectSearch search;
  int n;

  two_solids (&b, &p, 2);
  p.first_weight_object = between (s, &p, &b.frame);
  p.schedule = SCOPEDETECT_SCHEDULE_THESIS;
  p.restart_steps = 4000000;
  p.max_time = 20;
  ok (observe_and_search (s, &p, &b.frame, &r));
  search = r.search;
  check (search.is_cut && search.second == SCOPEDETECT_NO_TIME);
  check (search.steps > 0 && search.steps < p.restart_steps);
  n = r.n_objects;
  memcpy (found, r.objects, (size_t) n * sizeof *found);
  p.max_time = 0;
  p.max_steps = search.steps;
  ok (observe_and_search (s, &p, &b.frame, &r));
  check (same_objects (s, found, n) && r.search.is_cut);
  check (r.search.steps == search.steps && r.search.second == search.second);
  p.restart_steps = 2000; /* stage 1 is whole, stage 2 is not */
  p.max_steps = 3000;
  ok (observe_and_search (s, &p, &b.frame, &r));
  check (r.n_objects == 2 && r.search.is_cut && r.search.steps == 3000);
  p.max_steps = 4000;
  ok (observe_and_search (s, &p, &b.frame, &r));
  check (r.n_objects == 2 && !r.search.is_cut);
}

/* How far poses are apart is the mean distance of points to the nearest one, to
 * a point's spacing or so. */
static void
test_apart (DeviceKind kind)
{
  AUTO (Model) model = solid_model (.004);
  const double diameter = model->shape.diameter;
  ScopedetectObject a = {.box = {0, 0, 9, 9}}, b = a;
  double add, add_s;

  for (int i = 0; i < 40; i++) {
    solid_numbers (solid_pose (.3 * i, 0, .5), a.pose);
    solid_numbers (solid_pose (.2 * i, .004 * i, .5 + .002 * i), b.pose);
    scopedetect_model_distance (model, a.pose, b.pose, &add, &add_s);
    check_near (
        scopedetect_model_apart (model, &a, &b) * diameter, add_s, .004);
  }
  b.pose[0] = 1e6;
  check (scopedetect_model_apart (model, &a, &b) > 1e6);
  b = a;
  check_near (scopedetect_model_apart (model, &a, &b), 0, .01);
  b.box = (ImageBox){9, 0, 18, 9};
  check (scopedetect_model_apart (model, &a, &b) > SCOPEDETECT_SAME);
}

/* Hypothesis @i of a model: the solid at @x, whose weighted sum of parts is
 * @sum. */
static void
set_hypothesis (ScopedetectFindings *by, int model, int i, double x, double sum)
{
  int left = (int) (900 * x) + 160, at = model * SCOPEDETECT_FOUND + i;

  by->hypothesis[at].pose = solid_pose (0, x, .5);
  by->hypothesis[at].score = (int32_t) (sum * 65536);
  by->measure[at].sums.n = by->measure[at].sums.front = 100;
  by->measure[at].box = by->measure[at].seen =
      (ImageBox){left - 50, 60, left + 50, 160};
  by->n[model] = i + 1;
}

/* A duplicate that is seen where an object of another model is, better: it is
 * not told, and does not keep that one from being told.  Nor does it count as
 * one of those that are wanted. */
static void
test_duplicate (DeviceKind kind)
{
  ScopedetectParams p = {.tolerance = .015, .min_score = .1};
  AUTO (Model) model = solid_model (.004);
  ScopedetectShape shapes[2] = {model->shape, model->shape};
  static ScopedetectHypothesis hypothesis[2 * SCOPEDETECT_FOUND];
  static ScopedetectMeasure measure[2 * SCOPEDETECT_FOUND];
  int n_found[2], n;
  ScopedetectFound found = {.n_models = 2,
      .shape = shapes,
      .has_colour = true,
      .tolerance = p.tolerance,
      .by = {{hypothesis, measure, n_found}}};
  ScopedetectObject objects[2 * SCOPEDETECT_MAX_OBJECTS];
  uint8_t fate[2 * SCOPEDETECT_MAX_OBJECTS];

  set_hypothesis (&found.by[0], 0, 0, 0, -1.5);
  set_hypothesis (&found.by[0], 0, 1, .07, -2);
  set_hypothesis (&found.by[0], 0, 2, -.3, -2.2);
  set_hypothesis (&found.by[0], 1, 0, .07, -2.4);
  for (p.max_objects = 2; p.max_objects <= 20; p.max_objects += 18) {
    n = scopedetect_objects_of (&found, &p, 0, objects);
    check (n == 2 && objects[0].pose[0] < .01 && objects[1].pose[0] < -.1);
    n += scopedetect_objects_of (&found, &p, 1, objects + n);
    n = scopedetect_contest (shapes, .5, objects, fate, n);
    check (n == 3 && objects[0].model == 0 && objects[2].model == 1);
  }
}

/* Twenty models, in batches, of which each has its own answer; and a model that
 * is larger than everything in the frame. */
static void
test_many (DeviceKind kind)
{
  AUTO (Bench) b;
  const ScopedetectModel *models[20];
  ScopedetectParams p;
  ScopedetectResults r;
  Scopedetect *s = names_of_one (&b, kind, 20, &p);

  for (int i = 0; i < 20; i++)
    models[i] = b.model;
  p.explain = SCOPEDETECT_EACH; /* all are the same */
  ok (observe_and_search (s, &p, &b.frame, &r));
  check (r.n_objects == 20);
  for (int i = 0; i < r.n_objects; i++)
    check (r.objects[i].model == i &&
        !memcmp (
            r.objects[i].pose, r.objects[0].pose, sizeof r.objects[0].pose));
  check (scopedetect_memory (kind, SOLID_WIDTH, SOLID_HEIGHT, models, 20) ==
      s->memory.bytes);
  scopedetect_free (s);
  check (scopedetect_memory (kind, SOLID_WIDTH, SOLID_HEIGHT, models, 20) >
      scopedetect_memory (kind, SOLID_WIDTH, SOLID_HEIGHT, models, 1));
  memset (b.depth, 0, SOLID_BYTES);
  for (int y = 100; y < 110; y++)
    for (int x = 100; x < 110; x++)
      b.depth[y * SOLID_WIDTH + x] = 5000;
  ok (observe_and_search (b.s, &p, &b.frame, &r));
  models[1] = solid_model (.012);
  check (strstr (scopedetect_new (&s, &b.dev, 8, 8, models, 2), "spacings"));
  scopedetect_free (s);
  scopedetect_model_free ((ScopedetectModel *) models[1]);
}

/* ==== Votes: which of several models go through the rounds. ==== */

#define KINDS 4
#define OWN 2 /* that of the bench's solid */

static const float kind_size[KINDS] = {1.5f, .7f, 1, 1.25f};

/* Models of the solid in several sizes, and a frame in which there is one. */
typedef struct {
  Bench b;
  ScopedetectModel *model[KINDS];
  Scopedetect *s;
} Kinds;

static ScopedetectModel *
sized_model (float size)
{
  ScopedetectCompile how = SCOPEDETECT_COMPILE_DEFAULTS;
  ScopedetectModel *model;
  Solid solid;

  solid_make (&solid);
  for (int i = 0; i < (int) solid.mesh.n * 3; i++)
    solid.x[i] *= size;
  ok (scopedetect_model_compile (&model, &solid.mesh, "sized", &how));
  return model;
}

static void
kinds_open (Kinds *k, DeviceKind kind)
{
  bench_open (&k->b, kind);
  for (int i = 0; i < KINDS; i++)
    k->model[i] = sized_model (kind_size[i]);
  ok (scopedetect_new (&k->s, &k->b.dev, SOLID_WIDTH, SOLID_HEIGHT,
      (const ScopedetectModel *const *) k->model, KINDS));
}

static void
kinds_close (Kinds *k)
{
  scopedetect_free (k->s);
  for (int i = 0; i < KINDS; i++)
    scopedetect_model_free (k->model[i]);
  bench_close (&k->b);
}

AUTO_FREE (Kinds, kinds_close)

/* Adds a solid that is @size times as large, seen as the solid is at @p: @size
 * times as far away. */
static void
draw_sized (uint16_t *depth, Pose p, float size)
{
  AUTO_MEMORY uint16_t *own = calloc (1, SOLID_BYTES);

  solid_draw (own, SOLID_STRIDE, p);
  for (int i = 0; i < SOLID_WIDTH * SOLID_HEIGHT; i++)
    if (own[i])
      depth[i] = (uint16_t) ((float) own[i] * size + .5f);
}

static ScopedetectParams
kinds_params (Preset preset)
{
  ScopedetectParams p = before_wall (preset);

  p.queries = 300;
  p.explain = SCOPEDETECT_ONE_STAGE;
  return p;
}

/* The likeliest model is searched for as it is among all of them; enough for
 * all change nothing; and what is known is followed whatever votes say. */
static void
test_votes (DeviceKind kind)
{
  AUTO (Kinds) k;
  ScopedetectParams p = kinds_params (PRESET_FAST);
  ScopedetectObject found, guess = {.model = 0, .pose = {0, 0, .5, 1}};
  ScopedetectResults r;

  kinds_open (&k, kind);
  solid_draw (k.b.depth, SOLID_STRIDE, solid_pose (.7, 0, .5));
  draw_wall (k.b.depth);
  ok (observe_and_search (k.s, &p, &k.b.frame, &r));
  check (r.search.n_models == KINDS && r.n_objects == 1);
  found = r.objects[0];
  check (found.model == OWN);
  for (p.max_models = KINDS; p.max_models < KINDS + 2; p.max_models++) {
    ok (observe_and_search (k.s, &p, &k.b.frame, &r));
    check (r.search.n_models == KINDS && same_objects (k.s, &found, 1));
  }
  for (p.max_models = 1; p.max_models < KINDS; p.max_models++) {
    ok (observe_and_search (k.s, &p, &k.b.frame, &r));
    check (r.search.n_models == p.max_models && k.s->vote[0].model == OWN);
    check (r.n_objects == 1 && r.objects[0].model == OWN &&
        !memcmp (r.objects[0].pose, found.pose, sizeof found.pose));
    for (int m = 0; m < KINDS; m++)
      check ((k.s->found.by[0].n[m] > 0) ==
          (k.s->vote[0].model == m ||
              (p.max_models > 1 && k.s->vote[1].model == m) ||
              (p.max_models > 2 && k.s->vote[2].model == m)));
  }
  p.max_models = 1;
  ok (observe_and_track (k.s, &p, &k.b.frame, &guess, 1, &r));
  check (k.s->found.by[0].n[0] == 1 && r.search.n_models == KINDS);
  p = kinds_params (PRESET_THESIS); /* votes are not drawn */
  p.explain = SCOPEDETECT_EACH;
  p.max_models = 1;
  ok (observe_and_search (k.s, &p, &k.b.frame, &r));
  check (r.search.n_models == 1 && k.s->vote[0].model == OWN);
  memset (k.b.depth, 0, SOLID_BYTES);
  ok (observe_and_search (k.s, &p, &k.b.frame, &r));
  check (r.n_objects == 0 && r.search.n_models == 1);
}

/* The thesis's score chooses the object of the right size alone, in one stage
 * and two; features have one sigma for all models. */
static void
test_thesis_score (DeviceKind kind)
{
  AUTO (Kinds) k;
  ScopedetectParams p = kinds_params (PRESET_FAST);
  ScopedetectResults r;

  kinds_open (&k, kind);
  for (int m = 0; m < KINDS; m++)
    check (k.s->shape[m].feature_sigma == k.s->shape[0].feature_sigma);
  check_near (
      k.b.s->shape[0].feature_sigma, k.b.model->shape.feature_sigma, .2);
  solid_draw (k.b.depth, SOLID_STRIDE, solid_pose (.7, 0, .5));
  draw_wall (k.b.depth);
  p.explain_score = SCOPEDETECT_SCORE_THESIS;
  p.max_objects = 20;
  p.fix_first = true;
  p.min_rest = 1;
  for (int two = 0; two < 2; two++) {
    p.explain = two ? SCOPEDETECT_TWO_STAGE : SCOPEDETECT_ONE_STAGE;
    ok (observe_and_search (k.s, &p, &k.b.frame, &r));
    check (r.n_objects == 1 && r.objects[0].model == OWN);
    check (r.n_objects && r.objects[0].score > .5);
    check (k.s->candidates.n == KINDS * p.candidates || two);
  }
}

/* Of models with as many votes the first go on; what they find is what all of
 * them find. */
static void
test_equal_votes (DeviceKind kind)
{
  AUTO (Bench) b;
  ScopedetectParams p;
  ScopedetectResults r;
  AUTO (Detector) s = names_of_one (&b, kind, 9, &p);
  ScopedetectObject first;

  p.explain = SCOPEDETECT_EACH;
  ok (observe_and_search (s, &p, &b.frame, &r));
  check (r.n_objects == 9);
  first = r.objects[0];
  p.max_models = 2;
  ok (observe_and_search (s, &p, &b.frame, &r));
  check (r.n_objects == 2 && r.objects[1].model == 1);
  check (!memcmp (&r.objects[0], &first, sizeof first));
}

/* Stage 2 has votes of its own: for what stage 1 left. */
static void
test_votes_of_rest (DeviceKind kind)
{
  AUTO (Kinds) k;
  ScopedetectParams p = kinds_params (PRESET_FAST);
  ScopedetectResults r;

  kinds_open (&k, kind);
  p.explain = SCOPEDETECT_TWO_STAGE;
  p.max_models = 1;
  p.min_rest = 100;
  p.weight_object = 0; /* all that explains anything is worth it */
  p.weight_unexplained = 2;
  draw_sized (k.b.depth, solid_pose (.7, -.07, .5), 1);
  draw_sized (k.b.depth, solid_pose (2.1, .07, .5), kind_size[3]);
  draw_wall (k.b.depth);
  ok (observe_and_search (k.s, &p, &k.b.frame, &r));
  check (r.search.n_models == 1 && r.search.second == SCOPEDETECT_ACCEPTED);
  check (k.s->vote[0].model == OWN);
  check (
      r.n_objects == 2 && r.objects[0].model == OWN && r.objects[1].model == 3);
}

/* Draws the solid and, at @other, if it is not NULL, that of kind 3. */
static void
draw_kinds (Kinds *k, const Pose *other)
{
  memset (k->b.depth, 0, SOLID_BYTES);
  draw_sized (k->b.depth, solid_pose (.7, -.07, .5), 1);
  if (other)
    draw_sized (k->b.depth, *other, kind_size[3]);
  draw_wall (k->b.depth);
}

/* What a followed solid leaves is searched for the models that are named; the
 * solid stays as it is. */
static void
test_rest (DeviceKind kind)
{
  static const int all[] = {0, 1, 2, 3}, twice[] = {2, 2};
  AUTO (Kinds) k;
  ScopedetectParams p = kinds_params (PRESET_FAST);
  ScopedetectObject own;
  ScopedetectResults r;
  Pose other = solid_pose (2.1, .07, .5);
  int n;

  kinds_open (&k, kind);
  p.explain = SCOPEDETECT_ONE_STAGE;
  p.min_rest = 100;
  draw_kinds (&k, NULL);
  ok (observe_and_search (k.s, &p, &k.b.frame, &r));
  check (r.n_objects == 1 && r.objects[0].model == OWN);
  check (strstr (scopedetect_count_rest (k.s, &n) ?: "", "followed"));
  own = r.objects[0];
  ok (observe_and_track (k.s, &p, &k.b.frame, &own, 1, &r));
  ok (scopedetect_search_rest (k.s, all, 4, &r));
  check (r.search.second == SCOPEDETECT_FEW_POINTS && r.n_objects == 1);
  draw_kinds (&k, &other);
  ok (observe_and_track (k.s, &p, &k.b.frame, &own, 1, &r));
  check (r.n_objects == 1);
  own = r.objects[0];
  check (strstr (
      scopedetect_search_rest (k.s, twice, 2, &r) ?: "", "not in order"));
  ok (scopedetect_count_rest (k.s, &n));
  check (n > 100 && n < r.n_points);
  ok (scopedetect_search_rest (k.s, all + 3, 1, &r));
  check (r.search.second == SCOPEDETECT_ACCEPTED && r.search.n_rest == n);
  check (r.search.n_models == 1 && r.n_objects == 2);
  check (r.objects[0].model == OWN && r.objects[0].score == own.score);
  check (!memcmp (r.objects[0].pose, own.pose, sizeof own.pose));
  check (r.objects[1].model == 3 && r.objects[1].score > .5);
  check (scopedetect_search_rest (k.s, all, 4, &r) != NULL); /* once */
  ok (observe_and_track (k.s, &p, &k.b.frame, &own, 1, &r));
  ok (scopedetect_search_rest (k.s, all, 0, &r));
  check (r.search.second == SCOPEDETECT_NO_MODELS && r.n_objects == 1);
  p.explain = SCOPEDETECT_CONTEST;
  ok (observe_and_track (k.s, &p, &k.b.frame, &own, 1, &r));
  check (scopedetect_search_rest (k.s, all, 4, &r) != NULL);
}

/* A search of the rest, on both, with other solids from frame to frame. */
static void
test_same_rest (DeviceKind kind)
{
  static const int models[] = {0, 2, 3};
  AUTO (Kinds) c, g;
  ScopedetectParams p = kinds_params (PRESET_FAST);
  int found = 0;

  p.explain = SCOPEDETECT_ONE_STAGE;
  p.min_rest = 1;
  kinds_open (&c, DEVICE_CPU);
  kinds_open (&g, DEVICE_CUDA);
  for (int frame = 0; frame < 6; frame++) {
    Pose own = solid_pose (.7, -.07, .5);
    Pose other = solid_pose (rnd (600) * .01, .07, .5);
    ScopedetectObject guess = {.model = OWN};
    ScopedetectResults r, e;

    draw_kinds (&c, &other);
    add_noise (&c.b, 10);
    memcpy (g.b.depth, c.b.depth, SOLID_BYTES);
    solid_numbers (own, guess.pose);
    ok (observe_and_track (c.s, &p, &c.b.frame, &guess, 1, &r));
    ok (observe_and_track (g.s, &p, &g.b.frame, &guess, 1, &e));
    ok (scopedetect_search_rest (c.s, models, 3, &r));
    ok (scopedetect_search_rest (g.s, models, 3, &e));
    check (r.search.n_rest == e.search.n_rest);
    check (r.search.second == e.search.second);
    check (r.n_objects == e.n_objects &&
        !memcmp (
            r.objects, e.objects, (size_t) r.n_objects * sizeof *r.objects));
    found += r.search.second == SCOPEDETECT_ACCEPTED;
  }
  check (found > 0);
}

/* Votes of both, in both stages, and what comes of them; frame after frame, so
 * that the GPU repeats what it has recorded, with other models. */
static void
test_same_votes (DeviceKind kind)
{
  AUTO (Kinds) c, g;

  kinds_open (&c, DEVICE_CPU);
  kinds_open (&g, DEVICE_CUDA);
  for (int frame = 0; frame < 8; frame++) {
    ScopedetectParams p = kinds_params (PRESET_FAST);
    ScopedetectResults r, e;

    p.max_models = 1 + frame % 2;
    p.explain = frame < 4 ? SCOPEDETECT_ONE_STAGE : SCOPEDETECT_TWO_STAGE;
    p.min_rest = 1;
    memset (c.b.depth, 0, SOLID_BYTES);
    draw_sized (c.b.depth, solid_pose (rnd (600) * .01, -.07, .5), 1);
    draw_sized (c.b.depth, solid_pose (rnd (600) * .01, .07, .5),
        kind_size[rnd (KINDS)]);
    draw_wall (c.b.depth);
    add_noise (&c.b, 10);
    memcpy (g.b.depth, c.b.depth, SOLID_BYTES);
    ok (observe_and_search (c.s, &p, &c.b.frame, &r));
    ok (observe_and_search (g.s, &p, &g.b.frame, &e));
    check (!memcmp (c.s->vote, g.s->vote, KINDS * sizeof *c.s->vote));
    check (!memcmp (c.s->chosen, g.s->chosen, KINDS * sizeof *c.s->chosen));
    check (
        r.search.n_models == p.max_models && e.search.n_models == p.max_models);
    check (r.search.second == e.search.second);
    check (r.n_objects == e.n_objects &&
        !memcmp (
            r.objects, e.objects, (size_t) r.n_objects * sizeof *r.objects));
    check (r.n_objects > 0);
  }
}

static const CheckPart parity[] = {
    {"votes", test_same_votes}, {"rest", test_same_rest}, {NULL, NULL}};

CHECK_MAIN (parity, NULL, PART (contest), {"explanation", test_explain},
    {"explanation of what is bad", test_explain_hostile}, PART (apart),
    {"two stages", test_two_stages},
    {"two stages of nothing", test_two_stages_of_nothing},
    {"maximum time", test_max_time}, PART (duplicate),
    {"many models", test_many}, {"the thesis's score", test_thesis_score},
    PART (votes), {"equal votes", test_equal_votes},
    {"votes of the rest", test_votes_of_rest}, PART (rest))
