/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Maps, on the host: what the stages need to know about them. */
#include "overlay/overlay_core.h"

#include <math.h>

OverlayNumbers
overlay_numbers (const OverlayMap *m, const void *pixels, const Image *frame)
{
  double invalid = m->invalid;

  return (OverlayNumbers){.pixels = pixels,
      .width = m->width,
      .height = m->height,
      .stride = m->stride,
      .format = m->format,
      .labels = m->labels,
      .rgb = m->rgb,
      .scale = m->scale,
      .offset = m->offset,
      .invalid_value = invalid,
      .has_invalid =
          invalid >= 0 && invalid <= UINT32_MAX && invalid == floor (invalid),
      .invalid_name = invalid >= 0 && invalid <= UINT32_MAX ? invalid : 0,
      .step_x = ((uint32_t) m->width << 16) / frame->width,
      .step_y = ((uint32_t) m->height << 16) / frame->height};
}

bool
overlay_range_given (const OverlayMap *m)
{
  return isfinite (m->low) && isfinite (m->high) && m->low != m->high;
}

bool
overlay_range_begin (
    OverlayRange *range, OverlayMap *followed, const OverlayMap *m)
{
  bool given = overlay_range_given (m);
  bool same = followed->pixels && followed->width == m->width &&
      followed->height == m->height && followed->format == m->format &&
      followed->labels == m->labels && followed->rgb == m->rgb;

  *range = (OverlayRange){.min_order = INT32_MAX, .max_order = INT32_MIN};
  *followed = *m;
  if (given) {
    range->low = m->low;
    range->gain = 255 / (m->high - m->low);
    followed->pixels = NULL;
  }
  return given || !same;
}
