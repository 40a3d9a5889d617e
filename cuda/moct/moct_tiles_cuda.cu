/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * First kernel of the fused method: the fragments of every tile, or, where no
 * blobs are asked for, the sums of every colour.
 *
 * A warp reads a tile, 16 x 16 pixels: lane 2 r + h the pixels 8 h to 8 h + 7
 * of row r.  The lanes agree on the lowest class that is left, add up its
 * pixels, and go on until none is left. */
#include "moct/moct_load.cuh"
#include "moct/moct_report.cuh"

#define BLOCK_TILES 4 /* along each side of a block */
#define WARPS (BLOCK_TILES * BLOCK_TILES)

/* Over the lanes of a warp. */
static __device__ __forceinline__ uint32_t
warp_min (uint32_t v)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_min_sync (ALL_LANES, v);
#else
  for (int step = 16; step; step /= 2)
    v = min (v, __shfl_xor_sync (ALL_LANES, v, step));
  return v;
#endif
}

static __device__ __forceinline__ uint32_t
warp_add (uint32_t v)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync (ALL_LANES, v);
#else
  for (int step = 16; step; step /= 2)
    v += __shfl_xor_sync (ALL_LANES, v, step);
  return v;
#endif
}

static __device__ __forceinline__ uint32_t
warp_or (uint32_t v)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_or_sync (ALL_LANES, v);
#else
  for (int step = 16; step; step /= 2)
    v |= __shfl_xor_sync (ALL_LANES, v, step);
  return v;
#endif
}

/* The lowest class that a lane has left. */
static __device__ __forceinline__ uint32_t
lowest (const Classes &c)
{
  uint32_t least = __vminu2 (
      __vminu2 (c.pair[0], c.pair[1]), __vminu2 (c.pair[2], c.pair[3]));

  return min (least & 0xffff, least >> 16);
}

/* Takes class @cls out; bit i of the result: pixel i was of it. */
static __device__ __forceinline__ uint32_t
take (Classes *c, uint32_t cls)
{
  uint32_t mask = 0, twice = cls | cls << 16;

#pragma unroll
  for (int i = 0; i < 4; i++) {
    uint32_t same = __vcmpeq2 (c->pair[i], twice);

    mask |= ((same & 1) | (same >> 30 & 2)) << 2 * i;
    c->pair[i] |= same;
  }
  return mask;
}

/* The pixels of a lane at (@x, @y) that lie in @in, as take () numbers them. */
static __device__ __forceinline__ uint32_t
inside (const ImageBox &in, int x, int y)
{
  int a = min (max (in.x0 - x, 0), 8), b = min (max (in.x1 - x, 0), 8);

  return a < b && y >= in.y0 && y < in.y1 ? (1u << b) - (1u << a) : 0;
}

/* What moct_fragment_add_row () adds for the eight pixels of a lane from
 * (@x, @y) of the tile on.  Sums of positions and of their squares are counts
 * of bits: those whose position has bit 0, bits 0 and 1, and so on, which
 * unlike runs take the same steps in every lane. */
static __device__ __forceinline__ MoctFragment
lane_fragment (uint32_t m, uint32_t x, uint32_t y)
{
  uint32_t n = __popc (m);
  uint32_t b0 = __popc (m & 0xaa), b1 = __popc (m & 0xcc),
           b2 = __popc (m & 0xf0);
  uint32_t sx = b0 + 2 * b1 + 4 * b2;
  uint32_t xx = b0 + 4 * b1 + 16 * b2 + 4 * __popc (m & 0x88) +
      8 * __popc (m & 0xa0) + 16 * __popc (m & 0xc0);
  MoctFragment f;

  xx += 2 * x * sx + x * x * n;
  sx += x * n;
  f.xx_yy = xx | (n * y * y) << 16;
  f.xy_x = sx * y | sx << 16;
  f.n_y = n | (n * y) << 16;
  f.extent = m << x | (m ? 1u : 0) << (16 + y);
  return f;
}

static __device__ __forceinline__ MoctFragment
add_up (const MoctFragment &f)
{
  MoctFragment sum = {warp_add (f.xx_yy), warp_add (f.xy_x), warp_add (f.n_y),
      warp_or (f.extent)};

  return sum;
}

/* The tile's header while it is filled. */
struct Header {
  uint32_t cls[3];
  int32_t more;
  int used;
};

static __device__ __forceinline__ void
write_fragment (
    const MoctWork &w, int tile, uint32_t cls, const MoctFragment &f, Header *h)
{
  int at = tile * MOCT_SLOTS + h->used;

  if (h->used < MOCT_SLOTS) {
#pragma unroll
    for (int i = 0; i < 3; i++)
      if (h->used / 2 == i)
        h->cls[i] |= cls << 16 * (h->used % 2);
    h->used++;
  } else {
    int k = (int) atomicAdd (&w.counters[MOCT_OVERFLOW], 1u);

    if (k >= w.max_overflow)
      return;
    w.overflow[k].tile = (uint32_t) tile;
    w.overflow[k].cls = cls;
    w.overflow[k].next = h->more;
    h->more = k;
    at = moct_n_slots (&w) + k;
  }
  *(uint4 *) &w.fragments[at] = make_uint4 (f.xx_yy, f.xy_x, f.n_y, f.extent);
  w.parents[at] = (uint32_t) at;
}

/* Calls @emit (class, fragment) for each class of the tile at (@tx, @ty). */
template <typename Emit>
static __device__ __forceinline__ void
for_each_class (const MoctWork &w, int tx, int ty, Classes *c, Emit emit)
{
  int x = threadIdx.x % 2 * 8, y = threadIdx.x % 32 / 2;

  for (;;) {
    uint32_t cls = warp_min (lowest (*c)), m;
    MoctFragment f;

    if (cls == NONE)
      return;
    m = take (c, cls);
    if (w.windowed)
      m &= inside (w.windows[cls - 1], tx * MOCT_TILE + x, ty * MOCT_TILE + y);
    f = add_up (lane_fragment (m, x, y));
    if (f.extent)
      emit (cls, f);
  }
}

static __device__ __forceinline__ void
write_tile (const MoctWork &w, int tx, int ty, Classes *c)
{
  int tile = ty * w.tiles_x + tx;
  Header h = {{0, 0, 0}, -1, 0};

  for_each_class (w, tx, ty, c, [&] (uint32_t cls, const MoctFragment &f) {
    if (threadIdx.x % 32 == 0)
      write_fragment (w, tile, cls, f, &h);
  });
  if (threadIdx.x % 32 == 0)
    *(uint4 *) &w.tiles[tile] =
        make_uint4 (h.cls[0], h.cls[1], h.cls[2], (uint32_t) h.more);
}

static __device__ __forceinline__ void
add_tile (const MoctWork &w, int tx, int ty, Classes *c)
{
  for_each_class (w, tx, ty, c, [&] (uint32_t cls, const MoctFragment &f) {
    moct_sum_add_lane (&w.colour_sums[cls - 1], moct_fragment_sum (&f, tx, ty),
        threadIdx.x % 32);
  });
}

/* So many at a time: more would take the L1 cache from the tables. */
#define REPORT 128

/* The last block's: reports the sums, and clears them for the next frame. */
static __device__ __noinline__ void
report_colours (const MoctWork &w)
{
  __shared__ MoctReport<REPORT> report;

  moct_report_begin (&report);
  for (int first = 0; first < w.n_colours; first += REPORT) {
    int k = first + (int) threadIdx.x;
    bool mine = threadIdx.x < REPORT && k < w.n_colours;
    MoctSum sum, empty;

    moct_sum_clear (&empty);
    if (mine) {
      sum = moct_sum_load (&w.colour_sums[k]);
      w.colour_sums[k] = empty;
    }
    moct_report_step (w, &report, mine, sum, k + 1);
  }
  moct_report_end (w, &report);
}

template <ImageFormat F, bool VECTOR, bool BLOBS>
static __global__ void __launch_bounds__ (32 * WARPS)
    tiles_kernel (const __grid_constant__ MoctWork w)
{
  int blocks_x = ceil_div (w.tiles_x, BLOCK_TILES), warp = threadIdx.x / 32;
  int tx = blockIdx.x % blocks_x * BLOCK_TILES + warp % BLOCK_TILES;
  int ty = blockIdx.x / blocks_x * BLOCK_TILES + warp / BLOCK_TILES;
  int x = tx * MOCT_TILE + threadIdx.x % 2 * 8;
  int y = ty * MOCT_TILE + threadIdx.x % 32 / 2;
  Classes c;

  clear_classes (&c);
  if (x < w.frame.width && y < w.frame.height)
    classify<F, VECTOR> (w, x, y, &c);
  if (BLOBS && tx < w.tiles_x && ty < w.tiles_y)
    write_tile (w, tx, ty, &c);
  if (BLOBS)
    return;
  add_tile (w, tx, ty, &c);
  if (moct_is_last_block (w))
    report_colours (w);
}

/* Whether every row of every plane starts at a multiple of 16 bytes. */
static bool
is_aligned (const Image *img)
{
  for (int p = 0; p < image_planes (img->format); p++)
    if ((uintptr_t) img->plane[p] % 16 || img->stride[p] % 16)
      return false;
  return true;
}

template <bool BLOBS>
static MoctKernel
kernel_of (const Image *frame)
{
  if (is_aligned (frame))
    switch (frame->format) {
      case IMAGE_NV12:
        return tiles_kernel<IMAGE_NV12, true, BLOBS>;
      case IMAGE_I420:
        return tiles_kernel<IMAGE_I420, true, BLOBS>;
      case IMAGE_P010:
        return tiles_kernel<IMAGE_P010, true, BLOBS>;
      case IMAGE_YUY2:
        return tiles_kernel<IMAGE_YUY2, true, BLOBS>;
      case IMAGE_RGBA:
        return tiles_kernel<IMAGE_RGBA, true, BLOBS>;
      case IMAGE_BGRA:
        return tiles_kernel<IMAGE_BGRA, true, BLOBS>;
      case IMAGE_RGB:
        return tiles_kernel<IMAGE_RGB, true, BLOBS>;
      case IMAGE_BGR:
        return tiles_kernel<IMAGE_BGR, true, BLOBS>;
      default:
        break;
    }
  return tiles_kernel<IMAGE_GRAY8, false, BLOBS>;
}

MoctKernel
moct_tiles_kernel (const MoctWork *w)
{
  return w->blobs ? kernel_of<true> (&w->frame) : kernel_of<false> (&w->frame);
}

cudaKernelNodeParams
moct_tiles_node (const MoctWork *w, void **args)
{
  return moct_node (moct_tiles_kernel (w),
      ceil_div (w->tiles_x, BLOCK_TILES) * ceil_div (w->tiles_y, BLOCK_TILES),
      32 * WARPS, args);
}

static __global__ void
clear_kernel (MoctSum *sums)
{
  moct_sum_clear (&sums[threadIdx.x]);
}

const char *
moct_clear_colours (const Device *dev, const MoctWork *w)
{
  clear_kernel<<<1, MOCT_MAX_COLOURS, 0, device_stream (dev)>>> (
      w->colour_sums);
  CUDA_TRY (cudaGetLastError ());
  return NULL;
}
