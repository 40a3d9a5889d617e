/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What every .cu file needs and no .c file may see. */
#pragma once

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

BOTH int
ceil_div (int a, int b)
{
  return (a + b - 1) / b;
}
