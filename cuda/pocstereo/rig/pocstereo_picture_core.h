/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The left frame in colour, rectified as its samples are. */
#pragma once

#include "common/yuv.h"
#include "pocstereo/rig/pocstereo_rectify_core.h"

typedef struct PocstereoPicture {
  Image from;
  Yuv yuv;
  const PocstereoPosition *map; /* rows of the frame's width; NULL: no map */
  const uint8_t *valid;         /* NULL with @map */
  uint8_t *rgba;
  int stride; /* bytes */
} PocstereoPicture;

BOTH void
pocstereo_colour_at (const PocstereoPicture *p, int x, int y, uint8_t rgb[3])
{
  uint8_t c[3];

  image_read (&p->from, x, y, c);
  if (image_is_yuv (p->from.format))
    yuv_to_rgb (&p->yuv, c, rgb);
  else {
    bool grey = p->from.format == IMAGE_GRAY8 || p->from.format == IMAGE_GRAY16;

    rgb[0] = c[0];
    rgb[1] = grey ? c[0] : c[1];
    rgb[2] = grey ? c[0] : c[2];
  }
}

/* The colour between four pixels, bilinear. */
BOTH void
pocstereo_colour_between (
    const PocstereoPicture *p, PocstereoPosition at, uint8_t rgb[3])
{
  const int one = POCSTEREO_MAP_ONE, part = POCSTEREO_MAP_ONE - 1;
  int32_t sum[3] = {1 << 19, 1 << 19, 1 << 19};

  for (int i = 0; i < 4; i++) {
    int x = (at.x >> POCSTEREO_MAP_BITS) + i % 2;
    int y = (at.y >> POCSTEREO_MAP_BITS) + i / 2;
    int across = i % 2 ? at.x & part : one - (at.x & part);
    int down = i / 2 ? at.y & part : one - (at.y & part);
    uint8_t c[3];

    pocstereo_colour_at (p, pocstereo_clamp_index (x, p->from.width),
        pocstereo_clamp_index (y, p->from.height), c);
    for (int k = 0; k < 3; k++)
      sum[k] += across * down * c[k];
  }
  for (int k = 0; k < 3; k++)
    rgb[k] = (uint8_t) (sum[k] >> (2 * POCSTEREO_MAP_BITS));
}

/* Pixel (@x, @y) of the picture; black outside of the frame. */
BOTH void
pocstereo_paint_pixel (const PocstereoPicture *p, int x, int y)
{
  uint8_t *to = p->rgba + (size_t) y * p->stride + 4 * (size_t) x;
  size_t at = (size_t) y * p->from.width + x;

  to[0] = to[1] = to[2] = 0;
  to[3] = 255;
  if (!p->map)
    pocstereo_colour_at (p, x, y, to);
  else if (p->valid[at])
    pocstereo_colour_between (p, p->map[at], to);
}
