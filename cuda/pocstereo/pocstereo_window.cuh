/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Windows of sizes that are compiled in: loops over them unroll, and their
 * twiddles are constants among the arguments of a kernel.  For windows of other
 * sizes kernels read the tables. */
#pragma once

#include "pocstereo/pocstereo_cuda.cuh"
#include "pocstereo/pocstereo_fit_core.h"

template <int N, int L, int U> struct PocstereoFixed {
  static constexpr bool is_fixed = true;
  static constexpr int half = N / 2, max_half = half, lags = N / 4;
  static constexpr int lines = L, bandwidth = U, max_bandwidth = U;

  float floor2;
  float cosines[U][N / 2], sines[U][N / 2];
  int32_t lag_cosines[lags + 1][U], lag_sines[lags + 1][U];

  explicit PocstereoFixed (const PocstereoTables *t)
  {
    floor2 = t->floor2;
    for (int k = 0; k < U; k++) {
      memcpy (cosines[k], t->cosine[k], sizeof cosines[k]);
      memcpy (sines[k], t->sine[k], sizeof sines[k]);
    }
    for (int n = 0; n <= lags; n++) {
      memcpy (lag_cosines[n], t->lag_cosine[n], sizeof lag_cosines[n]);
      memcpy (lag_sines[n], t->lag_sine[n], sizeof lag_sines[n]);
    }
  }
  __device__ float wave_cosine (int k, int n) const
  {
    return cosines[k][n];
  }
  __device__ float wave_sine (int k, int n) const
  {
    return sines[k][n];
  }
  /* A cosine of the lag tables; the compiler knows that it is 0 if the wave is
   * 0. */
  __device__ int32_t lag_cosine (int n, int k) const
  {
    int quarters = 4 * (k + 1) * n;

    return quarters % N == 0 && quarters / N % 2 ? 0 : lag_cosines[n][k];
  }
  __device__ int32_t lag_sine (int n, int k) const
  {
    return 2 * (k + 1) * n % N == 0 ? 0 : lag_sines[n][k];
  }
};

struct PocstereoAny {
  static constexpr bool is_fixed = false;
  static constexpr int max_half = POCSTEREO_MAX_WINDOW / 2;
  static constexpr int max_bandwidth = POCSTEREO_MAX_BANDWIDTH;

  int half, lags, lines, bandwidth;
  float floor2;
  const PocstereoTables *tables;

  explicit PocstereoAny (const PocstereoConstants *constants)
  {
    const PocstereoTables *t = constants->host;

    half = t->half;
    lags = t->lags;
    lines = t->lines;
    bandwidth = t->bandwidth;
    floor2 = t->floor2;
    tables = constants->device;
  }
  __device__ float wave_cosine (int k, int n) const
  {
    return tables->cosine[k][n];
  }
  __device__ float wave_sine (int k, int n) const
  {
    return tables->sine[k][n];
  }
  __device__ int32_t lag_cosine (int n, int k) const
  {
    return tables->lag_cosine[n][k];
  }
  __device__ int32_t lag_sine (int n, int k) const
  {
    return tables->lag_sine[n][k];
  }
};

/* Calls @run with the window of @constants. */
template <class Run>
static inline const char *
pocstereo_with_window (const PocstereoConstants *constants, Run run)
{
  const PocstereoTables *t = constants->host;
  int key = (t->window * 32 + t->lines) * 32 + t->bandwidth;

  switch (key) {
    case (32 * 32 + 15) * 32 + 8:
      return run (PocstereoFixed<32, 15, 8> (t));
    case (32 * 32 + 15) * 32 + 12:
      return run (PocstereoFixed<32, 15, 12> (t));
    case (16 * 32 + 11) * 32 + 6:
      return run (PocstereoFixed<16, 11, 6> (t));
    default:
      return run (PocstereoAny (constants));
  }
}

/* pocstereo_refine_match ().  Its loops unroll for a window that is compiled
 * in, so that @r stays in registers. */
template <class Window>
static __device__ __forceinline__ PocstereoMatch
pocstereo_refine_in_window (
    const Window &t, const PocstereoTables *tables, const int32_t *r, int base)
{
  if constexpr (Window::is_fixed)
    __builtin_assume (tables->bandwidth == Window::bandwidth);
  return pocstereo_refine_match (tables, r, base);
}

/* The phasors of the line around @centre, each in the lower half of a word.
 * Products and sums are integers below 2^24, exact with and without fused
 * multiply-add. */
template <class Window>
static __device__ __forceinline__ void
pocstereo_line_phasors (
    const Window &t, const float *centre, uint32_t words[Window::max_bandwidth])
{
  float sum[Window::max_half], difference[Window::max_half];

  sum[0] = centre[0];
#pragma unroll
  for (int n = 1; n < t.half; n++) {
    sum[n] = centre[n] + centre[-n];
    difference[n] = centre[n] - centre[-n];
  }
#pragma unroll
  for (int k = 0; k < t.bandwidth; k++) {
    float re = t.wave_cosine (k, 0) * sum[0], im = 0;
    int8_t p[2];

#pragma unroll
    for (int n = 1; n < t.half; n++) {
      re = __fmaf_rn (t.wave_cosine (k, n), sum[n], re);
      im = __fmaf_rn (t.wave_sine (k, n), -difference[n], im);
    }
    pocstereo_phasor (re, im, t.floor2, p);
    words[k] = (uint32_t) (uint8_t) p[0] | (uint32_t) (uint8_t) p[1] << 8;
  }
}

/* A word of the left view, turned: its product with a word of the right view is
 * the imaginary part of F conj (G). */
static __device__ __forceinline__ uint32_t
pocstereo_turned_word (uint32_t f)
{
  uint32_t swapped = __byte_perm (f, 0, 0x2301);

  return (swapped & 0x00ff00ffu) | (__vneg4 (swapped) & 0xff00ff00u);
}
