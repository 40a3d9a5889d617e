/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The bilateral filter, of the foreground only: nobody asks for the rest.  A
 * thread does two pixels, one below the other, that share most of their
 * neighbours. */
#include "gpuccl/gpuccl_cuda.cuh"
#include "gpuccl/gpuccl_filter.h"

#define SIDE (2 * GPUCCL_REACH + 1)
#define TILE_X 32
#define TILE_Y 16
#define THREADS (TILE_X * TILE_Y / 2)
#define SIDE_X (TILE_X + 2 * GPUCCL_REACH)
#define SIDE_Y (TILE_Y + 2 * GPUCCL_REACH)

/* Farther from every depth than the weights go. */
#define NO_DEPTH (-2 * 65536)

/* Weights of steps, 0 from GPUCCL_RANGE on; depths around the tile. */
struct Shared {
  alignas (16) uint8_t range[GPUCCL_RANGE + 16];
  int32_t z[SIDE_Y][SIDE_X];
};

static __device__ void
load (const GpucclWork &w, Shared *s)
{
  const GpucclFrame &f = w.frame;
  int x0 = blockIdx.x * TILE_X - GPUCCL_REACH;
  int y0 = blockIdx.y * TILE_Y - GPUCCL_REACH;

  static_assert (THREADS * sizeof (uint4) == GPUCCL_RANGE, "a word each");
  ((uint4 *) s->range)[threadIdx.x] = ((const uint4 *) w.range)[threadIdx.x];
  if (threadIdx.x == 0)
    s->range[GPUCCL_RANGE] = 0;
#pragma unroll
  for (int i = threadIdx.x; i < SIDE_X * SIDE_Y; i += THREADS) {
    int x = x0 + i % SIDE_X, y = y0 + i / SIDE_X, z = 0;

    if (x >= 0 && y >= 0 && x < f.width && y < f.height)
      z = gpuccl_depth_row (&f, y)[x];
    s->z[i / SIDE_X][i % SIDE_X] = z ? z : NO_DEPTH;
  }
}

/* A byte in a whole register: as a uint8_t it would be extended once more. */
static __device__ __forceinline__ uint32_t
byte_at (uint32_t address)
{
  uint32_t value;

  asm volatile("ld.shared.u8 %0, [%1];"
               : "=r"(value)
               : "r"(address)
               : "memory");
  return value;
}

/* gpuccl_mean_add () without its branches; @range: the address of the weights
 * in shared memory. */
static __device__ __forceinline__ void
add (GpucclMean *mean, uint32_t range, uint32_t space, int32_t z, int32_t other)
{
  int32_t deeper = other - z;
  uint32_t weight;

  if (!space) /* known when this is compiled */
    return;
  weight = space * byte_at (range + min (abs (deeper), GPUCCL_RANGE));
  mean->weights += weight;
  mean->deeper += (int32_t) weight * deeper;
}

static __device__ bool
is_foreground (const GpucclWork &w, int x, int y)
{
  return x < w.frame.width && y < w.frame.height &&
      gpuccl_foreground_at (&w.frame, &w.values, x, y);
}

static __device__ void
store (const GpucclWork &w, int x, int y, bool foreground,
    const GpucclMean &mean, int32_t z)
{
  size_t at = (size_t) y * w.frame.width + x;

  if (x < w.frame.width && y < w.frame.height)
    w.smooth[at] = foreground
        ? gpuccl_mean_depth (&mean, (uint32_t) z, &w.fraction[at])
        : 0;
}

static __global__ void
__launch_bounds__ (THREADS) filter_kernel (const __grid_constant__ GpucclWork w)
{
  __shared__ Shared s;
  int tx = threadIdx.x % TILE_X, ty = threadIdx.x / TILE_X * 2;
  int x = blockIdx.x * TILE_X + tx, y = blockIdx.y * TILE_Y + ty;
  bool first = is_foreground (w, x, y), second = is_foreground (w, x, y + 1);
  GpucclMean a = {0, 0}, b = {0, 0};
  uint32_t range = (uint32_t) __cvta_generic_to_shared (s.range);
  int32_t za, zb;

  load (w, &s);
  __syncthreads ();
  za = s.z[ty + GPUCCL_REACH][tx + GPUCCL_REACH];
  zb = s.z[ty + GPUCCL_REACH + 1][tx + GPUCCL_REACH];
  if (first || second) {
#pragma unroll
    for (int i = 0; i < SIDE * (SIDE + 1); i++) {
      int dx = i % SIDE - GPUCCL_REACH, dy = i / SIDE - GPUCCL_REACH;
      int32_t other = s.z[ty + i / SIDE][tx + i % SIDE];

      add (&a, range, gpuccl_space_weight (dx, dy), za, other);
      add (&b, range, gpuccl_space_weight (dx, dy - 1), zb, other);
    }
  }
  store (w, x, y, first, a, za);
  store (w, x, y + 1, second, b, zb);
}

const char *
gpuccl_filter_cuda (const Device *dev, const GpucclWork *w)
{
  filter_kernel<<<dim3 (ceil_div (w->frame.width, TILE_X),
                      ceil_div (w->frame.height, TILE_Y)),
      THREADS, 0, device_stream (dev)>>> (*w);
  CUDA_TRY (cudaGetLastError ());
  return NULL;
}
