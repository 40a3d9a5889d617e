/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The silhouette of a model in a frame: its points mark cells of a grid, gaps
 * between them are closed, and the rim of the cells is followed. */
#include <math.h>

#include "scopedetect/scopedetect_detector.h"

#define SIDE 128 /* cells of the grid, without its rim */
#define RIM 8    /* maximum spread of a point, cells */
#define CELLS (SIDE + 2 * RIM)
#define MAX_STEPS (4 * CELLS) /* steps around that are followed */
#define SPREAD .9             /* of points, in their spacing */

typedef struct {
  double x, y; /* of the grid's corner, pixels */
  double cell; /* its cells' side, pixels */
  int spread;  /* cells */
  uint8_t mask[CELLS][CELLS], grown[CELLS][CELLS];
} Grid;

typedef struct {
  double at[MAX_STEPS][2];
  int n;
} Way;

/* Computes the pixel that shows a point; false if the point is behind the
 * camera. */
static bool
pixel_of_point (Vec p, const Camera *c, double at[2])
{
  if (!(p.z > .01f))
    return false;
  at[0] = c->fx * p.x / p.z + c->cx;
  at[1] = c->fy * p.y / p.z + c->cy;
  return true;
}

/* Lays the grid around all points, and marks their cells; false if no point is
 * before the camera. */
static bool
lay_grid (Grid *g, const ScopedetectShape *s, Pose pose, const Camera *c)
{
  Turn r = turn_of (pose.q);
  double low[2] = {1e9, 1e9}, high[2] = {-1e9, -1e9}, at[2], near = 1e9;

  for (int i = 0; i < s->n; i++) {
    Vec p = vec_transform (&r, pose.t, s->x[i]);

    if (!pixel_of_point (p, c, at))
      continue;
    near = fmin (near, p.z);
    for (int k = 0; k < 2; k++)
      low[k] = fmin (low[k], at[k]), high[k] = fmax (high[k], at[k]);
  }
  if (!(low[0] <= high[0]))
    return false;
  g->cell = fmax (1, fmax (high[0] - low[0], high[1] - low[1]) / (SIDE - 1));
  g->spread = (int) ceil (SPREAD * s->spacing * c->fx / near / g->cell);
  g->spread = g->spread < RIM - 1 ? g->spread : RIM - 1;
  g->x = low[0] - (RIM + .5) * g->cell;
  g->y = low[1] - (RIM + .5) * g->cell;
  memset (g->mask, 0, sizeof g->mask);
  for (int i = 0; i < s->n; i++)
    if (pixel_of_point (vec_transform (&r, pose.t, s->x[i]), c, at))
      g->mask[(int) ((at[1] - g->y) / g->cell)]
             [(int) ((at[0] - g->x) / g->cell)] = 1;
  return true;
}

/* Whether a cell within the spread of (@x, @y) is @value. */
static bool
mask_meets (uint8_t (*mask)[CELLS], int x, int y, int spread, uint8_t value)
{
  for (int v = y - spread; v <= y + spread; v++)
    for (int u = x - spread; u <= x + spread; u++)
      if ((u - x) * (u - x) + (v - y) * (v - y) <= spread * spread && u >= 0 &&
          v >= 0 && u < CELLS && v < CELLS && mask[v][u] == value)
        return true;
  return false;
}

/* Grows the marked cells by the spread, then shrinks them by it: gaps are
 * closed, the rim stays. */
static void
close_mask_gaps (Grid *g)
{
  for (int y = 0; y < CELLS; y++)
    for (int x = 0; x < CELLS; x++)
      g->grown[y][x] = mask_meets (g->mask, x, y, g->spread, 1);
  for (int y = 0; y < CELLS; y++)
    for (int x = 0; x < CELLS; x++)
      g->mask[y][x] =
          g->grown[y][x] && !mask_meets (g->grown, x, y, g->spread, 0);
}

static bool
is_cell_set (const Grid *g, int x, int y)
{
  return x >= 0 && y >= 0 && x < CELLS && y < CELLS && g->mask[y][x];
}

/* Follows the rim from the upper left corner of cell (@x, @y) to the right,
 * marked cells on the right hand; notes the middles of cells' sides. */
static void
follow_rim (const Grid *g, int x, int y, Way *way)
{
  static const int step[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  /* offsets, from a corner and for each direction, of the left and the right
   * cell ahead */
  static const int left[4][2] = {{0, -1}, {0, 0}, {-1, 0}, {-1, -1}};
  static const int right[4][2] = {{0, 0}, {-1, 0}, {-1, -1}, {0, -1}};
  int u = x, v = y, d = 0;

  way->n = 0;
  do {
    way->at[way->n][0] = g->x + g->cell * (u + .5 * step[d][0]);
    way->at[way->n++][1] = g->y + g->cell * (v + .5 * step[d][1]);
    u += step[d][0], v += step[d][1];
    if (is_cell_set (g, u + left[d][0], v + left[d][1]))
      d = (d + 3) % 4;
    else if (!is_cell_set (g, u + right[d][0], v + right[d][1]))
      d = (d + 1) % 4;
  } while ((u != x || v != y || d != 0) && way->n < MAX_STEPS);
}

static double
area_of_corner (const Way *w, int a, int b, int c)
{
  return .5 *
      ((w->at[b][0] - w->at[a][0]) * (w->at[c][1] - w->at[a][1]) -
          (w->at[b][1] - w->at[a][1]) * (w->at[c][0] - w->at[a][0]));
}

static double
area_of_way (const Way *w)
{
  double sum = 0;

  for (int i = 1; i + 1 < w->n; i++)
    sum += area_of_corner (w, 0, i, i + 1);
  return sum;
}

/* Removes the corner of the smallest triangle until all triangles have
 * @min_area and at most @room corners are left (M. Visvalingam and J. D.
 * Whyatt, Cartographic Journal 30, 1993). */
static void
simplify_way (Way *w, double min_area, int room)
{
  while (w->n > 3) {
    double small = INFINITY;
    int which = 0;

    for (int i = 0; i < w->n; i++) {
      double a =
          fabs (area_of_corner (w, (i + w->n - 1) % w->n, i, (i + 1) % w->n));

      if (a < small)
        small = a, which = i;
    }
    if (small > min_area && w->n <= room)
      return;
    memmove (w->at + which, w->at + which + 1,
        (size_t) (w->n - which - 1) * sizeof *w->at);
    w->n--;
  }
}

int
scopedetect_model_outline (const ScopedetectModel *model, const double pose[7],
    const Camera *camera, double *xy, int room)
{
  Way way = {.n = 0}, best = {.n = 0};
  Grid g;

  if (room < 3 || !lay_grid (&g, &model->shape, pose_from (pose), camera))
    return 0;
  close_mask_gaps (&g);
  /* every rim has an upper left corner; the outer rim is the largest */
  for (int y = 0; y < CELLS; y++)
    for (int x = 0; x < CELLS; x++)
      if (is_cell_set (&g, x, y) && !is_cell_set (&g, x, y - 1) &&
          !is_cell_set (&g, x - 1, y) && !is_cell_set (&g, x - 1, y - 1)) {
        follow_rim (&g, x, y, &way);
        if (area_of_way (&way) > area_of_way (&best))
          best = way;
      }
  simplify_way (&best, .5 * g.cell * g.cell, room);
  if (best.n < 3)
    return 0;
  memcpy (xy, best.at, (size_t) best.n * sizeof *best.at);
  return best.n;
}
