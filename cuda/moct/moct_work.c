/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "moct/moct_work.h"

const char *
moct_work_grow (MoctWork *w, const Device *dev, int max)
{
  size_t n = (size_t) moct_n_slots (w) + max;
  size_t blobs = n > MOCT_MAX_COLOURS ? n : MOCT_MAX_COLOURS;

  device_release_pinned (dev, w->result);
  w->result = NULL; /* unless all of the rest is there */
  DEVICE_RENEW (dev, w->fragments, n);
  DEVICE_RENEW (dev, w->parents, n);
  DEVICE_RENEW (dev, w->sums, n);
  DEVICE_RENEW (dev, w->parts, n);
  DEVICE_RENEW (dev, w->overflow, max);
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
  DEVICE_RENEW (dev, w->tiles, tiles);
  DEVICE_RENEW (dev, w->colour_sums, MOCT_MAX_COLOURS);
  DEVICE_RENEW (dev, w->counters, MOCT_N_COUNTERS);
  DEVICE_RENEW (dev, w->share, 1);
  DEVICE_RENEW (dev, w->windows, MOCT_MAX_COLOURS);
  return moct_work_grow (w, dev, (int) tiles);
}

const char *
moct_work_grow_words (MoctWork *w, const Device *dev)
{
  size_t n = (size_t) w->n_colours * moct_n_words (w);

  if (dev->kind == DEVICE_CPU || !w->blobs || n <= w->max_words)
    return NULL;
  w->max_words = 0;
  DEVICE_RENEW (dev, w->bits, n);
  DEVICE_RENEW (dev, w->before, 3 * n);
  w->max_words = n;
  return NULL;
}

const char *
moct_work_grow_texels (MoctWork *w, const Device *dev, MoctMethod method)
{
  size_t n = moct_texels (w, method);

  if (n <= w->max_texels)
    return NULL;
  w->max_texels = 0;
  DEVICE_RENEW (dev, w->texels, n);
  w->max_texels = n;
  return NULL;
}

void
moct_work_close (MoctWork *w, const Device *dev)
{
  device_release (dev, w->tiles);
  device_release (dev, w->colour_sums);
  device_release (dev, w->counters);
  device_release (dev, w->share);
  device_release (dev, w->windows);
  device_release (dev, w->fragments);
  device_release (dev, w->parents);
  device_release (dev, w->sums);
  device_release (dev, w->parts);
  device_release (dev, w->bits);
  device_release (dev, w->before);
  device_release (dev, w->overflow);
  device_release (dev, w->texels);
  device_release_pinned (dev, w->result);
}
