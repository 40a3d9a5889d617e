/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Prefix sums over lanes and threads, by CUB.  Sum integers: their order does
 * not matter. */
#pragma once

#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_scan.cuh>

#include "common/cuda.cuh"

/* The sum of @v over the lanes before this lane.  Sets @total to the sum over
 * the warp.  All lanes of the warp call. */
template <class T>
static __device__ __forceinline__ T
warp_sum_before (T v, T *total)
{
  using Scan = cub::WarpScan<T>;
  typename Scan::TempStorage none; /* a warp's lanes shuffle */
  T before;

  Scan (none).ExclusiveSum (v, before, *total);
  return before;
}

/* The sum of @v over the threads before this thread of a block, which has
 * @THREADS threads in a row.  Sets @total to the sum over the block.  All
 * threads call. */
template <int THREADS, class T>
static __device__ __forceinline__ T
block_sum_before (T v, T *total)
{
  using Scan = cub::BlockScan<T, THREADS, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ typename Scan::TempStorage shared;
  T before;

  __syncthreads (); /* all threads have read the sums of the last call */
  Scan (shared).ExclusiveSum (v, before, *total);
  return before;
}
