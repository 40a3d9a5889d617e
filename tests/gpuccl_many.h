/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * CPU against CUDA, bit for bit: more components than the GPU puts in order.
 */
#pragma once

#include "gpuccl_parity.h"

/* A rectangle of up to @side pixels each way in each cell of 8 x 8: more
 * components than the GPU puts in order, many of the same size. */
static inline Input
many_input (uint32_t side)
{
  Input in = input_new (GPUCCL_MASK, 1000, 600, false);
  uint32_t seed = rnd (1u << 30);

  for (int y = 0; y < in.height; y++)
    for (int x = 0; x < in.width; x++) {
      uint32_t cell = (uint32_t) (y / 8 * 125 + x / 8);
      uint32_t wide = 1 + random_below (seed, 2 * cell, side);
      uint32_t high = 1 + random_below (seed, 2 * cell + 1, side);

      *map_at (&in, x, y) = x % 8 < (int) wide && y % 8 < (int) high ? 255 : 0;
    }
  return in;
}

static inline void
test_parity_many (DeviceKind kind)
{
  for (uint32_t side = 1; side <= 7; side++)
    for (int n = 1; n <= GPUCCL_MAX_COMPONENTS; n *= 64) {
      GpucclParams p = gpuccl_defaults ();
      Input in = many_input (side);
      Found a, b;

      p.min_area = 1;
      p.min_size = rnd (49);
      p.max_components = n;
      a = find (DEVICE_CPU, &p, &in);
      b = find (kind, &p, &in);
      check (a.results.n_labels == 125 * 75);
      check_alike (&a, &b, &in);
      found_free (&a);
      found_free (&b);
      input_free (&in);
    }
}
