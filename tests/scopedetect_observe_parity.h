/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Observation on both backends: pixels, table, points with their features, and
 * segments are the same, byte for byte. */
#pragma once

#include "scopedetect/scopedetect_self.h"
#include "scopedetect_solid.h"

/* One backend's detector and its copy of a frame. */
typedef struct {
  Device dev;
  Scopedetect *s;
  ScopedetectFrame frame;
  uint16_t *depth;
  Image color;
} Side;

static inline void
side_open (Side *side, DeviceKind kind, int width, int height, int stride,
    ScopedetectModel *model)
{
  memset (side, 0, sizeof *side);
  ok (device_open (&side->dev, kind, NULL));
  ok (scopedetect_new (&side->s, &side->dev, width, height,
      (const ScopedetectModel *const *) &model, 1));
  ok (device_alloc (
      &side->dev, (void **) &side->depth, (size_t) stride * (size_t) height));
  side->frame = (ScopedetectFrame){width, height, side->depth, stride, NULL};
}

static inline void
side_close (Side *side)
{
  scopedetect_free (side->s);
  device_release (&side->dev, side->depth);
  for (int p = 0; p < 3; p++)
    device_release (&side->dev, side->color.plane[p]);
  device_close (&side->dev);
}

/* Observes @depth and @color, which may be NULL. */
static inline void
side_observe (Side *side, const ScopedetectParams *p, const uint16_t *depth,
    const Image *color)
{
  ScopedetectFrame *f = &side->frame;

  ok (device_copy (&side->dev, side->depth, depth,
      (size_t) f->depth_stride * (size_t) f->height));
  f->color = NULL;
  if (color) {
    for (int k = 0; k < 3; k++)
      device_release (&side->dev, side->color.plane[k]);
    side->color = *color;
    for (int k = 0; k < image_planes (color->format); k++) {
      size_t bytes = (size_t) color->stride[k] *
          (size_t) image_rows (color->format, color->height, k);

      ok (device_alloc (&side->dev, (void **) &side->color.plane[k], bytes));
      ok (device_copy (
          &side->dev, side->color.plane[k], color->plane[k], bytes));
    }
    f->color = &side->color;
  }
  ok (scopedetect_begin (side->s, p, f));
  ok (device_wait (&side->dev));
}

static inline void
same_bytes (const Side *gpu, const char *what, const void *theirs,
    const void *ours, size_t n, size_t size)
{
  uint8_t *copy = malloc (n * size + 1);
  size_t off = 0;

  ok (device_copy (&gpu->dev, copy, theirs, n * size));
  ok (device_wait (&gpu->dev));
  for (size_t i = 0; i < n; i++)
    off +=
        memcmp (copy + i * size, (const uint8_t *) ours + i * size, size) != 0;
  if (off)
    printf ("%s: %zu of %zu differ\n", what, off, n);
  check (off == 0);
  free (copy);
}

#define SAME(field, n) \
 same_bytes (gpu, #field, a->field, b->field, (size_t) (n), sizeof *a->field)

static inline void
same_observation (const Side *gpu, const Side *cpu)
{
  const ScopedetectWork *a = &gpu->s->work, *b = &cpu->s->work;
  int pixels = a->scene.width * a->scene.height, n = a->cloud.n;
  ScopedetectCounts c;

  ok (device_copy (&gpu->dev, &c, a->counts, sizeof c));
  ok (device_wait (&gpu->dev));
  check (c.has_table == b->counts->has_table);
  check (!c.has_table || !memcmp (c.table, b->counts->table, sizeof c.table));
  check (c.n_points == b->counts->n_points && c.n_points == n);
  check (c.n_left_out == b->counts->n_left_out);
  check (a->n_queries == b->n_queries && a->query_step == b->query_step);
  SAME (scene.z, pixels);
  SAME (scene.pixel, pixels);
  check (n == b->cloud.n);
  if (n != b->cloud.n)
    return;
  SAME (cloud.x, n);
  SAME (cloud.normal, n);
  SAME (cloud.lab, n);
  SAME (cloud.grid.start, a->cloud.grid.mask + 2);
  SAME (cloud.grid.list, n);
  SAME (cloud.pc1, n);
  SAME (cloud.pc2, n);
  SAME (cloud.frame, n);
  SAME (cloud.spfh, (size_t) n * SCOPEDETECT_ROW);
  SAME (cloud.fpfh, (size_t) n * SCOPEDETECT_BINS);
  SAME (cloud.code, (size_t) n * SCOPEDETECT_CODE);
  if (!a->has_segments)
    return;
  SAME (label, pixels);
  SAME (segment, a->lattice.width * a->lattice.height);
}

/* A colour image of @format, of smooth colours with noise. */
static inline Image
parity_color (ImageFormat format, int width, int height)
{
  Image img = {.width = width,
      .height = height,
      .format = format,
      .matrix = IMAGE_BT709};

  for (int p = 0; p < image_planes (format); p++) {
    int bytes = image_row_bytes (format, width, p);
    int rows = image_rows (format, height, p);

    img.stride[p] = bytes + 5;
    img.plane[p] = calloc ((size_t) img.stride[p], (size_t) rows);
    for (int y = 0; y < rows; y++)
      for (int x = 0; x < bytes; x++)
        img.plane[p][y * img.stride[p] + x] =
            (uint8_t) (x / 5 * 7 + y / 9 * 31 + (int) rnd (9));
  }
  return img;
}

static inline void
parity_free (Image *img)
{
  for (int p = 0; p < 3; p++)
    free (img->plane[p]);
}

static inline ScopedetectParams
parity_params (void)
{
  ScopedetectParams p = solid_params (SCOPEDETECT_THESIS);

  p.queries = 0;
  p.fold_edge = .3;
  p.table_low = .005;
  return p;
}

/* A solid on a table, with a sensor's noise; the same without the table, with
 * colours in some formats, other passes of blurring, and without a plane. */
static inline void
parity_solid (Side *gpu, Side *cpu)
{
  static const ImageFormat formats[] = {IMAGE_RGB, IMAGE_NV12, IMAGE_GRAY8};
  static uint16_t depth[SOLID_WIDTH * SOLID_HEIGHT];

  for (int k = 0; k < 6; k++) {
    Pose truth = solid_pose (.7 + k, .02 * k, .5);
    ScopedetectParams p = parity_params ();
    Image color = {.width = 0};

    memset (depth, 0, sizeof depth);
    solid_draw (depth, 2 * SOLID_WIDTH, truth);
    if (k != 1)
      solid_table (depth, 2 * SOLID_WIDTH, truth);
    for (int i = 0; i < SOLID_WIDTH * SOLID_HEIGHT; i++)
      if (depth[i])
        depth[i] = rnd (50) ? (uint16_t) (depth[i] + rnd (21)) : 0;
    if (k < 3)
      color = parity_color (formats[k], SOLID_WIDTH, SOLID_HEIGHT);
    p.table = k != 2;
    p.edge_blur = (const int[]){6, 0, 1, 8, 9, 16}[k];
    p.seed = check_seed + (uint64_t) k;
    if (k == 5)
      p.align = 0, p.weight[SCOPEDETECT_AFFINITY] = 0;
    side_observe (gpu, &p, depth, k < 3 ? &color : NULL);
    side_observe (cpu, &p, depth, k < 3 ? &color : NULL);
    same_observation (gpu, cpu);
    check (cpu->s->work.cloud.n > 100);
    check (k == 1 || k == 2 || cpu->s->work.counts->has_table);
    parity_free (&color);
  }
}

/* Nothing, only what is too far, only the table, noise, four pixels. */
static inline void
parity_nothing (Side *gpu, Side *cpu)
{
  static uint16_t depth[SOLID_WIDTH * SOLID_HEIGHT];

  for (int what = 0; what < 5; what++) {
    ScopedetectParams p = parity_params ();

    memset (depth, what == 1 ? 255 : 0, sizeof depth);
    if (what == 2)
      solid_table (depth, 2 * SOLID_WIDTH, solid_pose (0, 0, .5));
    for (int i = 0; i < SOLID_WIDTH * SOLID_HEIGHT && what == 3; i++)
      depth[i] = (uint16_t) rnd (65536);
    if (what == 4)
      depth[100] = depth[101] = depth[421] = depth[422] = 5000;
    side_observe (gpu, &p, depth, NULL);
    side_observe (cpu, &p, depth, NULL);
    same_observation (gpu, cpu);
  }
}

/* Frames of odd and tiny sizes, with padded rows; and one with more cells than
 * there is room for points. */
static inline void
parity_sizes (ScopedetectModel *model)
{
  static const int sizes[][2] = {
      {1, 1}, {1, 50}, {77, 1}, {2, 3}, {61, 47}, {401, 399}};

  for (int k = 0; k < 6; k++) {
    int width = sizes[k][0], height = sizes[k][1], stride = 2 * width + 6;
    uint16_t *depth = calloc ((size_t) height, (size_t) stride);
    Image color = parity_color (IMAGE_I420, width, height);
    ScopedetectParams p = parity_params ();
    Side gpu, cpu;

    p.table = k == 4;
    p.normal_radius = .1;
    for (int i = 0; i < height * stride / 2; i++)
      depth[i] = (uint16_t) (5000 + rnd (k == 5 ? 10000 : 60));
    side_open (&gpu, DEVICE_CUDA, width, height, stride, model);
    side_open (&cpu, DEVICE_CPU, width, height, stride, model);
    side_observe (&gpu, &p, depth, &color);
    side_observe (&cpu, &p, depth, &color);
    same_observation (&gpu, &cpu);
    check ((cpu.s->work.counts->n_left_out > 0) == (k == 5));
    side_close (&gpu);
    side_close (&cpu);
    parity_free (&color);
    free (depth);
  }
}

static inline void
test_observe_parity (DeviceKind kind)
{
  ScopedetectModel *model = solid_model (.004);
  Side gpu, cpu;

  (void) kind;
  side_open (
      &gpu, DEVICE_CUDA, SOLID_WIDTH, SOLID_HEIGHT, 2 * SOLID_WIDTH, model);
  side_open (
      &cpu, DEVICE_CPU, SOLID_WIDTH, SOLID_HEIGHT, 2 * SOLID_WIDTH, model);
  parity_solid (&gpu, &cpu);
  parity_nothing (&gpu, &cpu);
  side_close (&gpu);
  side_close (&cpu);
  parity_sizes (model);
  scopedetect_model_free (model);
}
