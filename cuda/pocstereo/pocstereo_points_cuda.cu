/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Steps 2 to 7 at points: some lanes of a warp for each, all layers in one
 * kernel.  A layer's phasors are taken window by window, or come from its field
 * where so many points ask that this is less work. */
#include "pocstereo/pocstereo_group.cuh"
#include "pocstereo/pocstereo_ladder.h"

#define THREADS POCSTEREO_POINT_THREADS

/* Steps 4 and 5 of one layer: the best disparity around each of its bases. */
template <class Window>
static __device__ __forceinline__ int
search (const Search<Window> &s, const Words &f, int x, int y, int parent)
{
  const PocstereoLayer &layer = s.w.layer[0][s.l];
  bool coarsest = s.l == s.w.n_layers - 1;
  int n = coarsest ? layer.tiles : 1, found = 0;
  int32_t best = INT32_MIN;

  for (int i = 0; i < n; i++) {
    int base = coarsest ? pocstereo_tile (&layer, i) : 2 * parent;
    int first, last;
    Peak peak;

    base = pocstereo_clamp (base, layer.floor, layer.ceil);
    correlate (s, f, x, y, base);
    pocstereo_lags (&layer, base, s.t.lags, &first, &last);
    peak = find_peak (s, first, last);
    __syncwarp ();
    if (peak.height > best) {
      best = peak.height;
      found = base + peak.lag;
    }
  }
  return found;
}

template <class Window>
static __device__ __forceinline__ void
load_lags (const PocstereoWork &w, const Window &t, Shared<Window> &shared)
{
  for (int i = threadIdx.x; i < t.bandwidth * (t.lags + 1); i += THREADS) {
    int k = i % t.bandwidth, m = i / t.bandwidth;

    shared.lag[k][m] =
        make_int2 (w.tables->lag_cosine[m][k], w.tables->lag_sine[m][k]);
  }
}

/* Step 7, one thread a point: its chain of operations is long, and its lanes
 * would all do the same. */
template <class Window>
static __device__ __forceinline__ void
refine (const PocstereoWork &w, const Window &t, const GroupOf<Window> &group,
    int i)
{
  PocstereoMatch match = pocstereo_refine_in (t, w.tables, group.r, group.base);
  int2 whole;

  pocstereo_forget_low (w.min_peak, &match);
  memcpy (&whole, &match, sizeof whole);
  ((int2 *) w.point_matches)[i] = whole; /* one write to the host's memory */
}

/* @fields: the layers that have a field, a bit each. */
template <class Window>
static __global__ void
__launch_bounds__ (THREADS)
    points_kernel (const __grid_constant__ PocstereoWork w,
        const __grid_constant__ PocstereoField field,
        const __grid_constant__ Window t, uint32_t fields)
{
  constexpr int LANES = GroupOf<Window>::lanes, POINTS = THREADS / LANES;
  __shared__ Shared<Window> shared;
  int in_block = threadIdx.x / LANES;
  int i = min (blockIdx.x * POINTS + in_block, w.n_points - 1);
  int2 point = ((const int2 *) w.points)[i];
  Search<Window> s = {w, field, t, shared, shared.group[in_block],
      (int) threadIdx.x % LANES, 0, false};
  int parent = 0;

  allow_next ();
  await_previous ();
  load_lags (w, t, shared);
  __syncthreads ();
  for (s.l = w.n_layers - 1; s.l >= 0; s.l--) {
    const PocstereoLayer &layer = w.layer[0][s.l];
    int x = pocstereo_clamp (point.x >> s.l, 0, layer.width - 1);
    int y = pocstereo_clamp (point.y >> s.l, 0, layer.height - 1);

    s.has_field = fields >> s.l & 1;
    Words f = window_at (s, 0, x, y);

    parent = search (s, f, x, y, parent);
    if (s.l == 0)
      correlate (s, f, x, y, parent);
  }
  if (s.lane == 0)
    s.group.base = parent;
  __syncthreads ();
  i = blockIdx.x * POINTS + threadIdx.x;
  if (threadIdx.x < POINTS && i < w.n_points)
    refine (w, t, shared.group[threadIdx.x], i);
}

/* A line of one window alone costs as much as some lines of a field: measured,
 * 32 x 15. */
#define LINE_COST 8

/* Where a field is less work than windows. */
static uint32_t
crowded_layers (const PocstereoWork *w)
{
  int64_t lines = (int64_t) w->n_points * w->params.lines;
  uint32_t layers = 0;

  for (int l = 0; l < w->n_layers; l++)
    if (LINE_COST * lines >
        (int64_t) w->layer[0][l].width * w->layer[0][l].height)
      layers |= 1u << l;
  return layers;
}

const char *
pocstereo_points_cuda (const Device *dev, const PocstereoWork *w)
{
  const PocstereoCuda *c = (const PocstereoCuda *) w->state;

  if (w->params.implementation != POCSTEREO_FUSED)
    return pocstereo_ladder_cuda (dev, w);
  return pocstereo_with_window (w, [&] (const auto &t) {
    using Window = std::decay_t<decltype (t)>;
    const uint32_t all = (1u << w->n_layers) - 1;
    uint32_t fields =
        Window::is_fixed && !w->n_averaged ? crowded_layers (w) : all;

    if (fields && !w->n_averaged) {
      TRY (pocstereo_fields_room (dev, w, POCSTEREO_BY_PIXEL));
      TRY (pocstereo_fields_cuda (dev, w, fields));
    }
    return pocstereo_launch (dev, w, points_kernel<Window>,
        ceil_div (w->n_points, THREADS / GroupOf<Window>::lanes), THREADS, 0,
        *w, c->field, t, fields);
  });
}
