/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pool of bricks on the host: made once, and put in order where bricks are
 * given back, which is seldom. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kinfumot/kinfumot_state.h"

#define EXTRA_FRESH 65536 /* bricks that a frame may want beyond the pool */

static uint32_t
table_size (uint32_t keys)
{
  uint32_t n = 1;

  while (n < 2 * keys)
    n *= 2;
  return n;
}

/* Tells the device how many bricks are unused. */
static const char *
set_unused (Kinfumot *k, uint32_t n)
{
  KinfumotPool *pool = &k->state->pool;

  pool->n_unused = n;
  pool->n_fresh = 0;
  pool->full = 0;
  TRY (device_copy (&k->device, k->work.pool, pool, sizeof *pool));
  return device_wait (&k->device);
}

static const char *
all_unused (Kinfumot *k)
{
  KinfumotWork *w = &k->work;
  uint32_t n = w->grid.max_bricks;
  uint32_t *unused = malloc (n * sizeof *unused);
  const char *err;

  if (!unused)
    return "out of memory";
  for (uint32_t i = 0; i < n; i++)
    unused[i] = n - 1 - i;
  err = device_copy (&k->device, w->unused, unused, n * sizeof *unused);
  if (!err)
    err = device_wait (&k->device);
  free (unused);
  return err ? err : set_unused (k, n);
}

static const char *
make_reciprocals (Kinfumot *k)
{
  KinfumotGrid *g = &k->work.grid;
  uint64_t all[KINFUMOT_MAX_FRAMES + 1] = {0};

  for (int n = 1; n <= KINFUMOT_MAX_FRAMES; n++)
    all[n] = kinfumot_reciprocal (n);
  TRY (device_copy (&k->device, g->reciprocals, all, sizeof all));
  return device_wait (&k->device);
}

static const char *
get_memory (Kinfumot *k, DeviceMemory *m)
{
  KinfumotWork *w = &k->work;
  KinfumotGrid *g = &w->grid;

  TRY (memory_get (m, &g->table, g->mask + 1));
  TRY (memory_get (m, &g->owner, g->max_bricks));
  TRY (memory_get (m, &g->seen, g->max_bricks));
  TRY (memory_get_bytes (m, (void **) &g->voxels, g->max_bricks,
      KINFUMOT_BRICK_VOXELS * sizeof *g->voxels, false));
  TRY (memory_get (m, &w->fresh, w->max_fresh));
  TRY (memory_get (m, &w->unused, g->max_bricks));
  TRY (memory_get (m, &w->visible, g->max_bricks));
  return memory_get (m, &g->reciprocals, KINFUMOT_MAX_FRAMES + 1);
}

/* Why the memory was refused, and what helps. */
static const char *
refusal (Kinfumot *k, uint64_t bytes, const char *why)
{
  uint64_t room = 0;

  if (k->stages->room (&k->device, &room))
    return why;
  snprintf (k->no_room, sizeof k->no_room,
      "%s: the models ask for %" PRIu64 " MiB (max-memory=%d and what finds "
      "it), and %" PRIu64 " MiB are free; lower max-memory, with a larger "
      "voxel-size where the scene is to stay as large",
      why, bytes >> 20, k->params.max_memory, room >> 20);
  return k->no_room;
}

/* All of the pool's memory, or a message with the bytes. */
static const char *
reserve (Kinfumot *k)
{
  DeviceMemory count;
  uint64_t bytes;
  const char *err;

  memory_open (&count, NULL);
  err = get_memory (k, &count);
  bytes = count.bytes;
  memory_free (&count);
  TRY (err);
  err = get_memory (k, &k->memory);
  return err ? refusal (k, bytes, err) : NULL;
}

const char *
kinfumot_pool_new (Kinfumot *k)
{
  KinfumotWork *w = &k->work;
  KinfumotGrid *g = &w->grid;
  const size_t brick = KINFUMOT_BRICK_VOXELS * sizeof *g->voxels;

  g->voxel = (float) k->params.voxel_size;
  g->truncation = (float) k->params.truncation;
  g->voxels_a_metre = 1 / g->voxel;
  g->truncations_a_metre = 1 / g->truncation;
  g->max_bricks = (uint32_t) (((uint64_t) k->params.max_memory << 20) / brick);
  w->max_fresh = g->max_bricks + EXTRA_FRESH;
  g->mask = table_size (g->max_bricks + w->max_fresh) - 1;
  TRY (reserve (k));
  TRY (make_reciprocals (k));
  return all_unused (k);
}

/* ---- Giving back ---- */

typedef struct {
  uint32_t n, entries;
  uint64_t *owner;
  uint32_t *seen, *unused;
  KinfumotEntry *table;
} Copy;

static void
copy_free (Copy *c)
{
  free (c->owner);
  free (c->seen);
  free (c->unused);
  free (c->table);
}

static const char *
copy_new (Kinfumot *k, Copy *c)
{
  const KinfumotGrid *g = &k->work.grid;

  c->n = g->max_bricks;
  c->entries = g->mask + 1;
  c->owner = malloc (c->n * sizeof *c->owner);
  c->seen = malloc (c->n * sizeof *c->seen);
  c->unused = malloc (c->n * sizeof *c->unused);
  c->table = calloc (c->entries, sizeof *c->table);
  if (!c->owner || !c->seen || !c->unused || !c->table)
    return "out of memory";
  TRY (device_copy (&k->device, c->owner, g->owner, c->n * sizeof *c->owner));
  TRY (device_copy (&k->device, c->seen, g->seen, c->n * sizeof *c->seen));
  return device_wait (&k->device);
}

static void
put (Copy *c, uint32_t slot)
{
  uint32_t at = kinfumot_hash (c->owner[slot]), mask = c->entries - 1;

  while (c->table[at & mask].key)
    at++;
  c->table[at & mask] = (KinfumotEntry){c->owner[slot], (int32_t) slot};
}

/* The table and the list of what is unused, made anew from the owners. */
static const char *
copy_back (Kinfumot *k, Copy *c)
{
  KinfumotWork *w = &k->work;
  KinfumotGrid *g = &w->grid;
  uint32_t n = 0;

  for (uint32_t i = c->n; i-- > 0;)
    if (c->owner[i])
      put (c, i);
    else
      c->unused[n++] = i;
  TRY (device_copy (&k->device, g->owner, c->owner, c->n * sizeof *c->owner));
  TRY (device_copy (
      &k->device, g->table, c->table, c->entries * sizeof *c->table));
  TRY (device_copy (&k->device, w->unused, c->unused, n * sizeof *c->unused));
  return set_unused (k, n);
}

const char *
kinfumot_pool_forget (Kinfumot *k, int model)
{
  Copy c = {0};
  const char *err = copy_new (k, &c);

  for (uint32_t i = 0; !err && i < c.n; i++)
    if (c.owner[i] && (model < 0 || kinfumot_key_model (c.owner[i]) == model))
      c.owner[i] = 0;
  if (!err)
    err = copy_back (k, &c);
  copy_free (&c);
  return err;
}

/* From the one that is out of view for longest; of equals by place. */
static int
compare (const void *a, const void *b)
{
  const uint64_t *x = a, *y = b;

  return x[0] != y[0] ? (x[0] < y[0] ? -1 : 1)
      : x[1] != y[1]  ? (x[1] < y[1] ? -1 : 1)
                      : 0;
}

/* Seen, key and slot of each brick that is used and out of view. */
static uint32_t
list_unseen (const Kinfumot *k, const Copy *c, uint64_t (*list)[3])
{
  uint32_t n = 0;

  for (uint32_t i = 0; i < c->n; i++)
    if (c->owner[i] && c->seen[i] < k->work.frame) {
      list[n][0] = c->seen[i];
      list[n][1] = c->owner[i];
      list[n++][2] = i;
    }
  qsort (list, n, sizeof *list, compare);
  return n;
}

/* An eighth of all bricks goes. */
static const char *
drop (Kinfumot *k, Copy *c)
{
  uint64_t (*list)[3] = malloc (c->n * sizeof *list);
  uint32_t n;

  if (!list)
    return "out of memory";
  n = list_unseen (k, c, list);
  if (n > c->n / 8)
    n = c->n / 8;
  for (uint32_t i = 0; i < n; i++)
    c->owner[list[i][2]] = 0;
  k->dropped += n;
  free (list);
  return NULL;
}

/* ---- Bricks that there was no room for ---- */

static int
compare_keys (const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;

  return x < y ? -1 : x > y;
}

/* The first of the keys that were noted, by place, get the bricks that are
 * unused. */
static const char *
grant (Kinfumot *k, Copy *c)
{
  const KinfumotWork *w = &k->work;
  uint32_t n = k->state->pool.n_fresh < w->max_fresh ? k->state->pool.n_fresh
                                                     : w->max_fresh;
  uint64_t *keys = malloc ((n + 1) * sizeof *keys);
  const char *err = keys ? NULL : "out of memory";
  uint32_t given = 0;

  if (!err)
    err = device_copy (&k->device, keys, w->fresh, n * sizeof *keys);
  if (!err)
    err = device_wait (&k->device);
  if (!err)
    qsort (keys, n, sizeof *keys, compare_keys);
  for (uint32_t slot = 0; !err && given < n && slot < c->n; slot++)
    if (!c->owner[slot]) {
      c->owner[slot] = keys[given++];
      err = device_clear (&k->device,
          w->grid.voxels + (size_t) slot * KINFUMOT_BRICK_VOXELS,
          KINFUMOT_BRICK_VOXELS * sizeof *w->grid.voxels);
    }
  k->missing += k->state->pool.n_fresh - given;
  free (keys);
  return err;
}

const char *
kinfumot_pool_relieve (Kinfumot *k)
{
  Copy c = {0};
  const char *err = copy_new (k, &c);

  if (!err)
    err = drop (k, &c);
  if (!err)
    err = grant (k, &c);
  if (!err)
    err = copy_back (k, &c);
  copy_free (&c);
  return err;
}
