/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether a tree is optimal for a histogram, written once for both backends. */
#pragma once

#include "emdtrack/emdtrack_closed_core.h"
#include "emdtrack/emdtrack_tree_core.h"

/* What a tree comes down to for one target.  Byte e belongs to the e-th arc,
 * row by row; what has no arc is met by all. */
typedef struct {
  EmdtrackArcs mask[EMDTRACK_BINS]; /* of a source: 255 if it is on the side of
                                       the arc's source */
  EmdtrackArcs demand;              /* of that side, which sources must meet */
  int16_t u[EMDTRACK_BINS];
  uint16_t next[EMDTRACK_ARCS + 1]; /* the tree when the arc has left, or 0 */
  int32_t rest;                     /* EMD = sum of u s + rest */
} EmdtrackBasis;

/* Of the sides of four arcs: 255 for those that source @k is on. */
BOTH uint32_t
emdtrack_basis_mask (const EmdtrackSide side[4], int k)
{
  uint32_t word = 0;

  for (int a = 0; a < 4; a++)
    word |= (side[a].sources >> k & 1 ? 255u : 0) << 8 * a;
  return word;
}

/* What the sinks of a side want. */
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

/* The arc that lacks most; of equal ones the first. */
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
