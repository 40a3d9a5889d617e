/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What gpuccl costs on the images of gpuccl_images.h: the device's time, and
 * the time from a frame to its results.  With depth: a slanted plane, whose
 * every link has to be looked at.  Frames are copies, rotated over more memory
 * than any cache holds; the last column is of one and the same frame, as the
 * peers' times are.  The median of batches, of fewer where they take long. */
#include "seconds.h"
#include "gpuccl_bare.h"
#include "gpuccl_images.h"

/* ---- A method on an image ---- */

#define BENCH_BYTES (512u << 20)
#define BENCH_MAX_FRAMES 256
#define BENCH_BATCHES 9

typedef struct {
  Device dev;
  DeviceTimer timer;
  GpucclFrame frames[BENCH_MAX_FRAMES];
  void *maps[BENCH_MAX_FRAMES], *depths[BENCH_MAX_FRAMES];
  int n_frames, width, height;
} Bench;

static uint16_t *
bench_depth (int width, int height)
{
  uint16_t *z = malloc ((size_t) width * height * sizeof *z);

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      z[(size_t) y * width + x] = (uint16_t) (1000 + 2 * x + y);
  return z;
}

/* Frames of @map, which is 1 at outliers. */
static void
bench_open (
    Bench *b, DeviceKind kind, const uint8_t *map, int width, int height)
{
  size_t pixels = (size_t) width * height;
  uint8_t *classes = malloc (pixels);
  uint16_t *depth = bench_depth (width, height);
  int room = kind == DEVICE_CUDA ? (int) (BENCH_BYTES / (3 * pixels)) : 4;

  *b = (Bench){.width = width, .height = height};
  b->n_frames = room < BENCH_MAX_FRAMES ? room : BENCH_MAX_FRAMES;
  for (size_t i = 0; i < pixels; i++)
    classes[i] = map[i] ? GPUCCL_OUTLIER : GPUCCL_INLIER;
  ok (device_open (&b->dev, kind, NULL));
  for (int i = 0; i < b->n_frames; i++) {
    ok (device_alloc (&b->dev, &b->maps[i], pixels));
    ok (device_alloc (&b->dev, &b->depths[i], 2 * pixels));
    ok (device_copy (&b->dev, b->maps[i], classes, pixels));
    ok (device_copy (&b->dev, b->depths[i], depth, 2 * pixels));
    b->frames[i] = (GpucclFrame){.width = width,
        .height = height,
        .map = b->maps[i],
        .map_stride = width,
        .map_step = 1,
        .depth = b->depths[i],
        .depth_stride = 2 * width};
  }
  ok (device_wait (&b->dev));
  free (classes);
  free (depth);
}

static void
bench_open_image (
    Bench *b, DeviceKind kind, GpucclImage image, int width, int height)
{
  uint8_t *map = malloc ((size_t) width * height);

  gpuccl_image_draw (image, map, width, height);
  bench_open (b, kind, map, width, height);
  free (map);
}

static void
bench_close (Bench *b)
{
  for (int i = 0; i < b->n_frames; i++) {
    device_release (&b->dev, b->maps[i]);
    device_release (&b->dev, b->depths[i]);
  }
  device_timer_free (&b->timer);
  device_close (&b->dev);
}

AUTO_FREE (Bench, bench_close)

/* A frame's work. */
typedef struct {
  Bench *bench;
  const GpucclParams *params;
  bool depth;
  Gpuccl *g;       /* for the next two */
  GpucclResults r; /* of bench_whole */
  Bare bare;       /* for stages alone */
} BenchWork;

typedef void (*BenchStep) (BenchWork *w, const GpucclFrame *f);

static void
bench_queued (BenchWork *w, const GpucclFrame *f)
{
  ok (gpuccl_queue (w->g, w->params, f));
}

static void
bench_whole (BenchWork *w, const GpucclFrame *f)
{
  ok (gpuccl_run (w->g, w->params, f, &w->r));
}

/* Microseconds a frame, of @n_frames that are rotated. */
static double
bench_time (BenchWork *w, BenchStep step, int n_frames)
{
  Bench *b = w->bench;
  double times[BENCH_BATCHES], total = 0;
  int at = 0, n = 0;
  int frames =
      b->dev.kind == DEVICE_CUDA ? 100 : 1 + 2000000 / (b->width * b->height);

  for (int batch = -1; batch < BENCH_BATCHES && total < 2; batch++) {
    double seconds = 0;

    ok (device_timer_begin (&b->dev, &b->timer));
    for (int i = 0; i < frames; i++, at = (at + 1) % n_frames) {
      GpucclFrame f = b->frames[at];

      f.depth = w->depth ? f.depth : NULL;
      step (w, &f);
    }
    ok (device_timer_end (&b->dev, &b->timer, &seconds));
    if (batch < 0)
      continue;
    times[n++] = 1e6 * seconds / frames;
    total += seconds;
  }
  return bench_median (times, n);
}

/* Prints a row, and returns how many components were found. */
static uint32_t
bench_row (Bench *b, GpucclImage image, const char *method,
    const GpucclParams *p, bool depth)
{
  BenchWork w = {.bench = b, .params = p, .depth = depth};
  double wall, same, device;

  ok (gpuccl_new (&w.g, &b->dev, b->width, b->height));
  wall = bench_time (&w, bench_whole, b->n_frames);
  same = bench_time (&w, bench_whole, 1);
  device = bench_time (&w, bench_queued, b->n_frames);
  printf ("%s,%s,%s,%dx%d,%d,%s,%u,%.1f,%.1f,%.1f\n",
      b->dev.kind == DEVICE_CUDA ? "cuda" : "cpu", method,
      gpuccl_image_names[image], b->width, b->height, p->connectivity,
      depth ? "depth" : "mask", w.r.n_labels, device, wall, same);
  fflush (stdout);
  gpuccl_free (w.g);
  return w.r.n_labels;
}

static void
bench_filter (BenchWork *w, const GpucclFrame *f)
{
  ok (gpuccl_set_work (&w->bare.work, w->params, f));
  ok (w->bare.stages->filter (&w->bench->dev, &w->bare.work));
}

static void
bench_filter_and_wait (BenchWork *w, const GpucclFrame *f)
{
  bench_filter (w, f);
  ok (device_wait (&w->bench->dev));
}

/* The filter of all pixels. */
static void
bench_filter_row (Bench *b)
{
  GpucclParams p = gpuccl_defaults ();
  BenchWork w = {.bench = b, .params = &p, .depth = true};
  double wall, device;

  bare_open (&w.bare, &b->dev, b->width, b->height, p.depth_scale);
  for (int i = 0; i < b->n_frames; i++)
    b->frames[i].source = GPUCCL_DEPTH_ONLY;
  wall = bench_time (&w, bench_filter_and_wait, b->n_frames);
  device = bench_time (&w, bench_filter, b->n_frames);
  for (int i = 0; i < b->n_frames; i++)
    b->frames[i].source = GPUCCL_CLASSES;
  printf ("%s,bilateral,plane,%dx%d,,depth,,%.1f,%.1f,\n",
      b->dev.kind == DEVICE_CUDA ? "cuda" : "cpu", b->width, b->height, device,
      wall);
  fflush (stdout);
  bare_close (&w.bare);
}

static void
bench_image (DeviceKind kind, int size, GpucclImage image, int only)
{
  static const char *const names[] = {
      "run", "label-equivalence", "improved-label-equivalence", "hierarchical"};
  GpucclParams p = gpuccl_defaults ();
  Bench b;

  bench_open_image (&b, kind, image, gpuccl_image_sizes[size].width,
      gpuccl_image_sizes[size].height);
  p.filter = GPUCCL_NO_FILTER;
  p.has_camera = true;
  p.camera = (Camera){b.width, b.width, b.width / 2., b.height / 2., {0}};
  for (int algorithm = 0; algorithm < 4; algorithm++)
    for (int i = 0; i < 4; i++) {
      bool slow = algorithm && kind == DEVICE_CPU && size > 1;
      int four = gpuccl_image_sizes[size].n[image].four;
      int eight = gpuccl_image_sizes[size].n[image].eight;

      if (only < 0 ? slow : algorithm != only)
        continue;
      p.algorithm = (GpucclAlgorithm) algorithm;
      p.connectivity = i < 2 ? 4 : 8;
      check (bench_row (&b, image, names[algorithm], &p, i % 2) ==
          (uint32_t) (i < 2 ? four : eight));
    }
  p.detector = GPUCCL_WINDOW;
  if (only < 0)
    bench_row (&b, image, "window", &p, false);
  if (only < 0 && !image)
    bench_filter_row (&b);
  bench_close (&b);
}

/* ---- The paper's figure 5 ---- */

/* The paper's figure 5 and what sections 3.4 and 3.5 say of times, measured
 * here: labels only, with the loop that the host decides on, unless something
 * else is said.  The correspondence map is one in a file, else the blobs. */

typedef struct {
  uint8_t *pixels; /* 1: outlier */
  int width, height;
} FigureMap;

/* Reads a class map, a binary PGM of 8 bits. */
static bool
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

static FigureMap
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
static uint8_t *
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

static void
figure_labels (BenchWork *w, const GpucclFrame *f)
{
  const GpucclStages *s = w->bare.stages;
  const Device *dev = &w->bench->dev;
  GpucclWork *work = &w->bare.work;

  ok (gpuccl_set_work (work, w->params, f));
  if (w->params->algorithm == GPUCCL_LABEL_EQUIVALENCE)
    ok (s->label_equivalence (dev, work));
  else if (w->params->algorithm == GPUCCL_IMPROVED_LABEL_EQUIVALENCE)
    ok (s->improved (dev, work));
  else
    ok (s->hierarchical (dev, work));
}

static void
figure_all (BenchWork *w, const GpucclFrame *f)
{
  figure_labels (w, f);
  ok (w->bare.stages->measure (&w->bench->dev, &w->bare.work));
}

static double
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

static void
figure_row (DeviceKind kind, const char *name, const uint8_t *map, int side)
{
  GpucclParams p = gpuccl_defaults ();
  AUTO (Bench) b;

  p.filter = GPUCCL_NO_FILTER;
  bench_open (&b, kind, map, side, side);
  printf ("%s,%d", name, side);
  for (int k = GPUCCL_LABEL_EQUIVALENCE; k <= GPUCCL_HIERARCHICAL; k++) {
    p.algorithm = (GpucclAlgorithm) k;
    printf (",%.1f", figure_time (&b, &p, false, false, figure_labels));
  }
  printf ("\n");
  fflush (stdout);
}

/* Figure 5; on the device that is, the loop too. */
static void
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

static void
figure_statement (const char *what, const char *paper, double before, double us)
{
  printf ("%s,%s,%.1f,%.1f,%+.1f %%\n", what, paper, before, us,
      100 * (us / before - 1));
}

/* What the paper says of improved label equivalence at 640 x 480. */
static void
figure_statements (DeviceKind kind, const FigureMap *m)
{
  uint8_t *map = figure_scale (m, 640, 480);
  GpucclParams p = gpuccl_defaults ();
  double plain, full, loop;
  AUTO (Bench) b;

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
  free (map);
}

static int
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

/* `--bench [cpu] [size N] [image NAME] [algorithm N]`; the paper's algorithms
 * on the CPU at the larger sizes only where they are asked for.  `--bench [cpu]
 * figures [map FILE]` */
int
gpuccl_bench (int argc, char **argv)
{
  DeviceKind kind = device_cuda_probe () ? DEVICE_CPU : DEVICE_CUDA;
  int only_size = -1, only_algorithm = -1;
  const char *map = NULL, *only_image = NULL;
  bool paper = false;

  for (int i = 2; i < argc; i++)
    if (!strcmp (argv[i], "cpu"))
      kind = DEVICE_CPU;
    else if (!strcmp (argv[i], "figures"))
      paper = true;
    else if (!strcmp (argv[i], "map") && i + 1 < argc)
      map = argv[i + 1];
    else if (!strcmp (argv[i], "image") && i + 1 < argc)
      only_image = argv[i + 1];
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
      if ((only_size < 0 || size == only_size) &&
          (!only_image || !strcmp (only_image, gpuccl_image_names[image])))
        bench_image (kind, size, (GpucclImage) image, only_algorithm);
  return check_failures != 0;
}
