/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How much of a pixel a shape covers.  Integers throughout. */
#pragma once

#include <math.h>

#include "common/image.h"

/* Half-open, inside the frame. */
typedef struct {
  int16_t x0, y0, x1, y1;
} OverlayBox;

/* A rounded box at any angle: lines and dots are such boxes too.  Lengths in
 * 1/256 pixel. */
typedef struct {
  int32_t x, y;           /* its centre */
  int32_t ux, uy;         /* the unit vector along it, 16.16 */
  int32_t half_u, half_v; /* half its length along and across */
  int32_t radius;         /* of its corners */
  int32_t rim;            /* only this much inside its edge is drawn; 0: all */
  int32_t on, period;     /* dashes along it; period 0: none */
} OverlayBar;

/* What is added to a frame position to have one in the atlas. */
typedef struct {
  int32_t dx, dy;
} OverlayGlyph;

/* A level of the image's pyramid, scaled. */
typedef struct {
  int32_t x, y, width, height; /* where in the frame */
  int32_t first, across, down; /* its first texel; its size */
  int32_t step_x, step_y;      /* texels a pixel, 16.16 */
} OverlaySprite;

typedef struct {
  OverlayBox box; /* beyond it nothing is drawn */
  uint8_t fade;
  union {
    OverlayBar bar;
    OverlayGlyph glyph;
    OverlaySprite sprite;
  } of;
} OverlayShape;

BOTH int
overlay_min (int a, int b)
{
  return a < b ? a : b;
}

BOTH int
overlay_max (int a, int b)
{
  return a > b ? a : b;
}

BOTH bool
overlay_meets (const OverlayBox *b, int x0, int y0, int x1, int y1)
{
  return b->x0 < x1 && x0 < b->x1 && b->y0 < y1 && y0 < b->y1;
}

/* The square root, rounded down, of at most 2^31; what the float's rounding
 * leaves is put right, so it is exact. */
BOTH int
overlay_sqrt (uint32_t v)
{
  uint32_t root = (uint32_t) sqrtf ((float) v);

  while (root * root > v)
    root--;
  while ((root + 1) * (root + 1) <= v)
    root++;
  return (int) root;
}

/* Coverage by the distance of the pixel's centre from the shape's edge, which
 * is exact for edges along rows and columns. */
BOTH int
overlay_bar_cover (const OverlayBar *b, int x, int y)
{
  int dx = 256 * x - b->x, dy = 256 * y - b->y;
  int along = (int) (((int64_t) dx * b->ux + (int64_t) dy * b->uy) >> 16);
  int across = (int) (((int64_t) dy * b->ux - (int64_t) dx * b->uy) >> 16);
  int u = (along < 0 ? -along : along) - b->half_u + b->radius;
  int v = (across < 0 ? -across : across) - b->half_v + b->radius;
  int d = overlay_max (u, v);

  if (u > 0 && v > 0 && d < 1 << 15)
    d = overlay_sqrt ((uint32_t) (u * u) + (uint32_t) (v * v));
  d -= b->radius;
  if (b->rim)
    d = overlay_max (d, -d - b->rim);
  if (b->period) {
    int m = (along + b->half_u) % b->period;

    m = m < 0 ? m + b->period : m;
    d = overlay_max (d,
        m < b->on ? overlay_max (-m, m - b->on)
                  : overlay_min (m - b->on, b->period - m));
  }
  return overlay_max (0, overlay_min (255, 128 - d));
}

/* Bilinear in the texels' alpha-weighted colours; returns alpha. */
BOTH int
overlay_sprite_at (const uint8_t *texels, const OverlaySprite *s, int x, int y,
    uint8_t colour[3])
{
  int64_t fx = (int64_t) (x - s->x) * s->step_x + (s->step_x - 65536) / 2;
  int64_t fy = (int64_t) (y - s->y) * s->step_y + (s->step_y - 65536) / 2;
  int tx = fx < 0 ? 0 : (int) (fx >> 16), ty = fy < 0 ? 0 : (int) (fy >> 16);
  uint32_t wx = fx < 0 ? 0 : (fx >> 8) & 255, wy = fy < 0 ? 0 : (fy >> 8) & 255;
  uint32_t weight = 0, sum[3] = {0, 0, 0};

  for (int i = 0; i < 4; i++) {
    int cx = overlay_min (tx + (i & 1), s->across - 1);
    int cy = overlay_min (ty + (i >> 1), s->down - 1);
    const uint8_t *t = texels + 4 * ((size_t) s->first + cy * s->across + cx);
    uint32_t w = (i & 1 ? wx : 256 - wx) * (i >> 1 ? wy : 256 - wy) * t[3];

    weight += w;
    for (int c = 0; c < 3; c++)
      sum[c] += w * t[c];
  }
  for (int c = 0; c < 3; c++)
    colour[c] = (uint8_t) (weight ? (sum[c] + weight / 2) / weight : 0);
  return (int) ((weight + 32768) >> 16);
}
