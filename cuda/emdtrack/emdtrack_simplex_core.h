/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The paper's two-phase simplex (Simplex Algorithm Optimizations).  Entries of
 * the tableau are -1, 0 or 1 (Nagler 1962), so each row is two rows of bits.
 * An auxiliary sink, dearer than any other, takes all mass at first.  This
 * start is feasible, so that phase 1 has nothing to do.
 *
 * Rows are the n sources, whose mass leaves whole, then the m sinks, which take
 * at most their demand.  Columns: flow from i to j at i m + j, flow from source
 * i to the auxiliary sink at n m + i, lack of sink j at n m + n + j.
 *
 * The paper does not give the pivot rule.  Here it is Dantzig's and, after many
 * pivots in a row that moved no mass, Bland's, which never cycles.  Masses are
 * K s + 1 and K d with K = n + m + 1, and the n + 1 left over are added to one
 * sink: a basis that is optimal for these is optimal for the true masses, and
 * few pivots move nothing. */
#pragma once

#include "emdtrack/emdtrack_tree_core.h"

#define EMDTRACK_ROWS (2 * EMDTRACK_BINS)
#define EMDTRACK_COLUMNS (EMDTRACK_BINS * EMDTRACK_BINS + 2 * EMDTRACK_BINS)
#define EMDTRACK_WORDS (EMDTRACK_COLUMNS / 32)

typedef struct {
  int n, m, rows, columns, words, dearest;
  uint32_t plus[EMDTRACK_ROWS][EMDTRACK_WORDS];  /* entries that are 1 */
  uint32_t minus[EMDTRACK_ROWS][EMDTRACK_WORDS]; /* entries that are -1 */
  int32_t mass[EMDTRACK_ROWS];                   /* right-hand sides */
  uint16_t basis[EMDTRACK_ROWS];                 /* column of each row */
  int32_t reduced[EMDTRACK_COLUMNS];             /* reduced costs */
} EmdtrackTableau;

BOTH bool
emdtrack_has (const uint32_t *bits, int column)
{
  return bits[column >> 5] >> (column & 31) & 1;
}

BOTH void
emdtrack_put (uint32_t *bits, int column)
{
  bits[column >> 5] |= 1u << (column & 31);
}

/* The cost of the auxiliary sink. */
BOTH int
emdtrack_dearest (const EmdtrackProblem *p)
{
  int dearest = 0;

  for (int i = 0; i < p->n; i++)
    for (int j = 0; j < p->m; j++)
      dearest = p->distance[i][j] >= dearest ? p->distance[i][j] + 1 : dearest;
  return dearest;
}

/* The perturbed mass of row @r at the start; @mass is that of the histogram. */
BOTH int32_t
emdtrack_first_mass (const EmdtrackProblem *p, int r, int32_t s)
{
  int n = p->n, rows = n + p->m;

  return (rows + 1) * (r < n ? s : p->demand[r - n]) + (r < n) +
      (r == rows - 1 ? n + 1 : 0);
}

BOTH void
emdtrack_tableau_start (
    EmdtrackTableau *t, const EmdtrackProblem *p, const int32_t *s)
{
  int n = p->n, m = p->m;

  memset (t, 0, sizeof *t);
  t->n = n;
  t->m = m;
  t->rows = n + m;
  t->columns = n * m + n + m;
  t->words = (t->columns + 31) / 32;
  t->dearest = emdtrack_dearest (p);
  for (int r = 0; r < t->rows; r++) {
    t->basis[r] = (uint16_t) (n * m + r);
    emdtrack_put (t->plus[r], n * m + r);
    t->mass[r] = emdtrack_first_mass (p, r, r < n ? s[r] : 0);
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      emdtrack_put (t->plus[i], i * m + j);
      emdtrack_put (t->plus[n + j], i * m + j);
      t->reduced[i * m + j] = p->distance[i][j] - t->dearest;
    }
}

/* The column that enters: that of the minimum reduced cost or, with @bland, the
 * first column with a negative reduced cost; -1 if there is none. */
BOTH int
emdtrack_entering (const EmdtrackTableau *t, bool bland)
{
  int best = -1;
  int32_t min = 0;

  for (int c = 0; c < t->columns; c++)
    if (t->reduced[c] < min) {
      best = c;
      if (bland)
        break;
      min = t->reduced[c];
    }
  return best;
}

/* The row that leaves; of equal ones the row of the first column. */
BOTH int
emdtrack_leaving (const EmdtrackTableau *t, int column)
{
  int best = -1;

  for (int r = 0; r < t->rows; r++)
    if (emdtrack_has (t->plus[r], column) &&
        (best < 0 || t->mass[r] < t->mass[best] ||
            (t->mass[r] == t->mass[best] && t->basis[r] < t->basis[best])))
      best = r;
  return best;
}

/* Subtracts 32 columns of one row from those of another. */
BOTH void
emdtrack_subtract_word (
    uint32_t *plus, uint32_t *minus, uint32_t by_plus, uint32_t by_minus)
{
  uint32_t p = *plus, q = *minus;

  *plus = (p & ~by_plus) | (by_minus & ~q);
  *minus = (q & ~by_minus) | (by_plus & ~p);
}

/* Subtracts row @by from row @r, or adds it. */
BOTH void
emdtrack_eliminate (EmdtrackTableau *t, int r, int by, bool add)
{
  const uint32_t *plus = add ? t->minus[by] : t->plus[by];
  const uint32_t *minus = add ? t->plus[by] : t->minus[by];

  for (int w = 0; w < t->words; w++)
    emdtrack_subtract_word (&t->plus[r][w], &t->minus[r][w], plus[w], minus[w]);
  t->mass[r] += add ? t->mass[by] : -t->mass[by];
}

BOTH void
emdtrack_pivot (EmdtrackTableau *t, int column, int row)
{
  int32_t cost = t->reduced[column];

  for (int r = 0; r < t->rows; r++) {
    bool less = emdtrack_has (t->plus[r], column);

    if (r != row && (less || emdtrack_has (t->minus[r], column)))
      emdtrack_eliminate (t, r, row, !less);
  }
  for (int c = 0; c < t->columns; c++)
    t->reduced[c] -= cost *
        ((int) emdtrack_has (t->plus[row], c) -
            (int) emdtrack_has (t->minus[row], c));
  t->basis[row] = (uint16_t) column;
}

/* The exact distance of @s from the target.  Adds the number of pivots to
 * @pivots. */
BOTH uint32_t
emdtrack_simplex (EmdtrackTableau *t, const EmdtrackProblem *p,
    const int32_t *s, uint64_t *pivots)
{
  int idle = 0, column;
  int32_t z = 0;

  emdtrack_tableau_start (t, p, s);
  while ((column = emdtrack_entering (t, idle > 2 * t->rows)) >= 0) {
    int row = emdtrack_leaving (t, column);

    idle = t->mass[row] ? 0 : idle + 1;
    emdtrack_pivot (t, column, row);
    ++*pivots;
  }
  /* from the duals, with the true masses */
  for (int i = 0; i < t->n; i++)
    z += s[i] * (t->dearest - t->reduced[t->n * t->m + i]);
  for (int j = 0; j < t->m; j++)
    z -= p->demand[j] * t->reduced[t->n * t->m + t->n + j];
  return (uint32_t) z;
}

BOTH uint32_t
emdtrack_simplex_of (EmdtrackTableau *t, const EmdtrackProblem *p,
    const EmdtrackHistogram *h, uint64_t *pivots)
{
  int32_t s[EMDTRACK_BINS];

  for (int i = 0; i < EMDTRACK_BINS; i++)
    s[i] = h->bin[i];
  return emdtrack_simplex (t, p, s, pivots);
}
