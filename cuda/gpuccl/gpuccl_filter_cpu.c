/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The bilateral filter, of the foreground only, because no stage reads the
 * rest. */
#include "common/parallel.h"
#include "gpuccl/gpuccl_cpu.h"

#define SIDE (2 * BILATERAL_REACH + 1)

/* The neighbours with a weight. */
typedef struct {
  int n;
  struct {
    int dx, dy;
    ptrdiff_t offset; /* from the pixel's depth to the neighbour's */
    uint32_t weight;
  } at[SIDE * SIDE];
} Taps;

static Taps
filter_taps (const GpucclFrame *f)
{
  Taps taps = {0};

  for (int i = 0; i < SIDE * SIDE; i++) {
    int dx = i % SIDE - BILATERAL_REACH, dy = i / SIDE - BILATERAL_REACH;
    uint32_t weight = bilateral_space_weight (dx, dy);

    if (!weight)
      continue;
    taps.at[taps.n].dx = dx;
    taps.at[taps.n].dy = dy;
    taps.at[taps.n].offset = dy * (ptrdiff_t) (f->depth_stride / 2) + dx;
    taps.at[taps.n++].weight = weight;
  }
  return taps;
}

static bool
is_in_reach (const GpucclFrame *f, int x, int y)
{
  return x >= 0 && y >= 0 && x < f->width && y < f->height;
}

static void
smooth_pixel (const GpucclWork *w, const Taps *taps, int x, int y)
{
  const GpucclFrame *f = &w->frame;
  const uint16_t *z = gpuccl_depth_row (f, y) + x;
  size_t at = (size_t) y * f->width + x;
  bool all = is_in_reach (f, x - BILATERAL_REACH, y - BILATERAL_REACH) &&
      is_in_reach (f, x + BILATERAL_REACH, y + BILATERAL_REACH);
  BilateralMean mean = {0, 0};

  for (int i = 0; i < taps->n; i++)
    if (all || is_in_reach (f, x + taps->at[i].dx, y + taps->at[i].dy))
      bilateral_mean_add (
          &mean, w->range, taps->at[i].weight, *z, z[taps->at[i].offset]);
  w->smooth[at] = bilateral_mean_depth (&mean, *z, &w->fraction[at]);
}

typedef struct {
  const GpucclWork *w;
  Taps taps;
} Smoothing;

static void
smooth_depth_rows (void *data, int begin, int end)
{
  const Smoothing *s = data;
  const GpucclWork *w = s->w;
  const GpucclFrame *f = &w->frame;

  for (int y = begin; y < end; y++)
    for (int x = 0; x < f->width; x++)
      if (gpuccl_foreground_at (f, &w->values, x, y))
        smooth_pixel (w, &s->taps, x, y);
      else
        w->smooth[(size_t) y * f->width + x] = 0;
}

const char *
gpuccl_filter_cpu (const Device *dev, const GpucclWork *w)
{
  Smoothing s = {w, filter_taps (&w->frame)};

  (void) dev;
  parallel_for (w->frame.height, 8, smooth_depth_rows, &s);
  return NULL;
}
