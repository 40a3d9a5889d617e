/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The bilateral filter, of the foreground only, because no stage reads the
 * rest. */
#include "common/bilateral.cuh"
#include "gpuccl/gpuccl_cuda.cuh"

static __device__ __forceinline__ bool
is_pixel_foreground (const GpucclWork &w, int x, int y)
{
  const GpucclFrame &f = w.frame;
  uint32_t value = w.values.first;

  x = min (x, f.width - 1), y = min (y, f.height - 1);
  if (f.source != GPUCCL_DEPTH_ONLY)
    value = f.map[(size_t) y * f.map_stride + x * f.map_step];
  return gpuccl_is_foreground (&w.values, (uint8_t) value);
}

/* The weights of distance are a few less than MAX_SPACE.  Neighbours of one
 * weight are summed by their weights of depth alone. */
#define MAX_SPACE 32
#define N_SPACES 7

struct Sums {
  BilateralMean of[N_SPACES]; /* element i: neighbours of weight MAX_SPACE -
                                 i */
};

/* As bilateral_mean_add (), without branches.  @space is a constant when this
 * is compiled. */
static __device__ __forceinline__ void
add_neighbour (Sums *sums, const BilateralTile *tile, uint32_t space, int32_t z,
    int32_t other)
{
  int32_t deeper = other - z;
  uint32_t weight;

  if (!space)
    return;
  weight = bilateral_weight (tile, abs (deeper));
  sums->of[MAX_SPACE - space].weights += weight;
  sums->of[MAX_SPACE - space].deeper += (int32_t) weight * deeper;
}

static __device__ __forceinline__ BilateralMean
mean_of_sums (const Sums &sums)
{
  BilateralMean mean = {0, 0};

#pragma unroll
  for (int i = 0; i < N_SPACES; i++) {
    mean.weights += (MAX_SPACE - i) * sums.of[i].weights;
    mean.deeper += (MAX_SPACE - i) * sums.of[i].deeper;
  }
  return mean;
}

/* Sets @means to those of the thread's two pixels, which share most of their
 * neighbours. */
static __device__ __forceinline__ void
smooth_two_pixels (const BilateralTile *tile, BilateralMean means[2])
{
  const int32_t *at = bilateral_depth (tile);
  Sums upper = {}, lower = {};

#pragma unroll
  for (int dy = -BILATERAL_REACH; dy <= BILATERAL_REACH + 1; dy++)
#pragma unroll
    for (int dx = -BILATERAL_REACH; dx <= BILATERAL_REACH; dx++) {
      const int32_t other = at[dy * BILATERAL_SIDE_X + dx];

      add_neighbour (
          &upper, tile, bilateral_space_weight (dx, dy), at[0], other);
      add_neighbour (&lower, tile, bilateral_space_weight (dx, dy - 1),
          at[BILATERAL_SIDE_X], other);
    }
  means[0] = mean_of_sums (upper);
  means[1] = mean_of_sums (lower);
}

static __global__ void
__launch_bounds__ (BILATERAL_THREADS)
    filter_foreground_kernel (const __grid_constant__ GpucclWork w)
{
  __shared__ BilateralTile tile;
  const GpucclFrame &f = w.frame;
  const int2 at = bilateral_place ();
  bool wanted[2] = {is_pixel_foreground (w, at.x, at.y),
      is_pixel_foreground (w, at.x, at.y + 1)};
  BilateralMean means[2];
  int32_t z[2];

  bilateral_fill (&tile, w.range, f.width, f.height,
      [&] (int x, int y) { return gpuccl_depth_row (&f, y)[x]; });
  for (int i = 0; i < 2; i++) {
    z[i] = bilateral_depth (&tile)[i * BILATERAL_SIDE_X];
    wanted[i] = wanted[i] && z[i] != BILATERAL_NO_DEPTH;
  }
  if (wanted[0] || wanted[1])
    smooth_two_pixels (&tile, means);
#pragma unroll
  for (int i = 0; i < 2; i++) {
    const size_t pixel = (size_t) (at.y + i) * f.width + at.x;

    if (at.x < f.width && at.y + i < f.height)
      w.smooth[pixel] = wanted[i] ? bilateral_mean_depth (&means[i],
                                        (uint32_t) z[i], &w.fraction[pixel])
                                  : 0;
  }
}

const char *
gpuccl_filter_cuda (const Device *dev, const GpucclWork *w)
{
  filter_foreground_kernel<<<bilateral_blocks (w->frame.width, w->frame.height),
      BILATERAL_THREADS, 0, device_stream (dev)>>> (*w);
  CUDA_TRY (cudaGetLastError ());
  return NULL;
}
