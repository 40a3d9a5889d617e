/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Points of a surface, of a model or of a scene, with what is computed of their
 * neighbourhoods: principal curvatures, FPFH, an oriented frame. */
#pragma once

#include <string.h>

#include "common/memory.h"
#include "common/vec.h"

#define SCOPEDETECT_BINS 33      /* 3 x 11 */
#define SCOPEDETECT_ROW 36       /* bins of an SPFH: 33, padded with 0 */
#define SCOPEDETECT_CODE 40      /* of a code, likewise */
#define SCOPEDETECT_CODE_SCALE 2 /* steps a percent of a bin: 0 to 200 */
/* Maximum number of neighbours: the first in the order of the grid. */
#define SCOPEDETECT_NEAR 320

#ifdef __cplusplus
# define SCOPEDETECT_ALIGNED alignas (16)
#else
# define SCOPEDETECT_ALIGNED _Alignas(16)
#endif

/* A point of the cloud in the order of the grid's list: its number, and above
 * that its cell of the grid, 5 bits of each coordinate: of points a radius
 * apart they tell cells apart. */
typedef struct {
  SCOPEDETECT_ALIGNED Vec x;
  uint32_t cell_and_number;
} ScopedetectListed;

/* Cells with a side of the radius, hashed: points of hash h are
 * list[start[h]] to list[start[h + 1] - 1], in ascending order. */
typedef struct {
  float cell;    /* metres */
  uint32_t mask; /* number of hashes - 1 */
  uint32_t *start, *list;
  ScopedetectListed *listed; /* the GPU's; NULL on the CPU */
} ScopedetectGrid;

/* Arrays of @room points, the first @n of which are there. */
typedef struct {
  int room, n;
  Vec *x, *normal;
  Vec *lab;         /* colour: L 0 to 100, a, b; NULL where none is known */
  float *pc1, *pc2; /* principal curvatures, pc1 >= pc2 >= 0 */
  Quat *frame;      /* of (normal, direction of pc1, their product) */
  float *spfh;      /* SCOPEDETECT_ROW a point */
  float *fpfh;      /* SCOPEDETECT_BINS a point */
  int16_t *code;    /* fpfh in whole steps, SCOPEDETECT_CODE a point: what
                       is matched, as integers */
  ScopedetectGrid grid;
} ScopedetectCloud;

/* The same frame with its second and third axis reversed: (n, pc, n x pc) to
 * (n, -pc, -n x pc). */
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

/* Hash of the cell of the grid that @p lies in. */
BOTH uint32_t
scopedetect_hash_of (const ScopedetectGrid *g, Vec p)
{
  return scopedetect_hash (scopedetect_cell (p.x, g->cell),
             scopedetect_cell (p.y, g->cell), scopedetect_cell (p.z, g->cell)) &
      g->mask;
}

/* The neighbours of @x within @radius, at most the grid's cell: their indices,
 * always in the same order.  Returns how many. */
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
      /* another cell of the same hash */
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

/* Gets from @memory what @cloud, which stays where it is, needs for @room
 * points;
 * @colour: and for colours; @features: and for what is computed of points. */
const char *scopedetect_cloud_new (DeviceMemory *memory,
    ScopedetectCloud *cloud, int room, bool colour, bool features);

/* On the CPU: from points and normals to grid, curvatures, frames and FPFH. */
void scopedetect_set_grid (ScopedetectCloud *cloud, float radius);
void scopedetect_set_features (ScopedetectCloud *cloud, float radius);
