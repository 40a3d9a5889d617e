/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The classes of 8 x 2 pixels of a frame in each format, by wide loads. */
#pragma once

#include "moct/moct_cuda.cuh"

#define NONE 0xffffu
#define ALL_LANES 0xffffffffu

/* Classes of 8 x 2 pixels, two in a word, NONE where there is none. */
struct Classes {
  uint32_t pair[2][4];
};

static __device__ __forceinline__ void
clear_classes (Classes *c)
{
#pragma unroll
  for (int i = 0; i < 4; i++)
    c->pair[0][i] = c->pair[1][i] = ALL_LANES;
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

static __device__ __forceinline__ uint32_t
class_or_none (const MoctTable &t, uint32_t stored)
{
  uint32_t cls = moct_class (&t, stored);

  return cls ? cls : NONE;
}

/* Bit i: chroma sample i occurs in a class. */
static __device__ __forceinline__ unsigned
candidates (const MoctTable &t, const Chroma &c)
{
  unsigned samples = 0;

#pragma unroll
  for (int i = 0; i < 4; i++)
    samples |= (unsigned) moct_chroma (&t, byte_of (c.u, i), byte_of (c.v, i))
        << i;
  return samples;
}

static __device__ __forceinline__ void
classify_row (const MoctTable &t, const Luma &l, const Chroma &c,
    unsigned samples, uint32_t out[4])
{
#pragma unroll
  for (int i = 0; i < 4; i++)
    if (samples >> i & 1) {
      uint32_t uv = byte_of (c.u, i) << 8 | byte_of (c.v, i) << 16;
      uint32_t y = l.y[i / 2] >> (16 * (i % 2));

      out[i] = class_or_none (t, (y & 0xff) | uv) |
          class_or_none (t, (y >> 8 & 0xff) | uv) << 16;
    }
}

template <ImageFormat F>
static __device__ __forceinline__ void
classify_yuv (const MoctWork &w, int x0, int y, Classes *out)
{
  bool second = y + 1 < w.frame.height;
  Chroma c = load_chroma<F> (w.frame, x0, y), d = c;
  unsigned upper = candidates (w.table, c), lower = upper;

  if (F == IMAGE_YUY2) {
    d = load_chroma<F> (w.frame, x0, second ? y + 1 : y);
    lower = candidates (w.table, d);
  }
  if (upper | lower) {
    Luma a = load_luma<F> (w.frame, x0, y);
    Luma b = load_luma<F> (w.frame, x0, second ? y + 1 : y);

    classify_row (w.table, a, c, upper, out->pair[0]);
    if (second)
      classify_row (w.table, b, d, lower, out->pair[1]);
  }
}

/* R G B, as bytes of a word, in the order of a stored colour. */
template <ImageFormat F>
static __device__ __forceinline__ uint32_t
stored_rgb (uint32_t px)
{
  return F == IMAGE_RGBA || F == IMAGE_RGB ? px : __byte_perm (px, 0, 0x3012);
}

/* Eight pixels of a row, a word each. */
template <ImageFormat F>
static __device__ __forceinline__ void
classify_words (const MoctTable &t, const uint32_t px[8], uint32_t out[4])
{
#pragma unroll
  for (int i = 0; i < 4; i++)
    out[i] = class_or_none (t, stored_rgb<F> (px[2 * i])) |
        class_or_none (t, stored_rgb<F> (px[2 * i + 1])) << 16;
}

template <ImageFormat F>
static __device__ __forceinline__ void
load_rgb (const Image &img, int x0, int y, uint32_t px[8])
{
  const uint8_t *row = img.plane[0] + (size_t) y * img.stride[0];

  if (F == IMAGE_RGBA || F == IMAGE_BGRA) {
    uint4 a = load16 (row + 4 * x0), b = load16 (row + 4 * x0 + 16);

    px[0] = a.x, px[1] = a.y, px[2] = a.z, px[3] = a.w;
    px[4] = b.x, px[5] = b.y, px[6] = b.z, px[7] = b.w;
  } else { /* 24 bytes: pixel i is three of them from 3 i on */
    uint2 a = load8 (row + 3 * x0), b = load8 (row + 3 * x0 + 8),
          c = load8 (row + 3 * x0 + 16);
    const uint32_t words[7] = {a.x, a.y, b.x, b.y, c.x, c.y, 0};

#pragma unroll
    for (int i = 0; i < 8; i++)
      px[i] = __funnelshift_r (
          words[3 * i / 4], words[3 * i / 4 + 1], 8 * (3 * i % 4));
  }
}

template <ImageFormat F>
static __device__ __forceinline__ void
classify_rgb (const MoctWork &w, int x0, int y, Classes *out)
{
  bool second = y + 1 < w.frame.height;
  uint32_t upper[8], lower[8];

  load_rgb<F> (w.frame, x0, y, upper);
  load_rgb<F> (w.frame, x0, second ? y + 1 : y, lower);
  classify_words<F> (w.table, upper, out->pair[0]);
  if (second)
    classify_words<F> (w.table, lower, out->pair[1]);
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
      out->pair[r][i / 2] ^= (NONE ^ class_or_none (w.table, moct_stored (c)))
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
