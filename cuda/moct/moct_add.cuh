/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Additions to sums that many threads share. */
#pragma once

#include "moct/moct_cuda.cuh"

/* Adds fragment @f of the tile whose corner is at (@X, @Y) to @to; each of ten
 * lanes adds one part.  The parts lie side by side, so that the additions of
 * all lanes are one request.  With s for the moments about the corner, each
 * part is s0 + A s1 + B (s2 + A n), where A and B are X, Y or 0. */
static __device__ __forceinline__ void
add_fragment (
    MoctSum *to, const MoctFragment &f, unsigned X, unsigned Y, int lane)
{
  if (lane < 6) {
    bool of_x = lane == 1 || lane == 3 || lane == 4;
    unsigned A = lane == 0 ? 0 : of_x ? X : Y;
    unsigned B = lane == 3 ? X : lane > 3 ? Y : 0;
    unsigned n = f.n_y & 0xffff, x = f.xy_x >> 16, y = f.n_y >> 16;
    unsigned s0 = lane % 2 == 0 && lane < 4 ? f.n_y
        : lane == 1 || lane == 4            ? f.xy_x
                                            : f.xx_yy;
    unsigned s1 = lane < 3 ? n : lane == 3 ? x : y;
    unsigned s2 = lane == 5 ? y : x;

    s0 = lane == 1 || lane == 2 || lane == 5 ? s0 >> 16 : s0 & 0xffff;
    atomicAdd (&to->n + lane,
        (unsigned long long) (s0 + A * s1) +
            (unsigned long long) B * (s2 + A * n));
  } else if (lane < 10) {
    uint32_t set = lane % 2 ? f.extent >> 16 : f.extent & 0xffff;
    int corner = (int) (lane % 2 ? Y : X);

    if (lane < 8)
      atomicMin (&to->box.x0 + (lane - 6), corner + math_lowest_bit (set));
    else
      atomicMax (&to->box.x1 + (lane - 8), corner + moct_highest_bit (set) + 1);
  }
}

/* Adds @v in two additions of 32 bits.  Shared memory adds 32 bits in one step,
 * but 64 bits only in a loop that begins again whenever another thread
 * interferes. */
static __device__ __forceinline__ void
add_wide (unsigned long long *to, unsigned long long v)
{
  if (__isShared (to)) {
    uint32_t low = (uint32_t) v, before = atomicAdd ((uint32_t *) to, low);

    atomicAdd ((uint32_t *) to + 1,
        (uint32_t) (v >> 32) + (before + low < low ? 1 : 0));
  } else {
    atomicAdd (to, v);
  }
}

/* Adds @sum, which ten lanes have, to @to; each lane adds one part.  The parts
 * lie side by side, so that the additions of all lanes are one request. */
static __device__ __forceinline__ void
moct_sum_add_lane (MoctSum *to, const MoctSum &s, int lane)
{
  if (lane < 6)
    add_wide (&to->n + lane,
        lane == 0       ? s.n
            : lane == 1 ? s.x
            : lane == 2 ? s.y
            : lane == 3 ? s.xx
            : lane == 4 ? s.xy
                        : s.yy);
  else if (lane < 8)
    atomicMin (&to->box.x0 + (lane - 6), lane == 6 ? s.box.x0 : s.box.y0);
  else if (lane < 10)
    atomicMax (&to->box.x1 + (lane - 8), lane == 8 ? s.box.x1 : s.box.y1);
}
