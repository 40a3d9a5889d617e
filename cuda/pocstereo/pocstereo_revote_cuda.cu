/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Censuses, and the re-vote near edges.  In a vote, a warp goes along a strip
 * of columns: a lane computes the costs of one column, and the sums over 5 x 5
 * come from the lanes beside it and the rows before. */
#include "pocstereo/pocstereo_cuda.cuh"
#include "pocstereo/pocstereo_revote_core.h"

/* ---- Census transforms, of both views ---- */

#define TILE_X 32
#define TILE_Y 8
#define ROWS (TILE_Y + 2 * POCSTEREO_CENSUS_Y)
#define COLUMNS (TILE_X + 2 * POCSTEREO_CENSUS_X)

/* pocstereo_census (), with its bits in another order; censuses are only
 * compared with each other. */
static __global__ void
__launch_bounds__ (TILE_X *TILE_Y)
    census_kernel (const __grid_constant__ PocstereoFrame frame,
        const __grid_constant__ PocstereoCensuses census)
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
          pocstereo_clamp (x0 + i - POCSTEREO_CENSUS_X, 0, frame.width - 1);
      int row =
          pocstereo_clamp (y0 + j - POCSTEREO_CENSUS_Y, 0, frame.height - 1);

      tile[j][i] = frame.view[view][(size_t) row * frame.stride + column];
    }
  __syncthreads ();
  if (x >= frame.width || y >= frame.height)
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
  census.view[view][(size_t) y * frame.width + x] =
      (uint64_t) above << 32 | below;
}

const char *
pocstereo_census_cuda (
    const Device *dev, const PocstereoFrame *frame, PocstereoCensuses *census)
{
  return pocstereo_launch_kernel (dev, census_kernel,
      dim3 (
          ceil_div (frame->width, TILE_X), ceil_div (frame->height, TILE_Y), 2),
      dim3 (TILE_X, TILE_Y), *frame, *census);
}

/* ---- The vote ---- */

#define WARPS 4
/* Number of columns of a strip: one for each lane of a warp, but for two lanes
 * at each side. */
#define STRIP 28
#define DEEP 12 /* rows of a block, an even number */
#define BOX POCSTEREO_BOX
#define SIDE (2 * BOX + 1)

struct Vote {
  int width, height;
  const uint64_t *census[2];
  const PocstereoMatch *before[2];
  const int32_t *smooth[2]; /* medians of the disparities */
  PocstereoMatch *after[2];
  uint16_t min_peak;
};

/* The disparity that donor @i offers to (@x, @y); -1: its own. */
static __device__ __forceinline__ int32_t
donor_offer (const Vote &v, int view, int i, int x, int y)
{
  PocstereoPoint p;

  if (i < 0)
    return v.before[view][(size_t) y * v.width + x].disparity;
  p = pocstereo_donor (i, x, y, v.width, v.height);
  return v.smooth[view][(size_t) p.y * v.width + p.x];
}

/* The sum over the lane and the next four, of two numbers in each word; sums
 * stay below 1 << 16. */
static __device__ __forceinline__ uint32_t
sum_lanes_across (uint32_t costs)
{
  uint32_t two = costs + __shfl_down_sync (ALL_LANES, costs, 1);
  uint32_t four = two + __shfl_down_sync (ALL_LANES, two, 2);

  return four + __shfl_down_sync (ALL_LANES, costs, 4);
}

/* Sums over 5 x 5 costs of the offers of donor @i to the pixels two columns
 * right of @x. */
static __device__ __forceinline__ void
sum_box_costs (const Vote &v, int view, int i, int x, int y,
    const uint64_t census[DEEP + 2 * BOX], int sums[DEEP])
{
  int costs[DEEP + 2 * BOX], down[DEEP], sum = 0;

#pragma unroll
  for (int j = 0; j < DEEP + 2 * BOX; j++) {
    int row = pocstereo_clamp (y + j - BOX, 0, v.height - 1);
    int q = pocstereo_other_column (x, donor_offer (v, view, i, x, row));

    q = pocstereo_clamp (q, 0, v.width - 1);
    costs[j] = pocstereo_differing_bits (
        census[j], v.census[1 - view][(size_t) row * v.width + q]);
    sum += costs[j];
    if (j >= SIDE)
      sum -= costs[j - SIDE];
    if (j >= 2 * BOX)
      down[j - 2 * BOX] = sum;
  }
#pragma unroll
  for (int j = 0; j < DEEP; j += 2) {
    uint32_t both =
        sum_lanes_across ((uint32_t) down[j] | (uint32_t) down[j + 1] << 16);

    sums[j] = (int) (both & 0xffff);
    sums[j + 1] = (int) (both >> 16);
  }
}

/* A pixel takes the median of the disparities around its donor, and the peak
 * and sigma of the donor. */
static __device__ __forceinline__ void
take_from_donor (const Vote &v, int view, int donor, int x, int y)
{
  size_t at = (size_t) y * v.width + x, from = at;
  PocstereoMatch match;

  if (donor >= 0) {
    PocstereoPoint p = pocstereo_donor (donor, x, y, v.width, v.height);

    from = (size_t) p.y * v.width + p.x;
  }
  match = v.before[view][from];
  if (donor >= 0)
    match.disparity = v.smooth[view][from];
  pocstereo_drop_low_peak (v.min_peak, &match);
  v.after[view][at] = match;
}

static __global__ void
__launch_bounds__ (WARPS * 32) vote_kernel (const __grid_constant__ Vote v)
{
  int view = blockIdx.z, lane = threadIdx.x;
  int x = (blockIdx.x * WARPS + threadIdx.y) * STRIP + lane;
  int y = blockIdx.y * DEEP;
  int column = pocstereo_clamp (x - BOX, 0, v.width - 1);
  uint64_t census[DEEP + 2 * BOX];
  int best[DEEP], donor[DEEP], sums[DEEP];

  allow_next ();
  await_previous ();
#pragma unroll
  for (int j = 0; j < DEEP + 2 * BOX; j++) {
    int row = pocstereo_clamp (y + j - BOX, 0, v.height - 1);

    census[j] = v.census[view][(size_t) row * v.width + column];
  }
  sum_box_costs (v, view, -1, column, y, census, best);
#pragma unroll
  for (int j = 0; j < DEEP; j++)
    donor[j] = -1;
#pragma unroll 1
  for (int i = 0; i < POCSTEREO_DONORS; i++) {
    sum_box_costs (v, view, i, column, y, census, sums);
#pragma unroll
    for (int j = 0; j < DEEP; j++)
      if (pocstereo_is_cheaper (sums[j], best[j])) {
        best[j] = sums[j];
        donor[j] = i;
      }
  }
#pragma unroll
  for (int j = 0; j < DEEP; j++)
    if (lane < STRIP && x < v.width && y + j < v.height)
      take_from_donor (v, view, donor[j], x, y + j);
}

const char *
pocstereo_revote_cuda (const Device *dev, const PocstereoCensuses *census,
    uint16_t final_min_peak, int32_t *scratch, PocstereoDenseMatches *matches)
{
  size_t n = (size_t) matches->width * matches->height;
  int32_t *smooth[2] = {scratch, scratch + n};
  PocstereoDenseMatches between = *matches;

  for (int v = 0; v < 2; v++)
    between.view[v] = (PocstereoMatch *) (scratch + (2 + 2 * v) * n);
  static_assert (POCSTEREO_VOTES % 2 == 0, "matches end where they began");
  for (int pass = 0; pass < POCSTEREO_VOTES; pass++) {
    const PocstereoDenseMatches *from = pass % 2 ? &between : matches;
    const PocstereoDenseMatches *to = pass % 2 ? matches : &between;
    Vote vote = {matches->width, matches->height,
        {census->view[0], census->view[1]}, {from->view[0], from->view[1]},
        {smooth[0], smooth[1]}, {to->view[0], to->view[1]},
        pass == POCSTEREO_VOTES - 1 ? final_min_peak : (uint16_t) 0};

    TRY (pocstereo_match_medians_cuda (dev, from, smooth));
    TRY (pocstereo_launch_kernel (dev, vote_kernel,
        dim3 (ceil_div (vote.width, WARPS * STRIP),
            ceil_div (vote.height, DEEP), matches->n_views),
        dim3 (32, WARPS), vote));
  }
  return NULL;
}
