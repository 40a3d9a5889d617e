/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Steps 2 to 7 at every pixel: one kernel a layer, and one for the last search
 * and the fit.  Pixels with the same parent have the same candidates, and a
 * thread does two of them. */
#include "pocstereo/pocstereo_pixel.cuh"

#define TILE_X 32
#define TILE_Y 4
#define THREADS (TILE_X * TILE_Y)

/* Input and output of a kernel, view by view. */
struct Maps {
  int candidates;
  const int32_t *parent[2];
  int32_t *found[2], *height[2];
};

/* The first couple of the window around (@x, @y) in the field of @view. */
static __device__ __forceinline__ const uint2 *
field_window_at (
    const PocstereoFields &f, int view, int l, int width, int x, int y)
{
  x = pocstereo_clamp (x, 0, width - 1);
  return pocstereo_couples (f, view, l) + (size_t) (y / 2) * f.pitch[l] + x;
}

/* Appends @base to the @n disparities of @list, unless pocstereo_reaches_base
 * () leaves it out because of one of them, and returns their number.  The lists
 * of a block's threads are interleaved. */
static __device__ __forceinline__ int
offer_base (int32_t *list, int n, int32_t base, int lags)
{
  for (int i = 0; i < n; i++)
    if (pocstereo_reaches_base (list[i * THREADS], base, lags))
      return n;
  list[n * THREADS] = base;
  return n + 1;
}

static __device__ __forceinline__ int
list_candidates (int most, const PocstereoLayer &layer,
    const PocstereoLayer &above, const int32_t *parent, int x, int y, int lags,
    int32_t *list)
{
  int n = 0;

  for (int i = 0; i < most; i++) {
    PocstereoPoint p = pocstereo_parent (i, x, y, above.width, above.height);
    int base = 2 * parent[(size_t) p.y * above.width + p.x];

    n = offer_base (
        list, n, pocstereo_clamp (base, layer.floor, layer.ceil), lags);
  }
  return n;
}

/* Steps 4 and 5 at every pixel of layer @l. */
template <class Window>
static __global__ void
__launch_bounds__ (THREADS) search_pixels_kernel (
    const __grid_constant__ PocstereoPyramid p,
    const __grid_constant__ PocstereoFields f, const __grid_constant__ Window t,
    const __grid_constant__ Maps maps, int l)
{
  __shared__ int32_t lists[POCSTEREO_CANDIDATES][THREADS];
  int view = blockIdx.z;
  const PocstereoLayer &layer = p.layer[view][l];
  bool coarsest = l == p.n_layers - 1;
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
  left.load_window (t, field_window_at (f, view, l, layer.width, x, y),
      f.pitch[l], f.deeper[l]);
  n = coarsest ? layer.tiles
               : list_candidates (maps.candidates, layer, p.layer[view][l + 1],
                     maps.parent[view], x, y, l ? 0 : t.lags, list);
#pragma unroll 1
  for (int i = 0; i < n; i++) {
    int base = coarsest ? pocstereo_clamp (pocstereo_tile_base (&layer, i),
                              layer.floor, layer.ceil)
                        : list[i * THREADS];
    PocstereoSums<Window> even, odd;

    pocstereo_correlate_two_lines (t, left,
        field_window_at (f, 1 - view, l, layer.width, x - base, y), f.pitch[l],
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

/* The last search of layer 0, around medians, and Step 7. */
template <class Window>
static __global__ void
__launch_bounds__ (THREADS) refine_pixels_kernel (
    const __grid_constant__ PocstereoPyramid p,
    const __grid_constant__ PocstereoFields f, const __grid_constant__ Window t,
    const __grid_constant__ Maps maps, const PocstereoTables *tables,
    uint16_t min_peak, const __grid_constant__ PocstereoDenseMatches matches)
{
  __shared__ int32_t lists[POCSTEREO_AGAIN][THREADS];
  int view = blockIdx.z;
  const PocstereoLayer &layer = p.layer[view][0];
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
  left.load_window (t, field_window_at (f, view, 0, layer.width, x, y),
      f.pitch[0], f.deeper[0]);
  best.height = maps.height[view][at];
  best.disparity = maps.found[view][at];
  if (maps.candidates > 1)
    for (int i = 0; i < POCSTEREO_AGAIN; i++) {
      PocstereoPoint q = pocstereo_place_around (
          i, x, y, POCSTEREO_AGAIN_APART, layer.width, layer.height);

      n = offer_base (list, n,
          maps.parent[view][(size_t) q.y * layer.width + q.x],
          POCSTEREO_AGAIN_LAGS);
    }
#pragma unroll 1
  for (int i = 0; i <= n; i++) {
    int base = i < n ? list[i * THREADS] : best.disparity;

    if (i && i == n && base == list[(n - 1) * THREADS])
      break; /* sums already holds them */
    pocstereo_correlate_line (t, left,
        field_window_at (f, 1 - view, 0, layer.width, x - base, y), f.pitch[0],
        f.deeper[0], y % 2, &sums);
    if (i < n)
      pocstereo_try_lags (t, layer, sums, base, POCSTEREO_AGAIN_LAGS, &best);
  }
  match = pocstereo_refine_in_window (t, tables, sums.r, best.disparity);
  pocstereo_drop_low_peak (min_peak, &match);
  matches.view[view][at] = match;
}

template <class Window>
static const char *
search_pixel_layer (const Device *dev, const PocstereoPyramid *p,
    const PocstereoFields *fields, const Window &t, int n_views, Maps *maps,
    int l)
{
  const PocstereoLayer *layer = &p->layer[0][l];
  const int32_t *const from[2] = {maps->found[0], maps->found[1]};
  int32_t *to[2] = {(int32_t *) maps->parent[0], (int32_t *) maps->parent[1]};

  TRY (pocstereo_launch_kernel (dev, search_pixels_kernel<Window>,
      dim3 (ceil_div (layer->width, TILE_X),
          ceil_div (layer->height, 2 * TILE_Y), n_views),
      dim3 (TILE_X, TILE_Y), *p, *fields, t, *maps, l));
  if (maps->candidates > 1)
    return pocstereo_median_cuda (
        dev, from, 1, to, layer->width, layer->height, n_views);
  for (int v = 0; v < 2 && l; v++) {
    maps->parent[v] = from[v];
    maps->found[v] = to[v];
  }
  return NULL;
}

const char *
pocstereo_dense_cuda (const Device *dev, const PocstereoPyramid *p,
    const PocstereoFields *fields, const PocstereoConstants *constants,
    int candidates, uint16_t final_min_peak, int32_t *scratch,
    PocstereoDenseMatches *matches)
{
  size_t n = (size_t) matches->width * matches->height;
  Maps maps = {candidates, {scratch, scratch + n},
      {scratch + 2 * n, scratch + 3 * n}, {scratch + 4 * n, scratch + 5 * n}};

  return pocstereo_with_window (constants, [&] (const auto &t) {
    using Window = std::decay_t<decltype (t)>;

    for (int l = p->n_layers - 1; l >= 0; l--)
      TRY (search_pixel_layer (dev, p, fields, t, matches->n_views, &maps, l));
    return pocstereo_launch_kernel (dev, refine_pixels_kernel<Window>,
        dim3 (ceil_div (matches->width, TILE_X),
            ceil_div (matches->height, TILE_Y), matches->n_views),
        dim3 (TILE_X, TILE_Y), *p, *fields, t, maps, constants->device,
        final_min_peak, *matches);
  });
}
