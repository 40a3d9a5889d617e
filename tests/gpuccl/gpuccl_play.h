/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Frame after frame for one Gpuccl: rectangles of outliers at some depth. */
#pragma once

#include "gpuccl_find.h"

typedef struct {
  Device dev;
  Gpuccl *g;
  Input in;
  GpucclResults r;
} Play;

static inline void
play_open (Play *play, DeviceKind kind, int width, int height)
{
  memset (play, 0, sizeof *play);
  ok (device_open (&play->dev, kind, NULL));
  ok (gpuccl_new (&play->g, &play->dev, width, height));
  play->in = input_new (GPUCCL_CLASSES, width, height, true);
}

static inline void
play_close (Play *play)
{
  gpuccl_free (play->g);
  input_free (&play->in);
  device_close (&play->dev);
}

AUTO_FREE (Play, play_close)

static inline void
play_clear (Play *play)
{
  for (int y = 0; y < play->in.height; y++)
    for (int x = 0; x < play->in.width; x++)
      *map_at (&play->in, x, y) = GPUCCL_INLIER;
}

static inline void
play_rect (Play *play, int x0, int y0, int width, int height, int depth)
{
  for (int y = y0 < 0 ? 0 : y0; y < y0 + height && y < play->in.height; y++)
    for (int x = x0 < 0 ? 0 : x0; x < x0 + width && x < play->in.width; x++) {
      *map_at (&play->in, x, y) = GPUCCL_OUTLIER;
      *depth_at (&play->in, x, y) = (uint16_t) depth;
    }
}

static inline void
play_run (Play *play, const GpucclParams *params)
{
  void *map_memory, *depth_memory;
  Image map = frame_to_device (&play->in.map, &play->dev, &map_memory);
  Image depth = frame_to_device (&play->in.depth, &play->dev, &depth_memory);
  GpucclFrame frame = input_frame (&play->in, &map, &depth);

  ok (gpuccl_run (play->g, params, &frame, &play->r));
  device_release (&play->dev, map_memory);
  device_release (&play->dev, depth_memory);
}
