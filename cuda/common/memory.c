/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/memory.h"

#include <stdint.h>
#include <stdlib.h>

void
memory_open (DeviceMemory *m, const Device *device)
{
  *m = (DeviceMemory){.device = device};
}

static void
release_piece (DeviceMemory *m, const MemoryPiece *piece)
{
  m->bytes -= piece->bytes;
  if (m->device && piece->pinned)
    device_release_pinned (m->device, *piece->at);
  else if (m->device)
    device_release (m->device, *piece->at);
  *piece->at = NULL;
}

void
memory_free (DeviceMemory *m)
{
  while (m->n)
    release_piece (m, &m->pieces[--m->n]);
  free (m->pieces);
  m->pieces = NULL;
  m->room = 0;
}

void
memory_release_at (DeviceMemory *m, void **at)
{
  for (int i = 0; i < m->n; i++)
    if (m->pieces[i].at == at) {
      release_piece (m, &m->pieces[i]);
      m->pieces[i] = m->pieces[--m->n];
      return;
    }
}

/* Makes room for one more piece in the list. */
static const char *
make_list_room (DeviceMemory *m)
{
  int room = m->room ? 2 * m->room : 16;
  MemoryPiece *pieces;

  if (m->n < m->room)
    return NULL;
  pieces = realloc (m->pieces, (size_t) room * sizeof *pieces);
  if (!pieces)
    return OUT_OF_MEMORY ((size_t) room * sizeof *pieces, "");
  m->pieces = pieces;
  m->room = room;
  return NULL;
}

const char *
memory_get_bytes (
    DeviceMemory *m, void **at, size_t n, size_t size, bool pinned)
{
  memory_release_at (m, at);
  *at = NULL;
  if (size && n > SIZE_MAX / size)
    return OUT_OF_MEMORY (SIZE_MAX, "");
  TRY (make_list_room (m));
  if (m->device && pinned)
    TRY (device_alloc_pinned (m->device, at, n * size));
  else if (m->device)
    TRY (device_alloc (m->device, at, n * size));
  m->pieces[m->n++] = (MemoryPiece){at, n * size, pinned};
  m->bytes += n * size;
  return NULL;
}
