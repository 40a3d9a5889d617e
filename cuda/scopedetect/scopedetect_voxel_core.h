/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Voxels: cells of the scene with the side of the models' spacing. The mean of
 * a cell's pixels is a point of the cloud. */
#pragma once

#include "scopedetect/scopedetect_core.h"

typedef struct {
  int x, y, z;
} ScopedetectCell;

/* Sums over a cell's pixels: position in micrometres, normal in 1/32768, colour
 * in 1/256. They are integers, so that their order does not matter. */
typedef struct {
  long long sum[9];
  int n;
} ScopedetectVoxel;

BOTH ScopedetectCell
scopedetect_cell_of (float spacing, Vec at)
{
  ScopedetectCell c = {scopedetect_cell (at.x, spacing),
      scopedetect_cell (at.y, spacing), scopedetect_cell (at.z, spacing)};

  return c;
}

BOTH bool
scopedetect_same_cell (ScopedetectCell a, ScopedetectCell b)
{
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* The summands of pixel @p, at point @at. */
BOTH void
scopedetect_voxel_share (const ScopedetectPixel *p, Vec at, long long share[9])
{
  share[0] = (long long) (at.x * 1e6f);
  share[1] = (long long) (at.y * 1e6f);
  share[2] = (long long) (at.z * 1e6f);
  share[3] = (long long) (p->nx * 32768);
  share[4] = (long long) (p->ny * 32768);
  share[5] = (long long) (p->nz * 32768);
  share[6] = (long long) (p->l * 256);
  share[7] = (long long) (p->a * 256);
  share[8] = (long long) (p->b * 256);
}

/* Sets point @i of the cloud to the means of a voxel. */
BOTH void
scopedetect_set_point (ScopedetectCloud *c, int i, const ScopedetectVoxel *v)
{
  const long long *s = v->sum;
  float n = (float) v->n;

  c->x[i] = vec ((float) s[0] / n * 1e-6f, (float) s[1] / n * 1e-6f,
      (float) s[2] / n * 1e-6f);
  c->normal[i] = vec_unit (vec ((float) s[3], (float) s[4], (float) s[5]));
  if (c->lab)
    c->lab[i] = vec (
        (float) s[6] / n / 256, (float) s[7] / n / 256, (float) s[8] / n / 256);
}
