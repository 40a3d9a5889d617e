/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The alignment of models: iterations over every fourth pixel of every fourth
 * row, then over every second one of every second row, then over all. */
#include <string.h>

#include "common/parallel.h"
#include "kinfumot/kinfumot_align_core.h"

typedef struct {
  const KinfumotAlignIn *in;
  const uint32_t *ends;
  int model;
  const KinfumotModel *m; /* the model's state by now */
  int stride;
  int64_t *sums;
} AlignLoop;

/* Adds the sums of a thread to those of all. */
static void
add_thread_sums (const AlignLoop *loop, const int64_t sums[KINFUMOT_N_SUMS])
{
  for (int i = 0; i < KINFUMOT_N_SUMS; i++)
    __atomic_fetch_add (&loop->sums[i], sums[i], __ATOMIC_RELAXED);
}

static void
sum_surface_rows (void *data, int begin, int end)
{
  const AlignLoop *loop = data;
  const ImageBox *box = &loop->m->box;
  const int width = loop->in->matching.points.optics.width;
  int64_t sums[KINFUMOT_N_SUMS] = {0};

  for (int row = begin; row < end; row++) {
    int y = box->y0 + row * loop->stride;

    for (int x = box->x0; x < box->x1; x += loop->stride)
      kinfumot_add_surface (
          loop->in, loop->model, loop->m, y * width + x, sums);
  }
  add_thread_sums (loop, sums);
}

static void
sum_surface_ends (void *data, int begin, int end)
{
  const AlignLoop *loop = data;
  int64_t sums[KINFUMOT_N_SUMS] = {0};

  for (int i = begin; i < end; i++)
    kinfumot_add_end (
        loop->in, loop->model, loop->m, loop->stride, loop->ends[i], sums);
  add_thread_sums (loop, sums);
}

typedef struct {
  const KinfumotPoints *points;
  const KinfumotAlignScratch *scratch;
} EndsLoop;

static void
list_row_ends (void *data, int begin, int end)
{
  const EndsLoop *loop = data;
  const KinfumotAlignScratch *s = loop->scratch;
  const int width = loop->points->optics.width;

  for (int at = begin * width; at < end * width; at++)
    for (int side = 0; side < KINFUMOT_SIDES; side++)
      if (kinfumot_is_end (loop->points, at, side))
        s->ends[__atomic_fetch_add (s->n_ends, 1, __ATOMIC_RELAXED)] =
            (uint32_t) (KINFUMOT_SIDES * at + side);
}

static void
align_model (
    const KinfumotAlignIn *in, const KinfumotAlignScratch *scratch, int model)
{
  KinfumotModel *m = &scratch->alignments[model].aligned;
  AlignLoop loop = {in, scratch->ends, model, m, 0, m->sums};
  KinfumotEigen eigen;

  *m = in->matching.models[model];
  for (int level = 0; level < KINFUMOT_LEVELS; level++) {
    int rows;

    loop.stride = kinfumot_level_stride (level);
    rows = (m->box.y1 - m->box.y0 + loop.stride - 1) / loop.stride;
    m->settled = false;
    for (int i = 0; i < kinfumot_level_iterations (level) && !m->settled; i++) {
      memset (m->sums, 0, sizeof m->sums);
      parallel_for (rows, 4, sum_surface_rows, &loop);
      if (model)
        parallel_for ((int) *scratch->n_ends, 256, sum_surface_ends, &loop);
      kinfumot_solve_motion (m, !model, &eigen, 0, 1);
    }
  }
}

const char *
kinfumot_align_cpu (const Device *dev, const KinfumotAlignIn *in, int first,
    int last, KinfumotAlignScratch *scratch, KinfumotModel *models)
{
  EndsLoop loop = {&in->matching.points, scratch};

  (void) dev;
  if (last > 1)
    parallel_for (loop.points->optics.height, 0, list_row_ends, &loop);
  for (int m = first; m < last; m++)
    if (models[m].active == KINFUMOT_AWAKE)
      align_model (in, scratch, m);
  for (int m = first; m < last; m++)
    if (models[m].active == KINFUMOT_AWAKE)
      models[m] = scratch->alignments[m].aligned;
  *scratch->n_ends = 0;
  return NULL;
}
