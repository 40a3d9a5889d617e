/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A detector: the order of the stages (thesis, algorithm 1), and its memory. */
#include <math.h>
#include <stdlib.h>

#include "common/random.h"
#include "scopedetect/scopedetect_segment_core.h"
#include "scopedetect/scopedetect_detector.h"

/* ---- The noise model ----
 *
 * How much less certain range, normal and colour are on a slope and near
 * a range edge.  b0 + (1 - b0) / (1 + exp (-b1 - b2 x)), with the
 * original's constants; of the noise of its sensor, a Kinect. */

/* b0, b1, b2: of the slope, then of the distance to an edge in metres. */
static const double noise_model[SCOPEDETECT_CHANNELS][2][3] = {
    {{.2878, -5.6214, 7.7247}, {.3036, .2607, -125.8843}},   /* range */
    {{.1521, -7.1290, 10.7090}, {.1246, 1.4406, -185.8350}}, /* normal */
    {{.2238, -5.1827, 6.8242}, {.2461, .2624, -140.0192}},   /* L */
    {{.1618, -6.3992, 8.0207}, {.1494, .2114, -139.4324}},   /* a */
    {{.2313, -6.3463, 8.0651}, {.2165, .2600, -135.5203}}};  /* b */

static float
sigmoid (const double b[3], double x)
{
  return (float) (b[0] + (1 - b[0]) / (1 + exp (-b[1] - b[2] * x)));
}

static void
set_noise (ScopedetectNoise *noise)
{
  for (int c = 0; c < SCOPEDETECT_CHANNELS; c++) {
    for (int k = 0; k < SCOPEDETECT_SLOPES; k++)
      noise->slope[c][k] =
          sigmoid (noise_model[c][0], k / (SCOPEDETECT_SLOPES - 1.));
    for (int k = 0; k < 256; k++)
      noise->edge[c][k] =
          sigmoid (noise_model[c][1], k * (double) SCOPEDETECT_EDGE_STEP);
  }
}

/* ---- A frame is observed ---- */

/* Seeds are as far apart as the thesis's, in pixels, or farther if there is no
 * room for that number of them. */
static ScopedetectLattice
lattice_of (const ScopedetectScene *s)
{
  float step = SCOPEDETECT_SEED_ANGLE * s->fx;
  float min_step =
      sqrtf ((float) s->width * (float) s->height / SCOPEDETECT_MAX_SEEDS);
  ScopedetectLattice l;

  step = fmaxf (fmaxf (step, min_step), 6);
  step = fminf (step, SCOPEDETECT_MAX_SIDE);
  l.step = (int) step - 1;
  do { /* a step that was cut to whole pixels may be too short */
    l.step++;
    l.width = (s->width - 1) / l.step + 1;
    l.height = (s->height - 1) / l.step + 1;
  } while (l.width * l.height > SCOPEDETECT_MAX_SEGMENTS);
  return l;
}

static bool
needs_segments (const ScopedetectParams *p)
{
  return p->align > 0 || p->weight[SCOPEDETECT_AFFINITY] > 0 ||
      p->weight[SCOPEDETECT_SEGMENT] > 0;
}

static const char *
check_frame (const ScopedetectScene *s, const ScopedetectFrame *f)
{
  if (f->width != s->width || f->height != s->height)
    return "the frame has another size than was announced";
  if (!f->depth)
    return "the frame has no depth";
  if (f->depth_stride % 2 || (uintptr_t) f->depth % 2)
    return "the depth's rows start at odd bytes";
  if (f->n_regions < 0 || f->n_regions > SCOPEDETECT_MAX_REGIONS)
    return "a frame has at most 16 regions";
  if (f->color &&
      (f->color->width != f->width || f->color->height != f->height))
    return "colour and depth differ in size; align them first";
  return NULL;
}

static void
set_camera (ScopedetectScene *s, const ScopedetectCamera *c)
{
  s->fx = (float) c->fx, s->fy = (float) c->fy;
  s->per_fx = 1 / s->fx, s->per_fy = 1 / s->fy;
  s->cx = (float) c->cx, s->cy = (float) c->cy;
}

static void
set_bounds (
    ScopedetectBounds *b, const ScopedetectParams *p, const ScopedetectFrame *f)
{
  b->n_regions = f->n_regions;
  memcpy (b->region, f->region, sizeof b->region);
  b->low = (float) p->table_low, b->high = (float) p->table_high;
}

const char *
scopedetect_begin (
    Scopedetect *s, const ScopedetectParams *p, const ScopedetectFrame *f)
{
  const ScopedetectStages *t = s->stages;
  const Device *dev = &s->device;
  ScopedetectScratch *own = &s->scratch;
  ScopedetectScene *scene = &s->scene;
  ScopedetectCounts *counts = s->counts;

  TRY (scopedetect_check (p));
  TRY (check_frame (scene, f));
  TRY (scopedetect_check_camera (&p->camera, f->width, f->height));
  s->params = *p;
  set_camera (scene, &p->camera);
  scene->has_colour = f->color != NULL;
  set_bounds (&s->bounds, p, f);
  s->segments.lattice = lattice_of (scene);
  s->segments.n = needs_segments (p)
      ? s->segments.lattice.width * s->segments.lattice.height
      : 0;

  TRY (t->read_frame (dev, f, p, own->edge, scene));
  if (p->table)
    TRY (t->find_plane (dev, scene, p, own->votes, &counts->plane));
  else
    TRY (device_clear (dev, &counts->plane, sizeof counts->plane));
  TRY (t->make_points (dev, scene, &s->bounds, s->spacing, s->feature_radius,
      &own->voxels, &s->cloud, &counts->points));
  TRY (t->describe_points (dev, &counts->points, &own->neighbours, &s->cloud));
  TRY (t->count_points (dev, &own->voxels, &counts->points, &s->cloud));
  if (s->segments.n)
    TRY (t->make_segments (dev, scene, &s->bounds, &s->cloud, s->spacing, p,
        own->label, &s->segments));

  for (int k = 0; k < 2; k++)
    memset (s->stage[k].n, 0, (size_t) s->n_models * sizeof *s->stage[k].n);
  s->explain.has_patches = false;
  return NULL;
}

/* ---- The rounds of a batch of models (algorithm 1) ---- */

/* A random permutation of the sources, i -> a i + b: a is near the golden part
 * of their number, so that the first queries spread over the scene, and coprime
 * to it. */
static void
set_order (ScopedetectQueries *q, uint64_t seed)
{
  uint32_t n = (uint32_t) q->n_sources, a;

  q->first = n ? random_below (seed, 0, n) : 0;
  a = (uint32_t) (.618034 * n) + random_below (seed, 1, 1 + n / 16);
  for (a = a ? a : 1;; a++) {
    uint32_t x = a, y = n;

    while (y) {
      uint32_t r = x % y;

      x = y, y = r;
    }
    if (x == 1 || !n)
      break;
  }
  q->step = a;
}

/* Chosen from @n points: @source of the cloud, or all. */
static ScopedetectQueries
choose_queries (const ScopedetectParams *p, const uint16_t *source, int n)
{
  ScopedetectQueries q = {
      .n_sources = n, .source = source, .random = p->random};

  q.n = p->queries && p->queries < n ? p->queries : n;
  set_order (&q, p->seed);
  return q;
}

/* Poses of a model that are scored before the best of them are refined. */
#define SCORED 2000

/* Round 1.  If poses are not drawn at random, many of them lie on some large
 * surface, which they fit better than the object fits its own, smaller one: the
 * score, which knows edges, says which to keep. */
static const char *
run_round_1 (Scopedetect *s, const ScopedetectParams *p)
{
  const ScopedetectStages *t = s->stages;
  const Device *dev = &s->device;
  const ScopedetectModels *models = &s->rounds.models;
  const ScopedetectScoring *scoring = &s->rounds.scoring;
  ScopedetectScratch *own = &s->scratch;
  ScopedetectHypotheses *h = &s->hypotheses;
  int max = p->random ? p->samples : p->kept;

  s->matches.k = p->neighbours;
  TRY (t->match_features (dev, &s->cloud, &s->queries, models, &s->matches));
  TRY (t->choose_poses (dev, &s->scene, &s->cloud, &s->queries, models,
      &s->matches, p, max, &own->checks, h));
  if (p->random)
    TRY (t->cluster_poses (dev, models, p, p->samples, own->sieve, h));
  TRY (t->verify_poses (dev, &s->scene, models, p, h));
  if (!p->random) {
    TRY (t->cluster_poses (dev, models, p, SCORED, own->sieve, h));
    TRY (t->score_poses (dev, scoring, models, p->points, own->shares, h));
  }
  return t->cluster_poses (dev, models, p, p->clusters, own->sieve, h);
}

/* Rounds 2 and 3; copies the best hypotheses to s->found. */
static const char *
run_rounds_2_and_3 (void *self)
{
  Scopedetect *s = self;
  const ScopedetectStages *t = s->stages;
  const Device *dev = &s->device;
  const ScopedetectModels *models = &s->rounds.models;
  const ScopedetectScoring *scoring = &s->rounds.scoring;
  const ScopedetectScene *scene = &scoring->scene;
  const ScopedetectParams *p = &scoring->params;
  ScopedetectScratch *own = &s->scratch;
  ScopedetectHypotheses *h = &s->hypotheses;
  float gate = (float) p->tolerance;
  const size_t size = sizeof *s->found;

  TRY (t->refine_poses (
      dev, scene, models, p->points, p->refine, 2 * gate, .6f * gate, h));
  TRY (t->score_poses (dev, scoring, models, p->points, own->shares, h));
  for (int k = 0; k < p->align; k++)
    TRY (t->align_poses (dev, scoring, s->rounds.frame, models, k, h));
  TRY (t->cluster_poses (dev, models, p, p->last, own->sieve, h));
  TRY (t->refine_poses (
      dev, scene, models, p->points, p->refine / 2, gate, gate / 3, h));
  if (p->climb)
    TRY (t->climb_poses (dev, scoring, models, p->climb, h));
  TRY (t->score_poses (dev, scoring, models, 0, own->shares, h));
  TRY (t->cluster_poses (dev, models, p, SCOPEDETECT_FOUND, own->sieve, h));
  TRY (t->measure_poses (dev, scene, models, gate, h, s->measure));
  TRY (device_copy_rows (dev, s->found, SCOPEDETECT_FOUND * size, h->of,
      SCOPEDETECT_MAX_KEPT * size, SCOPEDETECT_FOUND * size,
      (size_t) models->n));
  return device_copy (dev, s->counted, s->counts, sizeof *s->counted);
}

/* Keeps the hypotheses of the batch of @models. */
static void
keep_batch (const Scopedetect *s, const int *models, ScopedetectFindings *to)
{
  const size_t n = SCOPEDETECT_FOUND;

  for (int k = 0; k < s->rounds.models.n; k++) {
    size_t at = (size_t) models[k] * n, from = (size_t) k * n;

    memcpy (to->hypothesis + at, s->found + from, n * sizeof *s->found);
    memcpy (to->measure + at, s->measure + from, n * sizeof *s->measure);
    to->n[models[k]] = s->counted->n_hypotheses[k];
  }
}

/* Puts the first of @n models into the batch, and what they are scored by. */
static void
set_batch (Scopedetect *s, const ScopedetectParams *p, const int *models, int n)
{
  ScopedetectRounds *r = &s->rounds;

  r->scoring.params = *p;
  r->scoring.scene = s->scene;
  r->scoring.segments = s->segments;
  r->frame = s->cloud.frame;
  r->models.n = n < SCOPEDETECT_BATCH ? n : SCOPEDETECT_BATCH;
  for (int k = 0; k < r->models.n; k++)
    r->models.shape[k] = s->shape[models[k]];
  s->hypotheses = s->no_hypotheses;
}

/* Refines the hypotheses of the batch of @models; the best go to @to. */
static const char *
finish_batch (Scopedetect *s, const int *models, ScopedetectFindings *to)
{
  s->rounds.hypotheses = s->hypotheses;
  TRY (s->stages->repeat (&s->device, &s->rounds, run_rounds_2_and_3, s,
      s->scratch.graphs, &s->hypotheses));
  TRY (device_wait (&s->device));
  keep_batch (s, models, to);
  return NULL;
}

/* Searches for @n models, beginning from s->queries. */
static const char *
search_for (Scopedetect *s, const ScopedetectParams *p, const int *models,
    int n, ScopedetectFindings *to)
{
  for (int first = 0; first < n; first += SCOPEDETECT_BATCH) {
    set_batch (s, p, models + first, n - first);
    TRY (run_round_1 (s, p));
    TRY (finish_batch (s, models + first, to));
  }
  return NULL;
}

/* ---- Votes ----
 *
 * Which models go through the rounds (thesis, chapter 4: not the whole database
 * in each frame).  A short search for all of them, from few features and with
 * few poses, says how likely the best pose of each is right. */

#define VOTERS 600    /* features of the scene */
#define VOTES 10      /* features of a model that each of them votes for */
#define VOTE_KEPT 500 /* poses of a model after the check with few points */
#define VOTE_POSES 20 /* of them, those that are refined */
#define VOTE_STEPS 10 /* of each refinement */

static ScopedetectParams
vote_params (const ScopedetectParams *p)
{
  ScopedetectParams vote = *p;

  vote.random = false;
  vote.queries = VOTERS;
  vote.neighbours = VOTES;
  vote.kept = VOTE_KEPT;
  vote.clusters = vote.last = VOTE_POSES;
  vote.refine = VOTE_STEPS;
  vote.align = vote.climb = 0;
  return vote;
}

/* The more likely one first, of equal ones that with the smaller number. */
static int
by_fit (const void *a, const void *b)
{
  const ScopedetectVote *p = a, *q = b;

  return p->fit != q->fit ? (p->fit > q->fit ? -1 : 1) : p->model - q->model;
}

static int
by_number (const void *a, const void *b)
{
  return *(const int *) a - *(const int *) b;
}

/* Puts the likeliest of @n @models first, ascending; returns how many. */
static int
elect (Scopedetect *s, int stage, int *models, int n)
{
  int most = s->params.max_models;

  for (int i = 0; i < n; i++)
    s->vote[i].model = models[i];
  scopedetect_vote (s, stage, s->vote, n);
  qsort (s->vote, (size_t) n, sizeof *s->vote, by_fit);
  for (int i = 0; i < most; i++)
    models[i] = s->vote[i].model;
  qsort (models, (size_t) most, sizeof *models, by_number);
  return most;
}

/* Searches for @n @models, ascending, or for those elected of them, from
 * @n_left points of the cloud, @left or all. */
static const char *
search_elected (Scopedetect *s, int *models, int n, const uint16_t *left,
    int n_left, int stage)
{
  const ScopedetectParams *p = &s->params;
  ScopedetectFindings *to = &s->stage[stage];

  if (p->max_models && p->max_models < n) {
    ScopedetectParams vote = vote_params (p);

    s->queries = choose_queries (&vote, left, n_left);
    TRY (search_for (s, &vote, models, n, to));
    TRY (scopedetect_read_patches (s));
    n = elect (s, stage, models, n);
    memset (to->n, 0, (size_t) s->n_models * sizeof *to->n);
  }
  s->queries = choose_queries (p, left, n_left);
  if (!stage)
    s->n_searched = n;
  return search_for (s, p, models, n, to);
}

const char *
scopedetect_search_left (
    Scopedetect *s, int *models, int n_models, const uint16_t *left, int n_left)
{
  TRY (device_copy (
      &s->device, s->left, left, (size_t) n_left * sizeof *s->left));
  return search_elected (s, models, n_models, s->left, n_left, 1);
}

const char *
scopedetect_decide_frame (Scopedetect *s)
{
  const ScopedetectParams *p = &s->params;
  const ScopedetectFindings *of = &s->stage[0];

  s->told = (ScopedetectSearch){.agreement = 1, .n_models = s->n_searched};
  s->n_objects = 0;
  if (p->explain >= SCOPEDETECT_ONE_STAGE)
    return scopedetect_explain (s);
  for (int m = 0; m < s->n_models; m++)
    s->n_objects += scopedetect_decide (p, s->scene.has_colour,
        &s->host_shape[m], m, of->hypothesis + m * SCOPEDETECT_FOUND,
        of->measure + m * SCOPEDETECT_FOUND, of->n[m],
        s->objects + s->n_objects);
  if (p->explain == SCOPEDETECT_CONTEST)
    s->n_objects = scopedetect_contest (
        s->host_shape, p->least_own, s->objects, s->fate, s->n_objects);
  return NULL;
}

static const char *
set_results (Scopedetect *s, ScopedetectResults *r)
{
  const ScopedetectCounts *c = s->counted;

  TRY (scopedetect_decide_frame (s));
  memset (r, 0, sizeof *r);
  r->objects = s->objects;
  r->n_objects = s->n_objects;
  r->has_plane = c->plane.is_found;
  for (int k = 0; k < 4; k++)
    r->plane[k] = c->plane.is_found ? c->plane.plane[k] : 0;
  r->n_points = c->points.n;
  r->n_left_out = c->points.n_left_out;
  r->search = s->told;
  return NULL;
}

const char *
scopedetect_run (Scopedetect *s, const ScopedetectParams *params,
    const ScopedetectFrame *frame, ScopedetectResults *results)
{
  TRY (scopedetect_begin (s, params, frame));
  s->is_tracking = false;
  for (int m = 0; m < s->n_models; m++)
    s->chosen[m] = m;
  TRY (search_elected (s, s->chosen, s->n_models, NULL, s->cloud.n, 0));
  return set_results (s, results);
}

/* Makes the guesses of a batch its hypotheses.  They go through s->found and
 * s->counted, into which the device copies results only later. */
static const char *
place_guesses (
    Scopedetect *s, int first, const ScopedetectObject *guesses, int n)
{
  const Device *dev = &s->device;
  ScopedetectHypotheses *h = &s->hypotheses;
  const ScopedetectModels *models = &s->rounds.models;
  int *n_of = s->counted->n_hypotheses;
  const size_t size = sizeof *s->found;

  memset (n_of, 0, sizeof s->counted->n_hypotheses);
  for (int i = 0; i < n; i++) {
    int m = guesses[i].model - first, at;

    if (m < 0 || m >= models->n || n_of[m] == SCOPEDETECT_FOUND)
      continue;
    at = m * SCOPEDETECT_FOUND + n_of[m]++;
    memset (&s->found[at], 0, size);
    s->found[at].pose = pose_from (guesses[i].pose);
    s->found[at].id = (uint32_t) i;
  }
  h->bound = SCOPEDETECT_FOUND;
  TRY (device_copy_rows (dev, h->of, SCOPEDETECT_MAX_KEPT * size, s->found,
      SCOPEDETECT_FOUND * size, SCOPEDETECT_FOUND * size, (size_t) models->n));
  return device_copy (dev, h->n, n_of, sizeof s->counted->n_hypotheses);
}

const char *
scopedetect_track (Scopedetect *s, const ScopedetectParams *params,
    const ScopedetectFrame *frame, const ScopedetectObject *guesses,
    int n_guesses, ScopedetectResults *results)
{
  for (int i = 0; i < n_guesses; i++)
    for (int k = 0; k < 7; k++)
      if (guesses[i].model < 0 || guesses[i].model >= s->n_models ||
          !isfinite (guesses[i].pose[k]))
        return "a guess names a model that is not there, or is no pose";
  TRY (scopedetect_begin (s, params, frame));
  s->is_tracking = true;
  s->n_searched = s->n_models;
  for (int first = 0; first < s->n_models; first += SCOPEDETECT_BATCH) {
    set_batch (s, &s->params, s->every_model + first, s->n_models - first);
    TRY (place_guesses (s, first, guesses, n_guesses));
    TRY (finish_batch (s, s->every_model + first, &s->stage[0]));
  }
  return set_results (s, results);
}

/* ---- Making and freeing ----
 *
 * Models and frames in device memory. */

static const char *
upload (DeviceMemory *m, void **to, const void *from, size_t n, size_t size)
{
  if (!from)
    return NULL;
  TRY (memory_get_bytes (m, to, n, size, false));
  return m->device ? device_copy (m->device, *to, from, n * size) : NULL;
}

#define UPLOAD(field, count) \
 TRY (upload (m, (void **) &to->field, from->field, count, sizeof *to->field))

/* The sizes of @from, without its arrays. */
static void
clear_arrays (ScopedetectShape *to, const ScopedetectShape *from)
{
  *to = *from;
  to->x = to->normal = to->lab = NULL;
  to->frame = NULL, to->code = NULL, to->pc1 = to->pc2 = to->normal_var = NULL;
  to->ved = NULL, to->edge_first = to->edge = NULL, to->symmetry = NULL;
  to->nearest = NULL;
}

static const char *
copy_shape (DeviceMemory *m, ScopedetectShape *to, const ScopedetectShape *from)
{
  size_t n = (size_t) from->n;

  clear_arrays (to, from);
  UPLOAD (x, n);
  UPLOAD (normal, n);
  UPLOAD (lab, n);
  UPLOAD (frame, n);
  UPLOAD (code, n * SCOPEDETECT_CODE);
  UPLOAD (pc1, n);
  UPLOAD (pc2, n);
  UPLOAD (normal_var, n);
  UPLOAD (ved, n * SCOPEDETECT_VIEWS);
  UPLOAD (edge_first, SCOPEDETECT_VIEWS + 1);
  UPLOAD (edge, (size_t) from->n_edges);
  UPLOAD (symmetry, (size_t) from->n_symmetries);
  UPLOAD (nearest, (size_t) from->cells[0] * from->cells[1] * from->cells[2]);
  return NULL;
}

/* What the host asks of a model. */
static const char *
copy_host_shape (
    DeviceMemory *m, ScopedetectShape *to, const ScopedetectShape *from)
{
  clear_arrays (to, from);
  UPLOAD (x, (size_t) from->n);
  UPLOAD (normal, (size_t) from->n);
  UPLOAD (lab, (size_t) from->n);
  UPLOAD (symmetry, (size_t) from->n_symmetries);
  UPLOAD (nearest,
      (size_t) from->cells[0] * (size_t) from->cells[1] *
          (size_t) from->cells[2]);
  return NULL;
}

static const char *
check_models (const ScopedetectModel *const *models, int n)
{
  if (n < 1 || n > SCOPEDETECT_MAX_MODELS)
    return "there must be 1 to 1024 models";
  for (int i = 0; i < n; i++) {
    const ScopedetectShape *s = &models[i]->shape, *first = &models[0]->shape;

    if (s->spacing != first->spacing ||
        s->feature_radius != first->feature_radius)
      return "the models were compiled with different spacings or radii; "
             "compile them alike";
  }
  return NULL;
}

/* Arrays of a frame, and scratch of its observation. */
static const char *
new_frame (Scopedetect *s, int width, int height)
{
  DeviceMemory *m = &s->memory;
  size_t n = (size_t) width * height;
  int room = n < SCOPEDETECT_MAX_POINTS ? (int) n : SCOPEDETECT_MAX_POINTS;

  s->scene.width = width;
  s->scene.height = height;
  TRY (memory_get (m, &s->scene.z, n));
  TRY (memory_get (m, &s->scene.pixel, n));
  TRY (memory_get (m, &s->scratch.edge[0], n));
  TRY (memory_get (m, &s->scratch.edge[1], n));
  TRY (memory_get (m, &s->scratch.label, n));
  TRY (memory_get (m, &s->segments.segment, SCOPEDETECT_MAX_SEGMENTS));
  TRY (memory_get (m, &s->left, (size_t) room));
  TRY (memory_get (m, &s->counts, 1));
  return scopedetect_cloud_new (m, &s->cloud, room, true, true);
}

/* Arrays of a batch, and scratch of its rounds. */
static const char *
new_batch (Scopedetect *s)
{
  DeviceMemory *m = &s->memory;
  int batch = s->n_models < SCOPEDETECT_BATCH ? s->n_models : SCOPEDETECT_BATCH;
  size_t queries = (size_t) batch * s->cloud.room * SCOPEDETECT_MAX_NEIGHBOURS;
  ScopedetectHypotheses *h = &s->no_hypotheses;
  const size_t found = SCOPEDETECT_BATCH * SCOPEDETECT_FOUND;

  s->matches.room = s->cloud.room;
  h->bound = SCOPEDETECT_FOUND;
  TRY (memory_get (m, &s->noise, 1));
  TRY (memory_get (m, &s->view, SCOPEDETECT_VIEWS));
  TRY (memory_get (m, &s->matches.point, queries));
  TRY (memory_get (m, &s->scratch.checks.score, 2 * queries));
  TRY (memory_get (m, &h->of, (size_t) batch * SCOPEDETECT_MAX_KEPT));
  TRY (memory_get_pinned (m, &s->counted, 1));
  TRY (memory_get_pinned (m, &s->measure, found));
  TRY (memory_get_pinned (m, &s->found, found));
  return s->stages->open (
      m, s->scene.width * s->scene.height, batch, &s->scratch, &s->cloud, h);
}

static const char *
set_noise_and_views (Scopedetect *s)
{
  ScopedetectNoise noise;
  Vec view[SCOPEDETECT_VIEWS];

  set_noise (&noise);
  scopedetect_views (view);
  TRY (device_copy (&s->device, s->noise, &noise, sizeof noise));
  TRY (device_copy (&s->device, s->view, view, sizeof view));
  return device_wait (&s->device); /* which reads both variables */
}

/* What frames and models need, from s->memory and s->host_memory. */
static const char *
get_memory (Scopedetect *s, int width, int height,
    const ScopedetectModel *const *models, int n_models)
{
  s->shape = calloc ((size_t) n_models, sizeof *s->shape);
  s->host_shape = calloc ((size_t) n_models, sizeof *s->host_shape);
  if (!s->shape || !s->host_shape)
    return "out of memory";
  for (; s->n_models < n_models; s->n_models++) {
    const ScopedetectShape *from = &models[s->n_models]->shape;

    TRY (copy_shape (&s->memory, &s->shape[s->n_models], from));
    TRY (copy_host_shape (&s->host_memory, &s->host_shape[s->n_models], from));
  }
  TRY (new_frame (s, width, height));
  TRY (new_batch (s));
  return scopedetect_explain_new (&s->explain, &s->host_memory, &s->host,
      &s->memory, &s->device, n_models, s->cloud.room);
}

static const char *
new_hypotheses (Scopedetect *s, int n_models)
{
  const size_t n = (size_t) n_models * SCOPEDETECT_FOUND;

  for (int k = 0; k < 2; k++) {
    ScopedetectFindings *of = &s->stage[k];

    of->hypothesis = calloc (n, sizeof *of->hypothesis);
    of->measure = calloc (n, sizeof *of->measure);
    of->n = calloc ((size_t) n_models, sizeof *of->n);
    if (!of->hypothesis || !of->measure || !of->n)
      return "out of memory";
  }
  s->every_model = calloc ((size_t) n_models, sizeof *s->every_model);
  s->chosen = calloc ((size_t) n_models, sizeof *s->chosen);
  s->vote = calloc ((size_t) n_models, sizeof *s->vote);
  if (!s->every_model || !s->chosen || !s->vote)
    return "out of memory";
  for (int m = 0; m < n_models; m++)
    s->every_model[m] = m;
  return NULL;
}

const char *
scopedetect_new (Scopedetect **self, const Device *device, int width,
    int height, const ScopedetectModel *const *models, int n_models)
{
  Scopedetect *s = calloc (1, sizeof *s);

  *self = s;
  if (!s)
    return "out of memory";
  s->device = *device;
  s->stages = STAGES (scopedetect, device);
  s->host = scopedetect_host ();
  memory_open (&s->memory, &s->device);
  memory_open (&s->host_memory, &s->host);
  if (width < 1 || height < 1 || width > SCOPEDETECT_MAX_SIDE ||
      height > SCOPEDETECT_MAX_SIDE)
    return "the frame's sides must be 1 to 4096 pixels";
  TRY (check_models (models, n_models));
  s->objects =
      calloc ((size_t) n_models * SCOPEDETECT_MAX_OBJECTS, sizeof *s->objects);
  s->fate = calloc ((size_t) n_models, SCOPEDETECT_MAX_OBJECTS);
  if (!s->objects || !s->fate)
    return "out of memory";
  TRY (new_hypotheses (s, n_models));
  s->spacing = models[0]->shape.spacing;
  s->feature_radius = models[0]->shape.feature_radius;
  TRY (get_memory (s, width, height, models, n_models));
  s->bounds.plane = s->rounds.scoring.plane = &s->counts->plane;
  s->rounds.scoring.noise = s->noise;
  s->rounds.scoring.view = s->view;
  s->no_hypotheses.n = s->counts->n_hypotheses;
  return set_noise_and_views (s);
}

void
scopedetect_free (Scopedetect *s)
{
  if (!s)
    return;
  if (s->memory.device)
    device_wait (s->memory.device); /* the device may still use it */
  s->stages->close (&s->scratch);
  memory_free (&s->memory);
  memory_free (&s->host_memory);
  scopedetect_explain_free (&s->explain);
  free (s->shape);
  free (s->host_shape);
  free (s->objects);
  free (s->fate);
  free (s->every_model);
  free (s->chosen);
  free (s->vote);
  for (int k = 0; k < 2; k++) {
    free (s->stage[k].hypothesis);
    free (s->stage[k].measure);
    free (s->stage[k].n);
  }
  free (s);
}

size_t
scopedetect_memory (DeviceKind kind, int width, int height,
    const ScopedetectModel *const *models, int n_models)
{
  Scopedetect *s = calloc (1, sizeof *s);
  size_t bytes = 0;

  if (!s)
    return 0;
  s->device.kind = kind;
  s->stages = STAGES (scopedetect, &s->device);
  memory_open (&s->memory, NULL); /* which counts */
  memory_open (&s->host_memory, NULL);
  if (!get_memory (s, width, height, models, n_models))
    bytes = s->memory.bytes;
  scopedetect_free (s);
  return bytes;
}
