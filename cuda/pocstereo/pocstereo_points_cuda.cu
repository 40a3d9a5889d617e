/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Steps 2 to 7 at points: a group of lanes of a warp for each point, all layers
 * in one kernel.  The phasors of a window come from the layer's field or, in a
 * layer without one, from the samples. */
#include "pocstereo/pocstereo_window.cuh"

/* ---- Lanes that work on one point together: its windows' phasors, the sums
 * over lines, the peak ---- */

#define THREADS 128

/* The shared memory of the lanes that work on one point. */
template <class Window, bool IS_FIXED> struct Group;

template <class Window> struct Group<Window, true> {
  static constexpr int lanes = Window::lines <= 16 ? 16 : 32;
  static constexpr int pitch =
      2 * Window::half + 1; /* odd: no bank conflicts */
  static constexpr int pairs = Window::lines / 2 + 1;

  float rows[lanes][pitch];
  uint32_t words[2][pairs * Window::bandwidth];
  int32_t r[2 * Window::bandwidth + 1], beside[2 * Window::bandwidth + 1];
  int base, side;
};

template <class Window> struct Group<Window, false> {
  static constexpr int lanes = 32;

  int32_t r[2 * POCSTEREO_MAX_BANDWIDTH + 1];
  int32_t beside[2 * POCSTEREO_MAX_BANDWIDTH + 1];
  int base, side;
};

template <class Window> using GroupOf = Group<Window, Window::is_fixed>;

template <class Window> struct Shared {
  static constexpr int lags =
      Window::is_fixed ? Window::max_half / 2 : POCSTEREO_MAX_LAGS;

  GroupOf<Window> group[THREADS / GroupOf<Window>::lanes];
  int2 lag[Window::max_bandwidth][lags + 1]; /* cosines, sines */
};

/* The input of the search of a point in layer l. */
template <class Window> struct Search {
  const PocstereoPyramid &pyramid;
  const PocstereoFields &field;
  const Window &t;
  Shared<Window> &shared;
  GroupOf<Window> &group;
  int lane, l;
  bool has_field;
};

/* The words of a window's phasors: the first one, and the distances from a pair
 * of lines to the next and from a couple to the next. */
struct Words {
  const uint32_t *first;
  int pair, couple;
};

/* Loads the rows of a window; all reads are in flight before the first one is
 * stored. */
template <class Window>
static __device__ __forceinline__ void
load_window_rows (const Search<Window> &s, int view, int x, int y)
{
  constexpr int LANES = GroupOf<Window>::lanes;
  constexpr int WIDE = (2 * Window::half + LANES - 1) / LANES;
  const PocstereoLayer &layer = s.pyramid.layer[0][s.l];
  const uint16_t *samples = s.pyramid.view[view][s.l];
  uint16_t read[WIDE][Window::lines];

#pragma unroll
  for (int i = 0; i < WIDE; i++) {
    int column = pocstereo_clamp (
        x + s.lane + i * LANES + 1 - s.t.half, 0, layer.width - 1);

#pragma unroll
    for (int j = 0; j < s.t.lines; j++) {
      int row = pocstereo_clamp (y + j - s.t.lines / 2, 0, layer.height - 1);

      read[i][j] = samples[(size_t) row * s.pyramid.stride[s.l] + column];
    }
  }
#pragma unroll
  for (int i = 0; i < WIDE; i++)
#pragma unroll
    for (int j = 0; j < s.t.lines; j++)
      s.group.rows[j][s.lane + i * LANES] = read[i][j];
}

/* The phasors of the window around (@x, @y), a lane for each line. */
template <class Window>
static __device__ __forceinline__ void
take_window_phasors (const Search<Window> &s, int view, int x, int y)
{
  uint32_t words[Window::max_bandwidth];
  uint16_t *halves = (uint16_t *) s.group.words[view];

  __syncwarp ();
  load_window_rows (s, view, x, y);
  __syncwarp ();
  if (s.lane < s.t.lines) {
    pocstereo_line_phasors (s.t, &s.group.rows[s.lane][s.t.half - 1], words);
#pragma unroll
    for (int k = 0; k < s.t.bandwidth; k++)
      halves[2 * (s.lane / 2 * s.t.bandwidth + k) + s.lane % 2] =
          (uint16_t) words[k];
  }
  __syncwarp ();
}

template <class Window>
static __device__ __forceinline__ Words
point_window_at (const Search<Window> &s, int view, int x, int y)
{
  const PocstereoFields &f = s.field;

  x = pocstereo_clamp (x, 0, s.pyramid.layer[0][s.l].width - 1);
  if constexpr (Window::is_fixed)
    if (!s.has_field) {
      take_window_phasors (s, view, x, y);
      return Words{s.group.words[view], s.t.bandwidth, 2};
    }
  return Words{
      (const uint32_t *) (pocstereo_couples (f, view, s.l) +
          (size_t) (y / 2) * f.pitch[s.l] + (size_t) x * f.across[s.l]),
      2 * f.pitch[s.l], 2 * f.deeper[s.l]};
}

/* Sets @r to the sums over lines of F conj (G) of the windows f around @x and g
 * around @x - @base: a lane for each part of a frequency. */
template <class Window>
static __device__ __forceinline__ void
correlate_point (
    const Search<Window> &s, const Words &f, int x, int y, int base, int32_t *r)
{
  constexpr int LANES = GroupOf<Window>::lanes;
  Words g = point_window_at (s, 1, x - base, y);
  bool odd = s.has_field && y % 2;
  int outside = odd ? 0
                    : s.t.lines /
          2; /* the pair of which one line lies outside of the window */
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
      sum =
          __dp4a ((int) (c % 2 ? pocstereo_turned_word (a) : a), (int) b, sum);
    }
    r[c] = sum;
  }
  __syncwarp ();
}

struct Peak {
  int32_t height;
  int lag;
};

/* The higher of two peaks; of equal heights that with the lower lag. */
static __device__ __forceinline__ Peak
higher_peak (Peak a, Peak b)
{
  bool second = b.height > a.height || (b.height == a.height && b.lag < a.lag);

  return second ? b : a;
}

/* The highest lag as pocstereo_peak () finds it; each lane computes two lags,
 * one of either sign. */
template <class Window>
static __device__ __forceinline__ Peak
find_group_peak (const Search<Window> &s, int first, int last)
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
      best = higher_peak (best, Peak{even + odd, -m});
    if (m >= first && m <= last)
      best = higher_peak (best, Peak{even - odd, m});
  }
#pragma unroll
  for (int step = LANES / 2; step; step /= 2)
    best = higher_peak (best,
        Peak{__shfl_xor_sync (ALL_LANES, best.height, step),
            __shfl_xor_sync (ALL_LANES, best.lag, step)});
  return best;
}

/* ---- Steps 2 to 7 ---- */

/* Steps 4 and 5 in one layer: the best disparity around the parent's, or around
 * each tile of the coarsest layer. */
template <class Window>
static __device__ __forceinline__ int
search_point_bases (
    const Search<Window> &s, const Words &f, int x, int y, int parent)
{
  const PocstereoLayer &layer = s.pyramid.layer[0][s.l];
  bool coarsest = s.l == s.pyramid.n_layers - 1;
  int n = coarsest ? layer.tiles : 1, found = 0;
  int32_t best = INT32_MIN;

  for (int i = 0; i < n; i++) {
    int base = coarsest ? pocstereo_tile_base (&layer, i) : 2 * parent;
    int first, last;
    Peak peak;

    base = pocstereo_visible_base (&layer, x, base);
    correlate_point (s, f, x, y, base, s.group.r);
    pocstereo_lags (&layer, base, s.t.lags, &first, &last);
    peak = find_group_peak (s, first, last);
    __syncwarp ();
    if (peak.height > best) {
      best = peak.height;
      found = base + peak.lag;
    }
  }
  return found;
}

/* The sums that Step 7 reads, around the disparity @base of layer 0. */
template <class Window>
static __device__ __forceinline__ void
correlate_found (const Search<Window> &s, const PocstereoTables *tables,
    const Words &f, int x, int y, int base, bool two_windows)
{
  int side = 0;

  correlate_point (s, f, x, y, base, s.group.r);
  if (two_windows) {
    side = pocstereo_side_of_peak (
        tables, s.group.r, x - base, s.pyramid.layer[0][0].width);
    correlate_point (s, f, x, y, base + side, s.group.beside);
  }
  if (s.lane == 0) {
    s.group.base = base;
    s.group.side = side;
  }
}

template <class Window>
static __device__ __forceinline__ void
load_shared_lags (
    const PocstereoTables *tables, const Window &t, Shared<Window> &shared)
{
  for (int i = threadIdx.x; i < t.bandwidth * (t.lags + 1); i += THREADS) {
    int k = i % t.bandwidth, m = i / t.bandwidth;

    shared.lag[k][m] =
        make_int2 (tables->lag_cosine[m][k], tables->lag_sine[m][k]);
  }
}

/* Step 7, one thread a point: the operations depend on each other, so more
 * lanes would not help. */
template <class Window>
static __device__ __forceinline__ void
refine_point (const PocstereoAsked &asked, int width, const Window &t,
    const GroupOf<Window> &group, bool two_windows, int i)
{
  const PocstereoTables *tables = asked.constants.device;
  PocstereoMatch match;
  int2 whole;

  if constexpr (Window::is_fixed)
    __builtin_assume (tables->bandwidth == Window::bandwidth);
  match = two_windows
      ? pocstereo_refine_between (
            tables, group.r, group.beside, group.side, group.base)
      : pocstereo_refine_in_window (t, tables, group.r, group.base);

  pocstereo_drop_outside (asked.points[i].x, width, &match);
  pocstereo_drop_low_peak (asked.min_peak, &match);
  memcpy (&whole, &match, sizeof whole);
  ((int2 *) asked.matches)[i] = whole; /* one write to the host's memory */
}

/* Steps 2 to 7 at points.  @layers: the layers that have a field, a bit each.
 */
template <class Window>
static __global__ void
__launch_bounds__ (THREADS)
    points_kernel (const __grid_constant__ PocstereoPyramid pyramid,
        const __grid_constant__ PocstereoFields field,
        const __grid_constant__ Window t,
        const __grid_constant__ PocstereoAsked asked, uint32_t layers,
        bool two_windows)
{
  constexpr int LANES = GroupOf<Window>::lanes, POINTS = THREADS / LANES;
  __shared__ Shared<Window> shared;
  int in_block = threadIdx.x / LANES;
  int i = min (blockIdx.x * POINTS + in_block, asked.n - 1);
  int2 point = ((const int2 *) asked.points)[i];
  Search<Window> s = {pyramid, field, t, shared, shared.group[in_block],
      (int) threadIdx.x % LANES, 0, false};
  int parent = 0;

  allow_next ();
  await_previous ();
  load_shared_lags (asked.constants.device, t, shared);
  __syncthreads ();
  for (s.l = pyramid.n_layers - 1; s.l >= 0; s.l--) {
    const PocstereoLayer &layer = pyramid.layer[0][s.l];
    int x = pocstereo_clamp (point.x >> s.l, 0, layer.width - 1);
    int y = pocstereo_clamp (point.y >> s.l, 0, layer.height - 1);

    s.has_field = layers >> s.l & 1;
    Words f = point_window_at (s, 0, x, y);

    parent = search_point_bases (s, f, x, y, parent);
    if (s.l == 0)
      correlate_found (s, asked.constants.device, f, x, y, parent, two_windows);
  }
  __syncthreads ();
  i = blockIdx.x * POINTS + threadIdx.x;
  if (threadIdx.x < POINTS && i < asked.n)
    refine_point (asked, pyramid.layer[0][0].width, t,
        shared.group[threadIdx.x], two_windows, i);
}

/* Computing a line of a single window costs as much as this number of lines of
 * a field; measured with windows of 32 x 15. */
#define LINE_COST 8

/* Windows of sizes that are not compiled in always need fields. */
uint32_t
pocstereo_crowded_layers_cuda (
    const PocstereoPyramid *pyramid, const PocstereoTables *t, int n_points)
{
  const PocstereoConstants constants = {t, NULL};
  int64_t lines = (int64_t) n_points * t->lines;
  bool is_fixed = false;
  uint32_t layers = 0;

  pocstereo_with_window (&constants, [&] (const auto &window) {
    is_fixed = std::decay_t<decltype (window)>::is_fixed;
    return (const char *) NULL;
  });
  if (!is_fixed)
    return n_points ? ~0u : 0;
  for (int l = 0; l < pyramid->n_layers; l++)
    if (LINE_COST * lines >
        (int64_t) pyramid->layer[0][l].width * pyramid->layer[0][l].height)
      layers |= 1u << l;
  return layers;
}

const char *
pocstereo_points_cuda (const Device *dev, const PocstereoAsked *asked,
    const PocstereoFields *fields)
{
  return pocstereo_with_window (&asked->constants, [&] (const auto &t) {
    using Window = std::decay_t<decltype (t)>;

    return pocstereo_launch_kernel (dev, points_kernel<Window>,
        ceil_div (asked->n, THREADS / GroupOf<Window>::lanes), THREADS,
        *asked->pyramid, *fields, t, *asked, fields->layers,
        asked->constants.host->fit == POCSTEREO_TWO_WINDOWS);
  });
}
