/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Medians of 5 x 5 numbers.  Each column of 5 is ordered once, for the five
 * pixels around that need it. */
#include "pocstereo/pocstereo_cuda.cuh"
#include "pocstereo/pocstereo_median_core.h"

#define TILE_X 32
#define TILE_Y 8
#define REACH POCSTEREO_MEDIAN_REACH
#define SIDE (2 * REACH + 1)
#define WIDE (TILE_X + 2 * REACH)

struct Maps {
  const int32_t *from[2];
  int32_t *to[2];
};

/* Orders five numbers, by nine comparisons. */
static __device__ __forceinline__ void
order_column (int32_t v[SIDE])
{
  pocstereo_order_two (&v[0], &v[3]);
  pocstereo_order_two (&v[1], &v[4]);
  pocstereo_order_two (&v[0], &v[2]);
  pocstereo_order_two (&v[1], &v[3]);
  pocstereo_order_two (&v[0], &v[1]);
  pocstereo_order_two (&v[2], &v[4]);
  pocstereo_order_two (&v[1], &v[2]);
  pocstereo_order_two (&v[3], &v[4]);
  pocstereo_order_two (&v[2], &v[3]);
}

/* The 7th of 13 numbers ("forgetful selection"): the least and the greatest of
 * the first 8 are not the median; they are dropped, the next number comes in,
 * and so on. */
static __device__ __forceinline__ int32_t
median_of_13 (int32_t v[13])
{
#pragma unroll
  for (int first = 0; first < 6; first++) {
    const int last = 7; /* v[first] to v[last] are still in */

    if (first)
      v[last] = v[last + first];
#pragma unroll
    for (int i = first; i < last; i++)
      pocstereo_order_two (&v[i], &v[i + 1]);
#pragma unroll
    for (int i = last - 2; i >= first; i--)
      pocstereo_order_two (&v[i], &v[i + 1]);
  }
  return v[6];
}

/* The median of 25 numbers whose columns are in order.  Once the rows are
 * ordered, too, number j of row i has (i + 1) (j + 1) - 1 numbers below it and
 * (5 - i) (5 - j) - 1 above: a number with more than 12 on one side is not the
 * median. */
static __device__ __forceinline__ int32_t
median_of_columns (int32_t v[SIDE][SIDE])
{
  int32_t left[13];
  int n = 0;

#pragma unroll
  for (int i = 0; i < SIDE; i++) {
    order_column (v[i]);
#pragma unroll
    for (int j = 0; j < SIDE; j++)
      if ((i + 1) * (j + 1) <= 13 && (SIDE - i) * (SIDE - j) <= 13)
        left[n++] = v[i][j];
  }
  return median_of_13 (left);
}

static __global__ void
__launch_bounds__ (TILE_X *TILE_Y) median_kernel (
    const __grid_constant__ Maps maps, int step, int width, int height)
{
  __shared__ int32_t tile[TILE_Y + 2 * REACH][WIDE];
  __shared__ int32_t ordered[SIDE][TILE_Y][WIDE];
  const int32_t *from = maps.from[blockIdx.z];
  int x0 = blockIdx.x * TILE_X, y0 = blockIdx.y * TILE_Y;
  int x = x0 + (int) threadIdx.x, y = y0 + (int) threadIdx.y;
  int thread = threadIdx.y * TILE_X + threadIdx.x;
  int32_t v[SIDE][SIDE];

  allow_next ();
  await_previous ();
  for (int i = thread; i < (TILE_Y + 2 * REACH) * WIDE; i += TILE_X * TILE_Y) {
    int column = pocstereo_clamp (x0 + i % WIDE - REACH, 0, width - 1);
    int row = pocstereo_clamp (y0 + i / WIDE - REACH, 0, height - 1);

    tile[i / WIDE][i % WIDE] = from[((size_t) row * width + column) * step];
  }
  __syncthreads ();
  for (int i = thread; i < TILE_Y * WIDE; i += TILE_X * TILE_Y) {
    int32_t column[SIDE];

#pragma unroll
    for (int j = 0; j < SIDE; j++)
      column[j] = tile[i / WIDE + j][i % WIDE];
    order_column (column);
#pragma unroll
    for (int j = 0; j < SIDE; j++)
      ordered[j][i / WIDE][i % WIDE] = column[j];
  }
  __syncthreads ();
#pragma unroll
  for (int i = 0; i < SIDE; i++)
#pragma unroll
    for (int j = 0; j < SIDE; j++)
      v[i][j] = ordered[i][threadIdx.y][threadIdx.x + j];
  if (x < width && y < height)
    maps.to[blockIdx.z][(size_t) y * width + x] = median_of_columns (v);
}

const char *
pocstereo_median_cuda (const Device *dev, const int32_t *const from[2],
    int step, int32_t *const to[2], int width, int height, int n_views)
{
  Maps maps = {{from[0], from[1]}, {to[0], to[1]}};

  return pocstereo_launch_kernel (dev, median_kernel,
      dim3 (ceil_div (width, TILE_X), ceil_div (height, TILE_Y), n_views),
      dim3 (TILE_X, TILE_Y), maps, step, width, height);
}

const char *
pocstereo_match_medians_cuda (const Device *dev,
    const PocstereoDenseMatches *matches, int32_t *const to[2])
{
  const int32_t *const disparities[2] = {
      (const int32_t *) matches->view[0], (const int32_t *) matches->view[1]};

  static_assert (offsetof (PocstereoMatch, disparity) == 0, "comes first");
  return pocstereo_median_cuda (dev, disparities,
      sizeof (PocstereoMatch) / sizeof (int32_t), to, matches->width,
      matches->height, matches->n_views);
}
