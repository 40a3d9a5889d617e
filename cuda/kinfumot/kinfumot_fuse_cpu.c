/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Bricks for what a frame shows, and the frame into the bricks in view. */
#include <stdlib.h>
#include <string.h>

#include "common/parallel.h"
#include "common/vectors.h"
#include "kinfumot/kinfumot_cpu.h"
#include "kinfumot/kinfumot_fuse_core.h"

/* ---- Bricks ---- */

/* Keys that rows of pixels want and the table lacks, some of them more than
 * once. */
typedef struct {
  uint64_t *keys;
  int n, room;
  bool failed;
} Wanted;

static void
want (Wanted *wanted, uint64_t key)
{
  for (int i = wanted->n - 1; i >= 0 && i >= wanted->n - 8; i--)
    if (wanted->keys[i] == key)
      return;
  if (wanted->n == wanted->room) {
    int room = wanted->room ? 2 * wanted->room : 256;
    uint64_t *more = realloc (wanted->keys, room * sizeof *more);

    if (!more) {
      wanted->failed = true;
      return;
    }
    wanted->keys = more;
    wanted->room = room;
  }
  wanted->keys[wanted->n++] = key;
}

static void
want_pixel (const KinfumotWork *w, int model, int at, int steps, Wanted *wanted)
{
  uint64_t last = 0;

  for (int i = 0; i < steps; i++) {
    uint64_t key = kinfumot_wanted (w, model, at, i, steps);

    if (key && key != last && kinfumot_find (&w->grid, key) < 0)
      want (wanted, key);
    last = key;
  }
}

#define ROWS 16

/* @more: what each strip of rows wants. */
static void
want_strips (void *data, int begin, int end)
{
  const KinfumotLoop *loop = data;
  const KinfumotWork *w = loop->w;
  int steps = kinfumot_steps (&w->grid);

  for (int strip = begin; strip < end; strip++) {
    int last = (strip + 1) * ROWS;

    last = (last < w->height ? last : w->height) * w->width;
    for (int at = strip * ROWS * w->width; at < last; at++)
      if (w->now.depth[at] && kinfumot_owns (w, loop->model, at))
        want_pixel (w, loop->model, at, steps, (Wanted *) loop->more + strip);
  }
}

/* Notes that @key wants a brick, unless it is noted or has one. */
static void
note (const KinfumotWork *w, uint64_t key)
{
  const KinfumotGrid *g = &w->grid;
  uint32_t at = kinfumot_hash (key);

  while (g->table[at & g->mask].key && g->table[at & g->mask].key != key)
    at++;
  at &= g->mask;
  if (g->table[at].key || w->pool->n_fresh == w->max_fresh)
    return;
  g->table[at] = (KinfumotEntry){key, KINFUMOT_NO_BRICK};
  w->fresh[w->pool->n_fresh++] = key;
}

/* Either every entry of the list gets a brick or none does, because a choice
 * among them would depend on their order. */
static void
take_bricks (const KinfumotWork *w)
{
  const KinfumotGrid *g = &w->grid;
  KinfumotPool *pool = w->pool;

  pool->full |= pool->n_fresh > pool->n_unused;
  if (pool->full)
    return;
  for (uint32_t i = 0; i < pool->n_fresh; i++) {
    uint32_t slot = w->unused[--pool->n_unused];
    int none;

    g->table[kinfumot_entry (g, w->fresh[i], &none)].slot = (int32_t) slot;
    g->owner[slot] = w->fresh[i];
    g->seen[slot] = w->frame;
    memset (g->voxels + (size_t) slot * KINFUMOT_BRICK_VOXELS, 0,
        KINFUMOT_BRICK_VOXELS * sizeof *g->voxels);
  }
  pool->n_fresh = 0;
}

static bool
allocate_model (const KinfumotWork *w, int model, Wanted *wanted)
{
  int strips = (w->height + ROWS - 1) / ROWS;
  KinfumotLoop loop = {w, model, wanted};
  bool failed = false;

  parallel_for (strips, 1, want_strips, &loop);
  for (int i = 0; i < strips; i++) {
    failed |= wanted[i].failed;
    for (int k = 0; k < wanted[i].n; k++)
      note (w, wanted[i].keys[k]);
    wanted[i].n = 0;
  }
  return !failed;
}

const char *
kinfumot_allocate_cpu (
    const Device *dev, const KinfumotWork *w, int first, int last)
{
  Wanted wanted[KINFUMOT_MAX_SIDE / ROWS] = {{0}};
  bool done = true;

  (void) dev;
  for (int m = first; m < last; m++)
    if (w->models[m].active && w->models[m].good)
      done &= allocate_model (w, m, wanted);
  for (int i = 0; i < KINFUMOT_MAX_SIDE / ROWS; i++)
    free (wanted[i].keys);
  take_bricks (w);
  return done ? NULL : "out of memory for the list of bricks";
}

/* ---- Voxels ---- */

static void
fuse_brick (const KinfumotWork *w, uint32_t slot)
{
  const KinfumotGrid *g = &w->grid;
  const uint64_t key = g->owner[slot];
  const int model = kinfumot_key_model (key);
  const bool still = w->models[model].still;
  const KinfumotLattice lattice = kinfumot_lattice (w, key);
  KinfumotVoxel *v = g->voxels + (size_t) slot * KINFUMOT_BRICK_VOXELS;

  for (int i = 0; i < KINFUMOT_BRICK_VOXELS; i++) {
    Vec p = kinfumot_voxel_place (
        &lattice, (float) (i & 7), (float) (i >> 3 & 7), (float) (i >> 6));

    v[i] = kinfumot_fuse (w, model, still, kinfumot_shown_at (w, p), p.z, v[i]);
  }
}

static bool
is_wanted (const KinfumotWork *w, uint32_t slot, int first, int last)
{
  uint64_t key = w->grid.owner[slot];
  int model = kinfumot_key_model (key);

  return key && model >= first && model < last && w->models[model].active &&
      w->models[model].good && kinfumot_brick_in_view (w, key);
}

VECTORS_WHOLE static void
fuse_bricks (void *data, int begin, int end)
{
  const KinfumotLoop *loop = data;

  for (int i = begin; i < end; i++)
    fuse_brick (loop->w, loop->w->visible[i]);
}

static void
see_rows (void *data, int begin, int end)
{
  const KinfumotLoop *loop = data;
  const KinfumotWork *w = loop->w;

  for (int at = begin * w->width; at < end * w->width; at++)
    w->surfaces[at] = kinfumot_surface (w, loop->model, at);
}

const char *
kinfumot_fuse_cpu (
    const Device *dev, const KinfumotWork *w, int first, int last)
{
  KinfumotLoop loop = {w, first, NULL};

  (void) dev;
  parallel_for (w->height, 16, see_rows, &loop);
  w->pool->n_visible = 0;
  for (uint32_t i = 0; i < w->grid.max_bricks; i++)
    if (is_wanted (w, i, first, last)) {
      w->grid.seen[i] = w->frame;
      w->visible[w->pool->n_visible++] = i;
    }
  parallel_for ((int) w->pool->n_visible, 16, fuse_bricks, &loop);
  return NULL;
}
