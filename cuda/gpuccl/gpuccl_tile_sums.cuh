/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The sums of pieces while their tile is looked at, and then in the frame. */
#pragma once

#include "gpuccl/gpuccl_links.cuh"

#define NEAR_SUMS 128 /* in shared memory; of more pieces in global memory */

/* What pieces have so far, about their tile's corner, a field after the other.
 * Least values are kept as the greatest of what remains of them, so that few
 * kinds of words are to be set to nothing. */
struct alignas (16) TileSums {
  uint32_t n_x[NEAR_SUMS]; /* pixels, sum of x << 11 */
  uint32_t y[NEAR_SUMS];
  uint32_t columns[NEAR_SUMS], rows[NEAR_SUMS]; /* bit i: it has pixels there */
  uint32_t z[NEAR_SUMS], max_z[NEAR_SUMS], low_z[NEAR_SUMS]; /* 65535 - z */
  int32_t max_u[NEAR_SUMS], low_u[NEAR_SUMS];                /* ~u */
  int32_t max_v[NEAR_SUMS], low_v[NEAR_SUMS];
};

#define UNSIGNED_SUMS 7 /* fields of TileSums, which come first */
#define N_SUMS 11

static __device__ __forceinline__ void
clear_field (TileSums *s, int field)
{
  uint32_t none = field < UNSIGNED_SUMS ? 0 : (uint32_t) INT32_MIN;

  ((uint4 *) s)[field * NEAR_SUMS / 4 + threadIdx.x % 32] =
      make_uint4 (none, none, none, none);
}

/* Before anything is added, by the whole block: a warp a field. */
static __device__ __forceinline__ void
clear_sums (TileSums *s)
{
#pragma unroll
  for (int i = 0; i < N_SUMS; i += TILE_WARPS)
    if (i + threadIdx.x / 32 < N_SUMS)
      clear_field (s, i + threadIdx.x / 32);
}

/* What a run, or some rows, add to a piece; as in TileSums. */
struct Part {
  uint32_t n_x, y, columns, rows;
  uint32_t z, max_z, low_z;
  int32_t max_u, low_u, max_v, low_v;
};

template <Depth DEPTH>
static __device__ __forceinline__ void
add_part (const GpucclWork &w, TileSums *to, uint32_t number, const Part &s)
{
  atomicAdd (&to->n_x[number], s.n_x);
  atomicAdd (&to->y[number], s.y);
  atomicOr (&to->columns[number], s.columns);
  atomicOr (&to->rows[number], s.rows);
  if (!DEPTH)
    return;
  atomicAdd (&to->z[number], s.z);
  atomicMax (&to->max_z[number], s.max_z);
  atomicMax (&to->low_z[number], s.low_z);
  if (!w.rays.known)
    return;
  atomicMax (&to->max_u[number], s.max_u);
  atomicMax (&to->low_u[number], s.low_u);
  atomicMax (&to->max_v[number], s.max_v);
  atomicMax (&to->low_v[number], s.low_v);
}

/* The range of rays whose depth goes from least to most, in a row or column. */
static __device__ __forceinline__ void
set_rays (int32_t *most, int32_t *low, GpucclCentre c, int at, const Part &s)
{
  int32_t a = gpuccl_ray (c, at, 65535 - s.low_z);
  int32_t b = gpuccl_ray (c, at, s.max_z);

  *most = max (a, b);
  *low = ~min (a, b);
}

/* ---- In the frame ---- */

/* @root: the piece's pixel of smallest raster index. */
template <Depth DEPTH>
static __device__ __forceinline__ GpucclSum
frame_sum (const GpucclWork &w, const Part &s, uint32_t root)
{
  uint32_t X = blockIdx.x * TILE, Y = blockIdx.y * TILE, n = s.n_x & 0x7ff;
  bool known = DEPTH && w.rays.known;
  GpucclSum f;

  f.label = 1 + (Y + root / TILE) * w.frame.width + X + root % TILE;
  f.area = n;
  f.x = (s.n_x >> 11) + n * X;
  f.y = s.y + n * Y;
  f.z = DEPTH ? s.z : 0;
  f.box.x0 = (int) X + __ffs ((int) s.columns) - 1;
  f.box.x1 = (int) X + 32 - __clz ((int) s.columns);
  f.box.y0 = (int) Y + __ffs ((int) s.rows) - 1;
  f.box.y1 = (int) Y + 32 - __clz ((int) s.rows);
  f.min_z = DEPTH ? 65535 - s.low_z : 0, f.max_z = DEPTH ? s.max_z : 0;
  f.min_u = known ? ~s.low_u : 0, f.max_u = known ? s.max_u : 0;
  f.min_v = known ? ~s.low_v : 0, f.max_v = known ? s.max_v : 0;
  return f;
}

/* What is added up of a piece. */
static __device__ __forceinline__ Part
part_of (const TileSums &s, uint32_t number)
{
  return {s.n_x[number], s.y[number], s.columns[number], s.rows[number],
      s.z[number], s.max_z[number], s.low_z[number], s.max_u[number],
      s.low_u[number], s.max_v[number], s.low_v[number]};
}

/* A run of a piece beyond the sums in shared memory. */
template <Depth DEPTH>
static __device__ __noinline__ void
add_far (const GpucclWork &w, GpucclSum *to, Part run, uint32_t start)
{
  gpuccl_add_sum (to, frame_sum<DEPTH> (w, run, start));
}
