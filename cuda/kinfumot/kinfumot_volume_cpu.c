/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fusion and rays: bricks that a frame wants, the frame into the bricks in
 * view, and the views of the models. */
#include <stdlib.h>
#include <string.h>

#include "common/parallel.h"
#include "common/vectors.h"
#include "kinfumot/kinfumot_volume_core.h"

/* ---- Ranges ---- */

/* Adds the brick of @key to the ranges of the tiles that it covers. */
static void
add_brick_range (const KinfumotPoses *poses, float voxel, uint64_t key,
    KinfumotRanges *ranges)
{
  int model = kinfumot_key_model (key);
  ImageBox tiles;
  float near, far;
  uint32_t from;

  if (!kinfumot_brick_in_view (poses, voxel, key) ||
      !kinfumot_brick_range (poses, voxel, key, &tiles, &near, &far))
    return;
  memcpy (&from, &near, sizeof from);
  for (int y = tiles.y0; y < tiles.y1; y++)
    for (int x = tiles.x0; x < tiles.x1; x++) {
      int at = y * poses->optics.tiles_x + x;

      if (~from > ranges->near[model][at])
        ranges->near[model][at] = ~from;
      ranges->slices[model][at] |= kinfumot_slices_between (near, far);
    }
}

const char *
kinfumot_ranges_cpu (const Device *dev, const KinfumotPoses *poses,
    const KinfumotGrid *grid, KinfumotRanges *ranges)
{
  (void) dev;
  for (uint32_t i = 0; i < grid->max_bricks; i++)
    if (kinfumot_brick_is_of (poses, grid->owner[i]))
      add_brick_range (poses, grid->voxel, grid->owner[i], ranges);
  return NULL;
}

/* ---- Bricks ---- */

/* Keys that a strip of rows wants and the table lacks, some of them more than
 * once. */
typedef struct {
  uint64_t *keys;
  int n, room;
  size_t failed; /* bytes that there was no memory for; 0: none */
} WantedKeys;

static void
add_wanted_key (WantedKeys *wanted, uint64_t key)
{
  for (int i = wanted->n - 1; i >= 0 && i >= wanted->n - 8; i--)
    if (wanted->keys[i] == key)
      return;
  if (wanted->n == wanted->room) {
    int room = wanted->room ? 2 * wanted->room : 256;
    uint64_t *more = realloc (wanted->keys, room * sizeof *more);

    if (!more) {
      wanted->failed = room * sizeof *more;
      return;
    }
    wanted->keys = more;
    wanted->room = room;
  }
  wanted->keys[wanted->n++] = key;
}

#define STRIP_ROWS 16
#define MAX_STRIPS (KINFUMOT_MAX_SIDE / STRIP_ROWS)

typedef struct {
  const KinfumotFusion *fusion;
  const KinfumotGrid *grid;
  int model;
  WantedKeys *strips;
} WantLoop;

static void
want_pixel_bricks (const WantLoop *loop, int at, int steps, WantedKeys *wanted)
{
  uint64_t last = 0;

  for (int i = 0; i < steps; i++) {
    uint64_t key = kinfumot_wanted_key (
        loop->fusion, loop->grid, loop->model, at, i, steps);

    if (key && key != last && kinfumot_find_brick (loop->grid, key) < 0)
      add_wanted_key (wanted, key);
    last = key;
  }
}

static void
want_strip_bricks (void *data, int begin, int end)
{
  const WantLoop *loop = data;
  const KinfumotFusion *fusion = loop->fusion;
  const int width = fusion->poses.optics.width,
            height = fusion->poses.optics.height;
  int steps = kinfumot_brick_steps (loop->grid);

  for (int strip = begin; strip < end; strip++) {
    int last = (strip + 1) * STRIP_ROWS;

    last = (last < height ? last : height) * width;
    for (int at = strip * STRIP_ROWS * width; at < last; at++)
      if (fusion->depth[at] && kinfumot_owns_pixel (fusion, loop->model, at))
        want_pixel_bricks (loop, at, steps, &loop->strips[strip]);
  }
}

/* Lists @key as wanted, unless it is listed or has a brick. */
static void
list_wanted_key (KinfumotPool *pool, KinfumotGrid *g, uint64_t key)
{
  uint32_t at = kinfumot_key_hash (key);

  while (g->table[at & g->mask].key && g->table[at & g->mask].key != key)
    at++;
  at &= g->mask;
  if (g->table[at].key || pool->counts->n_wanted == pool->max_wanted)
    return;
  g->table[at] = (KinfumotEntry){key, KINFUMOT_NO_BRICK};
  pool->wanted[pool->counts->n_wanted++] = key;
}

/* Returns the bytes that there was no memory for; 0: none. */
static size_t
list_wanted_keys (WantLoop *loop, KinfumotPool *pool, KinfumotGrid *grid)
{
  int strips =
      (loop->fusion->poses.optics.height + STRIP_ROWS - 1) / STRIP_ROWS;
  size_t failed = 0;

  parallel_for (strips, 1, want_strip_bricks, loop);
  for (int i = 0; i < strips; i++) {
    if (loop->strips[i].failed)
      failed = loop->strips[i].failed;
    for (int k = 0; k < loop->strips[i].n; k++)
      list_wanted_key (pool, grid, loop->strips[i].keys[k]);
    loop->strips[i].n = 0;
  }
  return failed;
}

/* Either every wanted key gets a brick or none does, because a choice among
 * them would depend on their order. */
static void
take_bricks (const KinfumotFusion *fusion, KinfumotPool *pool, KinfumotGrid *g,
    KinfumotRanges *ranges)
{
  KinfumotPoolCounts *counts = pool->counts;

  counts->full |= counts->n_wanted > counts->n_unused;
  if (counts->full)
    return;
  for (uint32_t i = 0; i < counts->n_wanted; i++) {
    uint32_t slot = pool->unused[--counts->n_unused];
    uint64_t key = pool->wanted[i];
    int none;

    g->table[kinfumot_find_entry (g, key, &none)].slot = (int32_t) slot;
    g->owner[slot] = key;
    g->last_seen[slot] = fusion->number;
    memset (g->voxels + (size_t) slot * KINFUMOT_BRICK_VOXELS, 0,
        KINFUMOT_BRICK_VOXELS * sizeof *g->voxels);
    add_brick_range (&fusion->poses, g->voxel, key, ranges);
  }
  counts->n_wanted = 0;
}

const char *
kinfumot_allocate_cpu (const Device *dev, const KinfumotFusion *fusion,
    KinfumotPool *pool, KinfumotGrid *grid, KinfumotRanges *ranges)
{
  const KinfumotPoses *poses = &fusion->poses;
  WantedKeys strips[MAX_STRIPS] = {{0}};
  size_t failed = 0;

  (void) dev;
  for (int m = poses->first; m < poses->last; m++)
    if (poses->models[m].active && poses->models[m].good) {
      WantLoop loop = {fusion, grid, m, strips};

      failed = failed ? failed : list_wanted_keys (&loop, pool, grid);
    }
  for (int i = 0; i < MAX_STRIPS; i++)
    free (strips[i].keys);
  take_bricks (fusion, pool, grid, ranges);
  return failed ? OUT_OF_MEMORY (failed, " for the list of bricks") : NULL;
}

/* ---- Voxels ---- */

typedef struct {
  const KinfumotFusion *fusion;
  const KinfumotFuseScratch *scratch;
  KinfumotGrid *grid;
} FuseLoop;

static void
set_surface_rows (void *data, int begin, int end)
{
  const FuseLoop *loop = data;
  const int width = loop->fusion->poses.optics.width;

  for (int at = begin * width; at < end * width; at++)
    loop->scratch->surfaces[at] = kinfumot_pixel_surface (loop->fusion, at);
}

static void
list_visible_bricks (const FuseLoop *loop)
{
  const KinfumotPoses *poses = &loop->fusion->poses;
  KinfumotGrid *g = loop->grid;
  uint32_t *n = loop->scratch->work;

  for (uint32_t i = 0; i < g->max_bricks; i++)
    if (kinfumot_brick_is_of (poses, g->owner[i]) &&
        poses->models[kinfumot_key_model (g->owner[i])].good &&
        kinfumot_brick_in_view (poses, g->voxel, g->owner[i])) {
      g->last_seen[i] = loop->fusion->number;
      loop->scratch->visible[(*n)++] = i;
    }
}

static void
fuse_brick (const FuseLoop *loop, uint32_t slot)
{
  const KinfumotPoses *poses = &loop->fusion->poses;
  const KinfumotGrid *g = loop->grid;
  const uint64_t key = g->owner[slot];
  const int model = kinfumot_key_model (key);
  const bool still = poses->models[model].still;
  const KinfumotLattice lattice = kinfumot_brick_lattice (poses, g->voxel, key);
  KinfumotVoxel *v = g->voxels + (size_t) slot * KINFUMOT_BRICK_VOXELS;

  for (int i = 0; i < KINFUMOT_BRICK_VOXELS; i++) {
    Vec p = kinfumot_voxel_place (
        &lattice, (float) (i & 7), (float) (i >> 3 & 7), (float) (i >> 6));
    KinfumotSurface seen =
        kinfumot_surface_at (&poses->optics, loop->scratch->surfaces, p);

    v[i] = kinfumot_fuse_voxel (loop->fusion, g, model, still, seen, p.z, v[i]);
  }
}

VECTORS_WHOLE static void
fuse_visible_bricks (void *data, int begin, int end)
{
  const FuseLoop *loop = data;

  for (int i = begin; i < end; i++)
    fuse_brick (loop, loop->scratch->visible[i]);
}

const char *
kinfumot_fuse_cpu (const Device *dev, const KinfumotFusion *fusion,
    KinfumotFuseScratch *scratch, KinfumotGrid *grid)
{
  FuseLoop loop = {fusion, scratch, grid};

  (void) dev;
  parallel_for (fusion->poses.optics.height, 16, set_surface_rows, &loop);
  list_visible_bricks (&loop);
  parallel_for ((int) *scratch->work, 16, fuse_visible_bricks, &loop);
  *scratch->work = 0;
  return NULL;
}

/* ---- Rays ---- */

typedef struct {
  const KinfumotPoses *poses;
  const KinfumotGrid *grid;
  KinfumotRanges *ranges;
  int model;
  KinfumotHit *view;
} CastLoop;

static void
cast_tile (const CastLoop *loop, int tx, int ty)
{
  const KinfumotOptics *optics = &loop->poses->optics;
  const int tile = ty * optics->tiles_x + tx;
  uint32_t from = ~loop->ranges->near[loop->model][tile];
  uint64_t slices = loop->ranges->slices[loop->model][tile];
  float near;

  memcpy (&near, &from, sizeof near);
  for (int y = ty * KINFUMOT_TILE;
       y < (ty + 1) * KINFUMOT_TILE && y < optics->height; y++)
    for (int x = tx * KINFUMOT_TILE;
         x < (tx + 1) * KINFUMOT_TILE && x < optics->width; x++) {
      int at = y * optics->width + x;

      loop->view[at].depth = slices
          ? kinfumot_cast_ray (loop->grid, loop->poses->models, loop->model,
                &optics->rays[at], near, slices)
          : 0;
    }
}

VECTORS_WHOLE static void
cast_tile_rows (void *data, int begin, int end)
{
  const CastLoop *loop = data;

  for (int y = begin; y < end; y++)
    for (int x = 0; x < loop->poses->optics.tiles_x; x++)
      cast_tile (loop, x, y);
}

static void
set_view_normal_rows (void *data, int begin, int end)
{
  const CastLoop *loop = data;
  const KinfumotOptics *optics = &loop->poses->optics;

  for (int at = begin * optics->width; at < end * optics->width; at++)
    kinfumot_view_normal (optics, loop->view, at);
}

const char *
kinfumot_cast_cpu (const Device *dev, const KinfumotPoses *poses,
    const KinfumotGrid *grid, KinfumotRanges *ranges, KinfumotViews *views)
{
  const KinfumotOptics *optics = &poses->optics;
  const size_t tiles = (size_t) optics->tiles_x * optics->tiles_y;

  (void) dev;
  for (int m = poses->first; m < poses->last; m++)
    if (poses->models[m].active) {
      CastLoop loop = {poses, grid, ranges, m, views->of[m]};

      parallel_for (optics->tiles_y, 1, cast_tile_rows, &loop);
      parallel_for (optics->height, 16, set_view_normal_rows, &loop);
      memset (ranges->near[m], 0, tiles * sizeof *ranges->near[m]);
      memset (ranges->slices[m], 0, tiles * sizeof *ranges->slices[m]);
    }
  return NULL;
}

/* ---- Pictures ---- */

typedef struct {
  const KinfumotMatching *matching;
  const KinfumotOutputs *outputs;
} DrawLoop;

static void
draw_view_rows (void *data, int begin, int end)
{
  const DrawLoop *loop = data;
  const KinfumotOutputs *o = loop->outputs;
  const int width = loop->matching->points.optics.width;

  for (int y = begin; y < end; y++)
    for (int x = 0; x < width; x++) {
      int at = y * width + x;

      if (o->rgb)
        kinfumot_shown_colour (
            loop->matching, at, o->rgb + y * o->rgb_stride + 3 * x);
      if (o->normals)
        kinfumot_shown_normal (loop->matching, at,
            (float *) ((uint8_t *) o->normals + y * o->normals_stride) + 3 * x);
    }
}

const char *
kinfumot_draw_cpu (const Device *dev, const KinfumotMatching *matching,
    const KinfumotOutputs *outputs)
{
  DrawLoop loop = {matching, outputs};

  (void) dev;
  parallel_for (matching->points.optics.height, 16, draw_view_rows, &loop);
  return NULL;
}
