/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Maps of one number, or a few, for each pixel: filtered depth, normals,
 * classes, doubt. */
#include <string.h>

#include "common/parallel.h"
#include "common/vectors.h"
#include "kinfumot/kinfumot_classes_core.h"

/* ---- Depth ---- */

/* Of the frame's holes, and of the filter. */
typedef struct {
  const KinfumotOptics *optics;
  const KinfumotInput *input;
  uint16_t *depth;
} DepthLoop;

static void
fill_hole_rows (void *data, int begin, int end)
{
  const DepthLoop *loop = data;
  const int width = loop->optics->width;

  for (int y = begin; y < end; y++)
    for (int x = 0; x < width; x++)
      loop->depth[y * width + x] =
          kinfumot_filled_depth (loop->optics, loop->input, x, y);
}

const char *
kinfumot_fill_cpu (const Device *dev, const KinfumotOptics *optics,
    const KinfumotInput *input, uint16_t *filled)
{
  DepthLoop loop = {optics, input, filled};

  (void) dev;
  parallel_for (optics->height, 8, fill_hole_rows, &loop);
  return NULL;
}

static uint16_t
filter_pixel (
    const KinfumotOptics *optics, const KinfumotInput *input, int x, int y)
{
  uint32_t z = kinfumot_input_depth (input, x, y);
  BilateralMean mean = {0, 0};
  int8_t fraction;
  uint16_t units;

  if (!z)
    return 0;
  bilateral_mean_add (
      &mean, input->weights, bilateral_space_weight (0, 0), z, z);
  for (int dy = 0; dy <= BILATERAL_REACH; dy++)
    for (int dx = dy ? -BILATERAL_REACH : 1; dx <= BILATERAL_REACH; dx++)
      kinfumot_add_neighbours (optics, input, &mean, x, y, dx, dy, z);
  units = bilateral_mean_depth (&mean, z, &fraction);
  return kinfumot_filtered_depth (input, units, fraction);
}

VECTORS_WHOLE static void
filter_depth_rows (void *data, int begin, int end)
{
  const DepthLoop *loop = data;
  const int width = loop->optics->width;

  for (int y = begin; y < end; y++)
    for (int x = 0; x < width; x++)
      loop->depth[y * width + x] =
          filter_pixel (loop->optics, loop->input, x, y);
}

const char *
kinfumot_filter_cpu (const Device *dev, const KinfumotOptics *optics,
    const KinfumotInput *input, uint16_t *depth)
{
  DepthLoop loop = {optics, input, depth};

  (void) dev;
  parallel_for (optics->height, 8, filter_depth_rows, &loop);
  return NULL;
}

typedef struct {
  const KinfumotPoints *points;
  KinfumotNormals *normals;
} NormalsLoop;

static void
set_normal_rows (void *data, int begin, int end)
{
  const NormalsLoop *loop = data;
  const int width = loop->points->optics.width;
  uint32_t n = 0;

  for (int y = begin; y < end; y++)
    for (int x = 0; x < width; x++) {
      Vec v = kinfumot_normal (loop->points, x, y);

      loop->normals->of[y * width + x] = v;
      n += v.x != 0 || v.y != 0 || v.z != 0;
    }
  __atomic_fetch_add (loop->normals->n, n, __ATOMIC_RELAXED);
}

const char *
kinfumot_normals_cpu (
    const Device *dev, const KinfumotPoints *points, KinfumotNormals *normals)
{
  NormalsLoop loop = {points, normals};

  (void) dev;
  *normals->n = 0;
  parallel_for (points->optics.height, 8, set_normal_rows, &loop);
  return NULL;
}

/* ---- Classes ---- */

typedef struct {
  KinfumotCount of[KINFUMOT_MODELS];
} Counts;

static void
clear_count (KinfumotCount *c)
{
  *c = (KinfumotCount){0, 0, INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN,
      {INT32_MAX, INT32_MAX, INT32_MAX}, {INT32_MIN, INT32_MIN, INT32_MIN}};
}

#define KEEP_MIN(a, b) ((a) = (b) < (a) ? (b) : (a))
#define KEEP_MAX(a, b) ((a) = (b) > (a) ? (b) : (a))

static void
add_count (KinfumotCount *to, const KinfumotCount *c)
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
count_pixel (const KinfumotMatching *match, KinfumotCount *c, int model, int at)
{
  const int x = at % match->points.optics.width,
            y = at / match->points.optics.width;
  KinfumotCount pixel = {1, 0, x, y, x + 1, y + 1, {0}, {0}};

  kinfumot_millimetres (
      match, model, kinfumot_point (&match->points, at), pixel.min);
  memcpy (pixel.max, pixel.min, sizeof pixel.max);
  add_count (c, &pixel);
}

#define STRIP_ROWS 16

typedef struct {
  const KinfumotClassifyIn *in;
  uint8_t *classes;
  Counts *strips; /* of each strip of rows */
} ClassifyLoop;

static void
classify_pixel (const ClassifyLoop *loop, int at, Counts *counts)
{
  const KinfumotMatching *match = &loop->in->matching;
  int model, class_ = kinfumot_classify_pixel (loop->in, at, &model);

  loop->classes[2 * at] = (uint8_t) class_;
  loop->classes[2 * at + 1] = (uint8_t) model;
  if (model)
    count_pixel (match, &counts->of[model], model, at);
  for (int m = 1; m < match->n_models && match->points.depth[at]; m++)
    counts->of[m].through +=
        kinfumot_is_through (match, m, kinfumot_point (&match->points, at));
}

static void
classify_strips (void *data, int begin, int end)
{
  const ClassifyLoop *loop = data;
  const KinfumotOptics *optics = &loop->in->matching.points.optics;

  for (int strip = begin; strip < end; strip++) {
    Counts *counts = &loop->strips[strip];
    int last = (strip + 1) * STRIP_ROWS;

    for (int m = 0; m < KINFUMOT_MODELS; m++)
      clear_count (&counts->of[m]);
    last = (last < optics->height ? last : optics->height) * optics->width;
    for (int at = strip * STRIP_ROWS * optics->width; at < last; at++)
      classify_pixel (loop, at, counts);
  }
}

const char *
kinfumot_classify_cpu (const Device *dev, const KinfumotClassifyIn *in,
    uint8_t *classes, KinfumotCount *counts)
{
  Counts strips[KINFUMOT_MAX_SIDE / STRIP_ROWS];
  ClassifyLoop loop = {in, classes, strips};
  int n = (in->matching.points.optics.height + STRIP_ROWS - 1) / STRIP_ROWS;

  (void) dev;
  parallel_for (n, 1, classify_strips, &loop);
  for (int m = 0; m < KINFUMOT_MODELS; m++) {
    clear_count (&counts[m]);
    for (int i = 0; i < n; i++)
      add_count (&counts[m], &strips[i].of[m]);
  }
  return NULL;
}

typedef struct {
  const KinfumotPoints *points;
  uint8_t *grown, *classes;
} GrowLoop;

static void
find_touching_pixels (void *data, int begin, int end)
{
  const GrowLoop *loop = data;

  for (int at = begin; at < end; at++)
    loop->grown[at] =
        (uint8_t) kinfumot_touched_object (loop->points, loop->classes, at);
}

static void
grow_pixels (void *data, int begin, int end)
{
  const GrowLoop *loop = data;

  for (int at = begin; at < end; at++)
    kinfumot_grow_pixel (loop->grown[at], loop->classes + 2 * at);
}

const char *
kinfumot_grow_cpu (const Device *dev, const KinfumotPoints *points,
    uint8_t *grown, uint8_t *classes)
{
  GrowLoop loop = {points, grown, classes};
  const int n = kinfumot_n_pixels (&points->optics);

  (void) dev;
  parallel_for (n, 4096, find_touching_pixels, &loop);
  parallel_for (n, 4096, grow_pixels, &loop);
  return NULL;
}

typedef struct {
  const KinfumotMatching *matching;
  int model;
  uint8_t *classes;
} AdoptLoop;

static void
adopt_pixels (void *data, int begin, int end)
{
  const AdoptLoop *loop = data;

  for (int at = begin; at < end; at++)
    kinfumot_adopt_pixel (
        loop->matching, loop->model, at, loop->classes + 2 * at);
}

const char *
kinfumot_adopt_cpu (const Device *dev, const KinfumotMatching *matching,
    int model, uint8_t *classes)
{
  AdoptLoop loop = {matching, model, classes};

  (void) dev;
  parallel_for (
      kinfumot_n_pixels (&matching->points.optics), 4096, adopt_pixels, &loop);
  return NULL;
}

/* ---- Doubt ---- */

typedef struct {
  const KinfumotMatching *matching;
  const Vec *normals;
  bool is_new;
  uint8_t *shifted;
  float *usual;
  uint8_t *doubted;
} DoubtLoop;

static void
find_tile_shift (const DoubtLoop *loop, int tile)
{
  const KinfumotOptics *optics = &loop->matching->points.optics;
  const int x0 = tile % optics->tiles_x * KINFUMOT_TILE,
            y0 = tile / optics->tiles_x * KINFUMOT_TILE;
  KinfumotShift sum = {0, 0, 0};

  for (int y = y0; y < y0 + KINFUMOT_TILE && y < optics->height; y++)
    for (int x = x0; x < x0 + KINFUMOT_TILE && x < optics->width; x++) {
      KinfumotShift s = kinfumot_pixel_shift (
          loop->matching, loop->normals, y * optics->width + x);

      sum.before += s.before;
      sum.limit += s.limit;
      sum.n += s.n;
    }
  loop->shifted[tile] =
      kinfumot_tile_shifted (&sum, loop->is_new, &loop->usual[tile]);
}

static void
find_tile_shifts (void *data, int begin, int end)
{
  for (int tile = begin; tile < end; tile++)
    find_tile_shift (data, tile);
}

static void
doubt_pixels (void *data, int begin, int end)
{
  const DoubtLoop *loop = data;

  for (int i = begin; i < end; i++)
    loop->doubted[i] =
        kinfumot_doubted (&loop->matching->points.optics, loop->shifted, i);
}

const char *
kinfumot_doubt_cpu (const Device *dev, const KinfumotMatching *matching,
    const Vec *normals, bool is_new, uint8_t *shifted, float *usual,
    uint8_t *doubted)
{
  DoubtLoop loop = {matching, normals, is_new, shifted, usual, doubted};
  const KinfumotOptics *optics = &matching->points.optics;

  (void) dev;
  parallel_for (optics->tiles_x * optics->tiles_y, 64, find_tile_shifts, &loop);
  parallel_for (
      (kinfumot_n_pixels (optics) + 7) / 8, 4096, doubt_pixels, &loop);
  return NULL;
}
