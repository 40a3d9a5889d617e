/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CPU's stages, and those that are a few numbers. */
#include <unistd.h>

#include "kinfumot/kinfumot_stages.h"

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

/* The objects first: they ask where the camera was. */
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

/* What is queued is done. */
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

const KinfumotStages kinfumot_stages_cpu = {
    .filter = kinfumot_filter_cpu,
    .normals = kinfumot_normals_cpu,
    .align_open = kinfumot_align_open_cpu,
    .align = kinfumot_align_cpu,
    .predict = kinfumot_predict_cpu,
    .judge = kinfumot_judge_cpu,
    .advance = kinfumot_advance_cpu,
    .classify = kinfumot_classify_cpu,
    .grow = kinfumot_grow_cpu,
    .adopt = kinfumot_adopt_cpu,
    .doubt = kinfumot_doubt_cpu,
    .allocate = kinfumot_allocate_cpu,
    .fuse = kinfumot_fuse_cpu,
    .ranges = kinfumot_ranges_cpu,
    .cast = kinfumot_cast_cpu,
    .draw = kinfumot_draw_cpu,
    .pass = kinfumot_pass_cpu,
    .mark = kinfumot_mark_cpu,
    .await_mark = kinfumot_mark_cpu,
    .room = kinfumot_room_cpu,
};
