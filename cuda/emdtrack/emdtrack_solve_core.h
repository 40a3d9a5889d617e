/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The dual simplex for histograms of any mass, written once for both backends:
 * for what finds no room among stored trees, and for whole regions. */
#pragma once

#include "emdtrack/emdtrack_tree_core.h"

/* After these the paper's simplex takes over, which has a rule against cycles.
 */
#define EMDTRACK_PIVOTS 256

/* What is left of a tree from which arcs are taken, leaf by leaf. */
typedef struct {
  uint32_t row[EMDTRACK_BINS], column[EMDTRACK_BINS];
  int64_t supply[EMDTRACK_BINS], demand[EMDTRACK_BINS];
  int64_t worst;
  int from, to;
} EmdtrackLeaves;

BOTH void
emdtrack_take_arc (EmdtrackLeaves *l, int i, int j, int64_t flow)
{
  l->row[i] &= ~(1u << j);
  l->column[j] &= ~(1u << i);
  l->supply[i] -= flow;
  l->demand[j] -= flow;
  if (flow < l->worst) {
    l->worst = flow;
    l->from = i;
    l->to = j;
  }
}

BOTH bool
emdtrack_is_leaf (uint32_t arcs)
{
  return arcs && !(arcs & (arcs - 1));
}

/* The most negative flow of a tree between supplies and demands of equal sum:
 * 0 where none is, and then the tree is optimal. */
BOTH int64_t
emdtrack_tree_worst (const EmdtrackProblem *p, const EmdtrackTree *t,
    const int32_t *s, const int32_t *d, int *from, int *to)
{
  EmdtrackLeaves l;
  bool any = true;

  memset (&l, 0, sizeof l);
  for (int i = 0; i < p->n; i++) {
    l.supply[i] = s[i];
    l.row[i] = t->row[i];
    for (uint32_t row = t->row[i]; row; row &= row - 1)
      l.column[math_lowest_bit (row)] |= 1u << i;
  }
  for (int j = 0; j < p->m; j++)
    l.demand[j] = d[j];
  while (any) {
    any = false;
    for (int i = 0; i < p->n; i++)
      if (emdtrack_is_leaf (l.row[i])) {
        emdtrack_take_arc (&l, i, math_lowest_bit (l.row[i]), l.supply[i]);
        any = true;
      }
    for (int j = 0; j < p->m; j++)
      if (emdtrack_is_leaf (l.column[j])) {
        emdtrack_take_arc (&l, math_lowest_bit (l.column[j]), j, l.demand[j]);
        any = true;
      }
  }
  *from = l.from;
  *to = l.to;
  return l.worst;
}

/* Pivots until @t, whose duals are feasible, is optimal; returns how many that
 * took, or -1 if they were more than EMDTRACK_PIVOTS. */
BOTH int
emdtrack_tree_solve (const EmdtrackProblem *p, EmdtrackTree *t,
    const int32_t *s, const int32_t *d)
{
  int from, to;

  for (int k = 0; k <= EMDTRACK_PIVOTS; k++) {
    if (!emdtrack_tree_worst (p, t, s, d, &from, &to))
      return k;
    emdtrack_tree_pivot (p, t, from, to);
  }
  return -1;
}

/* The value of an optimal tree: exact, by its true duals. */
BOTH int64_t
emdtrack_tree_value (const EmdtrackProblem *p, const EmdtrackTree *t,
    const int32_t *s, const int32_t *d)
{
  int64_t z = 0;

  for (int i = 0; i < p->n; i++)
    z += (int64_t) emdtrack_true (t->u[i]) * s[i];
  for (int j = 0; j < p->m; j++)
    z += (int64_t) emdtrack_true (t->v[j]) * d[j];
  return z;
}
