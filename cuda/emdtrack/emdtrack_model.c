/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Distances of regions from a target, and lower bounds of them. */
#include <math.h>

#include "emdtrack/emdtrack_model.h"

/* Sum of a histogram's shares, for bounds: an int16_t holds a share. */
#define SHARES 16384

/* ---- Kept trees ---- */

/* Attaches @nodes to @inner through @root, with their arcs before all other
 * arcs. */
static void
hang_nodes (
    EmdtrackKeptTree *k, int n_arcs, uint32_t nodes, int root, int inner)
{
  uint8_t node[EMDTRACK_NODES], from[EMDTRACK_NODES];
  uint32_t others = nodes & ~(1u << root);
  int n = 1, to = n_arcs;

  node[0] = (uint8_t) root;
  from[0] = (uint8_t) inner;
  for (int at = 0; at < n; at++) {
    uint32_t new = k->next[node[at]] & others;

    others &= ~new;
    for (; new; new &= new - 1) {
      node[n] = (uint8_t) math_lowest_bit (new);
      from[n++] = node[at];
    }
  }
  for (int a = n_arcs - 1; a >= 0; a--)
    if (!(nodes >> k->outer[a] & 1)) {
      k->outer[--to] = k->outer[a];
      k->inner[to] = k->inner[a];
    }
  for (int i = 0; i < n; i++) {
    k->outer[n - 1 - i] = node[i];
    k->inner[n - 1 - i] = from[i];
  }
}

static void
join_nodes (EmdtrackKeptTree *k, int source, int sink)
{
  k->next[source] |= 1u << (EMDTRACK_BINS + sink);
  k->next[EMDTRACK_BINS + sink] |= 1u << source;
}

/* Sets the tree with which all trees begin. */
static void
set_first_tree (const EmdtrackProblem *p, EmdtrackKeptTree *k)
{
  uint32_t sources = (1u << p->n) - 1, sinks = (1u << p->m) - 1;

  memset (k, 0, sizeof *k);
  emdtrack_tree_first (p, &k->tree);
  for (int i = 0; i < p->n; i++)
    for (uint32_t row = k->tree.row[i]; row; row &= row - 1)
      join_nodes (k, i, math_lowest_bit (row));
  hang_nodes (
      k, p->n + p->m, sources | sinks << EMDTRACK_BINS, 0, EMDTRACK_NODES);
}

static int
median_of_duals (const int *values, int n)
{
  for (int i = 0; i < n; i++) {
    int less = 0, equal = 0;

    for (int j = 0; j < n; j++) {
      less += values[j] < values[i];
      equal += values[j] == values[i];
    }
    if (less <= n / 2 && less + equal > n / 2)
      return values[i];
  }
  return 0;
}

/* Sets the bound of a tree.  The sum of all masses is fixed, so that a constant
 * may move from all u to the rest.  A mass in whole units and one in shares,
 * rounded down, differ by less than 1.3; with u around 0 this matters least. */
static void
set_tree_bound (const EmdtrackProblem *p, EmdtrackKeptTree *k)
{
  int u[EMDTRACK_BINS], middle, off = 0;

  for (int i = 0; i < p->n; i++)
    u[i] = emdtrack_true (k->tree.u[i]);
  middle = median_of_duals (u, p->n);
  k->rest = middle * EMDTRACK_REGION_MASS;
  for (int j = 0; j < p->m; j++)
    k->rest += emdtrack_true (k->tree.v[j]) * p->demand[j];
  for (int i = 0; i < EMDTRACK_BINS; i++) {
    k->u[i] = (int16_t) (i < p->n ? u[i] - middle : 0);
    off += emdtrack_abs (k->u[i]);
  }
  k->max_off = off * 13 / 10 + 1;
}

/* Keeps @tree in the place of the tree that was used longest ago. */
static void
keep_tree (EmdtrackModel *m, const EmdtrackKeptTree *k)
{
  int to = 0;

  for (int i = 0; i < m->n_kept; i++)
    if (!memcmp (m->kept[i].tree.row, k->tree.row, sizeof k->tree.row)) {
      m->kept[i].used = m->now;
      return;
    }
  if (m->n_kept < EMDTRACK_KEPT)
    to = m->n_kept++;
  else
    for (int i = 1; i < m->n_kept; i++)
      to = m->kept[i].used < m->kept[to].used ? i : to;
  m->kept[to] = *k;
  m->kept[to].used = m->now;
  set_tree_bound (&m->problem, &m->kept[to]);
}

const char *
emdtrack_ground_set (EmdtrackGround *g, const EmdtrackParams *p)
{
  double scale;

  TRY (emdtrack_distances (p, g->distance, &scale));
  g->n = p->bins;
  g->farthest = 1;
  for (int i = 0; i < g->n; i++)
    for (int j = 0; j < g->n; j++)
      g->farthest =
          g->distance[i][j] > g->farthest ? g->distance[i][j] : g->farthest;
  return NULL;
}

void
emdtrack_model_set (
    EmdtrackModel *m, const EmdtrackGround *g, const EmdtrackTarget *target)
{
  EmdtrackKeptTree first;

  if (!memcmp (&m->ground, g, sizeof *g) &&
      !memcmp (&m->target, target, sizeof *target))
    return;
  m->ground = *g;
  m->target = *target;
  emdtrack_set_problem (
      &m->problem, m->ground.distance, g->n, EMDTRACK_REGION_MASS, target);
  m->n_kept = 0;
  set_first_tree (&m->problem, &first);
  keep_tree (m, &first);
}

/* ---- Bounds ---- */

static void
set_shares (const uint32_t *counts, int16_t share[EMDTRACK_BINS])
{
  int32_t all = 0;
  float each;

  for (int i = 0; i < EMDTRACK_BINS; i++)
    all += (int32_t) counts[i];
  each = SHARES / (float) all;
  for (int i = 0; i < EMDTRACK_BINS; i++)
    share[i] = (int16_t) (int32_t) ((float) (int32_t) counts[i] * each);
}

static int32_t
bound_of_tree (const EmdtrackKeptTree *k, const int16_t share[EMDTRACK_BINS])
{
  int32_t sum = 0;

  for (int i = 0; i < EMDTRACK_BINS; i++)
    sum += k->u[i] * share[i];
  return (sum >> 2) + k->rest - k->max_off; /* the sum of shares is 4 times the
                                               mass */
}

/* The tree with the greatest bound, or the first whose bound exceeds
 * @enough. */
static int
best_kept_tree (const EmdtrackModel *m, const uint32_t *counts, double enough,
    int32_t *bound)
{
  double max = enough * EMDTRACK_REGION_MASS * m->ground.farthest;
  int16_t shares[EMDTRACK_BINS];
  int best = 0;

  set_shares (counts, shares);
  *bound = INT32_MIN;
  for (int k = 0; k < m->n_kept && *bound <= max; k++) {
    int32_t z = bound_of_tree (&m->kept[k], shares);

    if (z > *bound) {
      *bound = z;
      best = k;
    }
  }
  return best;
}

static double
distance_of_value (const EmdtrackModel *m, int64_t z)
{
  return (double) z / EMDTRACK_REGION_MASS / m->ground.farthest;
}

double
emdtrack_model_bound (
    const EmdtrackModel *m, const uint32_t *counts, double enough)
{
  int32_t bound;

  best_kept_tree (m, counts, enough, &bound);
  return bound > 0 ? distance_of_value (m, bound) : 0;
}

/* ---- Distances ---- */

/* The arc with the most negative flow; -1 if no flow is negative. */
static int
worst_arc (
    const EmdtrackProblem *p, const EmdtrackKeptTree *k, const int *supply)
{
  int32_t mass[EMDTRACK_NODES + 1], min = 0;
  int worst = -1;

  memcpy (mass, supply, EMDTRACK_BINS * sizeof *mass);
  for (int j = 0; j < EMDTRACK_BINS; j++)
    mass[EMDTRACK_BINS + j] = p->demand[j];
  mass[EMDTRACK_NODES] = 0;
  for (int a = 0; a < p->n + p->m; a++) {
    int32_t flow = mass[k->outer[a]];

    mass[k->inner[a]] -= flow;
    worst = flow < min ? a : worst;
    min = flow < min ? flow : min;
  }
  return worst;
}

/* The nodes behind the outer end of arc @a, as bits. */
static uint32_t
nodes_behind (const EmdtrackKeptTree *k, int a)
{
  uint32_t nodes = 1u << k->outer[a];

  while (a--)
    nodes |= (nodes >> k->inner[a] & 1) << k->outer[a];
  return nodes;
}

/* The cheapest arc into a side; of equal ones the first. */
static int32_t
entering_arc (const EmdtrackProblem *p, const EmdtrackTree *t,
    EmdtrackSide side, int *from, int *to)
{
  int32_t min = EMDTRACK_NO_ARC;

  for (uint32_t rows = ~side.sources & ((1u << p->n) - 1); rows;
       rows &= rows - 1) {
    int i = math_lowest_bit (rows);

    for (uint32_t sinks = side.sinks; sinks; sinks &= sinks - 1) {
      int j = math_lowest_bit (sinks);
      int32_t slack = p->cost[i][j] - t->u[i] - t->v[j];

      if (slack < min) {
        min = slack;
        *from = i;
        *to = j;
      }
    }
  }
  return min;
}

/* As emdtrack_tree_pivot (): pivots on the arc @a, whose flow is negative. */
static void
pivot_kept_tree (const EmdtrackProblem *p, EmdtrackKeptTree *k, int a)
{
  uint32_t nodes = nodes_behind (k, a);
  bool out = k->outer[a] < EMDTRACK_BINS; /* whether the arc leads inwards */
  uint32_t with_source = out ? nodes : ~nodes;
  EmdtrackSide side = {with_source & ((1u << p->n) - 1),
      with_source >> EMDTRACK_BINS & ((1u << p->m) - 1)};
  int i = out ? k->outer[a] : k->inner[a];
  int j = (out ? k->inner[a] : k->outer[a]) - EMDTRACK_BINS;
  EmdtrackTree *t = &k->tree;
  int32_t min_slack;

  t->row[i] &= (uint16_t) ~(1u << j);
  k->next[i] &= ~(1u << (EMDTRACK_BINS + j));
  k->next[EMDTRACK_BINS + j] &= ~(1u << i);
  min_slack = entering_arc (p, t, side, &i, &j);
  t->row[i] |= (uint16_t) (1u << j);
  join_nodes (k, i, j);
  for (int n = 0; n < p->n; n++)
    t->u[n] = emdtrack_tree_new_u (t, side, n, min_slack);
  for (int n = 0; n < p->m; n++)
    t->v[n] = emdtrack_tree_new_v (t, side, n, min_slack);
  j += EMDTRACK_BINS;
  hang_nodes (k, p->n + p->m, nodes, out ? j : i, out ? i : j);
}

/* Pivots until @k is optimal.  Returns the number of pivots, or -1 if
 * EMDTRACK_PIVOTS were not enough. */
static int
solve_kept_tree (
    const EmdtrackProblem *p, EmdtrackKeptTree *k, const int *supply)
{
  for (int n = 0; n <= EMDTRACK_PIVOTS; n++) {
    int a = worst_arc (p, k, supply);

    if (a < 0)
      return n;
    pivot_kept_tree (p, k, a);
  }
  return -1;
}

double
emdtrack_model_distance (EmdtrackModel *m, const uint32_t *counts)
{
  int supply[EMDTRACK_BINS] = {0}, start, pivots;
  double weight[EMDTRACK_BINS];
  int32_t demand[EMDTRACK_BINS], bound;
  EmdtrackKeptTree k;

  for (int i = 0; i < EMDTRACK_BINS; i++) {
    weight[i] = counts[i];
    demand[i] = m->problem.demand[i];
  }
  emdtrack_quantise (weight, m->ground.n, EMDTRACK_REGION_MASS, supply);
  start = best_kept_tree (m, counts, INFINITY, &bound);
  k = m->kept[start];
  m->kept[start].used = ++m->now;
  pivots = solve_kept_tree (&m->problem, &k, supply);
  if (pivots < 0) {
    EmdtrackTableau tableau;
    uint64_t n = 0;

    return distance_of_value (
        m, emdtrack_simplex (&tableau, &m->problem, supply, &n));
  }
  if (pivots)
    keep_tree (m, &k);
  return distance_of_value (
      m, emdtrack_tree_value (&m->problem, &k.tree, supply, demand));
}
