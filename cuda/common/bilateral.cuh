/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The bilateral filter of kernels.  A block filters a tile of the frame; a
 * thread filters two pixels, one below the other, that share most of their
 * neighbours.
 *
 * Neighbours may lie @spacing pixels apart.  A tile then holds every
 * @spacing-th pixel of every @spacing-th row, and blockIdx.z is the number of
 * its first pixel among the @spacing x @spacing that it may begin with. */
#pragma once

#include "common/bilateral.h"
#include "common/cuda.cuh"

#define BILATERAL_TILE_X 32
#define BILATERAL_TILE_Y 16
#define BILATERAL_THREADS (BILATERAL_TILE_X * BILATERAL_TILE_Y / 2)
#define BILATERAL_SIDE_X (BILATERAL_TILE_X + 2 * BILATERAL_REACH)
#define BILATERAL_SIDE_Y (BILATERAL_TILE_Y + 2 * BILATERAL_REACH)

/* The difference from any depth has weight 0. */
#define BILATERAL_NO_DEPTH (-2 * 65536)

/* The weights of differences, 0 from BILATERAL_RANGE on, and the depths in and
 * around the tile. */
struct BilateralTile {
  alignas (16) uint8_t range[BILATERAL_RANGE + 16];
  int32_t z[BILATERAL_SIDE_Y * BILATERAL_SIDE_X];
};

static inline dim3
bilateral_blocks (int width, int height, int spacing = 1)
{
  return dim3 (ceil_div (width, BILATERAL_TILE_X * spacing),
      ceil_div (height, BILATERAL_TILE_Y * spacing), spacing * spacing);
}

/* The first pixel of the frame that this block's tiles hold. */
static __device__ __forceinline__ int2
bilateral_first (int spacing)
{
  const int from = spacing == 1 ? 0 : (int) blockIdx.z;

  return int2{from % spacing, from / spacing};
}

/* The upper pixel of the thread's two; the other pixel is @spacing rows
 * lower. */
static __device__ __forceinline__ int2
bilateral_place (int spacing = 1)
{
  const int2 first = bilateral_first (spacing);
  const int x = (int) (blockIdx.x * BILATERAL_TILE_X +
                threadIdx.x % BILATERAL_TILE_X),
            y = (int) (blockIdx.y * BILATERAL_TILE_Y +
                threadIdx.x / BILATERAL_TILE_X * 2);

  return int2{x * spacing + first.x, y * spacing + first.y};
}

/* All threads of the block fill the tile and wait until it is full.  @depth
 * gives the depth of pixel (x, y) of the frame, 0 if it is missing.  A thread
 * starts all its loads before it waits for the first; a pixel outside of the
 * frame is therefore read at the frame's edge. */
template <class Depth>
static __device__ __forceinline__ void
bilateral_fill (BilateralTile *tile, const uint8_t *range, int width,
    int height, const Depth &depth, int spacing = 1)
{
  const int n = BILATERAL_SIDE_X * BILATERAL_SIDE_Y;
  const int loads = (n + BILATERAL_THREADS - 1) / BILATERAL_THREADS;
  const int2 first = bilateral_first (spacing);
  const int x0 = blockIdx.x * BILATERAL_TILE_X - BILATERAL_REACH;
  const int y0 = blockIdx.y * BILATERAL_TILE_Y - BILATERAL_REACH;
  const uint4 weights = ((const uint4 *) range)[threadIdx.x];
  int32_t z[loads];

#pragma unroll
  for (int k = 0; k < loads; k++) {
    int i = k * BILATERAL_THREADS + (int) threadIdx.x;
    int x = (x0 + i % BILATERAL_SIDE_X) * spacing + first.x;
    int y = (y0 + i / BILATERAL_SIDE_X) * spacing + first.y;
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

/* The tile's depth at the upper pixel of the thread's two.  The lower pixel is
 * BILATERAL_SIDE_X further on, and neighbour (x, y) is y BILATERAL_SIDE_X + x
 * further on. */
static __device__ __forceinline__ const int32_t *
bilateral_depth (const BilateralTile *tile)
{
  return &tile->z[(threadIdx.x / BILATERAL_TILE_X * 2 + BILATERAL_REACH) *
          BILATERAL_SIDE_X +
      threadIdx.x % BILATERAL_TILE_X + BILATERAL_REACH];
}

/* The weight of a difference of depth, of any size.  The byte is returned as a
 * whole register, because a uint8_t would be extended once more. */
static __device__ __forceinline__ uint32_t
bilateral_weight (const BilateralTile *tile, int32_t step)
{
  const uint32_t address = (uint32_t) __cvta_generic_to_shared (tile->range) +
      min (step, BILATERAL_RANGE);
  uint32_t weight;

  asm volatile("ld.shared.u8 %0, [%1];"
               : "=r"(weight)
               : "r"(address)
               : "memory");
  return weight;
}
