/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The table of the CPU's stages, and the stages of a few numbers. */
#include <unistd.h>

#include "common/parallel.h"
#include "kinfumot/kinfumot_rest_core.h"

static const char *
kinfumot_align_open_cpu (KinfumotAlignScratch *scratch)
{
  (void) scratch;
  return NULL;
}

static const char *
kinfumot_predict_cpu (
    const Device *dev, int first, int last, KinfumotModel *models)
{
  (void) dev;
  for (int m = first; m < last; m++)
    if (models[m].active)
      kinfumot_predict_motion (models, m);
  return NULL;
}

static const char *
kinfumot_judge_cpu (const Device *dev, int first, int last,
    const uint32_t *n_points, KinfumotModel *models)
{
  (void) dev;
  for (int m = first; m < last; m++)
    if (models[m].active)
      kinfumot_judge_motion (models, m, *n_points);
  return NULL;
}

typedef struct {
  const KinfumotRestIn *in;
  KinfumotRestTile *tiles;
} RestLoop;

static void
compare_rest_tiles (void *data, int begin, int end)
{
  const RestLoop *loop = data;

  for (int tile = begin; tile < end; tile++) {
    KinfumotRestTile sum = {0, 0, 0, 0};

    for (int i = 0; i < KINFUMOT_REST_SIDE * KINFUMOT_REST_SIDE; i++) {
      KinfumotRestTile sample = kinfumot_rest_sample (loop->in, tile, i);

      kinfumot_rest_add (&sum, &sample);
    }
    kinfumot_rest_end (&sum);
    loop->tiles[tile] = sum;
  }
}

static const char *
kinfumot_rest_cpu (
    const Device *dev, const KinfumotRestIn *in, KinfumotRestTile *tiles)
{
  RestLoop loop = {in, tiles};

  (void) dev;
  parallel_for (in->tiles_x * in->tiles_y, 0, compare_rest_tiles, &loop);
  return NULL;
}

/* The objects come first: they read the camera's former pose. */
static const char *
kinfumot_advance_cpu (const Device *dev, const KinfumotOptics *optics,
    int first, int last, const KinfumotCount *counts, KinfumotModel *models)
{
  (void) dev;
  for (int m = last; m-- > first;)
    if (models[m].active)
      kinfumot_advance_model (optics, counts, models, m);
  return NULL;
}

static const char *
kinfumot_pass_cpu (const Device *dev, void *to, const void *from, size_t bytes)
{
  return device_copy (dev, to, from, bytes);
}

/* The CPU queues nothing. */
static const char *
kinfumot_mark_cpu (const Device *dev)
{
  (void) dev;
  return NULL;
}

static const char *
kinfumot_room_cpu (const Device *dev, uint64_t *bytes)
{
  long pages = sysconf (_SC_AVPHYS_PAGES), size = sysconf (_SC_PAGESIZE);

  (void) dev;
  if (pages < 0 || size < 0)
    return "the system does not say how much memory is free";
  *bytes = (uint64_t) pages * (uint64_t) size;
  return NULL;
}

const KinfumotStages kinfumot_stages_cpu = {kinfumot_fill_cpu,
    kinfumot_filter_cpu, kinfumot_normals_cpu, kinfumot_align_open_cpu,
    kinfumot_align_cpu, kinfumot_predict_cpu, kinfumot_judge_cpu,
    kinfumot_rest_cpu, kinfumot_advance_cpu, kinfumot_classify_cpu,
    kinfumot_grow_cpu, kinfumot_adopt_cpu, kinfumot_doubt_cpu,
    kinfumot_allocate_cpu, kinfumot_fuse_cpu, kinfumot_ranges_cpu,
    kinfumot_cast_cpu, kinfumot_draw_cpu, kinfumot_pass_cpu, kinfumot_mark_cpu,
    kinfumot_mark_cpu, kinfumot_room_cpu};
