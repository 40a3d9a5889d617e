/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The grid of nearest points of a model. */
#include <stdlib.h>

#include "scopedetect/scopedetect_core.h"

#define MARGIN .03f /* margin of the grid around the box, metres */
#define MAX_CELLS 8000000

/* The grid in the making. A cell is stale if a neighbour has changed since it
 * was computed; other cells cannot change. */
typedef struct {
  ScopedetectShape *shape;
  uint8_t *stale;
} Search;

static size_t
cell_at (const ScopedetectShape *s, int u, int v, int w)
{
  return ((size_t) w * s->cells[1] + v) * s->cells[0] + u;
}

/* The range of cells that a cell and its neighbours occupy; u1, v1 and w1 lie
 * behind it. */
typedef struct {
  int u0, v0, w0, u1, v1, w1;
} Around;

static Around
cells_around (const ScopedetectShape *s, int u, int v, int w)
{
  const int *n = s->cells;

  return (Around){u > 0 ? u - 1 : 0, v > 0 ? v - 1 : 0, w > 0 ? w - 1 : 0,
      u + 2 < n[0] ? u + 2 : n[0], v + 2 < n[1] ? v + 2 : n[1],
      w + 2 < n[2] ? w + 2 : n[2]};
}

static void
mark_cell_stale (const Search *t, const Around *r)
{
  for (int c = r->w0; c < r->w1; c++)
    for (int b = r->v0; b < r->v1; b++)
      memset (t->stale + cell_at (t->shape, r->u0, b, c), 1,
          (size_t) (r->u1 - r->u0));
}

/* Sets a cell to the nearest of its point and those of its 26 neighbours, the
 * first of equally near ones. Sweeps both ways repeat it until no cell changes.
 */
static bool
relax_cell (const Search *t, int u, int v, int w, const Around *r)
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
sweep_cells (const Search *t, bool back)
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
    r = cells_around (t->shape, u, v, w);
    t->stale[i] = 0;
    if (relax_cell (t, u, v, w, &r)) {
      mark_cell_stale (t, &r);
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
    return OUT_OF_MEMORY (n * sizeof *s->nearest, "");
  memset (s->nearest, 0xff, n * sizeof *s->nearest);
  if (!(t.stale = calloc (n, 1)))
    return OUT_OF_MEMORY (n, "");
  for (int i = s->n - 1; i >= 0; i--) {
    Vec p = vec_scale (vec_sub (s->x[i], s->origin), 1 / s->spacing);
    Around r = cells_around (s, (int) p.x, (int) p.y, (int) p.z);

    s->nearest[cell_at (s, (int) p.x, (int) p.y, (int) p.z)] = (uint16_t) i;
    mark_cell_stale (&t, &r);
  }
  for (int k = 0; k < 4; k++) {
    bool first = sweep_cells (&t, false), second = sweep_cells (&t, true);

    if (!first || !second)
      break;
  }
  free (t.stale);
  return NULL;
}
