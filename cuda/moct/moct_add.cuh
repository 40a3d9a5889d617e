/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sums that many threads add to. */
#pragma once

#include "moct/moct_cuda.cuh"

/* Adds fragment @f of the tile whose corner is at (@X, @Y) to @to: each of ten
 * lanes a part of it.  The parts lie side by side, so that all lanes' additions
 * are one request.  With s for the moments about the corner, each part is
 * s0 + A s1 + B (s2 + A n), where A and B are X, Y or 0. */
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
      atomicMin (&to->box.x0 + (lane - 6), corner + moct_lowest_bit (set));
    else
      atomicMax (&to->box.x1 + (lane - 8), corner + moct_highest_bit (set) + 1);
  }
}

/* Adds @sum, which ten lanes have, to @to: each lane a part of it.  The parts
 * lie side by side, so that all lanes' additions are one request. */
static __device__ __forceinline__ void
moct_sum_add_lane (MoctSum *to, const MoctSum &s, int lane)
{
  if (lane < 6)
    atomicAdd (&to->n + lane,
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

/* Moments about a corner near by, in 32 bits: enough for 128 x 128 pixels. */
struct NearSum {
  uint32_t n, x, y, xx, xy, yy;
  int x0, y0, x1, y1;
};

static __device__ __forceinline__ NearSum
near_sum (const MoctFragment &f, uint32_t X, uint32_t Y)
{
  uint32_t n = f.n_y & 0xffff, x = f.xy_x >> 16, y = f.n_y >> 16;
  ImageBox box = moct_fragment_box (&f, 0, 0);
  NearSum s;

  s.n = n;
  s.x = x + n * X;
  s.y = y + n * Y;
  s.xx = (f.xx_yy & 0xffff) + 2 * X * x + n * X * X;
  s.yy = (f.xx_yy >> 16) + 2 * Y * y + n * Y * Y;
  s.xy = (f.xy_x & 0xffff) + X * y + Y * x + n * X * Y;
  s.x0 = box.x0 + (int) X, s.x1 = box.x1 + (int) X;
  s.y0 = box.y0 + (int) Y, s.y1 = box.y1 + (int) Y;
  return s;
}

/* The same in frame coordinates; (@X, @Y) is the corner. */
static __device__ __forceinline__ MoctSum
far_sum (const NearSum &s, unsigned long long X, unsigned long long Y)
{
  MoctSum t;

  t.n = s.n;
  t.x = s.x + s.n * X;
  t.y = s.y + s.n * Y;
  t.xx = s.xx + 2 * X * s.x + s.n * X * X;
  t.yy = s.yy + 2 * Y * s.y + s.n * Y * Y;
  t.xy = s.xy + X * s.y + Y * s.x + s.n * X * Y;
  t.box.x0 = s.x0 + (int) X, t.box.x1 = s.x1 + (int) X;
  t.box.y0 = s.y0 + (int) Y, t.box.y1 = s.y1 + (int) Y;
  return t;
}
