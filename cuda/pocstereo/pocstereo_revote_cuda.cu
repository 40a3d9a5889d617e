/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Censuses, the re-vote near edges, and offers for the choice along paths.  In
 * a vote, a warp goes along a strip of columns: a lane computes the costs of
 * one column, and the sums over 5 x 5 come from the lanes beside it and the
 * rows before. */
#include "pocstereo/pocstereo_cuda.cuh"
#include "pocstereo/pocstereo_paths_core.h"

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
/* Rows of a block in a vote and in a list, even numbers. */
#define DEEP 12
#define LIST_DEEP 8
#define BOX POCSTEREO_BOX
#define SIDE (2 * BOX + 1)

struct Vote {
  int width, height;
  const uint64_t *census[2];
  const PocstereoMatch *before[2];
  const int32_t *smooth[2]; /* medians of the disparities */
  PocstereoDonors donors;
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
  p = pocstereo_donor (v.donors, i, x, y, v.width, v.height);
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
 * right of @x; @offers, if not NULL: these offers. */
template <int Deep>
static __device__ __forceinline__ void
sum_box_costs (const Vote &v, int view, int i, int x, int y,
    const uint64_t census[Deep + 2 * BOX], int sums[Deep], int32_t *offers)
{
  int costs[Deep + 2 * BOX], down[Deep], sum = 0;

#pragma unroll
  for (int j = 0; j < Deep + 2 * BOX; j++) {
    int row = pocstereo_clamp (y + j - BOX, 0, v.height - 1);
    int32_t offer = donor_offer (v, view, i, x, row);
    int q = pocstereo_clamp (pocstereo_other_column (x, offer), 0, v.width - 1);

    costs[j] = pocstereo_differing_bits (
        census[j], v.census[1 - view][(size_t) row * v.width + q]);
    sum += costs[j];
    if (j >= SIDE)
      sum -= costs[j - SIDE];
    if (j >= 2 * BOX)
      down[j - 2 * BOX] = sum;
    if (offers && j >= BOX && j < Deep + BOX)
      offers[j - BOX] = __shfl_down_sync (ALL_LANES, offer, BOX);
  }
#pragma unroll
  for (int j = 0; j < Deep; j += 2) {
    uint32_t both =
        sum_lanes_across ((uint32_t) down[j] | (uint32_t) down[j + 1] << 16);

    sums[j] = (int) (both & 0xffff);
    sums[j + 1] = (int) (both >> 16);
  }
}

/* The censuses around the rows of a block in column @x. */
template <int Deep>
static __device__ __forceinline__ void
load_censuses (
    const Vote &v, int view, int x, int y, uint64_t census[Deep + 2 * BOX])
{
#pragma unroll
  for (int j = 0; j < Deep + 2 * BOX; j++) {
    int row = pocstereo_clamp (y + j - BOX, 0, v.height - 1);

    census[j] = v.census[view][(size_t) row * v.width + x];
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
    PocstereoPoint p =
        pocstereo_donor (v.donors, donor, x, y, v.width, v.height);

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
  load_censuses<DEEP> (v, view, column, y, census);
  sum_box_costs<DEEP> (v, view, -1, column, y, census, best, NULL);
#pragma unroll
  for (int j = 0; j < DEEP; j++)
    donor[j] = -1;
#pragma unroll 1
  for (int i = 0; i < v.donors.n; i++) {
    sum_box_costs<DEEP> (v, view, i, column, y, census, sums, NULL);
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

static const char *
vote_on_matches (const Device *dev, const Vote &vote, int n_views)
{
  return pocstereo_launch_kernel (dev, vote_kernel,
      dim3 (ceil_div (vote.width, WARPS * STRIP), ceil_div (vote.height, DEEP),
          n_views),
      dim3 (32, WARPS), vote);
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
        {smooth[0], smooth[1]}, pocstereo_vote_donors (),
        {to->view[0], to->view[1]},
        pass == POCSTEREO_VOTES - 1 ? final_min_peak : (uint16_t) 0};

    TRY (pocstereo_match_medians_cuda (dev, from, smooth));
    TRY (vote_on_matches (dev, vote, matches->n_views));
  }
  return NULL;
}

/* ---- Offers for the choice along paths ---- */

static __device__ __forceinline__ void
store_offers (
    const PocstereoOffers &offers, int view, size_t at, PocstereoKept kept)
{
  kept = pocstereo_repeat_offer (kept);
  ((int4 *) offers.offer[view])[at] =
      make_int4 (kept.a, kept.b, kept.c, kept.d);
  offers.donors[view][at] = (uint16_t) kept.donors;
  ((uint2 *) offers.sum[view])[at] = make_uint2 (0, 0);
}

static __global__ void
__launch_bounds__ (WARPS * 32) list_kernel (const __grid_constant__ Vote v,
    const __grid_constant__ PocstereoOffers offers)
{
  int view = blockIdx.z, lane = threadIdx.x;
  int x = (blockIdx.x * WARPS + threadIdx.y) * STRIP + lane;
  int y = blockIdx.y * LIST_DEEP;
  int column = pocstereo_clamp (x - BOX, 0, v.width - 1);
  uint64_t census[LIST_DEEP + 2 * BOX];
  int sums[LIST_DEEP];
  int32_t offer[LIST_DEEP];
  PocstereoKept kept[LIST_DEEP];

  allow_next ();
  await_previous ();
  load_censuses<LIST_DEEP> (v, view, column, y, census);
#pragma unroll
  for (int j = 0; j < LIST_DEEP; j++)
    kept[j] = {POCSTEREO_NO_OFFER, POCSTEREO_NO_OFFER, POCSTEREO_NO_OFFER,
        POCSTEREO_NO_OFFER, 0};
#pragma unroll 1
  for (int i = -1; i < v.donors.n; i++) {
    sum_box_costs<LIST_DEEP> (v, view, i, column, y, census, sums, offer);
#pragma unroll
    for (int j = 0; j < LIST_DEEP; j++)
      kept[j] = pocstereo_keep_offer (
          kept[j], pocstereo_offer (sums[j], offer[j]), (uint32_t) (i + 1));
  }
#pragma unroll
  for (int j = 0; j < LIST_DEEP; j++)
    if (lane < STRIP && x < v.width && y + j < v.height)
      store_offers (offers, view, (size_t) (y + j) * v.width + x, kept[j]);
}

const char *
pocstereo_offers_cuda (const Device *dev, const PocstereoCensuses *census,
    const PocstereoDenseMatches *matches, int32_t *scratch,
    PocstereoOffers *offers)
{
  PocstereoDenseMatches voted = *matches;
  Vote vote = {matches->width, matches->height,
      {census->view[0], census->view[1]}, {matches->view[0], matches->view[1]},
      {offers->median[0], offers->median[1]}, pocstereo_first_donors (),
      {offers->match[0], offers->match[1]}, 0};

  (void) scratch;
  TRY (pocstereo_match_medians_cuda (dev, matches, offers->median));
  TRY (vote_on_matches (dev, vote, matches->n_views));
  for (int v = 0; v < 2; v++)
    vote.before[v] = voted.view[v] = offers->match[v];
  vote.donors = pocstereo_offer_donors ();
  TRY (pocstereo_match_medians_cuda (dev, &voted, offers->median));
  return pocstereo_launch_kernel (dev, list_kernel,
      dim3 (ceil_div (vote.width, WARPS * STRIP),
          ceil_div (vote.height, LIST_DEEP), matches->n_views),
      dim3 (32, WARPS), vote, *offers);
}
