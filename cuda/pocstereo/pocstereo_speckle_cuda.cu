/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The left-right check; and patches of neighbours whose disparities differ
 * little, of which small ones go.  Pixels of a row that are joined, 32 at most,
 * are one run, whose first one stands for all. */
#include "common/union.cuh"
#include "pocstereo/pocstereo_cuda.cuh"
#include "pocstereo/pocstereo_revote_core.h"

#define ROWS 8 /* of a block: a warp each */

/* Keeps what it drops. */
static __global__ void __launch_bounds__ (32 * ROWS) left_right_kernel (
    const __grid_constant__ PocstereoWork w, int32_t *dropped)
{
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * ROWS + threadIdx.y;
  PocstereoMatch *left = w.matches[0] + (size_t) y * w.width + x;

  allow_next ();
  await_previous ();
  if (x >= w.width || y >= w.height)
    return;
  dropped[(size_t) y * w.width + x] = left->disparity;
  left->disparity = pocstereo_confirmed (w.matches[1] + (size_t) y * w.width,
      w.width, x, left->disparity, w.max_difference);
}

struct Patches {
  uint32_t *parent, *size;
};

static __device__ __forceinline__ bool
joined (const PocstereoWork &w, uint32_t a, uint32_t b)
{
  return pocstereo_is_joined (
      w.matches[0][a].disparity, w.matches[0][b].disparity, w.speckle_step);
}

/* The lanes whose pixels are joined to the one on their left, without the
 * first lane; all of a warp call. */
static __device__ __forceinline__ uint32_t
joined_lanes (const PocstereoWork &w, int x, int y)
{
  uint32_t at = (uint32_t) y * w.width + x;
  bool is =
      threadIdx.x && x < w.width && y < w.height && joined (w, at, at - 1);

  return __ballot_sync (ALL_LANES, is);
}

/* How many lanes the run's first one is behind. */
static __device__ __forceinline__ int
behind (uint32_t lanes)
{
  uint32_t up_to = ALL_LANES >> (31 - threadIdx.x);

  return (int) threadIdx.x - (31 - __clz (~lanes & up_to));
}

static __global__ void __launch_bounds__ (32 * ROWS)
    runs_kernel (const __grid_constant__ PocstereoWork w, const Patches p)
{
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * ROWS + threadIdx.y;
  uint32_t at = (uint32_t) y * w.width + x, lanes;

  allow_next ();
  await_previous ();
  lanes = joined_lanes (w, x, y);
  if (x >= w.width || y >= w.height)
    return;
  p.parent[at] = at - behind (lanes);
  p.size[at] = 0;
}

/* Where the pixel on the left joins the same two runs, it does so. */
static __global__ void __launch_bounds__ (32 * ROWS)
    join_kernel (const __grid_constant__ PocstereoWork w, const Patches p)
{
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * ROWS + threadIdx.y;
  uint32_t at = (uint32_t) y * w.width + x, above = at - w.width;

  allow_next ();
  await_previous ();
  if (x >= w.width || y >= w.height)
    return;
  if (threadIdx.x == 0 && x && joined (w, at, at - 1))
    unite_far (p.parent, at, at - 1);
  if (y && joined (w, at, above) &&
      !(x && joined (w, at, at - 1) && joined (w, above, above - 1) &&
          joined (w, at - 1, above - 1)))
    unite_far (p.parent, at, above);
}

/* A patch that is large enough is not counted further. */
static __global__ void __launch_bounds__ (32 * ROWS)
    count_kernel (const __grid_constant__ PocstereoWork w, const Patches p)
{
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * ROWS + threadIdx.y;
  uint32_t at = (uint32_t) y * w.width + x, lanes, top;
  bool inside = x < w.width && y < w.height;
  int ahead;

  allow_next ();
  await_previous ();
  lanes = joined_lanes (w, x, y);
  if (!inside || (lanes >> threadIdx.x & 1))
    return;
  /* lanes from the next one on that are joined without a gap */
  ahead = threadIdx.x == 31 ? 0 : __ffs (~(lanes >> (threadIdx.x + 1))) - 1;
  top = root (p.parent, at);
  p.parent[at] = top;
  if (*(volatile uint32_t *) &p.size[top] < (uint32_t) w.params.speckle_size)
    atomicAdd (&p.size[top], (uint32_t) ahead + 1);
}

static __global__ void __launch_bounds__ (32 * ROWS)
    forget_kernel (const __grid_constant__ PocstereoWork w, const Patches p)
{
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * ROWS + threadIdx.y;
  uint32_t at = (uint32_t) y * w.width + x;

  allow_next ();
  await_previous ();
  if (x < w.width && y < w.height &&
      p.size[root (p.parent, at)] < (uint32_t) w.params.speckle_size)
    w.matches[0][at].disparity = POCSTEREO_NONE;
}

static dim3
blocks (const PocstereoWork *w)
{
  return dim3 (ceil_div (w->width, 32), ceil_div (w->height, ROWS));
}

const char *
pocstereo_left_right_cuda (const Device *dev, const PocstereoWork *w)
{
  const PocstereoCuda *c = (const PocstereoCuda *) w->state;

  return pocstereo_launch (dev, w, left_right_kernel, blocks (w),
      dim3 (32, ROWS), 0, *w, c->found[0]);
}

const char *
pocstereo_speckle_cuda (const Device *dev, const PocstereoWork *w)
{
  const PocstereoCuda *c = (const PocstereoCuda *) w->state;
  Patches p = {c->patch, c->size};

  for (auto kernel : {runs_kernel, join_kernel, count_kernel, forget_kernel})
    TRY (pocstereo_launch (
        dev, w, kernel, blocks (w), dim3 (32, ROWS), 0, *w, p));
  return NULL;
}
