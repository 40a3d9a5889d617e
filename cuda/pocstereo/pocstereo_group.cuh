/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lanes that work on one point together: its windows' phasors, the sums over
 * lines, the peak. */
#pragma once

#include "pocstereo/pocstereo_window.cuh"

#define POCSTEREO_POINT_THREADS 128

/* What the lanes of one point share. */
template <class Window, bool IS_FIXED> struct Group;

template <class Window> struct Group<Window, true> {
  static constexpr int lanes = Window::lines <= 16 ? 16 : 32;
  static constexpr int pitch = 2 * Window::half + 1; /* odd: no conflicts */
  static constexpr int pairs = Window::lines / 2 + 1;

  float rows[lanes][pitch];
  uint32_t words[2][pairs * Window::bandwidth];
  int32_t r[2 * Window::bandwidth + 1];
  int base;
};

template <class Window> struct Group<Window, false> {
  static constexpr int lanes = 32;

  int32_t r[2 * POCSTEREO_MAX_BANDWIDTH + 1];
  int base;
};

template <class Window> using GroupOf = Group<Window, Window::is_fixed>;

template <class Window> struct Shared {
  static constexpr int lags =
      Window::is_fixed ? Window::most_half / 2 : POCSTEREO_MOST_LAGS;

  GroupOf<Window> group[POCSTEREO_POINT_THREADS / GroupOf<Window>::lanes];
  int2 lag[Window::most_bandwidth][lags + 1]; /* cosines, sines */
};

/* One point in one layer. */
template <class Window> struct Search {
  const PocstereoWork &w;
  const PocstereoField &field;
  const Window &t;
  Shared<Window> &shared;
  GroupOf<Window> &group;
  int lane, l;
  bool has_field;
};

/* Words of a window's first pair; from pair to pair, couple to couple. */
struct Words {
  const uint32_t *first;
  int pair, couple;
};

/* All reads are under way before the first one is stored. */
template <class Window>
static __device__ __forceinline__ void
load_rows (const Search<Window> &s, int view, int x, int y)
{
  constexpr int LANES = GroupOf<Window>::lanes;
  constexpr int WIDE = (2 * Window::half + LANES - 1) / LANES;
  const PocstereoLayer &layer = s.w.layer[0][s.l];
  const uint16_t *samples = s.w.view[view][s.l];
  uint16_t read[WIDE][Window::lines];

#pragma unroll
  for (int i = 0; i < WIDE; i++) {
    int column = pocstereo_clamp (
        x + s.lane + i * LANES + 1 - s.t.half, 0, layer.width - 1);

#pragma unroll
    for (int j = 0; j < s.t.lines; j++) {
      int row = pocstereo_clamp (y + j - s.t.lines / 2, 0, layer.height - 1);

      read[i][j] = samples[(size_t) row * s.w.stride[s.l] + column];
    }
  }
#pragma unroll
  for (int i = 0; i < WIDE; i++)
#pragma unroll
    for (int j = 0; j < s.t.lines; j++)
      s.group.rows[j][s.lane + i * LANES] = read[i][j];
}

/* The phasors of the window around (x, y), a lane a line. */
template <class Window>
static __device__ __forceinline__ void
take_window (const Search<Window> &s, int view, int x, int y)
{
  uint32_t words[Window::most_bandwidth];
  uint16_t *halves = (uint16_t *) s.group.words[view];

  __syncwarp ();
  load_rows (s, view, x, y);
  __syncwarp ();
  if (s.lane < s.t.lines) {
    pocstereo_line (s.t, &s.group.rows[s.lane][s.t.half - 1], words);
#pragma unroll
    for (int k = 0; k < s.t.bandwidth; k++)
      halves[2 * (s.lane / 2 * s.t.bandwidth + k) + s.lane % 2] =
          (uint16_t) words[k];
  }
  __syncwarp ();
}

template <class Window>
static __device__ __forceinline__ Words
window_at (const Search<Window> &s, int view, int x, int y)
{
  const PocstereoField &f = s.field;

  x = pocstereo_clamp (x, 0, s.w.layer[0][s.l].width - 1);
  if constexpr (Window::is_fixed)
    if (!s.has_field) {
      take_window (s, view, x, y);
      return Words{s.group.words[view], s.t.bandwidth, 2};
    }
  return Words{
      (const uint32_t *) (f.couples[view][s.l] +
          (size_t) (y / 2) * f.pitch[s.l] + (size_t) x * f.across[s.l]),
      2 * f.pitch[s.l], 2 * f.deeper[s.l]};
}

/* The sums over lines of F conj (G), g around x - base: a lane a part of a
 * frequency. */
template <class Window>
static __device__ __forceinline__ void
correlate (const Search<Window> &s, const Words &f, int x, int y, int base)
{
  constexpr int LANES = GroupOf<Window>::lanes;
  Words g = window_at (s, 1, x - base, y);
  bool odd = s.has_field && y % 2;
  int outside = odd ? 0 : s.t.lines / 2; /* the pair with a line too many */
  uint32_t inside = odd ? 0xffff0000u : 0xffffu;

#pragma unroll
  for (int c = s.lane; c < 2 * s.t.bandwidth; c += LANES) {
    int k = c / 2, sum = 0;

#pragma unroll
    for (int p = 0; p <= s.t.lines / 2; p++) {
      uint32_t a = f.first[(size_t) p * f.pair + k / 2 * f.couple + k % 2];
      uint32_t b = g.first[(size_t) p * g.pair + k / 2 * g.couple + k % 2];

      if (p == outside)
        a &= inside;
      sum = __dp4a ((int) (c % 2 ? pocstereo_turned (a) : a), (int) b, sum);
    }
    s.group.r[c] = sum;
  }
  __syncwarp ();
}

struct Peak {
  int32_t height;
  int lag;
};

/* Of equal ones the first. */
static __device__ __forceinline__ Peak
higher (Peak a, Peak b)
{
  bool second = b.height > a.height || (b.height == a.height && b.lag < a.lag);

  return second ? b : a;
}

/* pocstereo_peak (), a lane a lag of either sign. */
template <class Window>
static __device__ __forceinline__ Peak
find_peak (const Search<Window> &s, int first, int last)
{
  constexpr int LANES = GroupOf<Window>::lanes;
  const Peak none = {INT32_MIN, INT32_MAX};
  Peak best = none;

  for (int m = s.lane; m <= s.t.lags; m += LANES) {
    int32_t even = 0, odd = 0;

#pragma unroll
    for (int k = 0; k < s.t.bandwidth; k++) {
      int2 lag = s.shared.lag[k][m];

      even += s.group.r[2 * k] * lag.x;
      odd += s.group.r[2 * k + 1] * lag.y;
    }
    if (-m >= first && -m <= last)
      best = higher (best, Peak{even + odd, -m});
    if (m >= first && m <= last)
      best = higher (best, Peak{even - odd, m});
  }
#pragma unroll
  for (int step = LANES / 2; step; step /= 2)
    best = higher (best,
        Peak{__shfl_xor_sync (ALL_LANES, best.height, step),
            __shfl_xor_sync (ALL_LANES, best.lag, step)});
  return best;
}
