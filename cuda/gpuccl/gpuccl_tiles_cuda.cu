/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * First kernel of GPUCCL_RUN, four rows of a tile a warp. */
#define WARP_ROWS 4

#include "gpuccl/gpuccl_tile.cuh"

static_assert (TILE_THREADS == GPUCCL_TILE_THREADS, "threads of a tile");

GpucclKernel
gpuccl_tiles_kernel (const GpucclArgs *a)
{
  return tiles_kernel_for (a);
}
