/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Symmetries: rotations after which a model looks alike. Half turns, thirds and
 * fifths about axes in all directions are tried, since a symmetry of finite
 * order has one of them among its powers. Rotations that fit roughly are
 * settled: Gauss-Newton steps move the rotated points onto the planes of the
 * surface. Those whose points then lie on the surface are symmetries. Principal
 * axes do not help: those of a cube, or across a prism, are arbitrary. */
#include <stdlib.h>

#include "scopedetect/scopedetect_features_core.h"
#include "scopedetect/scopedetect_refine_core.h"
#include "scopedetect/model/shape.h"

#define DIRECTIONS 800 /* axes, evenly over half of the sphere: 5 degrees */
#define ROUGH 150      /* points by which directions are compared */
#define CANDIDATES 30  /* directions of each turn that are settled */
#define SETTLING 400   /* points that are moved onto the surface */
#define FAR_STEPS 8    /* by the points of the model */
#define STEPS 14       /* then by those of the surface */
#define HOPELESS 1.2f  /* spacings between points after the first steps */
#define DECIDING 2000  /* points that decide */
/* Limits of a symmetry, of the rotated points: their mean distance from the
 * surface, in spacings and in diameters; the share of far points, and the
 * distance from which on a point is far. */
#define LIKE_SPACINGS .5f
#define LIKE_PART .009f
#define FAR_SHARE .01f
#define FAR_SPACINGS 1.5f
#define FAR_PART .03f
/* Maximum difference between the fits of turns whose powers fit. */
#define ALIKE_SPACINGS .12f
#define ALIKE_PART .003f
#define REACH 2.f     /* maximum distance of a point of the surface, spacings */
#define SAME .9925f   /* of two turns: 14 degrees */
#define NO_TURN .94f  /* of a turn and none: 40 degrees */
#define MOST_PARTS 12 /* of a circle */
#define REVOLUTION 24 /* turns that stand for those about an axis */

#define PI 3.14159265358979

typedef struct {
  ScopedetectShape *shape;
  const ScopedetectCloud *surface; /* with a grid of REACH spacings */
  Vec centre;
  Vec direction[DIRECTIONS];
  float score[DIRECTIONS]; /* of the turn that is tried */
  int n;
  Pose found[SCOPEDETECT_MAX_SYMMETRIES];
} SymmetrySearch;

static Pose
turn_about_axis (Vec centre, Vec axis, double angle)
{
  float si = (float) sin (angle / 2);
  Quat q = {(float) cos (angle / 2), axis.x * si, axis.y * si, axis.z * si};
  Turn r = turn_of (q);
  Pose p = {q, vec_sub (centre, vec_rotate (&r, centre))};

  return p;
}

/* Sets @e to the distance of @p from the plane of the nearest surface point
 * that faces as @normal, along its normal @on; false without one in reach. */
static bool
distance_from_surface (
    const SymmetrySearch *t, Vec p, Vec normal, float *e, Vec *on)
{
  const ScopedetectCloud *c = t->surface;
  int near[SCOPEDETECT_NEAR], best = -1;
  int n = scopedetect_near (c, p, c->grid.cell, near);
  float min_d2 = 1e9f;

  for (int k = 0; k < n; k++) {
    Vec d = vec_sub (c->x[near[k]], p);

    if (vec_dot (d, d) < min_d2 && vec_dot (c->normal[near[k]], normal) > .3f)
      min_d2 = vec_dot (d, d), best = near[k];
  }
  if (best < 0)
    return false;
  *on = c->normal[best];
  *e = vec_dot (vec_sub (c->x[best], p), *on);
  return true;
}

/* As distance_from_surface (), from the points of the model, whose grid has an
 * answer for any @p. */
static bool
distance_from_model (
    const SymmetrySearch *t, Vec p, Vec normal, float *e, Vec *on)
{
  const ScopedetectShape *s = t->shape;
  int i = scopedetect_nearest (s, p);

  if (i < 0 || vec_dot (s->normal[i], normal) < 0)
    return false;
  *on = s->normal[i];
  *e = vec_dot (vec_sub (s->x[i], p), *on);
  return true;
}

static int
minimum_of (int n, int most)
{
  return n < most ? n : most;
}

static float
rough_score (const SymmetrySearch *t, Pose p)
{
  const ScopedetectShape *s = t->shape;
  Turn r = turn_of (p.q);
  int n = minimum_of (s->n, ROUGH);
  float sum = 0;

  for (int i = 0; i < n; i++) {
    Vec x = vec_transform (&r, p.t, s->x[i]);
    int k = scopedetect_nearest (s, x);

    sum += k < 0 ? s->radius : vec_norm (vec_sub (s->x[k], x));
  }
  return sum / (float) n;
}

/* The mean distance of the rotated points from the surface; above the limit if
 * too many are far. Holes of a scan are bridged by the planes around them. */
static float
measure_turn (const SymmetrySearch *t, Pose p)
{
  const ScopedetectShape *s = t->shape;
  float far = fmaxf (FAR_SPACINGS * s->spacing, FAR_PART * s->diameter),
        sum = 0;
  Turn r = turn_of (p.q);
  int n = minimum_of (s->n, DECIDING), n_far = 0;

  for (int i = 0; i < n; i++) {
    Vec x = vec_transform (&r, p.t, s->x[i]), on;
    Vec normal = vec_rotate (&r, s->normal[i]);
    float e;

    if (!distance_from_surface (t, x, normal, &e, &on) &&
        !distance_from_model (t, x, normal, &e, &on))
      e = far;
    sum += fminf (fabsf (e), far);
    n_far += fabsf (e) >= far;
  }
  return (float) n_far > FAR_SHARE * (float) n ? s->diameter : sum / (float) n;
}

static bool
looks_alike (const SymmetrySearch *t, Pose p)
{
  const ScopedetectShape *s = t->shape;

  return measure_turn (t, p) <
      fminf (LIKE_SPACINGS * s->spacing, LIKE_PART * s->diameter);
}

/* Adds point @x, whose distance from a plane with normal @on is @e, to the
 * normal equations. */
static void
add_plane (ScopedetectSums *sums, Vec x, float e, Vec on)
{
  Vec w = vec_cross (x, on);
  float j[6] = {w.x, w.y, w.z, on.x, on.y, on.z};
  int k = 0;

  for (int a = 0; a < 6; a++) {
    for (int b = a; b < 6; b++)
      sums->a[k++] += scopedetect_fix (j[a] * j[b]);
    sums->b[a] += scopedetect_fix (j[a] * e);
  }
  sums->n++;
}

/* Moves the rotated points onto the surface, while the fit may become good. */
static void
settle_turn (const SymmetrySearch *t, Pose *p)
{
  const ScopedetectShape *s = t->shape;
  int n = minimum_of (s->n, SETTLING);

  for (int step = 0; step < STEPS; step++) {
    bool is_far = step < FAR_STEPS;
    float gate = (is_far ? 4 : 1) * REACH * s->spacing;
    ScopedetectSums sums = {0};
    Turn r = turn_of (p->q);
    Vec c = vec_transform (&r, p->t, t->centre);

    if (step == FAR_STEPS && rough_score (t, *p) > HOPELESS * s->spacing)
      return;
    for (int i = 0; i < n; i++) {
      Vec x = vec_transform (&r, p->t, s->x[i]), on;
      Vec normal = vec_rotate (&r, s->normal[i]);
      float e;

      if ((is_far ? distance_from_model (t, x, normal, &e, &on)
                  : distance_from_surface (t, x, normal, &e, &on)) &&
          fabsf (e) < gate)
        add_plane (
            &sums, vec_scale (vec_sub (x, c), 1 / s->radius), e / gate, on);
    }
    if (!scopedetect_step (&sums, c, s->radius, gate, p))
      return;
  }
}

static bool
is_same_turn (Quat a, Quat b)
{
  return fabsf (quat_dot (a, b)) > SAME;
}

static bool
is_known_turn (const SymmetrySearch *t, Quat q)
{
  for (int i = 0; i < t->n; i++)
    if (is_same_turn (t->found[i].q, q))
      return true;
  return false;
}

static void
add_found (SymmetrySearch *t, Pose p)
{
  if (t->n < SCOPEDETECT_MAX_SYMMETRIES && !is_known_turn (t, p.q))
    t->found[t->n++] = p;
}

/* Whether direction @i has the best fit of all directions within 8 degrees. */
static bool
is_minimum (const SymmetrySearch *t, int i)
{
  for (int k = 0; k < DIRECTIONS; k++)
    if (fabsf (vec_dot (t->direction[k], t->direction[i])) > .99f &&
        t->score[k] < t->score[i])
      return false;
  return true;
}

/* Tries turns by @angle about the directions with the best fits. */
static void
try_angle (SymmetrySearch *t, double angle)
{
  int minimum[DIRECTIONS], n = 0;

  for (int i = 0; i < DIRECTIONS; i++)
    t->score[i] =
        rough_score (t, turn_about_axis (t->centre, t->direction[i], angle));
  for (int i = 0; i < DIRECTIONS; i++) {
    int at = n;

    if (!is_minimum (t, i))
      continue;
    for (n++; at > 0 && t->score[minimum[at - 1]] > t->score[i]; at--)
      minimum[at] = minimum[at - 1];
    minimum[at] = i;
  }
  for (int i = 0; i < minimum_of (n, CANDIDATES); i++) {
    Pose p = turn_about_axis (t->centre, t->direction[minimum[i]], angle);

    settle_turn (t, &p);
    if (fabsf (p.q.w) < NO_TURN && looks_alike (t, p))
      add_found (t, p);
  }
}

/* Sets the fixed point of all turns: the mean of any point's places. */
static void
find_centre (SymmetrySearch *t)
{
  Vec sum = {0, 0, 0};

  for (int i = 0; i < t->n; i++) {
    Turn r = turn_of (t->found[i].q);

    sum = vec_add (sum, vec_transform (&r, t->found[i].t, t->centre));
  }
  t->centre = vec_scale (sum, 1 / (float) t->n);
}

static Vec
axis_of (Pose p)
{
  return vec_unit (vec (p.q.x, p.q.y, p.q.z));
}

/* Whether all turns about @axis fit, judged by turns by three arbitrary angles.
 */
static bool
is_revolution (const SymmetrySearch *t, Vec axis)
{
  return looks_alike (t, turn_about_axis (t->centre, axis, .7)) &&
      looks_alike (t, turn_about_axis (t->centre, axis, 1.3)) &&
      looks_alike (t, turn_about_axis (t->centre, axis, 2.2));
}

static void
add_turns (SymmetrySearch *t, Vec axis, int n)
{
  for (int k = 0; k < n; k++)
    add_found (t, turn_about_axis (t->centre, axis, 2 * PI * k / n));
}

static Pose
pose_times (Pose a, Pose b)
{
  Turn r = turn_of (a.q);
  Pose p = {quat_unit (quat_times (a.q, b.q)), vec_transform (&r, a.t, b.t)};

  return p;
}

/* Adds turns about @axis, also after the half turn across it if @half is a
 * symmetry; turns about three axes for a ball. */
static void
add_revolution (SymmetrySearch *t, Vec axis, const Pose *half, bool is_ball)
{
  Vec across = scopedetect_across (axis);

  t->shape->has_axis = true;
  t->shape->axis = axis;
  add_turns (t, axis, REVOLUTION);
  if (is_ball) {
    add_turns (t, across, REVOLUTION);
    add_turns (t, vec_cross (axis, across), REVOLUTION);
  } else if (half) {
    for (int k = 0; k < REVOLUTION; k++)
      add_found (t,
          pose_times (
              turn_about_axis (t->centre, axis_of (*half), PI), t->found[k]));
  }
}

/* Whether one of the @n turns @found is about an axis of revolution; the list
 * then has turns about it. */
static bool
revolves (SymmetrySearch *t, const Pose *found, int n)
{
  const Pose *half = NULL;
  bool is_ball = false;
  int i = 0;

  while (i < n && !is_revolution (t, axis_of (found[i])))
    i++;
  if (i == n)
    return false;
  for (int k = 0; k < n && !is_ball; k++) {
    float along = fabsf (vec_dot (axis_of (found[k]), axis_of (found[i])));

    if (along < .1f)
      half = &found[k];
    is_ball = along < .9f && is_revolution (t, axis_of (found[k]));
  }
  add_revolution (t, axis_of (found[i]), half, is_ball);
  return true;
}

/* Adds all powers of the smallest turn about @axis with about the best fit. */
static void
add_powers (SymmetrySearch *t, Vec axis)
{
  const ScopedetectShape *s = t->shape;
  float off[MOST_PARTS + 1], best = 1e9f;
  float alike = fminf (ALIKE_SPACINGS * s->spacing, ALIKE_PART * s->diameter);

  for (int part = 2; part <= MOST_PARTS; part++) {
    off[part] =
        measure_turn (t, turn_about_axis (t->centre, axis, 2 * PI / part));
    best = fminf (best, off[part]);
  }
  for (int part = MOST_PARTS; part > 1; part--)
    if (off[part] <= best + alike &&
        looks_alike (t, turn_about_axis (t->centre, axis, 2 * PI / part))) {
      add_turns (t, axis, part);
      return;
    }
}

/* Adds products of the turns until they are a group. */
static void
close_group (SymmetrySearch *t)
{
  for (int i = 1; i < t->n; i++)
    for (int k = 1; k <= i; k++) {
      Pose p = pose_times (t->found[i], t->found[k]);
      Pose q = pose_times (t->found[k], t->found[i]);

      if (!is_known_turn (t, p.q) && looks_alike (t, p))
        add_found (t, p);
      if (!is_known_turn (t, q.q) && looks_alike (t, q))
        add_found (t, q);
    }
}

static void
find_symmetries (SymmetrySearch *t)
{
  Pose found[SCOPEDETECT_MAX_SYMMETRIES], none = {{1, 0, 0, 0}, {0, 0, 0}};
  int n = 0;

  for (int i = 0; i < DIRECTIONS; i++) { /* a spiral over the half sphere */
    float z = ((float) i + .5f) / DIRECTIONS, r = sqrtf (1 - z * z);
    float turn = 2.399963f * (float) i;

    t->direction[i] = vec (r * cosf (turn), r * sinf (turn), z);
  }
  add_found (t, none);
  try_angle (t, PI);
  try_angle (t, 2 * PI / 3);
  try_angle (t, 2 * PI / 5);
  find_centre (t);
  for (; n + 1 < t->n; n++)
    found[n] = t->found[n + 1];
  t->n = 1;
  if (revolves (t, found, n))
    return;
  for (int i = 0; i < n; i++)
    add_powers (t, axis_of (found[i]));
  close_group (t);
}

const char *
scopedetect_symmetries (ScopedetectShape *s, ScopedetectSurface *surface)
{
  SymmetrySearch *t = calloc (1, sizeof *t);

  s->symmetry = calloc (SCOPEDETECT_MAX_SYMMETRIES, sizeof *s->symmetry);
  if (!t || !s->symmetry) {
    free (t);
    return OUT_OF_MEMORY (
        sizeof *t + SCOPEDETECT_MAX_SYMMETRIES * sizeof *s->symmetry, "");
  }
  scopedetect_set_grid (&surface->cloud, REACH * s->spacing);
  t->shape = s;
  t->surface = &surface->cloud;
  t->centre = s->centre;
  find_symmetries (t);
  memcpy (s->symmetry, t->found, (size_t) t->n * sizeof *t->found);
  s->n_symmetries = t->n;
  free (t);
  return NULL;
}
