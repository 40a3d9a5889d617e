/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * meson test -C build overlay-known.  Known pixels, properties of any drawing,
 * both backends against each other, and input that is wrong. */
#include "overlay_bench.h"
#include "overlay_hostile.h"
#include "overlay_known.h"

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
random_list (const Canvas *c)
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
      .scale = (int) rnd (9) - 4,
      .offset = rnd (100),
      .invalid = rnd (2) ? NAN : rnd (256),
      .opacity = rnd (256)};
  map->stride = (map->width + rnd (4)) * 4;
  if (rnd (2))
    map->low = rnd (500), map->high = rnd (500);
  for (size_t i = 0; i < bytes; i++)
    ((uint8_t *) numbers)[i] = rnd (256);
}

static Canvas
random_canvas (void)
{
  Canvas c = canvas_new (canvas_formats[rnd (CANVAS_FORMATS)], 1 + rnd (150),
      1 + rnd (150), rnd (20));

  c.image.matrix = rnd (3);
  c.image.full_range = rnd (2);
  canvas_fill (&c, -1);
  return c;
}

static void
test_parity (DeviceKind kind)
{
  static uint32_t numbers[44 * 40];

  (void) kind;
  for (int i = 0; i < 400; i++) {
    Canvas cpu = random_canvas (), gpu = canvas_copy (&cpu);
    OverlayList *list = random_list (&cpu);
    OverlayMap map;

    random_map (&map, numbers, sizeof numbers);
    if (rnd (2))
      ok (overlay_map (list, &map));
    ok (draw (DEVICE_CPU, &cpu, list));
    ok (draw (DEVICE_CUDA, &gpu, list));
    check (!memcmp (cpu.bytes, gpu.bytes, cpu.size));
    overlay_list_free (list);
    canvas_free (&cpu);
    canvas_free (&gpu);
  }
}

/* What a frame shows does not depend on where its edges are: a drawing on a
 * large frame, cropped, is the drawing on a small one. */
static void
test_clipping (DeviceKind kind)
{
  for (int i = 0; i < 60; i++) {
    int w = 2 + rnd (40), h = 2 + rnd (40);
    Canvas small = canvas_new (IMAGE_RGB, w, h, 0);
    Canvas large = canvas_new (IMAGE_RGB, 3 * w, 3 * h, 0);
    OverlayList *here = list_for (&small), *there = list_for (&large);
    OverlayColour c = {rnd (256), rnd (256), rnd (256), rnd (256)};
    double x0 = position (w), y0 = position (h), x1 = position (w);
    double y1 = position (h), width = rnd (1500) / 256.;

    canvas_fill (&small, 90);
    canvas_fill (&large, 90);
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
    canvas_free (&small);
    canvas_free (&large);
  }
}

/* Drawing opaquely again changes nothing, and nothing changes outside. */
static void
test_opaque (DeviceKind kind)
{
  for (int i = 0; i < 40; i++) {
    int x = rnd (60), y = rnd (60), w = rnd (40), h = rnd (40);
    Canvas c = canvas_new (IMAGE_BGRA, 70, 70, 4), before, once = {0};

    canvas_fill (&c, -1);
    before = canvas_copy (&c);
    for (int n = 0; n < 2; n++) {
      OverlayList *list = list_for (&c);

      overlay_stroke (list, red);
      overlay_fill (list, x, y, x + w, y + h, 0);
      finish (kind, &c, list);
      if (n == 0)
        once = canvas_copy (&c);
    }
    check (!memcmp (c.bytes, once.bytes, c.size));
    for (int py = 0; py < 70; py++)
      for (int px = 0; px < 70; px++)
        if (px < x || py < y || px >= x + w || py >= y + h)
          check (at (&c, px, py, 1) == at (&before, px, py, 1));
    canvas_free (&c);
    canvas_free (&before);
    canvas_free (&once);
  }
}

/* The same drawing in any format: its components are those of the drawing on
 * an RGB frame, but for rounding.  Boxes are even, so chroma is not mixed. */
static void
test_formats (DeviceKind kind)
{
  Yuv m = yuv_of (IMAGE_BT709, false), grey = yuv_of (IMAGE_BT709, true);

  for (int f = 0; f < CANVAS_FORMATS; f++) {
    Canvas c = canvas_new (canvas_formats[f], 32, 24, 6);
    Canvas rgb = canvas_new (IMAGE_RGB, 32, 24, 0);
    bool yuv = image_is_yuv (canvas_formats[f]);
    bool is_grey = canvas_formats[f] <= IMAGE_GRAY16;

    c.image.matrix = IMAGE_BT709;
    canvas_fill (&c, 128); /* mid grey in all of them, nearly */
    canvas_fill (&rgb, 128);
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
    canvas_free (&c);
    canvas_free (&rgb);
  }
}

int
main (int argc, char **argv)
{
  static const CheckPart on_each[] = {{"boxes", test_box},
      {"lines", test_lines}, {"strokes", test_stroke}, {"glyphs", test_glyph},
      {"chroma", test_chroma}, {"maps", test_map}, {"labels", test_labels},
      {"images", test_image}, {"clipping", test_clipping},
      {"opaque", test_opaque}, {"formats", test_formats},
      {"flight", test_flight}, {"nonsense", test_nonsense},
      {"errors", test_errors}, {"failing device", test_failing_device},
      {"tiny frames", test_tiny}, {NULL, NULL}};
  static const CheckPart parity[] = {{"random", test_parity}, {NULL, NULL}};

  return check_main (argc, argv, on_each, parity, bench);
}
