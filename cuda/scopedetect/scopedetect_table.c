/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The table of nearest points of a model, and what is found by it: symmetries
 * and distances of poses. */
#include <stdlib.h>

#include "scopedetect/scopedetect_features.h"
#include "scopedetect/scopedetect_shape.h"

#define MARGIN .03f /* metres around the box that the table covers */
#define MAX_CELLS 8000000
#define LIKE \
 1.f /* two poses look alike if points are no farther apart, in \
        spacings, on average */

/* The points of 26 neighbouring cells and of the cell itself compete, in both
 * directions through the table until nothing changes. */
static bool
relax (ScopedetectShape *s, int u, int v, int w)
{
  size_t at = ((size_t) w * s->cells[1] + v) * s->cells[0] + u;
  ScopedetectVec p = scopedetect_add (s->origin,
      scopedetect_scale (
          scopedetect_vec (u + .5f, v + .5f, w + .5f), s->spacing));
  uint16_t best = s->nearest[at];
  float least = 1e9f;

  for (int k = 0; k < 28; k++) {
    int a = u, b = v, c = w;
    uint16_t i;
    ScopedetectVec d;
    float d2;

    if (k > 0)
      a += (k - 1) % 3 - 1, b += (k - 1) / 3 % 3 - 1, c += (k - 1) / 9 - 1;
    if (a < 0 || b < 0 || c < 0 || a >= s->cells[0] || b >= s->cells[1] ||
        c >= s->cells[2])
      continue;
    i = s->nearest[((size_t) c * s->cells[1] + b) * s->cells[0] + a];
    if (i == UINT16_MAX)
      continue;
    d = scopedetect_sub (s->x[i], p);
    d2 = scopedetect_dot (d, d);
    if (d2 < least || (d2 == least && i < best))
      least = d2, best = i;
  }
  if (best == s->nearest[at])
    return false;
  s->nearest[at] = best;
  return true;
}

static bool
sweep (ScopedetectShape *s, bool back)
{
  int n = s->cells[0] * s->cells[1] * s->cells[2];
  bool changed = false;

  for (int k = 0; k < n; k++) {
    int i = back ? n - 1 - k : k;

    changed |= relax (s, i % s->cells[0], i / s->cells[0] % s->cells[1],
        i / s->cells[0] / s->cells[1]);
  }
  return changed;
}

const char *
scopedetect_nearest_table (ScopedetectShape *s)
{
  ScopedetectVec size = scopedetect_sub (s->high, s->low);
  float side[3] = {size.x, size.y, size.z};
  size_t n = 1;

  s->origin =
      scopedetect_sub (s->low, scopedetect_vec (MARGIN, MARGIN, MARGIN));
  for (int k = 0; k < 3; k++) {
    float wanted = (side[k] + 2 * MARGIN) / s->spacing;

    s->cells[k] = wanted < MAX_CELLS ? (int) wanted + 1 : MAX_CELLS + 1;
    n *= (size_t) s->cells[k];
    if (n > MAX_CELLS)
      return "the table of nearest points would have more than 8 million "
             "cells; make the spacing wider";
  }
  if (!(s->nearest = malloc (n * sizeof *s->nearest)))
    return "out of memory";
  memset (s->nearest, 0xff, n * sizeof *s->nearest);
  for (int i = s->n - 1; i >= 0; i--) {
    ScopedetectVec p = scopedetect_scale (
        scopedetect_sub (s->x[i], s->origin), 1 / s->spacing);

    s->nearest[((size_t) (int) p.z * s->cells[1] + (size_t) (int) p.y) *
            s->cells[0] +
        (size_t) (int) p.x] = (uint16_t) i;
  }
  for (int k = 0; k < 4; k++)
    if (!sweep (s, false) | !sweep (s, true))
      break;
  return NULL;
}

/* The distance from @p to the model; outside the table at least the margin. */
static float
distance_to (const ScopedetectShape *s, ScopedetectVec p)
{
  int i = scopedetect_nearest (s, p);

  return i < 0 ? MARGIN : scopedetect_norm (scopedetect_sub (s->x[i], p));
}

/* Mean distance of the turned points from the model: in spacings, and no
 * single point may be farther than a few. */
static bool
looks_alike (const ScopedetectShape *s, ScopedetectQuat q)
{
  ScopedetectTurn r = scopedetect_turn (q);
  double sum = 0;
  int n = s->n < 2000 ? s->n : 2000, off = 0;

  for (int i = 0; i < n; i++) {
    ScopedetectVec p = scopedetect_add (s->centre,
        scopedetect_rotate (&r, scopedetect_sub (s->x[i], s->centre)));
    float d = distance_to (s, p);

    sum += d;
    off += d > 2.5f * s->spacing;
  }
  return sum / n < LIKE * s->spacing && off < n / 100 + 1;
}

static ScopedetectQuat
about (ScopedetectVec axis, double angle)
{
  float si = (float) sin (angle / 2);

  return scopedetect_quat (
      (float) cos (angle / 2), axis.x * si, axis.y * si, axis.z * si);
}

static void
add_symmetry (ScopedetectShape *s, ScopedetectQuat q)
{
  ScopedetectTurn r = scopedetect_turn (q);
  ScopedetectPose p;

  for (int i = 0; i < s->n_symmetries; i++)
    if (fabsf (scopedetect_quat_dot (s->symmetry[i].q, q)) > .999f)
      return;
  if (s->n_symmetries == SCOPEDETECT_MAX_SYMMETRIES)
    return;
  p.q = q;
  p.t = scopedetect_sub (s->centre, scopedetect_rotate (&r, s->centre));
  s->symmetry[s->n_symmetries++] = p;
}

/* The principal axes of the points' covariance, the least first. */
static void
principal_axes (const ScopedetectShape *s, ScopedetectVec axis[3])
{
  double m[6] = {0};
  float f[6], g[6];

  for (int i = 0; i < s->n; i++) {
    ScopedetectVec d = scopedetect_sub (s->x[i], s->centre);

    m[0] += d.x * d.x, m[1] += d.x * d.y, m[2] += d.x * d.z;
    m[3] += d.y * d.y, m[4] += d.y * d.z, m[5] += d.z * d.z;
  }
  for (int k = 0; k < 6; k++) /* the largest axis is the least of tr I - M */
    f[k] = (float) m[k],
    g[k] =
        (float) ((k == 0 || k == 3 || k == 5 ? m[0] + m[3] + m[5] : 0) - m[k]);
  axis[0] = scopedetect_least_axis (f);
  axis[2] = scopedetect_least_axis (g);
  axis[2] = scopedetect_unit (scopedetect_sub (axis[2],
      scopedetect_scale (axis[0], scopedetect_dot (axis[0], axis[2]))));
  axis[1] = scopedetect_cross (axis[2], axis[0]);
}

/* Turns about the axis, 2 pi over whole numbers; the axis is one of revolution
 * where turns that are no such part leave it alike too. */
static void
try_axis (ScopedetectShape *s, ScopedetectVec axis)
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
  ScopedetectVec axis[3];

  s->symmetry = calloc (SCOPEDETECT_MAX_SYMMETRIES, sizeof *s->symmetry);
  if (!s->symmetry)
    return "out of memory";
  add_symmetry (s, scopedetect_quat (1, 0, 0, 0));
  principal_axes (s, axis);
  for (int k = 0; k < 3; k++)
    try_axis (s, axis[k]);
  return NULL;
}
