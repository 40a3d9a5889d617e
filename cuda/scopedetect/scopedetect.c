/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A detector: calls the stages as algorithm 1 orders them; owns all memory. */
#include <math.h>
#include <stdlib.h>

#include "common/random.h"
#include "scopedetect/scopedetect_segment_core.h"
#include "scopedetect/scopedetect_detector.h"

/* ---- Observing a frame ---- */

/* The lattice of the segments' seeds: as far apart as the thesis's, or farther
 * if these would be more than SCOPEDETECT_MAX_SEGMENTS. */
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
  do { /* a step rounded down may be too short */
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
check_scene_frame (const ScopedetectScene *s, const ScopedetectFrame *f)
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
set_scene_camera (ScopedetectScene *s, const Camera *c)
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

/* Computes the features of the observed points, unless it has been done. */
static const char *
describe_cloud (Scopedetect *s)
{
  if (s->is_described)
    return NULL;
  s->is_described = true;
  return s->stages->describe_points (
      &s->device, &s->counts->points, &s->scratch.neighbours, &s->cloud);
}

const char *
scopedetect_observe (
    Scopedetect *s, const ScopedetectParams *p, const ScopedetectFrame *f)
{
  const ScopedetectStages *t = s->stages;
  const Device *dev = &s->device;
  ScopedetectScratch *own = &s->scratch;
  ScopedetectScene *scene = &s->scene;
  ScopedetectCounts *counts = s->counts;

  s->is_observed = s->is_described = s->is_followed = false;
  TRY (scopedetect_check (p));
  TRY (check_scene_frame (scene, f));
  TRY (scopedetect_check_camera (&p->camera, f->width, f->height));
  s->params = *p;
  s->found.explain_score = p->explain_score;
  set_scene_camera (scene, &p->camera);
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
  /* A GPU does it while the host waits; on a CPU tracking does without, but for
   * frames of points that segments are aligned with. */
  if (dev->kind != DEVICE_CPU || s->segments.n)
    TRY (describe_cloud (s));
  TRY (t->count_points (dev, &own->voxels, &counts->points, &s->cloud));
  if (s->segments.n)
    TRY (t->make_segments (dev, scene, &s->bounds, &s->cloud, s->spacing, p,
        own->label, &s->segments));
  s->found.has_patches = false;
  s->is_observed = true;
  return NULL;
}

/* ---- The rounds of a batch of models (algorithm 1) ---- */

/* Permutes the sources at random, i -> a i + b: a, near the golden section of
 * their number, spreads the first queries, and is coprime to it. */
static void
set_query_order (ScopedetectQueries *q, uint64_t seed)
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

/* Chooses queries among @n points of the cloud: @source, or NULL for all. */
static ScopedetectQueries
choose_queries (const ScopedetectParams *p, const uint16_t *source, int n)
{
  ScopedetectQueries q = {
      .n_sources = n, .source = source, .random = p->random};

  q.n = p->queries && p->queries < n ? p->queries : n;
  set_query_order (&q, p->seed);
  return q;
}

/* Maximum number of poses of a model that are scored before refinement. */
#define SCORED 2000

/* Runs round 1. Poses that are not drawn at random are scored, too: on a large
 * surface many of them fit better by depth and normals than right poses fit,
 * and the score also uses edges. */
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

/* Runs rounds 2 and 3, and copies the best hypotheses to s->best. */
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
  const size_t size = sizeof *s->best;

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
  TRY (device_copy_rows (dev, s->best, SCOPEDETECT_FOUND * size, h->of,
      SCOPEDETECT_MAX_KEPT * size, SCOPEDETECT_FOUND * size,
      (size_t) models->n));
  return device_copy (dev, s->counted, s->counts, sizeof *s->counted);
}

/* Copies the best hypotheses of the batch of @models to @to. */
static void
keep_batch (const Scopedetect *s, const int *models, ScopedetectFindings *to)
{
  const size_t n = SCOPEDETECT_FOUND;

  for (int k = 0; k < s->rounds.models.n; k++) {
    size_t at = (size_t) models[k] * n, from = (size_t) k * n;

    memcpy (to->hypothesis + at, s->best + from, n * sizeof *s->best);
    memcpy (to->measure + at, s->measure + from, n * sizeof *s->measure);
    to->n[models[k]] = s->counted->n_hypotheses[k];
  }
}

/* Sets the batch to the first of @n models. */
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

/* Refines the hypotheses of the batch of @models; copies the best to @to. A
 * search of the rest has other models from frame to frame: a graph of its
 * rounds would take time to record, and the place of a graph of tracking. */
static const char *
finish_batch (Scopedetect *s, const int *models, ScopedetectFindings *to)
{
  s->rounds.hypotheses = s->hypotheses;
  if (s->is_followed)
    TRY (run_rounds_2_and_3 (s));
  else
    TRY (s->stages->repeat (&s->device, &s->rounds, run_rounds_2_and_3, s,
        s->scratch.graphs, &s->hypotheses));
  TRY (device_wait (&s->device));
  keep_batch (s, models, to);
  return NULL;
}

/* Searches for @n models with the queries in s->queries. */
static const char *
search_in_batches (Scopedetect *s, const ScopedetectParams *p,
    const int *models, int n, ScopedetectFindings *to)
{
  for (int first = 0; first < n; first += SCOPEDETECT_BATCH) {
    set_batch (s, p, models + first, n - first);
    TRY (run_round_1 (s, p));
    TRY (finish_batch (s, models + first, to));
  }
  return NULL;
}

/* ---- Which models are searched for ----
 *
 * A short search for all models, with few features and poses, votes: it tells
 * how likely the best pose of each model is right. The whole search is then for
 * max_models models (thesis, chapter 4). */

#define VOTERS 600    /* features of the scene */
#define VOTES 10      /* matches of each voter */
#define VOTE_KEPT 500 /* poses of a model after the check with few points */
#define VOTE_POSES 20 /* poses that are refined */
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

/* Orders votes: the likelier model first, then the smaller number. */
static int
by_votes (const void *a, const void *b)
{
  const ScopedetectVote *p = a, *q = b;

  return p->fit != q->fit ? (p->fit > q->fit ? -1 : 1) : p->model - q->model;
}

static int
by_model_number (const void *a, const void *b)
{
  return *(const int *) a - *(const int *) b;
}

/* Puts the @most likeliest of @n @models first, ascending; returns @most. */
static int
elect_models (Scopedetect *s, int most, int search, int *models, int n)
{
  for (int i = 0; i < n; i++)
    s->vote[i].model = models[i];
  scopedetect_vote (&s->found, search, s->vote, n);
  qsort (s->vote, (size_t) n, sizeof *s->vote, by_votes);
  for (int i = 0; i < most; i++)
    models[i] = s->vote[i].model;
  qsort (models, (size_t) most, sizeof *models, by_model_number);
  return most;
}

/* Makes patches of the frame's points, once a frame. */
static const char *
read_patches (Scopedetect *s)
{
  ScopedetectFound *f = &s->found;
  ScopedetectPoints *p = &f->points;
  const ScopedetectCloud *c = &s->cloud;
  const Device *dev = &s->device;
  size_t n = (size_t) c->n;

  if (f->has_patches)
    return NULL;
  f->has_colour = s->scene.has_colour;
  TRY (device_copy (dev, p->x, c->x, n * sizeof *p->x));
  TRY (device_copy (dev, p->normal, c->normal, n * sizeof *p->normal));
  if (f->has_colour)
    TRY (device_copy (dev, p->lab, c->lab, n * sizeof *p->lab));
  TRY (device_wait (dev));
  p->n = c->n;
  scopedetect_set_patches (&f->patches, p->x, p->normal,
      f->has_colour ? p->lab : NULL, p->n, s->spacing);
  f->has_patches = true;
  return NULL;
}

/* Runs search number @search, 0 or 1, by @p, from @n_sources points of the
 * cloud: @sources, or NULL for all. It is for @n @models, ascending, or for
 * those that a vote elects: these become the first of @models, and @n their
 * number. */
static const char *
search_models (Scopedetect *s, const ScopedetectParams *p, int search,
    int *models, int *n, const uint16_t *sources, int n_sources)
{
  ScopedetectFindings *to = &s->found.by[search];

  TRY (describe_cloud (s));
  if (p->max_models && p->max_models < *n) {
    ScopedetectParams vote = vote_params (p);

    s->queries = choose_queries (&vote, sources, n_sources);
    TRY (search_in_batches (s, &vote, models, *n, to));
    TRY (read_patches (s));
    *n = elect_models (s, p->max_models, search, models, *n);
    memset (to->n, 0, (size_t) s->n_models * sizeof *to->n);
  }
  s->queries = choose_queries (p, sources, n_sources);
  return search_in_batches (s, p, models, *n, to);
}

/* ---- The objects that explain the frame together (chapter 2) ---- */

/* Sets @best to the candidates that explain the frame best, by searches that
 * begin with the @n candidates @start and, if @is_fixed, keep them. Sets @task.
 */
static const char *
choose_objects (Scopedetect *s, double end, bool is_first, bool is_fixed,
    const int *start, int n, ScopedetectAssignTask *task,
    ScopedetectAssignment *best)
{
  const ScopedetectParams *p = &s->params;
  const ScopedetectCandidates *c = &s->candidates;
  bool on_gpu;

  *task = scopedetect_assign_task (p, c->n, is_first);
  task->candidate = c->candidate;
  task->n_patches = s->found.patches.n;
  task->excludes = c->excludes;
  for (; task->n_start < n; task->n_start++)
    task->start[task->n_start] = start[task->n_start];
  task->fixed = is_fixed;
  task->end = end;
  if (p->max_steps)
    task->stop = p->max_steps - s->report.steps;
  if (s->is_tracking) /* a tracked object is likely still there */
    task->weight.object = 0;
  on_gpu = s->on_gpu && scopedetect_assign_suits_gpu (task);
  TRY (scopedetect_assign (on_gpu ? s->on_gpu : s->on_host, task, best));
  s->report.steps += best->steps;
  s->report.is_cut |= c->n && best->steps < task->steps;
  return NULL;
}

/* Sets s->chosen to the models that may have more objects than @chosen has;
 * returns how many. A model without a pose in the frame has none in a part of
 * it. */
static int
choose_models (Scopedetect *s, const ScopedetectAssignment *chosen)
{
  int n = 0;

  for (int m = 0; m < s->n_models; m++) {
    int objects = 0;

    for (int k = 0; k < chosen->n; k++)
      objects += s->candidates.object[chosen->chosen[k]].model == m;
    if ((s->found.by[0].n[m] || s->n_searched < s->n_models) &&
        objects < s->params.max_objects)
      s->chosen[n++] = m;
  }
  return n;
}

/* Why the frame gets no second search, for @n_models models;
 * SCOPEDETECT_REFUSED: it gets one, whose choice counts as refused until it is
 * accepted. */
static ScopedetectSecond
why_no_second (const Scopedetect *s, int n_models, double end)
{
  const ScopedetectParams *p = &s->params;

  if (s->report.n_rest < p->min_rest)
    return SCOPEDETECT_FEW_POINTS;
  if (!n_models)
    return SCOPEDETECT_NO_MODELS;
  if (p->max_steps && s->report.steps >= p->max_steps)
    return SCOPEDETECT_NO_TIME;
  return end > 0 && scopedetect_now () >= end ? SCOPEDETECT_NO_TIME
                                              : SCOPEDETECT_REFUSED;
}

/* Sets candidates to the poses of both searches; the numbers in @best become
 * those of the same poses. */
static void
add_second_search (Scopedetect *s, ScopedetectAssignment *best)
{
  ScopedetectCandidates *c = &s->candidates;
  ScopedetectRanked chosen[SCOPEDETECT_MAX_TOGETHER];
  int at[SCOPEDETECT_MAX_TOGETHER];

  for (int k = 0; k < best->n; k++)
    chosen[k] = c->ranked[best->chosen[k]];
  scopedetect_set_candidates (
      c, &s->found, s->params.candidates, chosen, best->n, at);
  memcpy (best->chosen, at, (size_t) best->n * sizeof *at);
}

/* The second search and choice (2.3): searches in the points that @best leaves,
 * and chooses anew among the hypotheses of both searches, in the whole frame.
 * @best changes only to a higher score. All pixels stay in the scene, so that
 * found objects still hide the surface behind them. */
static const char *
explain_rest (Scopedetect *s, double end, ScopedetectAssignment *best)
{
  int n_models = choose_models (s, best),
      n_left = scopedetect_set_left (
          &s->found, &s->candidates, best, s->explained, s->left);
  ScopedetectAssignTask task;
  ScopedetectAssignment both;

  s->report.n_rest = n_left;
  s->report.second = why_no_second (s, n_models, end);
  s->report.is_cut |= s->report.second == SCOPEDETECT_NO_TIME;
  if (s->report.second != SCOPEDETECT_REFUSED)
    return NULL;
  if (best->n) { /* a search in all points would find the same poses */
    TRY (device_copy (
        &s->device, s->sources, s->left, (size_t) n_left * sizeof *s->left));
    TRY (search_models (
        s, &s->params, 1, s->chosen, &n_models, s->sources, n_left));
  }
  add_second_search (s, best);
  TRY (choose_objects (
      s, end, false, s->params.fix_first, best->chosen, best->n, &task, &both));
  if (both.energy > scopedetect_assign_energy (&task, best->chosen, best->n)) {
    s->report.second = SCOPEDETECT_ACCEPTED;
    *best = both;
  }
  return NULL;
}

/* Sets s->objects to the objects of @best, by model, then by score. */
static void
report_objects (Scopedetect *s, const ScopedetectAssignment *best)
{
  double searches = best->searches;

  s->report.agreement = best->agree / searches;
  for (int i = 0; i < best->n; i++) {
    const ScopedetectObject *o = &s->candidates.object[best->chosen[i]];
    ScopedetectObject *to = s->objects + s->n_objects;

    if (o->score < s->params.min_score)
      continue;
    for (;
         to > s->objects && to[-1].model == o->model && to[-1].score < o->score;
         to--)
      *to = to[-1];
    *to = *o;
    to->agreement = best->agree_on[i] / searches;
    s->n_objects++;
  }
}

/* The time at which a choice that begins now must end; 0: none. */
static double
choice_ends (const ScopedetectParams *p)
{
  return p->max_time ? scopedetect_now () + p->max_time / 1e3 : 0;
}

/* Makes the first choice and, with two-stage, the second (2.3). */
static const char *
explain_frame (Scopedetect *s)
{
  const ScopedetectParams *p = &s->params;
  double end = choice_ends (p);
  bool two = p->explain == SCOPEDETECT_TWO_STAGE && !s->is_tracking;
  ScopedetectAssignTask task;
  ScopedetectAssignment best;

  TRY (read_patches (s));
  s->candidates.n_judged = 0;
  scopedetect_set_candidates (
      &s->candidates, &s->found, p->candidates, NULL, 0, NULL);
  TRY (choose_objects (s, end, two, false, NULL, 0, &task, &best));
  if (two)
    TRY (explain_rest (s, end, &best));
  report_objects (s, &best);
  s->followed = best;
  return NULL;
}

/* ---- Searching and tracking ---- */

const char *
scopedetect_decide_frame (Scopedetect *s)
{
  const ScopedetectParams *p = &s->params;

  s->report = (ScopedetectSearch){.agreement = 1, .n_models = s->n_searched};
  s->n_objects = 0;
  s->found.has_colour = s->scene.has_colour;
  s->found.tolerance = p->tolerance;
  memset (s->found.by[1].n, 0, (size_t) s->n_models * sizeof (int));
  if (p->explain >= SCOPEDETECT_ONE_STAGE)
    return explain_frame (s);
  for (int m = 0; m < s->n_models; m++)
    s->n_objects +=
        scopedetect_objects_of (&s->found, p, m, s->objects + s->n_objects);
  if (p->explain == SCOPEDETECT_CONTEST)
    s->n_objects = scopedetect_contest (
        s->found.shape, p->least_own, s->objects, s->fate, s->n_objects);
  return NULL;
}

/* Removes the hypotheses of the previous search. */
static const char *
begin_search (Scopedetect *s, bool is_tracking)
{
  if (!s->is_observed)
    return "no frame has been observed";
  s->is_tracking = is_tracking;
  s->is_followed = false;
  memset (s->found.by[0].n, 0, (size_t) s->n_models * sizeof (int));
  return NULL;
}

static void
set_search_results (const Scopedetect *s, ScopedetectResults *r)
{
  const ScopedetectCounts *c = s->counted;

  memset (r, 0, sizeof *r);
  r->objects = s->objects;
  r->n_objects = s->n_objects;
  r->has_plane = c->plane.is_found;
  for (int k = 0; k < 4; k++)
    r->plane[k] = c->plane.is_found ? c->plane.plane[k] : 0;
  r->n_points = c->points.n;
  r->n_left_out = c->points.n_left_out;
  r->search = s->report;
}

static const char *
end_search (Scopedetect *s, ScopedetectResults *results)
{
  TRY (scopedetect_decide_frame (s));
  set_search_results (s, results);
  return NULL;
}

const char *
scopedetect_search (Scopedetect *s, ScopedetectResults *results)
{
  TRY (begin_search (s, false));
  s->n_searched = s->n_models;
  memcpy (s->chosen, s->every_model, (size_t) s->n_models * sizeof *s->chosen);
  TRY (search_models (
      s, &s->params, 0, s->chosen, &s->n_searched, NULL, s->cloud.n));
  return end_search (s, results);
}

/* Sets the hypotheses of a batch to its guesses. They are copied from s->best
 * and s->counted, which are free until the device copies results to them. */
static const char *
place_guesses (
    Scopedetect *s, int first, const ScopedetectObject *guesses, int n)
{
  const Device *dev = &s->device;
  ScopedetectHypotheses *h = &s->hypotheses;
  const ScopedetectModels *models = &s->rounds.models;
  int *n_of = s->counted->n_hypotheses;
  const size_t size = sizeof *s->best;

  memset (n_of, 0, sizeof s->counted->n_hypotheses);
  for (int i = 0; i < n; i++) {
    int m = guesses[i].model - first, at;

    if (m < 0 || m >= models->n || n_of[m] == SCOPEDETECT_FOUND)
      continue;
    at = m * SCOPEDETECT_FOUND + n_of[m]++;
    memset (&s->best[at], 0, size);
    s->best[at].pose = pose_from (guesses[i].pose);
    s->best[at].id = (uint32_t) i;
  }
  h->bound = SCOPEDETECT_FOUND;
  TRY (device_copy_rows (dev, h->of, SCOPEDETECT_MAX_KEPT * size, s->best,
      SCOPEDETECT_FOUND * size, SCOPEDETECT_FOUND * size, (size_t) models->n));
  return device_copy (dev, h->n, n_of, sizeof s->counted->n_hypotheses);
}

const char *
scopedetect_track (Scopedetect *s, const ScopedetectObject *guesses, int n,
    ScopedetectResults *results)
{
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 7; k++)
      if (guesses[i].model < 0 || guesses[i].model >= s->n_models ||
          !isfinite (guesses[i].pose[k]))
        return "a guess names a model that is not there, or is no pose";
  TRY (begin_search (s, true));
  s->n_searched = s->n_models;
  for (int first = 0; first < s->n_models; first += SCOPEDETECT_BATCH) {
    set_batch (s, &s->params, s->every_model + first, s->n_models - first);
    TRY (place_guesses (s, first, guesses, n));
    TRY (finish_batch (s, s->every_model + first, &s->found.by[0]));
  }
  TRY (end_search (s, results));
  s->is_followed = s->params.explain >= SCOPEDETECT_ONE_STAGE;
  return NULL;
}

/* ---- Searching what followed objects leave (chapter 4) ----
 *
 * The objects that tracking has reported are the first stage and stay as they
 * are. Their points leave; the rest is searched, and its poses are chosen from
 * beside them. */

/* Drops from s->followed the objects that tracking has not reported. */
static void
drop_unreported (Scopedetect *s)
{
  ScopedetectAssignment *a = &s->followed;
  int kept = 0;

  for (int k = 0; k < a->n; k++)
    if (s->candidates.object[a->chosen[k]].score >= s->params.min_score)
      a->chosen[kept++] = a->chosen[k];
  a->n = kept;
}

const char *
scopedetect_count_rest (Scopedetect *s, int *n)
{
  if (!s->is_followed)
    return "no objects of this frame have been followed that explain it";
  drop_unreported (s);
  s->report.n_rest = scopedetect_set_left (
      &s->found, &s->candidates, &s->followed, s->explained, s->left);
  *n = s->report.n_rest;
  return NULL;
}

/* Minimum numbers of poses that a search of the rest keeps. */
#define REST_CLUSTERS 100
#define REST_LAST 25
#define REST_CANDIDATES 10

/* Half of @n, but not less than @min; @n if it is less. */
static int
halve_to (int n, int min)
{
  int half = (n + 1) / 2;

  return half > min ? half : n < min ? n : min;
}

/* The params of a search of @n_left of @n points: of poses it keeps about the
 * part that the points are, by powers of two down to an eighth. */
static ScopedetectParams
rest_params (const ScopedetectParams *p, int n_left, int n)
{
  ScopedetectParams rest = *p;

  for (int k = 0; k < 3 && 2 * n_left < n; k++) {
    n_left *= 2;
    rest.kept = halve_to (rest.kept, 1);
    rest.samples = halve_to (rest.samples, 1);
    rest.clusters = halve_to (rest.clusters, REST_CLUSTERS);
    rest.last = halve_to (rest.last, REST_LAST);
    rest.candidates = halve_to (rest.candidates, REST_CANDIDATES);
  }
  return rest;
}

/* Searches the points in s->left for @n @models, to the second findings. */
static const char *
search_left (Scopedetect *s, const int *models, int n)
{
  const int n_left = s->report.n_rest;
  ScopedetectParams p = rest_params (&s->params, n_left, s->cloud.n);
  int *found = s->found.by[1].n;

  memset (found, 0, (size_t) s->n_models * sizeof *found);
  memcpy (s->chosen, models, (size_t) n * sizeof *models);
  TRY (device_copy (
      &s->device, s->sources, s->left, (size_t) n_left * sizeof *s->left));
  TRY (search_models (s, &p, 1, s->chosen, &n, s->sources, n_left));
  s->report.n_models = n;
  for (int m = 0; m < s->n_models; m++)
    found[m] = found[m] < p.candidates ? found[m] : p.candidates;
  return NULL;
}

const char *
scopedetect_search_rest (
    Scopedetect *s, const int *models, int n, ScopedetectResults *results)
{
  ScopedetectAssignTask task;
  ScopedetectAssignment both;
  int n_left;

  for (int i = 0; i < n; i++)
    if (models[i] <= (i ? models[i - 1] : -1) || models[i] >= s->n_models)
      return "models to search for are not there, or not in order";
  TRY (scopedetect_count_rest (s, &n_left));
  s->report.n_models = 0;
  s->report.steps = 0; /* those of tracking are not of this search */
  s->report.is_cut = false;
  s->report.second = why_no_second (s, n, 0);
  if (s->report.second == SCOPEDETECT_REFUSED) {
    TRY (search_left (s, models, n));
    s->candidates.n_judged = 1; /* the poses near the guesses */
    add_second_search (s, &s->followed);
    s->is_tracking = false; /* a new object costs what it does in a search */
    TRY (choose_objects (s, choice_ends (&s->params), false, true,
        s->followed.chosen, s->followed.n, &task, &both));
    if (both.n > s->followed.n)
      s->report.second = SCOPEDETECT_ACCEPTED;
    s->n_objects = 0;
    report_objects (s, &both);
  }
  s->is_followed = false;
  set_search_results (s, results);
  return NULL;
}

/* ---- The noise model (of a Kinect, with the original's constants) ----
 *
 * The factor by which the certainty of range, normal and colour falls with
 * slope and near a range edge: b0 + (1 - b0) / (1 + exp (-b1 - b2 x)). */

/* Constants b0, b1, b2 of range, normal and colour: for the slope, then for the
 * distance from a range edge in metres. */
static const double noise_model[SCOPEDETECT_CHANNELS][2][3] = {
    {{.2878, -5.6214, 7.7247}, {.3036, .2607, -125.8843}},   /* range */
    {{.1521, -7.1290, 10.7090}, {.1246, 1.4406, -185.8350}}, /* normal */
    {{.2238, -5.1827, 6.8242}, {.2461, .2624, -140.0192}},   /* L */
    {{.1618, -6.3992, 8.0207}, {.1494, .2114, -139.4324}},   /* a */
    {{.2313, -6.3463, 8.0651}, {.2165, .2600, -135.5203}}};  /* b */

static float
noise_sigmoid (const double b[3], double x)
{
  return (float) (b[0] + (1 - b[0]) / (1 + exp (-b[1] - b[2] * x)));
}

static void
set_noise (ScopedetectNoise *noise)
{
  for (int c = 0; c < SCOPEDETECT_CHANNELS; c++) {
    for (int k = 0; k < SCOPEDETECT_SLOPES; k++)
      noise->slope[c][k] =
          noise_sigmoid (noise_model[c][0], k / (SCOPEDETECT_SLOPES - 1.));
    for (int k = 0; k < 256; k++)
      noise->edge[c][k] =
          noise_sigmoid (noise_model[c][1], k * (double) SCOPEDETECT_EDGE_STEP);
  }
}

/* ---- Making and freeing ---- */

static const char *
upload_array (
    DeviceMemory *m, void **to, const void *from, size_t n, size_t size)
{
  *to = NULL;
  if (!from)
    return NULL;
  TRY (memory_get_bytes (m, to, n, size, false));
  return m->device ? device_copy (m->device, *to, from, n * size) : NULL;
}

#define UPLOAD(is_wanted, field, count) \
 TRY (upload_array (m, (void **) &to->field, (is_wanted) ? from->field : NULL, \
     count, sizeof *to->field))

/* Copies the arrays of model @from to memory of @m; without @all, only the
 * arrays that explanations use. */
static const char *
copy_shape (DeviceMemory *m, bool all, ScopedetectShape *to,
    const ScopedetectShape *from)
{
  const size_t n = (size_t) from->n;

  *to = *from;
  UPLOAD (true, x, n);
  UPLOAD (true, normal, n);
  UPLOAD (true, lab, n);
  UPLOAD (true, symmetry, (size_t) from->n_symmetries);
  UPLOAD (true, nearest,
      (size_t) from->cells[0] * (size_t) from->cells[1] *
          (size_t) from->cells[2]);
  UPLOAD (all, frame, n);
  UPLOAD (all, code, n * SCOPEDETECT_CODE);
  UPLOAD (all, pc1, n);
  UPLOAD (all, pc2, n);
  UPLOAD (all, normal_var, n);
  UPLOAD (all, ved, n * SCOPEDETECT_VIEWS);
  UPLOAD (all, edge_first, SCOPEDETECT_VIEWS + 1);
  UPLOAD (all, edge, (size_t) from->n_edges);
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

/* Gets the arrays of a frame, and the scratch of its observation. */
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
  TRY (memory_get (m, &s->sources, (size_t) room));
  TRY (memory_get (m, &s->counts, 1));
  return scopedetect_cloud_new (m, &s->cloud, room, true, true);
}

/* Gets the arrays of a batch, and the scratch of its rounds. */
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
  TRY (memory_get_pinned (m, &s->best, found));
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

/* Gets the arrays of an explanation. */
static const char *
new_explanation (Scopedetect *s)
{
  DeviceMemory *m = &s->memory, *host = &s->host_memory;
  ScopedetectPoints *p = &s->found.points;
  ScopedetectCandidates *c = &s->candidates;
  const size_t n = SCOPEDETECT_MAX_CANDIDATES, room = (size_t) s->cloud.room;
  const size_t all = 2 * (size_t) s->n_models * SCOPEDETECT_FOUND;

  TRY (memory_get_pinned (m, &p->x, room));
  TRY (memory_get_pinned (m, &p->normal, room));
  TRY (memory_get_pinned (m, &p->lab, room));
  TRY (memory_get_pinned (m, &s->left, room));
  TRY (memory_get (host, &s->found.patches.patch, SCOPEDETECT_MAX_PATCHES));
  TRY (memory_get (host, &c->ranked, all));
  TRY (memory_get (host, &c->judged, all));
  TRY (memory_get_pinned (m, &c->candidate, n));
  TRY (memory_get (host, &c->object, n));
  TRY (memory_get_pinned (m, &c->excludes, n * n / 64));
  TRY (memory_get (host, &s->explained, room));
  TRY (scopedetect_assigner_new (&s->on_host, device_host (), host,
      SCOPEDETECT_MAX_CANDIDATES, SCOPEDETECT_MAX_RESTARTS));
  if (s->device.kind == DEVICE_CPU)
    return NULL;
  return scopedetect_assigner_new (&s->on_gpu, &s->device, m,
      SCOPEDETECT_MAX_CANDIDATES, SCOPEDETECT_MAX_RESTARTS);
}

/* Gets all memory that depends on the frame's size or is on the device. */
static const char *
get_detector_memory (Scopedetect *s, int width, int height,
    const ScopedetectModel *const *models, int n_models)
{
  s->shape = calloc ((size_t) n_models, sizeof *s->shape);
  s->found.shape = calloc ((size_t) n_models, sizeof *s->found.shape);
  if (!s->shape || !s->found.shape)
    return OUT_OF_MEMORY ((size_t) n_models * 2 * sizeof *s->shape, "");
  for (; s->n_models < n_models; s->n_models++) {
    const ScopedetectShape *from = &models[s->n_models]->shape;

    TRY (copy_shape (&s->memory, true, &s->shape[s->n_models], from));
    TRY (copy_shape (
        &s->host_memory, false, &s->found.shape[s->n_models], from));
  }
  s->found.n_models = n_models;
  TRY (new_frame (s, width, height));
  TRY (new_batch (s));
  return new_explanation (s);
}

/* Sets sigma of features to that of the features of all models (1.2): the
 * square root of the trace of their covariance. */
static void
set_feature_sigma (Scopedetect *s, const ScopedetectModel *const *models)
{
  double sum[SCOPEDETECT_CODE] = {0}, squares = 0, means = 0, n = 0;

  for (int m = 0; m < s->n_models; m++) {
    const ScopedetectShape *of = &models[m]->shape;

    n += of->n;
    for (int i = 0; i < of->n; i++)
      for (int k = 0; k < SCOPEDETECT_CODE; k++) {
        double f = of->code[(size_t) i * SCOPEDETECT_CODE + k];

        sum[k] += f;
        squares += f * f;
      }
  }
  for (int k = 0; k < SCOPEDETECT_CODE; k++)
    means += sum[k] / n * (sum[k] / n);
  for (int m = 0; m < s->n_models; m++)
    s->shape[m].feature_sigma =
        (float) (sqrt (fmax (squares / n - means, 0)) / SCOPEDETECT_CODE_SCALE);
}

/* Gets the arrays of the searches' results. */
static const char *
new_findings (Scopedetect *s, int n_models)
{
  DeviceMemory *m = &s->host_memory;
  const size_t models = (size_t) n_models, n = models * SCOPEDETECT_FOUND;

  for (int k = 0; k < 2; k++) {
    ScopedetectFindings *of = &s->found.by[k];

    TRY (memory_get (m, &of->hypothesis, n));
    TRY (memory_get (m, &of->measure, n));
    TRY (memory_get (m, &of->n, models));
  }
  TRY (memory_get (m, &s->objects, models * SCOPEDETECT_MAX_OBJECTS));
  TRY (memory_get (m, &s->fate, models * SCOPEDETECT_MAX_OBJECTS));
  TRY (memory_get (m, &s->every_model, models));
  TRY (memory_get (m, &s->chosen, models));
  TRY (memory_get (m, &s->vote, models));
  for (int i = 0; i < n_models; i++)
    s->every_model[i] = i;
  return NULL;
}

const char *
scopedetect_new (Scopedetect **self, const Device *device, int width,
    int height, const ScopedetectModel *const *models, int n_models)
{
  Scopedetect *s = calloc (1, sizeof *s);

  *self = s;
  if (!s)
    return OUT_OF_MEMORY (sizeof *s, "");
  s->device = *device;
  s->stages = STAGES (scopedetect, device);
  memory_open (&s->memory, &s->device);
  memory_open (&s->host_memory, device_host ());
  if (width < 1 || height < 1 || width > SCOPEDETECT_MAX_SIDE ||
      height > SCOPEDETECT_MAX_SIDE)
    return "the frame's sides must be 1 to 4096 pixels";
  TRY (check_models (models, n_models));
  TRY (new_findings (s, n_models));
  s->found.fit = scopedetect_fit_shipped ();
  s->spacing = models[0]->shape.spacing;
  s->feature_radius = models[0]->shape.feature_radius;
  TRY (get_detector_memory (s, width, height, models, n_models));
  set_feature_sigma (s, models);
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
    device_wait (s->memory.device); /* the device may still use the memory */
  s->stages->close (&s->scratch);
  memory_free (&s->memory);
  memory_free (&s->host_memory);
  scopedetect_assigner_free (s->on_host);
  scopedetect_assigner_free (s->on_gpu);
  free (s->shape);
  free (s->found.shape);
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
  if (!get_detector_memory (s, width, height, models, n_models))
    bytes = s->memory.bytes;
  scopedetect_free (s);
  return bytes;
}
