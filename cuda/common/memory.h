/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The memory that an algorithm holds on a device.  A list of pointers frees all
 * memory that it has given, and counts its bytes.
 *
 *    memory_open (&m, dev);
 *    TRY (memory_get (&m, &w->tiles, n));
 *    TRY (memory_get_pinned (&m, &w->result, 1));
 *    ...
 *    memory_free (&m);
 *
 * After an error, the list holds the memory that it gave before the error; the
 * other pointers stay NULL. */
#pragma once

#include "common/device.h"

C_BEGIN

/* A pointer to which the list has given memory. */
typedef struct {
  void **at;
  size_t bytes;
  bool pinned; /* host memory of device_alloc_pinned () */
} MemoryPiece;

typedef struct {
  const Device *device; /* NULL: the list only counts */
  MemoryPiece *pieces;
  int n, room;
  size_t bytes; /* of all pieces */
} DeviceMemory;

/* Makes an empty list.  @device must stay at its address until memory_free ().
 * If it is NULL, memory_get () counts bytes and gives none: so the same code
 * tells how many it needs. */
void memory_open (DeviceMemory *m, const Device *device);
/* Frees all memory of the list, and sets its pointers to NULL.  No work may use
 * the memory any more.  The list is then empty and can give again.  A list that
 * is all zeros is empty, too. */
void memory_free (DeviceMemory *m);

/* Sets the pointer @at, which must stay at its address, to @n times @size
 * bytes, all 0, of the host (@pinned) or of the device.  First frees the memory
 * that @at had from the list.  Error: the memory is exhausted. */
const char *memory_get_bytes (
    DeviceMemory *m, void **at, size_t n, size_t size, bool pinned);
/* Frees the memory that the list gave to @at, if any, and sets @at to NULL. */
void memory_release_at (DeviceMemory *m, void **at);

/* Set the pointer whose address is @p to @n items of its type, as
 * memory_get_bytes () does. */
#define memory_get(m, p, n) \
 memory_get_bytes (m, (void **) (p), n, sizeof **(p), false)
#define memory_get_pinned(m, p, n) \
 memory_get_bytes (m, (void **) (p), n, sizeof **(p), true)
#define memory_release(m, p) memory_release_at (m, (void **) (p))

C_END
