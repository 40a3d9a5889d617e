/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The re-vote near edges, and the left-right check.  In a vote, a warp goes
 * down a strip: each lane takes the costs of a column, sums over 5 x 5 come
 * from its neighbours and from the rows before, and nothing is shared beyond
 * the warp. */
#include "pocstereo/pocstereo_cuda.cuh"
#include "pocstereo/pocstereo_revote_core.h"

/* ---- Census transforms, of both views ---- */

#define TILE_X 32
#define TILE_Y 8
#define ROWS (TILE_Y + 2 * POCSTEREO_CENSUS_Y)
#define COLUMNS (TILE_X + 2 * POCSTEREO_CENSUS_X)

struct Censuses {
  uint64_t *of[2];
};

/* pocstereo_census (), its bits in another order, which nobody looks at. */
static __global__ void
__launch_bounds__ (TILE_X *TILE_Y)
    census_kernel (const __grid_constant__ PocstereoWork w,
        const __grid_constant__ Censuses census)
{
  __shared__ int tile[ROWS][COLUMNS];
  int view = blockIdx.z;
  int x0 = blockIdx.x * TILE_X, y0 = blockIdx.y * TILE_Y;
  int x = x0 + (int) threadIdx.x, y = y0 + (int) threadIdx.y, centre;
  uint32_t above = 0, below = 0;

  allow_next ();
  await_previous ();
  for (int j = threadIdx.y; j < ROWS; j += TILE_Y)
    for (int i = threadIdx.x; i < COLUMNS; i += TILE_X) {
      int column =
          pocstereo_clamp (x0 + i - POCSTEREO_CENSUS_X, 0, w.width - 1);
      int row = pocstereo_clamp (y0 + j - POCSTEREO_CENSUS_Y, 0, w.height - 1);

      tile[j][i] = w.view[view][0][(size_t) row * w.stride[0] + column];
    }
  __syncthreads ();
  if (x >= w.width || y >= w.height)
    return;
  centre =
      tile[threadIdx.y + POCSTEREO_CENSUS_Y][threadIdx.x + POCSTEREO_CENSUS_X];
#pragma unroll
  for (int j = 0; j <= 2 * POCSTEREO_CENSUS_Y; j++)
#pragma unroll
    for (int i = 0; i <= 2 * POCSTEREO_CENSUS_X; i++) {
      int darker = tile[threadIdx.y + j][threadIdx.x + i] - centre; /* < 0 */

      if (j < POCSTEREO_CENSUS_Y)
        above = __funnelshift_l ((uint32_t) darker, above, 1);
      else if (j > POCSTEREO_CENSUS_Y || i < POCSTEREO_CENSUS_X)
        below = __funnelshift_l ((uint32_t) darker, below, 1);
      else if (i > POCSTEREO_CENSUS_X)
        above = __funnelshift_l ((uint32_t) darker, above, 1);
    }
  census.of[view][(size_t) y * w.width + x] = (uint64_t) above << 32 | below;
}

/* ---- The vote ---- */

#define WARPS 4
/* Columns that a warp decides: its lanes but two at each side. */
#define STRIP 28
#define DEEP 12 /* rows, an even number */
#define BOX POCSTEREO_BOX
#define SIDE (2 * BOX + 1)

struct Vote {
  const uint64_t *census[2];
  const PocstereoMatch *before[2];
  const int32_t *smooth[2]; /* medians of their disparities */
  PocstereoMatch *after[2];
  bool is_last;
};

/* What donor @i offers to (x, y); -1: its own. */
static __device__ __forceinline__ int32_t
offer (const PocstereoWork &w, const Vote &v, int view, int i, int x, int y)
{
  PocstereoPoint p;

  if (i < 0)
    return v.before[view][(size_t) y * w.width + x].disparity;
  p = pocstereo_donor (i, x, y, w.width, w.height);
  return v.smooth[view][(size_t) p.y * w.width + p.x];
}

/* Over the lane's numbers and the next four's: two in each word, which stay
 * below 1 << 16. */
static __device__ __forceinline__ uint32_t
sum_across (uint32_t costs)
{
  uint32_t two = costs + __shfl_down_sync (ALL_LANES, costs, 1);
  uint32_t four = two + __shfl_down_sync (ALL_LANES, two, 2);

  return four + __shfl_down_sync (ALL_LANES, costs, 4);
}

/* Sums over 5 x 5 of what donor @i offers to the pixels of a column two to the
 * right of the lane's own, @x. */
static __device__ __forceinline__ void
sum_costs (const PocstereoWork &w, const Vote &v, int view, int i, int x, int y,
    const uint64_t census[DEEP + 2 * BOX], int sums[DEEP])
{
  int costs[DEEP + 2 * BOX], down[DEEP], sum = 0;

#pragma unroll
  for (int j = 0; j < DEEP + 2 * BOX; j++) {
    int row = pocstereo_clamp (y + j - BOX, 0, w.height - 1);
    int q = pocstereo_other (x, offer (w, v, view, i, x, row));

    q = pocstereo_clamp (q, 0, w.width - 1);
    costs[j] = pocstereo_differing (
        census[j], v.census[1 - view][(size_t) row * w.width + q]);
    sum += costs[j];
    if (j >= SIDE)
      sum -= costs[j - SIDE];
    if (j >= 2 * BOX)
      down[j - 2 * BOX] = sum;
  }
#pragma unroll
  for (int j = 0; j < DEEP; j += 2) {
    uint32_t both =
        sum_across ((uint32_t) down[j] | (uint32_t) down[j + 1] << 16);

    sums[j] = (int) (both & 0xffff);
    sums[j + 1] = (int) (both >> 16);
  }
}

/* A pixel takes the median around its donor and the donor's peak and sigma. */
static __device__ __forceinline__ void
take (const PocstereoWork &w, const Vote &v, int view, int donor, int x, int y)
{
  size_t at = (size_t) y * w.width + x, from = at;
  PocstereoMatch match;

  if (donor >= 0) {
    PocstereoPoint p = pocstereo_donor (donor, x, y, w.width, w.height);

    from = (size_t) p.y * w.width + p.x;
  }
  match = v.before[view][from];
  if (donor >= 0)
    match.disparity = v.smooth[view][from];
  if (v.is_last)
    pocstereo_forget_low (w.min_peak, &match);
  v.after[view][at] = match;
}

static __global__ void
__launch_bounds__ (WARPS * 32) vote_kernel (
    const __grid_constant__ PocstereoWork w, const __grid_constant__ Vote v)
{
  int view = blockIdx.z, lane = threadIdx.x;
  int x = (blockIdx.x * WARPS + threadIdx.y) * STRIP + lane;
  int y = blockIdx.y * DEEP;
  int column = pocstereo_clamp (x - BOX, 0, w.width - 1);
  uint64_t census[DEEP + 2 * BOX];
  int best[DEEP], donor[DEEP], sums[DEEP];

  allow_next ();
  await_previous ();
#pragma unroll
  for (int j = 0; j < DEEP + 2 * BOX; j++) {
    int row = pocstereo_clamp (y + j - BOX, 0, w.height - 1);

    census[j] = v.census[view][(size_t) row * w.width + column];
  }
  sum_costs (w, v, view, -1, column, y, census, best);
#pragma unroll
  for (int j = 0; j < DEEP; j++)
    donor[j] = -1;
#pragma unroll 1
  for (int i = 0; i < POCSTEREO_DONORS; i++) {
    sum_costs (w, v, view, i, column, y, census, sums);
#pragma unroll
    for (int j = 0; j < DEEP; j++)
      if (pocstereo_is_cheaper (sums[j], best[j])) {
        best[j] = sums[j];
        donor[j] = i;
      }
  }
#pragma unroll
  for (int j = 0; j < DEEP; j++)
    if (lane < STRIP && x < w.width && y + j < w.height)
      take (w, v, view, donor[j], x, y + j);
}

static const char *
vote (const Device *dev, const PocstereoWork *w, PocstereoMatch *const from[2],
    PocstereoMatch *const to[2], bool is_last)
{
  const PocstereoCuda *c = (const PocstereoCuda *) w->state;
  const int32_t *const disparities[2] = {
      (const int32_t *) from[0], (const int32_t *) from[1]};
  Vote v = {{c->census[0], c->census[1]}, {from[0], from[1]},
      {c->smooth[0], c->smooth[1]}, {to[0], to[1]}, is_last};

  static_assert (offsetof (PocstereoMatch, disparity) == 0, "comes first");
  TRY (pocstereo_median_cuda (dev, w, disparities,
      sizeof (PocstereoMatch) / sizeof (int32_t), c->smooth, w->width,
      w->height));
  return pocstereo_launch (dev, w, vote_kernel,
      dim3 (ceil_div (w->width, WARPS * STRIP), ceil_div (w->height, DEEP),
          pocstereo_views (w)),
      dim3 (32, WARPS), 0, *w, v);
}

const char *
pocstereo_census_cuda (const Device *dev, const PocstereoWork *w)
{
  const PocstereoCuda *c = (const PocstereoCuda *) w->state;
  Censuses census = {{c->census[0], c->census[1]}};

  return pocstereo_launch (dev, w, census_kernel,
      dim3 (ceil_div (w->width, TILE_X), ceil_div (w->height, TILE_Y), 2),
      dim3 (TILE_X, TILE_Y), 0, *w, census);
}

const char *
pocstereo_revote_cuda (const Device *dev, const PocstereoWork *w, int view)
{
  const PocstereoCuda *c = (const PocstereoCuda *) w->state;
  PocstereoMatch *const *at[2] = {w->matches, c->spare};

  if (view) /* was done together with the left one */
    return NULL;
  TRY (pocstereo_census_cuda (dev, w));
  static_assert (POCSTEREO_VOTES % 2 == 0, "matches end where they began");
  for (int pass = 0; pass < POCSTEREO_VOTES; pass++)
    TRY (vote (dev, w, at[pass % 2], at[1 - pass % 2],
        pass == POCSTEREO_VOTES - 1 && !w->params.slant));
  return NULL;
}
