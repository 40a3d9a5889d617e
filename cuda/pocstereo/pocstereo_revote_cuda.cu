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

#define WARPS 2
/* Number of columns of a strip: one for each lane of a warp, but for two lanes
 * at each side. */
#define STRIP 28
#define WAVE 2640 /* warps that an H200 runs at once */
#define BOX POCSTEREO_BOX
#define SIDE (2 * BOX + 1)
#define PAIRS(n) (((n) + 1) / 2)

struct Vote {
  int width, height;
  const uint64_t *census[2];
  const PocstereoMatch *before[2];
  const int32_t *smooth[2]; /* medians of the disparities */
  PocstereoDonors donors;
  PocstereoMatch *after[2];
  uint16_t min_peak;
  int rows; /* of a block; launch_strips () sets it */
};

/* The disparities offered to (@x, @y): its own, then those of its donors. */
template <int N>
static __device__ __forceinline__ void
read_offers (const Vote &v, int view, int x, int y, int32_t offer[N])
{
  offer[0] = v.before[view][y * v.width + x].disparity;
#pragma unroll
  for (int i = 1; i < N; i++) {
    PocstereoPoint p =
        pocstereo_donor (v.donors, i - 1, x, y, v.width, v.height);

    offer[i] = v.smooth[view][p.y * v.width + p.x];
  }
}

/* The costs of the offers to (@x, @y), two in a word.  Each column is that of
 * pocstereo_other_column (), by fewer instructions. */
template <int N>
static __device__ __forceinline__ void
compare_censuses (const Vote &v, int view, int x, int y, const int32_t offer[N],
    uint32_t costs[PAIRS (N)])
{
  int row = y * v.width;
  uint64_t census = v.census[view][row + x];
  int middle = POCSTEREO_ONE * x + POCSTEREO_ONE / 2 - 1;

#pragma unroll
  for (int i = 0; i < N; i++) {
    int q = max (min ((middle - offer[i]) >> 8, v.width - 1), 0);
    uint32_t cost =
        pocstereo_differing_bits (census, v.census[1 - view][row + q]);

    costs[i / 2] = i % 2 ? costs[i / 2] + (cost << 16) : cost;
  }
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

/* Goes down a strip from row @y on, and gives each row and the sums over 5 x 5
 * costs of the offers to the pixel in column @x to @take. */
template <int N, class Take>
static __device__ __forceinline__ void
vote_down_strip (const Vote &v, int view, int x, int y, Take take)
{
  int column = pocstereo_clamp (x - BOX, 0, v.width - 1);
  int end = min (y + v.rows, v.height) + BOX;
  int row = pocstereo_clamp (y - BOX, 0, v.height - 1);
  uint32_t costs[SIDE][PAIRS (N)] = {}, down[PAIRS (N)] = {};
  int32_t offer[N];

  read_offers<N> (v, view, column, row, offer);
#pragma unroll 1
  for (int below = y - BOX; below < end; below++) {
    compare_censuses<N> (v, view, column, row, offer, costs[0]);
    row = pocstereo_clamp (below + 1, 0, v.height - 1);
    read_offers<N> (v, view, column, row, offer); /* ahead */
#pragma unroll
    for (int i = 0; i < PAIRS (N); i++)
      down[i] += costs[0][i];
    if (below >= y + BOX) {
      uint32_t sums[PAIRS (N)];

#pragma unroll
      for (int i = 0; i < PAIRS (N); i++)
        sums[i] = sum_lanes_across (down[i]);
      take (below - BOX, sums);
    }
#pragma unroll
    for (int i = 0; i < PAIRS (N); i++) {
      down[i] -= costs[SIDE - 1][i];
#pragma unroll
      for (int j = SIDE - 1; j > 0; j--)
        costs[j][i] = costs[j - 1][i];
    }
  }
}

/* The sum of offer @i. */
static __device__ __forceinline__ int
sum_of_offer (const uint32_t *sums, int i)
{
  return (int) (i % 2 ? sums[i / 2] >> 16 : sums[i / 2] & 0xffff);
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

/* The first column of a warp's strip plus the lane. */
static __device__ __forceinline__ int
strip_column (void)
{
  return (blockIdx.x * WARPS + threadIdx.y) * STRIP + threadIdx.x;
}

template <int N>
static __global__ void
__launch_bounds__ (WARPS * 32) vote_kernel (const __grid_constant__ Vote v)
{
  int view = blockIdx.z, x = strip_column ();
  bool takes = threadIdx.x < STRIP && x < v.width;

  allow_next ();
  await_previous ();
  vote_down_strip<N> (v, view, x, blockIdx.y * v.rows,
      [&] (int y, const uint32_t sums[PAIRS (N)]) {
        int best = sum_of_offer (sums, 0), donor = -1;

#pragma unroll
        for (int i = 1; i < N; i++)
          if (pocstereo_is_cheaper (sum_of_offer (sums, i), best)) {
            best = sum_of_offer (sums, i);
            donor = i - 1;
          }
        if (takes)
          take_from_donor (v, view, donor, x, y);
      });
}

/* Queues @kernel for strips of @vote; @args follow @vote.  With this number of
 * rows of a block about all warps run at once. */
template <class Kernel, class... Args>
static const char *
launch_strips (const Device *dev, Kernel kernel, Vote vote, int n_views,
    const Args &...args)
{
  int across = ceil_div (vote.width, WARPS * STRIP);

  vote.rows = pocstereo_clamp (
      ceil_div (across * WARPS * vote.height * n_views, WAVE), 8, 32);
  return pocstereo_launch_kernel (dev, kernel,
      dim3 (across, ceil_div (vote.height, vote.rows), n_views),
      dim3 (32, WARPS), vote, args...);
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
        pass == POCSTEREO_VOTES - 1 ? final_min_peak : (uint16_t) 0, 0};

    TRY (pocstereo_match_medians_cuda (dev, from, smooth));
    TRY (launch_strips (dev, vote_kernel<17>, vote, matches->n_views));
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

/* pocstereo_keep_offer (); in most warps each lane's offer is near the first
 * one that it keeps. */
static __device__ __forceinline__ PocstereoKept
keep_offer_in_warp (PocstereoKept kept, int32_t offer, uint32_t donor)
{
  if (!__all_sync (ALL_LANES, pocstereo_is_near_offer (kept.a, offer)))
    return pocstereo_keep_offer (kept, offer, donor);
  if (pocstereo_is_cheaper_offer (offer, kept.a)) {
    kept.a = offer;
    kept.donors = (kept.donors & ~0xfu) | donor;
  }
  return kept;
}

template <int N>
static __global__ void
__launch_bounds__ (WARPS * 32) list_kernel (const __grid_constant__ Vote v,
    const __grid_constant__ PocstereoOffers offers)
{
  int view = blockIdx.z, x = strip_column ();
  bool takes = threadIdx.x < STRIP && x < v.width;

  allow_next ();
  await_previous ();
  vote_down_strip<N> (v, view, x, blockIdx.y * v.rows,
      [&] (int y, const uint32_t sums[PAIRS (N)]) {
        int32_t offer[N];
        PocstereoKept kept;

        read_offers<N> (v, view, min (x, v.width - 1), y, offer);
        kept = {pocstereo_offer (sum_of_offer (sums, 0), offer[0]),
            POCSTEREO_NO_OFFER, POCSTEREO_NO_OFFER, POCSTEREO_NO_OFFER, 0};
#pragma unroll
        for (int i = 1; i < N; i++)
          kept = keep_offer_in_warp (kept,
              pocstereo_offer (sum_of_offer (sums, i), offer[i]), (uint32_t) i);
        if (takes)
          store_offers (offers, view, (size_t) y * v.width + x, kept);
      });
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
      {offers->match[0], offers->match[1]}, 0, 0};

  (void) scratch;
  TRY (pocstereo_match_medians_cuda (dev, matches, offers->median));
  TRY (launch_strips (dev, vote_kernel<9>, vote, matches->n_views));
  for (int v = 0; v < 2; v++)
    vote.before[v] = voted.view[v] = offers->match[v];
  vote.donors = pocstereo_offer_donors ();
  TRY (pocstereo_match_medians_cuda (dev, &voted, offers->median));
  return launch_strips (dev, list_kernel<9>, vote, matches->n_views, *offers);
}
