/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "moct/moct_work.h"

#include "moct/moct_pyramid.h"

/* Releases @p, of device memory, and gets @n times @size bytes in its place. */
static const char *
renew (const Device *dev, void **p, size_t n, size_t size)
{
  device_release (dev, *p);
  *p = NULL;
  return device_alloc (dev, p, n * size);
}

#define RENEW(p, n) TRY (renew (dev, (void **) &(p), n, sizeof *(p)))

const char *
moct_work_grow (MoctWork *w, const Device *dev, int max)
{
  size_t n = (size_t) moct_n_slots (w) + max;
  size_t blobs = n > MOCT_MAX_COLOURS ? n : MOCT_MAX_COLOURS;

  RENEW (w->fragments, n);
  RENEW (w->parents, n);
  RENEW (w->sums, n);
  RENEW (w->roots, n);
  RENEW (w->overflow, max);
  device_release_pinned (dev, w->result);
  w->result = NULL;
  TRY (device_alloc_pinned (dev, (void **) &w->result,
      sizeof *w->result + blobs * sizeof w->result->blobs[0]));
  w->max_overflow = max;
  return NULL;
}

const char *
moct_work_open (MoctWork *w, const Device *dev, int width, int height)
{
  size_t tiles;

  w->tiles_x = (width + MOCT_TILE - 1) / MOCT_TILE;
  w->tiles_y = (height + MOCT_TILE - 1) / MOCT_TILE;
  tiles = (size_t) w->tiles_x * w->tiles_y;
  RENEW (w->tiles, tiles);
  RENEW (w->colour_sums, MOCT_MAX_COLOURS);
  RENEW (w->counters, MOCT_N_COUNTERS);
  RENEW (w->windows, MOCT_MAX_COLOURS);
  return moct_work_grow (w, dev, (int) tiles);
}

const char *
moct_work_grow_texels (MoctWork *w, const Device *dev, MoctMethod method)
{
  size_t n = method == MOCT_PYRAMID ? moct_pyramid_texels (w)
      : method == MOCT_PER_OBJECT   ? moct_per_object_texels (w)
                                    : 0;

  if (n <= w->max_texels)
    return NULL;
  w->max_texels = 0;
  RENEW (w->texels, n);
  w->max_texels = n;
  return NULL;
}

void
moct_work_close (MoctWork *w, const Device *dev)
{
  device_release (dev, w->tiles);
  device_release (dev, w->colour_sums);
  device_release (dev, w->counters);
  device_release (dev, w->windows);
  device_release (dev, w->fragments);
  device_release (dev, w->parents);
  device_release (dev, w->sums);
  device_release (dev, w->roots);
  device_release (dev, w->overflow);
  device_release (dev, w->texels);
  device_release_pinned (dev, w->result);
}
