/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The alignment of a model: iterations over every fourth pixel of every fourth
 * row, then every second, then all. */
#include <string.h>

#include "common/parallel.h"
#include "kinfumot/kinfumot_align_core.h"
#include "kinfumot/kinfumot_cpu.h"

typedef struct {
  const KinfumotModel *m; /* as it is by now */
  int stride;
  int64_t *sums;
} Round;

/* To the sums of all threads. */
static void
add_sums (const Round *round, const int64_t sums[KINFUMOT_N_SUMS])
{
  for (int i = 0; i < KINFUMOT_N_SUMS; i++)
    __atomic_fetch_add (&round->sums[i], sums[i], __ATOMIC_RELAXED);
}

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
      kinfumot_add_surface (w, loop->model, round->m, y * w->width + x, sums);
  }
  add_sums (round, sums);
}

static void
sum_ends (void *data, int begin, int end)
{
  const KinfumotLoop *loop = data;
  const Round *round = loop->more;
  int64_t sums[KINFUMOT_N_SUMS] = {0};

  for (int i = begin; i < end; i++)
    kinfumot_add_end (
        loop->w, loop->model, round->m, round->stride, loop->w->ends[i], sums);
  add_sums (round, sums);
}

/* Lists the ends of the surfaces in some rows. */
static void
list_ends (void *data, int begin, int end)
{
  const KinfumotWork *w = data;

  for (int at = begin * w->width; at < end * w->width; at++)
    for (int side = 0; side < KINFUMOT_SIDES; side++)
      if (kinfumot_is_end (w, at, side))
        w->ends[__atomic_fetch_add (&w->pool->n_ends, 1, __ATOMIC_RELAXED)] =
            (uint32_t) (KINFUMOT_SIDES * at + side);
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
      if (model)
        parallel_for ((int) w->pool->n_ends, 256, sum_ends, &loop);
      kinfumot_iterate (m, &eigen, 0, 1);
    }
  }
}

const char *
kinfumot_align_cpu (
    const Device *dev, const KinfumotWork *w, int first, int last)
{
  (void) dev;
  w->pool->n_ends = 0;
  if (last > 1)
    parallel_for (w->height, 0, list_ends, (void *) w);
  for (int m = first; m < last; m++)
    if (w->models[m].active == KINFUMOT_AWAKE)
      align_model (w, m);
  for (int m = first; m < last; m++)
    if (w->models[m].active == KINFUMOT_AWAKE)
      w->models[m] = w->alignments[m].aligned;
  return NULL;
}
