/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rectification by brute force, in doubles. */
#pragma once

#include "pocstereo_rectify_known.h"

/* Solves a x = b by elimination; @a and @b are changed. */
static void
solve (double a[3][3], double b[3], double x[3])
{
  for (int i = 0; i < 3; i++) {
    int best = i;

    for (int k = i + 1; k < 3; k++)
      if (fabs (a[k][i]) > fabs (a[best][i]))
        best = k;
    for (int j = 0; j < 3; j++) {
      double t = a[i][j];

      a[i][j] = a[best][j], a[best][j] = t;
    }
    double t = b[i];

    b[i] = b[best], b[best] = t;
    for (int k = i + 1; k < 3; k++) {
      double f = a[k][i] / a[i][i];

      for (int j = i; j < 3; j++)
        a[k][j] -= f * a[i][j];
      b[k] -= f * b[i];
    }
  }
  for (int i = 2; i >= 0; i--) {
    x[i] = b[i];
    for (int j = i + 1; j < 3; j++)
      x[i] -= a[i][j] * x[j];
    x[i] /= a[i][i];
  }
}

/* Where pixel (u, v) of the rectified frame comes from, lenses without tilt;
 * whether there is such a place. */
static bool
place_of (const PocstereoView *c, double u, double v, double at[2])
{
  double a[3][3] = {{0}}, b[3] = {u, v, 1}, ray[3];
  const double *d = c->d;

  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++)
        a[i][j] += c->p[4 * i + k] * c->r[3 * k + j];
  solve (a, b, ray);
  double x = ray[0] / ray[2], y = ray[1] / ray[2], q = x * x + y * y;
  double below = 1 + q * (d[5] + q * (d[6] + q * d[7]));
  double s = (1 + q * (d[0] + q * (d[1] + q * d[4]))) / below;

  at[0] = c->k[0] *
          (x * s + 2 * d[2] * x * y + d[3] * (q + 2 * x * x) +
              q * (d[8] + q * d[9])) +
      c->k[2];
  at[1] = c->k[4] *
          (y * s + d[2] * (q + 2 * y * y) + 2 * d[3] * x * y +
              q * (d[10] + q * d[11])) +
      c->k[5];
  return ray[2] > 0 && below > 0 && s > 0;
}

static double
keys (double t)
{
  t = fabs (t);
  return t < 1 ? (1.5 * t - 2.5) * t * t + 1
      : t < 2  ? ((-.5 * t + 2.5) * t - 4) * t + 2
               : 0;
}

/* The grey at @at, each pixel of the frame having its say. */
static double
grey_by_keys (const Image *m, const double at[2])
{
  int x0 = (int) floor (at[0]), y0 = (int) floor (at[1]);
  double sum = 0;

  for (int y = y0 - 3; y <= y0 + 3; y++)
    for (int x = x0 - 3; x <= x0 + 3; x++)
      sum += keys (x - at[0]) * keys (y - at[1]) *
          grey_by_words (m,
              x < 0              ? 0
                  : x < m->width ? x
                                 : m->width - 1,
              y < 0               ? 0
                  : y < m->height ? y
                                  : m->height - 1);
  return sum < 0 ? 0 : sum > 4095 ? 4095 : sum;
}
