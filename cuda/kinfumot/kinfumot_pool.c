/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pool of bricks.  The host puts it in order when bricks are given back,
 * which is seldom. */
#include <stdlib.h>
#include <string.h>

#include "kinfumot/kinfumot_state.h"

/* Tells the device how many bricks are unused; no brick is wanted. */
static const char *
set_unused_bricks (Kinfumot *k, uint32_t n)
{
  KinfumotPoolCounts *counts = &k->host_report->pool;

  *counts = (KinfumotPoolCounts){.n_unused = n};
  TRY (device_copy (&k->device, k->pool.counts, counts, sizeof *counts));
  return device_wait (&k->device);
}

const char *
kinfumot_pool_clear (Kinfumot *k)
{
  uint32_t n = k->grid.max_bricks;
  uint32_t *unused = malloc (n * sizeof *unused);
  const char *err;

  if (!unused)
    return OUT_OF_MEMORY (n * sizeof *unused, "");
  for (uint32_t i = 0; i < n; i++)
    unused[i] = n - 1 - i;
  err = device_copy (&k->device, k->pool.unused, unused, n * sizeof *unused);
  if (!err)
    err = device_wait (&k->device);
  free (unused);
  return err ? err : set_unused_bricks (k, n);
}

/* ---- Giving back ---- */

typedef struct {
  uint32_t n, entries;
  uint64_t *owner;
  uint32_t *last_seen, *unused;
  KinfumotEntry *table;
} PoolCopy;

static void
pool_copy_free (PoolCopy *c)
{
  free (c->owner);
  free (c->last_seen);
  free (c->unused);
  free (c->table);
}

static const char *
pool_copy_new (Kinfumot *k, PoolCopy *c)
{
  const KinfumotGrid *g = &k->grid;

  c->n = g->max_bricks;
  c->entries = g->mask + 1;
  c->owner = malloc (c->n * sizeof *c->owner);
  c->last_seen = malloc (c->n * sizeof *c->last_seen);
  c->unused = malloc (c->n * sizeof *c->unused);
  c->table = calloc (c->entries, sizeof *c->table);
  if (!c->owner || !c->last_seen || !c->unused || !c->table)
    return OUT_OF_MEMORY (
        c->n * (sizeof *c->owner + sizeof *c->last_seen + sizeof *c->unused) +
            c->entries * sizeof *c->table,
        "");
  TRY (device_copy (&k->device, c->owner, g->owner, c->n * sizeof *c->owner));
  TRY (device_copy (
      &k->device, c->last_seen, g->last_seen, c->n * sizeof *c->last_seen));
  return device_wait (&k->device);
}

static void
insert_brick (PoolCopy *c, uint32_t slot)
{
  uint32_t at = kinfumot_key_hash (c->owner[slot]), mask = c->entries - 1;

  while (c->table[at & mask].key)
    at++;
  c->table[at & mask] = (KinfumotEntry){c->owner[slot], (int32_t) slot};
}

/* Makes the table and the list of unused bricks anew from the owners, and sends
 * them. */
static const char *
pool_copy_send (Kinfumot *k, PoolCopy *c)
{
  const KinfumotGrid *g = &k->grid;
  const Device *dev = &k->device;
  uint32_t n = 0;

  for (uint32_t i = c->n; i-- > 0;)
    if (c->owner[i])
      insert_brick (c, i);
    else
      c->unused[n++] = i;
  TRY (device_copy (dev, g->owner, c->owner, c->n * sizeof *c->owner));
  TRY (device_copy (dev, g->table, c->table, c->entries * sizeof *c->table));
  TRY (device_copy (dev, k->pool.unused, c->unused, n * sizeof *c->unused));
  return set_unused_bricks (k, n);
}

const char *
kinfumot_pool_forget (Kinfumot *k, int model)
{
  PoolCopy c = {0};
  const char *err = pool_copy_new (k, &c);

  for (uint32_t i = 0; !err && i < c.n; i++)
    if (c.owner[i] && (model < 0 || kinfumot_key_model (c.owner[i]) == model))
      c.owner[i] = 0;
  if (!err)
    err = pool_copy_send (k, &c);
  pool_copy_free (&c);
  return err;
}

/* ---- Bricks out of view ---- */

/* A brick that is used and out of view. */
typedef struct {
  uint32_t seen, slot;
  uint64_t key;
} UnseenBrick;

/* Orders bricks by how long they are out of view, the longest first, then by
 * place. */
static int
compare_unseen (const void *a, const void *b)
{
  const UnseenBrick *x = a, *y = b;

  return x->seen != y->seen ? (x->seen < y->seen ? -1 : 1)
      : x->key != y->key    ? (x->key < y->key ? -1 : 1)
                            : 0;
}

static uint32_t
list_unseen_bricks (const Kinfumot *k, const PoolCopy *c, UnseenBrick *list)
{
  uint32_t n = 0;

  for (uint32_t i = 0; i < c->n; i++)
    if (c->owner[i] && c->last_seen[i] < k->frame)
      list[n++] = (UnseenBrick){c->last_seen[i], i, c->owner[i]};
  qsort (list, n, sizeof *list, compare_unseen);
  return n;
}

/* Drops the bricks that are out of view for longest, at most an eighth of all.
 */
static const char *
drop_unseen_bricks (Kinfumot *k, PoolCopy *c)
{
  UnseenBrick *list = malloc (c->n * sizeof *list);
  uint32_t n;

  if (!list)
    return OUT_OF_MEMORY (c->n * sizeof *list, "");
  n = list_unseen_bricks (k, c, list);
  if (n > c->n / 8)
    n = c->n / 8;
  for (uint32_t i = 0; i < n; i++)
    c->owner[list[i].slot] = 0;
  k->dropped += n;
  free (list);
  return NULL;
}

/* ---- Wanted bricks ---- */

static int
compare_keys (const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;

  return x < y ? -1 : x > y;
}

/* Gives the unused bricks to the first of the wanted keys, by place. */
static const char *
grant_wanted_bricks (Kinfumot *k, PoolCopy *c)
{
  const KinfumotGrid *g = &k->grid;
  const uint32_t n_wanted = k->host_report->pool.n_wanted;
  uint32_t n = n_wanted < k->pool.max_wanted ? n_wanted : k->pool.max_wanted;
  uint64_t *keys = malloc ((n + 1) * sizeof *keys);
  const char *err = keys ? NULL : OUT_OF_MEMORY ((n + 1) * sizeof *keys, "");
  uint32_t given = 0;

  if (!err)
    err = device_copy (&k->device, keys, k->pool.wanted, n * sizeof *keys);
  if (!err)
    err = device_wait (&k->device);
  if (!err)
    qsort (keys, n, sizeof *keys, compare_keys);
  for (uint32_t slot = 0; !err && given < n && slot < c->n; slot++)
    if (!c->owner[slot]) {
      c->owner[slot] = keys[given++];
      err = device_clear (&k->device,
          g->voxels + (size_t) slot * KINFUMOT_BRICK_VOXELS,
          KINFUMOT_BRICK_VOXELS * sizeof *g->voxels);
    }
  k->missing += n_wanted - given;
  free (keys);
  return err;
}

const char *
kinfumot_pool_relieve (Kinfumot *k)
{
  PoolCopy c = {0};
  const char *err = pool_copy_new (k, &c);

  if (!err)
    err = drop_unseen_bricks (k, &c);
  if (!err)
    err = grant_wanted_bricks (k, &c);
  if (!err)
    err = pool_copy_send (k, &c);
  pool_copy_free (&c);
  return err;
}

const char *
kinfumot_pool_relieve_full (Kinfumot *k)
{
  KinfumotPoolCounts *counts = &k->host_report->pool;

  TRY (device_copy (&k->device, counts, k->pool.counts, sizeof *counts));
  TRY (device_wait (&k->device));
  return counts->full ? kinfumot_pool_relieve (k) : NULL;
}
