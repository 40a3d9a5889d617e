/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The alignment of a model: iterations over every fourth pixel of every fourth
 * row, then every second, then all. */
#include "common/parallel.h"
#include "kinfumot/kinfumot_cpu.h"

static void
sum_rows (void *data, int begin, int end)
{
  const KinfumotLoop *loop = data;
  const KinfumotWork *w = loop->w;
  KinfumotModel *m = &w->models[loop->model];
  const int stride = *(const int *) loop->more;
  int64_t sums[KINFUMOT_N_SUMS] = {0};

  for (int row = begin; row < end; row++) {
    int y = m->box.y0 + row * stride;

    for (int x = m->box.x0; x < m->box.x1; x += stride)
      for (int part = 0; part < kinfumot_parts (loop->model); part++)
        kinfumot_add_part (w, loop->model, y * w->width + x, part, sums);
  }
  for (int i = 0; i < KINFUMOT_N_SUMS; i++)
    __atomic_fetch_add (&w->sums[loop->model].of[i], sums[i], __ATOMIC_RELAXED);
}

static void
align_model (const KinfumotWork *w, int model)
{
  KinfumotModel *m = &w->models[model];
  KinfumotLoop loop = {w, model, NULL};
  KinfumotEigen eigen;

  for (int level = 0; level < KINFUMOT_LEVELS; level++) {
    int stride = kinfumot_stride (level);
    int rows = (m->box.y1 - m->box.y0 + stride - 1) / stride;

    m->settled = false;
    loop.more = &stride;
    for (int i = 0; i < kinfumot_iterations (level) && !m->settled; i++) {
      parallel_for (rows, 4, sum_rows, &loop);
      for (int k = 0; k < KINFUMOT_N_SUMS; k++)
        kinfumot_take_sum (m, &w->sums[model], k);
      kinfumot_iterate (m, &eigen, 0, 1);
    }
  }
}

const char *
kinfumot_align_cpu (
    const Device *dev, const KinfumotWork *w, int first, int last)
{
  (void) dev;
  for (int m = first; m < last; m++)
    if (w->models[m].active == KINFUMOT_AWAKE)
      align_model (w, m);
  return NULL;
}
