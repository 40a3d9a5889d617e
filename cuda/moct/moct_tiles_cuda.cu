/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * First kernel of the fused method: the fragments of every tile.
 *
 * A warp reads 64 x 16 pixels, four tiles.  Lane 4 p + t has row pair p of
 * tile t: 16 x 2 pixels, which in 4:2:0 share 8 chroma samples.  Chroma is
 * read first; where none of the 8 occurs in any class the luma is never
 * read.  Then the lanes of a tile agree on the lowest class that is left,
 * add up its rows by a butterfly, and go on until none is left. */
#include "moct/moct_cuda.cuh"

#define WARPS 8
#define NONE 0xffffu
#define ALL 0xffffffffu

/* Classes of 16 x 2 pixels, two in a word, NONE where there is none. */
struct Classes {
  uint32_t pair[2][8];
};

/* 16 pixels of a row: bytes of the first component in order, and of the
 * others at half resolution. */
struct Luma {
  uint32_t y[4];
};

struct Chroma {
  uint32_t u[2], v[2];
};

static __device__ __forceinline__ uint4
load16 (const uint8_t *p)
{
  return __ldg ((const uint4 *) p);
}

static __device__ __forceinline__ unsigned
byte_of (const uint32_t *words, int i)
{
  return words[i / 4] >> (8 * (i % 4)) & 0xff;
}

/* Bytes 0 and 2 (1 and 3) of two words. */
static __device__ __forceinline__ uint32_t
even_bytes (uint32_t a, uint32_t b)
{
  return __byte_perm (a, b, 0x6420);
}

static __device__ __forceinline__ uint32_t
odd_bytes (uint32_t a, uint32_t b)
{
  return __byte_perm (a, b, 0x7531);
}

template <ImageFormat F>
static __device__ __forceinline__ Luma
load_luma (const Image &img, int x0, int y)
{
  const uint8_t *row = img.plane[0] + (size_t) y * img.stride[0];
  Luma l;

  if (F == IMAGE_NV12 || F == IMAGE_I420) {
    uint4 a = load16 (row + x0);

    l.y[0] = a.x, l.y[1] = a.y, l.y[2] = a.z, l.y[3] = a.w;
  } else {
    uint4 a = load16 (row + 2 * x0), b = load16 (row + 2 * x0 + 16);

    if (F == IMAGE_P010) {
      l.y[0] = odd_bytes (a.x, a.y), l.y[1] = odd_bytes (a.z, a.w);
      l.y[2] = odd_bytes (b.x, b.y), l.y[3] = odd_bytes (b.z, b.w);
    } else {
      l.y[0] = even_bytes (a.x, a.y), l.y[1] = even_bytes (a.z, a.w);
      l.y[2] = even_bytes (b.x, b.y), l.y[3] = even_bytes (b.z, b.w);
    }
  }
  return l;
}

/* De-interleaves u v u v … */
static __device__ __forceinline__ Chroma
split (uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
  Chroma s;

  s.u[0] = even_bytes (a, b), s.u[1] = even_bytes (c, d);
  s.v[0] = odd_bytes (a, b), s.v[1] = odd_bytes (c, d);
  return s;
}

template <ImageFormat F>
static __device__ __forceinline__ Chroma
load_chroma (const Image &img, int x0, int y)
{
  size_t row = y / 2;

  if (F == IMAGE_I420) {
    uint2 u =
        __ldg ((const uint2 *) (img.plane[1] + row * img.stride[1] + x0 / 2));
    uint2 v =
        __ldg ((const uint2 *) (img.plane[2] + row * img.stride[2] + x0 / 2));
    Chroma c = {{u.x, u.y}, {v.x, v.y}};

    return c;
  }
  if (F == IMAGE_NV12) {
    uint4 a = load16 (img.plane[1] + row * img.stride[1] + x0);

    return split (a.x, a.y, a.z, a.w);
  }
  /* words of 16 bits, upper bytes; or Y U Y V: the odd bytes in both */
  const uint8_t *p = F == IMAGE_P010
      ? img.plane[1] + row * img.stride[1] + 2 * x0
      : img.plane[0] + (size_t) y * img.stride[0] + 2 * x0;
  uint4 a = load16 (p), b = load16 (p + 16);

  return split (odd_bytes (a.x, a.y), odd_bytes (a.z, a.w),
      odd_bytes (b.x, b.y), odd_bytes (b.z, b.w));
}

static __device__ __forceinline__ uint32_t
class_or_none (const MoctTable &t, unsigned c0, unsigned c1, unsigned c2)
{
  uint32_t cls = moct_class (&t, c0, c1, c2);

  return cls ? cls : NONE;
}

/* Bit i: chroma sample i occurs in a class. */
static __device__ __forceinline__ unsigned
candidates (const MoctTable &t, const Chroma &c)
{
  unsigned pairs = 0;

#pragma unroll
  for (int i = 0; i < 8; i++)
    pairs |= (unsigned) moct_chroma (&t, byte_of (c.u, i), byte_of (c.v, i))
        << i;
  return pairs;
}

static __device__ __forceinline__ void
classify_row (const MoctTable &t, const Luma &l, const Chroma &c,
    unsigned pairs, uint32_t out[8])
{
#pragma unroll
  for (int i = 0; i < 8; i++)
    if (pairs >> i & 1) {
      unsigned u = byte_of (c.u, i), v = byte_of (c.v, i);

      out[i] = class_or_none (t, byte_of (l.y, 2 * i), u, v) |
          class_or_none (t, byte_of (l.y, 2 * i + 1), u, v) << 16;
    }
}

template <ImageFormat F>
static __device__ __forceinline__ void
classify_yuv (const MoctWork &w, int x0, int y, Classes *out)
{
  Chroma c = load_chroma<F> (w.frame, x0, y);
  unsigned pairs = candidates (w.table, c);

  if (pairs)
    classify_row (
        w.table, load_luma<F> (w.frame, x0, y), c, pairs, out->pair[0]);
  if (y + 1 >= w.frame.height)
    return;
  if (F == IMAGE_YUY2) {
    c = load_chroma<F> (w.frame, x0, y + 1);
    pairs = candidates (w.table, c);
  }
  if (pairs)
    classify_row (
        w.table, load_luma<F> (w.frame, x0, y + 1), c, pairs, out->pair[1]);
}

/* Four pixels of four bytes. */
template <ImageFormat F>
static __device__ __forceinline__ void
classify_quad (const MoctTable &t, const uint4 &q, uint32_t out[2])
{
  const uint32_t px[4] = {q.x, q.y, q.z, q.w};
  uint32_t cls[4];

#pragma unroll
  for (int i = 0; i < 4; i++) {
    unsigned a = px[i] & 0xff, g = px[i] >> 8 & 0xff, b = px[i] >> 16 & 0xff;

    cls[i] = F == IMAGE_RGBA ? class_or_none (t, a, g, b)
                             : class_or_none (t, b, g, a);
  }
  out[0] = cls[0] | cls[1] << 16;
  out[1] = cls[2] | cls[3] << 16;
}

template <ImageFormat F>
static __device__ __forceinline__ void
classify_rgba (const MoctWork &w, int x0, int y, Classes *out)
{
  uint4 px[2][4];
  bool second = y + 1 < w.frame.height;

#pragma unroll
  for (int r = 0; r < 2; r++)
#pragma unroll
    for (int i = 0; i < 4; i++)
      px[r][i] = load16 (w.frame.plane[0] +
          (size_t) (y + (second ? r : 0)) * w.frame.stride[0] + 4 * x0 +
          16 * i);
#pragma unroll
  for (int i = 0; i < 4; i++)
    classify_quad<F> (w.table, px[0][i], &out->pair[0][2 * i]);
  if (second)
#pragma unroll
    for (int i = 0; i < 4; i++)
      classify_quad<F> (w.table, px[1][i], &out->pair[1][2 * i]);
}

/* Pixel by pixel, whatever the alignment and the width; the format is F where
 * VECTOR, else the frame's. */
template <ImageFormat F, bool VECTOR>
static __device__ __forceinline__ void
classify_any (const MoctWork &w, int x0, int y, Classes *out)
{
  Image frame = w.frame;

  if (VECTOR)
    frame.format = F;
#pragma unroll
  for (int r = 0; r < 2; r++) {
    if (y + r >= frame.height)
      break;
    ImageRow row = image_row (&frame, y + r);
#pragma unroll
    for (int i = 0; i < MOCT_TILE; i++) {
      uint8_t c[3];

      if (x0 + i >= frame.width)
        break;
      image_row_read (&row, x0 + i, c);
      out->pair[r][i / 2] ^= (NONE ^ class_or_none (w.table, c[0], c[1], c[2]))
          << 16 * (i % 2);
    }
  }
}

/* The lowest class that lane has left. */
static __device__ __forceinline__ uint32_t
lowest (const Classes &c)
{
  uint32_t least = ALL;

#pragma unroll
  for (int r = 0; r < 2; r++)
#pragma unroll
    for (int i = 0; i < 8; i++)
      least = __vminu2 (least, c.pair[r][i]);
  return min (least & 0xffff, least >> 16);
}

/* Takes class @cls out; bit i of the result: pixel i of row @r was of it. */
static __device__ __forceinline__ uint32_t
take (uint32_t pair[8], uint32_t cls)
{
  uint32_t mask = 0, twice = cls | cls << 16;

#pragma unroll
  for (int i = 0; i < 8; i++) {
    uint32_t same = __vcmpeq2 (pair[i], twice);

    mask |= (same & 1 | same >> 30 & 2) << 2 * i;
    pair[i] |= same;
  }
  return mask;
}

static __device__ __forceinline__ uint32_t
columns_inside (const ImageBox &in, int x0)
{
  int a = max (in.x0 - x0, 0), b = min (in.x1 - x0, MOCT_TILE);

  return a < b ? ((1u << (b - a)) - 1) << a : 0;
}

/* Over the eight lanes of a tile. */
static __device__ __forceinline__ void
add_up (MoctFragment *f)
{
#pragma unroll
  for (int step = 4; step < 32; step *= 2) {
    f->xx_yy += __shfl_xor_sync (ALL, f->xx_yy, step);
    f->xy_x += __shfl_xor_sync (ALL, f->xy_x, step);
    f->n_y += __shfl_xor_sync (ALL, f->n_y, step);
    f->extent |= __shfl_xor_sync (ALL, f->extent, step);
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

static __device__ __forceinline__ void
write_tile (const MoctWork &w, Classes *c, int tx, int ty, int p)
{
  int tile = ty * w.tiles_x + tx, y = 2 * p;
  bool inside = tx < w.tiles_x;
  Header h = {{0, 0, 0}, -1, 0};

  for (;;) {
    uint32_t cls = lowest (*c);
    MoctFragment f = {0, 0, 0, 0};

#pragma unroll
    for (int step = 4; step < 32; step *= 2)
      cls = min (cls, __shfl_xor_sync (ALL, cls, step));
    if (__all_sync (ALL, cls == NONE))
      break;
    if (cls != NONE) {
      ImageBox in = w.windows[cls - 1];
      uint32_t columns = columns_inside (in, tx * MOCT_TILE);
      int y0 = ty * MOCT_TILE + y;
      uint32_t upper = take (c->pair[0], cls), lower = take (c->pair[1], cls);

      if (y0 >= in.y0 && y0 < in.y1)
        moct_fragment_add_row (&f, upper & columns, y);
      if (y0 + 1 >= in.y0 && y0 + 1 < in.y1)
        moct_fragment_add_row (&f, lower & columns, y + 1);
    }
    add_up (&f);
    if (p == 0 && f.extent)
      write_fragment (w, tile, cls, f, &h);
  }
  if (p == 0 && inside)
    *(uint4 *) &w.tiles[tile] =
        make_uint4 (h.cls[0], h.cls[1], h.cls[2], (uint32_t) h.more);
}

template <ImageFormat F, bool VECTOR>
static __global__ void __launch_bounds__ (32 * WARPS)
    tiles_kernel (const __grid_constant__ MoctWork w)
{
  int lane = threadIdx.x % 32, t = lane % 4, p = lane / 4;
  int warp = blockIdx.x * WARPS + threadIdx.x / 32;
  int warps_x = ceil_div (w.tiles_x, 4);
  int tx = warp % warps_x * 4 + t, ty = warp / warps_x;
  int x0 = tx * MOCT_TILE, y = ty * MOCT_TILE + 2 * p;
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  Classes c;

  if (!w.blobs) /* for the gather kernel; there is a thread for each colour */
    for (int k = thread; k < w.n_colours; k += gridDim.x * blockDim.x)
      moct_sum_clear (&w.sums[k]);
  if (ty >= w.tiles_y)
    return;

#pragma unroll
  for (int i = 0; i < 8; i++)
    c.pair[0][i] = c.pair[1][i] = ALL;
  if (x0 < w.frame.width && y < w.frame.height) {
    if (!VECTOR || x0 + MOCT_TILE > w.frame.width)
      classify_any<F, VECTOR> (w, x0, y, &c);
    else if (F == IMAGE_RGBA || F == IMAGE_BGRA)
      classify_rgba<F> (w, x0, y, &c);
    else
      classify_yuv<F> (w, x0, y, &c);
  }
  write_tile (w, &c, tx, ty, p);
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

MoctKernel
moct_tiles_kernel (const MoctWork *w)
{
  if (is_aligned (&w->frame))
    switch (w->frame.format) {
      case IMAGE_NV12:
        return tiles_kernel<IMAGE_NV12, true>;
      case IMAGE_I420:
        return tiles_kernel<IMAGE_I420, true>;
      case IMAGE_P010:
        return tiles_kernel<IMAGE_P010, true>;
      case IMAGE_YUY2:
        return tiles_kernel<IMAGE_YUY2, true>;
      case IMAGE_RGBA:
        return tiles_kernel<IMAGE_RGBA, true>;
      case IMAGE_BGRA:
        return tiles_kernel<IMAGE_BGRA, true>;
      default:
        break;
    }
  return tiles_kernel<IMAGE_RGB, false>;
}
