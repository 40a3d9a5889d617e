/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The place of the peak between pixels (Step 7), and its predicted standard
 * deviation, for both backends. */
#pragma once

#include "pocstereo/pocstereo_core.h"

/* Rounds @v, |v| < 2^31, to the nearest integer; halves away from 0. */
BOTH int32_t
pocstereo_nearest (float v)
{
  return (int32_t) (v < 0 ? v - .5f : v + .5f);
}

/* Function fitting (section 2).  Frequencies 1 to U of an ideal shift by d are
 *   r (n) = a (sin (V x) / sin (x) - 1),
 *   x = pi (n - d) / N, V = 2 U + 1; the 1 is the frequency 0 that the sum
 * lacks.  With a = r / (2 U) at the sample @at, sin (V (x + h)) + sin (V (x -
 * h)) = 2 sin (V x) cos (V h) makes the maximum, relative to that sample, a
 * ratio of it and its neighbours.  a is exact for a shift of 0 alone: the ratio
 * is wrong by 0.06 pixels at most, by 0.0002 after one of Newton's steps. */
BOTH float
pocstereo_closed_form (
    const PocstereoTables *t, float before, float at, float after)
{
  float u = (before - after) * t->sin_bin;
  float v = (after + before) * t->cos_bin - t->shape * at;

  return -math_atan (u, v) * 2 / t->omega;
}

/* The place of the peak by the three highest lags. */
BOTH float
pocstereo_closed_form_peak (const PocstereoTables *t, const int32_t *r)
{
  int32_t height;
  int n = pocstereo_peak (
      t, r, 1 - POCSTEREO_FINE_LAGS, POCSTEREO_FINE_LAGS - 1, &height);

  return (float) n +
      pocstereo_closed_form (t, (float) pocstereo_correlation (t, r, n - 1),
          (float) height, (float) pocstereo_correlation (t, r, n + 1));
}

/* The correlation between samples: its height and two derivatives. */
typedef struct {
  float height, slope, bend;
} PocstereoPoly;

/* @s, @c: sine and cosine of the angle of frequency 1.  @sn, @cs: of k times
 * that angle, which become those of k + 1 times. */
BOTH void
pocstereo_next_wave (float s, float c, float *sn, float *cs)
{
  float next = *cs * c - *sn * s;

  *sn = *cs * s + *sn * c;
  *cs = next;
}

/* Adds frequency @k to @p.  @re, @im: its sums over lines.  The angles: see
 * pocstereo_next_wave (). */
BOTH void
pocstereo_add_wave (const PocstereoTables *t, int k, float re, float im,
    float s, float c, float *sn, float *cs, PocstereoPoly *p)
{
  float w = (float) (k + 1), even, odd;

  pocstereo_next_wave (s, c, sn, cs);
  even = t->weight[k] * (re * *cs - im * *sn);
  odd = t->weight[k] * (re * *sn + im * *cs);
  p->height += even;
  p->slope -= w * odd;
  p->bend -= w * w * even;
}

/* Derivatives by angle become derivatives by pixel. */
BOTH void
pocstereo_poly_by_pixels (const PocstereoTables *t, PocstereoPoly *p)
{
  p->slope *= t->omega;
  p->bend *= t->omega * t->omega;
}

BOTH PocstereoPoly
pocstereo_poly (const PocstereoTables *t, const int32_t *r, float x)
{
  PocstereoPoly p = {0, 0, 0};
  float s, c, cs = 1, sn = 0;

  math_sincos (t->omega * x, &s, &c);
  for (int k = 0; k < t->bandwidth; k++)
    pocstereo_add_wave (
        t, k, (float) r[2 * k], (float) r[2 * k + 1], s, c, &sn, &cs, &p);
  pocstereo_poly_by_pixels (t, &p);
  return p;
}

/* Number of Newton's steps, each at most half a pixel. */
#define POCSTEREO_STEPS 3

BOTH float
pocstereo_newton_step (PocstereoPoly p)
{
  float step = p.bend < 0 ? -p.slope / p.bend : 0;

  return step > .5f ? .5f : step < -.5f ? -.5f : step;
}

BOTH float
pocstereo_newton_peak (const PocstereoTables *t, const int32_t *r, float x)
{
  for (int i = 0; i < POCSTEREO_STEPS; i++)
    x += pocstereo_newton_step (pocstereo_poly (t, r, x));
  return x;
}

#define POCSTEREO_SHARED 1.2f

/* The predicted standard deviation of the peak's place, pixels.
 *
 * The L lines of a window are L samples of each phase.  The scatter of the
 * phases follows from c, the length of the mean of their phasors: if the
 * scatter is normal, the variance of the sine of a phase is (1 - c^4) / 2.  The
 * slope of the correlation at its peak is the weighted sum of the means of
 * these sines, and p.bend turns a slope into pixels.
 *
 * Under Hann's window neighbouring frequencies share samples, and neighbouring
 * lines share noise and texture: POCSTEREO_SHARED is the factor of both,
 * measured on shifted views (docs/lab/pocstereo.md).  t->least is
 * the deviation without noise.  Half of the distance that is left to the
 * maximum of the correlation, @p, is added. */
BOTH float
pocstereo_sigma (const PocstereoTables *t, float scatter, PocstereoPoly p)
{
  float full = (float) (t->lines * POCSTEREO_TURN * POCSTEREO_TURN);
  float turn = -p.bend / (full * t->omega), off;

  if (!(turn > 0))
    return 1e3f;
  scatter = scatter / (float) (2 * t->lines) / (turn * turn);
  off = .5f * p.slope / p.bend;
  return sqrtf (POCSTEREO_SHARED * POCSTEREO_SHARED * scatter +
      t->least * t->least + off * off);
}

/* Twice the variance of the sine of a phase: @re, @im are its sums over lines.
 */
BOTH float
pocstereo_phase_scatter (const PocstereoTables *t, float re, float im)
{
  float unit = 1 / (float) (t->lines * POCSTEREO_TURN * POCSTEREO_TURN), c2;

  re *= unit;
  im *= unit;
  c2 = re * re + im * im;
  return c2 < 1 ? 1 - c2 * c2 : 0;
}

/* The part of frequency @k in the scatter. */
BOTH float
pocstereo_frequency_scatter (
    const PocstereoTables *t, int k, float re, float im)
{
  float w = t->weight[k] * (float) (k + 1);

  return w * w * pocstereo_phase_scatter (t, re, im);
}

BOTH uint16_t
pocstereo_round_u16 (float v)
{
  return (uint16_t) (v >= 65535 ? 65535 : v > 0 ? pocstereo_nearest (v) : 0);
}

/* The peak is searched among the inner lags and may lie half a sample beyond
 * them. */
BOTH float
pocstereo_clamp_peak (float x)
{
  const float most = POCSTEREO_FINE_LAGS - .5f;

  return x > most ? most : x < -most ? -most : x;
}

/* The match whose peak lies @x pixels from the integer disparity @base.  The
 * closed form's peak, which noise moves, takes a step to the maximum of the
 * correlation @p. */
BOTH PocstereoMatch
pocstereo_match_of_peak (
    const PocstereoTables *t, int base, float x, PocstereoPoly p, float scatter)
{
  float step = t->fit == POCSTEREO_CLOSED_FORM ? pocstereo_newton_step (p) : 0;
  PocstereoMatch match;

  x = pocstereo_clamp_peak (x + step);
  p.height += step * (p.slope + .5f * p.bend * step);
  p.slope += p.bend * step;
  match.disparity =
      base * POCSTEREO_ONE + pocstereo_nearest (x * POCSTEREO_ONE);
  match.peak = pocstereo_round_u16 (p.height / t->perfect * 65535);
  match.sigma =
      pocstereo_round_u16 (pocstereo_sigma (t, scatter, p) * POCSTEREO_SIGMA);
  return match;
}

/* Step 7: the match at the disparity @base, by the sums over lines @r. */
BOTH PocstereoMatch
pocstereo_refine_match (const PocstereoTables *t, const int32_t *r, int base)
{
  float x, scatter = 0;
  int32_t height;

  if (t->fit == POCSTEREO_CLOSED_FORM)
    x = pocstereo_closed_form_peak (t, r);
  else
    x = pocstereo_newton_peak (t, r,
        (float) pocstereo_peak (
            t, r, 1 - POCSTEREO_FINE_LAGS, POCSTEREO_FINE_LAGS - 1, &height));
  x = pocstereo_clamp_peak (x);
  for (int k = 0; k < t->bandwidth; k++)
    scatter += pocstereo_frequency_scatter (
        t, k, (float) r[2 * k], (float) r[2 * k + 1]);
  return pocstereo_match_of_peak (
      t, base, x, pocstereo_poly (t, r, x), scatter);
}

/* ---- Step 7 between two windows, for points ----
 *
 * The left window and the right one at a whole disparity show parts of the
 * lines that differ by the fraction d of a pixel.  Under Hann's window the
 * phase of a frequency tells of the frequencies around it, so that it is wrong
 * by a part of d.  The right window a pixel farther is off by d - 1, the other
 * way.  A mean of both, with weights 1 - d and d, has neither error. */

/* The right window at which side of that of @r has the other part of the
 * fraction: 1 or -1; 0 where column @other of the right window of @r lies at
 * the edge of a view @width wide and there is none. */
BOTH int
pocstereo_side_of_peak (
    const PocstereoTables *t, const int32_t *r, int other, int width)
{
  int32_t odd = 0;
  int side;

  for (int k = 0; k < t->bandwidth; k++)
    odd += r[2 * k + 1] * t->lag_sine[1][k];
  side = odd > 0 ? -1 : 1;
  return other - side < 0 || other - side >= width ? 0 : side;
}

/* The variance of a phase that aliasing adds, in the unit of
 * pocstereo_phase_scatter (), is this times the fourth power of the frequency
 * in radians a pixel.  On moved views (docs/lab/pocstereo.md) half or twice of
 * it changes errors by 6 % at most. */
#define POCSTEREO_ALIASING (1 / 16.f)

/* Adds frequency @k, turned to the place of the peak, to @p and @scatter.  Its
 * weight in the slope is the inverse of its variance, in the height that of the
 * correlation. */
BOTH void
pocstereo_add_turned (const PocstereoTables *t, int k, float re, float im,
    PocstereoPoly *p, float *scatter)
{
  float w = (float) (k + 1), omega2 = w * t->omega * (w * t->omega);
  float own = pocstereo_phase_scatter (t, re, im);
  float weight = w / (own + POCSTEREO_ALIASING * omega2 * omega2);

  p->height += t->weight[k] * re;
  p->slope -= weight * im;
  p->bend -= w * weight * re;
  *scatter += weight * weight * own;
}

/* The match at the disparity @base, by the sums over lines @r and those of the
 * right window at @base + @side, @beside. */
BOTH PocstereoMatch
pocstereo_refine_between (const PocstereoTables *t, const int32_t *r,
    const int32_t *beside, int side, int base)
{
  float x = pocstereo_clamp_peak (pocstereo_closed_form_peak (t, r));
  float far = (float) side * x, scatter = 0;
  float s[2], c[2], sn[2] = {0, 0}, cs[2] = {1, 1};
  PocstereoPoly p = {0, 0, 0};

  far = far < 0 ? 0 : far > 1 ? 1 : far;
  math_sincos (t->omega * x, &s[0], &c[0]);
  math_sincos (t->omega * (x - (float) side), &s[1], &c[1]);
  for (int k = 0; k < t->bandwidth; k++) {
    float re = (float) r[2 * k], im = (float) r[2 * k + 1];
    float re2 = (float) beside[2 * k], im2 = (float) beside[2 * k + 1];

    pocstereo_next_wave (s[0], c[0], &sn[0], &cs[0]);
    pocstereo_next_wave (s[1], c[1], &sn[1], &cs[1]);
    pocstereo_add_turned (t, k,
        (1 - far) * (re * cs[0] - im * sn[0]) +
            far * (re2 * cs[1] - im2 * sn[1]),
        (1 - far) * (re * sn[0] + im * cs[0]) +
            far * (re2 * sn[1] + im2 * cs[1]),
        &p, &scatter);
  }
  pocstereo_poly_by_pixels (t, &p);
  x = pocstereo_clamp_peak (x + pocstereo_newton_step (p));
  p.slope = 0;
  return pocstereo_match_of_peak (t, base, x, p, scatter);
}
