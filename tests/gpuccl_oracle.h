/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An oracle that shares no code and no idea with gpuccl: from each pixel that
 * has no label yet, in raster order, flood whatever hangs together with it. */
#pragma once

#include <math.h>

#include "gpuccl_find.h"

/* When neighbours hang together, in integers: if their depths differ by less
 * than @step units, or less than k z^2 / 2^20 of the nearer one's z. */
typedef struct {
  int connectivity, threshold;
  uint32_t step; /* 0: always */
  uint32_t k;
} Rule;

static inline void
rule_to_params (const Rule *rule, GpucclParams *p)
{
  p->connectivity = rule->connectivity;
  p->threshold = rule->threshold;
  p->max_depth_step = rule->step * p->depth_scale;
  p->depth_step_k = rule->k / (p->depth_scale * 0x1p20);
}

static inline bool
oracle_foreground (const Input *in, const Rule *rule, int x, int y)
{
  int value = *map_at (in, x, y);

  if (in->has_depth && !*depth_at (in, x, y))
    return false;
  return in->source == GPUCCL_CLASSES ? value == 2 || value == 3
      : in->source == GPUCCL_MASK     ? value >= rule->threshold
                                      : true;
}

static inline bool
oracle_linked (const Input *in, const Rule *rule, int x, int y, int u, int v)
{
  int64_t a = *depth_at (in, x, y), b = *depth_at (in, u, v);
  int64_t step = a > b ? a - b : b - a, near = a < b ? a : b;

  if (!in->has_depth || !rule->step)
    return true;
  return step < rule->step || step << 20 < near * near * rule->k;
}

typedef struct {
  uint32_t label, area;
  uint64_t x, y, z;
  int x0, y0, x1, y1;
  int min_z, max_z;
  double min_u, max_u, min_v, max_v;
  double widths, heights, rows, columns; /* as equations 1 and 2 have them */
} OracleComponent;

typedef struct {
  uint32_t *labels;
  OracleComponent *components; /* by area, largest first, then by label */
  int n;
  uint32_t unknown;
} Oracle;

static inline void
oracle_free (Oracle *o)
{
  free (o->labels);
  free (o->components);
}

static inline void
oracle_add (OracleComponent *c, const Input *in, const GpucclCamera *camera,
    int x, int y)
{
  int z = in->has_depth ? *depth_at (in, x, y) : 0;
  double u = camera->known ? (x - camera->cx) * z : 0;
  double v = camera->known ? (y - camera->cy) * z : 0;
  bool first = !c->area++;

  c->x += x, c->y += y, c->z += z;
  c->x0 = first || x < c->x0 ? x : c->x0;
  c->y0 = first || y < c->y0 ? y : c->y0;
  c->x1 = first || x >= c->x1 ? x + 1 : c->x1;
  c->y1 = first || y >= c->y1 ? y + 1 : c->y1;
  c->min_z = first || z < c->min_z ? z : c->min_z;
  c->max_z = first || z > c->max_z ? z : c->max_z;
  c->min_u = first || u < c->min_u ? u : c->min_u;
  c->max_u = first || u > c->max_u ? u : c->max_u;
  c->min_v = first || v < c->min_v ? v : c->min_v;
  c->max_v = first || v > c->max_v ? v : c->max_v;
}

/* Labels all that hangs together with pixel @start; @stack has room for all
 * pixels. */
static inline OracleComponent
oracle_flood (const Input *in, const Rule *rule, const GpucclCamera *camera,
    int start, uint32_t *labels, int *stack)
{
  OracleComponent c = {.label = (uint32_t) start + 1};
  int n = 0;

  labels[start] = c.label;
  stack[n++] = start;
  while (n) {
    int at = stack[--n], x = at % in->width, y = at / in->width;

    oracle_add (&c, in, camera, x, y);
    for (int k = 0; k < 9; k++) {
      int u = x + k % 3 - 1, v = y + k / 3 - 1, to = v * in->width + u;

      if (u < 0 || v < 0 || u >= in->width || v >= in->height || labels[to] ||
          (rule->connectivity == 4 && u != x && v != y) ||
          !oracle_foreground (in, rule, u, v) ||
          !oracle_linked (in, rule, x, y, u, v))
        continue;
      labels[to] = c.label;
      stack[n++] = to;
    }
  }
  return c;
}

/* The sums of equations 1 and 2, row by row and column by column. */
static inline void
oracle_extend (OracleComponent *c, const Input *in, const uint32_t *labels)
{
  for (int pass = 0; pass < 2; pass++) {
    int lines = pass ? in->width : in->height;
    int along = pass ? in->height : in->width;
    double sum = 0, set = 0;

    for (int i = 0; i < lines; i++) {
      int first = -1, last = -1;

      for (int j = 0; j < along; j++)
        if (labels[pass ? j * in->width + i : i * in->width + j] == c->label) {
          first = first < 0 ? j : first;
          last = j;
        }
      sum += last - first;
      set += first >= 0;
    }
    *(pass ? &c->heights : &c->widths) = sum;
    *(pass ? &c->columns : &c->rows) = set;
  }
}

static inline int
oracle_order (const void *p, const void *q)
{
  const OracleComponent *a = p, *b = q;

  if (a->area != b->area)
    return a->area > b->area ? -1 : 1;
  return a->label < b->label ? -1 : 1;
}

static inline Oracle
oracle_of (const Input *in, const Rule *rule, const GpucclCamera *camera)
{
  int pixels = in->width * in->height, *stack = malloc (pixels * sizeof *stack);
  Oracle o = {.labels = calloc (pixels, sizeof *o.labels),
      .components = malloc (pixels * sizeof *o.components)};

  for (int at = 0; at < pixels; at++) {
    int x = at % in->width, y = at / in->width;

    o.unknown += in->source == GPUCCL_CLASSES && *map_at (in, x, y) > 5;
    if (!o.labels[at] && oracle_foreground (in, rule, x, y))
      o.components[o.n++] =
          oracle_flood (in, rule, camera, at, o.labels, stack);
  }
  free (stack);
  qsort (o.components, o.n, sizeof *o.components, oracle_order);
  return o;
}
