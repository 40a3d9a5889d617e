/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One surface has one cause: of objects that explain the same one, the best
 * stays.  A part of a thing that is there looks like parts of things that are
 * not, and this tells them apart; it is as much of the thesis's chapter 2,
 * which explains a scene by several objects together, as can be had without
 * search. */
#include "scopedetect/scopedetect_score.h"
#include "scopedetect/scopedetect_self.h"

#define POINTS 300   /* of a model, of those that there are */
#define TOGETHER 2.f /* points are of one surface if so near, in spacings */

typedef struct {
  const ScopedetectShape *shape;
  Turn r;
  Vec t;
} Placed;

static Placed
place (const ScopedetectShape *shapes, const ScopedetectObject *o)
{
  Pose p = pose_from (o->pose);

  return (Placed){&shapes[o->model], turn_of (p.q), p.t};
}

/* Whether point @p of a surface with normal @n, both the camera's, is one of
 * @of's surface. */
static bool
lies_on (const Placed *of, Vec p, Vec n)
{
  const ScopedetectShape *s = of->shape;
  Vec x = vec_unrotate (&of->r, vec_sub (p, of->t));
  int i = scopedetect_nearest (s, x);

  return i >= 0 && vec_norm (vec_sub (x, s->x[i])) < TOGETHER * s->spacing &&
      vec_dot (vec_unrotate (&of->r, n), s->normal[i]) > .5f;
}

/* The part of what @a explains that lies on the surface of @b. */
static double
shared (const ScopedetectShape *shapes, const ScopedetectObject *a,
    const ScopedetectObject *b)
{
  Placed of = place (shapes, a), on = place (shapes, b);
  int n = of.shape->n < POINTS ? of.shape->n : POINTS, front = 0, both = 0;

  for (int i = 0; i < n; i++) {
    Vec p = vec_transform (&of.r, of.t, of.shape->x[i]);
    Vec normal = vec_rotate (&of.r, of.shape->normal[i]);

    if (!(-vec_dot (normal, p) > SCOPEDETECT_FRONT * vec_norm (p)))
      continue;
    front++;
    both += lies_on (&on, p, normal);
  }
  return front && a->explained > 0 ? both / (front * a->explained) : 1;
}

enum { OPEN, KEPT, REFUSED };

/* The best that is open; of equal ones the first. */
static int
best_of (const ScopedetectObject *objects, const uint8_t *fate, int n)
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
    int i = best_of (objects, fate, n);
    double own = 1;

    for (int j = 0; j < n && own >= least_own; j++)
      if (fate[j] == KEPT &&
          scopedetect_meet (&objects[i].box, &objects[j].box))
        own -= shared (shapes, &objects[i], &objects[j]);
    fate[i] = own >= least_own ? KEPT : REFUSED;
  }
  for (int i = 0; i < n; i++)
    if (fate[i] == KEPT)
      objects[kept++] = objects[i];
  return kept;
}
