/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What every .cu file needs and no .c file may see. */
#pragma once

#include <stdint.h>

#include <cuda_runtime.h>

#include "common/device.h"

#define CUDA_TRY(call) \
 do { \
  cudaError_t e_ = (call); \
  if (e_ != cudaSuccess) \
   return cudaGetErrorString (e_); \
 } while (0)

static inline cudaStream_t
device_stream (const Device *dev)
{
  return (cudaStream_t) dev->stream;
}

/* device_cuda.cu: waits as device_wait () does, until @event, which was made
 * with cudaEventBlockingSync, is done. */
const char *device_wait_event (cudaEvent_t event);

BOTH int
ceil_div (int a, int b)
{
  return (a + b - 1) / b;
}

#define ALL_LANES 0xffffffffu

/* Over @LANES lanes in a row, each of which gets the result; cub::WarpReduce
 * gives it to the first alone.  All lanes of the warp call. */
template <int LANES = 32, class T>
static __device__ __forceinline__ T
lanes_sum (T v)
{
#pragma unroll
  for (int step = LANES / 2; step; step /= 2)
    v += __shfl_xor_sync (ALL_LANES, v, step);
  return v;
}

template <int LANES = 32, class T>
static __device__ __forceinline__ T
lanes_min (T v)
{
#pragma unroll
  for (int step = LANES / 2; step; step /= 2)
    v = min (v, __shfl_xor_sync (ALL_LANES, v, step));
  return v;
}

template <int LANES = 32, class T>
static __device__ __forceinline__ T
lanes_max (T v)
{
#pragma unroll
  for (int step = LANES / 2; step; step /= 2)
    v = max (v, __shfl_xor_sync (ALL_LANES, v, step));
  return v;
}

/* Of 32 bits, over the lanes of a warp, all of which call: one instruction
 * if the GPU has it. */
static __device__ __forceinline__ uint32_t
warp_sum (uint32_t v)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync (ALL_LANES, v);
#else
  return lanes_sum (v);
#endif
}

static __device__ __forceinline__ uint32_t
warp_max_u (uint32_t v)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync (ALL_LANES, v);
#else
  return lanes_max (v);
#endif
}

static __device__ __forceinline__ uint32_t
warp_or (uint32_t v)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_or_sync (ALL_LANES, v);
#else
  for (int step = 16; step; step /= 2)
    v |= __shfl_xor_sync (ALL_LANES, v, step);
  return v;
#endif
}

static __device__ __forceinline__ int32_t
warp_min (int32_t v)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_min_sync (ALL_LANES, v);
#else
  return lanes_min (v);
#endif
}

static __device__ __forceinline__ int32_t
warp_max (int32_t v)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync (ALL_LANES, v);
#else
  return lanes_max (v);
#endif
}
