/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What must not change what hangs together: mirroring, turning, other units,
 * all depths moved, a margin. */
#pragma once

#include "gpuccl_patterns.h"

/* Random outliers on a random surface. */
static inline void
draw_surface (Input *in)
{
  uint32_t slope = rnd (8), density = 50 + rnd (50);

  for (int y = 0; y < in->height; y++)
    for (int x = 0; x < in->width; x++) {
      *map_at (in, x, y) = (uint8_t) (rnd (100) < density ? 2 + rnd (2) : 1);
      *depth_at (in, x, y) = (uint16_t) (900 + slope * x + rnd (13));
    }
}

/* Where pixel (x, y) of a frame of @width x @height is after turning it: bit 0
 * mirrors left and right, bit 1 top and bottom, bit 2 changes x and y. */
static inline void
turn (int how, int width, int height, int *x, int *y)
{
  *x = how & 1 ? width - 1 - *x : *x;
  *y = how & 2 ? height - 1 - *y : *y;
  if (how & 4) {
    int old = *x;

    *x = *y;
    *y = old;
  }
}

static inline Input
turned (const Input *in, int how)
{
  Input out = input_new (in->source, how & 4 ? in->height : in->width,
      how & 4 ? in->width : in->height, in->has_depth);

  for (int y = 0; y < in->height; y++)
    for (int x = 0; x < in->width; x++) {
      int u = x, v = y;

      turn (how, in->width, in->height, &u, &v);
      *map_at (&out, u, v) = *map_at (in, x, y);
      *depth_at (&out, u, v) = *depth_at (in, x, y);
    }
  return out;
}

/* Whether labels @a of @in and @b of @in turned, a map of rows of @row labels,
 * part the pixels alike. */
static inline bool
same_parts (const Input *in, const uint32_t *a, const uint32_t *b, int how,
    int row, int margin)
{
  int pixels = in->width * in->height;
  uint32_t *to = calloc ((size_t) pixels + 1, sizeof *to);
  bool same = true;

  for (int i = 0; i < pixels; i++) {
    int x = i % in->width, y = i / in->width;
    uint32_t label;

    turn (how, in->width, in->height, &x, &y);
    label = b[(y + margin) * row + x + margin];
    if (!to[a[i]])
      to[a[i]] = label;
    same = same && to[a[i]] == label && !a[i] == !label;
  }
  free (to);
  return same;
}

static inline void
test_turned (DeviceKind kind)
{
  for (int round = 0; round < 40; round++) {
    GpucclParams p = gpuccl_defaults ();
    Input in = input_new (
        GPUCCL_CLASSES, 1 + (int) rnd (150), 1 + (int) rnd (90), true);
    int how = 1 + (int) rnd (7);
    Input other;
    Found a, b;

    draw_surface (&in);
    other = turned (&in, how);
    p.connectivity = rnd (2) ? 4 : 8;
    p.filter = rnd (2) ? GPUCCL_BILATERAL : GPUCCL_NO_FILTER;
    p.depth_step_k = rnd (2) ? .006 : 0;
    a = find (kind, &p, &in);
    b = find (kind, &p, &other);
    check (a.results.n_labels == b.results.n_labels);
    check (a.results.largest_area == b.results.largest_area);
    check (same_parts (&in, a.labels, b.labels, how, other.width, 0));
    found_free (&a);
    found_free (&b);
    input_free (&in);
    input_free (&other);
  }
}

static inline void
test_moved (DeviceKind kind)
{
  for (int round = 0; round < 20; round++) {
    GpucclParams p = gpuccl_defaults ();
    Input in = input_new (
        GPUCCL_CLASSES, 1 + (int) rnd (150), 1 + (int) rnd (90), true);
    int margin = 1 + (int) rnd (20), width = in.width + 2 * margin;
    Input out = input_new (GPUCCL_CLASSES, width, in.height + 2 * margin, true);
    uint16_t farther = (uint16_t) rnd (60000);
    Found a, b;

    draw_surface (&in);
    for (int i = 0; i < in.width * in.height; i++) {
      int x = i % in.width, y = i / in.width;

      *map_at (&out, x + margin, y + margin) = *map_at (&in, x, y);
      *depth_at (&out, x + margin, y + margin) =
          *depth_at (&in, x, y) + farther;
    }
    p.filter = GPUCCL_NO_FILTER;
    a = find (kind, &p, &in);
    b = find (kind, &p, &out);
    check (a.results.n_labels == b.results.n_labels);
    check (same_parts (&in, a.labels, b.labels, 0, width, margin));
    p.max_depth_step = p.max_depth_step / 8; /* 1/8 of the unit, too */
    p.depth_scale = p.depth_scale / 8;
    found_free (&b);
    b = find (kind, &p, &in);
    check (!memcmp (
        a.labels, b.labels, (size_t) in.width * in.height * sizeof *a.labels));
    found_free (&a);
    found_free (&b);
    input_free (&in);
    input_free (&out);
  }
}
