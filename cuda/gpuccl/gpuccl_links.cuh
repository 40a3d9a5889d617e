/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pixels of a frame, and the links of a row of a tile as bits. */
#pragma once

#include "gpuccl/gpuccl_run.cuh"

/* A pixel: depth as links compare it, and in whole units; 0 where it is
 * background. */
struct Pixel {
  bool foreground;
  uint32_t link, z;
};

/* Depth is read whether the pixel is foreground or not, so that nothing waits
 * to know. */
template <bool DEPTH>
static __device__ __forceinline__ Pixel
load_pixel (const GpucclWork &w, int x, int y, bool *unknown)
{
  const GpucclFrame &f = w.frame;
  bool inside = x >= 0 && y >= 0 && x < f.width && y < f.height;
  bool mapped = inside && f.source != GPUCCL_DEPTH_ONLY;
  uint8_t value = 0;
  Pixel p = {false, 0, 0};

  if (mapped)
    value = f.map[(size_t) y * f.map_stride + x * f.map_step];
  if (DEPTH && inside) {
    p.z = gpuccl_depth_row (&f, y)[x];
    p.link = gpuccl_link_depth (&w, x, y);
  }
  p.foreground = mapped ? gpuccl_is_foreground (&w.values, value) : inside;
  *unknown |= mapped && value > w.values.last;
  if (DEPTH)
    p.foreground = p.foreground && p.z;
  if (!p.foreground)
    p.z = p.link = 0;
  return p;
}

template <bool DEPTH>
static __device__ __forceinline__ bool
linked (const GpucclWork &w, bool both, uint32_t a, uint32_t b)
{
  return both && (!DEPTH || gpuccl_linked (&w.link, a, b));
}

/* The links of a row of the tile, bit i for pixel i; those that leave the tile
 * sideways are left out. */
struct RowLinks {
  uint32_t foreground, left, up, up_left, up_right;
};

template <bool DEPTH, bool EIGHT>
static __device__ __forceinline__ RowLinks
row_links (const GpucclWork &w, const Pixel &p, const Pixel &above, int lane)
{
  RowLinks r = {0, 0, 0, 0, 0};
  uint32_t up = __ballot_sync (ALL_LANES, above.foreground), z;

  r.foreground = __ballot_sync (ALL_LANES, p.foreground);
  z = __shfl_up_sync (ALL_LANES, p.link, 1);
  r.left = __ballot_sync (ALL_LANES,
      linked<DEPTH> (
          w, r.foreground & r.foreground << 1 & 1u << lane, p.link, z));
  r.up = __ballot_sync (ALL_LANES,
      linked<DEPTH> (w, p.foreground && above.foreground, p.link, above.link));
  if (EIGHT) {
    z = __shfl_up_sync (ALL_LANES, above.link, 1);
    r.up_left = __ballot_sync (ALL_LANES,
        linked<DEPTH> (w, r.foreground & up << 1 & 1u << lane, p.link, z));
    z = __shfl_down_sync (ALL_LANES, above.link, 1);
    r.up_right = __ballot_sync (ALL_LANES,
        linked<DEPTH> (w, r.foreground & up >> 1 & 1u << lane, p.link, z));
  }
  return r;
}
