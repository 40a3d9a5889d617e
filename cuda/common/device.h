/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where work runs: the CPU, or one stream of one CUDA device.
 *
 * Errors, here and in every algorithm: a function that can fail returns NULL,
 * or a sentence that says what went wrong.  The sentence is static; nobody
 * frees it.  Nothing here prints or aborts.
 *
 * Order: copies, clears and kernels are queued on the stream in the order of
 * the calls and may still run when the call returns; device_wait () returns
 * when they are done.  On the CPU each call is done when it returns. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/both.h"

C_BEGIN

typedef enum { DEVICE_CPU, DEVICE_CUDA } DeviceKind;

typedef struct _Device Device;

/* What a device can do.  A table, so that a test can put a device in place
 * whose calls fail on demand. */
typedef struct {
  const char *(*alloc) (const Device *dev, void **p, size_t bytes);
  void (*release) (const Device *dev, void *p);
  const char *(*alloc_pinned) (const Device *dev, void **p, size_t bytes);
  void (*release_pinned) (const Device *dev, void *p);
  const char *(*copy) (
      const Device *dev, void *dst, const void *src, size_t bytes);
  const char *(*copy_rows) (const Device *dev, void *dst, size_t dst_stride,
      const void *src, size_t src_stride, size_t row_bytes, size_t rows);
  const char *(*clear) (const Device *dev, void *p, size_t bytes);
  const char *(*wait) (const Device *dev);
} DeviceOps;

/* Measures a stretch of work on the device's own clock: begin, stop and read as
 * often as wanted, then free. */
typedef struct {
  void *begin, *end;     /* cudaEvent_t */
  double start, stop;    /* on the CPU: seconds */
  bool running, has_end; /* has_end: end or stop is of this stretch */
} DeviceTimer;

struct _Device {
  DeviceKind kind;
  const DeviceOps *ops;
  void *stream;       /* a cudaStream_t; NULL on the CPU */
  bool owns_stream;   /* device_close () destroys the stream */
  void *done;         /* a cudaEvent_t by which a waiting thread sleeps */
  void *before;       /* a cudaEvent_t, of what device_follow () waits for */
  DeviceTimer *timer; /* device_wait () sets its end; may be NULL */
};

/* Opens @dev.  For CUDA, work goes to @stream (a cudaStream_t of the context
 * that is current), or to a new stream of that context where @stream is NULL;
 * the same context must be current in every later call. */
const char *device_open (Device *dev, DeviceKind kind, void *stream);
void device_close (Device *dev);

/* NULL where a CUDA device can be used, else why not. */
const char *device_cuda_probe (void);

/* Work queued from now on starts when what is queued on @stream, another
 * stream of the same context, is done.  The host does not wait. */
const char *device_follow (const Device *dev, void *stream);

/* Memory of the device, zeroed; NULL is a valid argument of release. */
static inline const char *
device_alloc (const Device *dev, void **p, size_t bytes)
{
  return dev->ops->alloc (dev, p, bytes);
}

static inline void
device_release (const Device *dev, void *p)
{
  dev->ops->release (dev, p);
}

/* Host memory, zeroed, that kernels may read and write too and that copies to
 * and from at full speed: for results and for staging. */
static inline const char *
device_alloc_pinned (const Device *dev, void **p, size_t bytes)
{
  return dev->ops->alloc_pinned (dev, p, bytes);
}

static inline void
device_release_pinned (const Device *dev, void *p)
{
  dev->ops->release_pinned (dev, p);
}

/* Queues a copy; either end may be host or device memory.  Host memory must
 * stay as it is until device_wait () returns. */
static inline const char *
device_copy (const Device *dev, void *dst, const void *src, size_t bytes)
{
  return dev->ops->copy (dev, dst, src, bytes);
}

/* The same for @rows rows of @row_bytes bytes, strides in bytes. */
static inline const char *
device_copy_rows (const Device *dev, void *dst, size_t dst_stride,
    const void *src, size_t src_stride, size_t row_bytes, size_t rows)
{
  return dev->ops->copy_rows (
      dev, dst, dst_stride, src, src_stride, row_bytes, rows);
}

/* Queues setting every byte to 0. */
static inline const char *
device_clear (const Device *dev, void *p, size_t bytes)
{
  return dev->ops->clear (dev, p, bytes);
}

/* A stretch that @timer measures lasts at least until here. */
void device_timer_mark (const Device *dev, DeviceTimer *timer);

static inline const char *
device_wait (const Device *dev)
{
  if (dev->timer)
    device_timer_mark (dev, dev->timer);
  return dev->ops->wait (dev);
}

/* Waits for kernels to set all of @n words of host memory that they can reach.
 * False where they take long: device_wait () then waits, and knows errors. */
bool device_wait_words (const Device *dev, const uint32_t *words, int n);

const char *device_timer_begin (const Device *dev, DeviceTimer *timer);
/* The stretch is over.  It ends at the last device_wait () since begin, or here
 * where there was none.  Neither call waits. */
void device_timer_stop (const Device *dev, DeviceTimer *timer);
/* How long it was; false while the device is still at it, or where nothing was
 * measured. */
bool device_timer_read (
    const Device *dev, const DeviceTimer *timer, double *seconds);
/* Stop, wait and read in one. */
const char *device_timer_end (
    const Device *dev, DeviceTimer *timer, double *seconds);
void device_timer_free (DeviceTimer *timer);

/* Passes an error on to the caller. */
#define TRY(call) \
 do { \
  const char *err_ = (call); \
  if (err_) \
   return err_; \
 } while (0)

/* The stage functions of an algorithm on a device.  The only place that asks
 * whether CUDA was compiled in. */
#ifdef HAVE_CUDA
# define STAGES(algo, dev) \
  ((dev)->kind == DEVICE_CUDA ? &algo##_stages_cuda : &algo##_stages_cpu)
#else
# define STAGES(algo, dev) ((void) (dev), &algo##_stages_cpu)
#endif

C_END
