/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The bilateral filter, of the foreground only: nobody asks for the rest. */
#include "common/bilateral.cuh"
#include "gpuccl/gpuccl_cuda.cuh"

static __device__ __forceinline__ bool
is_foreground (const GpucclWork &w, int x, int y)
{
  const GpucclFrame &f = w.frame;
  uint32_t value = w.values.first;

  x = min (x, f.width - 1), y = min (y, f.height - 1);
  if (f.source != GPUCCL_DEPTH_ONLY)
    value = f.map[(size_t) y * f.map_stride + x * f.map_step];
  return gpuccl_is_foreground (&w.values, (uint8_t) value);
}

static __global__ void
__launch_bounds__ (BILATERAL_THREADS)
    filter_kernel (const __grid_constant__ GpucclWork w)
{
  __shared__ BilateralTile tile;
  const GpucclFrame &f = w.frame;
  const int2 at = bilateral_place ();
  bool wanted[2] = {
      is_foreground (w, at.x, at.y), is_foreground (w, at.x, at.y + 1)};
  BilateralPair pair;

  bilateral_fill (&tile, w.range, f.width, f.height,
      [&] (int x, int y) { return gpuccl_depth_row (&f, y)[x]; });
  pair = bilateral_depths (&tile);
  for (int i = 0; i < 2; i++)
    wanted[i] = wanted[i] && pair.z[i] != BILATERAL_NO_DEPTH;
  if (wanted[0] || wanted[1])
    bilateral_filter (&tile, &pair);
#pragma unroll
  for (int i = 0; i < 2; i++) {
    const size_t pixel = (size_t) (at.y + i) * f.width + at.x;

    if (at.x < f.width && at.y + i < f.height)
      w.smooth[pixel] = wanted[i]
          ? bilateral_mean_depth (
                &pair.mean[i], (uint32_t) pair.z[i], &w.fraction[pixel])
          : 0;
  }
}

const char *
gpuccl_filter_cuda (const Device *dev, const GpucclWork *w)
{
  filter_kernel<<<bilateral_blocks (w->frame.width, w->frame.height),
      BILATERAL_THREADS, 0, device_stream (dev)>>> (*w);
  CUDA_TRY (cudaGetLastError ());
  return NULL;
}
