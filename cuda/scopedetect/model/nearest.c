/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The grid of nearest points of a model, and what is found by it: symmetries
 * and distances of poses. */
#include <stdlib.h>

#include "scopedetect/scopedetect_core.h"
#include "scopedetect/scopedetect_features_core.h"

#define MARGIN .03f /* metres around the box that the grid covers */
#define MAX_CELLS 8000000
/* Two poses look alike if the mean distance of their points is at most this,
 * in spacings. */
#define LIKE 1.f

/* The grid while it is made.  Only cells beside one that changed since they
 * were looked at can change: those are stale. */
typedef struct {
  ScopedetectShape *shape;
  uint8_t *stale;
} Search;

static size_t
cell_at (const ScopedetectShape *s, int u, int v, int w)
{
  return ((size_t) w * s->cells[1] + v) * s->cells[0] + u;
}

/* The cell itself and those beside it, half-open. */
typedef struct {
  int u0, v0, w0, u1, v1, w1;
} Around;

static Around
around (const ScopedetectShape *s, int u, int v, int w)
{
  const int *n = s->cells;

  return (Around){u > 0 ? u - 1 : 0, v > 0 ? v - 1 : 0, w > 0 ? w - 1 : 0,
      u + 2 < n[0] ? u + 2 : n[0], v + 2 < n[1] ? v + 2 : n[1],
      w + 2 < n[2] ? w + 2 : n[2]};
}

static void
mark_stale (const Search *t, const Around *r)
{
  for (int c = r->w0; c < r->w1; c++)
    for (int b = r->v0; b < r->v1; b++)
      memset (t->stale + cell_at (t->shape, r->u0, b, c), 1,
          (size_t) (r->u1 - r->u0));
}

/* The points of 26 neighbouring cells and of the cell itself compete, in both
 * directions through the grid until nothing changes.  Of two that are equally
 * near, the first point wins. */
static bool
relax (const Search *t, int u, int v, int w, const Around *r)
{
  ScopedetectShape *s = t->shape;
  size_t at = cell_at (s, u, v, w);
  Vec p = vec_add (
      s->origin, vec_scale (vec (u + .5f, v + .5f, w + .5f), s->spacing));
  uint16_t own = s->nearest[at], best = own;
  float min_d2 = 1e9f;

  if (own != UINT16_MAX) {
    Vec d = vec_sub (s->x[own], p);

    min_d2 = fminf (min_d2, vec_dot (d, d));
  }
  for (int c = r->w0; c < r->w1; c++)
    for (int b = r->v0; b < r->v1; b++) {
      const uint16_t *row = s->nearest + cell_at (s, 0, b, c);

      for (int a = r->u0; a < r->u1; a++) {
        Vec d;
        float d2;

        if (row[a] == UINT16_MAX || row[a] == best)
          continue;
        d = vec_sub (s->x[row[a]], p);
        d2 = vec_dot (d, d);
        if (d2 < min_d2 || (d2 == min_d2 && row[a] < best))
          min_d2 = d2, best = row[a];
      }
    }
  s->nearest[at] = best;
  return best != own;
}

static bool
sweep (const Search *t, bool back)
{
  const int *cells = t->shape->cells;
  int n = cells[0] * cells[1] * cells[2];
  bool changed = false;

  for (int k = 0; k < n; k++) {
    int i = back ? n - 1 - k : k;
    int u, v, w;
    Around r;

    if (!t->stale[i])
      continue;
    u = i % cells[0], v = i / cells[0] % cells[1], w = i / cells[0] / cells[1];
    r = around (t->shape, u, v, w);
    t->stale[i] = 0;
    if (relax (t, u, v, w, &r)) {
      mark_stale (t, &r);
      changed = true;
    }
  }
  return changed;
}

const char *
scopedetect_set_nearest (ScopedetectShape *s)
{
  Vec size = vec_sub (s->high, s->low);
  float side[3] = {size.x, size.y, size.z};
  Search t = {s, NULL};
  size_t n = 1;

  s->origin = vec_sub (s->low, vec (MARGIN, MARGIN, MARGIN));
  for (int k = 0; k < 3; k++) {
    float wanted = (side[k] + 2 * MARGIN) / s->spacing;

    s->cells[k] = wanted < MAX_CELLS ? (int) wanted + 1 : MAX_CELLS + 1;
    n *= (size_t) s->cells[k];
    if (n > MAX_CELLS)
      return "the grid of nearest points would have more than 8 million "
             "cells; make the spacing wider";
  }
  if (!(s->nearest = malloc (n * sizeof *s->nearest)))
    return "out of memory";
  memset (s->nearest, 0xff, n * sizeof *s->nearest);
  if (!(t.stale = calloc (n, 1)))
    return "out of memory";
  for (int i = s->n - 1; i >= 0; i--) {
    Vec p = vec_scale (vec_sub (s->x[i], s->origin), 1 / s->spacing);
    Around r = around (s, (int) p.x, (int) p.y, (int) p.z);

    s->nearest[cell_at (s, (int) p.x, (int) p.y, (int) p.z)] = (uint16_t) i;
    mark_stale (&t, &r);
  }
  for (int k = 0; k < 4; k++)
    if (!sweep (&t, false) | !sweep (&t, true))
      break;
  free (t.stale);
  return NULL;
}

/* The distance from @p to the model; outside the grid at least the margin. */
static float
distance_to (const ScopedetectShape *s, Vec p)
{
  int i = scopedetect_nearest (s, p);

  return i < 0 ? MARGIN : vec_norm (vec_sub (s->x[i], p));
}

/* Mean distance of the turned points from the model: in spacings, and no
 * single point may be farther than a few. */
static bool
looks_alike (const ScopedetectShape *s, Quat q)
{
  Turn r = turn_of (q);
  double sum = 0;
  int n = s->n < 2000 ? s->n : 2000, off = 0;

  for (int i = 0; i < n; i++) {
    Vec p = vec_add (s->centre, vec_rotate (&r, vec_sub (s->x[i], s->centre)));
    float d = distance_to (s, p);

    sum += d;
    off += d > 2.5f * s->spacing;
  }
  return sum / n < LIKE * s->spacing && off < n / 100 + 1;
}

static Quat
about (Vec axis, double angle)
{
  float si = (float) sin (angle / 2);

  return quat ((float) cos (angle / 2), axis.x * si, axis.y * si, axis.z * si);
}

static void
add_symmetry (ScopedetectShape *s, Quat q)
{
  Turn r = turn_of (q);
  Pose p;

  for (int i = 0; i < s->n_symmetries; i++)
    if (fabsf (quat_dot (s->symmetry[i].q, q)) > .999f)
      return;
  if (s->n_symmetries == SCOPEDETECT_MAX_SYMMETRIES)
    return;
  p.q = q;
  p.t = vec_sub (s->centre, vec_rotate (&r, s->centre));
  s->symmetry[s->n_symmetries++] = p;
}

/* The principal axes of the points' covariance, the shortest first. */
static void
principal_axes (const ScopedetectShape *s, Vec axis[3])
{
  double m[6] = {0};
  float f[6], g[6];

  for (int i = 0; i < s->n; i++) {
    Vec d = vec_sub (s->x[i], s->centre);

    m[0] += d.x * d.x, m[1] += d.x * d.y, m[2] += d.x * d.z;
    m[3] += d.y * d.y, m[4] += d.y * d.z, m[5] += d.z * d.z;
  }
  for (int k = 0; k < 6; k++) /* the largest axis is the shortest of tr I - M */
    f[k] = (float) m[k],
    g[k] =
        (float) ((k == 0 || k == 3 || k == 5 ? m[0] + m[3] + m[5] : 0) - m[k]);
  axis[0] = scopedetect_min_axis (f);
  axis[2] = scopedetect_min_axis (g);
  axis[2] = vec_unit (
      vec_sub (axis[2], vec_scale (axis[0], vec_dot (axis[0], axis[2]))));
  axis[1] = vec_cross (axis[2], axis[0]);
}

/* Turns about the axis, 2 pi over whole numbers; the axis is one of revolution
 * where turns that are no such part leave it alike too. */
static void
try_axis (ScopedetectShape *s, Vec axis)
{
  const double pi = 3.14159265358979;

  if (looks_alike (s, about (axis, .7)) && looks_alike (s, about (axis, 1.3)) &&
      looks_alike (s, about (axis, 2.2))) {
    s->has_axis = true;
    s->axis = axis;
    for (int k = 0; k < 24; k++)
      add_symmetry (s, about (axis, k * pi / 12));
    return;
  }
  for (int part = 2; part <= 6; part++)
    for (int k = 1; k < part && looks_alike (s, about (axis, 2 * pi / part));
         k++)
      add_symmetry (s, about (axis, 2 * pi * k / part));
}

const char *
scopedetect_symmetries (ScopedetectShape *s)
{
  Vec axis[3];

  s->symmetry = calloc (SCOPEDETECT_MAX_SYMMETRIES, sizeof *s->symmetry);
  if (!s->symmetry)
    return "out of memory";
  add_symmetry (s, quat (1, 0, 0, 0));
  principal_axes (s, axis);
  for (int k = 0; k < 3; k++)
    try_axis (s, axis[k]);
  return NULL;
}
