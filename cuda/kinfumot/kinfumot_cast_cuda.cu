/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the models look like from the camera (2.1). */
#include "kinfumot/kinfumot_cuda.cuh"

#define TILE_THREADS (KINFUMOT_TILE * KINFUMOT_TILE)

/* ---- Ranges ---- */

static __global__ void
set_ranges (KinfumotWork w, int first, int last)
{
  const uint32_t i = thread_index ();

  await_previous ();
  if (i < w.grid.max_bricks)
    add_range (&w, first, last, w.grid.owner[i]);
}

/* There are none before: who casts the rays clears them. */
const char *
kinfumot_ranges_cuda (
    const Device *dev, const KinfumotWork *w, int first, int last)
{
  return queue (dev, set_ranges, blocks_of ((int) w->grid.max_bricks), THREADS,
      *w, first, last);
}

/* ---- Rays ---- */

/* A block a tile: a block ends with the longest of its rays, so small ones
 * leave less idle. */
static __global__ void
__launch_bounds__ (TILE_THREADS, 16) cast (KinfumotWork w, int first)
{
  const int x = blockIdx.x * KINFUMOT_TILE + threadIdx.x % KINFUMOT_TILE,
            y = blockIdx.y * KINFUMOT_TILE + threadIdx.x / KINFUMOT_TILE,
            tile = blockIdx.y * w.tiles_x + blockIdx.x,
            model = first + blockIdx.z;
  float depth = 0;
  uint64_t slices;

  await_previous ();
  if (x >= w.width || y >= w.height || !w.models[model].active)
    return;
  slices = w.slices[model][tile];
  if (slices)
    depth = kinfumot_cast (&w, model, y * w.width + x,
        __uint_as_float (~w.near[model][tile]), slices);
  w.views[model][y * w.width + x].depth = depth;
}

/* And clears the ranges. */
static __global__ void
view_normals (KinfumotWork w, int first)
{
  const int at = thread_index (), model = first + blockIdx.y;

  await_previous ();
  if (at >= w.width * w.height || !w.models[model].active)
    return;
  kinfumot_view_normal (&w, model, at);
  if (at < w.tiles_x * w.tiles_y) {
    w.near[model][at] = 0;
    w.slices[model][at] = 0;
  }
}

const char *
kinfumot_cast_cuda (
    const Device *dev, const KinfumotWork *w, int first, int last)
{
  TRY (queue (dev, cast, dim3 (w->tiles_x, w->tiles_y, last - first),
      TILE_THREADS, *w, first));
  return queue (dev, view_normals,
      blocks_of (w->width * w->height, last - first), THREADS, *w, first);
}

/* ---- Pictures ---- */

static __global__ void
draw (KinfumotWork w, uint8_t *rgb, size_t rgb_stride, float *normals,
    size_t normals_stride)
{
  const int at = thread_index (), x = at % w.width, y = at / w.width;

  await_previous ();
  if (at >= w.width * w.height)
    return;
  if (rgb)
    kinfumot_shade (&w, at, rgb + y * rgb_stride + 3 * x);
  if (normals)
    kinfumot_normal_shown (
        &w, at, (float *) ((uint8_t *) normals + y * normals_stride) + 3 * x);
}

const char *
kinfumot_draw_cuda (const Device *dev, const KinfumotWork *w, uint8_t *rgb,
    size_t rgb_stride, float *normals, size_t normals_stride)
{
  return queue (dev, draw, blocks_of (w->width * w->height), THREADS, *w, rgb,
      rgb_stride, normals, normals_stride);
}
