/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The bilateral filter of depth, in integers, so that both backends agree.  The
 * weights of distance are 0 to 32, those of depth 0 to 255.  Sigma is 4.5
 * pixels and 4 cm; neighbours lie in a circle of 3 pixels. */
#pragma once

#include <math.h>
#include <stdint.h>

#include "common/both.h"

#define BILATERAL_REACH 3     /* radius of the circle, pixels */
#define BILATERAL_RANGE 4096  /* units; a larger difference has weight 0 */
#define BILATERAL_SIGMA .04   /* of depth, metres */
#define BILATERAL_FINE_BITS 8 /* fractional bits of filtered depth */

/* The weight 32 exp (-r^2 / (2 4.5^2)) of the neighbour at (@dx, @dy); 0
 * outside of the circle. */
BOTH uint32_t
bilateral_space_weight (int dx, int dy)
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

/* Sets @range to the weights of differences of 0, 1, … units of depth, of
 * @scale metres each.  The host calls it. */
static inline void
bilateral_set_range (uint8_t range[BILATERAL_RANGE], double scale)
{
  for (int i = 0; i < BILATERAL_RANGE; i++) {
    double steps = i * scale / BILATERAL_SIGMA;

    range[i] = (uint8_t) nearbyint (255 * exp (-steps * steps / 2));
  }
}

/* The sum of the weights, and the sum of weight times difference in depth,
 * whose magnitude is at most 29 * 32 * 255 * 4095 < 2^30. */
typedef struct {
  uint32_t weights;
  int32_t deeper;
} BilateralMean;

/* Adds a neighbour to the mean of a pixel of depth @z.  @space is the
 * neighbour's weight of distance, @other its depth; 0 is unknown and adds
 * nothing. */
BOTH void
bilateral_mean_add (BilateralMean *mean, const uint8_t *range, uint32_t space,
    uint32_t z, uint32_t other)
{
  int32_t deeper = (int32_t) other - (int32_t) z;
  uint32_t step = (uint32_t) (deeper < 0 ? -deeper : deeper), weight;

  if (!other || step >= BILATERAL_RANGE)
    return;
  weight = space * range[step];
  mean->weights += weight;
  mean->deeper += (int32_t) weight * deeper;
}

/* Adds the neighbours on two opposite sides, both by the weight of the larger
 * of their two differences in depth, or neither.  The mean of a slant then
 * stays on the slant, also beside an edge, a hole and the end of the frame,
 * where a neighbour without its opposite would pull the mean to its side. */
BOTH void
bilateral_mean_add_two (BilateralMean *mean, const uint8_t *range,
    uint32_t space, uint32_t z, uint32_t one, uint32_t other)
{
  int32_t a = (int32_t) one - (int32_t) z, b = (int32_t) other - (int32_t) z;
  uint32_t step_a = (uint32_t) (a < 0 ? -a : a), weight;
  uint32_t step_b = (uint32_t) (b < 0 ? -b : b);
  uint32_t step = step_a > step_b ? step_a : step_b;

  if (!one || !other || step >= BILATERAL_RANGE)
    return;
  weight = space * range[step];
  mean->weights += 2 * weight;
  mean->deeper += (int32_t) weight * (a + b);
}

/* The mean depth of a pixel of depth @z, rounded half up to whole units.  Sets
 * @fraction to the rest, -128 to 127 256ths.  The pixel itself must have been
 * added.  Unsigned division rounds down. */
BOTH uint16_t
bilateral_mean_depth (const BilateralMean *mean, uint32_t z, int8_t *fraction)
{
  uint32_t twice = 2 * mean->weights;
  uint32_t raised =
      twice * BILATERAL_RANGE + mean->weights + 2 * (uint32_t) mean->deeper;
  uint32_t rest = raised % twice << BILATERAL_FINE_BITS;

  *fraction = (int8_t) ((int32_t) (rest / twice) - 128);
  return (uint16_t) (z + raised / twice - BILATERAL_RANGE);
}
