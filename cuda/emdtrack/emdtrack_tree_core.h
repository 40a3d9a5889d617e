/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Spanning trees of the transportation problem, their bases, and the dual
 * simplex.
 *
 * A tree whose duals are feasible stays feasible for every histogram, because
 * target and distance are fixed.  It is optimal for a histogram if none of its
 * flows is negative; a flow is a sum over some bins minus a constant.  A stored
 * tree therefore proves a value without a pivot.  If it does not, the dual
 * simplex pivots on the most negative flow.  The arc that then enters depends
 * on the duals alone, not on the histogram, so that pivots are stored, too, as
 * links from tree to tree.
 *
 * To avoid cycles, distances are 4096 c + r with r below 128, fixed but random.
 * Duals are alternating sums of at most 16 of each sign, and 16 * 127 < 2048:
 * the optimum of these distances is one of the true ones, whose duals are found
 * by rounding. */
#pragma once

#include "common/math_core.h"
#include "emdtrack/emdtrack_core.h"

#define EMDTRACK_COST_BITS 12
#define EMDTRACK_ARCS (2 * EMDTRACK_BINS - 1) /* the most arcs of a tree */

/* The transportation problem.  Sources are all bins of the pixel's histogram,
 * empty ones too; sinks are the target's bins that are not empty. */
typedef struct {
  int n, m, mass;
  uint8_t sink[EMDTRACK_BINS];                    /* the bin of sink j */
  uint16_t demand[EMDTRACK_BINS];                 /* of sink j */
  uint16_t target[EMDTRACK_BINS];                 /* of bin i */
  uint8_t distance[EMDTRACK_BINS][EMDTRACK_BINS]; /* [bin][sink] */
  int32_t cost[EMDTRACK_BINS][EMDTRACK_BINS];     /* distances, perturbed */
} EmdtrackProblem;

typedef struct {
  int32_t u[EMDTRACK_BINS], v[EMDTRACK_BINS]; /* duals; u[0] = 0 */
  uint16_t row[EMDTRACK_BINS]; /* bit j: the arc from source i to sink j */
} EmdtrackTree;

/* Sets @t to a tree with feasible duals: all sources feed sink 0, and every
 * other sink is fed by the source that is then nearest to it. */
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

/* The nodes that stay connected with a source when an arc is cut. */
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

/* The amount by which arc (@i, @j) is dearer than its duals allow, if it leads
 * into the side that is cut off; else EMDTRACK_NO_ARC. */
BOTH int32_t
emdtrack_tree_slack (const EmdtrackProblem *p, const EmdtrackTree *t,
    EmdtrackSide s, int i, int j)
{
  return s.sources >> i & 1 || !(s.sinks >> j & 1)
      ? EMDTRACK_NO_ARC
      : p->cost[i][j] - t->u[i] - t->v[j];
}

/* The duals after an arc with @slack has entered. */
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

/* Removes arc (@from, @to), whose flow is negative, and adds the cheapest arc
 * into its side; of equal ones the first. */
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

/* Finds the e-th arc of a tree. */
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

/* ---- Basis: whether a tree is optimal for a histogram ---- */

/* The numbers by which a tree is tested, for one target.  Byte e belongs to the
 * e-th arc, row by row; bytes without an arc always pass. */
typedef struct {
  EmdtrackArcs mask[EMDTRACK_BINS]; /* of a source: byte e is 255 if the source
                                       is on the side of arc e's source */
  EmdtrackArcs demand;              /* the demand of that side, which its
                                       sources must meet */
  int16_t u[EMDTRACK_BINS];
  uint16_t next[EMDTRACK_ARCS + 1]; /* number of the tree after the pivot on an
                                       arc; 0: not stored */
  int32_t rest;                     /* EMD = sum of u s + rest */
} EmdtrackBasis;

/* Byte i is 255 if source @k is on side @side[i], for the sides of four
 * arcs. */
BOTH uint32_t
emdtrack_basis_mask (const EmdtrackSide side[4], int k)
{
  uint32_t word = 0;

  for (int a = 0; a < 4; a++)
    word |= (side[a].sources >> k & 1 ? 255u : 0) << 8 * a;
  return word;
}

/* The demand of a side's sinks. */
BOTH uint32_t
emdtrack_side_demand (const EmdtrackProblem *p, EmdtrackSide side)
{
  uint32_t sum = 0;

  UNROLLED
  for (int j = 0; j < EMDTRACK_BINS && j < p->m; j++)
    sum += side.sinks >> j & 1 ? p->demand[j] : 0;
  return sum;
}

BOTH void
emdtrack_basis_set (
    const EmdtrackProblem *p, const EmdtrackTree *t, EmdtrackBasis *b)
{
  EmdtrackSide side[EMDTRACK_ARCS + 1];
  int e = 0;

  memset (b, 0, sizeof *b);
  memset (side, 0, sizeof side);
  for (int i = 0; i < p->n; i++)
    for (uint32_t row = t->row[i]; row; row &= row - 1)
      side[e++] = emdtrack_tree_side (p, t, i, math_lowest_bit (row));
  for (int w = 0; 4 * w < e; w++) {
    for (int k = 0; k < p->n; k++)
      b->mask[k].word[w] = emdtrack_basis_mask (side + 4 * w, k);
  }
  for (int a = 0; a < e; a++)
    b->demand.word[a >> 2] |= emdtrack_side_demand (p, side[a]) << 8 * (a & 3);
  for (int i = 0; i < p->n; i++)
    b->u[i] = (int16_t) emdtrack_true (t->u[i]);
  for (int j = 0; j < p->m; j++)
    b->rest += emdtrack_true (t->v[j]) * p->demand[j];
}

/* The lower bound of the distance that every tree gives; the distance itself if
 * the tree is optimal. */
BOTH int32_t
emdtrack_basis_value (const EmdtrackBasis *b, const EmdtrackHistogram *s, int n)
{
  int32_t z = b->rest;

  UNROLLED
  for (int i = 0; i < EMDTRACK_BINS && i < n; i++)
    z += b->u[i] * s->bin[i];
  return z;
}

/* Whether the tree is optimal for @s.  Sets @met to the supply on each arc's
 * side.  Four arcs are processed in a word: no byte overflows, because all of
 * @s is at most 255. */
BOTH bool
emdtrack_basis_holds (const EmdtrackBasis *b, const EmdtrackHistogram *s, int n,
    uint32_t met[EMDTRACK_ARC_WORDS])
{
  EmdtrackArcs demand = b->demand;
  uint32_t lacks = 0;

  for (int w = 0; w < EMDTRACK_ARC_WORDS; w++)
    met[w] = 0;
  UNROLLED
  for (int i = 0; i < EMDTRACK_BINS && i < n; i++) {
    EmdtrackArcs mask = b->mask[i];
    uint32_t all = s->bin[i] * 0x01010101u;

    for (int w = 0; w < EMDTRACK_ARC_WORDS; w++)
      met[w] += mask.word[w] & all;
  }
  for (int w = 0; w < EMDTRACK_ARC_WORDS; w++) {
    uint32_t x = met[w], y = demand.word[w];
    uint32_t low = (x | 0x80808080u) - (y & 0x7f7f7f7fu);

    /* bit 7 of a byte: x < y */
    lacks |= (~x & y) | (~(x ^ y) & ~low);
  }
  return !(lacks & 0x80808080u);
}

/* The arc whose side lacks the most supply; of equal ones the first. */
BOTH int
emdtrack_basis_worst (
    const EmdtrackBasis *b, const uint32_t met[EMDTRACK_ARC_WORDS])
{
  EmdtrackArcs demand = b->demand;
  int worst = 0, max = 0;

  UNROLLED
  for (int e = 0; e < EMDTRACK_ARCS; e++) {
    int lack = emdtrack_arc_byte (&demand, e) -
        (int) (met[e >> 2] >> 8 * (e & 3) & 255);

    if (lack > max) {
      max = lack;
      worst = e;
    }
  }
  return worst;
}

/* ---- The dual simplex, for histograms of any mass ---- */

/* The most pivots.  After these the paper's simplex, which has a rule against
 * cycles, solves the problem. */
#define EMDTRACK_PIVOTS 256

/* The rest of a tree whose arcs are removed leaf by leaf. */
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

/* The most negative flow of a tree between supplies and demands of equal sum; 0
 * if no flow is negative, and then the tree is optimal. */
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

/* Pivots until @t, whose duals are feasible, is optimal.  Returns the number of
 * pivots, or -1 if EMDTRACK_PIVOTS were not enough. */
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

/* The value of an optimal tree, exact by its true duals. */
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
