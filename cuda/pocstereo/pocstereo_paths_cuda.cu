/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The choice among offers along paths.  Two lanes follow a path, with two
 * offers of a pixel each, and a warp follows 16; all paths of both views run at
 * once. A lane reads ahead, since the next step cannot begin before the last
 * one ends.  Sums of integers do not depend on which path adds first.
 *
 * Costs and places are floats, which hold all of these integers and need fewer
 * instructions.  Most are biased by 2^23: the bits of a float of 2^23 + n are
 * BIAS + n. */
#include "pocstereo/pocstereo_cuda.cuh"
#include "pocstereo/pocstereo_paths_core.h"

#define LANES 2            /* that follow a path */
#define LINES (32 / LANES) /* that a warp follows */
#define AHEAD 8            /* pixels that are read at once */
#define BIAS 0x4b000000    /* the bits of 2^23 */

struct Paths {
  int width, height, stride;
  const uint16_t *view[2]; /* samples */
  PocstereoOffers offers;
  PocstereoMatch *after[2];
  uint16_t min_peak;
};

/* A path as a lane sees it: where its first couple of offers and its first
 * sample lie, their distances to the next, and the path's length. */
struct Path {
  int offer, sample, step, sample_step, length;
};

/* A pixel in a lane: its own two offers, the places of these and of
 * the other lane's, and the sample. */
struct Place {
  int2 offer;
  float2 own, other;
  float sample;
};

/* Path @line of those that lead right, left, down or up. */
static __device__ __forceinline__ Path
path_of_line (const Paths &p, int direction, int line, int lane)
{
  bool across = direction < 2, back = direction & 1;
  int length = across ? p.width : p.height;
  int first = back ? length - 1 : 0;
  int x = across ? first : line, y = across ? line : first;
  int step = LANES * (across ? 1 : p.width);
  int sample_step = across ? 1 : p.stride;

  return {LANES * (y * p.width + x) + lane, y * p.stride + x,
      back ? -step : step, back ? -sample_step : sample_step, length};
}

/* The offers and the sample of a pixel. */
struct Read {
  int2 offer;
  uint32_t sample;
};

/* Reads pixel @n of a path, or its last pixel if @n is beyond the end. */
static __device__ __forceinline__ Read
read_pixel (const Paths &p, int view, const Path &path, int n)
{
  int at = min (n, path.length - 1);

  return {((const int2 *) p.offers.offer[view])[path.offer + at * path.step],
      p.view[view][path.sample + at * path.sample_step]};
}

static __device__ __forceinline__ float
biased_float (uint32_t n)
{
  return __uint_as_float (BIAS + n);
}

static __device__ __forceinline__ float2
of_other_lane (float2 own)
{
  return make_float2 (__shfl_xor_sync (ALL_LANES, own.x, 1),
      __shfl_xor_sync (ALL_LANES, own.y, 1));
}

static __device__ __forceinline__ Place
place_of_pixel (const Read &read)
{
  float2 own = make_float2 (biased_float (pocstereo_offer_place (read.offer.x)),
      biased_float (pocstereo_offer_place (read.offer.y)));

  return {read.offer, own, of_other_lane (own), biased_float (read.sample)};
}

/* pocstereo_jump_cost (). */
static __device__ __forceinline__ float
jump_cost (float sample, float before)
{
  return fmaxf (fmaf (-POCSTEREO_GREY, fabsf (sample - before), POCSTEREO_JUMP),
      POCSTEREO_OFFER_ONE);
}

/* Takes each cost in @next that is less by a step of at most a pixel from the
 * place @from, whose path has the cost @path. */
static __device__ __forceinline__ void
come_from_place (float from, float path, float2 to, float2 *next)
{
  float x = fabsf (to.x - from), y = fabsf (to.y - from);

  if (x <= POCSTEREO_OFFER_ONE)
    next->x = fminf (next->x, path + x);
  if (y <= POCSTEREO_OFFER_ONE)
    next->y = fminf (next->y, path + y);
}

/* The biased costs of a lane's two offers after a step; @path is that before
 * the step.  A jump costs the same from any offer, and no less than a step of a
 * pixel, so it leads from the least. */
static __device__ __forceinline__ float2
step_along_path (const Place &from, const Place &to, float2 path)
{
  float2 other = of_other_lane (path);
  float least = fminf (fminf (path.x, path.y), fminf (other.x, other.y));
  float jump = least + jump_cost (to.sample, from.sample);
  float2 next = make_float2 (INFINITY, INFINITY);

  come_from_place (from.own.x, path.x, to.own, &next);
  come_from_place (from.own.y, path.y, to.own, &next);
  come_from_place (from.other.x, other.x, to.own, &next);
  come_from_place (from.other.y, other.y, to.own, &next);
  return make_float2 (fminf (next.x, jump) - least +
          biased_float (pocstereo_offer_cost (to.offer.x)),
      fminf (next.y, jump) - least +
          biased_float (pocstereo_offer_cost (to.offer.y)));
}

static __global__ void __launch_bounds__ (32)
    paths_kernel (const __grid_constant__ Paths p)
{
  int direction = blockIdx.y, view = blockIdx.z, n = 0;
  int line = blockIdx.x * LINES + threadIdx.x / LANES;
  int lines = direction < 2 ? p.height : p.width;
  Path path =
      path_of_line (p, direction, min (line, lines - 1), threadIdx.x % LANES);
  /* the lower halves of both costs, or 0 */
  uint32_t halves = line < lines ? 0x5410 : 0x2222;
  float2 cost = make_float2 (biased_float (0), biased_float (0));
  Read next[AHEAD];
  Place from;

  auto follow = [&] (const Read &read) {
    Place to = place_of_pixel (read);

    cost = step_along_path (from, to, cost);
    from = to;
    atomicAdd ((uint32_t *) p.offers.sum[view] + path.offer + n++ * path.step,
        __byte_perm (
            __float_as_uint (cost.x), __float_as_uint (cost.y), halves));
  };

  allow_next ();
  await_previous ();
  if ((int) blockIdx.x * LINES >= lines)
    return;
#pragma unroll
  for (int i = 0; i < AHEAD; i++)
    next[i] = read_pixel (p, view, path, i);
  from = place_of_pixel (next[0]);
#pragma unroll 2
  for (int chunk = path.length / AHEAD; chunk > 0; chunk--) {
    Read read[AHEAD];

#pragma unroll
    for (int i = 0; i < AHEAD; i++) {
      read[i] = next[i];
      next[i] = read_pixel (p, view, path, n + AHEAD + i);
    }
#pragma unroll
    for (int i = 0; i < AHEAD; i++)
      follow (read[i]);
  }
  while (n < path.length)
    follow (read_pixel (p, view, path, n));
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
