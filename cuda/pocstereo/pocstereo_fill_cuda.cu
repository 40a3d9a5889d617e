/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pixels without a match take the disparity of the majority around them, with
 * one thread for each pixel. */
#include "pocstereo/pocstereo_cuda.cuh"
#include "pocstereo/pocstereo_fill_core.h"

#define TILE_X 32
#define TILE_Y 4

static __global__ void
__launch_bounds__ (TILE_X *TILE_Y) confirmed_copy_kernel (
    const __grid_constant__ PocstereoDenseMatches m, int32_t *confirmed)
{
  int x = blockIdx.x * TILE_X + threadIdx.x;
  int y = blockIdx.y * TILE_Y + threadIdx.y;
  size_t at = (size_t) y * m.width + x;

  allow_next ();
  await_previous ();
  if (x < m.width && y < m.height)
    confirmed[at] = m.view[0][at].disparity;
}

/* Only pixels without a match change, and no pixel reads their matches. */
static __global__ void
__launch_bounds__ (TILE_X *TILE_Y)
    fill_gaps_kernel (const __grid_constant__ PocstereoGaps g,
        PocstereoMatch *matches, uint16_t min_peak)
{
  int x = blockIdx.x * TILE_X + threadIdx.x;
  int y = blockIdx.y * TILE_Y + threadIdx.y;
  size_t at = (size_t) y * g.width + x;
  PocstereoMatch match;
  int votes;
  int32_t filler;

  allow_next ();
  await_previous ();
  if (x >= g.width || y >= g.height || g.confirmed[at] != POCSTEREO_NONE)
    return;
  filler = pocstereo_filler (&g, x, y, &votes);
  if (filler < 0)
    return;
  match = pocstereo_filled_match (matches[filler], votes);
  pocstereo_drop_low_peak (min_peak, &match);
  matches[at] = match;
}

const char *
pocstereo_fill_cuda (const Device *dev, const PocstereoCensuses *census,
    const int32_t *before, int32_t max_difference, uint16_t min_peak,
    int32_t *scratch, PocstereoDenseMatches *matches)
{
  PocstereoGaps g = {matches->width, matches->height, scratch, before,
      matches->view[1], {census->view[0], census->view[1]}, max_difference};
  dim3 blocks (ceil_div (g.width, TILE_X), ceil_div (g.height, TILE_Y));

  TRY (pocstereo_launch_kernel (dev, confirmed_copy_kernel, blocks,
      dim3 (TILE_X, TILE_Y), *matches, scratch));
  return pocstereo_launch_kernel (dev, fill_gaps_kernel, blocks,
      dim3 (TILE_X, TILE_Y), g, matches->view[0], min_peak);
}
