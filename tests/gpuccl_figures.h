/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The paper's figure 5 and what sections 3.4 and 3.5 say of times, measured
 * here: labels only, with the loop that the host decides on, unless something
 * else is said.  The correspondence map is one in a file, else the blobs. */
#pragma once

#include "gpuccl_bench.h"

typedef struct {
  uint8_t *pixels; /* 1: outlier */
  int width, height;
} FigureMap;

/* Reads a class map, a binary PGM of 8 bits. */
static inline bool
figure_read (const char *path, FigureMap *m)
{
  FILE *file = fopen (path, "rb");
  size_t n = 0, pixels = 0;

  if (file && fscanf (file, "P5 %d %d 255%*c", &m->width, &m->height) == 2 &&
      m->width > 0 && m->height > 0 && m->width <= GPUCCL_MAX_SIDE &&
      m->height <= GPUCCL_MAX_SIDE) {
    pixels = (size_t) m->width * m->height;
    m->pixels = malloc (pixels);
    n = fread (m->pixels, 1, pixels, file);
  }
  for (size_t i = 0; i < n; i++)
    m->pixels[i] = m->pixels[i] == GPUCCL_POTENTIAL_OUTLIER ||
        m->pixels[i] == GPUCCL_OUTLIER;
  if (file)
    fclose (file);
  return n && n == pixels;
}

static inline FigureMap
figure_map (const char *path)
{
  FigureMap m = {.width = 640, .height = 480};

  if (path) {
    check (figure_read (path, &m));
    return m;
  }
  m.pixels = malloc ((size_t) m.width * m.height);
  gpuccl_image_draw (GPUCCL_BLOBS, m.pixels, m.width, m.height);
  return m;
}

/* The map at another size, by the nearest pixels. */
static inline uint8_t *
figure_scale (const FigureMap *m, int width, int height)
{
  uint8_t *out = malloc ((size_t) width * height);

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      out[(size_t) y * width + x] =
          m->pixels[(size_t) (y * m->height / height) * m->width +
              x * m->width / width];
  return out;
}

static inline void
figure_labels (BenchWork *w, const GpucclFrame *f)
{
  const GpucclStages *s = w->bare.stages;
  const Device *dev = &w->bench->dev;
  GpucclWork *work = &w->bare.work;

  ok (gpuccl_set (work, w->params, f));
  if (w->params->algorithm == GPUCCL_LABEL_EQUIVALENCE)
    ok (s->label_equivalence (dev, work));
  else if (w->params->algorithm == GPUCCL_IMPROVED_LABEL_EQUIVALENCE)
    ok (s->improved (dev, work));
  else
    ok (s->hierarchical (dev, work));
}

static inline void
figure_all (BenchWork *w, const GpucclFrame *f)
{
  figure_labels (w, f);
  ok (w->bare.stages->measure (&w->bench->dev, &w->bare.work));
}

static inline double
figure_time (
    Bench *b, const GpucclParams *p, bool depth, bool host_loop, BenchStep step)
{
  BenchWork w = {.bench = b, .params = p, .depth = depth};
  double us;

  bare_open (&w.bare, &b->dev, b->width, b->height, p->depth_scale);
  w.bare.work.host_loop = host_loop;
  us = bench_time (&w, step, w.bench->n_frames);
  bare_close (&w.bare);
  return us;
}

static inline void
figure_row (DeviceKind kind, const char *name, const uint8_t *map, int side)
{
  GpucclParams p = gpuccl_defaults ();
  Bench b;

  p.filter = GPUCCL_NO_FILTER;
  bench_open (&b, kind, map, side, side);
  printf ("%s,%d", name, side);
  for (int k = GPUCCL_LABEL_EQUIVALENCE; k <= GPUCCL_HIERARCHICAL; k++) {
    p.algorithm = (GpucclAlgorithm) k;
    printf (",%.1f", figure_time (&b, &p, false, false, figure_labels));
  }
  printf ("\n");
  fflush (stdout);
  bench_close (&b);
}

/* Figure 5; on the device that is, the loop too. */
static inline void
figure_5 (DeviceKind kind, const FigureMap *m)
{
  printf ("image,side,label-equivalence us,improved-label-equivalence us,"
          "hierarchical us\n");
  for (int side = 256; side <= 2048; side += 256) {
    uint8_t *map = figure_scale (m, side, side);

    figure_row (kind, "map", map, side);
    gpuccl_image_draw (GPUCCL_CIRCLES, map, side, side);
    figure_row (kind, "circles", map, side);
    gpuccl_image_draw (GPUCCL_SPIRAL, map, side, side);
    figure_row (kind, "spiral", map, side);
    free (map);
  }
}

static inline void
figure_statement (const char *what, const char *paper, double before, double us)
{
  printf ("%s,%s,%.1f,%.1f,%+.1f %%\n", what, paper, before, us,
      100 * (us / before - 1));
}

/* What the paper says of improved label equivalence at 640 x 480. */
static inline void
figure_statements (DeviceKind kind, const FigureMap *m)
{
  uint8_t *map = figure_scale (m, 640, 480);
  GpucclParams p = gpuccl_defaults ();
  double plain, full, loop;
  Bench b;

  p.filter = GPUCCL_NO_FILTER;
  p.algorithm = GPUCCL_IMPROVED_LABEL_EQUIVALENCE;
  bench_open (&b, kind, map, 640, 480);
  plain = figure_time (&b, &p, false, true, figure_labels);
  full = figure_time (&b, &p, true, true, figure_all);
  loop = figure_time (&b, &p, true, true, figure_labels);
  printf ("what,paper,before us,after us,here\n");
  figure_statement ("depth and sums", "+43 %", plain, full);
  figure_statement ("loop on the device", "+10 %", loop,
      figure_time (&b, &p, true, false, figure_labels));
  p.skip_checks = 1;
  figure_statement ("a check left out", "-4.2 %", loop,
      figure_time (&b, &p, true, true, figure_labels));
  p.skip_checks = 2;
  figure_statement ("two left out", "-7.2 %", loop,
      figure_time (&b, &p, true, true, figure_labels));
  bench_close (&b);
  free (map);
}

static inline int
figures (DeviceKind kind, const char *path)
{
  FigureMap m = figure_map (path);

  if (m.pixels && !check_failures) {
    figure_5 (kind, &m);
    figure_statements (kind, &m);
  }
  free (m.pixels);
  return check_failures != 0;
}

/* `--bench [cpu] [size N] [algorithm N]`; the paper's algorithms on the CPU at
 * the larger sizes only where they are asked for.  `--bench [cpu] figures [map
 * FILE]` */
static inline int
bench_all (int argc, char **argv)
{
  DeviceKind kind = device_cuda_probe () ? DEVICE_CPU : DEVICE_CUDA;
  int only_size = -1, only_algorithm = -1;
  const char *map = NULL;
  bool paper = false;

  for (int i = 2; i < argc; i++)
    if (!strcmp (argv[i], "cpu"))
      kind = DEVICE_CPU;
    else if (!strcmp (argv[i], "figures"))
      paper = true;
    else if (!strcmp (argv[i], "map") && i + 1 < argc)
      map = argv[i + 1];
    else if (!strcmp (argv[i], "size") && i + 1 < argc)
      only_size = atoi (argv[i + 1]);
    else if (!strcmp (argv[i], "algorithm") && i + 1 < argc)
      only_algorithm = atoi (argv[i + 1]);
  if (paper)
    return figures (kind, map);
  printf ("device,method,image,size,neighbours,with,components,device us,"
          "wall us,same frame us\n");
  for (int size = 0; size < GPUCCL_N_SIZES; size++)
    for (int image = 0; image < GPUCCL_N_IMAGES; image++)
      if (only_size < 0 || size == only_size)
        bench_image (kind, size, (GpucclImage) image, only_algorithm);
  return check_failures != 0;
}
