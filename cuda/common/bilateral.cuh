/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The bilateral filter of kernels.  A block filters a tile of the frame; a thread
 * does two pixels, one below the other, that share most of their neighbours. */
#pragma once

#include "common/bilateral.h"
#include "common/cuda.cuh"

#define BILATERAL_TILE_X 32
#define BILATERAL_TILE_Y 16
#define BILATERAL_THREADS (BILATERAL_TILE_X * BILATERAL_TILE_Y / 2)
#define BILATERAL_SIDE (2 * BILATERAL_REACH + 1)
#define BILATERAL_SIDE_X (BILATERAL_TILE_X + 2 * BILATERAL_REACH)
#define BILATERAL_SIDE_Y (BILATERAL_TILE_Y + 2 * BILATERAL_REACH)

/* Farther from every depth than the weights go. */
#define BILATERAL_NO_DEPTH (-2 * 65536)

/* Weights of steps, 0 from BILATERAL_RANGE on; depths around the tile. */
struct BilateralTile {
  alignas (16) uint8_t range[BILATERAL_RANGE + 16];
  int32_t z[BILATERAL_SIDE_Y * BILATERAL_SIDE_X];
};

static inline dim3
bilateral_blocks (int width, int height)
{
  return dim3 (ceil_div (width, BILATERAL_TILE_X),
      ceil_div (height, BILATERAL_TILE_Y));
}

/* The upper one of the thread's two pixels. */
static __device__ __forceinline__ int2
bilateral_place (void)
{
  int2 at = {(int) (blockIdx.x * BILATERAL_TILE_X +
                 threadIdx.x % BILATERAL_TILE_X),
      (int) (blockIdx.y * BILATERAL_TILE_Y +
          threadIdx.x / BILATERAL_TILE_X * 2)};

  return at;
}

/* Fills the tile, by all threads of the block, and waits until it is full.
 * @depth: that of pixel (x, y) of the frame, 0 for none.  No thread waits for a
 * load before its last one is on its way: so what lies outside of the frame is
 * read at its edge. */
template <class Depth>
static __device__ __forceinline__ void
bilateral_fill (BilateralTile *tile, const uint8_t *range, int width,
    int height, const Depth &depth)
{
  const int n = BILATERAL_SIDE_X * BILATERAL_SIDE_Y;
  const int loads = (n + BILATERAL_THREADS - 1) / BILATERAL_THREADS;
  const int x0 = blockIdx.x * BILATERAL_TILE_X - BILATERAL_REACH;
  const int y0 = blockIdx.y * BILATERAL_TILE_Y - BILATERAL_REACH;
  const uint4 weights = ((const uint4 *) range)[threadIdx.x];
  int32_t z[loads];

#pragma unroll
  for (int k = 0; k < loads; k++) {
    int i = k * BILATERAL_THREADS + (int) threadIdx.x;
    int x = x0 + i % BILATERAL_SIDE_X, y = y0 + i / BILATERAL_SIDE_X;
    int u = min (max (x, 0), width - 1), v = min (max (y, 0), height - 1);
    int32_t there = depth (u, v);

    z[k] = there && u == x && v == y ? there : BILATERAL_NO_DEPTH;
  }
  static_assert (
      BILATERAL_THREADS * sizeof weights == BILATERAL_RANGE, "one each");
  ((uint4 *) tile->range)[threadIdx.x] = weights;
  if (threadIdx.x == 0)
    tile->range[BILATERAL_RANGE] = 0;
#pragma unroll
  for (int k = 0; k < loads; k++)
    if (k * BILATERAL_THREADS + threadIdx.x < n)
      tile->z[k * BILATERAL_THREADS + threadIdx.x] = z[k];
  __syncthreads ();
}

/* A byte in a whole register: as a uint8_t it would be extended once more. */
static __device__ __forceinline__ uint32_t
bilateral_byte (uint32_t address)
{
  uint32_t value;

  asm volatile("ld.shared.u8 %0, [%1];"
               : "=r"(value)
               : "r"(address)
               : "memory");
  return value;
}

/* Weights of distance are BILATERAL_MAX_SPACE less a few.  Neighbours of the
 * same one are added up by their weights of depth alone. */
#define BILATERAL_MAX_SPACE 32
#define BILATERAL_SPACES 7

struct BilateralSums {
  BilateralMean of[BILATERAL_SPACES]; /* each for weight MAX_SPACE - i */
};

/* bilateral_mean_add () without its branches; @range: the address of the
 * weights in shared memory, @space: known when this is compiled. */
static __device__ __forceinline__ void
bilateral_add (BilateralSums *sums, uint32_t range, uint32_t space, int32_t z,
    int32_t other)
{
  int32_t deeper = other - z;
  uint32_t weight;

  if (!space)
    return;
  weight = bilateral_byte (range + min (abs (deeper), BILATERAL_RANGE));
  sums->of[BILATERAL_MAX_SPACE - space].weights += weight;
  sums->of[BILATERAL_MAX_SPACE - space].deeper += (int32_t) weight * deeper;
}

static __device__ __forceinline__ BilateralMean
bilateral_mean_of (const BilateralSums &sums)
{
  BilateralMean mean = {0, 0};

#pragma unroll
  for (int i = 0; i < BILATERAL_SPACES; i++) {
    mean.weights += (BILATERAL_MAX_SPACE - i) * sums.of[i].weights;
    mean.deeper += (BILATERAL_MAX_SPACE - i) * sums.of[i].deeper;
  }
  return mean;
}

/* The thread's two pixels: depths, BILATERAL_NO_DEPTH for none, and means. */
struct BilateralPair {
  int32_t z[2];
  BilateralMean mean[2];
};

/* The depths alone. */
static __device__ __forceinline__ BilateralPair
bilateral_depths (const BilateralTile *tile)
{
  const int32_t *at =
      &tile->z[(threadIdx.x / BILATERAL_TILE_X * 2 + BILATERAL_REACH) *
              BILATERAL_SIDE_X +
          threadIdx.x % BILATERAL_TILE_X + BILATERAL_REACH];
  BilateralPair pair = {{at[0], at[BILATERAL_SIDE_X]}, {}};

  return pair;
}

/* The means, too. */
static __device__ __forceinline__ void
bilateral_filter (const BilateralTile *tile, BilateralPair *pair)
{
  const uint32_t range = (uint32_t) __cvta_generic_to_shared (tile->range);
  const int32_t *around = &tile->z[threadIdx.x / BILATERAL_TILE_X * 2 *
          BILATERAL_SIDE_X +
      threadIdx.x % BILATERAL_TILE_X];
  BilateralSums upper = {}, lower = {};

#pragma unroll
  for (int i = 0; i < BILATERAL_SIDE * (BILATERAL_SIDE + 1); i++) {
    int dx = i % BILATERAL_SIDE - BILATERAL_REACH;
    int dy = i / BILATERAL_SIDE - BILATERAL_REACH;
    int32_t other = around[i / BILATERAL_SIDE * BILATERAL_SIDE_X +
        i % BILATERAL_SIDE];

    bilateral_add (
        &upper, range, bilateral_space_weight (dx, dy), pair->z[0], other);
    bilateral_add (
        &lower, range, bilateral_space_weight (dx, dy - 1), pair->z[1], other);
  }
  pair->mean[0] = bilateral_mean_of (upper);
  pair->mean[1] = bilateral_mean_of (lower);
}
