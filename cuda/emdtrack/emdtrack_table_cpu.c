/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A table of trees, found by their arcs, that lets go of what is not needed. */
#include <stdlib.h>

#include "emdtrack/emdtrack_cpu.h"

const char *
emdtrack_table_open (EmdtrackTable *t, int room)
{
  emdtrack_table_close (t);
  t->n_slots = 1;
  while (t->n_slots < 2 * (uint32_t) room)
    t->n_slots *= 2;
  TRY (emdtrack_renew_cpu ((void **) &t->tree, room + 1, sizeof *t->tree));
  TRY (emdtrack_renew_cpu ((void **) &t->basis, room + 1, sizeof *t->basis));
  TRY (emdtrack_renew_cpu ((void **) &t->slot, t->n_slots, sizeof *t->slot));
  TRY (emdtrack_renew_cpu ((void **) &t->now, room + 1, sizeof *t->now));
  t->room = room;
  return NULL;
}

void
emdtrack_table_close (EmdtrackTable *t)
{
  free (t->tree);
  free (t->basis);
  free (t->slot);
  free (t->now);
  memset (t, 0, sizeof *t);
}

void
emdtrack_table_clear (EmdtrackTable *t)
{
  t->n = 0;
  memset (t->slot, 0, t->n_slots * sizeof *t->slot);
}

/* The slot of a tree with these arcs, or where it would be. */
static uint16_t *
find_slot (const EmdtrackTable *t, const uint16_t row[EMDTRACK_BINS])
{
  for (uint32_t k = (uint32_t) (emdtrack_tree_key (row) >> 32);; k++) {
    uint16_t *slot = &t->slot[k & (t->n_slots - 1)];

    if (!*slot ||
        !memcmp (t->tree[*slot].row, row, EMDTRACK_BINS * sizeof *row))
      return slot;
  }
}

int
emdtrack_table_add (
    EmdtrackTable *t, const EmdtrackProblem *p, const EmdtrackTree *tree)
{
  uint16_t *slot = find_slot (t, tree->row);

  if (*slot)
    return *slot;
  if (t->n == t->room)
    return 0;
  t->n++;
  t->tree[t->n] = *tree;
  emdtrack_basis_set (p, tree, &t->basis[t->n]);
  *slot = (uint16_t) t->n;
  return t->n;
}

/* Moves the trees that have a new number there, in order. */
static void
compact (EmdtrackTable *t, int left)
{
  const uint16_t *now = t->now;

  for (int k = 1; k <= t->n; k++) {
    if (!now[k])
      continue;
    t->tree[now[k]] = t->tree[k];
    t->basis[now[k]] = t->basis[k];
    for (int e = 0; e <= EMDTRACK_ARCS; e++)
      t->basis[now[k]].next[e] = now[t->basis[k].next[e]];
  }
  emdtrack_table_clear (t);
  t->n = left;
  for (int k = 1; k <= left; k++)
    *find_slot (t, t->tree[k].row) = (uint16_t) k;
}

int
emdtrack_table_evict (EmdtrackTable *t, uint16_t *ids, size_t n)
{
  int was = t->n, left = 0;

  if (was < t->room - t->room / 8)
    return 0;
  memset (t->now, 0, (was + 1) * sizeof *t->now);
  for (size_t i = 0; i < n; i++)
    t->now[ids[i]] = 1;
  t->now[0] = 0;
  for (int k = 1; k <= was; k++)
    if (t->now[k])
      t->now[k] = (uint16_t) ++left;
  for (size_t i = 0; i < n; i++)
    ids[i] = t->now[ids[i]];
  compact (t, left);
  return was - left;
}
