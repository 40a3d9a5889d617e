/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The correlation of two whole views by FFTW, complex and in double precision,
 * with the sums written out anew. */
#pragma once

#include <complex.h>
#include <fftw3.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

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
