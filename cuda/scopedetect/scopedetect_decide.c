/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From a model's samples to objects. */
#include "scopedetect/scopedetect_refine.h"
#include "scopedetect/scopedetect_self.h"

/* How often the best pose of a model is right that scores so much: logistic
 * regression on generated scenes, half at MIDDLE; without colour there are
 * fewer edges, and all scores are less.  See the README. */
#define MIDDLE -2.5
#define MIDDLE_WITHOUT -3.2
#define SLOPE 2.5

static double
certainty (const ScopedetectWork *w, int32_t score)
{
  double middle = w->scene.has_colour ? MIDDLE : MIDDLE_WITHOUT;

  return 1 / (1 + exp (SLOPE * (middle - score / 65536.)));
}

/* Of the poses that look alike the one with the least turn: it does not jump
 * from frame to frame. */
static Pose
canonical (const ScopedetectShape *s, Pose p)
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

static void
fill (ScopedetectObject *o, const ScopedetectWork *w, const ScopedetectShape *s,
    const ScopedetectSample *a, const ScopedetectMeasure *m)
{
  Pose p = canonical (s, a->pose);
  ImageBox none = {0, 0, 0, 0};

  memset (o, 0, sizeof *o);
  o->pose[0] = p.t.x, o->pose[1] = p.t.y, o->pose[2] = p.t.z;
  o->pose[3] = p.q.w, o->pose[4] = p.q.x, o->pose[5] = p.q.y;
  o->pose[6] = p.q.z;
  o->score = certainty (w, a->score);
  for (int k = 0; k < SCOPEDETECT_N_PARTS; k++)
    o->part[k] = a->part[k];
  o->visible = exp (a->part[SCOPEDETECT_VISIBILITY]);
  o->explained = m->sums.front ? (double) m->sums.n / m->sums.front : 0;
  set_covariance (&m->sums, s->radius, w->params.tolerance, o->covariance);
  o->box = m->box.x0 < m->box.x1 ? m->box : none;
  o->seen = m->seen.x0 < m->seen.x1 ? m->seen : none;
}

/* A duplicate of a better one goes here, before the contest: there it would
 * take the surface of another model's object, and be told of no more than
 * that one. */
int
scopedetect_decide (const ScopedetectWork *w, const ScopedetectShape *s,
    int model, const ScopedetectSample *found,
    const ScopedetectMeasure *measure, int n, ScopedetectObject *objects)
{
  int kept = 0;

  for (int i = 0; i < n && kept < w->params.max_objects; i++) {
    bool is_new = certainty (w, found[i].score) >= w->params.min_score;

    if (!is_new)
      continue;
    fill (&objects[kept], w, s, &found[i], &measure[i]);
    objects[kept].model = model;
    for (int k = 0; k < kept && is_new; k++)
      is_new =
          scopedetect_apart (s, &objects[kept], &objects[k]) > SCOPEDETECT_SAME;
    kept += is_new;
  }
  return kept;
}
