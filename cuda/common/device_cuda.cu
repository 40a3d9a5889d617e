/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CUDA device: the context that is current, one explicit stream.  Nothing
 * here selects a device or touches the primary context, because the caller's
 * context may be another one (GStreamer makes its own). */
#include "common/cuda.cuh"

static const char *
alloc (const Device *dev, void **p, size_t bytes)
{
  *p = NULL;
  CUDA_TRY (cudaMalloc (p, bytes ? bytes : 1));
  CUDA_TRY (cudaMemsetAsync (*p, 0, bytes, device_stream (dev)));
  return NULL;
}

static void
release (const Device *dev, void *p)
{
  (void) dev;
  cudaFree (p);
}

static const char *
alloc_pinned (const Device *dev, void **p, size_t bytes)
{
  (void) dev;
  *p = NULL;
  CUDA_TRY (cudaHostAlloc (
      p, bytes ? bytes : 1, cudaHostAllocPortable | cudaHostAllocMapped));
  memset (*p, 0, bytes);
  return NULL;
}

static void
release_pinned (const Device *dev, void *p)
{
  (void) dev;
  if (p)
    cudaFreeHost (p);
}

static const char *
copy (const Device *dev, void *dst, const void *src, size_t bytes)
{
  CUDA_TRY (cudaMemcpyAsync (
      dst, src, bytes, cudaMemcpyDefault, device_stream (dev)));
  return NULL;
}

static const char *
copy_rows (const Device *dev, void *dst, size_t dst_stride, const void *src,
    size_t src_stride, size_t row_bytes, size_t rows)
{
  CUDA_TRY (cudaMemcpy2DAsync (dst, dst_stride, src, src_stride, row_bytes,
      rows, cudaMemcpyDefault, device_stream (dev)));
  return NULL;
}

static const char *
clear (const Device *dev, void *p, size_t bytes)
{
  CUDA_TRY (cudaMemsetAsync (p, 0, bytes, device_stream (dev)));
  return NULL;
}

static const char *
wait (const Device *dev)
{
  CUDA_TRY (cudaStreamSynchronize (device_stream (dev)));
  return NULL;
}

static const DeviceOps cuda_ops = {
    alloc, release, alloc_pinned, release_pinned, copy, copy_rows, clear, wait};

extern "C" const char *
device_cuda_probe (void)
{
  int n = 0;

  CUDA_TRY (cudaGetDeviceCount (&n));
  return n > 0 ? NULL : "no CUDA device was found";
}

extern "C" const char *
device_cuda_open (Device *dev, void *stream)
{
  cudaStream_t own = NULL;

  if (!stream)
    CUDA_TRY (cudaStreamCreateWithFlags (&own, cudaStreamNonBlocking));
  *dev = Device{
      DEVICE_CUDA, &cuda_ops, stream ? stream : (void *) own, !stream, NULL};
  return NULL;
}

extern "C" void
device_cuda_close (Device *dev)
{
  if (dev->owns_stream)
    cudaStreamDestroy (device_stream (dev));
}

extern "C" const char *
device_cuda_follow (const Device *dev, void *stream)
{
  cudaEvent_t event;
  cudaError_t err;

  CUDA_TRY (cudaEventCreateWithFlags (&event, cudaEventDisableTiming));
  err = cudaEventRecord (event, (cudaStream_t) stream);
  if (err == cudaSuccess)
    err = cudaStreamWaitEvent (device_stream (dev), event, 0);
  cudaEventDestroy (event);
  CUDA_TRY (err);
  return NULL;
}

extern "C" const char *
device_cuda_timer_begin (const Device *dev, DeviceTimer *timer)
{
  if (!timer->begin)
    CUDA_TRY (cudaEventCreate ((cudaEvent_t *) &timer->begin));
  if (!timer->end)
    CUDA_TRY (cudaEventCreate ((cudaEvent_t *) &timer->end));
  CUDA_TRY (cudaEventRecord ((cudaEvent_t) timer->begin, device_stream (dev)));
  return NULL;
}

extern "C" bool
device_cuda_timer_mark (const Device *dev, DeviceTimer *timer)
{
  return cudaEventRecord ((cudaEvent_t) timer->end, device_stream (dev)) ==
      cudaSuccess;
}

extern "C" bool
device_cuda_timer_read (const DeviceTimer *timer, double *seconds)
{
  float ms = 0;

  if (cudaEventElapsedTime (&ms, (cudaEvent_t) timer->begin,
          (cudaEvent_t) timer->end) != cudaSuccess) {
    cudaGetLastError (); /* not ready is no error of what comes next */
    return false;
  }
  *seconds = ms / 1000.;
  return true;
}

extern "C" void
device_cuda_timer_free (DeviceTimer *timer)
{
  if (timer->begin)
    cudaEventDestroy ((cudaEvent_t) timer->begin);
  if (timer->end)
    cudaEventDestroy ((cudaEvent_t) timer->end);
}
