/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * First kernel of the fused method: the fragments of every tile or, if no blobs
 * are wanted, the sums of every colour.
 *
 * A warp reads 32 x 16 pixels, two tiles.  Lane 4 p + h has row pair p of
 * columns 8 h to 8 h + 7: 8 x 2 pixels, which in 4:2:0 share four chroma
 * samples.  Chroma is read first; if none of the four samples occurs in any
 * class, the luma is never read.  Then the sixteen lanes of a tile agree on the
 * highest class that one of them has left, sum its pixels, and go on until no
 * class is left. */
#include <cuda_fp16.h>

#include "moct/moct_add.cuh"
#include "moct/moct_cuda.cuh"
#include "moct/moct_share.cuh"

/* ---- Loading and classifying: 8 x 2 pixels by wide loads ---- */

/* Classes of 8 x 2 pixels, two in a word; 0: no class. */
struct Classes {
  uint32_t pair[2][4];
};

static __device__ __forceinline__ void
clear_classes (Classes *c)
{
#pragma unroll
  for (int i = 0; i < 4; i++)
    c->pair[0][i] = c->pair[1][i] = 0;
}

/* Eight pixels of a row: the first component, a byte each, and four samples of
 * each of the other components. */
struct Luma {
  uint32_t y[2];
};

struct Chroma {
  uint32_t u, v;
};

static __device__ __forceinline__ uint2
load8 (const uint8_t *p)
{
  return __ldg ((const uint2 *) p);
}

static __device__ __forceinline__ uint4
load16 (const uint8_t *p)
{
  return __ldg ((const uint4 *) p);
}

static __device__ __forceinline__ unsigned
byte_of_word (uint32_t word, int i)
{
  return word >> (8 * i) & 0xff;
}

/* Bytes 0 and 2 of two words; odd_bytes () takes bytes 1 and 3. */
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
    uint2 a = load8 (row + x0);

    l.y[0] = a.x, l.y[1] = a.y;
  } else {
    uint4 a = load16 (row + 2 * x0);

    l.y[0] = F == IMAGE_P010 ? odd_bytes (a.x, a.y) : even_bytes (a.x, a.y);
    l.y[1] = F == IMAGE_P010 ? odd_bytes (a.z, a.w) : even_bytes (a.z, a.w);
  }
  return l;
}

template <ImageFormat F>
static __device__ __forceinline__ Chroma
load_chroma (const Image &img, int x0, int y)
{
  size_t row = y / 2;
  Chroma c;

  if (F == IMAGE_I420) {
    c.u = __ldg (
        (const uint32_t *) (img.plane[1] + row * img.stride[1] + x0 / 2));
    c.v = __ldg (
        (const uint32_t *) (img.plane[2] + row * img.stride[2] + x0 / 2));
  } else if (F == IMAGE_NV12) {
    uint2 a = load8 (img.plane[1] + row * img.stride[1] + x0);

    c.u = even_bytes (a.x, a.y), c.v = odd_bytes (a.x, a.y);
  } else { /* U and V are the odd bytes: of 16-bit words, or of Y U Y V */
    uint4 a = load16 (F == IMAGE_P010
            ? img.plane[1] + row * img.stride[1] + 2 * x0
            : img.plane[0] + (size_t) y * img.stride[0] + 2 * x0);
    uint32_t b = odd_bytes (a.x, a.y), d = odd_bytes (a.z, a.w);

    c.u = even_bytes (b, d), c.v = odd_bytes (b, d);
  }
  return c;
}

/* Whether one of the chroma samples occurs in a class. */
static __device__ __forceinline__ bool
is_candidate (const MoctTable &t, const Chroma &c)
{
  bool any = false;

#pragma unroll
  for (int i = 0; i < 4; i++)
    any |= moct_chroma (&t, byte_of_word (c.u, i), byte_of_word (c.v, i));
  return any;
}

/* Reads the entries of all pixels' cells before it uses the first, and likewise
 * the parts of cut cells: two trips to memory, whatever the colours.  Most
 * warps have no cut cell. */
static __device__ __forceinline__ void
classify_words (const MoctTable &t, const uint32_t px[2][8], Classes *out)
{
  uint32_t v[2][8], any = 0;

#pragma unroll
  for (int i = 0; i < 16; i++)
    any |= v[i / 8][i % 8] = t.cells[moct_place (px[i / 8][i % 8])];
  if (any & MOCT_CUT)
#pragma unroll
    for (int i = 0; i < 16; i++)
      if (v[i / 8][i % 8] & MOCT_CUT)
        v[i / 8][i % 8] =
            moct_class_in_part (&t, v[i / 8][i % 8], px[i / 8][i % 8]);
#pragma unroll
  for (int i = 0; i < 8; i++)
    out->pair[i / 4][i % 4] =
        v[i / 4][2 * i % 8] | v[i / 4][(2 * i + 1) % 8] << 16;
}

static __device__ __forceinline__ void
combine_words (const Luma &l, const Chroma &c, uint32_t px[8])
{
#pragma unroll
  for (int i = 0; i < 8; i++) {
    uint32_t y = byte_of_word (l.y[i / 4], i % 4),
             u = byte_of_word (c.u, i / 2);

    px[i] = y | u << 8 | byte_of_word (c.v, i / 2) << 16;
  }
}

/* Forgets the classes of row y + 1 if that is outside of the frame.  The row is
 * classified all the same: in a branch of its own, its loads would be delayed
 * until row y is finished. */
static __device__ __forceinline__ void
clear_missing_row (bool second, Classes *out)
{
#pragma unroll
  for (int i = 0; i < 4; i++)
    out->pair[1][i] = second ? out->pair[1][i] : 0;
}

template <ImageFormat F>
static __device__ __forceinline__ void
classify_yuv (const MoctWork &w, int x0, int y, Classes *out)
{
  bool second = y + 1 < w.frame.height;
  int next = second ? y + 1 : y;
  Chroma c = load_chroma<F> (w.frame, x0, y), d = c;

  if (F == IMAGE_YUY2)
    d = load_chroma<F> (w.frame, x0, next);
  if (is_candidate (w.table, c) ||
      (F == IMAGE_YUY2 && is_candidate (w.table, d))) {
    Luma a = load_luma<F> (w.frame, x0, y);
    Luma b = load_luma<F> (w.frame, x0, next);

    uint32_t px[2][8];

    combine_words (a, c, px[0]);
    combine_words (b, d, px[1]);
    classify_words (w.table, px, out);
    clear_missing_row (second, out);
  }
}

/* R G B of a pixel in the order of a stored colour. */
template <ImageFormat F>
static __device__ __forceinline__ uint32_t
stored_rgb (uint32_t px)
{
  return F == IMAGE_RGBA || F == IMAGE_RGB ? px : __byte_perm (px, 0, 0x3012);
}

template <ImageFormat F>
static __device__ __forceinline__ void
load_rgb (const Image &img, int x0, int y, uint32_t px[8])
{
  const uint8_t *row = img.plane[0] + (size_t) y * img.stride[0];

  if (F == IMAGE_RGBA || F == IMAGE_BGRA) {
    uint4 a = load16 (row + 4 * x0), b = load16 (row + 4 * x0 + 16);

    const uint32_t words[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};

#pragma unroll
    for (int i = 0; i < 8; i++)
      px[i] = stored_rgb<F> (words[i]);
  } else { /* 24 bytes; pixel i begins at byte 3 i */
    uint2 a = load8 (row + 3 * x0), b = load8 (row + 3 * x0 + 8),
          c = load8 (row + 3 * x0 + 16);
    const uint32_t words[7] = {a.x, a.y, b.x, b.y, c.x, c.y, 0};

#pragma unroll
    for (int i = 0; i < 8; i++)
      px[i] = stored_rgb<F> (__funnelshift_r (
          words[3 * i / 4], words[3 * i / 4 + 1], 8 * (3 * i % 4)));
  }
}

template <ImageFormat F>
static __device__ __forceinline__ void
classify_rgb (const MoctWork &w, int x0, int y, Classes *out)
{
  bool second = y + 1 < w.frame.height;
  uint32_t px[2][8];

  load_rgb<F> (w.frame, x0, y, px[0]);
  load_rgb<F> (w.frame, x0, second ? y + 1 : y, px[1]);
  classify_words (w.table, px, out);
  clear_missing_row (second, out);
}

/* Classifies pixel by pixel, at any alignment and width.  The format is F if
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
    for (int i = 0; i < 8; i++) {
      uint8_t c[3];

      if (x0 + i >= frame.width)
        break;
      image_row_read (&row, x0 + i, c);
      out->pair[r][i / 2] |= moct_class (&w.table, moct_stored (c))
          << 16 * (i % 2);
    }
  }
}

template <ImageFormat F, bool VECTOR>
static __device__ __forceinline__ void
classify_pixels (const MoctWork &w, int x0, int y, Classes *out)
{
  if (!VECTOR || x0 + 8 > w.frame.width)
    classify_any<F, VECTOR> (w, x0, y, out);
  else if (image_is_yuv (F))
    classify_yuv<F> (w, x0, y, out);
  else
    classify_rgb<F> (w, x0, y, out);
}

/* ---- Tiles ---- */

#define MAX_THREADS 128

/* The highest class that a lane has left; 0: none. */
static __device__ __forceinline__ uint32_t
highest_class (const Classes &c)
{
  uint32_t max_pair = 0;

#pragma unroll
  for (int r = 0; r < 2; r++)
#pragma unroll
    for (int i = 0; i < 4; i++)
      max_pair = __vmaxu2 (max_pair, c.pair[r][i]);
  return max (max_pair & 0xffff, max_pair >> 16);
}

/* The half words of @a and @b that are equal.  They are compared as half
 * floats, in one instruction: classes are small, so that no half float is a
 * NaN. */
static __device__ __forceinline__ uint32_t
equal_halves (uint32_t a, uint32_t b)
{
#if CUDART_VERSION >= 12000
  return __heq2_mask (*(const __half2 *) &a, *(const __half2 *) &b);
#else
  return __vcmpeq2 (a, b);
#endif
}

/* Removes class @cls; bit 8 r + i of the result says that pixel i of row r had
 * it. */
static __device__ __forceinline__ uint32_t
take_class (Classes *c, uint32_t cls)
{
  uint32_t even_odd = 0, twice = cls | cls << 16;

#pragma unroll
  for (int r = 0; r < 2; r++)
#pragma unroll
    for (int i = 0; i < 4; i++) {
      uint32_t same = equal_halves (c->pair[r][i], twice);

      even_odd |= same & (0x20001u << (8 * r + 2 * i));
      c->pair[r][i] &= ~same;
    }
  return (even_odd | even_odd >> 16) & 0xffff;
}

/* The pixels of a lane at (@x0, @y) that lie in @in, as a mask like that of
 * take_class (). */
static __device__ __forceinline__ uint32_t
pixels_inside (const ImageBox &in, int x0, int y)
{
  int a = min (max (in.x0 - x0, 0), 8), b = min (max (in.x1 - x0, 0), 8);
  uint32_t columns = a < b ? (1u << b) - (1u << a) : 0;

  return (y >= in.y0 && y < in.y1 ? columns : 0) |
      (y + 1 >= in.y0 && y + 1 < in.y1 ? columns << 8 : 0);
}

/* The fragment of the two rows of a lane, whose pixels start at (@x, @y) of the
 * tile, as moct_fragment_add_row () would give it.  Sums of positions and of
 * their squares are counts of bits: of those whose position has bit 0, bits 0
 * and 1, and so on.  Unlike runs, these take the same steps in every lane. */
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

/* The place of a lane's pixels. */
struct Lane {
  int tx, ty; /* the first of the two tiles of its warp */
  int right;  /* 1: its pixels are in the second tile */
  int x, y;   /* its first pixel in the tile */
};

/* The sum of @f over the lanes of the warp whose pixels are in tile @right. */
static __device__ __forceinline__ MoctFragment
tile_fragment (const Lane &l, int right, const MoctFragment &f)
{
  bool mine = l.right == right;
  MoctFragment sum;

  sum.xx_yy = warp_sum (mine ? f.xx_yy : 0);
  sum.xy_x = warp_sum (mine ? f.xy_x : 0);
  sum.n_y = warp_sum (mine ? f.n_y : 0);
  sum.extent = warp_or (mine ? f.extent : 0);
  return sum;
}

/* Calls @emit (right, class, fragment) in all lanes, class by class of the
 * warp's two tiles. */
template <typename Emit>
static __device__ __forceinline__ void
for_each_class (const MoctWork &w, const Lane &l, Classes *c, Emit emit)
{
  for (;;) {
    uint32_t own = highest_class (*c), m = 0, cls[2];
    MoctFragment f;

    cls[0] = warp_max_u (l.right ? 0 : own);
    cls[1] = warp_max_u (l.right ? own : 0);
    if (!(cls[0] | cls[1]))
      return;
    own = cls[l.right];
    if (own) {
      m = take_class (c, own);
      if (w.windowed)
        m &= pixels_inside (w.windows[own - 1],
            (l.tx + l.right) * MOCT_TILE + l.x, l.ty * MOCT_TILE + l.y);
    }
    f = lane_fragment (m, l.x, l.y);
#pragma unroll
    for (int right = 0; right < 2; right++)
      if (cls[right]) {
        MoctFragment sum = tile_fragment (l, right, f);

        if (sum.extent)
          emit (right, cls[right], sum);
      }
  }
}

/* The header of a tile that is filled. */
struct Header {
  uint32_t cls[3];
  int32_t more;
  int used;
};

static __device__ __forceinline__ void
write_fragment (const MoctWork &w, int tx, int ty, uint32_t cls,
    const MoctFragment &f, Header *h)
{
  int tile = ty * w.tiles_x + tx, at = tile * MOCT_SLOTS + h->used;
  size_t word =
      (size_t) (cls - 1) * moct_n_words (&w) + ty * moct_words_x (&w) + tx / 32;

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
    h->more = k + 1;
    at = moct_n_slots (&w) + k;
  }
  *(uint4 *) &w.fragments[at] = make_uint4 (f.xx_yy, f.xy_x, f.n_y, f.extent);
  atomicOr (&w.bits[word], 1u << tx % 32);
}

/* Writes the fragments of the warp's tiles: lane 0 those of the left tile, lane
 * 1 those of the right tile. */
static __device__ __forceinline__ void
write_tiles (const MoctWork &w, const Lane &l, Classes *c)
{
  int tile = l.ty * w.tiles_x + l.tx, lane = threadIdx.x;
  Header h = {{0, 0, 0}, 0, 0};

  for_each_class (
      w, l, c, [&] (int right, uint32_t cls, const MoctFragment &f) {
        if (lane == right)
          write_fragment (w, l.tx + right, l.ty, cls, f, &h);
      });
  if (lane < 2 && l.tx + lane < w.tiles_x && l.ty < w.tiles_y)
    *(uint4 *) &w.tiles[tile + lane] =
        make_uint4 (h.cls[0], h.cls[1], h.cls[2], (uint32_t) h.more);
}

static __device__ __forceinline__ void
add_tiles (const MoctWork &w, const Lane &l, Classes *c)
{
  for_each_class (
      w, l, c, [&] (int right, uint32_t cls, const MoctFragment &f) {
        add_fragment (&w.colour_sums[cls - 1], f,
            (unsigned) (l.tx + right) * MOCT_TILE, (unsigned) l.ty * MOCT_TILE,
            threadIdx.x);
      });
}

template <ImageFormat F, bool VECTOR, bool BLOBS>
static __global__ void
__launch_bounds__ (MAX_THREADS)
    classify_tiles_kernel (const __grid_constant__ MoctWork w)
{
  int h = threadIdx.x % 4, p = threadIdx.x / 4;
  Lane l = {2 * (int) (blockIdx.x * blockDim.y + threadIdx.y),
      (int) (blockIdx.y * blockDim.z + threadIdx.z), h / 2, 8 * (h % 2), 2 * p};
  int x = (l.tx + l.right) * MOCT_TILE + l.x, y = l.ty * MOCT_TILE + l.y;
  Classes c;

  allow_next ();
  clear_classes (&c);
  if (x < w.frame.width && y < w.frame.height)
    classify_pixels<F, VECTOR> (w, x, y, &c);
  if (BLOBS)
    write_tiles (w, l, &c), clear_share (w);
  else
    add_tiles (w, l, &c);
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
tiles_kernel_of (const Image *frame)
{
  if (is_aligned (frame))
    switch (frame->format) {
      case IMAGE_NV12:
        return classify_tiles_kernel<IMAGE_NV12, true, BLOBS>;
      case IMAGE_I420:
        return classify_tiles_kernel<IMAGE_I420, true, BLOBS>;
      case IMAGE_P010:
        return classify_tiles_kernel<IMAGE_P010, true, BLOBS>;
      case IMAGE_YUY2:
        return classify_tiles_kernel<IMAGE_YUY2, true, BLOBS>;
      case IMAGE_RGBA:
        return classify_tiles_kernel<IMAGE_RGBA, true, BLOBS>;
      case IMAGE_BGRA:
        return classify_tiles_kernel<IMAGE_BGRA, true, BLOBS>;
      case IMAGE_RGB:
        return classify_tiles_kernel<IMAGE_RGB, true, BLOBS>;
      case IMAGE_BGR:
        return classify_tiles_kernel<IMAGE_BGR, true, BLOBS>;
      default:
        break;
    }
  return classify_tiles_kernel<IMAGE_GRAY8, false, BLOBS>;
}

MoctKernel
moct_tiles_kernel (const MoctWork *w)
{
  return w->blobs ? tiles_kernel_of<true> (&w->frame)
                  : tiles_kernel_of<false> (&w->frame);
}

/* The node of the tiles' kernel.  A block ends with its slowest warp, so blocks
 * of two warps end sooner than blocks of four: good if every pixel is
 * classified.  If most pixels need only their chroma, starting a block takes
 * longer than running it. */
cudaKernelNodeParams
moct_tiles_node (const MoctWork *w, void **args)
{
  dim3 threads (32, image_is_yuv (w->frame.format) ? 2 : 1, 2);

  return moct_node (moct_tiles_kernel (w),
      dim3 (ceil_div (w->tiles_x, 2 * (int) threads.y),
          ceil_div (w->tiles_y, (int) threads.z)),
      threads, args);
}
