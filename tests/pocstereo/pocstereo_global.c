/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How whole views lie against each other: against offsets that the pictures
 * were made with, and against the same formula with FFTW in double precision.
 */
#ifdef HAVE_FFTW
# include <complex.h>
# include <fftw3.h>
#endif
#include <math.h>

#include "check.h"
#include "pocstereo/rig/pocstereo_global.h"

#ifdef HAVE_FFTW

/* ---- The correlation of two whole views by FFTW, complex and in double
 * precision, with the sums written out anew ---- */

static double
oracle_window (int i, int n)
{
  double s = sin (M_PI * (i + .5) / n);

  return s * s;
}

static fftw_complex *
oracle_spectrum (const uint16_t *view, int width, int height)
{
  fftw_complex *s = fftw_alloc_complex ((size_t) width * height);
  fftw_plan plan =
      fftw_plan_dft_2d (height, width, s, s, FFTW_FORWARD, FFTW_ESTIMATE);

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      s[y * width + x] = (view[y * width + x] - 2040.) *
          oracle_window (x, width) * oracle_window (y, height);
  fftw_execute (plan);
  fftw_destroy_plan (plan);
  return s;
}

/* Frequency @k of @n, signed, in cycles a pixel. */
static double
oracle_frequency (int k, int n)
{
  return (k > n / 2 ? k - n : k) / (double) n;
}

/* The highest value, of 1, and its column, refined by a Gaussian; for sides
 * that the library transforms whole. */
static void
oracle_peak (const uint16_t *left, const uint16_t *right, int width, int height,
    double *peak, double *disparity)
{
  fftw_complex *f = oracle_spectrum (left, width, height);
  fftw_complex *g = oracle_spectrum (right, width, height);
  fftw_plan plan =
      fftw_plan_dft_2d (height, width, f, f, FFTW_BACKWARD, FFTW_ESTIMATE);
  double full = 0, a, b, c;
  int best = 0, x, y;

  for (int ky = 0; ky < height; ky++)
    for (int kx = 0; kx < width; kx++) {
      double u = oracle_frequency (kx, width);
      double v = oracle_frequency (ky, height);
      double weight = exp (-(u * u + v * v) / (2 * .15 * .15));
      double complex r = f[ky * width + kx] * conj (g[ky * width + kx]);

      if (fabs (u) * width < 1.5 && fabs (v) * height < 1.5)
        weight = 0;
      full += weight;
      f[ky * width + kx] = cabs (r) > 0 ? weight * r / cabs (r) : 0;
    }
  fftw_execute (plan);
  for (int i = 0; i < width * height; i++)
    if (creal (f[i]) > creal (f[best]))
      best = i;
  x = best % width;
  y = best / width;
  a = log (creal (f[y * width + (x + width - 1) % width]));
  b = log (creal (f[best]));
  c = log (creal (f[y * width + (x + 1) % width]));
  *peak = creal (f[best]) / full;
  *disparity = x + .5 * (a - c) / (a - 2 * b + c);
  if (*disparity > width / 2)
    *disparity -= width;
  fftw_destroy_plan (plan);
  fftw_free (f);
  fftw_free (g);
}

#endif

/* ---- Views whose offset is known ---- */

#define WIDTH 320
#define HEIGHT 240

/* Two views of one texture: a sum of waves, which can be asked anywhere. */
typedef struct {
  int width, height;
  uint16_t *view[2];
} Pair;

#define WAVES 60

typedef struct {
  double u[WAVES], v[WAVES], phase[WAVES];
} Texture;

static double
unit (void)
{
  return rnd (1000000) / 1e6;
}

static Texture
texture (void)
{
  Texture t;

  for (int i = 0; i < WAVES; i++) {
    double angle = 2 * M_PI * unit (), f = .2 + 1.2 * unit ();

    t.u[i] = f * cos (angle);
    t.v[i] = f * sin (angle);
    t.phase[i] = 2 * M_PI * unit ();
  }
  return t;
}

static uint16_t
sample (const Texture *t, double x, double y)
{
  double sum = 0;

  for (int i = 0; i < WAVES; i++)
    sum += cos (t->u[i] * x + t->v[i] * y + t->phase[i]);
  sum = 2040 + 160 * sum;
  return (uint16_t) (sum < 0 ? 0 : sum > 4080 ? 4080 : nearbyint (sum));
}

static void
pair_new (Pair *p, int width, int height)
{
  p->width = width;
  p->height = height;
  for (int v = 0; v < 2; v++)
    p->view[v] = calloc ((size_t) width * height, sizeof *p->view[v]);
}

static void
pair_free (Pair *p)
{
  free (p->view[0]);
  free (p->view[1]);
}

AUTO_FREE (Pair, pair_free)

/* The right view shows what the left one shows at (x, y) at (x - d, y + lower),
 * where d is @near in the lower half and @far in the upper. */
static void
render (Pair *p, const Texture *t, double near, double far, double lower)
{
  for (int y = 0; y < p->height; y++)
    for (int x = 0; x < p->width; x++) {
      double d = 2 * y < p->height ? far : near;
      size_t at = (size_t) y * p->width + x;

      p->view[0][at] = sample (t, x, y);
      p->view[1][at] = sample (t, x + d, y - lower);
    }
}

/* In memory of @kind; what comes out of it. */
static PocstereoOffset
measure (DeviceKind kind, const Pair *p)
{
  PocstereoOffset offset = {NAN, NAN, NAN, NAN};
  PocstereoFrame frame = {p->width, p->height, {NULL, NULL}, p->width};
  size_t bytes = (size_t) p->width * p->height * sizeof (uint16_t);
  PocstereoGlobal *g;
  AUTO (Device) device = device_of (kind);
  void *copy[2];

  for (int v = 0; v < 2; v++) {
    ok (device_alloc (&device, &copy[v], bytes));
    ok (device_copy (&device, copy[v], p->view[v], bytes));
    frame.view[v] = copy[v];
  }
  ok (pocstereo_global_new (&g, &device, p->width, p->height));
  ok (pocstereo_global_run (g, &frame, &offset));
  pocstereo_global_free (g);
  for (int v = 0; v < 2; v++)
    device_release (&device, copy[v]);
  return offset;
}

static void
test_offsets (DeviceKind kind)
{
  static const double offsets[][2] = {
      {0, 0}, {7, 0}, {-12, 3}, {4.5, .5}, {-20.25, -1.25}, {30, .1}};
  Texture t = texture ();
  AUTO (Pair) p;

  pair_new (&p, WIDTH, HEIGHT);
  for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
    double d = offsets[i][0], lower = offsets[i][1];
    PocstereoOffset o;

    render (&p, &t, d, d, lower);
    o = measure (kind, &p);
    check_near (o.disparity, d, .05);
    check_near (o.vertical, lower, .05);
    check (o.contrast > POCSTEREO_GLOBAL_CONTRAST);
    check (o.peak > .3 && o.peak <= 1.0001);
  }
}

/* Two disparities, one row. */
static void
test_depths (DeviceKind kind)
{
  Texture t = texture ();
  PocstereoOffset o;
  AUTO (Pair) p;

  pair_new (&p, WIDTH, HEIGHT);
  render (&p, &t, 25, 8, .75);
  o = measure (kind, &p);
  check_near (o.vertical, .75, .05);
  check (fabs (o.disparity - 25) < .2 || fabs (o.disparity - 8) < .2);
}

/* A view whose pixels are means of four: offsets in pixels of the view. */
static void
test_large (DeviceKind kind)
{
  Texture t = texture ();
  PocstereoOffset o;
  AUTO (Pair) p;

  for (int i = 0; i < WAVES; i++)
    t.u[i] /= 2, t.v[i] /= 2;
  pair_new (&p, 1030, 402);
  render (&p, &t, 14, 14, 1.5);
  o = measure (kind, &p);
  check_near (o.disparity, 14, .2);
  check_near (o.vertical, 1.5, .2);
}

static void
test_nothing (DeviceKind kind)
{
  PocstereoOffset o;
  AUTO (Pair) p;

  pair_new (&p, WIDTH, HEIGHT);
  o = measure (kind, &p); /* black */
  check (o.contrast < POCSTEREO_GLOBAL_CONTRAST);
  for (int v = 0; v < 2; v++)
    for (int i = 0; i < WIDTH * HEIGHT; i++)
      p.view[v][i] = (uint16_t) rnd (4081);
  o = measure (kind, &p); /* two views that have nothing in common */
  check (o.contrast < POCSTEREO_GLOBAL_CONTRAST);
}

static void
test_hostile (DeviceKind kind)
{
  static const int sides[][2] = {{15, 100}, {100, 15}, {8193, 16}, {-1, 16},
      {8192, 16}, {8192, 31}, {4104, 31}}; /* the last: no row is left */
  PocstereoOffset offset;
  PocstereoFrame frame = {.width = 17, .height = 33, .stride = 17};
  PocstereoGlobal *g;
  AUTO (Device) device = device_of (kind);

  for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
    check (pocstereo_global_new (&g, &device, sides[i][0], sides[i][1]));
    pocstereo_global_free (g);
  }
  ok (pocstereo_global_new (&g, &device, 16, 33));
  check (pocstereo_global_run (g, &frame, &offset));
  pocstereo_global_free (g);
}

/* Views that are as flat and as tall as they may be. */
static void
test_extremes (DeviceKind kind)
{
  static const int sides[][2] = {{8192, 32}, {4103, 16}, {16, 8192}};

  for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
    PocstereoOffset o;
    AUTO (Pair) p;

    pair_new (&p, sides[i][0], sides[i][1]);
    for (int at = 0; at < p.width * p.height; at++)
      p.view[0][at] = p.view[1][at] = (uint16_t) rnd (4080);
    o = measure (kind, &p);
    check_near (o.disparity, 0, .01);
  }
}

#ifdef HAVE_FFTW
/* Every value of the correlation follows from the same transforms; its peak and
 * row are enough to see that. */
static void
test_oracle (DeviceKind kind)
{
  for (int i = 0; i < 4; i++) {
    Texture t = texture ();
    PocstereoOffset o;
    double peak, disparity;
    AUTO (Pair) p;

    pair_new (&p, 64 + 32 * i, 48 + 16 * i);
    render (&p, &t, 3 + i, 1.5, .5 * i);
    for (int v = 0; v < 2; v++)
      for (int at = 0; at < p.width * p.height; at++)
        p.view[v][at] = (uint16_t) (p.view[v][at] * 9 / 10 + rnd (400));
    o = measure (kind, &p);
    oracle_peak (p.view[0], p.view[1], p.width, p.height, &peak, &disparity);
    check_near (o.peak, peak, 1e-4);
    check_near (o.disparity, disparity, 2e-3);
  }
}
#endif

static void
test_parity (DeviceKind kind)
{
  for (int i = 0; i < 4; i++) {
    Texture t = texture ();
    PocstereoOffset cpu, cuda;
    AUTO (Pair) p;

    pair_new (&p, 320 + 77 * i, 161 + 50 * i);
    render (&p, &t, 9 + i, 2, .3 * i);
    cpu = measure (DEVICE_CPU, &p);
    cuda = measure (DEVICE_CUDA, &p);
    check_near (cuda.disparity, cpu.disparity, 2e-3);
    check_near (cuda.vertical, cpu.vertical, 2e-3);
    check_near (cuda.peak, cpu.peak, 1e-4);
  }
}

int
main (int argc, char **argv)
{
  static const CheckPart on_each[] = {{"offsets", test_offsets},
      {"depths", test_depths}, {"large", test_large}, {"nothing", test_nothing},
      {"hostile", test_hostile}, {"extremes", test_extremes},
#ifdef HAVE_FFTW
      {"oracle", test_oracle},
#endif
      {NULL, NULL}};
  static const CheckPart parity[] = {{"parity", test_parity}, {NULL, NULL}};

  return check_main (argc, argv, on_each, parity, NULL);
}
