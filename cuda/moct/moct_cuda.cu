/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CUDA backend's table, and the label map. */
#include "moct/moct_cuda.cuh"

/* One thread a pixel. */
static __global__ void
labels_kernel (const MoctWork w, uint16_t *out, size_t stride)
{
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  uint8_t c[3];

  if (x >= w.frame.width || y >= w.frame.height)
    return;
  image_read (&w.frame, x, y, c);
  ((uint16_t *) ((char *) out + y * stride))[x] =
      (uint16_t) moct_class (&w.table, moct_stored (c));
}

static const char *
labels (const Device *dev, const MoctWork *w, uint16_t *out, size_t stride)
{
  dim3 block (32, 8);
  dim3 grid (
      ceil_div (w->frame.width, block.x), ceil_div (w->frame.height, block.y));

  labels_kernel<<<grid, block, 0, device_stream (dev)>>> (*w, out, stride);
  CUDA_TRY (cudaGetLastError ());
  return NULL;
}

const MoctStages moct_stages_cuda = {moct_fused_cuda, moct_pyramid_cuda,
    moct_per_object_cuda, labels, moct_fused_release};
