/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Stages of gpuccl one by one, without the order that gpuccl.c gives them: to
 * be timed alone, and for what no param chooses. */
#pragma once

#include "check.h"
#include "gpuccl/gpuccl_core.h"

/* `--bench`, of gpuccl_bench.c. */
int gpuccl_bench (int argc, char **argv);

#define BARE_SUMS 1024

typedef struct {
  const Device *dev;
  const GpucclStages *stages;
  GpucclWork work;
  uint8_t *range;
} Bare;

static inline void
bare_open (Bare *b, const Device *dev, int width, int height, double scale)
{
  size_t pixels = (size_t) width * height;
  uint8_t range[BILATERAL_RANGE];
  GpucclWork *w = &b->work;

  *b = (Bare){.dev = dev, .stages = STAGES (gpuccl, dev)};
  w->frame.width = width;
  w->frame.height = height;
  w->max_sums = BARE_SUMS;
  bilateral_set_range (range, scale);
  ok (device_alloc (dev, (void **) &w->labels, pixels * sizeof *w->labels));
  ok (device_alloc (dev, (void **) &w->scratch, pixels * sizeof *w->scratch));
  ok (device_alloc (dev, (void **) &w->smooth, pixels * sizeof *w->smooth));
  ok (device_alloc (dev, (void **) &w->fraction, pixels));
  ok (device_alloc (dev, (void **) &b->range, sizeof range));
  ok (device_alloc_pinned (dev, (void **) &w->result,
      sizeof *w->result + BARE_SUMS * sizeof w->result->sums[0]));
  ok (device_copy (dev, b->range, range, sizeof range));
  ok (device_wait (dev));
  w->range = b->range;
  ok (b->stages->open (dev, w));
}

static inline void
bare_close (Bare *b)
{
  GpucclWork *w = &b->work;

  ok (device_wait (b->dev));
  b->stages->close (b->dev, w);
  device_release (b->dev, w->labels);
  device_release (b->dev, w->scratch);
  device_release (b->dev, w->smooth);
  device_release (b->dev, w->fraction);
  device_release (b->dev, b->range);
  device_release_pinned (b->dev, w->result);
}
