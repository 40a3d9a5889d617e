/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The alignment of a model: iterations over every fourth pixel of every fourth
 * row, then every second, then all. */
#include <string.h>

#include "common/parallel.h"
#include "kinfumot/kinfumot_cpu.h"

typedef struct {
  const KinfumotModel *m; /* as it is by now */
  int stride;
  int64_t *sums;
} Round;

static void
sum_rows (void *data, int begin, int end)
{
  const KinfumotLoop *loop = data;
  const KinfumotWork *w = loop->w;
  const Round *round = loop->more;
  const ImageBox *box = &round->m->box;
  int64_t sums[KINFUMOT_N_SUMS] = {0};

  for (int row = begin; row < end; row++) {
    int y = box->y0 + row * round->stride;

    for (int x = box->x0; x < box->x1; x += round->stride)
      for (int part = 0; part < kinfumot_parts (loop->model); part++)
        kinfumot_add_part (
            w, loop->model, round->m, y * w->width + x, part, sums);
  }
  for (int i = 0; i < KINFUMOT_N_SUMS; i++)
    __atomic_fetch_add (&round->sums[i], sums[i], __ATOMIC_RELAXED);
}

static void
align_model (const KinfumotWork *w, int model)
{
  KinfumotModel *m = &w->alignments[model].aligned;
  Round round = {m, 0, m->sums};
  KinfumotLoop loop = {w, model, &round};
  KinfumotEigen eigen;

  *m = w->models[model];
  for (int level = 0; level < KINFUMOT_LEVELS; level++) {
    int rows;

    round.stride = kinfumot_stride (level);
    rows = (m->box.y1 - m->box.y0 + round.stride - 1) / round.stride;
    m->settled = false;
    for (int i = 0; i < kinfumot_iterations (level) && !m->settled; i++) {
      memset (m->sums, 0, sizeof m->sums);
      parallel_for (rows, 4, sum_rows, &loop);
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
  for (int m = first; m < last; m++)
    if (w->models[m].active == KINFUMOT_AWAKE)
      w->models[m] = w->alignments[m].aligned;
  return NULL;
}
