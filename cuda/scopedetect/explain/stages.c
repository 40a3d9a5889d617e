/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One stage or two (thesis, section 2.3).  The first chooses what explains the
 * frame; what it explains leaves the points from which a search begins; those
 * and the poses found so are chosen from again, in all of the frame.  All
 * pixels stay, so that what was found still hides what is behind it. */
#include "common/parallel.h"
#include "scopedetect/explain/explain.h"
#include "scopedetect/scopedetect_detector.h"

/* ---- Tasks ---- */

#define WEIGHT_STEPS 1024 /* a unit of a weight */

static int64_t
weight (double w)
{
  return (int64_t) (w * WEIGHT_STEPS + .5);
}

static ScopedetectAssignWeights
weights_of (const ScopedetectParams *p, bool is_first)
{
  double unexplained =
      is_first ? p->first_weight_unexplained : p->weight_unexplained;
  double overlap = is_first ? p->first_weight_overlap : p->weight_overlap;
  double object = is_first ? p->first_weight_object : p->weight_object;

  return (ScopedetectAssignWeights){.fit = weight (p->weight_fit),
      .unexplained = weight (unexplained),
      .overlap = weight (overlap),
      .object = weight (object)};
}

ScopedetectAssignTask
scopedetect_task (const ScopedetectParams *p, int n_candidates, bool is_first)
{
  int steps = p->schedule == SCOPEDETECT_HALVES
      ? p->restart_steps
      : p->explain_steps * n_candidates;

  return (ScopedetectAssignTask){.n_candidates = n_candidates,
      .max_objects = p->max_objects,
      .schedule = p->schedule,
      .searches = p->restarts,
      .steps = steps,
      .stop = INT32_MAX,
      .seed = p->seed,
      .weight = weights_of (p, is_first)};
}

/* The search among the candidates, which begins with none of them. */
static ScopedetectAssignTask
task_of (const Scopedetect *s, double end, bool is_first)
{
  const ScopedetectParams *p = &s->params;
  const ScopedetectExplain *e = &s->explain;
  ScopedetectAssignTask task = scopedetect_task (p, e->n_ranked, is_first);

  task.candidate = e->candidate;
  task.n_patches = e->patches.n;
  task.excludes = e->excludes;
  task.end = end;
  if (p->max_steps)
    task.stop = p->max_steps - s->told.steps;
  if (s->is_tracking) /* an object of the frame before is likely still there */
    task.weight.object = 0;
  return task;
}

/* From this number of searches on, the GPU is faster than four cores.  A warp
 * looks at 32 steps of a search at once, and a core takes them in half of its
 * time; with the thesis's schedule in a thirteenth, since half of the steps are
 * taken at first, and the warp looks again at those behind one that is taken.
 */
#define GPU_SEARCHES 8
#define GPU_RESTARTS 52

static bool
suits_gpu (const ScopedetectAssignTask *t)
{
  return t->searches >=
      (t->schedule == SCOPEDETECT_HALVES ? GPU_RESTARTS : GPU_SEARCHES);
}

static const char *
assign (
    Scopedetect *s, const ScopedetectAssignTask *t, ScopedetectAssignment *best)
{
  const ScopedetectExplain *e = &s->explain;
  bool on_gpu = e->on_gpu && suits_gpu (t);

  TRY (scopedetect_assign (on_gpu ? e->on_gpu : e->on_host, t, best));
  s->told.steps += best->steps;
  s->told.is_cut |= t->n_candidates && best->steps < t->steps;
  return NULL;
}

/* ---- What stage 1 leaves ---- */

typedef struct {
  const ScopedetectExplain *e;
  const ScopedetectShape *shape;
  Turn r;
  Vec t;
  float reach;
  bool *explained; /* of each point */
} Leaving;

static void
leave (void *data, int begin, int end)
{
  const Leaving *l = data;
  Vec centre = vec_transform (&l->r, l->t, l->shape->centre);
  float off;

  for (int i = begin; i < end; i++) {
    Vec x = l->e->x[i], d = vec_sub (x, centre);

    if (vec_dot (d, d) <= l->reach * l->reach &&
        scopedetect_explains (
            l->shape, &l->r, l->t, x, l->e->normal[i], &off) >= 0)
      l->explained[i] = true;
  }
}

/* The points that none of @chosen explains, to e->left; returns how many. */
static int
set_left (Scopedetect *s, const ScopedetectAssignment *chosen)
{
  ScopedetectExplain *e = &s->explain;
  int points = s->cloud.n, n = 0;

  memset (e->explained, 0, (size_t) points * sizeof *e->explained);
  for (int k = 0; k < chosen->n; k++) {
    const ScopedetectObject *o = &e->object[chosen->chosen[k]];
    const ScopedetectShape *shape = &s->host_shape[o->model];
    Pose p = pose_from (o->pose);
    Leaving l = {e, shape, turn_of (p.q), p.t,
        shape->radius + SCOPEDETECT_NEAR_SURFACE, e->explained};

    parallel_for (points, 256, leave, &l);
  }
  for (int i = 0; i < points; i++)
    if (!e->explained[i])
      e->left[n++] = (uint16_t) i;
  return n;
}

/* The models that may have more objects than @chosen has, to e->models; returns
 * how many.  One that the whole frame was searched for, and that has no pose
 * there, has none in a part of it. */
static int
set_models (Scopedetect *s, const ScopedetectAssignment *chosen)
{
  ScopedetectExplain *e = &s->explain;
  int n = 0;

  for (int m = 0; m < s->n_models; m++) {
    int objects = 0;

    for (int k = 0; k < chosen->n; k++)
      objects += e->object[chosen->chosen[k]].model == m;
    if ((s->stage[0].n[m] || s->n_searched < s->n_models) &&
        objects < s->params.max_objects)
      e->models[n++] = m;
  }
  return n;
}

/* ---- Stage 2 ---- */

static bool
is_over (const Scopedetect *s, double end)
{
  const ScopedetectParams *p = &s->params;

  return (p->max_steps && s->told.steps >= p->max_steps) ||
      (end > 0 && scopedetect_now () >= end);
}

/* Decides whether there is a stage 2, to told.second, where REFUSED is yes; if
 * so, searches in what @first leaves. */
static const char *
search_rest (Scopedetect *s, const ScopedetectAssignment *first, double end)
{
  ScopedetectExplain *e = &s->explain;
  int n_models = set_models (s, first);

  s->told.n_rest = set_left (s, first);
  s->told.second = s->told.n_rest < s->params.min_rest ? SCOPEDETECT_FEW_POINTS
      : !n_models                                      ? SCOPEDETECT_NO_MODELS
      : is_over (s, end)                               ? SCOPEDETECT_NO_TIME
                                                       : SCOPEDETECT_REFUSED;
  s->told.is_cut |= s->told.second == SCOPEDETECT_NO_TIME;
  if (s->told.second != SCOPEDETECT_REFUSED || !first->n)
    return NULL; /* all points are left: it would find the same poses */
  return scopedetect_search_left (
      s, e->models, n_models, e->left, s->told.n_rest);
}

/* Chooses anew from all candidates, beginning with @best, which gives way only
 * to what scores higher. */
static const char *
choose_again (Scopedetect *s, ScopedetectAssignment *best, double end)
{
  ScopedetectRanked chosen[SCOPEDETECT_MAX_TOGETHER];
  ScopedetectAssignTask task;
  ScopedetectAssignment both;
  int at[SCOPEDETECT_MAX_TOGETHER];

  for (int k = 0; k < best->n; k++)
    chosen[k] = s->explain.ranked[best->chosen[k]];
  scopedetect_set_candidates (s, chosen, best->n, at);
  memcpy (best->chosen, at, (size_t) best->n * sizeof *at);
  task = task_of (s, end, false);
  memcpy (task.start, at, (size_t) best->n * sizeof *at);
  task.n_start = best->n;
  task.fixed = s->params.fix_first;
  TRY (assign (s, &task, &both));
  if (both.energy <= scopedetect_assign_energy (&task, at, best->n))
    return NULL;
  s->told.second = SCOPEDETECT_ACCEPTED;
  *best = both;
  return NULL;
}

/* ---- The whole ---- */

/* Adds @o to those that were added before, of the same or of earlier models;
 * objects of one model are in the order of their scores. */
static void
put (Scopedetect *s, const ScopedetectObject *o)
{
  int at = s->n_objects++;

  for (; at > 0 && s->objects[at - 1].model == o->model &&
       s->objects[at - 1].score < o->score;
       at--)
    s->objects[at] = s->objects[at - 1];
  s->objects[at] = *o;
}

static void
put_all (Scopedetect *s, const ScopedetectAssignment *best)
{
  double searches = best->searches;

  s->told.agreement = best->agree / searches;
  for (int i = 0; i < best->n; i++) {
    ScopedetectObject *o = &s->explain.object[best->chosen[i]];

    o->agreement = best->agree_on[i] / searches;
    if (o->score >= s->params.min_score)
      put (s, o);
  }
}

const char *
scopedetect_read_patches (Scopedetect *s)
{
  const ScopedetectCloud *c = &s->cloud;
  ScopedetectExplain *e = &s->explain;
  size_t n = (size_t) c->n;
  bool colour = s->scene.has_colour;

  if (e->has_patches)
    return NULL;
  TRY (device_copy (&s->device, e->x, c->x, n * sizeof *e->x));
  TRY (device_copy (&s->device, e->normal, c->normal, n * sizeof *e->normal));
  if (colour)
    TRY (device_copy (&s->device, e->lab, c->lab, n * sizeof *e->lab));
  TRY (device_wait (&s->device));
  scopedetect_set_patches (
      &e->patches, e->x, e->normal, colour ? e->lab : NULL, c->n, s->spacing);
  e->has_patches = true;
  return NULL;
}

const char *
scopedetect_explain (Scopedetect *s)
{
  const ScopedetectParams *p = &s->params;
  double end = p->max_time ? scopedetect_now () + p->max_time / 1e3 : 0;
  bool two = p->explain == SCOPEDETECT_TWO_STAGE && !s->is_tracking;
  ScopedetectAssignTask task;
  ScopedetectAssignment best;

  TRY (scopedetect_read_patches (s));
  s->explain.n_judged = 0;
  memset (s->stage[1].n, 0, (size_t) s->n_models * sizeof *s->stage[1].n);
  scopedetect_set_candidates (s, NULL, 0, NULL);
  task = task_of (s, end, two);
  TRY (assign (s, &task, &best));
  if (two) {
    TRY (search_rest (s, &best, end));
    if (s->told.second == SCOPEDETECT_REFUSED)
      TRY (choose_again (s, &best, end));
  }
  put_all (s, &best);
  return NULL;
}
