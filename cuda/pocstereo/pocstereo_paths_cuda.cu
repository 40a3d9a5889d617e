/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The choice among offers along paths.  Four lanes follow a path, one for each
 * offer of a pixel, and a warp follows eight; all paths of both views run at
 * once.  A lane reads ahead, since the next step cannot begin before the last
 * one ends.  Sums of integers do not depend on which path adds first. */
#include "pocstereo/pocstereo_cuda.cuh"
#include "pocstereo/pocstereo_paths_core.h"

#define LINES (32 / POCSTEREO_KEPT) /* that a warp follows */
#define AHEAD 8                     /* pixels that are read at once */

struct Paths {
  int width, height, stride;
  const uint16_t *view[2]; /* samples */
  PocstereoOffers offers;
  PocstereoMatch *after[2];
  uint16_t min_peak;
};

/* A path: its first pixel and sample, their distances to the next, and its
 * length. */
struct Path {
  ptrdiff_t pixel, sample;
  int step, sample_step, length;
};

/* Path @line of those that lead right, left, down or up. */
static __device__ __forceinline__ Path
path_of_line (const Paths &p, int direction, int line)
{
  bool across = direction < 2, back = direction & 1;
  int length = across ? p.width : p.height;
  int first = back ? length - 1 : 0;
  int x = across ? first : line, y = across ? line : first;
  int step = across ? 1 : p.width, sample_step = across ? 1 : p.stride;

  return {(ptrdiff_t) y * p.width + x, (ptrdiff_t) y * p.stride + x,
      back ? -step : step, back ? -sample_step : sample_step, length};
}

/* Reads AHEAD pixels of a path from pixel @n on; the last one repeats. */
static __device__ __forceinline__ void
read_ahead (const Paths &p, int view, const Path &path, int n,
    int4 offers[AHEAD], int samples[AHEAD])
{
#pragma unroll
  for (int i = 0; i < AHEAD; i++) {
    ptrdiff_t at = n + i < path.length ? n + i : path.length - 1;

    offers[i] =
        ((const int4 *) p.offers.offer[view])[path.pixel + at * path.step];
    samples[i] = p.view[view][path.sample + at * path.sample_step];
  }
}

/* The cost of a lane's path after a step from the pixel that offers @from to
 * the lane's offer @to; @cost is that before the step. */
static __device__ __forceinline__ int
step_along_path (int4 from, int32_t to, int32_t jump, int cost)
{
  int a = __shfl_sync (ALL_LANES, cost, 0, POCSTEREO_KEPT);
  int b = __shfl_sync (ALL_LANES, cost, 1, POCSTEREO_KEPT);
  int c = __shfl_sync (ALL_LANES, cost, 2, POCSTEREO_KEPT);
  int d = __shfl_sync (ALL_LANES, cost, 3, POCSTEREO_KEPT);
  int best = min (min (a + pocstereo_step_cost (from.x, to, jump),
                      b + pocstereo_step_cost (from.y, to, jump)),
      min (c + pocstereo_step_cost (from.z, to, jump),
          d + pocstereo_step_cost (from.w, to, jump)));

  return pocstereo_offer_cost (to) + best - min (min (a, b), min (c, d));
}

/* Adds the costs of the lanes of a path to the sums of the pixel @at, two in a
 * word. */
static __device__ __forceinline__ void
add_path_costs (uint16_t *sums, ptrdiff_t at, int lane, int cost, bool counts)
{
  uint32_t two = (uint32_t) cost |
      (uint32_t) __shfl_down_sync (ALL_LANES, cost, 1, POCSTEREO_KEPT) << 16;

  if (counts && lane % 2 == 0)
    atomicAdd ((uint32_t *) sums + 2 * at + lane / 2, two);
}

static __global__ void __launch_bounds__ (32)
    paths_kernel (const __grid_constant__ Paths p)
{
  int direction = blockIdx.y, view = blockIdx.z;
  int lane = threadIdx.x % POCSTEREO_KEPT;
  int line = blockIdx.x * LINES + threadIdx.x / POCSTEREO_KEPT;
  int lines = direction < 2 ? p.height : p.width, cost = 0, before;
  Path path = path_of_line (p, direction, min (line, lines - 1));
  int4 offers[AHEAD], next[AHEAD], from;
  int samples[AHEAD], next_samples[AHEAD];

  allow_next ();
  await_previous ();
  if ((int) blockIdx.x * LINES >= lines)
    return;
  read_ahead (p, view, path, 0, next, next_samples);
  from = next[0];
  before = next_samples[0];
  for (int n = 0; n < path.length; n += AHEAD) {
#pragma unroll
    for (int i = 0; i < AHEAD; i++) {
      offers[i] = next[i];
      samples[i] = next_samples[i];
    }
    read_ahead (p, view, path, n + AHEAD, next, next_samples);
#pragma unroll
    for (int i = 0; i < AHEAD; i++) {
      int32_t to = lane == 0 ? offers[i].x
          : lane == 1        ? offers[i].y
          : lane == 2        ? offers[i].z
                             : offers[i].w;

      cost = step_along_path (
          from, to, pocstereo_jump_cost (samples[i], before), cost);
      add_path_costs (p.offers.sum[view],
          path.pixel + (ptrdiff_t) (n + i) * path.step, lane, cost,
          line < lines && n + i < path.length);
      from = offers[i];
      before = samples[i];
    }
  }
}

#define TILE_X 32
#define TILE_Y 4

static __global__ void
__launch_bounds__ (TILE_X *TILE_Y)
    take_offers_kernel (const __grid_constant__ Paths p)
{
  int view = blockIdx.z;
  int x = blockIdx.x * TILE_X + threadIdx.x;
  int y = blockIdx.y * TILE_Y + threadIdx.y, best, donor;
  size_t at = (size_t) y * p.width + x;
  const PocstereoMatch *before = p.offers.match[view];
  PocstereoMatch match;

  allow_next ();
  await_previous ();
  if (x >= p.width || y >= p.height)
    return;
  best = pocstereo_least_sum (p.offers.sum[view] + POCSTEREO_KEPT * at);
  donor = (int) (p.offers.donors[view][at] >> 4 * best & 15) - 1;
  match = before[at];
  if (donor >= 0) {
    PocstereoPoint q = pocstereo_donor (
        pocstereo_offer_donors (), donor, x, y, p.width, p.height);
    size_t from = (size_t) q.y * p.width + q.x;

    match = pocstereo_offered_match (before[from], p.offers.median[view][from]);
  }
  pocstereo_drop_low_peak (p.min_peak, &match);
  p.after[view][at] = match;
}

const char *
pocstereo_paths_cuda (const Device *dev, const PocstereoFrame *frame,
    uint16_t final_min_peak, PocstereoOffers *offers,
    PocstereoDenseMatches *matches)
{
  int width = matches->width, height = matches->height;
  Paths p = {width, height, frame->stride, {frame->view[0], frame->view[1]},
      *offers, {matches->view[0], matches->view[1]}, final_min_peak};

  TRY (pocstereo_launch_kernel (dev, paths_kernel,
      dim3 (ceil_div (width > height ? width : height, LINES), POCSTEREO_PATHS,
          matches->n_views),
      32, p));
  return pocstereo_launch_kernel (dev, take_offers_kernel,
      dim3 (ceil_div (width, TILE_X), ceil_div (height, TILE_Y),
          matches->n_views),
      dim3 (TILE_X, TILE_Y), p);
}
