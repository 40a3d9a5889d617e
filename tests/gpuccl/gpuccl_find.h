/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Frames for gpuccl in host memory, with padding and guards, and what it finds
 * in them. */
#pragma once

#include "frames.h"
#include "gpuccl/gpuccl.h"

typedef struct {
  int width, height;
  GpucclSource source;
  int map_step;
  bool has_depth;
  Frame map, depth;
} Input;

static inline Input
input_new (GpucclSource source, int width, int height, bool depth)
{
  Input in = {.width = width,
      .height = height,
      .source = source,
      .map_step = 1 << rnd (3),
      .has_depth = depth || source == GPUCCL_DEPTH_ONLY};

  in.map =
      frame_new (IMAGE_GRAY8, width * in.map_step, height, (int) rnd (40), 1);
  in.depth = frame_new (IMAGE_GRAY16, width, height, 2 * (int) rnd (20), 2);
  for (int y = 0; y < height; y++) {
    memset (in.map.image.plane[0] + (size_t) y * in.map.image.stride[0], 0,
        width * in.map_step);
    memset (in.depth.image.plane[0] + (size_t) y * in.depth.image.stride[0], 0,
        width * 2);
  }
  return in;
}

static inline void
input_free (Input *in)
{
  frame_free (&in->map);
  frame_free (&in->depth);
}

AUTO_FREE (Input, input_free)

static inline uint8_t *
map_at (const Input *in, int x, int y)
{
  return in->map.image.plane[0] + (size_t) y * in->map.image.stride[0] +
      x * in->map_step;
}

static inline uint16_t *
depth_at (const Input *in, int x, int y)
{
  return (uint16_t *) (in->depth.image.plane[0] +
             (size_t) y * in->depth.image.stride[0]) +
      x;
}

/* The frame of @map and @depth, images like those of @in where the device can
 * reach them. */
static inline GpucclFrame
input_frame (const Input *in, const Image *map, const Image *depth)
{
  GpucclFrame f = {.width = in->width,
      .height = in->height,
      .source = in->source,
      .map = map->plane[0],
      .map_stride = map->stride[0],
      .map_step = in->map_step,
      .count_greys = true};

  if (in->source == GPUCCL_DEPTH_ONLY)
    f.map = NULL;
  if (in->has_depth) {
    f.depth = (const uint16_t *) depth->plane[0];
    f.depth_stride = depth->stride[0];
  }
  return f;
}

/* What there is in a frame. */
typedef struct {
  uint32_t *labels;
  GpucclComponent *components; /* to be seen with results.components */
  GpucclResults results;
} Found;

static inline void
found_free (Found *f)
{
  free (f->labels);
  free (f->components);
}

AUTO_FREE (Found, found_free)

/* Copies what lasts until the next run only; labels by way of a map whose rows
 * are longer than they need be. */
static inline Found
found_of (
    const Device *dev, Gpuccl *g, const Input *in, const GpucclResults *results)
{
  size_t row = in->width * sizeof (uint32_t), stride = row + 12;
  Found f = {malloc (row * in->height),
      calloc (results->n_components + 1, sizeof *f.components), *results};
  uint32_t *there = NULL, *kept = malloc (row * in->height);

  memcpy (f.components, results->components,
      results->n_components * sizeof *f.components);
  f.results.components = f.components;
  ok (device_alloc (dev, (void **) &there, stride * in->height));
  ok (gpuccl_labels (g, there, stride));
  ok (device_copy_rows (dev, f.labels, row, there, stride, row, in->height));
  ok (device_copy (dev, kept, results->labels, row * in->height));
  ok (device_wait (dev));
  check (!memcmp (kept, f.labels, row * in->height));
  device_release (dev, there);
  free (kept);
  return f;
}

static inline Found
find (DeviceKind kind, const GpucclParams *params, const Input *in)
{
  AUTO (Device) dev = device_of (kind);
  Gpuccl *g;
  void *map_memory, *depth_memory;
  Image map, depth;
  GpucclFrame frame;
  GpucclResults results = {0};
  Found f;

  ok (gpuccl_new (&g, &dev, in->width, in->height));
  map = frame_to_device (&in->map, &dev, &map_memory);
  depth = frame_to_device (&in->depth, &dev, &depth_memory);
  frame = input_frame (in, &map, &depth);
  ok (gpuccl_run (g, params, &frame, &results));
  f = found_of (&dev, g, in, &results);
  gpuccl_free (g);
  device_release (&dev, map_memory);
  device_release (&dev, depth_memory);
  return f;
}
