/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CUDA device: the context that is current, and one explicit stream.  This
 * file selects no device and does not touch the primary context, because the
 * caller's context may be another one (GStreamer makes its own). */
#include "common/cuda.cuh"

#include <time.h>

#include <atomic>

static const char *
alloc_cuda (const Device *dev, void **p, size_t bytes)
{
  *p = NULL;
  CUDA_TRY (cudaMalloc (p, bytes ? bytes : 1));
  CUDA_TRY (cudaMemsetAsync (*p, 0, bytes, device_stream (dev)));
  return NULL;
}

static void
release_cuda (const Device *dev, void *p)
{
  (void) dev;
  cudaFree (p);
}

static const char *
alloc_pinned_cuda (const Device *dev, void **p, size_t bytes)
{
  (void) dev;
  *p = NULL;
  CUDA_TRY (cudaHostAlloc (
      p, bytes ? bytes : 1, cudaHostAllocPortable | cudaHostAllocMapped));
  memset (*p, 0, bytes);
  return NULL;
}

static void
release_pinned_cuda (const Device *dev, void *p)
{
  (void) dev;
  if (p)
    cudaFreeHost (p);
}

static const char *
copy_cuda (const Device *dev, void *dst, const void *src, size_t bytes)
{
  CUDA_TRY (cudaMemcpyAsync (
      dst, src, bytes, cudaMemcpyDefault, device_stream (dev)));
  return NULL;
}

static const char *
copy_rows_cuda (const Device *dev, void *dst, size_t dst_stride,
    const void *src, size_t src_stride, size_t row_bytes, size_t rows)
{
  CUDA_TRY (cudaMemcpy2DAsync (dst, dst_stride, src, src_stride, row_bytes,
      rows, cudaMemcpyDefault, device_stream (dev)));
  return NULL;
}

static const char *
clear_cuda (const Device *dev, void *p, size_t bytes)
{
  CUDA_TRY (cudaMemsetAsync (p, 0, bytes, device_stream (dev)));
  return NULL;
}

/* Number of threads of this process that wait for a device. */
static std::atomic<int> waiting;

/* A thread that spins learns at once that the device is done.  A thread that
 * sleeps learns it 10 to 100 us later, and leaves the processor to other
 * threads.  A thread that waits alone therefore spins until the end; if several
 * wait, each spins for MOMENT seconds and then sleeps. */
#define MOMENT 30e-6
/* Seconds.  Words that a kernel has not written by then are never written, as
 * after a failure. */
#define PATIENCE 1e-3

static double
clock_seconds ()
{
  timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

/* Spins until @query says that the device is done or has failed.
 * cudaErrorNotReady: the thread should sleep. */
template <typename Query>
static cudaError_t
spin_until_done (Query query)
{
  double begin = clock_seconds ();
  cudaError_t err;

  waiting++;
  do
    err = query ();
  while (err == cudaErrorNotReady &&
      (waiting == 1 || clock_seconds () - begin < MOMENT));
  waiting--;
  return err;
}

static cudaError_t
sleep_until (cudaEvent_t event)
{
  cudaError_t err;

  waiting++;
  err = cudaEventSynchronize (event);
  waiting--;
  return err;
}

const char *
device_wait_event (cudaEvent_t event)
{
  cudaError_t err = spin_until_done ([=] { return cudaEventQuery (event); });

  CUDA_TRY (err == cudaErrorNotReady ? sleep_until (event) : err);
  return NULL;
}

static const char *
wait_cuda (const Device *dev)
{
  cudaStream_t stream = device_stream (dev);
  cudaError_t err = spin_until_done ([=] { return cudaStreamQuery (stream); });

  if (err == cudaErrorNotReady) {
    CUDA_TRY (cudaEventRecord ((cudaEvent_t) dev->done, stream));
    err = sleep_until ((cudaEvent_t) dev->done);
  }
  CUDA_TRY (err);
  return NULL;
}

extern "C" bool
device_cuda_wait_words (const uint32_t *words, int n)
{
  const volatile uint32_t *word = words;
  double begin = clock_seconds ();
  int seen = 0;

  spin_until_done ([&] {
    while (seen < n && word[seen])
      seen++;
    return seen < n && clock_seconds () - begin < PATIENCE ? cudaErrorNotReady
                                                           : cudaSuccess;
  });
  std::atomic_thread_fence (std::memory_order_acquire);
  return seen == n;
}

static const DeviceOps cuda_ops = {alloc_cuda, release_cuda, alloc_pinned_cuda,
    release_pinned_cuda, copy_cuda, copy_rows_cuda, clear_cuda, wait_cuda};

extern "C" const char *
device_cuda_probe (void)
{
  int n = 0;

  CUDA_TRY (cudaGetDeviceCount (&n));
  return n > 0 ? NULL : "no CUDA device was found";
}

extern "C" const char *
device_cuda_memory (const void *p, int *holder, int *current)
{
  cudaPointerAttributes attributes = {};

  TRY (device_cuda_probe ());
  CUDA_TRY (cudaGetDevice (current));
  CUDA_TRY (cudaPointerGetAttributes (&attributes, p));
  *holder = attributes.type == cudaMemoryTypeDevice ||
          attributes.type == cudaMemoryTypeManaged
      ? attributes.device
      : -1;
  return NULL;
}

extern "C" const char *
device_cuda_open (Device *dev, void *stream)
{
  cudaStream_t own = NULL;
  cudaEvent_t done = NULL, before = NULL;
  cudaError_t err;

  CUDA_TRY (cudaEventCreateWithFlags (
      &done, cudaEventBlockingSync | cudaEventDisableTiming));
  err = cudaEventCreateWithFlags (&before, cudaEventDisableTiming);
  if (err == cudaSuccess && !stream)
    err = cudaStreamCreateWithFlags (&own, cudaStreamNonBlocking);
  if (err != cudaSuccess) {
    if (before)
      cudaEventDestroy (before);
    cudaEventDestroy (done);
  }
  CUDA_TRY (err);
  *dev = Device{DEVICE_CUDA, &cuda_ops, stream ? stream : (void *) own, !stream,
      (void *) done, (void *) before, NULL};
  return NULL;
}

extern "C" void
device_cuda_close (Device *dev)
{
  if (dev->owns_stream)
    cudaStreamDestroy (device_stream (dev));
  cudaEventDestroy ((cudaEvent_t) dev->before);
  cudaEventDestroy ((cudaEvent_t) dev->done);
}

extern "C" const char *
device_cuda_follow (const Device *dev, void *stream)
{
  cudaEvent_t before = (cudaEvent_t) dev->before;

  CUDA_TRY (cudaEventRecord (before, (cudaStream_t) stream));
  CUDA_TRY (cudaStreamWaitEvent (device_stream (dev), before, 0));
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
    cudaGetLastError (); /* "not ready" must not be reported by the next call */
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
