/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * First kernel of GPUCCL_RUN, eight rows of a tile a warp, for large frames. */
#define WARP_ROWS 8

#include "gpuccl/gpuccl_tile.cuh"

static_assert (TILE_THREADS == GPUCCL_LARGE_TILE_THREADS, "threads of a tile");

GpucclKernel
gpuccl_large_tiles_kernel (const GpucclArgs *a)
{
  return tiles_kernel_for (a);
}
