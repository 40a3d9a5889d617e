/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What moct costs: device time of the fused method, and wall time from launch
 * to results.  Frames of the synthetic scene, rotated over more memory than
 * any cache holds; the median of batches. */
#pragma once

#include "bench_median.h"
#include "common/yuv.h"
#include "frames.h"
#include "moct/moct.h"
#include "scene/chromatic.h"

#define BENCH_BYTES (512u << 20)
#define BENCH_MAX_FRAMES 256
#define BENCH_BATCHES 9

typedef struct {
  Device dev;
  DeviceTimer timer;
  Image frames[BENCH_MAX_FRAMES];
  void *memory[BENCH_MAX_FRAMES];
  int n_frames, width, height;
} Bench;

/* Renders four frames of @n_objects and copies them until the memory is
 * full. */
static inline void
bench_open (Bench *b, DeviceKind kind, ImageFormat format, int width,
    int height, int n_objects)
{
  ChromaticParams scene_params = chromatic_defaults ();
  Chromatic *scene;
  Frame f = frame_new (format, width, height, 0, 256);
  int room = kind == DEVICE_CUDA ? (int) (BENCH_BYTES / f.bytes) : 8;

  memset (b, 0, sizeof *b);
  b->width = width;
  b->height = height;
  scene_params.n_objects = n_objects ? n_objects : 8;
  if (n_objects > CHROMATIC_NAMED)
    scene_params.noise = scene_params.shadows = 0;
  b->n_frames = room < BENCH_MAX_FRAMES ? room : BENCH_MAX_FRAMES;
  ok (device_open (&b->dev, kind, NULL));
  ok (chromatic_new (&scene, width, height));
  for (int i = 0; i < b->n_frames; i++) {
    if (i < 4)
      ok (chromatic_render (
          scene, &scene_params, 10 * (uint64_t) i, &f.image, NULL, NULL));
    b->frames[i] = frame_to_device (&f, &b->dev, &b->memory[i]);
    if (i >= 4)
      ok (device_copy (&b->dev, b->memory[i], b->memory[i % 4], f.bytes));
  }
  ok (device_wait (&b->dev));
  chromatic_free (scene);
  frame_free (&f);
}

static inline void
bench_close (Bench *b)
{
  for (int i = 0; i < b->n_frames; i++)
    device_release (&b->dev, b->memory[i]);
  device_timer_free (&b->timer);
  device_close (&b->dev);
}

/* Microseconds a frame: of the device where @queue only, else of moct_run
 * with its results. */
static inline double
bench_run (Bench *b, Moct *m, const MoctParams *p, bool queue, int frames)
{
  double times[BENCH_BATCHES];
  const MoctObject *objects;
  int n, at = 0;

  for (int batch = -1; batch < BENCH_BATCHES; batch++) {
    double seconds = 0;

    ok (device_timer_begin (&b->dev, &b->timer));
    for (int i = 0; i < frames; i++, at = (at + 1) % b->n_frames)
      if (queue)
        ok (moct_queue (m, p, &b->frames[at]));
      else
        ok (moct_run (m, p, &b->frames[at], 0, &objects, &n));
    ok (device_timer_end (&b->dev, &b->timer, &seconds));
    if (batch >= 0)
      times[batch] = 1e6 * seconds / frames;
  }
  return bench_median (times, BENCH_BATCHES);
}

/* A scene of @n_objects looked at with the first @n of @n_colours of which the
 * rest, beyond its objects, occur nowhere.  Of no object: one colour that fills
 * the frame. */
static inline void
bench_row (DeviceKind kind, const char *name, ImageFormat format, int width,
    int height, int n_objects, int n, bool blobs)
{
  static MoctColour colours[MOCT_MAX_COLOURS];
  static char text[MOCT_MAX_COLOURS * 40], problem[256];
  int frames = kind == DEVICE_CUDA ? 200 : 4, have;
  MoctParams p = {.colours = colours,
      .n_colours = n,
      .exact = true,
      .blobs = blobs,
      .min_area = 50,
      .max_area = UINT64_MAX,
      .max_objects = 8,
      .region = {0, 0, 32768, 32768},
      .reduction_factor = 40,
      .appear_frames = 1,
      .lose_frames = 30};
  Bench b;
  Moct *m;
  double device, wall;

  chromatic_objects (n_objects, text, sizeof text);
  if (!n_objects)
    snprintf (text, sizeof text, "all:yuv=0..255,0..255,0..255");
  check (moct_parse (text, colours, &have, problem, sizeof problem));
  for (int k = have; k < n; k++) {
    memset (&colours[k], 0, sizeof colours[k]);
    snprintf (colours[k].name, sizeof colours[k].name, "unused%d", k);
    colours[k].space = MOCT_RGB;
    colours[k].lo[0] = colours[k].hi[0] = 255;
    colours[k].hi[1] = (float) (k % 8);
  }
  bench_open (&b, kind, format, width, height, n_objects);
  ok (moct_new (&m, &b.dev, width, height, 0));
  device = bench_run (&b, m, &p, true, frames);
  wall = bench_run (&b, m, &p, false, frames);
  printf ("%s,%s,%dx%d,%d,%d,%s,%.2f,%.2f\n",
      kind == DEVICE_CUDA ? "cuda" : "cpu", name, width, height, n_objects, n,
      blobs ? "blobs" : "sums", device, wall);
  fflush (stdout);
  moct_free (m);
  bench_close (&b);
}

static const struct {
  const char *name;
  ImageFormat format;
  int width, height, objects, colours;
} bench_rows[] = {
    {"NV12", IMAGE_NV12, 1920, 1080, 8, 1},
    {"NV12", IMAGE_NV12, 1920, 1080, 8, 8},
    {"NV12", IMAGE_NV12, 1920, 1080, 8, 128},
    {"NV12", IMAGE_NV12, 1920, 1080, 128, 128},
    {"NV12", IMAGE_NV12, 1920, 1080, 0, 1},
    {"NV12", IMAGE_NV12, 3840, 2160, 8, 1},
    {"NV12", IMAGE_NV12, 3840, 2160, 8, 8},
    {"NV12", IMAGE_NV12, 3840, 2160, 8, 128},
    {"NV12", IMAGE_NV12, 3840, 2160, 128, 128},
    {"NV12", IMAGE_NV12, 3840, 2160, 0, 1},
    {"I420", IMAGE_I420, 1920, 1080, 8, 8},
    {"YUY2", IMAGE_YUY2, 1920, 1080, 8, 8},
    {"P010", IMAGE_P010, 1920, 1080, 8, 8},
    {"RGB", IMAGE_RGB, 1920, 1080, 8, 8},
    {"RGBA", IMAGE_RGBA, 1920, 1080, 8, 8},
    {"RGBA", IMAGE_RGBA, 3840, 2160, 8, 8},
    {"RGBA", IMAGE_RGBA, 3840, 2160, 1024, 1024},
};

/* `--bench [cpu] [row N]` */
static inline int
bench_all (int argc, char **argv)
{
  int first = 0, last;
  DeviceKind kind = device_cuda_probe () ? DEVICE_CPU : DEVICE_CUDA;
  int n = sizeof bench_rows / sizeof *bench_rows;

  last = n;
  for (int i = 2; i < argc; i++)
    if (!strcmp (argv[i], "cpu"))
      kind = DEVICE_CPU;
    else if (!strcmp (argv[i], "row") && i + 1 < argc)
      first = atoi (argv[i + 1]), last = first + 1;
  printf ("device,format,size,objects,colours,result,device us,wall us\n");
  for (int i = first; i < last && i < n; i++)
    for (int blobs = 0; blobs < 2; blobs++)
      bench_row (kind, bench_rows[i].name, bench_rows[i].format,
          bench_rows[i].width, bench_rows[i].height, bench_rows[i].objects,
          bench_rows[i].colours, blobs);
  return check_failures != 0;
}
