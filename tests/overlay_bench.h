/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The cost of drawing: frames queued back to back, over buffers that together
 * do not fit into a GPU's cache. */
#pragma once

#include <time.h>

#include "overlay_draw.h"

#define BENCH_BYTES (256 << 20)

/* What an object of an annotated video has: a box with its dark rim, a trail,
 * a plate and a dozen glyphs. */
static void
bench_object (OverlayList *list, int w, int h)
{
  double x = rnd (w), y = rnd (h), size = h / 10., line = h / 360.;

  overlay_stroke (list, half);
  overlay_outline (list, x - 1, y - 1, x + size + 1, y + size + 1, 4, line + 2);
  overlay_stroke (list, red);
  overlay_outline (list, x, y, x + size, y + size, 4, line);
  overlay_stroke (list, red);
  for (int i = 0; i < 32; i++)
    overlay_line (list, x + 8 * i, y + i % 5, x + 8 * i + 8, y + (i + 1) % 5,
        line, 8 * i);
  overlay_stroke (list, half);
  overlay_fill (list, x, y - h / 40., x + h / 6., y, 4);
  overlay_stroke (list, red);
  for (int i = 0; i < 12; i++)
    overlay_glyph (
        list, (int) x + 12 * i, (int) y - 20, &(ImageBox){0, 0, 4, 2});
}

static double
now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void
bench_list (const char *name, DeviceKind kind, ImageFormat format, int width,
    int height, const OverlayList *list)
{
  Canvas c = canvas_new (format, width, height, 0);
  int frames = kind == DEVICE_CUDA ? (int) (BENCH_BYTES / c.size) + 1 : 2;
  int rounds = kind == DEVICE_CUDA ? 300 : 10;
  Image there[256];
  void *memory[256];
  Device dev;
  Overlay *o = NULL;
  double start = 0;

  canvas_fill (&c, 90);
  ok (device_open (&dev, kind, NULL));
  ok (overlay_new (&o, &dev));
  ok (overlay_set_atlas (o, atlas, 4, 2, 4));
  for (int i = 0; i < frames; i++)
    there[i] = canvas_upload (&c, &dev, &memory[i]);
  for (int i = -4; i < rounds; i++) {
    if (i == 0) {
      ok (device_wait (&dev));
      start = now ();
    }
    ok (overlay_draw (o, &there[(i + 4) % frames], list));
  }
  ok (device_wait (&dev));
  printf ("%-24s %s %8.1f us a frame\n", name,
      kind == DEVICE_CUDA ? "cuda" : "cpu ", 1e6 * (now () - start) / rounds);
  for (int i = 0; i < frames; i++)
    device_release (&dev, memory[i]);
  overlay_free (o);
  device_close (&dev);
  canvas_free (&c);
}

static void
bench_size (DeviceKind kind, ImageFormat format, const char *name, int width,
    int height)
{
  static uint16_t numbers[640 * 480];
  OverlayMap map = {.pixels = numbers,
      .on_host = true,
      .width = 640,
      .height = 480,
      .stride = 1280,
      .format = OVERLAY_U16,
      .scale = 1,
      .invalid = NAN,
      .opacity = 128};
  OverlayList *list = NULL;
  char what[64];

  ok (overlay_list_new (&list));
  for (int n = 8; n <= 64; n += 56) {
    overlay_list_clear (list, width, height);
    for (int i = 0; i < n; i++)
      bench_object (list, width, height);
    snprintf (what, sizeof what, "%s, %d objects", name, n);
    bench_list (what, kind, format, width, height, list);
  }
  for (int i = 0; i < 640 * 480; i++)
    numbers[i] = rnd (65536);
  overlay_list_clear (list, width, height);
  ok (overlay_map (list, &map));
  snprintf (what, sizeof what, "%s, a map", name);
  bench_list (what, kind, format, width, height, list);
  overlay_list_free (list);
}

static int
bench (int argc, char **argv)
{
  (void) argc;
  (void) argv;
  for (DeviceKind kind = DEVICE_CPU; kind <= DEVICE_CUDA; kind++) {
    if (kind == DEVICE_CUDA && device_cuda_probe ())
      break;
    bench_size (kind, IMAGE_NV12, "1080p NV12", 1920, 1080);
    bench_size (kind, IMAGE_RGBA, "1080p RGBA", 1920, 1080);
    bench_size (kind, IMAGE_NV12, "2160p NV12", 3840, 2160);
    bench_size (kind, IMAGE_RGBA, "2160p RGBA", 3840, 2160);
  }
  return check_failures != 0;
}
