/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The correlation at a pixel and the pixel below it, by one thread, from the
 * fields of both views.  The sums of both share all lines but two. */
#pragma once

#include "pocstereo/pocstereo_dense_core.h"
#include "pocstereo/pocstereo_window.cuh"

/* The reference view's window around the pixels, in registers if it fits. */
template <class Window, bool IN_REGISTERS> struct PocstereoLeft;

template <class Window>
constexpr bool
pocstereo_fits_registers ()
{
  if constexpr (Window::is_fixed)
    return (Window::lines / 2 + 1) * Window::bandwidth <= 40;
  else
    return false;
}

/* Loads couple @couple of the pair of lines @p. */
static __device__ __forceinline__ uint2
pocstereo_couple_of_pair (
    const uint2 *first, int p, int couple, int pitch, int deeper)
{
  return first[(size_t) p * pitch + (size_t) couple * deeper];
}

template <class Window> struct PocstereoLeft<Window, false> {
  const uint2 *first;
  int pitch, deeper;

  __device__ __forceinline__ void load_window (
      const Window &, const uint2 *at, int pitch_, int deeper_)
  {
    first = at;
    pitch = pitch_;
    deeper = deeper_;
  }
  __device__ __forceinline__ uint32_t left_word (int p, int k) const
  {
    uint2 both = pocstereo_couple_of_pair (first, p, k / 2, pitch, deeper);

    return k % 2 ? both.y : both.x;
  }
  __device__ __forceinline__ uint32_t turned_word (int p, int k) const
  {
    return pocstereo_turned_word (left_word (p, k));
  }
};

template <class Window> struct PocstereoLeft<Window, true> {
  static constexpr int pairs = Window::lines / 2 + 1;

  uint32_t words[pairs][Window::bandwidth], turns[pairs][Window::bandwidth];

  __device__ __forceinline__ void load_window (
      const Window &, const uint2 *at, int pitch, int deeper)
  {
#pragma unroll
    for (int p = 0; p < pairs; p++)
#pragma unroll
      for (int k = 0; k < Window::bandwidth; k++) {
        uint2 both = pocstereo_couple_of_pair (at, p, k / 2, pitch, deeper);

        words[p][k] = k % 2 ? both.y : both.x;
        turns[p][k] = pocstereo_turned_word (words[p][k]);
      }
  }
  __device__ __forceinline__ uint32_t left_word (int p, int k) const
  {
    return words[p][k];
  }
  __device__ __forceinline__ uint32_t turned_word (int p, int k) const
  {
    return turns[p][k];
  }
};

template <class Window>
using PocstereoLeftOf =
    PocstereoLeft<Window, pocstereo_fits_registers<Window> ()>;

/* The sums over lines of F conj (G). */
template <class Window> struct PocstereoSums {
  int32_t r[2 * Window::max_bandwidth];
};

static __device__ __forceinline__ int32_t
pocstereo_dot_bytes (uint32_t a, uint32_t b, int32_t sum)
{
  return __dp4a ((int) a, (int) b, sum);
}

/* The sums of an even line, @even, and of the next line, @odd: the second line
 * of the last pair is not in the window of the even line, the first line of the
 * first pair not in that of the odd line.  @g: the first couple of the other
 * view's window. */
template <class Window>
static __device__ __forceinline__ void
pocstereo_correlate_two_lines (const Window &t,
    const PocstereoLeftOf<Window> &f, const uint2 *g, int pitch, int deeper,
    PocstereoSums<Window> *even, PocstereoSums<Window> *odd)
{
  int last = t.lines / 2;

#pragma unroll
  for (int k = 0; k < t.bandwidth; k += 2) {
    int32_t both[4] = {0}, one[4] = {0}, two[4] = {0};

#pragma unroll
    for (int p = 0; p <= last; p++) {
      uint2 couple = pocstereo_couple_of_pair (g, p, k / 2, pitch, deeper);
      uint32_t of_even = p == last ? 0xffffu : ~0u;
      uint32_t of_odd = p == 0 ? 0xffff0000u : ~0u;

#pragma unroll
      for (int i = 0; i < 4; i++) {
        if (k + i / 2 >= t.bandwidth)
          continue;
        uint32_t a =
            i % 2 ? f.turned_word (p, k + i / 2) : f.left_word (p, k + i / 2);
        uint32_t b = i / 2 ? couple.y : couple.x;

        if (p && p < last)
          both[i] = pocstereo_dot_bytes (a, b, both[i]);
        else {
          one[i] = pocstereo_dot_bytes (a & of_even, b, one[i]);
          two[i] = pocstereo_dot_bytes (a & of_odd, b, two[i]);
        }
      }
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
      if (k + i / 2 < t.bandwidth) {
        even->r[2 * k + i] = one[i] + both[i];
        odd->r[2 * k + i] = two[i] + both[i];
      }
  }
}

/* The sums of one line: the odd line with @is_odd, else the even line. */
template <class Window>
static __device__ __forceinline__ void
pocstereo_correlate_line (const Window &t, const PocstereoLeftOf<Window> &f,
    const uint2 *g, int pitch, int deeper, bool is_odd,
    PocstereoSums<Window> *sums)
{
  int last = t.lines / 2;

#pragma unroll
  for (int k = 0; k < t.bandwidth; k += 2) {
    int32_t sum[4] = {0};

#pragma unroll
    for (int p = 0; p <= last; p++) {
      uint2 couple = pocstereo_couple_of_pair (g, p, k / 2, pitch, deeper);
      uint32_t inside =
          p == (is_odd ? 0 : last) ? (is_odd ? 0xffff0000u : 0xffffu) : ~0u;

#pragma unroll
      for (int i = 0; i < 4; i++) {
        if (k + i / 2 >= t.bandwidth)
          continue;
        uint32_t a =
            i % 2 ? f.turned_word (p, k + i / 2) : f.left_word (p, k + i / 2);

        sum[i] = pocstereo_dot_bytes (
            a & inside, i / 2 ? couple.y : couple.x, sum[i]);
      }
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
      if (k + i / 2 < t.bandwidth)
        sums->r[2 * k + i] = sum[i];
  }
}

/* pocstereo_try_base (): lags m and -m together, which share the even and odd
 * parts of the correlation.  The lowest of equal lags counts. */
template <class Window>
static __device__ __forceinline__ void
pocstereo_try_lags (const Window &t, const PocstereoLayer &layer,
    const PocstereoSums<Window> &sums, int base, int lags, PocstereoBest *best)
{
  int first, last, lag = 0;
  int32_t height = 0;

  pocstereo_lags (&layer, base, lags, &first, &last);
#pragma unroll
  for (int k = 0; k < t.bandwidth; k++)
    height += sums.r[2 * k] * t.lag_cosine (0, k);
#pragma unroll
  for (int m = 1; m <= lags; m++) {
    int32_t even = 0, odd = 0;

#pragma unroll
    for (int k = 0; k < t.bandwidth; k++) {
      even += sums.r[2 * k] * t.lag_cosine (m, k);
      odd += sums.r[2 * k + 1] * t.lag_sine (m, k);
    }
    if (-m >= first && even + odd >= height) {
      height = even + odd;
      lag = -m;
    }
    if (m <= last && even - odd > height) {
      height = even - odd;
      lag = m;
    }
  }
  if (height > best->height) {
    best->height = height;
    best->disparity = base + lag;
  }
}
