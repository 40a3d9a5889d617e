/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A device runs the work: it is the CPU, or one stream of one CUDA device.
 *
 * Errors, here and in all algorithms: a function that can fail returns NULL if
 * it succeeds, else a sentence that names the cause.  The sentence is static;
 * nobody frees it.  No function prints or aborts.
 *
 * Order: a call puts its copy, clear or kernel at the end of the stream, and
 * may return before the GPU has done it.  device_wait () returns when all is
 * done.  On the CPU, all is done when the call returns. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/both.h"

C_BEGIN

typedef enum { DEVICE_CPU, DEVICE_CUDA } DeviceKind;

typedef struct _Device Device;

/* The functions of a device, which the functions below call.  A test replaces
 * the table by one whose functions fail on demand. */
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

/* Measures the time of some work by the device's own clock.  Begin with a
 * timer that is all zeros; begin, stop and read it any number of times; then
 * free it. */
typedef struct {
  void *begin, *end;     /* cudaEvent_t */
  double start, stop;    /* on the CPU, seconds */
  bool running, has_end; /* has_end: this measurement has set end or stop */
} DeviceTimer;

struct _Device {
  DeviceKind kind;
  const DeviceOps *ops;
  void *stream;       /* cudaStream_t; NULL on the CPU */
  bool owns_stream;   /* device_close () destroys the stream */
  void *done;         /* cudaEvent_t on which a waiting thread sleeps */
  void *before;       /* cudaEvent_t of the stream that device_follow ()
                         follows */
  DeviceTimer *timer; /* device_wait () sets its end; NULL: none */
};

/* Opens @dev.  A CUDA device sends its work to @stream, a cudaStream_t of the
 * current context; if @stream is NULL, it makes a stream of that context.  The
 * same context must be current in all later calls.  Error: CUDA refuses the
 * stream, or the program was built without CUDA. */
const char *device_open (Device *dev, DeviceKind kind, void *stream);
/* Closes @dev, and destroys the stream if device_open () made it. */
void device_close (Device *dev);
/* The CPU as a device, for memory of the host. */
const Device *device_host (void);

/* Returns NULL if the machine has a usable CUDA device, else the reason why
 * not. */
const char *device_cuda_probe (void);

/* Sets @holder to the number of the CUDA device whose memory @p is, -1 for
 * none, and @current to that of the device that is current. */
const char *device_cuda_memory (const void *p, int *holder, int *current);

/* Work that is queued from now on starts when all work on @stream, another
 * stream (cudaStream_t) of the same context, is done.  The host does not
 * wait. */
const char *device_follow (const Device *dev, void *stream);

/* Notes that this thread could not have @bytes bytes, as device_alloc () and
 * device_alloc_pinned () do. */
void out_of_memory_note (size_t bytes);
/* The bytes that this thread noted last, which it then forgets; 0: none. */
size_t out_of_memory_bytes (void);
/* The sentence of an allocation of @bytes bytes that failed; @of: "", or what
 * they were for, " for the image". */
#define OUT_OF_MEMORY(bytes, of) \
 (out_of_memory_note (bytes), "out of memory" of)

/* Sets @p to @bytes bytes of memory of the device, all 0.  Error: the memory is
 * exhausted. */
static inline const char *
device_alloc (const Device *dev, void **p, size_t bytes)
{
  const char *err = dev->ops->alloc (dev, p, bytes);

  if (err)
    out_of_memory_note (bytes);
  return err;
}

/* Frees memory of device_alloc ().  @p may be NULL. */
static inline void
device_release (const Device *dev, void *p)
{
  dev->ops->release (dev, p);
}

/* Sets @p to @bytes bytes of host memory, all 0, which kernels can read and
 * write, too.  Copies from and to it run at full speed.  Error: the memory is
 * exhausted. */
static inline const char *
device_alloc_pinned (const Device *dev, void **p, size_t bytes)
{
  const char *err = dev->ops->alloc_pinned (dev, p, bytes);

  if (err)
    out_of_memory_note (bytes);
  return err;
}

/* Frees memory of device_alloc_pinned ().  @p may be NULL. */
static inline void
device_release_pinned (const Device *dev, void *p)
{
  dev->ops->release_pinned (dev, p);
}

/* Queues a copy of @bytes bytes.  @dst and @src may be memory of the host or of
 * the device.  The caller keeps host memory unchanged until device_wait ()
 * returns. */
static inline const char *
device_copy (const Device *dev, void *dst, const void *src, size_t bytes)
{
  return dev->ops->copy (dev, dst, src, bytes);
}

/* Queues a copy of @rows rows of @row_bytes bytes each; strides are in
 * bytes. */
static inline const char *
device_copy_rows (const Device *dev, void *dst, size_t dst_stride,
    const void *src, size_t src_stride, size_t row_bytes, size_t rows)
{
  return dev->ops->copy_rows (
      dev, dst, dst_stride, src, src_stride, row_bytes, rows);
}

/* Queues a task that sets @bytes bytes to 0. */
static inline const char *
device_clear (const Device *dev, void *p, size_t bytes)
{
  return dev->ops->clear (dev, p, bytes);
}

/* Marks a point up to which the work that @timer measures lasts at least. */
void device_timer_mark (const Device *dev, DeviceTimer *timer);

/* Waits until all queued work is done.  Error: a part of that work has
 * failed. */
static inline const char *
device_wait (const Device *dev)
{
  if (dev->timer)
    device_timer_mark (dev, dev->timer);
  return dev->ops->wait (dev);
}

/* Waits until kernels have set all @n words of @words, pinned host memory, to
 * other values than 0.  Returns false if this takes long, and always on the
 * CPU: the caller then calls device_wait (), which reports errors. */
bool device_wait_words (const Device *dev, const uint32_t *words, int n);

/* The measured work begins with the task that is queued next.  The call does
 * not wait.  Error: CUDA makes no events. */
const char *device_timer_begin (const Device *dev, DeviceTimer *timer);
/* The measured work ends at the last device_wait () since device_timer_begin ()
 * or, without one, here.  The call does not wait. */
void device_timer_stop (const Device *dev, DeviceTimer *timer);
/* Sets @seconds to the time of the measured work.  Returns false if the device
 * has not finished it, or if nothing was measured. */
bool device_timer_read (
    const Device *dev, const DeviceTimer *timer, double *seconds);
/* Stops the timer, waits, and sets @seconds to the time of the work. */
const char *device_timer_end (
    const Device *dev, DeviceTimer *timer, double *seconds);
/* Frees what @timer holds, and sets it to zeros. */
void device_timer_free (DeviceTimer *timer);

/* Returns the error of @call, if it has one, to the caller. */
#define TRY(call) \
 do { \
  const char *err_ = (call); \
  if (err_) \
   return err_; \
 } while (0)

/* The table of stages of algorithm @algo for @dev.  No other place asks whether
 * the program was built with CUDA. */
#ifdef HAVE_CUDA
# define STAGES(algo, dev) \
  ((dev)->kind == DEVICE_CUDA ? &algo##_stages_cuda : &algo##_stages_cpu)
#else
# define STAGES(algo, dev) ((void) (dev), &algo##_stages_cpu)
#endif

C_END
