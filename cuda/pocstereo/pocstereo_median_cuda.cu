/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pocstereo/pocstereo_cuda.cuh"
#include "pocstereo/pocstereo_median_core.h"

#define TILE_X 32
#define TILE_Y 8
#define REACH POCSTEREO_MEDIAN_REACH
#define SIDE (2 * REACH + 1)

struct Maps {
  const int32_t *from[2];
  int32_t *to[2];
};

static __global__ void
__launch_bounds__ (TILE_X *TILE_Y)
    median_kernel (const Maps maps, int step, int width, int height)
{
  __shared__ int32_t tile[TILE_Y + 2 * REACH][TILE_X + 2 * REACH];
  const int32_t *from = maps.from[blockIdx.z];
  int x0 = blockIdx.x * TILE_X, y0 = blockIdx.y * TILE_Y;
  int x = x0 + (int) threadIdx.x, y = y0 + (int) threadIdx.y;
  int32_t v[SIDE * SIDE];

  allow_next ();
  await_previous ();
  for (int j = threadIdx.y; j < TILE_Y + 2 * REACH; j += TILE_Y)
    for (int i = threadIdx.x; i < TILE_X + 2 * REACH; i += TILE_X) {
      int column = pocstereo_clamp (x0 + i - REACH, 0, width - 1);
      int row = pocstereo_clamp (y0 + j - REACH, 0, height - 1);

      tile[j][i] = from[((size_t) row * width + column) * step];
    }
  __syncthreads ();
#pragma unroll
  for (int i = 0; i < SIDE * SIDE; i++)
    v[i] = tile[threadIdx.y + i / SIDE][threadIdx.x + i % SIDE];
  if (x < width && y < height)
    maps.to[blockIdx.z][(size_t) y * width + x] = pocstereo_median25 (v);
}

const char *
pocstereo_median_cuda (const Device *dev, const PocstereoWork *w,
    const int32_t *const from[2], int step, int32_t *const to[2], int width,
    int height)
{
  Maps maps = {{from[0], from[1]}, {to[0], to[1]}};

  return pocstereo_launch (dev, w, median_kernel,
      dim3 (ceil_div (width, TILE_X), ceil_div (height, TILE_Y),
          pocstereo_views (w)),
      dim3 (TILE_X, TILE_Y), 0, maps, step, width, height);
}
