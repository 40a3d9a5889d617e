/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The bilateral filter in integers, so that both backends agree: weights of
 * distance have 5 bits, weights of depth 8. */
#pragma once

#include "gpuccl/gpuccl_core.h"

#define GPUCCL_REACH 3 /* pixels, in a circle */
#define GPUCCL_RANGE \
 4096 /* differences of depth from which on weights are 0 \
       */

/* 32 exp (-r^2 / (2 4.5^2)) of the neighbour at (dx, dy); 0 outside. */
BOTH uint32_t
gpuccl_space_weight (int dx, int dy)
{
  switch (dx * dx + dy * dy) {
    case 0:
      return 32;
    case 1:
      return 31;
    case 2:
      return 30;
    case 4:
      return 29;
    case 5:
      return 28;
    case 8:
    case 9:
      return 26;
  }
  return 0;
}

/* Sums of weights, and of weights times what a neighbour is deeper: at most
 * 29 32 255 4095 < 2^30. */
typedef struct {
  uint32_t weights;
  int32_t deeper;
} GpucclMean;

/* Adds a neighbour of depth @other to those of a pixel of depth @z. */
BOTH void
gpuccl_mean_add (GpucclMean *mean, const uint8_t *range, uint32_t space,
    uint32_t z, uint32_t other)
{
  int32_t deeper = (int32_t) other - (int32_t) z;
  uint32_t step = (uint32_t) (deeper < 0 ? -deeper : deeper), weight;

  if (!other || step >= GPUCCL_RANGE)
    return;
  weight = space * range[step];
  mean->weights += weight;
  mean->deeper += (int32_t) weight * deeper;
}

/* The mean depth in whole units, rounded half up, and what it is more than that
 * in 1/256.  Unsigned, so that division rounds down. */
BOTH uint16_t
gpuccl_mean_depth (const GpucclMean *mean, uint32_t z, int8_t *fraction)
{
  uint32_t twice = 2 * mean->weights;
  uint32_t raised =
      twice * GPUCCL_RANGE + mean->weights + 2 * (uint32_t) mean->deeper;
  uint32_t rest = raised % twice << GPUCCL_FINE_BITS;

  *fraction = (int8_t) ((int32_t) (rest / twice) - 128);
  return (uint16_t) (z + raised / twice - GPUCCL_RANGE);
}
