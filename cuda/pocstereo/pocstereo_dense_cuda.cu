/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Steps 2 to 7 at every pixel: one kernel a layer, the last look and the fit in
 * another.  Pixels that lie in the same one of the layer above have the same
 * candidates: a thread does two of them. */
#include "pocstereo/pocstereo_pixel.cuh"

#define TILE_X 32
#define TILE_Y 4
#define THREADS (TILE_X * TILE_Y)

/* What a kernel reads and writes, view by view. */
struct Maps {
  const int32_t *parent[2];
  int32_t *found[2], *height[2];
};

/* Where pixel @x's window begins in the field of @view. */
static __device__ __forceinline__ const uint2 *
window_at (const PocstereoField &f, int view, int l, int width, int x, int y)
{
  x = pocstereo_clamp (x, 0, width - 1);
  return f.couples[view][l] + (size_t) (y / 2) * f.pitch[l] + x;
}

/* Appends @base to the @n disparities of @list unless one of them reaches it,
 * and returns how many they are.  The lists of a block's threads lie side by
 * side. */
static __device__ __forceinline__ int
offer (int32_t *list, int n, int32_t base, int lags)
{
  for (int i = 0; i < n; i++)
    if (pocstereo_reaches (list[i * THREADS], base, lags))
      return n;
  list[n * THREADS] = base;
  return n + 1;
}

static __device__ __forceinline__ int
candidates (const PocstereoWork &w, const PocstereoLayer &layer,
    const PocstereoLayer &above, const int32_t *parent, int x, int y, int lags,
    int32_t *list)
{
  int n = 0;

  for (int i = 0; i < w.params.candidates; i++) {
    PocstereoPoint p = pocstereo_parent (i, x, y, above.width, above.height);
    int base = 2 * parent[(size_t) p.y * above.width + p.x];

    n = offer (list, n, pocstereo_clamp (base, layer.floor, layer.ceil), lags);
  }
  return n;
}

/* Steps 4 and 5 in layer @l. */
template <class Window>
static __global__ void
__launch_bounds__ (THREADS) search_kernel (
    const __grid_constant__ PocstereoWork w,
    const __grid_constant__ PocstereoField f, const __grid_constant__ Window t,
    const __grid_constant__ Maps maps, int l)
{
  __shared__ int32_t lists[POCSTEREO_CANDIDATES][THREADS];
  int view = blockIdx.z;
  const PocstereoLayer &layer = w.layer[view][l];
  bool coarsest = l == w.n_layers - 1;
  int x = blockIdx.x * TILE_X + threadIdx.x;
  int y = 2 * (blockIdx.y * TILE_Y + threadIdx.y);
  int32_t *list = &lists[0][threadIdx.y * TILE_X + threadIdx.x];
  PocstereoBest best[2] = {{INT32_MIN, 0}, {INT32_MIN, 0}};
  PocstereoLeftOf<Window> left;
  int n;

  allow_next ();
  await_previous ();
  if (x >= layer.width || y >= layer.height)
    return;
  left.load (
      t, window_at (f, view, l, layer.width, x, y), f.pitch[l], f.deeper[l]);
  n = coarsest ? layer.tiles
               : candidates (w, layer, w.layer[view][l + 1], maps.parent[view],
                     x, y, l ? 0 : t.lags, list);
#pragma unroll 1
  for (int i = 0; i < n; i++) {
    int base = coarsest
        ? pocstereo_clamp (pocstereo_tile (&layer, i), layer.floor, layer.ceil)
        : list[i * THREADS];
    PocstereoSums<Window> even, odd;

    pocstereo_correlate_two (t, left,
        window_at (f, 1 - view, l, layer.width, x - base, y), f.pitch[l],
        f.deeper[l], &even, &odd);
    pocstereo_try_lags (t, layer, even, base, t.lags, &best[0]);
    pocstereo_try_lags (t, layer, odd, base, t.lags, &best[1]);
  }
  for (int i = 0; i < 2 && y + i < layer.height; i++) {
    size_t at = (size_t) (y + i) * layer.width + x;

    maps.found[view][at] = best[i].disparity;
    maps.height[view][at] = best[i].height;
  }
}

/* The last look at layer 0, at medians, and Step 7. */
template <class Window>
static __global__ void
__launch_bounds__ (THREADS)
    refine_kernel (const __grid_constant__ PocstereoWork w,
        const __grid_constant__ PocstereoField f,
        const __grid_constant__ Window t, const __grid_constant__ Maps maps)
{
  __shared__ int32_t lists[POCSTEREO_AGAIN][THREADS];
  int view = blockIdx.z;
  const PocstereoLayer &layer = w.layer[view][0];
  int x = blockIdx.x * TILE_X + threadIdx.x;
  int y = blockIdx.y * TILE_Y + threadIdx.y, n = 0;
  int32_t *list = &lists[0][threadIdx.y * TILE_X + threadIdx.x];
  size_t at = (size_t) y * layer.width + x;
  PocstereoLeftOf<Window> left;
  PocstereoSums<Window> sums;
  PocstereoBest best;
  PocstereoMatch match;

  allow_next ();
  await_previous ();
  if (x >= layer.width || y >= layer.height)
    return;
  left.load (
      t, window_at (f, view, 0, layer.width, x, y), f.pitch[0], f.deeper[0]);
  best.height = maps.height[view][at];
  best.disparity = maps.found[view][at];
  if (w.params.candidates > 1)
    for (int i = 0; i < POCSTEREO_AGAIN; i++) {
      PocstereoPoint p = pocstereo_around (
          i, x, y, POCSTEREO_AGAIN_APART, layer.width, layer.height);

      n = offer (list, n, maps.parent[view][(size_t) p.y * layer.width + p.x],
          POCSTEREO_AGAIN_LAGS);
    }
#pragma unroll 1
  for (int i = 0; i <= n; i++) {
    int base = i < n ? list[i * THREADS] : best.disparity;

    if (i && i == n && base == list[(n - 1) * THREADS])
      break; /* the sums are those already */
    pocstereo_correlate_one (t, left,
        window_at (f, 1 - view, 0, layer.width, x - base, y), f.pitch[0],
        f.deeper[0], y % 2, &sums);
    if (i < n)
      pocstereo_try_lags (t, layer, sums, base, POCSTEREO_AGAIN_LAGS, &best);
  }
  match = pocstereo_refine_in (t, w.tables, sums.r, best.disparity);
  if (!w.params.revote && !w.params.slant)
    pocstereo_forget_low (w.min_peak, &match);
  w.matches[view][at] = match;
}

template <class Window>
static const char *
search_layer (const Device *dev, const PocstereoWork *w, const Window &t,
    Maps *maps, int l)
{
  const PocstereoCuda *c = (const PocstereoCuda *) w->state;
  const PocstereoLayer *layer = &w->layer[0][l];
  const int32_t *const from[2] = {maps->found[0], maps->found[1]};
  int32_t *to[2] = {(int32_t *) maps->parent[0], (int32_t *) maps->parent[1]};

  TRY (pocstereo_launch (dev, w, search_kernel<Window>,
      dim3 (ceil_div (layer->width, TILE_X),
          ceil_div (layer->height, 2 * TILE_Y), pocstereo_views (w)),
      dim3 (TILE_X, TILE_Y), 0, *w, c->field, t, *maps, l));
  if (w->params.candidates > 1)
    return pocstereo_median_cuda (
        dev, w, from, 1, to, layer->width, layer->height);
  for (int v = 0; v < 2 && l; v++) {
    maps->parent[v] = from[v];
    maps->found[v] = to[v];
  }
  return NULL;
}

const char *
pocstereo_dense_cuda (const Device *dev, const PocstereoWork *w, int view)
{
  const PocstereoCuda *c = (const PocstereoCuda *) w->state;
  Maps maps = {{c->smooth[0], c->smooth[1]}, {c->found[0], c->found[1]},
      {c->height[0], c->height[1]}};

  if (view) /* was done together with the left one */
    return NULL;
  if (!w->n_averaged) {
    TRY (pocstereo_fields_room (w, POCSTEREO_BY_ROW));
    TRY (pocstereo_fields_cuda (dev, w, ~0u));
  }
  return pocstereo_with_window (w, [&] (const auto &t) {
    using Window = std::decay_t<decltype (t)>;

    for (int l = w->n_layers - 1; l >= 0; l--)
      TRY (search_layer (dev, w, t, &maps, l));
    return pocstereo_launch (dev, w, refine_kernel<Window>,
        dim3 (ceil_div (w->width, TILE_X), ceil_div (w->height, TILE_Y),
            pocstereo_views (w)),
        dim3 (TILE_X, TILE_Y), 0, *w, c->field, t, maps);
  });
}
