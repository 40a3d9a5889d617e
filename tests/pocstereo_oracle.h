/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The correlation of windows by FFTW in double precision, with windowing,
 * phasors and sums written out anew; and the exactness of the integers. */
#pragma once

#include <complex.h>
#include <fftw3.h>

#include "pocstereo/pocstereo_cpu.h"
#include "pocstereo/pocstereo_fit_core.h"
#include "pocstereo/pocstereo_set.h"
#include "pocstereo_pair.h"

/* The unit phasors of the line around (x, y), frequencies 0 to N / 2. */
static inline void
oracle_line (const Pair *p, int view, int n, int x, int y, fftw_complex *out)
{
  double in[POCSTEREO_MAX_WINDOW], sum = 0, weights = 0;
  fftw_plan plan = fftw_plan_dft_r2c_1d (n, in, out, FFTW_ESTIMATE);

  for (int i = 0; i < n; i++) {
    double w = .5 * (1 + cos (2 * M_PI * (i - n / 2) / n));

    in[i] = *pair_at (p, view, x + i - n / 2, y);
    sum += w * in[i];
    weights += w;
  }
  for (int i = 0; i < n; i++)
    in[i] =
        .5 * (1 + cos (2 * M_PI * (i - n / 2) / n)) * (in[i] - sum / weights);
  fftw_execute (plan);
  for (int k = 0; k <= n / 2; k++)
    out[k] /= cabs (out[k]);
  fftw_destroy_plan (plan);
}

/* The phasors of the lines around (x, y), as the stages take them. */
static inline void
phasors_of (const Pair *p, const PocstereoParams *params,
    PocstereoTables *tables, int view, int x, int y, int8_t *phasors)
{
  PocstereoLayer layer = {.width = p->width, .height = p->height};
  PocstereoCpu cpu = {.plan = NULL};
  PocstereoWork w = {.params = *params, .tables = tables, .state = &cpu};
  Device dev;

  if (params->window <= POCSTEREO_OWN_WINDOW) {
    pocstereo_window_cpu (
        tables, p->view[view], p->stride, &layer, x, y, phasors);
    return;
  }
  w.layer[0][0] = layer;
  w.view[view][0] = p->view[view];
  w.stride[0] = p->stride;
  ok (device_open (&dev, DEVICE_CPU, NULL));
  ok (pocstereo_need_fourier_cpu (&dev, &w));
  pocstereo_fourier_window_cpu (&w, view, 0, x, y, phasors);
  device_release (&dev, cpu.plan);
  device_close (&dev);
}

/* F conj (G), the mean over lines, g around x - base. */
static inline void
oracle_cross (const Pair *p, const PocstereoParams *params, int x, int y,
    int base, fftw_complex *cross)
{
  fftw_complex f[POCSTEREO_MAX_WINDOW], g[POCSTEREO_MAX_WINDOW];

  for (int k = 0; k <= params->window / 2; k++)
    cross[k] = 0;
  for (int j = -(params->lines / 2); j <= params->lines / 2; j++) {
    oracle_line (p, 0, params->window, x, y + j, f);
    oracle_line (p, 1, params->window, x - base, y + j, g);
    for (int k = 1; k <= params->bandwidth; k++)
      cross[k] += f[k] * conj (g[k]) / params->lines;
  }
}

/* The correlation at @lag, 1 where windows are identical. */
static inline double
oracle_at (const PocstereoParams *p, const fftw_complex *cross, double lag)
{
  double sum = 0, all = 0;

  for (int k = 1; k <= p->bandwidth; k++) {
    double w = p->weight == POCSTEREO_GAUSSIAN
        ? exp (-2. * k * k / (p->bandwidth * p->bandwidth))
        : 1;

    sum += w * creal (cross[k] * cexp (2 * M_PI * I * k * lag / p->window));
    all += w;
  }
  return sum / all;
}

/* Where it is highest around @lag: halving steps, or the model's ratio. */
static inline double
oracle_peak (const PocstereoParams *p, const fftw_complex *cross, int lag)
{
  double at = lag, a = M_PI / p->window, v = 2 * p->bandwidth + 1;
  double before = oracle_at (p, cross, lag - 1), here, after;

  here = oracle_at (p, cross, lag);
  after = oracle_at (p, cross, lag + 1);
  if (p->fit == POCSTEREO_CLOSED_FORM)
    return lag -
        atan ((before - after) * sin (a) /
            ((before + after) * cos (a) - 2 * cos (a * v) * here)) /
        a;
  for (double step = .5; step > 1e-6; step /= 2) {
    double left = oracle_at (p, cross, at - step);
    double right = oracle_at (p, cross, at + step);

    here = oracle_at (p, cross, at);
    at += right > here ? step : left > here ? -step : 0;
  }
  return at;
}

/* What rounding to 1/127 comes to where a line has little of a frequency: the
 * most in 9000 windows was 0.020, and 0.032 pixels. */
#define ORACLE_HEIGHT .025
#define ORACLE_PLACE .04

static inline void
check_window (const Pair *p, const PocstereoParams *params, int x, int y)
{
  static int8_t f[POCSTEREO_MAX_LINES * 2 * POCSTEREO_MAX_BANDWIDTH];
  static int8_t g[sizeof f];
  int bytes = 2 * params->bandwidth, base = (int) rnd (3) - 1, lag;
  int32_t r[2 * POCSTEREO_MAX_BANDWIDTH] = {0}, height;
  fftw_complex cross[POCSTEREO_MAX_WINDOW];
  PocstereoTables *t = calloc (1, sizeof *t);
  PocstereoMatch m;
  int32_t all;

  pocstereo_set_tables (t, params);
  phasors_of (p, params, t, 0, x, y, f);
  phasors_of (p, params, t, 1, x - base, y, g);
  for (int j = 0; j < params->lines; j++)
    pocstereo_add_line (r, f + j * bytes, g + j * bytes, params->bandwidth);
  oracle_cross (p, params, x, y, base, cross);
  all = (int32_t) (t->perfect * POCSTEREO_TURN);
  for (int n = -t->lags; n <= t->lags; n++)
    check_near (pocstereo_correlation (t, r, n) / (double) all,
        oracle_at (params, cross, n), ORACLE_HEIGHT);
  lag = pocstereo_peak (t, r, -2, 2, &height);
  m = pocstereo_refine (t, r, base);
  check_near (m.disparity / (double) POCSTEREO_ONE,
      base + oracle_peak (params, cross, lag), ORACLE_PLACE);
  check_near (m.peak / 65535.,
      oracle_at (params, cross, m.disparity / (double) POCSTEREO_ONE - base),
      ORACLE_HEIGHT);
  free (t);
}

/* A window of a wall at any disparity up to a pixel, with noise, of @window
 * samples and @bandwidth frequencies. */
static inline void
check_noisy (int window, int bandwidth)
{
  Texture texture = texture_new ();
  Pair p = pair_new (window + 76, 40, 3);
  PocstereoParams params = POCSTEREO_POINTS_DEFAULTS;

  params.window = window;
  params.lines = 5 + 2 * (int) rnd (12);
  params.bandwidth = bandwidth;
  params.weight = (PocstereoWeight) rnd (2);
  params.fit = params.weight == POCSTEREO_GAUSSIAN || rnd (2)
      ? POCSTEREO_NEWTON
      : POCSTEREO_CLOSED_FORM;
  pair_draw_wall (&p, &texture, rnd (2000) / 1000. - 1);
  for (int i = 0; i < 2 * p.width * 40; i++) {
    uint16_t *s = pair_at (&p, i % 2, i / 2 % p.width, i / 2 / p.width);
    int noisy = *s + (int) rnd (101) - 50;

    *s = (uint16_t) (noisy < 0 ? 0 : noisy);
  }
  check_window (&p, &params, p.width / 2, 20);
  pair_free (&p);
}

/* Frequencies that the texture has: where there are none, the twiddles'
 * rounding shows. */
static inline void
test_oracle (DeviceKind kind)
{
  (void) kind;
  for (int round = 0; round < 60; round++) {
    int n = 15 + (int) rnd (52);

    check_noisy (n, 3 + (int) rnd (n / (n > 32 ? 4 : 3) - 2));
  }
}

/* Windows that a library transforms, some of prime lengths. */
static inline void
test_oracle_long (DeviceKind kind)
{
  static const int some[] = {129, 131, 200, 256, 257, 511, 512};

  (void) kind;
  for (int round = 0; round < 28; round++) {
    int n = round < 7 ? some[round] : 129 + (int) rnd (384);
    int least = (n + 19) / 20;

    check_noisy (n, least + (int) rnd (POCSTEREO_MAX_BANDWIDTH + 1 - least));
  }
}

/* Every sum of samples times twiddles, in any order, fits a float's 24 bits,
 * and a constant line has no spectrum at all.  Cosines sum to 0, so that no
 * part of their sum exceeds half of what they come to. */
static inline void
test_exact (DeviceKind kind)
{
  PocstereoTables *t = calloc (1, sizeof *t);

  (void) kind;
  for (int n = 8; n <= POCSTEREO_OWN_WINDOW; n++) {
    PocstereoParams p = POCSTEREO_POINTS_DEFAULTS;

    p.window = n;
    p.bandwidth = (n - 1) / 2 < POCSTEREO_MAX_BANDWIDTH
        ? (n - 1) / 2
        : POCSTEREO_MAX_BANDWIDTH;
    pocstereo_set_tables (t, &p);
    check (t->half == (n + 1) / 2);
    check_near (t->omega * n, 2 * M_PI, 1e-5);
    for (int k = 0; k < p.bandwidth; k++) {
      double sum = t->cosine[k][0], even = fabs (sum), odd = 0;

      check (sum == nearbyint (sum));
      for (int m = 1; m < t->half; m++) {
        check (t->cosine[k][m] == nearbyint (t->cosine[k][m]));
        check (t->sine[k][m] == nearbyint (t->sine[k][m]));
        sum += 2 * t->cosine[k][m];
        even += 2 * fabs (t->cosine[k][m]);
        odd += fabs (t->sine[k][m]);
      }
      check (sum == 0);
      check (even / 2 * POCSTEREO_FULL_SAMPLE < 1 << 24);
      check (odd * POCSTEREO_FULL_SAMPLE < 1 << 24);
    }
  }
  free (t);
}
