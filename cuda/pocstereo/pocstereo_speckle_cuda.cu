/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The left-right check; and patches of neighbours whose disparities differ
 * little, of which small ones are dropped.  A run is joined pixels of a row, 32
 * at most; its first pixel stands for all. */
#include "common/union.cuh"
#include "pocstereo/pocstereo_cuda.cuh"
#include "pocstereo/pocstereo_revote_core.h"

#define ROWS 8 /* of a block: a warp each */

static __global__ void __launch_bounds__ (32 * ROWS)
    left_right_kernel (const __grid_constant__ PocstereoDenseMatches m,
        int32_t max_difference, int32_t *before)
{
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * ROWS + threadIdx.y;
  PocstereoMatch *left = m.view[0] + (size_t) y * m.width + x;

  allow_next ();
  await_previous ();
  if (x >= m.width || y >= m.height)
    return;
  before[(size_t) y * m.width + x] = left->disparity;
  left->disparity =
      pocstereo_confirmed_disparity (m.view[1] + (size_t) y * m.width, m.width,
          x, left->disparity, max_difference);
}

struct Patches {
  int width, height;
  PocstereoMatch *matches;
  int32_t step;
  uint32_t min_size;
  uint32_t *parent, *size;
};

static __device__ __forceinline__ bool
are_joined (const Patches &p, uint32_t a, uint32_t b)
{
  return pocstereo_is_one_patch (
      p.matches[a].disparity, p.matches[b].disparity, p.step);
}

/* The lanes whose pixels are joined to the pixel on their left, without lane 0.
 * All lanes of the warp call. */
static __device__ __forceinline__ uint32_t
joined_lanes (const Patches &p, int x, int y)
{
  uint32_t at = (uint32_t) y * p.width + x;
  bool is =
      threadIdx.x && x < p.width && y < p.height && are_joined (p, at, at - 1);

  return __ballot_sync (ALL_LANES, is);
}

/* The number of lanes from the first pixel of the lane's run to the lane. */
static __device__ __forceinline__ int
lanes_behind (uint32_t lanes)
{
  uint32_t up_to = ALL_LANES >> (31 - threadIdx.x);

  return (int) threadIdx.x - (31 - __clz (~lanes & up_to));
}

static __global__ void __launch_bounds__ (32 * ROWS)
    patch_runs_kernel (const __grid_constant__ Patches p)
{
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * ROWS + threadIdx.y;
  uint32_t at = (uint32_t) y * p.width + x, lanes;

  allow_next ();
  await_previous ();
  lanes = joined_lanes (p, x, y);
  if (x >= p.width || y >= p.height)
    return;
  p.parent[at] = at - lanes_behind (lanes);
  p.size[at] = 0;
}

/* Joins runs of neighbouring rows.  A pixel whose left neighbour joins the same
 * two runs does nothing. */
static __global__ void __launch_bounds__ (32 * ROWS)
    join_patches_kernel (const __grid_constant__ Patches p)
{
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * ROWS + threadIdx.y;
  uint32_t at = (uint32_t) y * p.width + x, above = at - p.width;

  allow_next ();
  await_previous ();
  if (x >= p.width || y >= p.height)
    return;
  if (threadIdx.x == 0 && x && are_joined (p, at, at - 1))
    union_join_far (p.parent, at, at - 1);
  if (y && are_joined (p, at, above) &&
      !(x && are_joined (p, at, at - 1) && are_joined (p, above, above - 1) &&
          are_joined (p, at - 1, above - 1)))
    union_join_far (p.parent, at, above);
}

/* Counts the pixels of each patch; the count may stop at the least size of a
 * patch that stays. */
static __global__ void __launch_bounds__ (32 * ROWS)
    count_patches_kernel (const __grid_constant__ Patches p)
{
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * ROWS + threadIdx.y;
  uint32_t at = (uint32_t) y * p.width + x, lanes, top;
  bool inside = x < p.width && y < p.height;
  int ahead;

  allow_next ();
  await_previous ();
  lanes = joined_lanes (p, x, y);
  if (!inside || (lanes >> threadIdx.x & 1))
    return;
  /* the number of lanes behind this lane in its run */
  ahead = threadIdx.x == 31 ? 0 : __ffs (~(lanes >> (threadIdx.x + 1))) - 1;
  top = union_root (p.parent, at);
  p.parent[at] = top;
  if (*(volatile uint32_t *) &p.size[top] < p.min_size)
    atomicAdd (&p.size[top], (uint32_t) ahead + 1);
}

static __global__ void __launch_bounds__ (32 * ROWS)
    drop_patches_kernel (const __grid_constant__ Patches p)
{
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * ROWS + threadIdx.y;
  uint32_t at = (uint32_t) y * p.width + x;

  allow_next ();
  await_previous ();
  if (x < p.width && y < p.height &&
      p.size[union_root (p.parent, at)] < p.min_size)
    p.matches[at].disparity = POCSTEREO_NONE;
}

static dim3
patch_blocks (const PocstereoDenseMatches *m)
{
  return dim3 (ceil_div (m->width, 32), ceil_div (m->height, ROWS));
}

const char *
pocstereo_left_right_cuda (const Device *dev, int32_t max_difference,
    PocstereoDenseMatches *matches, int32_t *before)
{
  return pocstereo_launch_kernel (dev, left_right_kernel,
      patch_blocks (matches), dim3 (32, ROWS), *matches, max_difference,
      before);
}

const char *
pocstereo_speckle_cuda (const Device *dev, int size, int32_t step,
    int32_t *scratch, PocstereoDenseMatches *matches)
{
  uint32_t *parent = (uint32_t *) scratch;
  Patches p = {matches->width, matches->height, matches->view[0], step,
      (uint32_t) size, parent,
      parent + (size_t) matches->width * matches->height};

  for (auto kernel : {patch_runs_kernel, join_patches_kernel,
           count_patches_kernel, drop_patches_kernel})
    TRY (pocstereo_launch_kernel (
        dev, kernel, patch_blocks (matches), dim3 (32, ROWS), p));
  return NULL;
}
