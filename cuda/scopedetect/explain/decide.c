/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From a model's hypotheses to objects, and of objects that explain the same
 * surface to the best. */
#include "scopedetect/explain/explain.h"
#include "scopedetect/scopedetect_refine_core.h"
#include "scopedetect/scopedetect_score_core.h"

/* How often the best pose of a model is right that scores so much: logistic
 * regression on generated scenes, half at MIDDLE; without colour there are
 * fewer edges, and all scores are less.  See the README. */
#define MIDDLE -2.5
#define MIDDLE_WITHOUT -3.2
#define SLOPE 2.5

static double
certainty_of_score (bool frame_colour, int32_t score)
{
  double middle = frame_colour ? MIDDLE : MIDDLE_WITHOUT;

  return 1 / (1 + exp (SLOPE * (middle - score / 65536.)));
}

/* Of the poses that look alike the one with the least turn: it does not jump
 * from frame to frame. */
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

/* From J^T J to the covariance of centre and turn: as much as what is left over
 * says, its inverse.  Directions that nothing holds are as unsure as the gate
 * is wide. */
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
    int to = (k + 3) % 6; /* translation first */

    b[k] = 1;
    scopedetect_solve (m, b);
    for (int i = 0; i < 6; i++)
      out[6 * ((i + 3) % 6) + to] = b[i] * noise * gate * gate /
          ((i < 3 ? radius : 1) * (k < 3 ? radius : 1));
  }
}

void
scopedetect_set_object (ScopedetectObject *o, const ScopedetectShape *s,
    const ScopedetectHypothesis *a, const ScopedetectMeasure *m,
    bool frame_colour, double tolerance)
{
  Pose p = canonical_pose (s, a->pose);
  ImageBox none = {0, 0, 0, 0};

  memset (o, 0, sizeof *o);
  o->pose[0] = p.t.x, o->pose[1] = p.t.y, o->pose[2] = p.t.z;
  o->pose[3] = p.q.w, o->pose[4] = p.q.x, o->pose[5] = p.q.y;
  o->pose[6] = p.q.z;
  o->score = certainty_of_score (frame_colour, a->score);
  o->agreement = 1;
  for (int k = 0; k < SCOPEDETECT_N_PARTS; k++)
    o->part[k] = a->part[k];
  o->visible = exp (a->part[SCOPEDETECT_VISIBILITY]);
  o->explained = m->sums.front ? (double) m->sums.n / m->sums.front : 0;
  set_covariance (&m->sums, s->radius, tolerance, o->covariance);
  o->box = m->box.x0 < m->box.x1 ? m->box : none;
  o->seen = m->seen.x0 < m->seen.x1 ? m->seen : none;
}

/* A duplicate of a better one goes here, before the contest: there it would
 * take the surface of another model's object, and be reported no more than that
 * one. */
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
    bool is_new =
        certainty_of_score (found->has_colour, a->score) >= p->min_score;

    if (!is_new)
      continue;
    scopedetect_set_object (&objects[kept], s, a,
        &by->measure[model * SCOPEDETECT_FOUND + i], found->has_colour,
        found->tolerance);
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
 * Of objects that explain the same one, the best stays.  A part of a
 * thing that is there looks like parts of things that are not, and this
 * tells them apart; it is as much of the thesis's chapter 2, which
 * explains a scene by several objects together, as can be had without
 * search. */

#define POINTS 300   /* of a model, of those that there are */
#define TOGETHER 2.f /* points are of one surface if so near, in spacings */

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

/* Whether point @p of a surface with normal @n, both the camera's, is one of
 * @of's surface. */
static bool
lies_on_object (const Placed *of, Vec p, Vec n)
{
  const ScopedetectShape *s = of->shape;
  Vec x = vec_unrotate (&of->r, vec_sub (p, of->t));
  int i = scopedetect_nearest (s, x);

  return i >= 0 && vec_norm (vec_sub (x, s->x[i])) < TOGETHER * s->spacing &&
      vec_dot (vec_unrotate (&of->r, n), s->normal[i]) > .5f;
}

/* The part of what @a explains that lies on the surface of @b. */
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

/* The best that is open; of equal ones the first. */
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
