/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "moct/moct_memory.h"

const char *
moct_memory_grow (MoctWork *w, DeviceMemory *memory, int max)
{
  size_t n = (size_t) moct_n_slots (w) + max;
  size_t blobs = n > MOCT_MAX_COLOURS ? n : MOCT_MAX_COLOURS;

  memory_release (memory, &w->result); /* NULL until the rest has memory */
  TRY (memory_get (memory, &w->fragments, n));
  TRY (memory_get (memory, &w->parents, n));
  TRY (memory_get (memory, &w->sums, n));
  TRY (memory_get (memory, &w->parts, n));
  TRY (memory_get (memory, &w->overflow, max));
  TRY (memory_get_bytes (memory, (void **) &w->result, 1,
      sizeof *w->result + blobs * sizeof w->result->blobs[0], true));
  w->max_overflow = max;
  return NULL;
}

const char *
moct_memory_open (MoctWork *w, DeviceMemory *memory, int width, int height)
{
  size_t tiles;

  w->tiles_x = (width + MOCT_TILE - 1) / MOCT_TILE;
  w->tiles_y = (height + MOCT_TILE - 1) / MOCT_TILE;
  tiles = (size_t) w->tiles_x * w->tiles_y;
  TRY (memory_get (memory, &w->tiles, tiles));
  TRY (memory_get (memory, &w->colour_sums, MOCT_MAX_COLOURS));
  TRY (memory_get (memory, &w->counters, MOCT_N_COUNTERS));
  TRY (memory_get (memory, &w->share, 1));
  TRY (memory_get (memory, &w->windows, MOCT_MAX_COLOURS));
  return moct_memory_grow (w, memory, (int) tiles);
}

const char *
moct_memory_grow_words (MoctWork *w, DeviceMemory *memory)
{
  size_t n = (size_t) w->n_colours * moct_n_words (w);

  if (memory->device->kind == DEVICE_CPU || !w->blobs || n <= w->max_words)
    return NULL;
  w->max_words = 0;
  TRY (memory_get (memory, &w->bits, n));
  TRY (memory_get (memory, &w->before, 3 * n));
  w->max_words = n;
  return NULL;
}

const char *
moct_memory_grow_texels (MoctWork *w, DeviceMemory *memory, MoctMethod method)
{
  size_t n = moct_texels (w, method);

  if (n <= w->max_texels)
    return NULL;
  w->max_texels = 0;
  TRY (memory_get (memory, &w->texels, n));
  w->max_texels = n;
  return NULL;
}
