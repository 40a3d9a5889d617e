/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Means along surfaces: a thread for each pixel, from a tile that a block
 * shares. */
#include "pocstereo/pocstereo_cuda.cuh"
#include "pocstereo/pocstereo_smooth_core.h"

#define TILE_X 32
#define TILE_Y 8
#define REACH_X (POCSTEREO_SMOOTH_APART * POCSTEREO_SMOOTH_X)
#define REACH_Y (POCSTEREO_SMOOTH_APART * POCSTEREO_SMOOTH_Y)
#define COLUMNS (TILE_X + 2 * REACH_X)
#define ROWS (TILE_Y + 2 * REACH_Y)

static __global__ void
__launch_bounds__ (TILE_X *TILE_Y) far_disparities_kernel (
    const __grid_constant__ PocstereoDenseMatches m, int32_t *disparities)
{
  int x = blockIdx.x * TILE_X + threadIdx.x;
  int y = blockIdx.y * TILE_Y + threadIdx.y;
  size_t at = (size_t) y * m.width + x;

  allow_next ();
  await_previous ();
  if (x < m.width && y < m.height)
    disparities[at] = pocstereo_disparity_or_far (m.view[0][at].disparity);
}

/* Pixels outside of the view are POCSTEREO_FAR, so pairs that reach out are
 * left out. */
static __global__ void
__launch_bounds__ (TILE_X *TILE_Y)
    smooth_matches_kernel (const __grid_constant__ PocstereoDenseMatches m,
        float min_sigma, const int32_t *disparities)
{
  __shared__ int32_t tile[ROWS][COLUMNS];
  int x0 = blockIdx.x * TILE_X, y0 = blockIdx.y * TILE_Y;
  int x = x0 + (int) threadIdx.x, y = y0 + (int) threadIdx.y;
  int cx = threadIdx.x + REACH_X, cy = threadIdx.y + REACH_Y;
  int32_t middle, sum = 0, pairs = 0;

  allow_next ();
  await_previous ();
  for (int j = threadIdx.y; j < ROWS; j += TILE_Y)
    for (int i = threadIdx.x; i < COLUMNS; i += TILE_X) {
      int column = x0 + i - REACH_X, row = y0 + j - REACH_Y;
      bool inside =
          column >= 0 && row >= 0 && column < m.width && row < m.height;

      tile[j][i] =
          inside ? disparities[(size_t) row * m.width + column] : POCSTEREO_FAR;
    }
  __syncthreads ();
  if (x >= m.width || y >= m.height)
    return;
  middle = tile[cy][cx];
#pragma unroll
  for (int j = 0; j <= POCSTEREO_SMOOTH_Y; j++)
#pragma unroll
    for (int i = j ? -POCSTEREO_SMOOTH_X : 1; i <= POCSTEREO_SMOOTH_X; i++) {
      int down = POCSTEREO_SMOOTH_APART * j,
          across = POCSTEREO_SMOOTH_APART * i;

      pocstereo_add_pair (tile[cy - down][cx - across] - middle,
          tile[cy + down][cx + across] - middle, &sum, &pairs);
    }
  m.view[0][(size_t) y * m.width + x] = pocstereo_smoothed_match (
      m.view[0][(size_t) y * m.width + x], sum, pairs, min_sigma);
}

const char *
pocstereo_smooth_cuda (const Device *dev, float min_sigma, int32_t *scratch,
    PocstereoDenseMatches *matches)
{
  dim3 blocks (
      ceil_div (matches->width, TILE_X), ceil_div (matches->height, TILE_Y));

  TRY (pocstereo_launch_kernel (dev, far_disparities_kernel, blocks,
      dim3 (TILE_X, TILE_Y), *matches, scratch));
  return pocstereo_launch_kernel (dev, smooth_matches_kernel, blocks,
      dim3 (TILE_X, TILE_Y), *matches, min_sigma, (const int32_t *) scratch);
}
