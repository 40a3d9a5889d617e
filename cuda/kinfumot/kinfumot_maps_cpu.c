/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is one number, or a few, for each pixel: filtered depth, normals,
 * classes. */
#include "common/parallel.h"
#include "common/vectors.h"
#include "kinfumot/kinfumot_classes_core.h"
#include "kinfumot/kinfumot_cpu.h"

/* ---- Depth ---- */

static uint16_t
smooth (const KinfumotWork *w, int x, int y)
{
  uint32_t z = kinfumot_input (w, x, y);
  BilateralMean mean = {0, 0};
  int8_t fraction;
  uint16_t units;

  if (!z)
    return 0;
  bilateral_mean_add (&mean, w->range, bilateral_space_weight (0, 0), z, z);
  for (int dy = 0; dy <= BILATERAL_REACH; dy++)
    for (int dx = dy ? -BILATERAL_REACH : 1; dx <= BILATERAL_REACH; dx++)
      kinfumot_add_neighbours (w, &mean, x, y, dx, dy, z);
  units = bilateral_mean_depth (&mean, z, &fraction);
  return kinfumot_units (w, units, fraction);
}

VECTORS_WHOLE static void
filter_rows (void *data, int begin, int end)
{
  const KinfumotWork *w = ((const KinfumotLoop *) data)->w;

  for (int y = begin; y < end; y++)
    for (int x = 0; x < w->width; x++)
      w->now.depth[y * w->width + x] = smooth (w, x, y);
}

const char *
kinfumot_filter_cpu (const Device *dev, const KinfumotWork *w)
{
  KinfumotLoop loop = {w, 0, NULL};

  (void) dev;
  parallel_for (w->height, 8, filter_rows, &loop);
  return NULL;
}

static void
normal_rows (void *data, int begin, int end)
{
  const KinfumotLoop *loop = data;
  const KinfumotWork *w = loop->w;
  uint32_t n = 0;

  for (int y = begin; y < end; y++)
    for (int x = 0; x < w->width; x++) {
      Vec v = kinfumot_normal (w, x, y);

      w->normals[y * w->width + x] = v;
      n += v.x != 0 || v.y != 0 || v.z != 0;
    }
  __atomic_fetch_add (&w->pool->n_points, n, __ATOMIC_RELAXED);
}

const char *
kinfumot_normals_cpu (const Device *dev, const KinfumotWork *w)
{
  KinfumotLoop loop = {w, 0, NULL};

  (void) dev;
  w->pool->n_points = 0;
  parallel_for (w->height, 8, normal_rows, &loop);
  return NULL;
}

/* ---- Classes ---- */

typedef struct {
  KinfumotCount of[KINFUMOT_MODELS];
} Counts;

static void
count_clear (KinfumotCount *c)
{
  *c = (KinfumotCount){.x0 = INT32_MAX,
      .y0 = INT32_MAX,
      .x1 = INT32_MIN,
      .y1 = INT32_MIN,
      .min = {INT32_MAX, INT32_MAX, INT32_MAX},
      .max = {INT32_MIN, INT32_MIN, INT32_MIN}};
}

#define KEEP_MIN(a, b) ((a) = (b) < (a) ? (b) : (a))
#define KEEP_MAX(a, b) ((a) = (b) > (a) ? (b) : (a))

static void
count_pixel (const KinfumotWork *w, KinfumotCount *c, int model, int at)
{
  int x = at % w->width, y = at / w->width, mm[3];

  c->matched++;
  KEEP_MIN (c->x0, x);
  KEEP_MIN (c->y0, y);
  KEEP_MAX (c->x1, x + 1);
  KEEP_MAX (c->y1, y + 1);
  kinfumot_millimetres (w, model, kinfumot_point (w, at), mm);
  for (int i = 0; i < 3; i++) {
    KEEP_MIN (c->min[i], mm[i]);
    KEEP_MAX (c->max[i], mm[i]);
  }
}

static void
count_add (KinfumotCount *to, const KinfumotCount *c)
{
  to->matched += c->matched;
  to->through += c->through;
  KEEP_MIN (to->x0, c->x0);
  KEEP_MIN (to->y0, c->y0);
  KEEP_MAX (to->x1, c->x1);
  KEEP_MAX (to->y1, c->y1);
  for (int i = 0; i < 3; i++) {
    KEEP_MIN (to->min[i], c->min[i]);
    KEEP_MAX (to->max[i], c->max[i]);
  }
}

static void
classify_pixel (const KinfumotWork *w, int at, Counts *counts)
{
  int model, class_ = kinfumot_classify (w, at, &model);

  w->now.classes[2 * at] = (uint8_t) class_;
  w->now.classes[2 * at + 1] = (uint8_t) model;
  if (model)
    count_pixel (w, &counts->of[model], model, at);
  for (int m = 1; m < w->n_models && w->now.depth[at]; m++)
    counts->of[m].through += kinfumot_is_through (w, m, kinfumot_point (w, at));
}

/* @more: the counts of each stretch of rows. */
#define ROWS 16

static void
classify_rows (void *data, int begin, int end)
{
  const KinfumotLoop *loop = data;

  for (int strip = begin; strip < end; strip++) {
    Counts *counts = (Counts *) loop->more + strip;
    int last = (strip + 1) * ROWS;

    for (int m = 0; m < KINFUMOT_MODELS; m++)
      count_clear (&counts->of[m]);
    last = last < loop->w->height ? last : loop->w->height;
    for (int at = strip * ROWS * loop->w->width; at < last * loop->w->width;
         at++)
      classify_pixel (loop->w, at, counts);
  }
}

const char *
kinfumot_classify_cpu (const Device *dev, const KinfumotWork *w)
{
  Counts counts[KINFUMOT_MAX_SIDE / ROWS];
  KinfumotLoop loop = {w, 0, counts};
  int strips = (w->height + ROWS - 1) / ROWS;

  (void) dev;
  parallel_for (strips, 1, classify_rows, &loop);
  for (int m = 0; m < KINFUMOT_MODELS; m++) {
    count_clear (&w->counts[m]);
    for (int i = 0; i < strips; i++)
      count_add (&w->counts[m], &counts[i].of[m]);
  }
  return NULL;
}

static void
touch_pixels (void *data, int begin, int end)
{
  const KinfumotWork *w = ((const KinfumotLoop *) data)->w;

  for (int at = begin; at < end; at++)
    w->grown[at] = (uint8_t) kinfumot_touching (w, at);
}

static void
grow_pixels (void *data, int begin, int end)
{
  const KinfumotWork *w = ((const KinfumotLoop *) data)->w;

  for (int at = begin; at < end; at++)
    kinfumot_grow (w, at);
}

const char *
kinfumot_grow_cpu (const Device *dev, const KinfumotWork *w)
{
  KinfumotLoop loop = {w, 0, NULL};

  (void) dev;
  parallel_for (w->width * w->height, 4096, touch_pixels, &loop);
  parallel_for (w->width * w->height, 4096, grow_pixels, &loop);
  return NULL;
}

static void
adopt_pixels (void *data, int begin, int end)
{
  const KinfumotLoop *loop = data;

  for (int at = begin; at < end; at++)
    kinfumot_adopt (loop->w, loop->model, at);
}

const char *
kinfumot_adopt_cpu (const Device *dev, const KinfumotWork *w, int model)
{
  KinfumotLoop loop = {w, model, NULL};

  (void) dev;
  parallel_for (w->width * w->height, 4096, adopt_pixels, &loop);
  return NULL;
}

/* ---- Doubt ---- */

static void
shift_tile (const KinfumotWork *w, int tile)
{
  const int x0 = tile % w->tiles_x * KINFUMOT_TILE,
            y0 = tile / w->tiles_x * KINFUMOT_TILE;
  KinfumotShift sum = {0, 0, 0};

  for (int y = y0; y < y0 + KINFUMOT_TILE && y < w->height; y++)
    for (int x = x0; x < x0 + KINFUMOT_TILE && x < w->width; x++) {
      KinfumotShift s = kinfumot_shift_of (w, y * w->width + x);

      sum.before += s.before;
      sum.limit += s.limit;
      sum.n += s.n;
    }
  kinfumot_shift (w, tile, &sum);
}

static void
shift_tiles (void *data, int begin, int end)
{
  for (int tile = begin; tile < end; tile++)
    shift_tile (((const KinfumotLoop *) data)->w, tile);
}

static void
doubt_pixels (void *data, int begin, int end)
{
  for (int i = begin; i < end; i++)
    kinfumot_doubt (((const KinfumotLoop *) data)->w, i);
}

const char *
kinfumot_doubt_cpu (const Device *dev, const KinfumotWork *w)
{
  KinfumotLoop loop = {w, 0, NULL};

  (void) dev;
  parallel_for (w->tiles_x * w->tiles_y, 64, shift_tiles, &loop);
  parallel_for ((w->width * w->height + 7) / 8, 4096, doubt_pixels, &loop);
  return NULL;
}
