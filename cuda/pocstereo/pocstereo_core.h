/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The mathematics of one match, for both backends.
 *
 * The choice of the highest peak is exact.  A sample, at most 4095, times a
 * twiddle is an integer, and so are sums of such products, at most 14,250,600
 * (a window of 57 samples, frequency 28), below 2^24: floats hold them exactly,
 * in any order of adding.  The unit phasors of a line are rounded to 1/127;
 * products, sums over lines and the correlation are 32-bit integers.  Floats
 * are rounded in the length of a phasor and in the fit of the peak alone, each
 * a fixed sequence of IEEE operations, so that both backends agree bit for bit.
 *
 * Signs: the left window f lies around x, the right window g around x - base.
 * With R = F conj (G) the correlation peaks at n = d - base. */
#pragma once

#include <math.h>
#include <string.h>

#include "common/math_core.h"
#include "pocstereo/pocstereo.h"

#define POCSTEREO_TURN 127      /* the length of a rounded unit phasor */
#define POCSTEREO_TWIDDLES 8192 /* half a window times the greatest twiddle */
#define POCSTEREO_FINE_LAGS 3   /* lags around the peak in Step 7 */
#define POCSTEREO_MAX_LAGS (POCSTEREO_MAX_WINDOW / 4)

/* Constants of a window.  Index k is frequency k + 1.  A window has the samples
 * n = -M ..  M, M = (N - 1) / 2; if N is even, Hann's window is 0 at the sample
 * left over. */
typedef struct {
  int window, half;           /* N, M + 1 */
  int lines, bandwidth, lags; /* L, U, N / 4 */
  PocstereoFit fit;
  float floor2; /* square of the noise floor, in the scale of the spectrum */
  float cosine[POCSTEREO_MAX_BANDWIDTH][POCSTEREO_MAX_WINDOW / 2];
  float sine[POCSTEREO_MAX_BANDWIDTH][POCSTEREO_MAX_WINDOW / 2];
  /* 127 W (k) cos (2 pi k n / N), and sin, n = 0 .. lags + 1 */
  int32_t lag_cosine[POCSTEREO_MAX_LAGS + 2][POCSTEREO_MAX_BANDWIDTH];
  int32_t lag_sine[POCSTEREO_MAX_LAGS + 2][POCSTEREO_MAX_BANDWIDTH];
  float weight[POCSTEREO_MAX_BANDWIDTH]; /* W (k) */
  float omega;                           /* 2 pi / N */
  float perfect;          /* the correlation's peak for identical windows */
  float shape;            /* of pocstereo_closed_form () */
  float cos_bin, sin_bin; /* of pi / N */
  float least;            /* for pocstereo_sigma (), pixels */
} PocstereoTables;

/* ---- A line's phasors (equation 1; windowing) ---- */

/* @v, at most 2^21, rounded to an integer, half to even. */
BOTH int8_t
pocstereo_round (float v)
{
  float shifted = v + 12582912.f; /* 1.5 x 2^23: the last bit is worth 1 */
  uint32_t bits;

  memcpy (&bits, &shifted, sizeof bits);
  return (int8_t) (bits & 255);
}

/* The phasor of one frequency, re and im; 0, 0 for a line without this
 * frequency. */
BOTH void
pocstereo_phasor (float re, float im, float floor2, int8_t phasor[2])
{
  float power = re * re + im * im;
  float scale = power < .5f ? 0 : POCSTEREO_TURN * math_rsqrt (power + floor2);

  phasor[0] = pocstereo_round (re * scale);
  phasor[1] = pocstereo_round (im * scale);
}

/* Bytes of the phasors of a line. */
BOTH int
pocstereo_phasor_bytes (int bandwidth)
{
  return 2 * bandwidth;
}

/* ---- Means of phasors over frames ---- */

/* Steps of a mean for one step of a phasor. */
#define POCSTEREO_MEAN 256

/* The mean of a component over @frames frames; @phasor is of the newest. */
BOTH int16_t
pocstereo_average_phasor (int16_t mean, int8_t phasor, int frames)
{
  return (int16_t) (mean + (phasor * POCSTEREO_MEAN - mean) / frames);
}

/* The component that stands for a mean.  Phasors whose phases scatter have a
 * short mean, which weighs less. */
BOTH int8_t
pocstereo_mean_phasor (int16_t mean)
{
  return (int8_t) ((mean + POCSTEREO_MEAN / 2) >> 8);
}

/* ---- The correlation (equation 1, averaged over lines) ---- */

/* Adds one line of F conj (G) to @r: re and im of each frequency. */
BOTH void
pocstereo_add_line (int32_t *r, const int8_t *f, const int8_t *g, int bandwidth)
{
  for (int k = 0; k < bandwidth; k++) {
    r[2 * k] += f[2 * k] * g[2 * k] + f[2 * k + 1] * g[2 * k + 1];
    r[2 * k + 1] += f[2 * k + 1] * g[2 * k] - f[2 * k] * g[2 * k + 1];
  }
}

/* The correlation at lag @n, |n| <= lags + 1.  Its magnitude is at most 127^3
 * times lines times bandwidth, each at most 31: below 2^31. */
BOTH int32_t
pocstereo_correlation (const PocstereoTables *t, const int32_t *r, int n)
{
  int m = n < 0 ? -n : n;
  int32_t even = 0, odd = 0;

  for (int k = 0; k < t->bandwidth; k++) {
    even += r[2 * k] * t->lag_cosine[m][k];
    odd += r[2 * k + 1] * t->lag_sine[m][k];
  }
  return n < 0 ? even + odd : even - odd;
}

/* The lag from @first to @last with the highest correlation, @height.  The
 * first of equal lags counts. */
BOTH int
pocstereo_peak (const PocstereoTables *t, const int32_t *r, int first, int last,
    int32_t *height)
{
  int best = first;

  *height = pocstereo_correlation (t, r, first);
  for (int n = first + 1; n <= last; n++) {
    int32_t at = pocstereo_correlation (t, r, n);

    if (at > *height) {
      *height = at;
      best = n;
    }
  }
  return best;
}

/* ---- Coarse to fine (Steps 2 to 6) ---- */

/* The size of a layer, and the disparities that are searched in it, in its
 * pixels. */
typedef struct {
  int width, height;
  int floor, ceil; /* the range of disparities, one more at each end */
  int tiles;       /* number of places where the coarsest layer is searched: */
  int first, step, unit; /* around (first + i step) / unit, rounded */
} PocstereoLayer;

/* The disparity around which tile @i of the coarsest layer is searched. */
BOTH int
pocstereo_tile_base (const PocstereoLayer *layer, int i)
{
  int twice = 2 * (layer->first + i * layer->step) + layer->unit;
  int whole = twice / (2 * layer->unit);

  return whole - (twice % (2 * layer->unit) < 0);
}

/* The lags, up to @lags each way, that lead from @base to a disparity in the
 * layer's range. */
BOTH void
pocstereo_lags (
    const PocstereoLayer *layer, int base, int lags, int *first, int *last)
{
  *first = layer->floor - base > -lags ? layer->floor - base : -lags;
  *last = layer->ceil - base < lags ? layer->ceil - base : lags;
}

BOTH int
pocstereo_clamp (int v, int lo, int hi)
{
  return v < lo ? lo : v > hi ? hi : v;
}

/* @base clamped to the layer's range and, if that contains disparities by which
 * the other view shows pixel @x, to these.  Beyond the edge of a view all
 * disparities look alike. */
BOTH int
pocstereo_visible_base (const PocstereoLayer *layer, int x, int base)
{
  int least = pocstereo_clamp (x - layer->width + 1, layer->floor, layer->ceil);
  int most = pocstereo_clamp (x, layer->floor, layer->ceil);

  return pocstereo_clamp (base, least, most);
}

/* A match with a lower peak than @min_peak becomes none. */
BOTH void
pocstereo_drop_low_peak (uint16_t min_peak, PocstereoMatch *match)
{
  if (match->peak < min_peak)
    match->disparity = POCSTEREO_NONE;
}

/* The column of the other view at which @x is seen, rounded; it may lie outside
 * of the view. */
BOTH int
pocstereo_other_column (int x, int32_t disparity)
{
  return x - ((disparity + POCSTEREO_ONE / 2) >> 8);
}

/* A match outside of the other view, @width wide, becomes none. */
BOTH void
pocstereo_drop_outside (int x, int width, PocstereoMatch *match)
{
  int other = pocstereo_other_column (x, match->disparity);

  if (other < 0 || other >= width)
    match->disparity = POCSTEREO_NONE;
}

/* The rounded mean of four samples (Step 1). */
BOTH uint16_t
pocstereo_mean_sample (int a, int b, int c, int d)
{
  return (uint16_t) ((a + b + c + d + 2) >> 2);
}
