/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The order of the stages (thesis, algorithm 1). */
#include <math.h>

#include "common/random.h"
#include "scopedetect/scopedetect_segment.h"
#include "scopedetect/scopedetect_self.h"

/* Seeds so far apart as the thesis's, in pixels, but no more than there is room
 * for. */
static void
set_lattice (ScopedetectWork *w)
{
  int width = w->scene.width, height = w->scene.height;
  float step = SCOPEDETECT_SEED_ANGLE * w->scene.fx;
  float least = sqrtf ((float) width * (float) height / SCOPEDETECT_MAX_SEEDS);

  step = fmaxf (fmaxf (step, least), 6);
  step = fminf (step, SCOPEDETECT_MAX_SIDE);
  w->lattice.step = (int) step - 1;
  do { /* a step that was cut to whole pixels may be too short */
    w->lattice.step++;
    w->lattice.width = (width - 1) / w->lattice.step + 1;
    w->lattice.height = (height - 1) / w->lattice.step + 1;
  } while (w->lattice.width * w->lattice.height > SCOPEDETECT_MOST_SEGMENTS);
}

/* A random permutation of the cloud, i -> a i + b: a is near the golden part of
 * its size, so that the first queries spread over the scene, and coprime to it.
 */
static void
set_order (ScopedetectWork *w)
{
  uint32_t n = (uint32_t) w->cloud.n, a;

  w->query_first = n ? random_below (w->params.seed, 0, n) : 0;
  a = (uint32_t) (.618034 * n) + random_below (w->params.seed, 1, 1 + n / 16);
  for (a = a ? a : 1;; a++) {
    uint32_t x = a, y = n;

    while (y) {
      uint32_t r = x % y;

      x = y, y = r;
    }
    if (x == 1 || !n)
      break;
  }
  w->query_step = a;
}

static void
set_queries (ScopedetectWork *w)
{
  w->n_queries = w->params.queries && w->params.queries < w->cloud.n
      ? w->params.queries
      : w->cloud.n;
  set_order (w);
}

const char *
scopedetect_begin (
    Scopedetect *s, const ScopedetectParams *p, const ScopedetectFrame *f)
{
  ScopedetectWork *w = &s->work;

  TRY (scopedetect_check (p));
  if (f->width != w->scene.width || f->height != w->scene.height)
    return "the frame has another size than was announced";
  if (!f->depth)
    return "the frame has no depth";
  if (f->depth_stride % 2 || (uintptr_t) f->depth % 2)
    return "the depth's rows start at odd bytes";
  if (f->color &&
      (f->color->width != f->width || f->color->height != f->height))
    return "colour and depth differ in size; align them first";
  w->params = *p;
  w->frame = *f;
  w->scene.fx = (float) p->camera.fx, w->scene.fy = (float) p->camera.fy;
  w->scene.per_fx = 1 / w->scene.fx, w->scene.per_fy = 1 / w->scene.fy;
  w->scene.cx = (float) p->camera.cx, w->scene.cy = (float) p->camera.cy;
  w->scene.has_colour = f->color != NULL;
  s->n_objects = 0;
  w->has_segments = p->align > 0 || p->weight[SCOPEDETECT_AFFINITY] > 0 ||
      p->weight[SCOPEDETECT_SEGMENT] > 0;
  set_lattice (w);
  TRY (s->stages->observe (&s->device, w));
  TRY (s->stages->points (&s->device, w));
  set_queries (w);
  return w->has_segments ? s->stages->segments (&s->device, w) : NULL;
}

/* Round 1 of a batch (algorithm 1). */
static const char *
search_batch (Scopedetect *s)
{
  const ScopedetectStages *t = s->stages;
  ScopedetectWork *w = &s->work;
  const ScopedetectParams *p = &w->params;
  const Device *dev = &s->device;

  TRY (t->match (dev, w));
  TRY (t->choose (dev, w));
  if (p->random)
    TRY (t->cluster (dev, w, p->samples));
  TRY (t->verify (dev, w));
  return t->cluster (dev, w, p->clusters);
}

/* Rounds 2 and 3 of a batch; the best samples of its models to s->found. */
static const char *
refine_batch (void *self)
{
  Scopedetect *s = self;
  const ScopedetectStages *t = s->stages;
  ScopedetectWork *w = &s->work;
  const ScopedetectParams *p = &w->params;
  const Device *dev = &s->device;
  float gate = (float) p->tolerance;
  const size_t size = sizeof *s->found;

  TRY (t->refine (dev, w, p->refine, 2 * gate, .6f * gate));
  TRY (t->score (dev, w, p->points));
  for (int k = 0; k < p->align; k++)
    TRY (t->align (dev, w, k));
  TRY (t->cluster (dev, w, p->last));
  TRY (t->refine (dev, w, p->refine / 2, gate, gate / 3));
  if (p->climb)
    TRY (t->climb (dev, w, p->climb));
  TRY (t->score (dev, w, 0));
  TRY (t->cluster (dev, w, SCOPEDETECT_FOUND));
  TRY (t->measure (dev, w));
  TRY (device_copy_rows (dev, s->found, SCOPEDETECT_FOUND * size, w->sample,
      SCOPEDETECT_MAX_KEPT * size, SCOPEDETECT_FOUND * size,
      (size_t) w->n_models));
  return device_copy (dev, s->counts, w->counts, sizeof *s->counts);
}

/* Runs the batch from model @first on; its best go to s->found. */
static const char *
run_batch (Scopedetect *s, int first, bool search)
{
  ScopedetectWork *w = &s->work;

  if (search)
    TRY (search_batch (s));
  TRY (s->stages->repeat (&s->device, w, refine_batch, s));
  TRY (device_wait (&s->device));
  for (int m = 0; m < w->n_models; m++)
    s->n_objects += scopedetect_decide (w, &s->host_shape[first + m], first + m,
        s->found + m * SCOPEDETECT_FOUND, w->measure + m * SCOPEDETECT_FOUND,
        s->counts->n_samples[m], s->objects + s->n_objects);
  return NULL;
}

static void
set_batch (Scopedetect *s, int first)
{
  ScopedetectWork *w = &s->work;

  w->n_models = s->n_models - first < SCOPEDETECT_BATCH ? s->n_models - first
                                                        : SCOPEDETECT_BATCH;
  memcpy (w->model, s->shape + first, (size_t) w->n_models * sizeof *s->shape);
}

static void
set_results (Scopedetect *s, ScopedetectResults *r)
{
  const ScopedetectCounts *c = s->counts;

  s->n_objects = scopedetect_contest (s->host_shape, s->work.params.least_own,
      s->objects, s->fate, s->n_objects);
  memset (r, 0, sizeof *r);
  r->objects = s->objects;
  r->n_objects = s->n_objects;
  r->has_table = c->has_table;
  for (int k = 0; k < 4; k++)
    r->table[k] = c->has_table ? c->table[k] : 0;
  r->n_points = c->n_points;
  r->n_left_out = c->n_left_out;
}

const char *
scopedetect_run (Scopedetect *s, const ScopedetectParams *params,
    const ScopedetectFrame *frame, ScopedetectResults *results)
{
  TRY (scopedetect_begin (s, params, frame));
  for (int first = 0; first < s->n_models; first += SCOPEDETECT_BATCH) {
    set_batch (s, first);
    TRY (run_batch (s, first, true));
  }
  set_results (s, results);
  return NULL;
}

/* The guesses of a batch to its samples.  They lie where results will; these
 * are queued after them. */
static const char *
place_guesses (
    Scopedetect *s, int first, const ScopedetectObject *guesses, int n)
{
  ScopedetectWork *w = &s->work;
  const size_t size = sizeof *s->found;

  memset (s->counts->n_samples, 0, sizeof s->counts->n_samples);
  for (int i = 0; i < n; i++) {
    int m = guesses[i].model - first, at;

    if (m < 0 || m >= w->n_models ||
        s->counts->n_samples[m] == SCOPEDETECT_FOUND)
      continue;
    at = s->counts->n_samples[m]++;
    memset (&s->found[m * SCOPEDETECT_FOUND + at], 0, size);
    s->found[m * SCOPEDETECT_FOUND + at].pose = pose_from (guesses[i].pose);
    s->found[m * SCOPEDETECT_FOUND + at].id = (uint32_t) i;
  }
  TRY (device_copy_rows (&s->device, w->sample, SCOPEDETECT_MAX_KEPT * size,
      s->found, SCOPEDETECT_FOUND * size, SCOPEDETECT_FOUND * size,
      (size_t) w->n_models));
  return device_copy (&s->device, w->counts->n_samples, s->counts->n_samples,
      sizeof s->counts->n_samples);
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
  for (int first = 0; first < s->n_models; first += SCOPEDETECT_BATCH) {
    set_batch (s, first);
    TRY (place_guesses (s, first, guesses, n_guesses));
    TRY (run_batch (s, first, false));
  }
  set_results (s, results);
  return NULL;
}
