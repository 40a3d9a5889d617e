/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CPU device, and the choice between it and CUDA. */
#include "common/device.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static _Thread_local size_t noted; /* bytes */

void
out_of_memory_note (size_t bytes)
{
  noted = bytes;
}

size_t
out_of_memory_bytes (void)
{
  size_t bytes = noted;

  noted = 0;
  return bytes;
}

static const char *
alloc_cpu (const Device *dev, void **p, size_t bytes)
{
  (void) dev;
  *p = calloc (1, bytes ? bytes : 1);
  return *p ? NULL : "out of memory";
}

static void
release_cpu (const Device *dev, void *p)
{
  (void) dev;
  free (p);
}

static const char *
copy_cpu (const Device *dev, void *dst, const void *src, size_t bytes)
{
  (void) dev;
  memcpy (dst, src, bytes);
  return NULL;
}

static const char *
copy_rows_cpu (const Device *dev, void *dst, size_t dst_stride, const void *src,
    size_t src_stride, size_t row_bytes, size_t rows)
{
  (void) dev;
  for (size_t y = 0; y < rows; y++)
    memcpy ((char *) dst + y * dst_stride, (const char *) src + y * src_stride,
        row_bytes);
  return NULL;
}

static const char *
clear_cpu (const Device *dev, void *p, size_t bytes)
{
  (void) dev;
  memset (p, 0, bytes);
  return NULL;
}

static const char *
wait_cpu (const Device *dev)
{
  (void) dev;
  return NULL;
}

static const DeviceOps cpu_ops = {alloc_cpu, release_cpu, alloc_cpu,
    release_cpu, copy_cpu, copy_rows_cpu, clear_cpu, wait_cpu};

#ifdef HAVE_CUDA
const char *device_cuda_open (Device *dev, void *stream);
void device_cuda_close (Device *dev);
const char *device_cuda_follow (const Device *dev, void *stream);
const char *device_cuda_timer_begin (const Device *dev, DeviceTimer *timer);
bool device_cuda_timer_mark (const Device *dev, DeviceTimer *timer);
bool device_cuda_timer_read (const DeviceTimer *timer, double *seconds);
void device_cuda_timer_free (DeviceTimer *timer);
bool device_cuda_wait_words (const uint32_t *words, int n);
#else
const char *
device_cuda_probe (void)
{
  return "this build has no CUDA backend";
}

const char *
device_cuda_memory (const void *p, int *holder, int *current)
{
  (void) p;
  *holder = *current = -1;
  return device_cuda_probe ();
}
#endif

const Device *
device_host (void)
{
  static const Device host = {.kind = DEVICE_CPU, .ops = &cpu_ops};

  return &host;
}

const char *
device_open (Device *dev, DeviceKind kind, void *stream)
{
  *dev = (Device){.kind = DEVICE_CPU, .ops = &cpu_ops};
  if (kind == DEVICE_CPU)
    return NULL;
  TRY (device_cuda_probe ());
#ifdef HAVE_CUDA
  TRY (device_cuda_open (dev, stream));
#endif
  (void) stream;
  return NULL;
}

void
device_close (Device *dev)
{
#ifdef HAVE_CUDA
  if (dev->kind == DEVICE_CUDA)
    device_cuda_close (dev);
#endif
  *dev = (Device){.kind = DEVICE_CPU, .ops = &cpu_ops};
}

const char *
device_follow (const Device *dev, void *stream)
{
#ifdef HAVE_CUDA
  if (dev->kind == DEVICE_CUDA && stream != dev->stream)
    return device_cuda_follow (dev, stream);
#endif
  (void) dev;
  (void) stream;
  return NULL;
}

bool
device_wait_words (const Device *dev, const uint32_t *words, int n)
{
#ifdef HAVE_CUDA
  if (dev->kind == DEVICE_CUDA)
    return device_cuda_wait_words (words, n);
#endif
  (void) dev;
  (void) words;
  (void) n;
  return false;
}

static double
seconds_now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

const char *
device_timer_begin (const Device *dev, DeviceTimer *timer)
{
  timer->running = true;
  timer->has_end = false;
#ifdef HAVE_CUDA
  if (dev->kind == DEVICE_CUDA)
    return device_cuda_timer_begin (dev, timer);
#endif
  (void) dev;
  timer->start = seconds_now ();
  return NULL;
}

/* If the end cannot be set, the time is not measured; the next wait returns the
 * error of the device. */
void
device_timer_mark (const Device *dev, DeviceTimer *timer)
{
  if (!timer->running)
    return;
#ifdef HAVE_CUDA
  if (dev->kind == DEVICE_CUDA) {
    timer->has_end = device_cuda_timer_mark (dev, timer);
    return;
  }
#endif
  (void) dev;
  timer->stop = seconds_now ();
  timer->has_end = true;
}

void
device_timer_stop (const Device *dev, DeviceTimer *timer)
{
  if (!timer->has_end)
    device_timer_mark (dev, timer);
  timer->running = false;
}

bool
device_timer_read (const Device *dev, const DeviceTimer *timer, double *seconds)
{
  if (timer->running || !timer->has_end)
    return false;
#ifdef HAVE_CUDA
  if (dev->kind == DEVICE_CUDA)
    return device_cuda_timer_read (timer, seconds);
#endif
  (void) dev;
  *seconds = timer->stop - timer->start;
  return true;
}

const char *
device_timer_end (const Device *dev, DeviceTimer *timer, double *seconds)
{
  device_timer_stop (dev, timer);
  TRY (device_wait (dev));
  return device_timer_read (dev, timer, seconds)
      ? NULL
      : "the time that the device took could not be measured";
}

void
device_timer_free (DeviceTimer *timer)
{
#ifdef HAVE_CUDA
  device_cuda_timer_free (timer);
#endif
  *timer = (DeviceTimer){0};
}
