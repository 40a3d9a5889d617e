/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The rectification of stereo pairs. */
#include "bench_median.h"
#include "pocstereo_rectify_oracle.h"
#include "pocstereo_rectify_picture.h"

/* White noise, where 1/2048 pixel and the weights' rounding tell most. */
static void
test_oracle (DeviceKind kind)
{
  for (int round = 0; round < 20; round++) {
    int w = 30 + (int) rnd (60), h = 30 + (int) rnd (60);
    PocstereoView view[2] = {view_random (w, h), view_random (w, h)};
    Pair p = pair_new (canvas_formats[round % CANVAS_FORMATS],
        canvas_formats[rnd (CANVAS_FORMATS)], w, h);

    view[0].d[12] = view[0].d[13] = view[1].d[12] = view[1].d[13] = 0;
    p.view = view;
    pair_run (&p, kind);
    for (int i = 0; i < 2 * w * h; i++) {
      int k = i / (w * h), x = i % w, y = i / w % h;
      double at[2], e = 1e-3;

      if (!place_of (&view[k], x, y, at)) {
        check (!p.valid[k][y * w + x]);
        continue;
      }
      bool in =
          at[0] >= e && at[1] >= e && at[0] <= w - 1 - e && at[1] <= h - 1 - e;
      bool out =
          at[0] < -e || at[1] < -e || at[0] > w - 1 + e || at[1] > h - 1 + e;

      check (
          !(in && !p.valid[k][y * w + x]) && !(out && p.valid[k][y * w + x]));
      check_near (
          pair_at (&p, k, x, y), grey_by_keys (&p.frame[k].image, at), 12);
    }
    pair_free (&p);
  }
}

/* One grey stays what it is, and a slope keeps its slope. */
static void
test_slopes (DeviceKind kind)
{
  enum { W = 64, H = 48 };
  PocstereoView view[2] = {view_random (W, H), view_random (W, H)};
  Pair p = pair_new (IMAGE_GRAY8, IMAGE_NV12, W, H);
  static PocstereoPosition map[W * H];

  canvas_fill (&p.frame[0], 173);
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++)
      p.frame[1].image.plane[0][y * p.frame[1].image.stride[0] + x] =
          (uint8_t) (3 * x + y);
  p.view = view;
  pair_run (&p, kind);
  pocstereo_rectify_map (&view[1], W, H, map, p.valid[1]);
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      double u = map[y * W + x].x / 1024., v = map[y * W + x].y / 1024.;

      check (pair_at (&p, 0, x, y) == 16 * 173);
      if (u >= 1 && v >= 1 && u < W - 2 && v < H - 2)
        check_near (pair_at (&p, 1, x, y), 16 * (3 * u + v), 1.1);
    }
  pair_free (&p);
}

static void
refused (PocstereoRectify *r, const PocstereoView *good, double *place,
    PocstereoView *bad, double value, const char *word)
{
  double kept = *place;
  const char *error;

  *place = value;
  error = pocstereo_rectify_set (r, good, bad);
  check (error && strstr (error, word));
  error = pocstereo_rectify_set (r, bad, good);
  check (error && strstr (error, word));
  *place = kept;
}

static void
test_refusals (DeviceKind kind)
{
  PocstereoView good = view_plain (20, 10, 30), bad = good;
  Pair p = pair_new (IMAGE_GRAY8, IMAGE_GRAY8, 20, 10);
  Image other = p.frame[0].image;
  PocstereoRectify *r = NULL, *none = NULL;
  Device dev;

  ok (device_open (&dev, kind, NULL));
  check (pocstereo_rectify_new (&none, &dev, 0, 10) != NULL);
  pocstereo_rectify_free (none);
  check (pocstereo_rectify_new (&none, &dev, 10, 16385) != NULL);
  pocstereo_rectify_free (none);
  pocstereo_rectify_free (NULL);
  ok (pocstereo_rectify_new (&r, &dev, 20, 10));
  refused (r, &good, &bad.k[0], &bad, 0, "focal");
  refused (r, &good, &bad.p[5], &bad, -1, "focal");
  refused (r, &good, &bad.d[13], &bad, NAN, "finite");
  refused (r, &good, &bad.p[11], &bad, INFINITY, "finite");
  refused (r, &good, &bad.r[8], &bad, 0, "inverted");
  check (!pocstereo_rectify_valid (r, 0));
  ok (pocstereo_rectify_set (r, &good, &good));
  refused (r, &good, &bad.r[0], &bad, 1e-12, "inverted");
  check (pocstereo_rectify_valid (r, 0) && pocstereo_rectify_valid (r, 1));
  check (pocstereo_rectify_set (r, &good, NULL) != NULL);
  ok (pocstereo_rectify_set (r, NULL, NULL));
  check (!pocstereo_rectify_valid (r, 1));
  check (pocstereo_rectify_run (r, &other, &other, p.sample, 19) != NULL);
  other.width = 19;
  check (pocstereo_rectify_run (r, &p.frame[0].image, &other, p.sample, 20) !=
      NULL);
  pocstereo_rectify_free (r);
  device_close (&dev);
  pair_free (&p);
}

/* Views that no camera has: nothing is read or written where it must not be. */
static void
test_wild (DeviceKind kind)
{
  for (int round = 0; round < 60; round++) {
    int w = 1 + (int) rnd (6), h = 1 + (int) rnd (6);
    PocstereoView view[2] = {view_random (w, h), view_random (w, h)};
    Pair p = pair_new (canvas_formats[rnd (CANVAS_FORMATS)],
        canvas_formats[rnd (CANVAS_FORMATS)], w, h);

    for (int i = 0; i < 14; i++)
      view[0].d[i] = between (-1, 1) * pow (10, between (0, 200));
    view[1].k[2] = between (-1e300, 1e300);
    p.view = view;
    pair_run (&p, kind);
    for (int i = 0; i < w * h; i++)
      check (p.valid[0][i] <= 1 && p.valid[1][i] <= 1);
    check (canvas_guarded (&p.frame[0]) && canvas_guarded (&p.frame[1]));
    pair_free (&p);
  }
}

/* Where a rectified pixel comes from, it is found again. */
static void
test_find (DeviceKind kind)
{
  enum { W = 64, H = 48, VIEWS = 50 };
  static PocstereoPosition map[W * H];
  static uint8_t valid[W * H];
  int lost = 0, all = 0;

  (void) kind;
  for (int round = 0; round < VIEWS; round++) {
    PocstereoView v = view_random (W, H);

    v.k[0] = v.k[4] = between (W, 2 * W); /* wider ones fold */
    v.p[0] = v.p[5] = v.k[0] * between (.7, 1.2);
    pocstereo_rectify_map (&v, W, H, map, valid);
    for (int i = 0; i < W * H; i++) {
      double from[2] = {(double) map[i].x / POCSTEREO_MAP_ONE,
          (double) map[i].y / POCSTEREO_MAP_ONE};
      double to[2];

      if (!valid[i])
        continue;
      all++;
      if (!pocstereo_rectify_find (&v, from, to))
        lost++;
      else
        check (fabs (to[0] - i % W) < .1 && fabs (to[1] - i / W) < .1);
    }
  }
  check (all > VIEWS * W * H / 4 && lost == 0);
}

static void
test_parity (DeviceKind kind)
{
  (void) kind;
  for (int round = 0; round < 60; round++) {
    int w = 1 + (int) rnd (200), h = 1 + (int) rnd (100);
    PocstereoView view[2] = {view_random (w, h), view_random (w, h)};
    Pair p = pair_new (canvas_formats[round % CANVAS_FORMATS],
        canvas_formats[rnd (CANVAS_FORMATS)], w, h);
    size_t bytes = sizeof (uint16_t) * p.stride * (h + 2);
    uint16_t *cpu[2] = {malloc (bytes), malloc (bytes)};

    p.view = round % 3 ? view : NULL;
    pair_run (&p, DEVICE_CPU);
    memcpy (cpu[0], p.sample[0], bytes);
    memcpy (cpu[1], p.sample[1], bytes);
    pair_run (&p, DEVICE_CUDA);
    check (!memcmp (cpu[0], p.sample[0], bytes));
    check (!memcmp (cpu[1], p.sample[1], bytes));
    free (cpu[0]);
    free (cpu[1]);
    pair_free (&p);
  }
}

/* Milliseconds of a pair, by batches of 100. */
static double
time_of (DeviceKind kind, ImageFormat format, int w, int h, bool mapped)
{
  PocstereoView view[2] = {view_random (w, h), view_random (w, h)};
  Canvas c = canvas_new (format, w, h, 0);
  int batch = kind == DEVICE_CPU ? 2 : 100;
  void *memory, *out;
  PocstereoRectify *r;
  double times[5];
  Device dev;

  ok (device_open (&dev, kind, NULL));
  Image image = canvas_upload (&c, &dev, &memory);
  ok (device_alloc (&dev, &out, sizeof (uint16_t) * 2 * w * h));
  uint16_t *samples[2] = {out, (uint16_t *) out + (size_t) w * h};
  ok (pocstereo_rectify_new (&r, &dev, w, h));
  ok (pocstereo_rectify_set (
      r, mapped ? view : NULL, mapped ? view + 1 : NULL));
  for (int i = 0; i < 5; i++) {
    DeviceTimer timer = {0};

    ok (device_timer_begin (&dev, &timer));
    for (int k = 0; k < batch; k++)
      ok (pocstereo_rectify_run (r, &image, &image, samples, w));
    ok (device_timer_end (&dev, &timer, &times[i]));
    device_timer_free (&timer);
  }
  pocstereo_rectify_free (r);
  device_release (&dev, memory);
  device_release (&dev, out);
  device_close (&dev);
  canvas_free (&c);
  return 1e3 * bench_median (times, 5) / batch;
}

static int
bench (int argc, char **argv)
{
  static const ImageFormat formats[] = {IMAGE_GRAY8, IMAGE_P010, IMAGE_RGBA};
  static const char *const names[] = {"GRAY8", "P010", "RGBA"};
  int last = device_cuda_probe () ? DEVICE_CPU : DEVICE_CUDA;

  (void) argc;
  (void) argv;
  for (int kind = DEVICE_CPU; kind <= last; kind++)
    for (int big = 0; big < 2; big++)
      for (int i = 0; i < 6; i++) {
        int w = big ? 1280 : 640, h = big ? 720 : 480;

        printf ("%s %dx%d %s %s: %.4f ms a pair\n",
            kind == DEVICE_CPU ? "CPU" : "CUDA", w, h, names[i / 2],
            i % 2 ? "rectified" : "grey",
            time_of ((DeviceKind) kind, formats[i / 2], w, h, i % 2));
      }
  return check_failures != 0;
}

static const CheckPart on_each[] = {{"grey of every format", test_grey},
    {"grey of colours", test_grey_of_colours}, {"lower bits", test_lower_bits},
    {"no map and shifts", test_shifts}, {"lenses", test_lenses},
    {"turned cameras", test_turned}, {"brute force", test_oracle},
    {"flat and sloped", test_slopes}, {"refusals", test_refusals},
    {"wild views of small frames", test_wild},
    {"pixels found again", test_find}, {"in colour", test_picture},
    {"in colour, between pixels", test_picture_between}, {NULL, NULL}};

static const CheckPart parity[] = {{"CPU and CUDA", test_parity},
    {"in colour", test_picture_parity}, {NULL, NULL}};

int
main (int argc, char **argv)
{
  return check_main (argc, argv, on_each, parity, bench);
}
