/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Bits; functions whose values in libm differ between machines: here they use
 * only + - * / and sqrt, which IEEE 754 rounds alike everywhere; and moments of
 * pixels. */
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "common/both.h"

/* ---- Bits ---- */

/* The number of the lowest bit of @bits that is set; @bits is not 0. */
BOTH int
math_lowest_bit (uint32_t bits)
{
#ifdef __CUDA_ARCH__
  return __ffs ((int) bits) - 1;
#else
  return __builtin_ctz (bits);
#endif
}

BOTH int
math_lowest_bit64 (uint64_t bits)
{
#ifdef __CUDA_ARCH__
  return __ffsll ((long long) bits) - 1;
#else
  return __builtin_ctzll (bits);
#endif
}

/* ---- Angles ---- */

/* The sine of @turn / 2^32 of a full turn, by Taylor's series to the 11th
 * power: over a quarter of a turn its error is below 1e-7. */
BOTH double
math_sin_turn (uint32_t turn)
{
  const double half_pi = 1.5707963267948966;
  uint32_t quarter = turn >> 30, rest = turn & 0x3fffffff;
  double x = (quarter & 1 ? 0x40000000 - rest : rest) / 1073741824. * half_pi;
  double q = x * x;
  double s = x *
      (1 - q / 6 * (1 - q / 20 * (1 - q / 42 * (1 - q / 72 * (1 - q / 110)))));

  return quarter & 2 ? -s : s;
}

/* Sine and cosine of the angle @a, |a| <= pi, with an error of 1e-6.  Taylor's
 * series gives them for a / 4; the angle is then doubled twice. */
BOTH void
math_sincos (float a, float *sine, float *cosine)
{
  float q = .25f * a, q2 = q * q;
  float s = q * (1 - q2 * (1.f / 6 - q2 * (1.f / 120 - q2 * (1.f / 5040))));
  float c =
      1 - q2 * (.5f - q2 * (1.f / 24 - q2 * (1.f / 720 - q2 * (1.f / 40320))));

  for (int i = 0; i < 2; i++) {
    float t = 2 * s * c;

    c = 1 - 2 * s * s;
    s = t;
  }
  *sine = s;
  *cosine = c;
}

/* The angle in (-pi/2, pi/2) whose tangent is @u / @v, with an error of 1e-6;
 * 0 if @v is 0.  The angle is halved twice, so that a short series suffices. */
BOTH float
math_atan (float u, float v)
{
  float t, t2;

  if (v == 0)
    return 0;
  t = u / v;
  for (int i = 0; i < 2; i++)
    t = t / (1 + sqrtf (1 + t * t));
  t2 = t * t;
  return 4 *
      (t * (1 - t2 * (1.f / 3 - t2 * (.2f - t2 * (1.f / 7 - t2 * (1.f / 9))))));
}

/* ---- Roots, powers, logarithms ---- */

/* 1 / sqrt (@x) with a relative error of 5e-6: Newton's method from the guess
 * that the bits of a float give. */
BOTH float
math_rsqrt (float x)
{
  float half = .5f * x, y;
  uint32_t bits;

  memcpy (&bits, &x, sizeof bits);
  bits = 0x5f375a86u - (bits >> 1);
  memcpy (&y, &bits, sizeof y);
  y = y * (1.5f - half * y * y);
  y = y * (1.5f - half * y * y);
  return y;
}

/* The cube root of @x, .0088 <= x <= 1, with an error of 3e-5, by Newton's
 * method. */
BOTH float
math_cbrt (float x)
{
  float r = .25f + .75f * x;

  for (int k = 0; k < 6; k++)
    r = (2 * r + x / (r * r)) / 3;
  return r;
}

/* 2^n for -126 <= n <= 127. */
BOTH float
math_pow2 (int n)
{
  uint32_t bits = (uint32_t) (n + 127) << 23;
  float f;

  memcpy (&f, &bits, sizeof f);
  return f;
}

/* e^x for x <= 0, with a relative error of 3e-7; 0 below -87. */
BOTH float
math_exp (float x)
{
  float t = x * 1.44269504f, r, p;
  int n;

  if (!(x > -87))
    return 0;
  n = (int) (t - .5f); /* to the nearest, as t <= 0 */
  r = (t - (float) n) * .69314718f;
  p = 1 +
      r *
          (1 +
              r *
                  (.5f +
                      r *
                          (.16666667f +
                              r *
                                  (.041666667f +
                                      r * (.0083333333f + r * .0013888889f)))));
  return p * math_pow2 (n);
}

/* ln x for normal x > 0, with an absolute error of 3e-7 near x = 1. */
BOTH float
math_log (float x)
{
  uint32_t bits;
  int n;
  float m, s, z;

  memcpy (&bits, &x, sizeof bits);
  n = (int) (bits >> 23) - 127;
  bits = (bits & 0x7fffff) | 0x3f800000;
  memcpy (&m, &bits, sizeof m);
  if (m > 1.41421356f)
    m /= 2, n++;
  s = (m - 1) / (m + 1);
  z = s * s;
  return (float) n * .69314718f +
      2 * s *
      (1 + z * (.33333333f + z * (.2f + z * (.14285714f + z * .11111111f))));
}

/* ---- Moments ---- */

/* Sums over pixels: their number, coordinates, and products of coordinates. */
typedef struct {
  unsigned long long n, x, y, xx, xy, yy;
} Moments;

/* The variances of pixels, which are squares of side 1, and the covariance. */
typedef struct {
  double xx, xy, yy;
} Spread;

BOTH Spread
moments_spread (const Moments *m)
{
  double n = (double) m->n, cx = (double) m->x / n, cy = (double) m->y / n;
  Spread s = {(double) m->xx / n - cx * cx + 1. / 12,
      (double) m->xy / n - cx * cy, (double) m->yy / n - cy * cy + 1. / 12};

  return s;
}

/* The difference between the variances along the major and the minor axis. */
BOTH double
spread_difference (const Spread *s)
{
  return sqrt ((s->xx - s->yy) * (s->xx - s->yy) + 4 * s->xy * s->xy);
}

/* The angle from the x axis to the major axis, in (-pi/2, pi/2], positive
 * towards y. */
BOTH double
spread_orientation (const Spread *s)
{
  const double half_pi = 1.5707963267948966;
  double angle = .5 * atan2 (2 * s->xy, s->xx - s->yy);

  return angle <= -half_pi ? angle + 2 * half_pi : angle;
}

/* The major axis divided by the minor axis. */
BOTH double
spread_elongation (const Spread *s)
{
  double sum = s->xx + s->yy, root = spread_difference (s);

  return sqrt ((sum + root) / fmax (sum - root, 1e-9));
}

/* The sides of the rectangle with this spread, the longer side first. */
BOTH void
spread_sides (const Spread *s, double sides[2])
{
  double sum = s->xx + s->yy, root = spread_difference (s);

  sides[0] = sqrt (6 * (sum + root));
  sides[1] = sqrt (6 * fmax (sum - root, 0.));
}
