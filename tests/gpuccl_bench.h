/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What gpuccl costs on the images of gpuccl_images.h: the device's time, and
 * the time from a frame to its results.  With depth: a slanted plane, whose
 * every link has to be looked at.  Frames are copies, rotated over more memory
 * than any cache holds; the last column is of one and the same frame, as the
 * peers' times are.  The median of batches, of fewer where they take long. */
#pragma once

#include "bench_median.h"
#include "gpuccl_bare.h"
#include "gpuccl_images.h"

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

static inline uint16_t *
bench_depth (int width, int height)
{
  uint16_t *z = malloc ((size_t) width * height * sizeof *z);

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      z[(size_t) y * width + x] = (uint16_t) (1000 + 2 * x + y);
  return z;
}

/* Frames of @map, which is 1 where there is an outlier. */
static inline void
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

static inline void
bench_open_image (
    Bench *b, DeviceKind kind, GpucclImage image, int width, int height)
{
  uint8_t *map = malloc ((size_t) width * height);

  gpuccl_image_draw (image, map, width, height);
  bench_open (b, kind, map, width, height);
  free (map);
}

static inline void
bench_close (Bench *b)
{
  for (int i = 0; i < b->n_frames; i++) {
    device_release (&b->dev, b->maps[i]);
    device_release (&b->dev, b->depths[i]);
  }
  device_timer_free (&b->timer);
  device_close (&b->dev);
}

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

static inline void
bench_queued (BenchWork *w, const GpucclFrame *f)
{
  ok (gpuccl_queue (w->g, w->params, f));
}

static inline void
bench_whole (BenchWork *w, const GpucclFrame *f)
{
  ok (gpuccl_run (w->g, w->params, f, &w->r));
}

/* Microseconds a frame, of @n_frames that are rotated. */
static inline double
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
static inline uint32_t
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

static inline void
bench_filter (BenchWork *w, const GpucclFrame *f)
{
  ok (gpuccl_set (&w->bare.work, w->params, f));
  ok (w->bare.stages->filter (&w->bench->dev, &w->bare.work));
}

static inline void
bench_filter_and_wait (BenchWork *w, const GpucclFrame *f)
{
  bench_filter (w, f);
  ok (device_wait (&w->bench->dev));
}

/* The filter of all pixels. */
static inline void
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

static inline void
bench_image (DeviceKind kind, int size, GpucclImage image, int only)
{
  static const char *const names[] = {
      "run", "label-equivalence", "improved-label-equivalence", "hierarchical"};
  GpucclParams p = gpuccl_defaults ();
  Bench b;

  bench_open_image (&b, kind, image, gpuccl_image_sizes[size].width,
      gpuccl_image_sizes[size].height);
  p.filter = GPUCCL_NO_FILTER;
  p.camera =
      (GpucclCamera){true, b.width, b.width, b.width / 2., b.height / 2.};
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
