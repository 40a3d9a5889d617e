/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CPU's stages, and those that are a few numbers. */
#include <unistd.h>

#include "kinfumot/kinfumot_classes_core.h"
#include "kinfumot/kinfumot_cpu.h"

static const char *
kinfumot_predict_cpu (
    const Device *dev, const KinfumotWork *w, int first, int last)
{
  (void) dev;
  for (int m = first; m < last; m++)
    if (w->models[m].active)
      kinfumot_predict (w->models, m);
  return NULL;
}

static const char *
kinfumot_judge_cpu (
    const Device *dev, const KinfumotWork *w, int first, int last)
{
  (void) dev;
  for (int m = first; m < last; m++)
    if (w->models[m].active)
      kinfumot_judge (w->models, m, w->pool->n_points);
  return NULL;
}

static const char *
kinfumot_open_cpu (KinfumotWork *w)
{
  (void) w;
  return NULL;
}

static const char *
kinfumot_pass_cpu (const Device *dev, void *to, const void *from, size_t bytes)
{
  return device_copy (dev, to, from, bytes);
}

/* The objects first: they ask where the camera was. */
static const char *
kinfumot_advance_cpu (
    const Device *dev, const KinfumotWork *w, int first, int last)
{
  (void) dev;
  for (int m = last; m-- > first;)
    if (w->models[m].active)
      kinfumot_advance (w, m);
  return NULL;
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
    .open = kinfumot_open_cpu,
    .pass = kinfumot_pass_cpu,
    .filter = kinfumot_filter_cpu,
    .normals = kinfumot_normals_cpu,
    .align = kinfumot_align_cpu,
    .predict = kinfumot_predict_cpu,
    .judge = kinfumot_judge_cpu,
    .classify = kinfumot_classify_cpu,
    .grow = kinfumot_grow_cpu,
    .adopt = kinfumot_adopt_cpu,
    .advance = kinfumot_advance_cpu,
    .doubt = kinfumot_doubt_cpu,
    .allocate = kinfumot_allocate_cpu,
    .fuse = kinfumot_fuse_cpu,
    .ranges = kinfumot_ranges_cpu,
    .cast = kinfumot_cast_cpu,
    .draw = kinfumot_draw_cpu,
    .mark = kinfumot_mark_cpu,
    .await_mark = kinfumot_mark_cpu,
    .room = kinfumot_room_cpu,
};
