/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the models look like from the camera (2.1). */
#include <string.h>

#include "common/parallel.h"
#include "common/vectors.h"
#include "kinfumot/kinfumot_cast_core.h"
#include "kinfumot/kinfumot_cpu.h"
#include "kinfumot/kinfumot_fuse_core.h"

/* ---- Ranges ---- */

static void
add_brick (const KinfumotWork *w, uint64_t key)
{
  int model = kinfumot_key_model (key);
  ImageBox tiles;
  float near, far;
  uint32_t from;

  if (!kinfumot_brick_in_view (w, key) ||
      !kinfumot_brick_range (w, key, &tiles, &near, &far))
    return;
  memcpy (&from, &near, sizeof from);
  for (int y = tiles.y0; y < tiles.y1; y++)
    for (int x = tiles.x0; x < tiles.x1; x++) {
      int at = y * w->tiles_x + x;

      if (~from > w->near[model][at])
        w->near[model][at] = ~from;
      w->slices[model][at] |= kinfumot_slices (near, far);
    }
}

const char *
kinfumot_ranges_cpu (
    const Device *dev, const KinfumotWork *w, int first, int last)
{
  size_t tiles = (size_t) w->tiles_x * w->tiles_y;

  (void) dev;
  for (int m = first; m < last; m++)
    if (w->models[m].active) {
      memset (w->near[m], 0, tiles * sizeof *w->near[m]);
      memset (w->slices[m], 0, tiles * sizeof *w->slices[m]);
    }
  for (uint32_t i = 0; i < w->grid.max_bricks; i++) {
    uint64_t key = w->grid.owner[i];
    int model = kinfumot_key_model (key);

    if (key && model >= first && model < last && w->models[model].active)
      add_brick (w, key);
  }
  return NULL;
}

/* ---- Rays ---- */

static void
cast_tile (const KinfumotWork *w, int model, int tx, int ty)
{
  uint32_t from = ~w->near[model][ty * w->tiles_x + tx];
  uint64_t slices = w->slices[model][ty * w->tiles_x + tx];
  float near;

  memcpy (&near, &from, sizeof near);
  for (int y = ty * KINFUMOT_TILE;
       y < (ty + 1) * KINFUMOT_TILE && y < w->height; y++)
    for (int x = tx * KINFUMOT_TILE;
         x < (tx + 1) * KINFUMOT_TILE && x < w->width; x++) {
      int at = y * w->width + x;

      w->views[model][at].depth =
          slices ? kinfumot_cast (w, model, at, near, slices) : 0;
    }
}

VECTORS_WHOLE static void
cast_rows (void *data, int begin, int end)
{
  const KinfumotLoop *loop = data;

  for (int y = begin; y < end; y++)
    for (int x = 0; x < loop->w->tiles_x; x++)
      cast_tile (loop->w, loop->model, x, y);
}

static void
normal_rows (void *data, int begin, int end)
{
  const KinfumotLoop *loop = data;
  const KinfumotWork *w = loop->w;

  for (int at = begin * w->width; at < end * w->width; at++)
    kinfumot_view_normal (w, loop->model, at);
}

const char *
kinfumot_cast_cpu (
    const Device *dev, const KinfumotWork *w, int first, int last)
{
  KinfumotLoop loop = {w, 0, NULL};

  (void) dev;
  for (int m = first; m < last; m++)
    if (w->models[m].active) {
      loop.model = m;
      parallel_for (w->tiles_y, 1, cast_rows, &loop);
      parallel_for (w->height, 16, normal_rows, &loop);
    }
  return NULL;
}

/* ---- Pictures ---- */

typedef struct {
  uint8_t *rgb;
  float *normals;
  size_t rgb_stride, normals_stride;
} Pictures;

static void
draw_rows (void *data, int begin, int end)
{
  const KinfumotLoop *loop = data;
  const KinfumotWork *w = loop->w;
  const Pictures *p = loop->more;

  for (int y = begin; y < end; y++)
    for (int x = 0; x < w->width; x++) {
      int at = y * w->width + x;

      if (p->rgb)
        kinfumot_shade (w, at, p->rgb + y * p->rgb_stride + 3 * x);
      if (p->normals)
        kinfumot_normal_shown (w, at,
            (float *) ((uint8_t *) p->normals + y * p->normals_stride) + 3 * x);
    }
}

const char *
kinfumot_draw_cpu (const Device *dev, const KinfumotWork *w, uint8_t *rgb,
    size_t rgb_stride, float *normals, size_t normals_stride)
{
  Pictures pictures = {rgb, normals, rgb_stride, normals_stride};
  KinfumotLoop loop = {w, 0, &pictures};

  (void) dev;
  parallel_for (w->height, 16, draw_rows, &loop);
  return NULL;
}
