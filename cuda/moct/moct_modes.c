/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Modes of a histogram in Lab, from which that of the surroundings is taken.
 * Cells go to modes from the highest on: a cell between two modes joins them
 * where it is not much lower than the lower one (prominence, as of mountains).
 */
#include "moct/moct_modes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEP_L 8 /* sides of a cell.  Lightness changes most within a thing */
#define STEP_AB 6
#define N_L (100 / STEP_L + 1)
#define N_AB (256 / STEP_AB + 1)
#define CELLS (N_L * N_AB * N_AB)
#define SADDLE .7   /* of the lower peak: above, both are one mode */
#define RIM .3      /* of a peak: what is lower is of no mode */
#define SHARE .7    /* of the best mode's score that another must have */
#define MIN_PART .1 /* of a region: what its surroundings do not have */

typedef struct {
  float height;
  int cell;
} Cell;

typedef struct {
  float in[CELLS], around[CELLS], rest[CELLS]; /* parts of the points */
  float height[CELLS]; /* how much more the region has, smoothed */
  int parent[CELLS];   /* -1: of no mode */
  Cell order[CELLS];
} Grid;

static int
axis (float v, float from, int step, int n)
{
  int i = (int) ((v - from) / (float) step);

  return i < 0 ? 0 : i < n ? i : n - 1;
}

static int
cell_of (const float p[3])
{
  return (axis (p[0], 0, STEP_L, N_L) * N_AB +
             axis (p[1], -128, STEP_AB, N_AB)) *
      N_AB +
      axis (p[2], -128, STEP_AB, N_AB);
}

static void
count (const MoctSamples *s, float *part)
{
  for (int i = 0; i < s->n; i++)
    part[cell_of (s->at + 3 * (size_t) i)] += 1 / (float) s->n;
}

/* [1 2 1] / 4 along the axis whose cells lie @apart. */
static void
smooth (float *v, int apart, int n)
{
  for (int i = 0; i < CELLS; i++) {
    float before = 0;

    if (i / apart % n)
      continue;
    for (int k = 0; k < n; k++) {
      float *at = &v[i + k * apart], now = *at;

      *at = (before + 2 * now + (k + 1 < n ? at[apart] : 0)) / 4;
      before = now;
    }
  }
}

static int
top (int *parent, int i)
{
  while (parent[i] != i)
    i = parent[i] = parent[parent[i]];
  return i;
}

/* The cells next to @i, itself among them; returns how many. */
static int
find_near (int i, int near[27])
{
  int l = i / N_AB / N_AB, a = i / N_AB % N_AB, b = i % N_AB, n = 0;

  for (int k = 0; k < 27; k++) {
    int x = l + k / 9 - 1, y = a + k / 3 % 3 - 1, z = b + k % 3 - 1;

    if (x >= 0 && x < N_L && y >= 0 && y < N_AB && z >= 0 && z < N_AB)
      near[n++] = (x * N_AB + y) * N_AB + z;
  }
  return n;
}

/* @i joins the highest mode beside it, and modes that it joins are one. */
static void
add_cell (Grid *g, int i)
{
  int near[27], n = find_near (i, near), best = -1;

  for (int k = 0; k < n; k++) {
    int t = g->parent[near[k]] < 0 ? -1 : top (g->parent, near[k]);

    if (t >= 0 && (best < 0 || g->height[t] > g->height[best]))
      best = t;
  }
  g->parent[i] = best < 0 ? i : best;
  for (int k = 0; k < n && best >= 0; k++) {
    int t = g->parent[near[k]] < 0 ? -1 : top (g->parent, near[k]);

    if (t >= 0 && g->height[i] >= (float) SADDLE * g->height[t])
      g->parent[t] = best;
  }
}

static int
higher_first (const void *p, const void *q)
{
  const Cell *a = p, *b = q;

  return a->height > b->height ? -1
      : a->height < b->height  ? 1
                               : a->cell - b->cell;
}

static void
make_modes (Grid *g)
{
  int n = 0;

  for (int i = 0; i < CELLS; i++)
    g->height[i] = g->in[i] - g->around[i];
  smooth (g->height, 1, N_AB);
  smooth (g->height, N_AB, N_AB);
  smooth (g->height, N_AB * N_AB, N_L);
  for (int i = 0; i < CELLS; i++) {
    g->parent[i] = -1;
    if (g->height[i] > 0)
      g->order[n++] = (Cell){g->height[i], i};
  }
  qsort (g->order, n, sizeof *g->order, higher_first);
  for (int i = 0; i < n; i++)
    add_cell (g, g->order[i].cell);
  for (int i = 0; i < CELLS; i++)
    if (g->parent[i] >= 0 &&
        g->height[i] < (float) RIM * g->height[top (g->parent, i)])
      g->parent[i] = -1;
}

typedef struct {
  int top; /* its highest cell */
  double in, around, rest, score;
} Mode;

/* What a mode says of the region: its part of the relative entropy between the
 * colours of the region and those of all else. */
static double
score (const Mode *m, int n)
{
  double other = fmax (fmax (m->around, m->rest), 1. / n);

  return m->in > other ? m->in * log (m->in / other) : 0;
}

/* The best MOCT_MODES modes, best first. */
static int
rank_modes (Grid *g, int n_points, Mode modes[MOCT_MODES])
{
  int n = 0;

  for (int i = 0; i < CELLS; i++) {
    Mode m = {.top = i};
    int at;

    if (g->parent[i] != i)
      continue;
    for (int k = 0; k < CELLS; k++)
      if (g->parent[k] >= 0 && top (g->parent, k) == i) {
        m.in += g->in[k];
        m.around += g->around[k];
        m.rest += g->rest[k];
      }
    m.score = score (&m, n_points);
    for (at = n; at > 0 && modes[at - 1].score < m.score; at--)
      if (at < MOCT_MODES)
        modes[at] = modes[at - 1];
    if (at < MOCT_MODES) {
      modes[at] = m;
      n += n < MOCT_MODES;
    }
  }
  return n;
}

int
moct_modes_find (const MoctSamples *region, const MoctSamples *around,
    const MoctSamples *rest, int *mode)
{
  Grid *g = calloc (1, sizeof *g);
  Mode modes[MOCT_MODES];
  double more = 0; /* of them than what surrounds the region has */
  int n, kept = 0;

  if (!g)
    return -1;
  count (region, g->in);
  count (around, g->around);
  count (rest, g->rest);
  make_modes (g);
  n = rank_modes (g, region->n, modes);
  while (kept < n && modes[kept].score > 0 &&
      modes[kept].score >= SHARE * modes[0].score) {
    more += modes[kept].in - modes[kept].around;
    kept++;
  }
  for (int i = 0; i < region->n; i++) {
    int cell = cell_of (region->at + 3 * (size_t) i);

    mode[i] = -1;
    for (int k = 0; k < kept && g->parent[cell] >= 0; k++)
      if (top (g->parent, cell) == modes[k].top)
        mode[i] = k;
  }
  free (g);
  return more >= MIN_PART ? kept : 0;
}
