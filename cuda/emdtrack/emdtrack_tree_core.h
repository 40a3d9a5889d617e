/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Spanning trees of the transportation problem, written once for both backends.
 *
 * A tree whose duals are feasible stays so whatever the histogram: target and
 * distance are fixed.  It is optimal for a histogram if none of its flows is
 * negative, and a flow is a sum over some bins less a constant.  So a stored
 * tree proves a value without a pivot; where it does not, the dual simplex
 * pivots on the most negative flow.  Which arc then enters depends on the duals
 * alone, not on the histogram: pivots are stored, too, as links from tree to
 * tree.
 *
 * Against cycles, distances are 4096 c + r with r below 128, fixed but random.
 * Duals are alternating sums of at most 16 of each sign, and 16 * 127 < 2048:
 * the optimum of these distances is one of the true ones, whose duals are found
 * by rounding. */
#pragma once

#include "common/math_core.h"
#include "emdtrack/emdtrack_core.h"

#define EMDTRACK_COST_BITS 12
#define EMDTRACK_ARCS (2 * EMDTRACK_BINS - 1) /* of a tree, the most */

/* Sources are the bins of the pixel's histogram, empty ones too; sinks are the
 * target's bins that are not empty. */
typedef struct {
  int n, m, mass;
  uint8_t sink[EMDTRACK_BINS];                    /* the bin of sink j */
  uint16_t demand[EMDTRACK_BINS];                 /* of sink j */
  uint16_t target[EMDTRACK_BINS];                 /* of bin i */
  uint8_t distance[EMDTRACK_BINS][EMDTRACK_BINS]; /* [bin][sink] */
  int32_t cost[EMDTRACK_BINS][EMDTRACK_BINS];     /* the same, perturbed */
} EmdtrackProblem;

typedef struct {
  int32_t u[EMDTRACK_BINS], v[EMDTRACK_BINS]; /* duals; u[0] = 0 */
  uint16_t row[EMDTRACK_BINS]; /* bit j: the arc from source i to sink j */
} EmdtrackTree;

/* A tree with feasible duals: all sources feed sink 0, every other sink is fed
 * by the source that is nearest to it then. */
BOTH void
emdtrack_tree_first (const EmdtrackProblem *p, EmdtrackTree *t)
{
  memset (t, 0, sizeof *t);
  t->v[0] = p->cost[0][0];
  for (int i = 0; i < p->n; i++) {
    t->u[i] = p->cost[i][0] - t->v[0];
    t->row[i] = 1;
  }
  for (int j = 1; j < p->m; j++) {
    int best = 0;

    for (int i = 1; i < p->n; i++)
      if (p->cost[i][j] - t->u[i] < p->cost[best][j] - t->u[best])
        best = i;
    t->v[j] = p->cost[best][j] - t->u[best];
    t->row[best] |= (uint16_t) (1u << j);
  }
}

/* A hash of the arcs, never 0. */
BOTH uint64_t
emdtrack_tree_key (const uint16_t row[EMDTRACK_BINS])
{
  uint64_t h = 0;

  for (int i = 0; i < EMDTRACK_BINS; i++)
    h = (h ^ row[i]) * 0x9e3779b97f4a7c15ull + (h >> 29);
  return h ? h : 1;
}

/* What hangs together with a source when an arc is cut. */
typedef struct {
  uint32_t sources, sinks;
} EmdtrackSide;

BOTH EmdtrackSide
emdtrack_tree_side (
    const EmdtrackProblem *p, const EmdtrackTree *t, int from, int to)
{
  EmdtrackSide s = {1u << from, t->row[from] & ~(1u << to)};
  bool grew = true;

  while (grew) {
    grew = false;
    UNROLLED
    for (int i = 0; i < EMDTRACK_BINS && i < p->n; i++)
      if (!(s.sources >> i & 1) && (t->row[i] & s.sinks)) {
        s.sources |= 1u << i;
        s.sinks |= t->row[i];
        grew = true;
      }
  }
  return s;
}

#define EMDTRACK_NO_ARC INT32_MAX

/* By how much arc (@i, @j) is dearer than its duals allow, if it leads into the
 * side that is cut off. */
BOTH int32_t
emdtrack_tree_slack (const EmdtrackProblem *p, const EmdtrackTree *t,
    EmdtrackSide s, int i, int j)
{
  return s.sources >> i & 1 || !(s.sinks >> j & 1)
      ? EMDTRACK_NO_ARC
      : p->cost[i][j] - t->u[i] - t->v[j];
}

/* Duals when an arc enters, of this @slack. */
BOTH int32_t
emdtrack_tree_new_u (
    const EmdtrackTree *t, EmdtrackSide s, int i, int32_t slack)
{
  int32_t shift = s.sources & 1 ? slack : 0; /* u[0] stays 0 */

  return t->u[i] + shift - (s.sources >> i & 1 ? slack : 0);
}

BOTH int32_t
emdtrack_tree_new_v (
    const EmdtrackTree *t, EmdtrackSide s, int j, int32_t slack)
{
  int32_t shift = s.sources & 1 ? slack : 0;

  return t->v[j] - shift + (s.sinks >> j & 1 ? slack : 0);
}

/* Arc (@from, @to), whose flow is negative, leaves; into its side enters the
 * cheapest, of equal ones the first. */
BOTH void
emdtrack_tree_pivot (
    const EmdtrackProblem *p, EmdtrackTree *t, int from, int to)
{
  EmdtrackSide s = emdtrack_tree_side (p, t, from, to);
  int32_t min = EMDTRACK_NO_ARC;
  int i_in = 0, j_in = 0;

  for (int i = 0; i < p->n; i++)
    for (int j = 0; j < p->m; j++) {
      int32_t r = emdtrack_tree_slack (p, t, s, i, j);

      if (r < min) {
        min = r;
        i_in = i;
        j_in = j;
      }
    }
  t->row[from] &= (uint16_t) ~(1u << to);
  t->row[i_in] |= (uint16_t) (1u << j_in);
  for (int i = 0; i < p->n; i++)
    t->u[i] = emdtrack_tree_new_u (t, s, i, min);
  for (int j = 0; j < p->m; j++)
    t->v[j] = emdtrack_tree_new_v (t, s, j, min);
}

/* The e-th arc of a tree. */
BOTH void
emdtrack_tree_arc (const EmdtrackTree *t, int e, int *from, int *to)
{
  for (int i = 0; i < EMDTRACK_BINS; i++)
    for (uint32_t row = t->row[i]; row; row &= row - 1)
      if (!e--) {
        *from = i;
        *to = math_lowest_bit (row);
        return;
      }
}

/* A dual without its perturbation. */
BOTH int32_t
emdtrack_true (int32_t dual)
{
  return (dual + (1 << (EMDTRACK_COST_BITS - 1))) >> EMDTRACK_COST_BITS;
}
