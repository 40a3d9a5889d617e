/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The memory of a device that an algorithm holds: a list of pointers, which
 * frees what it gave and knows how much that is.
 *
 *     memory_open (&m, dev);
 *     TRY (memory_get (&m, &w->tiles, n));
 *     TRY (memory_get_pinned (&m, &w->result, 1));
 *     ...
 *     memory_free (&m);
 *
 * An error on the way leaves what was given before in the list, and the
 * pointers that were not reached as they were: NULL. */
#pragma once

#include "common/device.h"

C_BEGIN

/* A pointer that was given memory. */
typedef struct {
  void **at;
  size_t bytes;
  bool pinned;
} MemoryPiece;

typedef struct {
  const Device *device; /* NULL: nothing is given, all is counted */
  MemoryPiece *pieces;
  int n, room;
  size_t bytes; /* of all pieces */
} DeviceMemory;

/* @device stays where it is until memory_free ().  NULL: memory_get () counts
 * bytes and gives none, so that the same code says how much it would take. */
void memory_open (DeviceMemory *m, const Device *device);
/* Releases all memory in the list and sets its pointers to NULL; more can be
 * got then.  Whoever may still use it must be done.  A list that is all zeros
 * is empty. */
void memory_free (DeviceMemory *m);

/* Gives @at, a pointer that stays where it is, @n times @size bytes, zeroed;
 * what it was given before is released first. */
const char *memory_get_bytes (
    DeviceMemory *m, void **at, size_t n, size_t size, bool pinned);
/* Releases what @at was given before the end, if it was given anything. */
void memory_release_at (DeviceMemory *m, void **at);

/* The same for @p, the address of a pointer, and @n of what it points to. */
#define memory_get(m, p, n) \
 memory_get_bytes (m, (void **) (p), n, sizeof **(p), false)
#define memory_get_pinned(m, p, n) \
 memory_get_bytes (m, (void **) (p), n, sizeof **(p), true)
#define memory_release(m, p) memory_release_at (m, (void **) (p))

C_END
