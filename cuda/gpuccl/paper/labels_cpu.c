/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs from given labels, so that the components of the paper's algorithms and
 * of the window are measured in the same way as runs. */
#include <string.h>

#include "gpuccl/gpuccl_cpu.h"

void
gpuccl_read_label_bits_cpu (const GpucclWork *w)
{
  const GpucclCpu *c = w->state;

  for (int y = 0; y < w->frame.height; y++) {
    const uint32_t *labels = w->labels + (size_t) y * w->frame.width;
    uint64_t *foreground = gpuccl_bits (c, GPUCCL_FOREGROUND, y);
    uint64_t *left = gpuccl_bits (c, GPUCCL_LEFT, y);

    memset (foreground, 0, c->words * sizeof *foreground);
    memset (left, 0, c->words * sizeof *left);
    for (int x = 0; x < w->frame.width; x++) {
      uint64_t bit = (uint64_t) 1 << x % 64;

      if (labels[x])
        foreground[x / 64] |= bit;
      if (labels[x] && x && labels[x - 1] == labels[x])
        left[x / 64] |= bit;
    }
  }
}

/* The pixel that a label names is the first of its component's first run. */
void
gpuccl_join_by_labels_cpu (const GpucclWork *w)
{
  const GpucclCpu *c = w->state;

  for (int y = 0; y < w->frame.height; y++)
    for (uint32_t r = c->first[y]; r < c->first[y + 1]; r++) {
      uint32_t at = (uint32_t) (y * w->frame.width + c->runs[r].x0);
      uint32_t first = w->labels[at] - 1;

      if (first == at)
        w->scratch[at] = r;
      c->parents[r] = w->scratch[first];
    }
}
