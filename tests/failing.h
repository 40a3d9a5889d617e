/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A Device of the CPU whose calls fail on demand: the failing_at-th from
 * failing_reset () on and, where the device is lost, every one after it.  Any
 * threads may use any number of them, but they fail together. */
#pragma once

#include "common/device.h"

#define FAILING_MEMORY "out of memory"
#define FAILING_LOST "the device was lost"

static const DeviceOps *_Atomic failing_healthy; /* of the CPU */
static _Atomic int failing_at;                   /* 0: never */
static _Atomic int failing_calls;
static _Atomic int failing_blocks; /* allocated and not released */

static inline void
failing_reset (int at)
{
  failing_at = at;
  failing_calls = 0;
}

static inline bool
failing_now (bool allocates)
{
  int call = ++failing_calls;

  return failing_at && (allocates ? call == failing_at : call >= failing_at);
}

static const char *
failing_alloc (const Device *dev, void **p, size_t bytes)
{
  const char *err = failing_now (true) ? FAILING_MEMORY
                                       : failing_healthy->alloc (dev, p, bytes);

  failing_blocks += !err;
  return err;
}

static void
failing_release (const Device *dev, void *p)
{
  failing_blocks -= p != NULL;
  failing_healthy->release (dev, p);
}

static const char *
failing_copy (const Device *dev, void *dst, const void *src, size_t bytes)
{
  return failing_now (false) ? FAILING_LOST
                             : failing_healthy->copy (dev, dst, src, bytes);
}

static const char *
failing_copy_rows (const Device *dev, void *dst, size_t dst_stride,
    const void *src, size_t src_stride, size_t row_bytes, size_t rows)
{
  return failing_now (false) ? FAILING_LOST
                             : failing_healthy->copy_rows (dev, dst, dst_stride,
                                   src, src_stride, row_bytes, rows);
}

static const char *
failing_clear (const Device *dev, void *p, size_t bytes)
{
  return failing_now (false) ? FAILING_LOST
                             : failing_healthy->clear (dev, p, bytes);
}

static const char *
failing_wait (const Device *dev)
{
  return failing_now (false) ? FAILING_LOST : failing_healthy->wait (dev);
}

/* For open_device of the parents' classes, and for algorithms. */
static const char *
failing_open (Device *dev, DeviceKind kind, void *stream)
{
  static const DeviceOps ops = {failing_alloc, failing_release, failing_alloc,
      failing_release, failing_copy, failing_copy_rows, failing_clear,
      failing_wait};

  (void) kind;
  TRY (device_open (dev, DEVICE_CPU, stream));
  failing_healthy = dev->ops;
  dev->ops = &ops;
  return NULL;
}
