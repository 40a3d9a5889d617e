/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rectification as loops.  A frame is made grey once, since each of its pixels
 * is read some 16 times. */
#include "pocstereo/pocstereo_picture_core.h"

/* Fewer rows than this, and threads cost more than they save. */
#define FEW 64

/* The constant kind lets the compiler take the choice out of the loop. */
static inline void
copy_row (const PocstereoGrey *g, PocstereoGreyKind kind, int y, uint16_t *to)
{
  PocstereoGrey row = *g;

  row.kind = kind;
  for (int x = 0; x < row.width; x++)
    to[x] = (uint16_t) pocstereo_grey_at (&row, x, y);
}

static void
copy (const PocstereoGrey *g, uint16_t *to, int stride)
{
#pragma omp parallel for schedule(static) if (g->height > FEW)
  for (int y = 0; y < g->height; y++) {
    uint16_t *row = to + (size_t) y * stride;

    if (g->kind == POCSTEREO_BYTES)
      copy_row (g, POCSTEREO_BYTES, y, row);
    else if (g->kind == POCSTEREO_WORDS)
      copy_row (g, POCSTEREO_WORDS, y, row);
    else
      copy_row (g, POCSTEREO_COLOURS, y, row);
  }
}

/* The same as pocstereo_grey_between (), quicker where no pixel is outside. */
static inline uint16_t
sample_plane (const PocstereoGrey *g, PocstereoPosition p)
{
  int x = (p.x >> POCSTEREO_MAP_BITS) - 1, y = (p.y >> POCSTEREO_MAP_BITS) - 1;
  const uint16_t *from;
  int samples[16];

  if (x < 0 || y < 0 || x > g->width - 4 || y > g->height - 4)
    return pocstereo_grey_between (g, p);
  from = (const uint16_t *) g->c[0] + (size_t) y * g->width + x;
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < 4; i++)
      samples[4 * k + i] = from[k * g->width + i];
  return pocstereo_weigh (samples, p);
}

static void
sample (const PocstereoRectifyWork *w, int view)
{
  PocstereoGrey g = pocstereo_grey_of_plane (w, view);

#pragma omp parallel for schedule(static) if (w->height > FEW)
  for (int y = 0; y < w->height; y++) {
    const PocstereoPosition *map = w->map[view] + (size_t) y * w->width;
    uint16_t *row = w->sample[view] + (size_t) y * w->stride;

    for (int x = 0; x < w->width; x++)
      row[x] = sample_plane (&g, map[x]);
  }
}

static const char *
run (const Device *dev, const PocstereoRectifyWork *w)
{
  (void) dev;
  for (int i = 0; i < 2; i++) {
    if (!w->map[i]) {
      copy (&w->grey[i], w->sample[i], w->stride);
      continue;
    }
    copy (&w->grey[i], w->plane[i], w->width);
    sample (w, i);
  }
  return NULL;
}

static const char *
picture (const Device *dev, const PocstereoPicture *p)
{
  (void) dev;
#pragma omp parallel for schedule(static) if (p->from.height > FEW)
  for (int y = 0; y < p->from.height; y++)
    for (int x = 0; x < p->from.width; x++)
      pocstereo_paint (p, x, y);
  return NULL;
}

const PocstereoRectifyStages pocstereo_rectify_stages_cpu = {run, picture};
