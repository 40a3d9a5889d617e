/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Declarations and warp reductions for .cu files; no .c file may include
 * them. */
#pragma once

#include <stdint.h>

#include <cuda_runtime.h>

#include "common/device.h"

/* Returns the error of @call, a function of CUDA, as a sentence. */
#define CUDA_TRY(call) \
 do { \
  cudaError_t e_ = (call); \
  if (e_ != cudaSuccess) \
   return cudaGetErrorString (e_); \
 } while (0)

/* The stream of a CUDA device. */
static inline cudaStream_t
device_stream (const Device *dev)
{
  return (cudaStream_t) dev->stream;
}

/* Waits, as device_wait () does, until @event is done, which was made with
 * cudaEventBlockingSync (device_cuda.cu). */
const char *device_wait_event (cudaEvent_t event);

/* @a / @b, rounded up, for @a from 0 and @b from 1. */
BOTH int
ceil_div (int a, int b)
{
  return (a + b - 1) / b;
}

#define ALL_LANES 0xffffffffu

/* The sum, minimum, maximum or bitwise or over @LANES neighbouring lanes.  Each
 * lane gets the result; cub::WarpReduce gives it to the first lane alone.  All
 * lanes of the warp call. */
#define LANES_REDUCE(name, combined) \
 template <int LANES = 32, class T> \
 static __device__ __forceinline__ T name (T v) \
 { \
  _Pragma ("unroll") for (int step = LANES / 2; step; step /= 2) \
  { \
   T other = __shfl_xor_sync (ALL_LANES, v, step); \
\
   v = combined; \
  } \
  return v; \
 }

LANES_REDUCE (lanes_sum, v + other)
LANES_REDUCE (lanes_min, min (v, other))
LANES_REDUCE (lanes_max, max (v, other))
LANES_REDUCE (lanes_or, v | other)

/* Reductions over all lanes of a warp, which all call: one instruction if the
 * GPU has it. */
#if __CUDA_ARCH__ >= 800
# define WARP_REDUCE_(v, instruction, lanes) instruction (ALL_LANES, v)
#else
# define WARP_REDUCE_(v, instruction, lanes) lanes (v)
#endif
#define WARP_REDUCE(name, type, instruction, lanes) \
 static __device__ __forceinline__ type name (type v) \
 { \
  return WARP_REDUCE_ (v, instruction, lanes); \
 }

WARP_REDUCE (warp_sum, uint32_t, __reduce_add_sync, lanes_sum)
WARP_REDUCE (warp_max_u, uint32_t, __reduce_max_sync, lanes_max)
WARP_REDUCE (warp_or, uint32_t, __reduce_or_sync, lanes_or)
WARP_REDUCE (warp_min, int32_t, __reduce_min_sync, lanes_min)
WARP_REDUCE (warp_max, int32_t, __reduce_max_sync, lanes_max)
