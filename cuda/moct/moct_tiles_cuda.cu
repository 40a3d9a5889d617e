/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * First kernel of the fused method: the fragments of every tile, or, where no
 * blobs are asked for, the sums of every colour.
 *
 * A block reads 64 x 64 pixels, a warp 32 x 16, two tiles.  Lane 4 p + h has
 * row pair p of columns 8 h to 8 h + 7: 8 x 2 pixels, which in 4:2:0 share four
 * chroma samples.  Chroma is read first; where none of the four occurs in any
 * class the luma is never read.  Then the sixteen lanes of a tile agree on the
 * lowest class that is left, add up its pixels by a butterfly, and go on until
 * none is left. */
#include "moct/moct_load.cuh"
#include "moct/moct_add.cuh"

#define BLOCK_TILES 4 /* along each side of a block */
#define WARPS (BLOCK_TILES * BLOCK_TILES / 2)

/* The lowest class that a lane has left. */
static __device__ __forceinline__ uint32_t
lowest (const Classes &c)
{
  uint32_t least = ALL_LANES;

#pragma unroll
  for (int r = 0; r < 2; r++)
#pragma unroll
    for (int i = 0; i < 4; i++)
      least = __vminu2 (least, c.pair[r][i]);
  return min (least & 0xffff, least >> 16);
}

/* Takes class @cls out; bit 8 r + i of the result: pixel i of row r was of
 * it. */
static __device__ __forceinline__ uint32_t
take (Classes *c, uint32_t cls)
{
  uint32_t mask = 0, twice = cls | cls << 16;

#pragma unroll
  for (int r = 0; r < 2; r++)
#pragma unroll
    for (int i = 0; i < 4; i++) {
      uint32_t same = __vcmpeq2 (c->pair[r][i], twice);

      mask |= ((same & 1) | (same >> 30 & 2)) << (8 * r + 2 * i);
      c->pair[r][i] |= same;
    }
  return mask;
}

/* The pixels of a lane at (@x0, @y) that lie in @in, as take () numbers
 * them. */
static __device__ __forceinline__ uint32_t
inside (const ImageBox &in, int x0, int y)
{
  int a = min (max (in.x0 - x0, 0), 8), b = min (max (in.x1 - x0, 0), 8);
  uint32_t columns = a < b ? (1u << b) - (1u << a) : 0;

  return (y >= in.y0 && y < in.y1 ? columns : 0) |
      (y + 1 >= in.y0 && y + 1 < in.y1 ? columns << 8 : 0);
}

/* What moct_fragment_add_row () adds for the two rows of a lane, whose pixels
 * start at (@x, @y) of the tile.  Sums of positions and of their squares are
 * counts of bits: those whose position has bit 0, bits 0 and 1, and so on,
 * which unlike runs take the same steps in every lane. */
static __device__ __forceinline__ MoctFragment
lane_fragment (uint32_t m, uint32_t x, uint32_t y)
{
  uint32_t n = __popc (m), lower_n = __popc (m >> 8);
  uint32_t b0 = __popc (m & 0xaaaa), b1 = __popc (m & 0xcccc),
           b2 = __popc (m & 0xf0f0);
  uint32_t xx = b0 + 4 * b1 + 16 * b2 + 4 * __popc (m & 0x8888) +
      8 * __popc (m & 0xa0a0) + 16 * __popc (m & 0xc0c0);
  uint32_t sx = b0 + 2 * b1 + 4 * b2;
  uint32_t lower_x = __popc (m & 0xaa00) + 2 * __popc (m & 0xcc00) +
      4 * __popc (m & 0xf000) + x * lower_n;
  uint32_t rows = (m & 0xff ? 1u : 0) | (m >> 8 ? 2u : 0);
  MoctFragment f;

  xx += 2 * x * sx + x * x * n;
  sx += x * n;
  f.xx_yy = xx | (n * y * y + lower_n * (2 * y + 1)) << 16;
  f.xy_x = (sx * y + lower_x) | sx << 16;
  f.n_y = n | (n * y + lower_n) << 16;
  f.extent = ((m | m >> 8) & 0xff) << x | rows << (16 + y);
  return f;
}

/* Over the sixteen lanes of a tile: those whose numbers differ in bits 0, 2, 3
 * and 4. */
#define TILE_LANES(step) \
 for (int step = 1; step < 32; step = step == 1 ? 4 : 2 * step)

static __device__ __forceinline__ void
add_up (MoctFragment *f)
{
#pragma unroll
  TILE_LANES (step)
  {
    f->xx_yy += __shfl_xor_sync (ALL_LANES, f->xx_yy, step);
    f->xy_x += __shfl_xor_sync (ALL_LANES, f->xy_x, step);
    f->n_y += __shfl_xor_sync (ALL_LANES, f->n_y, step);
    f->extent |= __shfl_xor_sync (ALL_LANES, f->extent, step);
  }
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

/* What a lane works on. */
struct Lane {
  int tx, ty; /* tile */
  int x, y;   /* first pixel, in the tile */
  int number; /* in the tile, from 0 */
};

/* Calls @emit (class, fragment) for all lanes of a tile, class by class, as
 * long as one of the warp's two tiles has any left. */
template <typename Emit>
static __device__ __forceinline__ void
for_each_class (const MoctWork &w, const Lane &l, Classes *c, Emit emit)
{
  for (;;) {
    uint32_t cls = lowest (*c), m = 0;
    MoctFragment f;

#pragma unroll
    TILE_LANES (step)
    cls = min (cls, __shfl_xor_sync (ALL_LANES, cls, step));
    if (__all_sync (ALL_LANES, cls == NONE))
      return;
    if (cls != NONE) {
      m = take (c, cls);
      if (w.windowed)
        m &= inside (
            w.windows[cls - 1], l.tx * MOCT_TILE + l.x, l.ty * MOCT_TILE + l.y);
    }
    f = lane_fragment (m, l.x, l.y);
    add_up (&f);
    if (f.extent)
      emit (cls, f);
  }
}

static __device__ __forceinline__ void
write_tile (const MoctWork &w, const Lane &l, Classes *c)
{
  int tile = l.ty * w.tiles_x + l.tx;
  Header h = {{0, 0, 0}, -1, 0};

  for_each_class (w, l, c, [&] (uint32_t cls, const MoctFragment &f) {
    if (l.number == 0)
      write_fragment (w, tile, cls, f, &h);
  });
  if (l.number == 0 && l.tx < w.tiles_x && l.ty < w.tiles_y)
    *(uint4 *) &w.tiles[tile] =
        make_uint4 (h.cls[0], h.cls[1], h.cls[2], (uint32_t) h.more);
}

static __device__ __forceinline__ void
add_tile (const MoctWork &w, const Lane &l, Classes *c)
{
  for_each_class (w, l, c, [&] (uint32_t cls, const MoctFragment &f) {
    moct_sum_add_lane (
        &w.colour_sums[cls - 1], moct_fragment_sum (&f, l.tx, l.ty), l.number);
  });
}

template <ImageFormat F, bool VECTOR, bool BLOBS>
static __global__ void __launch_bounds__ (32 * WARPS)
    tiles_kernel (const __grid_constant__ MoctWork w)
{
  int blocks_x = ceil_div (w.tiles_x, BLOCK_TILES);
  int warp = threadIdx.x / 32, h = threadIdx.x % 4, p = threadIdx.x % 32 / 4;
  Lane l = {(int) blockIdx.x % blocks_x * BLOCK_TILES + warp % 2 * 2 + h / 2,
      (int) blockIdx.x / blocks_x * BLOCK_TILES + warp / 2, 8 * (h % 2), 2 * p,
      2 * p + h % 2};
  int x = l.tx * MOCT_TILE + l.x, y = l.ty * MOCT_TILE + l.y;
  Classes c;

  clear_classes (&c);
  if (x < w.frame.width && y < w.frame.height)
    classify<F, VECTOR> (w, x, y, &c);
  if (BLOBS)
    write_tile (w, l, &c);
  else
    add_tile (w, l, &c);
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
