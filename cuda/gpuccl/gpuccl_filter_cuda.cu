/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The bilateral filter, of the foreground only: nobody asks for the rest.  A
 * thread does two pixels, one below the other, that share most of their
 * neighbours. */
#include "gpuccl/gpuccl_cuda.cuh"

#define SIDE (2 * BILATERAL_REACH + 1)
#define TILE_X 32
#define TILE_Y 16
#define THREADS (TILE_X * TILE_Y / 2)
#define SIDE_X (TILE_X + 2 * BILATERAL_REACH)
#define SIDE_Y (TILE_Y + 2 * BILATERAL_REACH)
#define LOADS ((SIDE_X * SIDE_Y + THREADS - 1) / THREADS)

/* Farther from every depth than the weights go. */
#define NO_DEPTH (-2 * 65536)

/* Weights of steps, 0 from BILATERAL_RANGE on; depths around the tile. */
struct Shared {
  alignas (16) uint8_t range[BILATERAL_RANGE + 16];
  int32_t z[SIDE_Y * SIDE_X];
};

/* Nothing here waits for a load before the last one is on its way: so what lies
 * outside the frame is read at its edge. */
static __device__ __forceinline__ uint32_t
map_value (const GpucclWork &w, int x, int y)
{
  const GpucclFrame &f = w.frame;

  if (f.source == GPUCCL_DEPTH_ONLY)
    return w.values.first;
  x = min (x, f.width - 1), y = min (y, f.height - 1);
  return f.map[(size_t) y * f.map_stride + x * f.map_step];
}

static __device__ __forceinline__ int32_t
depth_value (const GpucclFrame &f, int x, int y)
{
  int u = min (max (x, 0), f.width - 1), v = min (max (y, 0), f.height - 1);
  int32_t z = gpuccl_depth_row (&f, v)[u];

  return z && u == x && v == y ? z : NO_DEPTH;
}

static __device__ __forceinline__ void
load (const GpucclWork &w, Shared *s)
{
  int x0 = blockIdx.x * TILE_X - BILATERAL_REACH;
  int y0 = blockIdx.y * TILE_Y - BILATERAL_REACH;
  uint4 range = ((const uint4 *) w.range)[threadIdx.x];
  int32_t z[LOADS];

#pragma unroll
  for (int k = 0; k < LOADS; k++) {
    int i = k * THREADS + (int) threadIdx.x;

    z[k] = depth_value (w.frame, x0 + i % SIDE_X, y0 + i / SIDE_X);
  }
  static_assert (THREADS * sizeof range == BILATERAL_RANGE, "one each");
  ((uint4 *) s->range)[threadIdx.x] = range;
  if (threadIdx.x == 0)
    s->range[BILATERAL_RANGE] = 0;
#pragma unroll
  for (int k = 0; k < LOADS; k++)
    if (k * THREADS + threadIdx.x < SIDE_X * SIDE_Y)
      s->z[k * THREADS + threadIdx.x] = z[k];
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

/* Weights of distance are MAX_SPACE less a few.  Neighbours of the same one
 * are added up by their weights of depth alone. */
#define MAX_SPACE 32
#define N_SPACES 7

struct Sums {
  BilateralMean of[N_SPACES]; /* each for weight MAX_SPACE - i */
};

/* bilateral_mean_add () without its branches; @range: the address of the
 * weights in shared memory, @space: known when this is compiled. */
static __device__ __forceinline__ void
add (Sums *sums, uint32_t range, uint32_t space, int32_t z, int32_t other)
{
  int32_t deeper = other - z;
  uint32_t weight;

  if (!space)
    return;
  weight = byte_at (range + min (abs (deeper), BILATERAL_RANGE));
  sums->of[MAX_SPACE - space].weights += weight;
  sums->of[MAX_SPACE - space].deeper += (int32_t) weight * deeper;
}

static __device__ __forceinline__ BilateralMean
mean_of (const Sums &sums)
{
  BilateralMean mean = {0, 0};

#pragma unroll
  for (int i = 0; i < N_SPACES; i++) {
    mean.weights += (MAX_SPACE - i) * sums.of[i].weights;
    mean.deeper += (MAX_SPACE - i) * sums.of[i].deeper;
  }
  return mean;
}

static __device__ __forceinline__ void
store (const GpucclWork &w, int x, int y, bool foreground, const Sums &sums,
    int32_t z)
{
  size_t at = (size_t) y * w.frame.width + x;
  BilateralMean mean = mean_of (sums);

  if (x < w.frame.width && y < w.frame.height)
    w.smooth[at] = foreground
        ? bilateral_mean_depth (&mean, (uint32_t) z, &w.fraction[at])
        : 0;
}

static __global__ void
__launch_bounds__ (THREADS) filter_kernel (const __grid_constant__ GpucclWork w)
{
  __shared__ Shared s;
  int tx = threadIdx.x % TILE_X, ty = threadIdx.x / TILE_X * 2;
  int x = blockIdx.x * TILE_X + tx, y = blockIdx.y * TILE_Y + ty;
  uint32_t range = (uint32_t) __cvta_generic_to_shared (s.range);
  uint32_t upper = map_value (w, x, y), lower = map_value (w, x, y + 1);
  const int32_t *around = &s.z[ty * SIDE_X + tx];
  int32_t za, zb;
  Sums a = {}, b = {};
  bool in_a, in_b;

  load (w, &s);
  __syncthreads ();
  za = around[BILATERAL_REACH * SIDE_X + BILATERAL_REACH];
  zb = around[(BILATERAL_REACH + 1) * SIDE_X + BILATERAL_REACH];
  in_a = gpuccl_is_foreground (&w.values, (uint8_t) upper) && za != NO_DEPTH;
  in_b = gpuccl_is_foreground (&w.values, (uint8_t) lower) && zb != NO_DEPTH;
  if (in_a || in_b) {
#pragma unroll
    for (int i = 0; i < SIDE * (SIDE + 1); i++) {
      int dx = i % SIDE - BILATERAL_REACH, dy = i / SIDE - BILATERAL_REACH;
      int32_t other = around[i / SIDE * SIDE_X + i % SIDE];

      add (&a, range, bilateral_space_weight (dx, dy), za, other);
      add (&b, range, bilateral_space_weight (dx, dy - 1), zb, other);
    }
  }
  store (w, x, y, in_a, a, za);
  store (w, x, y + 1, in_b, b, zb);
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
