/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Second kernel of the fused method: fragments that hang together are joined.
 */
#include "common/union.cuh"
#include "moct/moct_cuda.cuh"

/* A tile's header in registers. */
struct Header {
  uint32_t cls[3];
  int32_t more;
};

static __device__ __forceinline__ Header
load_header (const MoctWork &w, int tile)
{
  uint4 v = *(const uint4 *) &w.tiles[tile];
  Header h = {{v.x, v.y, v.z}, (int32_t) v.w};

  return h;
}

static __device__ __forceinline__ uint32_t
class_in (const Header &h, int slot)
{
  uint32_t pair = slot < 2 ? h.cls[0] : slot < 4 ? h.cls[1] : h.cls[2];

  return pair >> 16 * (slot & 1) & 0xffff;
}

static __device__ __forceinline__ void
join_pair (const MoctWork &w, MoctCursor a, MoctCursor b)
{
  if (moct_boxes_near (
          moct_cursor_box (&w, a), moct_cursor_box (&w, b), w.merge_distance))
    unite (w.parents, (uint32_t) a.at, (uint32_t) b.at);
}

/* Two tiles of which one has more classes than slots. */
static __device__ __noinline__ void
join_crowded (const MoctWork &w, int tile, int other)
{
  for (MoctCursor a = moct_first (&w, tile); a.cls; a = moct_next (&w, a))
    for (MoctCursor b = moct_first (&w, other); b.cls; b = moct_next (&w, b))
      if (a.cls == b.cls)
        join_pair (w, a, b);
}

static __device__ __forceinline__ void
join (const MoctWork &w, int tile, const Header &h, int other, const Header &g)
{
  for (int i = 0; i < MOCT_SLOTS && class_in (h, i); i++)
    for (int k = 0; k < MOCT_SLOTS && class_in (g, k); k++)
      if (class_in (h, i) == class_in (g, k)) {
        MoctCursor a = {tile, tile * MOCT_SLOTS + i, class_in (h, i)};
        MoctCursor b = {other, other * MOCT_SLOTS + k, a.cls};

        join_pair (w, a, b);
      }
}

/* A thread for each tile; blockIdx.z: which neighbour it is joined to. */
static __global__ void
join_kernel (const __grid_constant__ MoctWork w)
{
  int tx = blockIdx.x * blockDim.x + threadIdx.x;
  int ty = blockIdx.y * blockDim.y + threadIdx.y;
  int other = moct_neighbour (&w, tx, ty, (int) blockIdx.z);
  int tile = ty * w.tiles_x + tx;

  allow_next ();
  await_previous ();
  if (tx >= w.tiles_x || ty >= w.tiles_y || other < 0)
    return;

  Header h = load_header (w, tile), g = load_header (w, other);

  if (h.more || g.more)
    join_crowded (w, tile, other);
  else
    join (w, tile, h, other, g);
}

cudaKernelNodeParams
moct_join_node (const MoctWork *w, void **args)
{
  return moct_node (join_kernel,
      dim3 (ceil_div (w->tiles_x, 32), ceil_div (w->tiles_y, 4),
          moct_n_neighbours (w)),
      dim3 (32, 4), args);
}
