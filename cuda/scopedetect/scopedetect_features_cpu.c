/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Grid and features of a cloud, as loops. */
#include "scopedetect/scopedetect_features.h"

static uint32_t
hash_of (const ScopedetectGrid *g, ScopedetectVec p)
{
  return scopedetect_hash (scopedetect_cell (p.x, g->cell),
             scopedetect_cell (p.y, g->cell), scopedetect_cell (p.z, g->cell)) &
      g->mask;
}

void
scopedetect_grid_cpu (ScopedetectCloud *c, float radius)
{
  ScopedetectGrid *g = &c->grid;

  g->cell = radius;
  memset (g->start, 0, (g->mask + 2) * sizeof *g->start);
  for (int i = 0; i < c->n; i++)
    g->start[hash_of (g, c->x[i])]++;
  for (uint32_t h = 0, sum = 0; h <= g->mask + 1; h++) {
    sum += g->start[h];
    g->start[h] = sum; /* where it ends */
  }
  for (int i = c->n - 1; i >= 0; i--)
    g->list[--g->start[hash_of (g, c->x[i])]] = (uint32_t) i;
}

void
scopedetect_features_cpu (ScopedetectCloud *c, float radius)
{
#pragma omp parallel
  {
    int near[SCOPEDETECT_NEAR];

#pragma omp for schedule(dynamic, 64)
    for (int i = 0; i < c->n; i++) {
      int n = scopedetect_near (c, c->x[i], radius, near);

      scopedetect_curvature (c, i, near, n);
      scopedetect_spfh (c, i, near, n);
    }
#pragma omp for schedule(dynamic, 64)
    for (int i = 0; i < c->n; i++) {
      int n = scopedetect_near (c, c->x[i], radius, near);

      scopedetect_fpfh (c, i, near, n);
    }
  }
}
