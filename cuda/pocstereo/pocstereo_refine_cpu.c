/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * pocstereo_refine_match () of several pixels at once, in loops that the
 * compiler turns into vectors.  Each pixel has the operations of that function
 * in the same order. */
#include "common/vectors.h"
#include "pocstereo/pocstereo_cpu.h"
#include "pocstereo/pocstereo_fit_core.h"

#define LANES POCSTEREO_LANES
#define REACH POCSTEREO_FINE_LAGS

/* One number for each of the pixels that are refined at once. */
typedef float Floats[LANES];
typedef int32_t Integers[LANES];

/* The correlation between samples and its derivatives, as pocstereo_poly ()
 * computes them, of each pixel. */
typedef struct {
  Floats height, slope, bend;
} Polys;

INLINED void
take_polys (
    const PocstereoTables *t, const Integers *r, const Floats x, Polys *polys)
{
  Floats s, c, sn, cs;

#pragma omp simd
  for (int i = 0; i < LANES; i++) {
    math_sincos (t->omega * x[i], &s[i], &c[i]);
    sn[i] = 0;
    cs[i] = 1;
    polys->height[i] = polys->slope[i] = polys->bend[i] = 0;
  }
  for (int k = 0; k < t->bandwidth; k++)
#pragma omp simd
    for (int i = 0; i < LANES; i++) {
      PocstereoPoly p = {polys->height[i], polys->slope[i], polys->bend[i]};
      float sine = sn[i], cosine = cs[i];

      pocstereo_add_wave (t, k, (float) r[2 * k][i], (float) r[2 * k + 1][i],
          s[i], c[i], &sine, &cosine, &p);
      sn[i] = sine;
      cs[i] = cosine;
      polys->height[i] = p.height;
      polys->slope[i] = p.slope;
      polys->bend[i] = p.bend;
    }
#pragma omp simd
  for (int i = 0; i < LANES; i++) {
    PocstereoPoly p = {polys->height[i], polys->slope[i], polys->bend[i]};

    pocstereo_poly_by_pixels (t, &p);
    polys->slope[i] = p.slope;
    polys->bend[i] = p.bend;
  }
}

/* Computes pocstereo_correlation () at the lags -REACH to REACH. */
INLINED void
correlate_fine_lags (
    const PocstereoTables *t, const Integers *r, Integers at[2 * REACH + 1])
{
  for (int m = 0; m <= REACH; m++) {
    Integers even = {0}, odd = {0};

    for (int k = 0; k < t->bandwidth; k++)
#pragma omp simd
      for (int i = 0; i < LANES; i++) {
        even[i] += r[2 * k][i] * t->lag_cosine[m][k];
        odd[i] += r[2 * k + 1][i] * t->lag_sine[m][k];
      }
#pragma omp simd
    for (int i = 0; i < LANES; i++) {
      at[REACH - m][i] = even[i] + odd[i];
      at[REACH + m][i] = even[i] - odd[i];
    }
  }
}

/* The places of the peaks, in pixels from the middle. */
INLINED void
find_fine_peaks (const PocstereoTables *t, const Integers *r, Floats x)
{
  Integers at[2 * REACH + 1], lag, height;

  correlate_fine_lags (t, r, at);
#pragma omp simd
  for (int i = 0; i < LANES; i++) {
    lag[i] = 1;
    height[i] = at[1][i];
  }
  for (int n = 2; n < 2 * REACH; n++)
#pragma omp simd
    for (int i = 0; i < LANES; i++) {
      bool is_higher = at[n][i] > height[i];

      lag[i] = is_higher ? n : lag[i];
      height[i] = is_higher ? at[n][i] : height[i];
    }
  for (int i = 0; i < LANES; i++)
    x[i] = (float) (lag[i] - REACH);
  for (int i = 0; i < LANES && t->fit == POCSTEREO_CLOSED_FORM; i++)
    x[i] += pocstereo_closed_form (t, (float) at[lag[i] - 1][i],
        (float) height[i], (float) at[lag[i] + 1][i]);
  for (int n = 0; n < POCSTEREO_STEPS && t->fit != POCSTEREO_CLOSED_FORM; n++) {
    Polys polys;

    take_polys (t, r, x, &polys);
#pragma omp simd
    for (int i = 0; i < LANES; i++) {
      PocstereoPoly p = {polys.height[i], polys.slope[i], polys.bend[i]};

      x[i] += pocstereo_newton_step (p);
    }
  }
#pragma omp simd
  for (int i = 0; i < LANES; i++)
    x[i] = pocstereo_clamp_peak (x[i]);
}

VECTORS static void
refine_lanes (const PocstereoTables *t, const Integers *r, const int32_t *base,
    int n, PocstereoMatch *match)
{
  Floats x, scatter = {0};
  Polys polys;

  find_fine_peaks (t, r, x);
  take_polys (t, r, x, &polys);
  for (int k = 0; k < t->bandwidth; k++)
#pragma omp simd
    for (int i = 0; i < LANES; i++)
      scatter[i] += pocstereo_frequency_scatter (
          t, k, (float) r[2 * k][i], (float) r[2 * k + 1][i]);
  for (int i = 0; i < n; i++) {
    PocstereoPoly p = {polys.height[i], polys.slope[i], polys.bend[i]};

    match[i] = pocstereo_match_of_peak (t, base[i], x[i], p, scatter[i]);
  }
}

void
pocstereo_refine_cpu (const PocstereoTables *t, const Integers *r,
    const int32_t *base, int n, PocstereoMatch *match)
{
  refine_lanes (t, r, base, n, match);
}
