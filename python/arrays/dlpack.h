/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * DLPack's tensors, by which libraries of Python hand arrays to each other:
 * https://dmlc.github.io/dlpack/latest/c_api.html */
#pragma once

#include <stdint.h>

#define DL_TENSOR "dltensor" /* name of a capsule that nobody has taken */

#define DL_CPU 1
#define DL_CUDA 2
#define DL_CUDA_HOST 3
#define DL_CUDA_MANAGED 13

#define DL_INT 0
#define DL_UINT 1
#define DL_FLOAT 2
#define DL_BOOL 6

typedef struct {
  int32_t device_type, device_id;
} DLDevice;

typedef struct {
  void *data;
  DLDevice device;
  int32_t ndim;
  struct {
    uint8_t code, bits;
    uint16_t lanes;
  } dtype;
  int64_t *shape, *strides; /* numbers; strides NULL: rows without gaps */
  uint64_t byte_offset;
} DLTensor;

typedef struct _DLManagedTensor DLManagedTensor;
struct _DLManagedTensor {
  DLTensor dl_tensor;
  void *manager_ctx;
  void (*deleter) (DLManagedTensor *self);
};
