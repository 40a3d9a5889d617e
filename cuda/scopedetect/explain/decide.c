/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Objects by themselves: from hypotheses to objects, and the best of those that
 * explain the same surface. */
#include "scopedetect/explain/explain.h"
#include "scopedetect/scopedetect_refine_core.h"
#include "scopedetect/scopedetect_score_core.h"

void
scopedetect_set_alone (
    bool frame_colour, int32_t score, double alone[SCOPEDETECT_N_ALONE])
{
  alone[SCOPEDETECT_ALONE_CONSTANT] = 1;
  alone[SCOPEDETECT_ALONE_SCORE] = score / 65536.;
  alone[SCOPEDETECT_ALONE_GREY] = !frame_colour;
}

static double
certainty_of_score (const ScopedetectFound *f, int32_t score)
{
  double alone[SCOPEDETECT_N_ALONE];

  scopedetect_set_alone (f->has_colour, score, alone);
  return 1 /
      (1 +
          exp (-scopedetect_log_odds (
              f->fit.alone, alone, SCOPEDETECT_N_ALONE)));
}

/* A score that gains nothing, of frames with colour and without, and the
 * difference to it of a score that gains as much as a pose can. The thesis does
 * not tell its weights, so these are ours. */
#define ZERO -2.
#define ZERO_WITHOUT -2.7
#define FULL 2.5

int32_t
scopedetect_thesis_fit (bool frame_colour, const ScopedetectHypothesis *a)
{
  double zero = frame_colour ? ZERO : ZERO_WITHOUT;
  double over = (a->score / 65536. - zero) / FULL;

  return (int32_t) (SCOPEDETECT_SURE * fmax (fmin (over, 1), -1));
}

/* Of the poses that look like @p the one with the smallest rotation, so that
 * poses do not jump from frame to frame. */
static Pose
canonical_pose (const ScopedetectShape *s, Pose p)
{
  Pose best = p;

  for (int i = 1; i < s->n_symmetries; i++) {
    Turn r = turn_of (p.q);
    Pose o;

    o.q = quat_times (p.q, s->symmetry[i].q);
    o.t = vec_transform (&r, p.t, s->symmetry[i].t);
    if (fabsf (o.q.w) > fabsf (best.q.w) + 1e-6f)
      best = o;
  }
  if (best.q.w < 0)
    best.q = quat (-best.q.w, -best.q.x, -best.q.y, -best.q.z);
  return best;
}

/* Sets @out to the covariance of centre and rotation: the inverse of J^T J,
 * times the variance of the residuals. A direction without points has a
 * deviation of the gate. */
static void
set_covariance (
    const ScopedetectSums *s, double radius, double gate, double out[36])
{
  double m[6][6],
      noise = s->n ? (double) s->e / SCOPEDETECT_FIX / (double) s->n : 1;

  noise = noise > 1e-4 ? noise : 1e-4;
  scopedetect_matrix (s, noise, m);
  if (!scopedetect_factor (m))
    return;
  for (int k = 0; k < 6; k++) {
    double b[6] = {0};
    int to = (k + 3) % 6; /* translation comes first */

    b[k] = 1;
    scopedetect_solve (m, b);
    for (int i = 0; i < 6; i++)
      out[6 * ((i + 3) % 6) + to] = b[i] * noise * gate * gate /
          ((i < 3 ? radius : 1) * (k < 3 ? radius : 1));
  }
}

void
scopedetect_set_object (ScopedetectObject *o, const ScopedetectFound *found,
    const ScopedetectShape *s, const ScopedetectHypothesis *a,
    const ScopedetectMeasure *m)
{
  Pose p = canonical_pose (s, a->pose);
  ImageBox none = {0, 0, 0, 0};

  memset (o, 0, sizeof *o);
  o->pose[0] = p.t.x, o->pose[1] = p.t.y, o->pose[2] = p.t.z;
  o->pose[3] = p.q.w, o->pose[4] = p.q.x, o->pose[5] = p.q.y;
  o->pose[6] = p.q.z;
  o->score = certainty_of_score (found, a->score);
  o->agreement = 1;
  for (int k = 0; k < SCOPEDETECT_N_PARTS; k++)
    o->part[k] = a->part[k];
  o->visible = exp (a->part[SCOPEDETECT_VISIBILITY]);
  o->explained = m->sums.front ? (double) m->sums.n / m->sums.front : 0;
  set_covariance (&m->sums, s->radius, found->tolerance, o->covariance);
  o->box = m->box.x0 < m->box.x1 ? m->box : none;
  o->seen = m->seen.x0 < m->seen.x1 ? m->seen : none;
}

/* Duplicates are dropped before the contest, in which a duplicate would take
 * the surface of another model's object. */
int
scopedetect_objects_of (const ScopedetectFound *found,
    const ScopedetectParams *p, int model, ScopedetectObject *objects)
{
  const ScopedetectFindings *by = &found->by[0];
  const ScopedetectShape *s = &found->shape[model];
  int kept = 0;

  for (int i = 0; i < by->n[model] && kept < p->max_objects; i++) {
    const ScopedetectHypothesis *a =
        &by->hypothesis[model * SCOPEDETECT_FOUND + i];
    bool is_new = certainty_of_score (found, a->score) >= p->min_score;

    if (!is_new)
      continue;
    scopedetect_set_object (&objects[kept], found, s, a,
        &by->measure[model * SCOPEDETECT_FOUND + i]);
    objects[kept].model = model;
    for (int k = 0; k < kept && is_new; k++)
      is_new =
          scopedetect_apart (s, &objects[kept], &objects[k]) > SCOPEDETECT_SAME;
    kept += is_new;
  }
  return kept;
}

/* ---- One surface has one cause ----
 *
 * Of objects that explain the same surface, the best stays: a part of an object
 * looks like parts of other models. The contest is the part of the thesis's
 * chapter 2 that needs no search. */

#define POINTS 300   /* of a model that are compared */
#define TOGETHER 2.f /* maximum distance of such points, in spacings */

typedef struct {
  const ScopedetectShape *shape;
  Turn r;
  Vec t;
} Placed;

static Placed
place_object (const ScopedetectShape *shapes, const ScopedetectObject *o)
{
  Pose p = pose_from (o->pose);

  return (Placed){&shapes[o->model], turn_of (p.q), p.t};
}

/* Whether point @p with normal @n, of the camera, lies on the surface of @of.
 */
static bool
lies_on_object (const Placed *of, Vec p, Vec n)
{
  const ScopedetectShape *s = of->shape;
  Vec x = vec_unrotate (&of->r, vec_sub (p, of->t));
  int i = scopedetect_nearest (s, x);

  return i >= 0 && vec_norm (vec_sub (x, s->x[i])) < TOGETHER * s->spacing &&
      vec_dot (vec_unrotate (&of->r, n), s->normal[i]) > .5f;
}

/* The part of the surface that @a explains that lies on the surface of @b. */
static double
shared_surface (const ScopedetectShape *shapes, const ScopedetectObject *a,
    const ScopedetectObject *b)
{
  Placed of = place_object (shapes, a), on = place_object (shapes, b);
  int n = of.shape->n < POINTS ? of.shape->n : POINTS, front = 0, both = 0;

  for (int i = 0; i < n; i++) {
    Vec p = vec_transform (&of.r, of.t, of.shape->x[i]);
    Vec normal = vec_rotate (&of.r, of.shape->normal[i]);

    if (!(-vec_dot (normal, p) > SCOPEDETECT_FRONT * vec_norm (p)))
      continue;
    front++;
    both += lies_on_object (&on, p, normal);
  }
  return front && a->explained > 0 ? both / (front * a->explained) : 1;
}

enum { OPEN, KEPT, REFUSED };

/* The open object with the highest score, of equal ones the first; -1: none. */
static int
best_open_object (const ScopedetectObject *objects, const uint8_t *fate, int n)
{
  int best = -1;

  for (int i = 0; i < n; i++)
    if (fate[i] == OPEN && (best < 0 || objects[i].score > objects[best].score))
      best = i;
  return best;
}

int
scopedetect_contest (const ScopedetectShape *shapes, double least_own,
    ScopedetectObject *objects, uint8_t *fate, int n)
{
  int kept = 0;

  if (!(least_own > 0))
    return n;
  memset (fate, OPEN, (size_t) n);
  for (int k = 0; k < n; k++) {
    int i = best_open_object (objects, fate, n);
    double own = 1;

    for (int j = 0; j < n && own >= least_own; j++)
      if (fate[j] == KEPT &&
          scopedetect_meet (&objects[i].box, &objects[j].box))
        own -= shared_surface (shapes, &objects[i], &objects[j]);
    fate[i] = own >= least_own ? KEPT : REFUSED;
  }
  for (int i = 0; i < n; i++)
    if (fate[i] == KEPT)
      objects[kept++] = objects[i];
  return kept;
}
