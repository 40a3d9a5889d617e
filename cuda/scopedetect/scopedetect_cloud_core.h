/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Points of a surface, of a model or of a scene, with the features of their
 * neighbourhoods: principal curvatures, FPFH, an oriented frame. */
#pragma once

#include <string.h>

#include "common/memory.h"
#include "common/vec.h"

#define SCOPEDETECT_BINS 33      /* 3 x 11 */
#define SCOPEDETECT_ROW 36       /* bins of an SPFH: 33, padded with 0 */
#define SCOPEDETECT_CODE 40      /* of a code, likewise */
#define SCOPEDETECT_CODE_SCALE 2 /* steps a percent of a bin: 0 to 200 */
/* Maximum number of neighbours of a point; of more, the first ones in the order
 * of the grid count. */
#define SCOPEDETECT_NEAR 320

#ifdef __cplusplus
# define SCOPEDETECT_ALIGNED alignas (16)
#else
# define SCOPEDETECT_ALIGNED _Alignas(16)
#endif

/* A point in the grid's order: 16 bits of number, below 15 of the cell, 5 a
 * coordinate, which tell neighbouring cells apart. */
typedef struct {
  SCOPEDETECT_ALIGNED Vec x;
  uint32_t cell_and_number;
} ScopedetectListed;

/* Cells with the side of the radius, hashed: the points of hash h are
 * list[start[h]] to list[start[h + 1] - 1], ascending. */
typedef struct {
  float cell;    /* metres */
  uint32_t mask; /* number of hashes - 1 */
  uint32_t *start, *list;
  ScopedetectListed *listed; /* the GPU's; NULL on the CPU */
} ScopedetectGrid;

/* Arrays with room for @room points, of which @n are used. */
typedef struct {
  int room, n;
  Vec *x, *normal;
  Vec *lab;         /* L 0 to 100, a, b; NULL: no colour is known */
  float *pc1, *pc2; /* principal curvatures, pc1 >= pc2 >= 0 */
  Quat *frame;      /* of (normal, direction of pc1, their product) */
  float *spfh;      /* SCOPEDETECT_ROW a point */
  float *fpfh;      /* SCOPEDETECT_BINS a point */
  int16_t *code; /* fpfh in whole steps, SCOPEDETECT_CODE a point: features are
                    matched as integers */
  ScopedetectGrid grid;
} ScopedetectCloud;

/* Frame @q with two axes reversed: (n, pc, n x pc) becomes (n, -pc, -n x pc).
 */
BOTH Quat
scopedetect_flip (Quat q)
{
  Quat r = {-q.x, q.w, q.z, -q.y};

  return r;
}

BOTH int
scopedetect_cell (float x, float cell)
{
  return (int) floorf (x / cell);
}

BOTH uint32_t
scopedetect_hash (int x, int y, int z)
{
  uint32_t h = (uint32_t) x * 73856093u ^ (uint32_t) y * 19349663u ^
      (uint32_t) z * 83492791u;

  return h ^ (h >> 15);
}

/* The hash of the grid's cell that holds @p. */
BOTH uint32_t
scopedetect_hash_of (const ScopedetectGrid *g, Vec p)
{
  return scopedetect_hash (scopedetect_cell (p.x, g->cell),
             scopedetect_cell (p.y, g->cell), scopedetect_cell (p.z, g->cell)) &
      g->mask;
}

/* Sets @near to the numbers of the points within @radius of @x, in the order of
 * the grid; @radius is at most the side of a cell. Returns their number. */
BOTH int
scopedetect_near (
    const ScopedetectCloud *c, Vec x, float radius, int near[SCOPEDETECT_NEAR])
{
  const ScopedetectGrid *g = &c->grid;
  int cx = scopedetect_cell (x.x, g->cell),
      cy = scopedetect_cell (x.y, g->cell);
  int cz = scopedetect_cell (x.z, g->cell), n = 0;

  for (int k = 0; k < 27; k++) {
    int u = cx + k % 3 - 1, v = cy + k / 3 % 3 - 1, w = cz + k / 9 - 1;
    uint32_t h = scopedetect_hash (u, v, w) & g->mask;

    for (uint32_t i = g->start[h]; i < g->start[h + 1]; i++) {
      Vec p = c->x[g->list[i]], d = vec_sub (p, x);

      if (vec_dot (d, d) > radius * radius)
        continue;
      /* the point lies in another cell, which has the same hash */
      if (scopedetect_cell (p.x, g->cell) != u ||
          scopedetect_cell (p.y, g->cell) != v ||
          scopedetect_cell (p.z, g->cell) != w)
        continue;
      if (n < SCOPEDETECT_NEAR)
        near[n++] = (int) g->list[i];
    }
  }
  return n;
}

/* Gets the arrays of @cloud for @room points from @memory; with @colour also
 * lab, with @features also those of neighbourhoods. Do not move @cloud then. */
const char *scopedetect_cloud_new (DeviceMemory *memory,
    ScopedetectCloud *cloud, int room, bool colour, bool features);

/* Compute the grid of points, and curvatures, frames and FPFH, on the CPU. */
void scopedetect_set_grid (ScopedetectCloud *cloud, float radius);
void scopedetect_set_features (ScopedetectCloud *cloud, float radius);
