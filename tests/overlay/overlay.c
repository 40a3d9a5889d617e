/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * meson test -C build overlay-known.  Known pixels, properties of any drawing,
 * both backends against each other, and input that is wrong. */
#include <math.h>

#include "frames.h"
#include "seconds.h"
#include "common/yuv.h"
#include "overlay/overlay.h"

/* ---- A list, and its drawing on a device ---- */

static const OverlayColour red = {200, 100, 50, 255},
                           half = {200, 100, 50, 128};

static const uint8_t atlas[4 * 2] = {0, 255, 128, 64, 10, 20, 30, 40};

/* Draws @list into @c on a device. */
static const char *
draw (DeviceKind kind, Frame *c, const OverlayList *list)
{
  /* An opaque texel, a transparent one. */
  static const uint8_t image[8] = {255, 0, 0, 255, 0, 0, 255, 0};
  Device dev = device_of (kind);
  Overlay *o = NULL;
  void *memory;
  Image there;
  const char *err;

  there = frame_to_device (c, &dev, &memory);
  ok (overlay_new (&o, &dev));
  ok (overlay_set_atlas (o, atlas, 4, 2, 4));
  ok (overlay_set_image (o, image, 2, 1, 8));
  err = overlay_draw (o, &there, list);
  frame_from_device (c, &dev, memory);
  overlay_free (o);
  device_close (&dev);
  check (frame_is_unharmed (c));
  return err;
}

static OverlayList *
list_for (const Frame *c)
{
  OverlayList *list = NULL;

  ok (overlay_list_new (&list));
  overlay_list_clear (list, c->image.width, c->image.height);
  return list;
}

/* Sample @i of pixel (@x, @y) of a format with one plane of bytes. */
static int
at (const Frame *c, int x, int y, int i)
{
  int step = image_row_bytes (c->image.format, 1, 0);

  return c->image.plane[0][(size_t) y * c->image.stride[0] + x * step + i];
}

static void
finish (DeviceKind kind, Frame *c, OverlayList *list)
{
  ok (draw (kind, c, list));
  overlay_list_free (list);
}

/* ---- The cost of drawing ---- */

/* Frames are queued back to back, over buffers that together do not fit into a
 * GPU's cache. */

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

static void
bench_list (const char *name, DeviceKind kind, ImageFormat format, int width,
    int height, const OverlayList *list)
{
  AUTO (Frame) c = frame_new (format, width, height, 0, 1);
  int frames = kind == DEVICE_CUDA ? (int) (BENCH_BYTES / c.bytes) + 1 : 2;
  int rounds = kind == DEVICE_CUDA ? 300 : 10;
  Image there[256];
  void *memory[256];
  AUTO (Device) dev = device_of (kind);
  Overlay *o = NULL;
  double start = 0;

  frame_fill_rows (&c, 90);
  ok (overlay_new (&o, &dev));
  ok (overlay_set_atlas (o, atlas, 4, 2, 4));
  for (int i = 0; i < frames; i++)
    there[i] = frame_to_device (&c, &dev, &memory[i]);
  for (int i = -4; i < rounds; i++) {
    if (i == 0) {
      ok (device_wait (&dev));
      start = seconds ();
    }
    ok (overlay_draw (o, &there[(i + 4) % frames], list));
  }
  ok (device_wait (&dev));
  printf ("%-24s %s %8.1f us a frame\n", name,
      kind == DEVICE_CUDA ? "cuda" : "cpu ",
      1e6 * (seconds () - start) / rounds);
  for (int i = 0; i < frames; i++)
    device_release (&dev, memory[i]);
  overlay_free (o);
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

/* ---- Drawings that are wrong, and draws in quick succession ---- */

/* Frame after frame is queued without waiting: every list is drawn. */
static void
test_flight (DeviceKind kind)
{
  AUTO (Frame) c = frame_new (IMAGE_GRAY8, 64, 40, 0, 1);
  OverlayList *list = list_for (&c);
  Device dev = device_of (kind);
  Overlay *o = NULL;
  void *memory;
  Image there;

  frame_fill_rows (&c, 0);
  there = frame_to_device (&c, &dev, &memory);
  ok (overlay_new (&o, &dev));
  for (int i = 0; i < 40; i++) {
    overlay_list_clear (list, 64, 40);
    for (int n = 0; n < 1 + 100 * (i / 10); n++) { /* and the block grows */
      overlay_stroke (list, (OverlayColour){200, 200, 200, 255});
      overlay_fill (list, i, i, i + 1, i + 1, 0);
    }
    ok (overlay_draw (o, &there, list));
  }
  frame_from_device (&c, &dev, memory);
  overlay_free (o);
  device_close (&dev);
  overlay_list_free (list);
  for (int y = 0; y < 40; y++)
    for (int x = 0; x < 64; x++)
      check (at (&c, x, y, 0) == (x == y ? 200 : 0));
}

static const double nonsense[] = {
    NAN, INFINITY, -INFINITY, 1e300, -1e300, 1e9, -1e9, 0, 5.5};
#define NONSENSE (sizeof nonsense / sizeof *nonsense)

/* Any of these may come in a result; none may crash, or write outside. */
static void
test_nonsense (DeviceKind kind)
{
  AUTO (Frame) c = frame_new (IMAGE_NV12, 33, 21, 7, 1);

  for (int i = 0; i < 100; i++) {
    OverlayList *list = list_for (&c);

    frame_fill_rows (&c, 50);
    overlay_stroke (list, red);
    for (int n = 0; n < 40; n++) {
      double v[6];

      for (int k = 0; k < 6; k++)
        v[k] = nonsense[rnd (NONSENSE)];
      overlay_line (list, v[0], v[1], v[2], v[3], v[4], v[5] > 0 ? 300 : -9);
      overlay_dashes (list, v[0], v[1], v[2], v[3], v[4], v[5], v[0]);
      overlay_fill (list, v[0], v[1], v[2], v[3], v[4]);
      overlay_outline (list, v[0], v[1], v[2], v[3], v[4], v[5]);
    }
    overlay_image (list, &(ImageBox){INT32_MIN, -9, INT32_MAX, 9}, 999);
    overlay_image (list, &(ImageBox){5, 5, 5, 5}, 255);
    finish (kind, &c, list);
  }
}

#define LONGEST 1000 /* lines */

/* Shapes whose boxes take 16 times the frame's pixels and 32 million more are
 * drawn, further ones are counted; an emptied list has room again. */
static void
test_left_out (DeviceKind kind)
{
  AUTO (Frame) c = frame_new (IMAGE_GRAY8, 512, 512, 0, 1);
  const int most = 16 + (32 << 20) / (512 * 512); /* full boxes */
  OverlayList *list = list_for (&c);

  for (int round = 0; round < 2; round++) {
    overlay_list_clear (list, 512, 512);
    overlay_stroke (list, red);
    for (int i = 0; i < LONGEST; i++)
      overlay_line (list, 0, 0, 511, 511, 3, 255);
    check (overlay_left_out (list) == LONGEST - most);
    overlay_line (list, 0, 0, 5, 5, 3, 255);
    check (overlay_left_out (list) == LONGEST - most + 1);
  }
  overlay_list_clear (list, 512, 512);
  overlay_stroke (list, red);
  for (int i = 0; i < (1 << 18) + 5; i++)
    overlay_line (list, 9, 9, 9, 9, 1, 255);
  check (overlay_left_out (list) == 5);
  finish (kind, &c, list);
}

/* A box beyond all bounds is the frame; a box of no size is nothing. */
static void
test_tiny (DeviceKind kind)
{
  for (int f = 0; f < N_FORMATS; f++)
    for (int enormous = 0; enormous < 2; enormous++) {
      AUTO (Frame) c = frame_new (all_formats[f], 1, 1, 3, 1), before;
      OverlayList *list = list_for (&c);
      double far = enormous ? 1e12 : 0;

      frame_fill_rows (&c, 50);
      before = frame_copy (&c);
      overlay_stroke (list, red);
      overlay_fill (list, -far, -far, far, far, 0);
      finish (kind, &c, list);
      check (!memcmp (c.memory, before.memory, c.bytes) == !enormous);
    }
}

static void
test_errors (DeviceKind kind)
{
  static const float number[2];
  AUTO (Frame) c = frame_new (IMAGE_RGB, 8, 8, 0, 1);
  OverlayList *list = list_for (&c);
  OverlayMap map = {.pixels = number,
      .on_host = true,
      .width = 1,
      .height = 1,
      .stride = 4,
      .format = OVERLAY_F32};

  frame_fill_rows (&c, 50);
  overlay_stroke (list, red);
  overlay_glyph (list, 0, 0, &(ImageBox){3, 0, 5, 2});
  check (draw (kind, &c, list) != NULL); /* the atlas is 4 wide */
  overlay_list_clear (list, 8, 9);
  overlay_stroke (list, red);
  overlay_fill (list, 0, 0, 9, 9, 0);
  check (draw (kind, &c, list) != NULL); /* another size */
  check (at (&c, 0, 0, 0) == 50);

  overlay_list_clear (list, 8, 8);
  map.stride = 3;
  check (overlay_map (list, &map) != NULL);
  map.stride = 6;
  check (overlay_map (list, &map) != NULL);
  map.stride = 4, map.width = 0;
  check (overlay_map (list, &map) != NULL);
  map.width = 1, map.pixels = NULL;
  check (overlay_map (list, &map) != NULL);
  check (draw (kind, &c, list) == NULL);
  check (at (&c, 0, 0, 0) == 50);
  overlay_list_free (list);
}

/* A device whose calls work a given number of times. */
static const DeviceOps *working;
static int calls_left;

static const char *
alloc_or_fail (const Device *dev, void **p, size_t bytes)
{
  *p = NULL;
  return calls_left-- > 0 ? working->alloc (dev, p, bytes) : "out of memory";
}

static const char *
alloc_pinned_or_fail (const Device *dev, void **p, size_t bytes)
{
  *p = NULL;
  return calls_left-- > 0 ? working->alloc_pinned (dev, p, bytes)
                          : "out of memory";
}

static const char *
copy_or_fail (const Device *dev, void *dst, const void *src, size_t bytes)
{
  return calls_left-- > 0 ? working->copy (dev, dst, src, bytes) : "lost";
}

static const char *
copy_rows_or_fail (const Device *dev, void *dst, size_t dst_stride,
    const void *src, size_t src_stride, size_t row_bytes, size_t rows)
{
  return calls_left-- > 0 ? working->copy_rows (dev, dst, dst_stride, src,
                                src_stride, row_bytes, rows)
                          : "lost";
}

static const char *
use (
    const Device *dev, Overlay **o, const Image *frame, const OverlayList *list)
{
  static const uint8_t image[4] = {0, 255, 0, 255};

  TRY (overlay_new (o, dev));
  TRY (overlay_set_atlas (*o, atlas, 4, 2, 4));
  TRY (overlay_set_image (*o, image, 1, 1, 4));
  return overlay_draw (*o, frame, list);
}

/* Whichever call fails, the error comes back and nothing is left behind. */
static void
test_failing_device (DeviceKind kind)
{
  static const uint16_t number = 7;
  AUTO (Frame) c = frame_new (IMAGE_NV12, 40, 30, 0, 1);
  OverlayList *list = list_for (&c);
  OverlayMap map = {.pixels = &number,
      .on_host = true,
      .width = 1,
      .height = 1,
      .stride = 2,
      .format = OVERLAY_U16,
      .invalid = NAN};
  const char *err = "";

  frame_fill_rows (&c, 90);
  overlay_image (list, &(ImageBox){2, 2, 9, 9}, 255);
  ok (overlay_map (list, &map));
  for (int n = 0; err; n++) {
    Overlay *o = NULL;
    DeviceOps ops;
    AUTO (Device) dev = device_of (kind);
    Image there;
    void *memory;

    there = frame_to_device (&c, &dev, &memory);
    working = dev.ops;
    ops = *working;
    ops.alloc = alloc_or_fail;
    ops.alloc_pinned = alloc_pinned_or_fail;
    ops.copy = copy_or_fail;
    ops.copy_rows = copy_rows_or_fail;
    dev.ops = &ops;
    calls_left = n;
    err = use (&dev, &o, &there, list);
    check (n < 30 && (err != NULL) == (n < 13));
    overlay_free (o);
    dev.ops = working;
    device_release (&dev, memory);
  }
  overlay_list_free (list);
}

/* ---- Drawings whose pixels are worked out by hand ---- */

/* A box covers exactly its pixels; opacity 128 over 10 gives 10 + 190 * 128 /
 * 255 = 105.4 in red, 55.2 in green and 30.1 in blue. */
static void
test_box (DeviceKind kind)
{
  for (int blend = 0; blend < 2; blend++) {
    AUTO (Frame) c = frame_new (IMAGE_RGB, 9, 7, 5, 1);
    OverlayList *list = list_for (&c);

    frame_fill_rows (&c, 10);
    overlay_stroke (list, blend ? half : red);
    overlay_fill (list, 2, 1, 5, 3, 0);
    finish (kind, &c, list);
    for (int y = 0; y < 7; y++)
      for (int x = 0; x < 9; x++) {
        bool in = x >= 2 && x < 5 && y >= 1 && y < 3;

        check (at (&c, x, y, 0) == (in ? blend ? 105 : 200 : 10));
        check (at (&c, x, y, 1) == (in ? blend ? 55 : 100 : 10));
        check (at (&c, x, y, 2) == (in ? blend ? 30 : 50 : 10));
      }
  }
}

static void
check_row (const Frame *c, int y, int n, const int *row)
{
  for (int x = 0; x < n; x++) {
    check (at (c, x, y, 0) == row[x]);
    if (at (c, x, y, 0) != row[x])
      printf ("  (%d, %d) is %d, not %d\n", x, y, at (c, x, y, 0), row[x]);
  }
}

/* White on black: the value is the coverage, 128 for half a pixel.  The end of
 * the thick line is round: at the corner the edge is sqrt (2) - 1 away. */
static void
test_lines (DeviceKind kind)
{
  static const int thin[] = {0, 0, 255, 255, 255, 255, 255, 0, 0, 0};
  static const int faint[] = {0, 0, 128, 128, 128, 128, 128, 0, 0, 0};
  static const int edge[] = {0, 22, 128, 128, 128, 128, 128, 22, 0, 0};
  static const int thick[] = {0, 128, 255, 255, 255, 255, 255, 128, 0, 0};
  static const int dash[] = {0, 255, 255, 0, 0, 0, 255, 255, 0, 0};
  static const int side[] = {255, 255, 0, 0, 0, 0, 0, 255, 255, 0};
  static const int none[10];
  AUTO (Frame) c = frame_new (IMAGE_GRAY8, 10, 20, 3, 1);
  OverlayList *list = list_for (&c);

  frame_fill_rows (&c, 0);
  overlay_stroke (list, (OverlayColour){255, 255, 255, 255});
  overlay_line (list, 2, 1, 6, 1, 1, 255);
  overlay_line (list, 2, 4, 6, 4, 2, 255);
  overlay_line (list, 2, 7, 6, 7, 1, 128);
  overlay_dashes (list, .5, 9, 8.5, 9, 1, 2, 3);
  overlay_outline (list, 0, 12, 9, 19, 0, 2);
  finish (kind, &c, list);
  check_row (&c, 0, 10, none);
  check_row (&c, 1, 10, thin);
  check_row (&c, 2, 10, none);
  check_row (&c, 3, 10, edge);
  check_row (&c, 4, 10, thick);
  check_row (&c, 5, 10, edge);
  check_row (&c, 7, 10, faint);
  check_row (&c, 9, 10, dash);
  check (at (&c, 0, 12, 0) == 255 && at (&c, 8, 18, 0) == 255);
  check_row (&c, 14, 10, side);
  check_row (&c, 16, 10, side);
  check_row (&c, 19, 10, none);
}

/* Two crossing lines of one stroke are one shape: no pixel is blended twice. */
static void
test_stroke (DeviceKind kind)
{
  AUTO (Frame) c = frame_new (IMAGE_GRAY8, 9, 9, 0, 1);
  OverlayList *list = list_for (&c);

  frame_fill_rows (&c, 0);
  overlay_stroke (list, (OverlayColour){255, 255, 255, 100});
  overlay_line (list, 1, 4, 7, 4, 1, 255);
  overlay_line (list, 4, 1, 4, 7, 1, 255);
  finish (kind, &c, list);
  check (at (&c, 4, 4, 0) == 100 && at (&c, 1, 4, 0) == 100);
}

static void
test_glyph (DeviceKind kind)
{
  static const int upper[] = {0, 0, 255, 128, 0}, lower[] = {0, 0, 20, 30, 0};
  AUTO (Frame) c = frame_new (IMAGE_GRAY8, 5, 4, 1, 1);
  OverlayList *list = list_for (&c);

  frame_fill_rows (&c, 0);
  overlay_stroke (list, (OverlayColour){255, 255, 255, 255});
  overlay_glyph (list, 2, 1, &(ImageBox){1, 0, 3, 2});
  finish (kind, &c, list);
  check_row (&c, 1, 5, upper);
  check_row (&c, 2, 5, lower);
}

/* One pixel of four is covered: luma there is the colour's, and chroma goes a
 * quarter of the way to it.  In YUY2 two pixels share chroma: half the way. */
static void
test_chroma (DeviceKind kind)
{
  Yuv m = yuv_of (IMAGE_BT601, false);
  uint8_t rgb[3] = {200, 100, 50}, yuv[3];
  OverlayList *list;
  Frame c = frame_new (IMAGE_NV12, 4, 4, 2, 1);
  const Image *i = &c.image;

  yuv_from_rgb (&m, rgb, yuv);
  list = list_for (&c);
  frame_fill_rows (&c, 100);
  overlay_stroke (list, red);
  overlay_fill (list, 2, 2, 3, 3, 0);
  finish (kind, &c, list);
  check (i->plane[0][2 * i->stride[0] + 2] == yuv[0]);
  check (i->plane[0][2 * i->stride[0] + 3] == 100);
  check (i->plane[1][i->stride[1] + 2] == (300 + yuv[1] + 2) / 4);
  check (i->plane[1][i->stride[1] + 3] == (300 + yuv[2] + 2) / 4);
  check (i->plane[1][i->stride[1]] == 100 && i->plane[1][2] == 100);
  frame_free (&c);

  c = frame_new (IMAGE_YUY2, 4, 4, 2, 1);
  list = list_for (&c);
  frame_fill_rows (&c, 100);
  overlay_stroke (list, red);
  overlay_fill (list, 2, 2, 3, 3, 0);
  finish (kind, &c, list);
  check (i->plane[0][2 * i->stride[0] + 4] == yuv[0]);
  check (i->plane[0][2 * i->stride[0] + 6] == 100);
  check (i->plane[0][2 * i->stride[0] + 5] == (100 + yuv[1] + 1) / 2);
  check (i->plane[0][2 * i->stride[0] + 7] == (100 + yuv[2] + 1) / 2);
  frame_free (&c);
}

/* Two numbers over four columns; the one that is invalid leaves the frame. */
static void
test_map (DeviceKind kind)
{
  static const uint16_t numbers[2] = {100, 300};
  Frame c = frame_new (IMAGE_RGB, 4, 2, 1, 1), shown[3];
  OverlayMap map = {.pixels = numbers,
      .on_host = true,
      .width = 2,
      .height = 1,
      .stride = 4,
      .format = OVERLAY_U16,
      .scale = .5f,
      .invalid = NAN,
      .low = 50,
      .high = 150,
      .opacity = 255};

  frame_fill_rows (&c, 7);
  for (int i = 0; i < 3; i++) {
    OverlayList *list = list_for (&c);

    if (i == 1)
      map.low = map.high = 0; /* found: the same */
    if (i == 2)
      map.invalid = 300;
    shown[i] = frame_copy (&c);
    ok (overlay_map (list, &map));
    finish (kind, &shown[i], list);
  }
  /* The ends of the ramp are an indigo and a red. */
  for (int x = 0; x < 2; x++) {
    check (at (&shown[0], x, 1, 2) > at (&shown[0], x, 1, 0) + 40);
    check (at (&shown[0], x + 2, 0, 0) > at (&shown[0], x + 2, 0, 2) + 100);
  }
  check (!memcmp (shown[0].memory, shown[1].memory, c.bytes));
  check (at (&shown[2], 1, 1, 2) == at (&shown[0], 1, 1, 2));
  check (at (&shown[2], 2, 0, 0) == 7 && at (&shown[2], 3, 1, 2) == 7);
  for (int i = 0; i < 3; i++)
    frame_free (&shown[i]);
  frame_free (&c);
}

/* Frames of the greatest and the least float leave a range from which one of
 * ordinary numbers is reached again. */
static void
test_far_range (DeviceKind kind)
{
  static const float far[2][2] = {{3e38f, 3e38f}, {-3e38f, -3e38f}};
  static const float near[2] = {0, 1};
  AUTO (Frame) c = frame_new (IMAGE_RGB, 2, 1, 0, 1);
  OverlayList *list = list_for (&c);
  OverlayMap map = {.on_host = true,
      .width = 2,
      .height = 1,
      .stride = 8,
      .format = OVERLAY_F32,
      .scale = 1,
      .invalid = NAN,
      .opacity = 255};
  Device dev = device_of (kind);
  Overlay *o = NULL;
  void *memory;
  Image there;

  frame_fill_rows (&c, 7);
  there = frame_to_device (&c, &dev, &memory);
  ok (overlay_new (&o, &dev));
  for (int i = 0; i < 1000; i++) { /* an eighth of the way in each */
    map.pixels = i < 2 ? far[i] : near;
    overlay_list_clear (list, 2, 1);
    ok (overlay_map (list, &map));
    ok (overlay_draw (o, &there, list));
  }
  frame_from_device (&c, &dev, memory);
  overlay_free (o);
  device_close (&dev);
  overlay_list_free (list);
  check (at (&c, 0, 0, 2) > at (&c, 0, 0, 0) + 40);
  check (at (&c, 1, 0, 0) > at (&c, 1, 0, 2) + 100);
}

/* A map that has colours looks as boxes of these colours do, in every format; a
 * pixel without any leaves the frame. */
static void
test_rgb (DeviceKind kind)
{
  static const uint8_t bytes[] = {10, 20, 30, 250, 130, 5, 9, 9, 9, 0, 255, 9};
  static const float normals[] = {
      0, 0, -1, .5f, -.5f, 1, 0, 0, 0, -1, 0.25f, 7};
  static const uint8_t colours[2][4][3] = {
      {{10, 20, 30}, {250, 130, 5}, {0}, {0, 255, 9}},
      {{128, 128, 0}, {191, 64, 255}, {0}, {0, 159, 255}}};

  for (int i = 0; i < 2 * N_FORMATS; i++) {
    AUTO (Frame) c = frame_new (all_formats[i / 2], 8, 2, 3, 1), boxes;
    OverlayMap map = {.pixels = i % 2 ? (const void *) normals : bytes,
        .on_host = true,
        .width = 4,
        .height = 1,
        .stride = i % 2 ? sizeof normals : sizeof bytes,
        .format = i % 2 ? OVERLAY_F32 : OVERLAY_U8,
        .rgb = true,
        .scale = 1,
        .invalid = i % 2 ? 0 : 9, /* of all three alone */
        .low = i % 2 ? -1 : 0,
        .high = i % 2 ? 1 : 255,
        .opacity = 255};
    OverlayList *list = list_for (&c);

    frame_fill_rows (&c, 77);
    boxes = frame_copy (&c);
    ok (overlay_map (list, &map));
    finish (kind, &c, list);
    list = list_for (&boxes);
    for (int k = 0; k < 4; k++) {
      const uint8_t *rgb = colours[i % 2][k];

      if (k == 2)
        continue;
      overlay_stroke (list, (OverlayColour){rgb[0], rgb[1], rgb[2], 255});
      overlay_fill (list, 2 * k, 0, 2 * k + 2, 2, 0);
    }
    finish (kind, &boxes, list);
    check (!memcmp (c.memory, boxes.memory, c.bytes));
  }
}

/* A map of labels and overlay_colour_of () agree. */
static void
test_labels (DeviceKind kind)
{
  uint32_t names[64];
  AUTO (Frame) c = frame_new (IMAGE_RGBA, 64, 1, 0, 1);
  OverlayList *list = list_for (&c);

  for (uint32_t i = 0; i < 64; i++)
    names[i] = i * i * i;
  frame_fill_rows (&c, 0);
  ok (overlay_map (list,
      &(OverlayMap){.pixels = names,
          .on_host = true,
          .width = 64,
          .height = 1,
          .stride = 256,
          .format = OVERLAY_U32,
          .labels = true,
          .invalid = 27,
          .opacity = 255}));
  finish (kind, &c, list);
  for (int i = 0; i < 64; i++) {
    OverlayColour o = overlay_colour_of (names[i]);

    check (at (&c, i, 0, 0) == (i == 3 ? 0 : o.r));
    check (at (&c, i, 0, 1) == (i == 3 ? 0 : o.g));
    check (at (&c, i, 0, 2) == (i == 3 ? 0 : o.b));
  }
}

/* Colours that were chosen for labels are theirs alone. */
static void
test_chosen_labels (DeviceKind kind)
{
  OverlayColour chosen[OVERLAY_COLOURS];
  uint16_t names[OVERLAY_COLOURS + 8];
  AUTO (Frame) c = frame_new (IMAGE_RGB, OVERLAY_COLOURS + 8, 1, 0, 1);
  OverlayList *list = list_for (&c);

  for (int i = 0; i < OVERLAY_COLOURS; i++)
    chosen[i] = (OverlayColour){(uint8_t) (2 * i), 7, (uint8_t) (255 - i), 255};
  for (int i = 0; i < OVERLAY_COLOURS + 8; i++)
    names[i] = (uint16_t) i;
  frame_fill_rows (&c, 0);
  ok (overlay_map (list,
      &(OverlayMap){.pixels = names,
          .on_host = true,
          .width = OVERLAY_COLOURS + 8,
          .height = 1,
          .stride = sizeof names,
          .format = OVERLAY_U16,
          .labels = true,
          .colours = chosen,
          .n_colours = OVERLAY_COLOURS,
          .invalid = 0,
          .opacity = 255}));
  finish (kind, &c, list);
  check (at (&c, 0, 0, 1) == 0);
  for (int i = 1; i <= OVERLAY_COLOURS; i++) {
    check (at (&c, i, 0, 0) == 2 * (i - 1) && at (&c, i, 0, 1) == 7);
    check (at (&c, i, 0, 2) == 255 - (i - 1));
  }
}

/* The image's opaque red half keeps its colour although a transparent blue
 * texel is next to it; the other half leaves the frame. */
static void
test_image (DeviceKind kind)
{
  AUTO (Frame) c = frame_new (IMAGE_RGB, 10, 6, 0, 1);
  OverlayList *list = list_for (&c);

  frame_fill_rows (&c, 0);
  overlay_image (list, &(ImageBox){1, 1, 9, 5}, 255);
  finish (kind, &c, list);
  for (int y = 1; y < 5; y++) {
    check (at (&c, 1, y, 0) == 255 && at (&c, 2, y, 0) == 255);
    check (at (&c, 4, y, 0) > 100 && at (&c, 5, y, 0) < 155);
    check (at (&c, 8, y, 0) == 0 && at (&c, 0, y, 0) == 0);
    for (int x = 0; x < 10; x++)
      check (at (&c, x, y, 1) == 0 && at (&c, x, y, 2) == 0);
  }
}

/* ---- Both backends against each other ---- */

static double
position (int size)
{
  return (int) rnd (3 * size * 256) / 256. - size;
}

static void
random_shape (OverlayList *list, int w, int h)
{
  double x0 = position (w), y0 = position (h), x1 = position (w);
  double y1 = position (h), width = rnd (2000) / 256.;

  switch (rnd (6)) {
    case 0:
      overlay_fill (list, x0, y0, x1, y1, width);
      break;
    case 1:
      overlay_outline (list, x0, y0, x1, y1, width, rnd (1000) / 256.);
      break;
    case 2:
      overlay_dashes (list, x0, y0, x1, y1, width, rnd (9), rnd (9));
      break;
    case 3:
      overlay_image (list, &(ImageBox){x0, y0, x1, y1}, rnd (256));
      break;
    case 4:
      overlay_glyph (list, x0, y0, &(ImageBox){rnd (4), rnd (2), 4, 2});
      break;
    default:
      overlay_line (list, x0, y0, x1, y1, width, rnd (256));
  }
}

static OverlayList *
random_list (const Frame *c)
{
  OverlayList *list = list_for (c);

  for (int n = 1 + rnd (40); n; n--) {
    if (rnd (2) || n == 40)
      overlay_stroke (
          list, (OverlayColour){rnd (256), rnd (256), rnd (256), rnd (256)});
    random_shape (list, c->image.width, c->image.height);
  }
  return list;
}

/* Random numbers of any format, floats with NaNs and infinities among them. */
static void
random_map (OverlayMap *map, void *numbers, size_t bytes)
{
  *map = (OverlayMap){.pixels = numbers,
      .on_host = true,
      .width = 1 + rnd (40),
      .height = 1 + rnd (40),
      .format = rnd (4),
      .labels = rnd (2),
      .rgb = rnd (3) == 0,
      .scale = (int) rnd (9) - 4,
      .offset = rnd (100),
      .invalid = rnd (2) ? NAN : rnd (256),
      .opacity = rnd (256)};
  map->stride = (map->width * (map->rgb ? 3 : 1) + rnd (4)) * 4;
  if (rnd (2) || map->rgb)
    map->low = rnd (500), map->high = 500 + rnd (500);
  for (size_t i = 0; i < bytes; i++)
    ((uint8_t *) numbers)[i] = rnd (256);
}

static Frame
random_frame (void)
{
  Frame c = frame_new (
      all_formats[rnd (N_FORMATS)], 1 + rnd (150), 1 + rnd (150), rnd (20), 1);

  c.image.matrix = rnd (3);
  c.image.full_range = rnd (2);
  frame_fill_rows (&c, -1);
  return c;
}

static void
test_parity (DeviceKind kind)
{
  static uint32_t numbers[124 * 40];

  for (int i = 0; i < 400; i++) {
    AUTO (Frame) cpu = random_frame (), gpu = frame_copy (&cpu);
    OverlayList *list = random_list (&cpu);
    OverlayMap map;

    random_map (&map, numbers, sizeof numbers);
    if (rnd (2))
      ok (overlay_map (list, &map));
    ok (draw (DEVICE_CPU, &cpu, list));
    ok (draw (DEVICE_CUDA, &gpu, list));
    check (!memcmp (cpu.memory, gpu.memory, cpu.bytes));
    overlay_list_free (list);
  }
}

/* What a frame shows does not depend on where its edges are: a drawing on a
 * large frame, cropped, is the drawing on a small one. */
static void
test_clipping (DeviceKind kind)
{
  for (int i = 0; i < 60; i++) {
    int w = 2 + rnd (40), h = 2 + rnd (40);
    AUTO (Frame) small = frame_new (IMAGE_RGB, w, h, 0, 1);
    AUTO (Frame) large = frame_new (IMAGE_RGB, 3 * w, 3 * h, 0, 1);
    OverlayList *here = list_for (&small), *there = list_for (&large);
    OverlayColour c = {rnd (256), rnd (256), rnd (256), rnd (256)};
    double x0 = position (w), y0 = position (h), x1 = position (w);
    double y1 = position (h), width = rnd (1500) / 256.;

    frame_fill_rows (&small, 90);
    frame_fill_rows (&large, 90);
    for (int n = 0; n < 2; n++) {
      OverlayList *list = n ? there : here;
      double dx = n * w, dy = n * h;

      overlay_stroke (list, c);
      overlay_line (list, x0 + dx, y0 + dy, x1 + dx, y1 + dy, width, 200);
      overlay_outline (list, x0 + dx, y0 + dy, x1 + dx, y1 + dy, 3, width);
    }
    finish (kind, &small, here);
    finish (kind, &large, there);
    for (int y = 0; y < h; y++)
      check (!memcmp (small.image.plane[0] + (size_t) y * small.image.stride[0],
          large.image.plane[0] + (size_t) (y + h) * large.image.stride[0] +
              3 * w,
          3 * w));
  }
}

/* Drawing opaquely again changes nothing, and nothing changes outside. */
static void
test_opaque (DeviceKind kind)
{
  for (int i = 0; i < 40; i++) {
    int x = rnd (60), y = rnd (60), w = rnd (40), h = rnd (40);
    AUTO (Frame) c = frame_new (IMAGE_BGRA, 70, 70, 4, 1), before, once = {0};

    frame_fill_rows (&c, -1);
    before = frame_copy (&c);
    for (int n = 0; n < 2; n++) {
      OverlayList *list = list_for (&c);

      overlay_stroke (list, red);
      overlay_fill (list, x, y, x + w, y + h, 0);
      finish (kind, &c, list);
      if (n == 0)
        once = frame_copy (&c);
    }
    check (!memcmp (c.memory, once.memory, c.bytes));
    for (int py = 0; py < 70; py++)
      for (int px = 0; px < 70; px++)
        if (px < x || py < y || px >= x + w || py >= y + h)
          check (at (&c, px, py, 1) == at (&before, px, py, 1));
  }
}

/* The same drawing in any format: its components are those of the drawing on
 * an RGB frame, but for rounding.  Boxes are even, so chroma is not mixed. */
static void
test_formats (DeviceKind kind)
{
  Yuv m = yuv_of (IMAGE_BT709, false), grey = yuv_of (IMAGE_BT709, true);

  for (int f = 0; f < N_FORMATS; f++) {
    AUTO (Frame) c = frame_new (all_formats[f], 32, 24, 6, 1);
    AUTO (Frame) rgb = frame_new (IMAGE_RGB, 32, 24, 0, 1);
    bool yuv = image_is_yuv (all_formats[f]);
    bool is_grey = all_formats[f] <= IMAGE_GRAY16;

    c.image.matrix = IMAGE_BT709;
    frame_fill_rows (&c, 128); /* mid grey in all of them, nearly */
    frame_fill_rows (&rgb, 128);
    for (int n = 0; n < 2; n++) {
      OverlayList *list = list_for (&c);

      overlay_stroke (list, red);
      overlay_fill (list, 4, 6, 20, 18, 0);
      overlay_stroke (list, half);
      overlay_fill (list, 10, 10, 30, 22, 0);
      finish (kind, n ? &rgb : &c, list);
    }
    for (int y = 6; y < 22; y++)
      for (int x = 4; x < 30; x++) {
        uint8_t want[3], got[3];

        image_read (&rgb.image, x, y, want);
        image_read (&c.image, x, y, got);
        if (want[0] == 128 && want[1] == 128)
          continue;
        if (yuv || is_grey)
          yuv_from_rgb (yuv ? &m : &grey, want, want);
        for (int k = 0; k < (is_grey ? 1 : 3); k++)
          check_near (got[k], want[k], yuv ? 4 : is_grey ? 2 : 0);
      }
  }
}

static const CheckPart parity[] = {{"random", test_parity}, {NULL, NULL}};

CHECK_MAIN (parity, bench, {"boxes", test_box}, PART (lines),
    {"strokes", test_stroke}, {"glyphs", test_glyph}, PART (chroma),
    {"maps", test_map}, {"far range", test_far_range}, PART (rgb),
    PART (labels), {"chosen labels", test_chosen_labels},
    {"images", test_image}, PART (clipping), PART (opaque), PART (formats),
    PART (flight), PART (nonsense), {"left out", test_left_out}, PART (errors),
    {"failing device", test_failing_device}, {"tiny frames", test_tiny})
