/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pixels without a match take that of most around them: a thread a pixel. */
#include "pocstereo/pocstereo_cuda.cuh"
#include "pocstereo/pocstereo_fill_core.h"

#define TILE_X 32
#define TILE_Y 4

static __global__ void
__launch_bounds__ (TILE_X *TILE_Y) confirmed_kernel (
    const __grid_constant__ PocstereoWork w, int32_t *confirmed)
{
  int x = blockIdx.x * TILE_X + threadIdx.x;
  int y = blockIdx.y * TILE_Y + threadIdx.y;
  size_t at = (size_t) y * w.width + x;

  allow_next ();
  await_previous ();
  if (x < w.width && y < w.height)
    confirmed[at] = w.matches[0][at].disparity;
}

/* Only pixels without a match change, and no other pixel reads these. */
static __global__ void
__launch_bounds__ (TILE_X *TILE_Y)
    fill_kernel (const __grid_constant__ PocstereoWork w,
        const __grid_constant__ PocstereoGaps g)
{
  int x = blockIdx.x * TILE_X + threadIdx.x;
  int y = blockIdx.y * TILE_Y + threadIdx.y;
  size_t at = (size_t) y * w.width + x;
  PocstereoMatch match;
  int votes;
  int32_t filler;

  allow_next ();
  await_previous ();
  if (x >= w.width || y >= w.height || g.confirmed[at] != POCSTEREO_NONE)
    return;
  filler = pocstereo_filler (&g, x, y, &votes);
  if (filler < 0)
    return;
  match = pocstereo_filled (w.matches[0][filler], votes);
  pocstereo_forget_low (w.min_peak, &match);
  w.matches[0][at] = match;
}

const char *
pocstereo_fill_cuda (const Device *dev, const PocstereoWork *w)
{
  const PocstereoCuda *c = (const PocstereoCuda *) w->state;
  PocstereoGaps g = {w->width, w->height, c->smooth[0], c->found[0],
      w->matches[1], {c->census[0], c->census[1]}, w->max_difference};
  dim3 blocks (ceil_div (w->width, TILE_X), ceil_div (w->height, TILE_Y));

  if (!w->params.revote)
    TRY (pocstereo_census_cuda (dev, w));
  TRY (pocstereo_launch (dev, w, confirmed_kernel, blocks,
      dim3 (TILE_X, TILE_Y), 0, *w, c->smooth[0]));
  return pocstereo_launch (
      dev, w, fill_kernel, blocks, dim3 (TILE_X, TILE_Y), 0, *w, g);
}
