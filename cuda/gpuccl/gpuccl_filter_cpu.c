/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The bilateral filter, of the foreground only: nobody asks for the rest. */
#include "gpuccl/gpuccl_cpu.h"
#include "gpuccl/gpuccl_filter.h"

static void
smooth_at (const GpucclWork *w, int x, int y)
{
  size_t at = (size_t) y * w->frame.width + x;
  const GpucclFrame *f = &w->frame;
  uint32_t z = gpuccl_depth_row (f, y)[x];
  GpucclMean mean = {0, 0};

  for (int dy = -GPUCCL_REACH; dy <= GPUCCL_REACH; dy++) {
    const uint16_t *row;

    if (y + dy < 0 || y + dy >= f->height)
      continue;
    row = gpuccl_depth_row (f, y + dy);
    for (int dx = -GPUCCL_REACH; dx <= GPUCCL_REACH; dx++) {
      uint32_t space = gpuccl_space_weight (dx, dy);

      if (space && x + dx >= 0 && x + dx < f->width)
        gpuccl_mean_add (&mean, w->range, space, z, row[x + dx]);
    }
  }
  w->smooth[at] = gpuccl_mean_depth (&mean, z, &w->fraction[at]);
}

const char *
gpuccl_filter_cpu (const Device *dev, const GpucclWork *w)
{
  const GpucclFrame *f = &w->frame;

  (void) dev;
#pragma omp parallel for schedule(dynamic, 8)
  for (int y = 0; y < f->height; y++)
    for (int x = 0; x < f->width; x++)
      if (gpuccl_foreground_at (f, &w->values, x, y))
        smooth_at (w, x, y);
      else
        w->smooth[(size_t) y * f->width + x] = 0;
  return NULL;
}
