/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The memory of a Kinfumot, and its parts as the stages take them. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kinfumot/kinfumot_state.h"

/* ---- Memory of frames ---- */

static const char *
get_maps (Kinfumot *k, size_t pixels)
{
  DeviceMemory *m = &k->memory;

  for (int i = 0; i < KINFUMOT_RING; i++) {
    TRY (memory_get (m, &k->past[i].maps.depth, pixels));
    TRY (memory_get (m, &k->past[i].maps.classes, 2 * pixels));
  }
  for (int i = 0; i < KINFUMOT_MAX_REQUESTS; i++)
    TRY (memory_get (m, &k->requests[i].mask, pixels));
  TRY (memory_get_pinned (m, &k->host_mask, pixels));
  TRY (memory_get_pinned (m, &k->host_maps.classes, 2 * pixels));
  TRY (memory_get_pinned (m, &k->host_maps.depth, pixels));
  return memory_get_pinned (
      m, &k->host_rows, (size_t) k->optics.width * (KINFUMOT_SMALL_Y + 1));
}

static const char *
get_frame (Kinfumot *k)
{
  const size_t pixels = kinfumot_n_pixels (&k->optics);
  const size_t tiles = (size_t) k->optics.tiles_x * k->optics.tiles_y;
  DeviceMemory *m = &k->memory;

  TRY (get_maps (k, pixels));
  TRY (memory_get (m, &k->rays, pixels));
  TRY (memory_get_pinned (m, &k->host_rays, pixels));
  TRY (memory_get (m, &k->filled, pixels));
  TRY (memory_get (m, &k->weights, BILATERAL_RANGE));
  TRY (memory_get_pinned (m, &k->host_weights, BILATERAL_RANGE));
  TRY (memory_get (m, &k->normals.of, pixels));
  TRY (memory_get (m, &k->normals.work, 1));
  TRY (memory_get (m, &k->align.alignments, KINFUMOT_MODELS));
  TRY (memory_get (m, &k->align.ends, KINFUMOT_SIDES * pixels));
  TRY (memory_get (m, &k->align.n_ends, 1));
  TRY (memory_get (m, &k->grown, pixels));
  TRY (memory_get (m, &k->usual, tiles));
  TRY (memory_get (m, &k->shifted, tiles));
  TRY (memory_get (m, &k->doubted, (pixels + 7) / 8));
  TRY (memory_get (m, &k->fuse.surfaces, pixels));
  TRY (memory_get (m, &k->fuse.work, 2));
  TRY (memory_get (m, &k->pool.work, 1));
  TRY (memory_get (m, &k->rest_tiles, KINFUMOT_REST_TILES));
  TRY (memory_get_pinned (m, &k->host_rest_tiles, KINFUMOT_REST_TILES));
  TRY (memory_get (m, &k->device_report, 1));
  TRY (memory_get_pinned (m, &k->host_report, 1));
  k->optics.rays = k->rays;
  k->input.weights = k->weights;
  k->normals.n = &k->device_report->n_points;
  k->pool.counts = &k->device_report->pool;
  return kinfumot_view_new (k, 0);
}

const char *
kinfumot_view_new (Kinfumot *k, int model)
{
  const KinfumotOptics *optics = &k->optics;
  size_t tiles = (size_t) optics->tiles_x * optics->tiles_y;

  if (k->views.of[model])
    return NULL;
  TRY (memory_get (&k->memory, &k->ranges.near[model], tiles));
  TRY (memory_get (&k->memory, &k->ranges.slices[model], tiles));
  return memory_get (
      &k->memory, &k->views.of[model], kinfumot_n_pixels (optics));
}

/* ---- Memory of the pool ---- */

#define EXTRA_WANTED 65536 /* bricks that a frame may want beyond the pool */

static uint32_t
table_size (uint32_t keys)
{
  uint32_t n = 1;

  while (n < 2 * keys)
    n *= 2;
  return n;
}

static const char *
get_bricks (Kinfumot *k, DeviceMemory *m)
{
  KinfumotGrid *g = &k->grid;

  TRY (memory_get (m, &g->table, g->mask + 1));
  TRY (memory_get (m, &g->owner, g->max_bricks));
  TRY (memory_get (m, &g->last_seen, g->max_bricks));
  TRY (memory_get_bytes (m, (void **) &g->voxels, g->max_bricks,
      KINFUMOT_BRICK_VOXELS * sizeof *g->voxels, false));
  TRY (memory_get (m, &k->pool.wanted, k->pool.max_wanted));
  TRY (memory_get (m, &k->pool.unused, g->max_bricks));
  TRY (memory_get (m, &k->fuse.visible, g->max_bricks));
  return memory_get (m, &g->reciprocals, KINFUMOT_MAX_FRAMES + 1);
}

/* The sentence that says why the memory was refused, and what helps. */
static const char *
describe_refusal (Kinfumot *k, uint64_t bytes, const char *why)
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

/* Gets all of the pool's memory, or returns a message with the bytes. */
static const char *
get_pool (Kinfumot *k)
{
  DeviceMemory count;
  uint64_t bytes;
  const char *err;

  memory_open (&count, NULL);
  err = get_bricks (k, &count);
  bytes = count.bytes;
  memory_free (&count);
  TRY (err);
  err = get_bricks (k, &k->memory);
  return err ? describe_refusal (k, bytes, err) : NULL;
}

static const char *
set_reciprocals (Kinfumot *k)
{
  uint64_t all[KINFUMOT_MAX_FRAMES + 1] = {0};

  for (int n = 1; n <= KINFUMOT_MAX_FRAMES; n++)
    all[n] = kinfumot_reciprocal (n);
  TRY (device_copy (&k->device, k->grid.reciprocals, all, sizeof all));
  return device_wait (&k->device);
}

static const char *
pool_new (Kinfumot *k)
{
  KinfumotGrid *g = &k->grid;
  const size_t brick = KINFUMOT_BRICK_VOXELS * sizeof *g->voxels;

  g->voxel = (float) k->params.voxel_size;
  g->truncation = (float) k->params.truncation;
  g->voxels_a_metre = 1 / g->voxel;
  g->truncations_a_metre = 1 / g->truncation;
  g->max_bricks = (uint32_t) (((uint64_t) k->params.max_memory << 20) / brick);
  k->pool.max_wanted = g->max_bricks + EXTRA_WANTED;
  g->mask = table_size (g->max_bricks + k->pool.max_wanted) - 1;
  TRY (get_pool (k));
  TRY (set_reciprocals (k));
  return kinfumot_pool_clear (k);
}

/* ---- A Kinfumot ---- */

const char *
kinfumot_new (Kinfumot **self, const Device *device,
    const KinfumotParams *params, int width, int height)
{
  Kinfumot *k = calloc (1, sizeof *k);

  *self = k;
  if (!k)
    return OUT_OF_MEMORY (sizeof *k, "");
  k->device = *device;
  k->stages = STAGES (kinfumot, device);
  memory_open (&k->memory, &k->device);
  TRY (device_open (&k->aside, device->kind, NULL));
  if (width < 1 || height < 1 || width > KINFUMOT_MAX_SIDE ||
      height > KINFUMOT_MAX_SIDE)
    return "the frame's sides must be 1 to 4096 pixels";
  TRY (kinfumot_check (params));
  k->params = *params;
  k->params.camera = (Camera){0}; /* none yet */
  k->optics.width = width;
  k->optics.height = height;
  k->optics.tiles_x = (width + KINFUMOT_TILE - 1) / KINFUMOT_TILE;
  k->optics.tiles_y = (height + KINFUMOT_TILE - 1) / KINFUMOT_TILE;
  TRY (k->stages->align_open (&k->align));
  TRY (get_frame (k));
  TRY (pool_new (k));
  kinfumot_clear (k);
  return NULL;
}

void
kinfumot_free (Kinfumot *k)
{
  if (!k)
    return;
  device_wait (&k->aside); /* the device may still use the memory */
  device_wait (&k->device);
  memory_free (&k->memory);
  device_close (&k->aside);
  free (k->keyframes);
  free (k);
}

void
kinfumot_clear (Kinfumot *k)
{
  for (int m = 0; m < KINFUMOT_MODELS; m++)
    k->host_report->models[m] = (KinfumotModel){.active = KINFUMOT_ASLEEP,
        .pose = pose64_identity (),
        .motion = pose64_identity (),
        .drift = pose64_identity ()};
  for (int i = 0; i < KINFUMOT_RING; i++)
    k->past[i].known = false;
  memset (k->tracks, 0, sizeof k->tracks);
  k->has_background = k->lost = k->relocate = k->was_full = false;
  k->n_requests = k->n_keyframes = 0;
  k->rested = KINFUMOT_RESTED;
}

/* ---- Its parts ---- */

int
kinfumot_models_end (const Kinfumot *k)
{
  int n = KINFUMOT_MODELS;

  while (n > 1 && !k->host_report->models[n - 1].active)
    n--;
  return n;
}

KinfumotPast *
kinfumot_past (Kinfumot *k, uint32_t frame)
{
  KinfumotPast *p = &k->past[frame % KINFUMOT_RING];

  return p->frame == frame && p->known ? p : NULL;
}

ImageBox
kinfumot_whole_box (const Kinfumot *k)
{
  return (ImageBox){0, 0, k->optics.width, k->optics.height};
}

const char *
kinfumot_upload (Kinfumot *k)
{
  k->n_models = kinfumot_models_end (k);
  return k->stages->pass (&k->device, k->device_report->models,
      k->host_report->models, sizeof k->host_report->models);
}

const char *
kinfumot_download (Kinfumot *k)
{
  TRY (k->stages->pass (
      &k->device, k->host_report, k->device_report, sizeof *k->host_report));
  return device_wait (&k->device);
}

KinfumotMatching
kinfumot_matching (const Kinfumot *k, const KinfumotMaps *maps)
{
  return (KinfumotMatching){.points = {k->optics, maps->depth},
      .n_models = k->n_models,
      .models = k->device_report->models,
      .views = k->views,
      .noise = (float) k->params.noise,
      .min_cosine = (float) cos (k->params.max_angle * M_PI / 180)};
}

static KinfumotPoses
poses_of_models (const Kinfumot *k, int first, int last)
{
  return (KinfumotPoses){k->optics, k->device_report->models, first, last};
}

KinfumotFusion
kinfumot_fusion (const Kinfumot *k, const KinfumotMaps *maps,
    const uint8_t *mask, int first, int last)
{
  return (KinfumotFusion){.poses = poses_of_models (k, first, last),
      .depth = maps->depth,
      .classes = maps->classes,
      .mask = mask,
      .number = k->frame,
      .max_weight = k->params.max_weight};
}

const char *
kinfumot_align_frame (Kinfumot *k, int first, int last)
{
  const KinfumotAlignIn in = {.matching = kinfumot_matching (k, &k->now),
      .normals = k->normals.of,
      .grid = k->grid,
      .claims = {.previous = k->previous.classes, .doubted = k->doubted}};

  return k->stages->align (
      &k->device, &in, first, last, &k->align, k->device_report->models);
}

const char *
kinfumot_cast_views (Kinfumot *k, int first, int last)
{
  const KinfumotPoses poses = poses_of_models (k, first, last);

  TRY (k->stages->ranges (&k->device, &poses, &k->grid, &k->ranges));
  return k->stages->cast (&k->device, &poses, &k->grid, &k->ranges, &k->views);
}
