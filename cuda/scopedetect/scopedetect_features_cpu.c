/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Grid and features of a cloud, as loops. */
#include "common/parallel.h"
#include "scopedetect/scopedetect_cloud_core.h"
#include "scopedetect/scopedetect_features_core.h"

void
scopedetect_set_grid (ScopedetectCloud *c, float radius)
{
  ScopedetectGrid *g = &c->grid;

  g->cell = radius;
  memset (g->start, 0, (g->mask + 2) * sizeof *g->start);
  for (int i = 0; i < c->n; i++)
    g->start[scopedetect_hash_of (g, c->x[i])]++;
  for (uint32_t h = 0, sum = 0; h <= g->mask + 1; h++) {
    sum += g->start[h];
    g->start[h] = sum; /* where it ends */
  }
  for (int i = c->n - 1; i >= 0; i--)
    g->list[--g->start[scopedetect_hash_of (g, c->x[i])]] = (uint32_t) i;
}

static void
set_point_curvature (ScopedetectCloud *c, int i, const int *near, int n)
{
  ScopedetectSpread s = scopedetect_spread (c->normal[i]);

  for (int k = 0; k < n; k++)
    scopedetect_spread_add (&s, c->normal[near[k]]);
  scopedetect_curvature (c, i, &s, n);
}

static void
set_point_spfh (ScopedetectCloud *c, int i, const int *near, int n)
{
  int count[SCOPEDETECT_BINS] = {0}, bin[3];

  for (int k = 0; k < n; k++)
    if (near[k] != i &&
        scopedetect_pair (
            c->x[i], c->normal[i], c->x[near[k]], c->normal[near[k]], bin))
      count[bin[0]]++, count[bin[1]]++, count[bin[2]]++;
  for (int b = 0; b < SCOPEDETECT_BINS; b++)
    c->spfh[(size_t) i * SCOPEDETECT_ROW + b] = scopedetect_spfh (count[b], n);
}

static void
set_point_fpfh (ScopedetectCloud *c, int i, const int *near, int n)
{
  float *h = c->fpfh + (size_t) i * SCOPEDETECT_BINS;
  int16_t *code = c->code + (size_t) i * SCOPEDETECT_CODE;

  memset (h, 0, SCOPEDETECT_BINS * sizeof *h);
  for (int k = 0; k < n; k++) {
    const float *s = c->spfh + (size_t) near[k] * SCOPEDETECT_ROW;
    float weight = scopedetect_fpfh_weight (c->x[near[k]], c->x[i]);

    for (int b = 0; b < SCOPEDETECT_BINS; b++)
      h[b] += s[b] * weight;
  }
  for (int part = 0; part < SCOPEDETECT_BINS; part += 11) {
    float scale = scopedetect_fpfh_scale (h + part);

    for (int b = part; b < part + 11; b++) {
      h[b] *= scale;
      code[b] = scopedetect_code_of (h[b]);
    }
  }
}

typedef struct {
  ScopedetectCloud *cloud;
  float radius;
} Features;

static void
set_spfh_of_points (void *data, int begin, int end)
{
  const Features *f = data;
  ScopedetectCloud *c = f->cloud;
  int near[SCOPEDETECT_NEAR];

  for (int i = begin; i < end; i++) {
    int n = scopedetect_near (c, c->x[i], f->radius, near);

    set_point_curvature (c, i, near, n);
    set_point_spfh (c, i, near, n);
  }
}

static void
set_fpfh_of_points (void *data, int begin, int end)
{
  const Features *f = data;
  ScopedetectCloud *c = f->cloud;
  int near[SCOPEDETECT_NEAR];

  for (int i = begin; i < end; i++) {
    int n = scopedetect_near (c, c->x[i], f->radius, near);

    set_point_fpfh (c, i, near, n);
  }
}

void
scopedetect_set_features (ScopedetectCloud *c, float radius)
{
  Features f = {c, radius};

  parallel_for (c->n, 64, set_spfh_of_points, &f);
  parallel_for (c->n, 64, set_fpfh_of_points, &f);
}

/* ---- Memory of clouds ---- */

const char *
scopedetect_cloud_new (
    DeviceMemory *m, ScopedetectCloud *c, int room, bool colour, bool features)
{
  uint32_t hashes = 64;

  memset (c, 0, sizeof *c);
  c->room = room;
  while (hashes < (uint32_t) room)
    hashes *= 2;
  c->grid.mask = hashes - 1;
  TRY (memory_get (m, &c->x, room));
  TRY (memory_get (m, &c->normal, room));
  if (colour)
    TRY (memory_get (m, &c->lab, room));
  TRY (memory_get (m, &c->grid.start, hashes + 1));
  TRY (memory_get (m, &c->grid.list, room));
  if (!features)
    return NULL;
  TRY (memory_get (m, &c->pc1, room));
  TRY (memory_get (m, &c->pc2, room));
  TRY (memory_get (m, &c->frame, room));
  TRY (memory_get (m, &c->spfh, (size_t) room * SCOPEDETECT_ROW));
  TRY (memory_get (m, &c->fpfh, (size_t) room * SCOPEDETECT_BINS));
  return memory_get (m, &c->code, (size_t) room * SCOPEDETECT_CODE);
}
