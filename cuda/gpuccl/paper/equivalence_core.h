/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Label equivalence of one pixel (sections 3.1 and 3.2).  A label is 1 + the
 * number of a pixel, y width + x; 0 is the background. */
#pragma once

#include "gpuccl/gpuccl_core.h"

/* Follows the references in @list to the label that refers to itself. */
BOTH uint32_t
gpuccl_root (const uint32_t *list, uint32_t label)
{
  while (list[label - 1] != label)
    label = list[label - 1];
  return label;
}

/* The first label of pixel (x, y). */
BOTH uint32_t
gpuccl_first_label (const GpucclWork *w, int x, int y)
{
  return gpuccl_foreground_at (&w->frame, &w->values, x, y)
      ? (uint32_t) (y * w->frame.width + x + 1)
      : 0;
}

/* Whether neighbour (u, v) is in @box and linked to foreground pixel (x, y).
 * Sets @label to its label. */
BOTH bool
gpuccl_neighbour (const GpucclWork *w, const uint32_t *labels, ImageBox box,
    int x, int y, int u, int v, uint32_t *label)
{
  if (u < box.x0 || v < box.y0 || u >= box.x1 || v >= box.y1)
    return false;
  *label = labels[(size_t) v * w->frame.width + u];
  return *label && gpuccl_linked_at (w, x, y, u, v);
}

/* The lowest label of foreground pixel (x, y) and its neighbours in @box. */
BOTH uint32_t
gpuccl_min_label (
    const GpucclWork *w, const uint32_t *labels, ImageBox box, int x, int y)
{
  uint32_t min = labels[(size_t) y * w->frame.width + x], label;

  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      if ((w->connectivity == 8 || !dx || !dy) &&
          gpuccl_neighbour (w, labels, box, x, y, x + dx, y + dy, &label))
        GPUCCL_LOWER (min, label);
  return min;
}
