/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From the pixel of a map to an index into the palette.  The only floats of the
 * overlay, and none whose rounding a compiler may choose: single operations,
 * the same on both backends. */
#pragma once

#include <string.h>

#include "overlay/overlay.h"

/* The state of a map's palette: index = (value - low) * gain. */
typedef struct {
  float low, high, gain;
  int32_t least, most; /* of this frame, as overlay_order () has them */
  uint32_t done;       /* blocks that have been through */
  int32_t frames;      /* 0: nothing to smooth with */
} OverlayRange;

/* A map as it is read. */
typedef struct {
  const uint8_t *pixels;
  int width, height, stride;
  OverlayFormat format;
  bool labels;
  float scale, offset;
  float invalid_value; /* NAN: none */
  uint32_t invalid_name;
  bool has_invalid;        /* of integers */
  uint32_t step_x, step_y; /* its pixels for a pixel of the frame, 16.16 */
} OverlayNumbers;

BOTH int
overlay_map_pixel_bytes (OverlayFormat f)
{
  return f == OVERLAY_U8 ? 1 : f == OVERLAY_U16 ? 2 : 4;
}

/* From the first pixel to the last, which need not fill its row. */
BOTH size_t
overlay_map_bytes (const OverlayMap *m)
{
  return (size_t) m->stride * (m->height - 1) +
      (size_t) m->width * overlay_map_pixel_bytes (m->format);
}

/* Floats in an order that integer atomics know. */
BOTH int32_t
overlay_order (float v)
{
  int32_t i;

  memcpy (&i, &v, sizeof i);
  return i < 0 ? i ^ 0x7fffffff : i;
}

BOTH float
overlay_unorder (int32_t i)
{
  float v;

  i = i < 0 ? i ^ 0x7fffffff : i;
  memcpy (&v, &i, sizeof v);
  return v;
}

/* The number of a map's pixel as it is stored: its value, and its name, which
 * is exact; false where it is invalid. */
BOTH bool
overlay_map_raw (
    const OverlayNumbers *m, int x, int y, float *v, uint32_t *name)
{
  const uint8_t *row = m->pixels + (size_t) y * m->stride;

  if (m->format == OVERLAY_F32) {
    *v = ((const float *) row)[x];
    *name = (uint32_t) overlay_order (*v);
    return *v - *v == 0 && *v != m->invalid_value;
  }
  *name = m->format == OVERLAY_U8 ? row[x]
      : m->format == OVERLAY_U16  ? ((const uint16_t *) row)[x]
                                  : ((const uint32_t *) row)[x];
  *v = (float) *name;
  return !m->has_invalid || *name != m->invalid_name;
}

BOTH bool
overlay_map_value (const OverlayNumbers *m, int x, int y, float *v)
{
  uint32_t name;

  if (!overlay_map_raw (m, x, y, v, &name))
    return false;
  *v = *v * m->scale + m->offset;
  return *v - *v == 0;
}

/* Knuth's multiplicative hash: neighbours end up far apart. */
BOTH int
overlay_hash (uint32_t key)
{
  return (int) ((key * 2654435769u) >> 24);
}

/* Index into the palette, -1 where the map is transparent. */
BOTH int
overlay_map_index (const OverlayNumbers *m, const OverlayRange *r, int x, int y)
{
  float v;
  uint32_t name;

  if (m->labels)
    return overlay_map_raw (m, x, y, &v, &name) ? overlay_hash (name) : -1;
  if (!overlay_map_value (m, x, y, &v))
    return -1;
  v = (v - r->low) * r->gain;
  return v > 0 ? v < 255 ? (int) (v + .5f) : 255 : 0;
}

/* The palette's range follows this frame's, an eighth of the way. */
BOTH void
overlay_range_settle (OverlayRange *r)
{
  if (r->least <= r->most) {
    float low = overlay_unorder (r->least), high = overlay_unorder (r->most);

    r->low = r->frames ? r->low + (low - r->low) * .125f : low;
    r->high = r->frames ? r->high + (high - r->high) * .125f : high;
    r->frames = 1;
  }
  r->gain = r->high - r->low > 0 ? 255 / (r->high - r->low) : 0;
  r->least = INT32_MAX;
  r->most = INT32_MIN;
  r->done = 0;
}
