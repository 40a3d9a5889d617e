/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gpuccl/gpuccl_persist.h"

#include <math.h>
#include <string.h>

/* Rotates @v by the unit quaternion @q and moves it by @t. */
static void
to_world (const GpucclPose *pose, double v[3])
{
  const double *q = pose->q, *u = q + 1;
  double a[3], b[3];

  for (int i = 0; i < 3; i++)
    a[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3] +
        q[0] * v[i];
  for (int i = 0; i < 3; i++)
    b[i] = u[(i + 1) % 3] * a[(i + 2) % 3] - u[(i + 2) % 3] * a[(i + 1) % 3];
  for (int i = 0; i < 3; i++)
    v[i] += 2 * b[i] + pose->t[i];
}

/* The object that @c is, if it is known from no earlier frame. */
static GpucclObject
object_of (const GpucclParams *p, const GpucclComponent *c)
{
  GpucclObject o = {.metric = c->in_space && p->match != GPUCCL_MATCH_IMAGE,
      .at = {c->cx, c->cy, 0},
      .area = c->sum.area};

  if (c->measured) { /* both pixels at the ends count */
    o.width = c->mean_width + 1;
    o.height = c->mean_height + 1;
  }
  if (!o.metric)
    return o;
  memcpy (o.at, c->position, sizeof o.at);
  if (p->pose.known)
    to_world (&p->pose, o.at);
  o.area *= c->depth * c->depth / (p->camera.fx * p->camera.fy);
  o.width *= c->depth / p->camera.fx;
  o.height *= c->depth / p->camera.fy;
  return o;
}

/* What the window found has no width and no height. */
static bool
is_like (double a, double b, double ratio)
{
  return !(a > 0 && b > 0) || (a <= b * ratio && b <= a * ratio);
}

/* How far @b is from @a, as a part of how far it may be; more than 1 where it
 * cannot be the same. */
static double
distance (const GpucclParams *p, const GpucclObject *a, const GpucclObject *b)
{
  double d = 0, ratio = p->match_ratio;

  if (p->match == GPUCCL_MATCH_NONE)
    return 0;
  if (a->metric != b->metric || !is_like (a->area, b->area, ratio) ||
      !is_like (a->width, b->width, ratio) ||
      !is_like (a->height, b->height, ratio))
    return INFINITY;
  for (int i = 0; i < 3; i++)
    d += (a->at[i] - b->at[i]) * (a->at[i] - b->at[i]);
  return sqrt (d) / (a->metric ? p->match_distance : p->match_pixels);
}

/* Pairs the two nearest, and so on; each object goes on in one at most. */
static void
pair (const GpucclParams *p, GpucclObject *old, int n_old, GpucclObject *new,
    int n_new)
{
  for (;;) {
    double min = 1;
    int from = -1, to = -1;

    for (int i = 0; i < n_old; i++)
      for (int j = 0; j < n_new; j++) {
        double d =
            !old[i].id || new[j].id ? INFINITY : distance (p, &old[i], &new[j]);

        if (d < min || (d == min && from < 0))
          min = d, from = i, to = j;
      }
    if (from < 0)
      return;
    new[to].id = old[from].id;
    new[to].frames = old[from].frames;
    old[from].id = 0;
  }
}

void
gpuccl_persist (
    GpucclObjects *self, const GpucclParams *p, GpucclComponent **found, int n)
{
  GpucclObject now[GPUCCL_CANDIDATES];

  for (int i = 0; i < n; i++)
    now[i] = object_of (p, found[i]);
  pair (p, self->objects, self->n_objects, now, n);
  for (int i = 0; i < n; i++) {
    GpucclComponent *c = found[i];

    if (!now[i].id)
      now[i].id = ++self->last_id;
    c->id = now[i].id;
    c->frames = ++now[i].frames;
    c->state = c->frames >= p->frames ? GPUCCL_ACCEPTED : GPUCCL_NEW;
    c->reason = c->state == GPUCCL_NEW ? GPUCCL_PERSISTENCE : GPUCCL_NO_REASON;
  }
  memcpy (self->objects, now, n * sizeof *now);
  self->n_objects = n;
}
