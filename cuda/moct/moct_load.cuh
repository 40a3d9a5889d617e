/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The classes of 8 x 2 pixels of a frame in each format, by wide loads. */
#pragma once

#include "moct/moct_cuda.cuh"

/* Classes of 8 x 2 pixels, two in a word, 0 where there is none. */
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

/* Of eight pixels of a row: the first component byte by byte, and four samples
 * of each of the others. */
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
byte_of (uint32_t word, int i)
{
  return word >> (8 * i) & 0xff;
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
  } else { /* U V in the odd bytes: of 16-bit words, or of Y U Y V */
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
    any |= moct_chroma (&t, byte_of (c.u, i), byte_of (c.v, i));
  return any;
}

/* All cells are read before the first is looked at, and the parts of those that
 * are cut likewise: two trips to memory, whatever is there.  Most warps have
 * none that is cut. */
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
join_words (const Luma &l, const Chroma &c, uint32_t px[8])
{
#pragma unroll
  for (int i = 0; i < 8; i++) {
    uint32_t y = byte_of (l.y[i / 4], i % 4), u = byte_of (c.u, i / 2);

    px[i] = y | u << 8 | byte_of (c.v, i / 2) << 16;
  }
}

/* Row y + 1, where there is none, is classified and forgotten here: in a branch
 * of its own its loads would be put off until row y is done. */
static __device__ __forceinline__ void
keep_second (bool second, Classes *out)
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

    join_words (a, c, px[0]);
    join_words (b, d, px[1]);
    classify_words (w.table, px, out);
    keep_second (second, out);
  }
}

/* R G B in the order of a stored colour. */
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
  } else { /* 24 bytes: pixel i is three of them from 3 i on */
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
  keep_second (second, out);
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
classify (const MoctWork &w, int x0, int y, Classes *out)
{
  if (!VECTOR || x0 + 8 > w.frame.width)
    classify_any<F, VECTOR> (w, x0, y, out);
  else if (image_is_yuv (F))
    classify_yuv<F> (w, x0, y, out);
  else
    classify_rgb<F> (w, x0, y, out);
}
