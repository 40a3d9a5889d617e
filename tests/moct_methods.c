/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The methods of moct against a plain loop over the pixels and against each
 * other; the paper's levels against values worked by hand.  --bench prints the
 * paper's curves. */
#include "moct_methods_bench.h"
#include "moct_methods_levels.h"

/* The paper's methods must give what the plain loop gives. */
static void
check_sums (DeviceKind kind, const MoctParams *p, const Frame *f,
    const ImageBox *windows)
{
  static MoctSum expected[MOCT_MAX_COLOURS], got[MOCT_MAX_COLOURS];
  Rig rig;

  rig_open (&rig, kind, p, f, windows);
  sum_pixels (p, f, windows, expected);
  for (int i = FIRST_OF_PAPER; i < N_WAYS; i++) {
    sum_by (&rig, &ways[i], got);
    check (!memcmp (got, expected, p->n_colours * sizeof *got));
  }
  rig_close (&rig);
}

static void
set_way (MoctParams *p, const Way *way)
{
  p->method = way->method;
  p->layout = way->layout;
  p->reduction_factor = way->factor ? way->factor : 40;
}

/* The object that has these sums, but for its id. */
static bool
is_of_sums (const MoctObject *o, const MoctSum *s)
{
  return o->area == s->n && o->cx == (double) s->x / (double) s->n &&
      o->cy == (double) s->y / (double) s->n && o->x0 == s->box.x0 &&
      o->y0 == s->box.y0 && o->x1 == s->box.x1 && o->y1 == s->box.y1;
}

/* And so must every method, fused too, through moct_run(); what follows from
 * the second moments is the same in all. */
static void
check_objects (DeviceKind kind, const MoctParams *params, const Frame *f)
{
  static MoctObject first[MOCT_MAX_COLOURS];
  static MoctSum expected[MOCT_MAX_COLOURS];
  static ImageBox windows[MOCT_MAX_COLOURS];
  MoctParams p = *params;
  Device dev;
  void *memory;
  Image there;
  Moct *m;

  for (int k = 0; k < p.n_colours; k++)
    windows[k] = p.region;
  sum_pixels (&p, f, windows, expected);
  ok (device_open (&dev, kind, NULL));
  there = frame_to_device (f, &dev, &memory);
  ok (moct_new (&m, &dev, f->image.width, f->image.height, 0));
  for (int i = 0; i < N_WAYS; i++) {
    const MoctObject *o;
    int n, k = 0;

    set_way (&p, &ways[i]);
    ok (moct_reset (m));
    ok (moct_run (m, &p, &there, 0, &o, &n));
    for (int j = 0; j < n; j++, k++) {
      while (k < p.n_colours && !expected[k].n)
        k++;
      check (k == o[j].colour && is_of_sums (&o[j], &expected[k]));
      if (i == 0)
        first[k] = o[j];
      check (o[j].orientation == first[k].orientation);
      check (o[j].elongation == first[k].elongation);
    }
    while (k < p.n_colours && !expected[k].n)
      k++;
    check (k == p.n_colours);
  }
  moct_free (m);
  device_release (&dev, memory);
  device_close (&dev);
}

static void
test_random (DeviceKind kind)
{
  static Scene s;

  for (int round = 0; round < 40; round++) {
    random_scene (&s, 150, 120);
    check_sums (kind, &s.params, &s.frame, s.windows);
    s.params.region = s.windows[0];
    check_objects (kind, &s.params, &s.frame);
    check (frame_is_unharmed (&s.frame));
    frame_free (&s.frame);
  }
}

/* One pixel, one row, one column, fewer pixels than colours; all pixels of one
 * class, the last one. */
static void
test_small (DeviceKind kind)
{
  static const int sizes[][3] = {{1, 1, 1}, {1, 1, 1024}, {1, 300, 3},
      {300, 1, 3}, {5, 3, 1024}, {33, 31, 1000}, {2, 2, 5}, {641, 1, 1}};
  static MoctColour c[MOCT_MAX_COLOURS];
  static ImageBox windows[MOCT_MAX_COLOURS];
  static const uint8_t none[3] = {0, 0, 0}, all[3] = {255, 255, 255};

  for (int i = 0; i < 8; i++) {
    int w = sizes[i][0], h = sizes[i][1], n = sizes[i][2];
    Frame f = frame_new (IMAGE_RGB, w, h, 0, 1);
    MoctParams p = sums_params (c, n);

    frame_fill (&f, (ImageBox){0, 0, w, h}, all);
    for (int k = 0; k < n; k++) {
      c[k] = box_colour (IMAGE_RGB, none, k == n - 1 ? all : none);
      windows[k] = p.region;
    }
    check_sums (kind, &p, &f, windows);
    check_objects (kind, &p, &f);
    frame_free (&f);
  }
}

/* A full frame, whose sums have closed forms and need more than 32 bits. */
static void
test_full (DeviceKind kind)
{
  const uint64_t w = 1921, h = 1079, x = w * (w - 1) / 2, y = h * (h - 1) / 2;
  static const uint8_t none[3] = {0, 0, 0}, all[3] = {255, 255, 255};
  MoctColour c = box_colour (IMAGE_GRAY8, none, all);
  MoctParams p = sums_params (&c, 1);
  Frame f = frame_new (IMAGE_GRAY8, (int) w, (int) h, 0, 1);
  Rig rig;

  rig_open (&rig, kind, &p, &f, &p.region);
  for (int i = FIRST_OF_PAPER; i < N_WAYS; i += 3) {
    MoctSum s;

    sum_by (&rig, &ways[i], &s);
    check (s.n == w * h && s.x == h * x && s.y == w * y && s.xy == x * y);
    check (s.xx == h * (x * (2 * w - 1) / 3));
    check (s.yy == w * (y * (2 * h - 1) / 3));
    check (s.box.x0 == 0 && s.box.y0 == 0);
    check (s.box.x1 == (int) w && s.box.y1 == (int) h);
  }
  rig_close (&rig);
  frame_free (&f);
}

static bool
same_object (const MoctObject *a, const MoctObject *b)
{
  return a->id == b->id && a->state == b->state && a->area == b->area &&
      a->cx == b->cx && a->cy == b->cy && a->orientation == b->orientation &&
      a->elongation == b->elongation;
}

/* Two objects of 12 x 8 pixels on their way; from the fifth frame on the first
 * has a look-alike that its gate leaves out.  The method changes from frame to
 * frame in @m, which must find what @fused finds. */
static void
test_moct_run (DeviceKind kind)
{
  static const uint8_t red[3] = {220, 30, 30}, blue[3] = {20, 30, 200};
  static const uint8_t grey[3] = {120, 120, 120};
  MoctColour c[2] = {
      box_colour (IMAGE_RGB, red, red), box_colour (IMAGE_RGB, blue, blue)};
  MoctParams p = sums_params (c, 2);
  const MoctObject *a, *b;
  Moct *m, *fused;
  int n_a, n_b;
  Device dev;

  p.gate = 1;
  ok (device_open (&dev, kind, NULL));
  ok (moct_new (&m, &dev, 321, 200, 0));
  ok (moct_new (&fused, &dev, 321, 200, 0));
  for (int i = 0; i < 2 * N_WAYS; i++) {
    Frame f = frame_new (IMAGE_RGB, 321, 200, 0, 1);
    void *memory;
    Image there;

    frame_fill (&f, (ImageBox){0, 0, 321, 200}, grey);
    frame_fill (&f, (ImageBox){10 + i, 20, 22 + i, 28}, red);
    frame_fill (&f, (ImageBox){200, 50 + i, 212, 58 + i}, blue);
    if (i > 3)
      frame_fill (&f, (ImageBox){250, 150, 290, 190}, red);
    there = frame_to_device (&f, &dev, &memory);
    p.method = MOCT_FUSED;
    ok (moct_run (fused, &p, &there, 1. / 30, &a, &n_a));
    set_way (&p, &ways[i % N_WAYS]);
    ok (moct_run (m, &p, &there, 1. / 30, &b, &n_b));
    check (n_a == 2 && n_b == 2);
    check (same_object (&a[0], &b[0]) && same_object (&a[1], &b[1]));
    check (b[0].area == 96 && b[0].cx == 15.5 + i && b[0].cy == 23.5);
    check (b[1].area == 96 && b[1].cx == 205.5 && b[1].cy == 53.5 + i);
    device_release (&dev, memory);
    frame_free (&f);
  }
  moct_free (m);
  moct_free (fused);
  device_close (&dev);
}

static void
test_parity (DeviceKind kind)
{
  static MoctSum cpu_sums[MAX_COLOURS], cuda_sums[MAX_COLOURS];
  static Scene s;
  Rig cpu, cuda;

  (void) kind;
  for (int round = 0; round < 40; round++) {
    random_scene (&s, 700, 500);
    rig_open (&cpu, DEVICE_CPU, &s.params, &s.frame, s.windows);
    rig_open (&cuda, DEVICE_CUDA, &s.params, &s.frame, s.windows);
    for (int i = FIRST_OF_PAPER; i < N_WAYS; i++) {
      sum_by (&cpu, &ways[i], cpu_sums);
      sum_by (&cuda, &ways[i], cuda_sums);
      check (
          !memcmp (cpu_sums, cuda_sums, s.params.n_colours * sizeof *cpu_sums));
    }
    rig_close (&cpu);
    rig_close (&cuda);
    frame_free (&s.frame);
  }
}

static const CheckPart on_each[] = {{"layouts and levels", test_levels},
    {"equations (1) and (2)", test_bound},
    {"sums against a plain loop", test_random}, {"small frames", test_small},
    {"a full frame", test_full}, {"too large", test_too_large},
    {"through moct_run", test_moct_run}, {NULL, NULL}};

static const CheckPart parity[] = {{"CPU and CUDA", test_parity}, {NULL, NULL}};

int
main (int argc, char **argv)
{
  return check_main (argc, argv, on_each, parity, bench);
}
