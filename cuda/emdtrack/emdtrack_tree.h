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

#include "emdtrack/emdtrack_core.h"

#define EMDTRACK_COST_BITS 12
#define EMDTRACK_ARCS (2 * EMDTRACK_BINS - 1)  /* of a tree, the most */
#define EMDTRACK_ARC_WORDS (EMDTRACK_BINS / 2) /* four arcs each */

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

typedef struct {
  uint32_t word[EMDTRACK_ARC_WORDS];
} __attribute__ ((aligned (16))) EmdtrackArcs;

/* What a tree comes down to for one target.  Byte e belongs to the e-th arc,
 * row by row; what has no arc is met by all. */
typedef struct {
  EmdtrackArcs mask[EMDTRACK_BINS]; /* of a source: 255 if it is on the side of
                                       the arc's source */
  EmdtrackArcs least; /* the demand on that side, which sources must meet */
  int16_t u[EMDTRACK_BINS];
  uint16_t next[EMDTRACK_ARCS + 1]; /* the tree when the arc has left, or 0 */
  int32_t rest;                     /* EMD = sum of u s + rest */
} EmdtrackBasis;

BOTH int
emdtrack_lowest (uint32_t bits)
{
#ifdef __CUDA_ARCH__
  return __ffs ((int) bits) - 1;
#else
  return __builtin_ctz (bits);
#endif
}

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
    for (int i = 0; i < p->n; i++)
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

/* Duals when an arc of slack @least enters. */
BOTH int32_t
emdtrack_tree_new_u (
    const EmdtrackTree *t, EmdtrackSide s, int i, int32_t least)
{
  int32_t shift = s.sources & 1 ? least : 0; /* u[0] stays 0 */

  return t->u[i] + shift - (s.sources >> i & 1 ? least : 0);
}

BOTH int32_t
emdtrack_tree_new_v (
    const EmdtrackTree *t, EmdtrackSide s, int j, int32_t least)
{
  int32_t shift = s.sources & 1 ? least : 0;

  return t->v[j] - shift + (s.sinks >> j & 1 ? least : 0);
}

/* Arc (@from, @to), whose flow is negative, leaves; into its side enters the
 * cheapest, of equal ones the first. */
BOTH void
emdtrack_tree_pivot (
    const EmdtrackProblem *p, EmdtrackTree *t, int from, int to)
{
  EmdtrackSide s = emdtrack_tree_side (p, t, from, to);
  int32_t least = EMDTRACK_NO_ARC;
  int i_in = 0, j_in = 0;

  for (int i = 0; i < p->n; i++)
    for (int j = 0; j < p->m; j++) {
      int32_t r = emdtrack_tree_slack (p, t, s, i, j);

      if (r < least) {
        least = r;
        i_in = i;
        j_in = j;
      }
    }
  t->row[from] &= (uint16_t) ~(1u << to);
  t->row[i_in] |= (uint16_t) (1u << j_in);
  for (int i = 0; i < p->n; i++)
    t->u[i] = emdtrack_tree_new_u (t, s, i, least);
  for (int j = 0; j < p->m; j++)
    t->v[j] = emdtrack_tree_new_v (t, s, j, least);
}

/* The e-th arc of a tree. */
BOTH void
emdtrack_tree_arc (const EmdtrackTree *t, int e, int *from, int *to)
{
  for (int i = 0; i < EMDTRACK_BINS; i++)
    for (uint32_t row = t->row[i]; row; row &= row - 1)
      if (!e--) {
        *from = i;
        *to = emdtrack_lowest (row);
        return;
      }
}

/* A dual without its perturbation. */
BOTH int32_t
emdtrack_true (int32_t dual)
{
  return (dual + (1 << (EMDTRACK_COST_BITS - 1))) >> EMDTRACK_COST_BITS;
}

/* Of the sides of four arcs: 255 for those that source @k is on. */
BOTH uint32_t
emdtrack_basis_mask (const EmdtrackSide side[4], int k)
{
  uint32_t word = 0;

  for (int a = 0; a < 4; a++)
    word |= (side[a].sources >> k & 1 ? 255u : 0) << 8 * a;
  return word;
}

BOTH uint32_t
emdtrack_basis_least (const EmdtrackProblem *p, const EmdtrackSide side[4])
{
  uint32_t word = 0;

  for (int a = 0; a < 4; a++)
    for (int j = 0; j < p->m; j++)
      word += (side[a].sinks >> j & 1 ? (uint32_t) p->demand[j] : 0) << 8 * a;
  return word;
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
      side[e++] = emdtrack_tree_side (p, t, i, emdtrack_lowest (row));
  for (int w = 0; 4 * w < e; w++) {
    for (int k = 0; k < p->n; k++)
      b->mask[k].word[w] = emdtrack_basis_mask (side + 4 * w, k);
    b->least.word[w] = emdtrack_basis_least (p, side + 4 * w);
  }
  for (int i = 0; i < p->n; i++)
    b->u[i] = (int16_t) emdtrack_true (t->u[i]);
  for (int j = 0; j < p->m; j++)
    b->rest += emdtrack_true (t->v[j]) * p->demand[j];
}

/* The lower bound that every tree gives, which is the value if it is optimal.
 */
BOTH int32_t
emdtrack_basis_value (const EmdtrackBasis *b, const EmdtrackHistogram *s, int n)
{
  int32_t z = b->rest;

  UNROLLED
  for (int i = 0; i < EMDTRACK_BINS && i < n; i++)
    z += b->u[i] * s->bin[i];
  return z;
}

/* Whether the tree is optimal for @s; @met is what sources supply on each arc's
 * side.  Four arcs a word: no byte overflows, since all of @s is at most 255.
 */
BOTH bool
emdtrack_basis_holds (const EmdtrackBasis *b, const EmdtrackHistogram *s, int n,
    uint32_t met[EMDTRACK_ARC_WORDS])
{
  EmdtrackArcs least = b->least;
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
    uint32_t x = met[w], y = least.word[w];
    uint32_t low = (x | 0x80808080u) - (y & 0x7f7f7f7fu);

    /* bit 7 of a byte: x < y */
    lacks |= (~x & y) | (~(x ^ y) & ~low);
  }
  return !(lacks & 0x80808080u);
}

/* The arc that lacks most; of equal ones the first. */
BOTH int
emdtrack_basis_worst (
    const EmdtrackBasis *b, const uint32_t met[EMDTRACK_ARC_WORDS])
{
  EmdtrackArcs least = b->least;
  int worst = 0, most = 0;

  UNROLLED
  for (int e = 0; e < EMDTRACK_ARCS; e++) {
    int shift = 8 * (e & 3);
    int lack = (int) (least.word[e >> 2] >> shift & 255) -
        (int) (met[e >> 2] >> shift & 255);

    if (lack > most) {
      most = lack;
      worst = e;
    }
  }
  return worst;
}
