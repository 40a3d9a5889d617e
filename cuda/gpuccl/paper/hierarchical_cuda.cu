/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Hierarchical merging (section 3.3, figure 3): components of small tiles in
 * shared memory, then of 4 x 4 tiles, of 4 x 4 of these, and so on.  Frames may
 * have any size. */
#include "gpuccl/gpuccl_cuda.cuh"
#include "gpuccl/paper/equivalence_core.h"

#define TILE 16
#define GROUP 4

/* The neighbours in the tile that are linked to the thread's pixel, which is
 * foreground: bit 3 (dy + 1) + dx + 1.  @labels are the tile's. */
static __device__ uint32_t
links_in_tile (const GpucclWork &w, const uint32_t labels[], int x, int y)
{
  int tx = threadIdx.x, ty = threadIdx.y;
  uint32_t links = 0;

  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      if ((dx || dy) && (w.connectivity == 8 || !dx || !dy) && tx + dx >= 0 &&
          tx + dx < TILE && ty + dy >= 0 && ty + dy < TILE &&
          labels[(ty + dy) * TILE + tx + dx] &&
          gpuccl_linked_at (&w, x, y, x + dx, y + dy))
        links |= 1u << (3 * (dy + 1) + dx + 1);
  return links;
}

static __device__ __forceinline__ uint32_t
min_in_tile (const uint32_t labels[], int at, uint32_t links)
{
  uint32_t min_label = labels[at];

  for (int i = 0; i < 9; i++)
    if (links >> i & 1)
      GPUCCL_LOWER (min_label, labels[at + (i / 3 - 1) * TILE + i % 3 - 1]);
  return min_label;
}

/* Kernel 1: a block solves a tile by improved label equivalence.  Between two
 * barriers, labels are either read or written. */
static __global__ void
__launch_bounds__ (TILE *TILE)
    solve_tile_kernel (const __grid_constant__ GpucclWork w)
{
  __shared__ uint32_t labels[TILE * TILE];
  int x = gpuccl_x (), y = gpuccl_y (), at = threadIdx.y * TILE + threadIdx.x;
  bool inside = x < w.frame.width && y < w.frame.height;
  uint32_t label = inside && gpuccl_first_label (&w, x, y) ? at + 1 : 0;
  uint32_t links = 0, min_label;

  labels[at] = label;
  __syncthreads ();
  if (label)
    links = links_in_tile (w, labels, x, y);
  for (;;) {
    min_label = label ? min_in_tile (labels, at, links) : 0;
    if (!__syncthreads_or (min_label < label))
      break;
    if (min_label < label)
      atomicMin (&labels[label - 1], min_label);
    __syncthreads ();
    label = label ? gpuccl_root (labels, label) : 0;
    __syncthreads ();
    labels[at] = label;
    __syncthreads ();
  }
  if (!inside)
    return;
  if (label)
    label = (uint32_t) ((y - (int) threadIdx.y + (int) (label - 1) / TILE) *
                    w.frame.width +
                x - (int) threadIdx.x + (int) (label - 1) % TILE) +
        1;
  w.labels[(size_t) y * w.frame.width + x] = label;
}

/* Joins the trees of two labels: the higher root gets the lower one as parent,
 * whatever other threads do at the same time. */
static __device__ void
join_trees (uint32_t *labels, uint32_t a, uint32_t b)
{
  for (;;) {
    uint32_t high, low, before;

    a = gpuccl_root (labels, a);
    b = gpuccl_root (labels, b);
    if (a == b)
      return;
    high = max (a, b), low = min (a, b);
    before = atomicMin (&labels[high - 1], low);
    if (before == high)
      return;
    a = before, b = low;
  }
}

/* Kernel 2 for one pixel: joins it to its neighbours in the column before it
 * or, with @up, in the row above. */
static __device__ void
merge_pixel_cuda (const GpucclWork &w, int x, int y, bool up)
{
  ImageBox all = {0, 0, w.frame.width, w.frame.height};
  uint32_t label = w.labels[(size_t) y * w.frame.width + x], other;
  int reach = w.connectivity == 8;

  for (int k = -reach; k <= reach && label; k++)
    if (gpuccl_neighbour (&w, w.labels, all, x, y, up ? x + k : x - 1,
            up ? y - 1 : y + k, &other))
      join_trees (w.labels, label, other);
}

/* Kernel 3 for one pixel. */
static __device__ void
update_pixel_cuda (const GpucclWork &w, int x, int y)
{
  uint32_t *label = &w.labels[(size_t) y * w.frame.width + x];

  if (*label)
    *label = gpuccl_root (w.labels, *label);
}

/* The number of borders between tiles of side @tile that are in one group; the
 * position of border @i. */
BOTH int
n_borders (int side, int tile)
{
  int n = (side - 1) / tile;

  return n - n / GROUP;
}

BOTH int
border_at (int i, int tile)
{
  return (i / (GROUP - 1) * GROUP + i % (GROUP - 1) + 1) * tile;
}

/* The pixel behind a border for thread @i; the borders of columns come first.
 * Returns whether there is such a pixel. */
static __device__ bool
border_pixel (const GpucclFrame &f, int tile, int i, int *x, int *y, bool *up)
{
  int columns = n_borders (f.width, tile) * f.height;
  int rows = n_borders (f.height, tile) * f.width;

  *up = i >= columns;
  if (!*up) {
    *x = border_at (i / f.height, tile);
    *y = i % f.height;
    return true;
  }
  *x = (i - columns) % f.width;
  *y = border_at ((i - columns) / f.width, tile);
  return i < columns + rows;
}

static __global__ void
merge_borders_kernel (const __grid_constant__ GpucclWork w, int tile)
{
  int x, y, i = blockIdx.x * blockDim.x + threadIdx.x;
  bool up;

  if (border_pixel (w.frame, tile, i, &x, &y, &up))
    merge_pixel_cuda (w, x, y, up);
}

static __global__ void
update_borders_kernel (const __grid_constant__ GpucclWork w, int tile)
{
  int x, y, i = blockIdx.x * blockDim.x + threadIdx.x;
  bool up;

  if (!border_pixel (w.frame, tile, i, &x, &y, &up))
    return;
  update_pixel_cuda (w, x, y);
  update_pixel_cuda (w, x - !up, y - up);
}

/* Kernel 4. */
static __global__ void
flatten_labels_kernel (const __grid_constant__ GpucclWork w)
{
  int x = gpuccl_x (), y = gpuccl_y ();

  if (gpuccl_is_first_thread ())
    w.result->iterations = 0;
  if (x < w.frame.width && y < w.frame.height)
    update_pixel_cuda (w, x, y);
}

const char *
gpuccl_hierarchical_cuda (const Device *dev, const GpucclWork *w)
{
  const GpucclFrame *f = &w->frame;
  cudaStream_t stream = device_stream (dev);

  solve_tile_kernel<<<dim3 (ceil_div (f->width, TILE),
                          ceil_div (f->height, TILE)),
      dim3 (TILE, TILE), 0, stream>>> (*w);
  for (int tile = TILE; tile < f->width || tile < f->height; tile *= GROUP) {
    int n = n_borders (f->width, tile) * f->height +
        n_borders (f->height, tile) * f->width;

    merge_borders_kernel<<<ceil_div (n, 256), 256, 0, stream>>> (*w, tile);
    update_borders_kernel<<<ceil_div (n, 256), 256, 0, stream>>> (*w, tile);
  }
  flatten_labels_kernel<<<gpuccl_blocks (f), gpuccl_threads (), 0, stream>>> (
      *w);
  CUDA_TRY (cudaGetLastError ());
  return NULL;
}
