/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The paper's curves as lines of comma-separated values: figure 7, time over
 * the number of objects; figure 8, time over the reduction factor for each
 * layout, with the texels read and equation (1)'s bound beside.
 * docs/plots/moct.py draws them.
 *
 * Times are the device's, of RGBA frames queued back to back that together do
 * not fit into a GPU's cache. */
#pragma once

#include "bench_median.h"
#include "moct_methods.h"

#define BENCH_BYTES (80 << 20)
#define BENCH_COPIES 80
#define BENCH_BATCHES 7
#define BENCH_SECONDS .04 /* of a batch, about */
#define BENCH_MAX_N 128

typedef struct {
  Device dev;
  DeviceTimer timer;
  const char *name;
  int width, height, copies;
  Image there[BENCH_COPIES];
  void *memory[BENCH_COPIES];
  MoctColour colours[BENCH_MAX_N];
  Moct *moct;
} Bench;

/* A grey frame with a rectangle of each of @n colours. */
static Frame
bench_frame (int width, int height, MoctColour *colours, int n)
{
  Frame f = frame_new (IMAGE_RGBA, width, height, 0, 64);
  int w = width / 16, h = height / 8;

  frame_fill (&f, (ImageBox){0, 0, width, height}, (uint8_t[]){200, 200, 200});
  for (int k = 0; k < n; k++) {
    uint8_t lo[3] = {k % 8 * 32, k / 8 % 8 * 32, k / 64 * 64}, hi[3], c[3];
    int x = k % 16 * w, y = k / 16 * h;

    for (int i = 0; i < 3; i++)
      hi[i] = lo[i] + 31, c[i] = lo[i] + 13;
    colours[k] = box_colour (IMAGE_RGBA, lo, hi);
    frame_fill (&f, (ImageBox){x, y, x + w / 2, y + h / 2}, c);
  }
  return f;
}

static void
bench_open (Bench *b, DeviceKind kind, int width, int height, int n)
{
  Frame f;

  *b = (Bench){.name = kind == DEVICE_CUDA ? "cuda" : "cpu",
      .width = width,
      .height = height};
  f = bench_frame (width, height, b->colours, n);
  ok (device_open (&b->dev, kind, NULL));
  b->copies = kind == DEVICE_CUDA ? BENCH_BYTES / (int) f.bytes + 1 : 1;
  for (int i = 0; i < b->copies; i++)
    b->there[i] = frame_to_device (&f, &b->dev, &b->memory[i]);
  ok (moct_new (&b->moct, &b->dev, width, height, 0));
  frame_free (&f);
}

static void
bench_close (Bench *b)
{
  moct_free (b->moct);
  for (int i = 0; i < b->copies; i++)
    device_release (&b->dev, b->memory[i]);
  device_timer_free (&b->timer);
  device_close (&b->dev);
}

/* Seconds that @frames take, queued one behind the other. */
static double
bench_batch (Bench *b, const MoctParams *p, int frames)
{
  double seconds = 0;

  ok (device_timer_begin (&b->dev, &b->timer));
  for (int i = 0; i < frames; i++)
    ok (moct_queue (b->moct, p, &b->there[i % b->copies]));
  ok (device_timer_end (&b->dev, &b->timer, &seconds));
  return seconds;
}

/* Microseconds a frame: the median of batches of up to 400 frames. */
static double
bench_time (Bench *b, const MoctParams *p)
{
  int batches = b->dev.kind == DEVICE_CUDA ? BENCH_BATCHES : 3, frames = 1;
  double once, t[BENCH_BATCHES];

  bench_batch (b, p, 1);
  once = bench_batch (b, p, 1);
  if (once < BENCH_SECONDS)
    frames = once * 400 < BENCH_SECONDS ? 400 : (int) (BENCH_SECONDS / once);
  for (int i = 0; i < batches; i++)
    t[i] = 1e6 * bench_batch (b, p, frames) / frames;
  return bench_median (t, batches);
}

static void
bench_figure_7 (DeviceKind kind, int width, int height)
{
  static const char *const names[] = {"fused", "pyramid", "per-object"};
  static const int some[] = {1, 4, 16, 64, 0};
  static const int all[] = {1, 2, 4, 8, 16, 32, 64, BENCH_MAX_N, 0};

  for (const int *n = kind == DEVICE_CUDA ? all : some; *n; n++) {
    static Bench b;

    bench_open (&b, kind, width, height, *n);
    for (MoctMethod method = MOCT_FUSED; method <= MOCT_PER_OBJECT; method++) {
      MoctParams p = sums_params (b.colours, *n);

      p.method = method;
      printf ("fig7,%s,%d,%d,%s,%d,%.2f\n", b.name, width, height,
          names[method], *n, bench_time (&b, &p));
      fflush (stdout);
    }
    bench_close (&b);
  }
}

static void
bench_figure_8 (DeviceKind kind, int width, int height)
{
  static const char *const names[] = {"vertical", "horizontal", "square"};
  static const int some[] = {2, 8, 40, 128, 0};
  static const int all[] = {2, 4, 8, 16, 32, 40, 64, 128, 0};
  const int *factors = kind == DEVICE_CUDA ? all : some;
  unsigned long long pixels = (unsigned long long) width * height;
  MoctWork w = {.frame = {.width = width, .height = height}, .n_colours = 32};
  static Bench b;
  MoctParams p = sums_params (b.colours, w.n_colours);

  p.method = MOCT_PYRAMID;
  bench_open (&b, kind, width, height, w.n_colours);
  for (w.layout = MOCT_VERTICAL; w.layout <= MOCT_SQUARE; w.layout++)
    for (int i = 0; factors[i]; i++) {
      p.layout = w.layout;
      p.reduction_factor = w.reduction_factor = factors[i];
      printf ("fig8,%s,%d,%d,%s,%d,%.2f,%llu,%llu\n", b.name, width, height,
          names[w.layout], factors[i], bench_time (&b, &p),
          moct_pyramid_reads (&w),
          moct_pyramid_bound (pixels, w.n_colours, factors[i]));
      fflush (stdout);
    }
  bench_close (&b);
}

static int
bench (int argc, char **argv)
{
  (void) argc;
  (void) argv;
  printf ("# fig7,device,width,height,method,n,us a frame\n"
          "# fig8,device,width,height,layout,r,us a frame,reads,bound\n");
  for (DeviceKind kind = DEVICE_CPU; kind <= DEVICE_CUDA; kind++) {
    if (kind == DEVICE_CUDA && device_cuda_probe ())
      break;
    bench_figure_7 (kind, 640, 480);
    bench_figure_7 (kind, 1920, 1080);
    bench_figure_8 (kind, 640, 480);
    if (kind == DEVICE_CUDA)
      bench_figure_8 (kind, 1920, 1080);
  }
  return check_failures != 0;
}
