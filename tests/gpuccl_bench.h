/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What gpuccl costs on the images of gpuccl_images.h: the device's time, and
 * the time from a frame to its results.  With depth: a slanted plane, whose
 * every link has to be looked at.  Frames are copies, rotated over more memory
 * than any cache holds; the median of batches, of fewer where they take long.
 */
#pragma once

#include "gpuccl/gpuccl.h"
#include "gpuccl_images.h"
#include "check.h"

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

static inline void
bench_open (Bench *b, DeviceKind kind, GpucclImage image, int width, int height)
{
  size_t pixels = (size_t) width * height;
  uint8_t *map = malloc (pixels);
  uint16_t *depth = bench_depth (width, height);
  int room = kind == DEVICE_CUDA ? (int) (BENCH_BYTES / (3 * pixels)) : 4;

  *b = (Bench){.width = width, .height = height};
  b->n_frames = room < BENCH_MAX_FRAMES ? room : BENCH_MAX_FRAMES;
  gpuccl_image_draw (image, map, width, height);
  for (size_t i = 0; i < pixels; i++)
    map[i] = map[i] ? GPUCCL_OUTLIER : GPUCCL_INLIER;
  ok (device_open (&b->dev, kind, NULL));
  for (int i = 0; i < b->n_frames; i++) {
    ok (device_alloc (&b->dev, &b->maps[i], pixels));
    ok (device_alloc (&b->dev, &b->depths[i], 2 * pixels));
    ok (device_copy (&b->dev, b->maps[i], map, pixels));
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
  free (map);
  free (depth);
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

static inline int
bench_compare (const void *p, const void *q)
{
  double a = *(const double *) p, b = *(const double *) q;

  return (a > b) - (a < b);
}

/* Microseconds a frame: of the device where @queue only, else of gpuccl_run
 * with its results, which are left in @r. */
static inline double
bench_run (Bench *b, Gpuccl *g, const GpucclParams *p, bool depth, bool queue,
    int frames, GpucclResults *r)
{
  double times[BENCH_BATCHES], total = 0;
  int at = 0, n = 0;

  for (int batch = -1; batch < BENCH_BATCHES && total < 2; batch++) {
    double seconds = 0;

    ok (device_timer_begin (&b->dev, &b->timer));
    for (int i = 0; i < frames; i++, at = (at + 1) % b->n_frames) {
      GpucclFrame f = b->frames[at];

      f.depth = depth ? f.depth : NULL;
      if (queue)
        ok (gpuccl_queue (g, p, &f));
      else
        ok (gpuccl_run (g, p, &f, r));
    }
    ok (device_timer_end (&b->dev, &b->timer, &seconds));
    if (batch < 0)
      continue;
    times[n++] = 1e6 * seconds / frames;
    total += seconds;
  }
  qsort (times, n, sizeof *times, bench_compare);
  return times[n / 2];
}

static inline void
bench_row (Bench *b, int size, GpucclImage image, const char *algorithm,
    GpucclParams p, bool depth)
{
  bool cuda = b->dev.kind == DEVICE_CUDA;
  int frames = cuda ? 100 : 1 + 2000000 / (b->width * b->height);
  int expected = p.connectivity == 4 ? gpuccl_image_sizes[size].n[image].four
                                     : gpuccl_image_sizes[size].n[image].eight;
  GpucclResults r = {0};
  Gpuccl *g;
  double wall, device;

  ok (gpuccl_new (&g, &b->dev, b->width, b->height));
  wall = bench_run (b, g, &p, depth, false, frames, &r);
  device = bench_run (b, g, &p, depth, true, frames, &r);
  check (r.n_labels == (uint32_t) expected);
  printf ("%s,%s,%s,%dx%d,%d,%s,%u,%.1f,%.1f\n", cuda ? "cuda" : "cpu",
      algorithm, gpuccl_image_names[image], b->width, b->height, p.connectivity,
      depth ? "depth" : "mask", r.n_labels, device, wall);
  fflush (stdout);
  gpuccl_free (g);
}

static inline void
bench_image (DeviceKind kind, int size, GpucclImage image, int only)
{
  static const char *const names[] = {
      "run", "label-equivalence", "improved-label-equivalence", "hierarchical"};
  Bench b;

  bench_open (&b, kind, image, gpuccl_image_sizes[size].width,
      gpuccl_image_sizes[size].height);
  for (int algorithm = 0; algorithm < 4; algorithm++)
    for (int i = 0; i < 4; i++) {
      GpucclParams p = GPUCCL_DEFAULTS;
      bool slow = algorithm && kind == DEVICE_CPU && size > 1;

      if (only < 0 ? slow : algorithm != only)
        continue;
      p.algorithm = (GpucclAlgorithm) algorithm;
      p.filter = GPUCCL_NO_FILTER;
      p.connectivity = i < 2 ? 4 : 8;
      p.camera =
          (GpucclCamera){true, b.width, b.width, b.width / 2., b.height / 2.};
      bench_row (&b, size, image, names[algorithm], p, i % 2);
    }
  bench_close (&b);
}

/* `--bench [cpu] [size N] [algorithm N]`; the paper's algorithms on the CPU at
 * the larger sizes only where they are asked for. */
static inline int
bench_all (int argc, char **argv)
{
  DeviceKind kind = device_cuda_probe () ? DEVICE_CPU : DEVICE_CUDA;
  int only_size = -1, only_algorithm = -1;

  for (int i = 2; i < argc; i++)
    if (!strcmp (argv[i], "cpu"))
      kind = DEVICE_CPU;
    else if (!strcmp (argv[i], "size") && i + 1 < argc)
      only_size = atoi (argv[i + 1]);
    else if (!strcmp (argv[i], "algorithm") && i + 1 < argc)
      only_algorithm = atoi (argv[i + 1]);
  printf ("device,algorithm,image,size,neighbours,with,components,device us,"
          "wall us\n");
  for (int size = 0; size < GPUCCL_N_SIZES; size++)
    for (int image = 0; image < GPUCCL_N_IMAGES; image++)
      if (only_size < 0 || size == only_size)
        bench_image (kind, size, (GpucclImage) image, only_algorithm);
  return check_failures != 0;
}
