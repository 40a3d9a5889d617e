/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The classes of eight pixels of a row in each format, by wide loads. */
#pragma once

#include "moct/moct_cuda.cuh"

#define NONE 0xffffu
#define ALL_LANES 0xffffffffu

/* Classes of eight pixels, two in a word, NONE where there is none. */
struct Classes {
  uint32_t pair[4];
};

static __device__ __forceinline__ void
clear_classes (Classes *c)
{
#pragma unroll
  for (int i = 0; i < 4; i++)
    c->pair[i] = ALL_LANES;
}

/* Eight pixels of a row: the first component byte by byte, and four samples of
 * each of the others. */
struct Yuv8 {
  uint32_t y[2], u, v;
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

/* U and V from words that hold them in turn in their odd bytes. */
static __device__ __forceinline__ void
split_odd (const uint4 &a, Yuv8 *out)
{
  uint32_t b = odd_bytes (a.x, a.y), c = odd_bytes (a.z, a.w);

  out->u = even_bytes (b, c), out->v = odd_bytes (b, c);
}

template <ImageFormat F>
static __device__ __forceinline__ Yuv8
load_yuv (const Image &img, int x, int y)
{
  const uint8_t *luma = img.plane[0] + (size_t) y * img.stride[0];
  size_t half = y / 2;
  Yuv8 p;

  if (F == IMAGE_NV12 || F == IMAGE_I420) {
    uint2 a = load8 (luma + x);

    p.y[0] = a.x, p.y[1] = a.y;
  } else {
    uint4 a = load16 (luma + 2 * x);

    p.y[0] = F == IMAGE_P010 ? odd_bytes (a.x, a.y) : even_bytes (a.x, a.y);
    p.y[1] = F == IMAGE_P010 ? odd_bytes (a.z, a.w) : even_bytes (a.z, a.w);
    if (F == IMAGE_YUY2)
      split_odd (a, &p);
  }
  if (F == IMAGE_NV12) {
    uint2 a = load8 (img.plane[1] + half * img.stride[1] + x);

    p.u = even_bytes (a.x, a.y), p.v = odd_bytes (a.x, a.y);
  } else if (F == IMAGE_I420) {
    p.u = __ldg (
        (const uint32_t *) (img.plane[1] + half * img.stride[1] + x / 2));
    p.v = __ldg (
        (const uint32_t *) (img.plane[2] + half * img.stride[2] + x / 2));
  } else if (F == IMAGE_P010) {
    split_odd (load16 (img.plane[1] + half * img.stride[1] + 2 * x), &p);
  }
  return p;
}

static __device__ __forceinline__ uint32_t
class_or_none (const MoctTable &t, uint32_t stored)
{
  uint32_t cls = moct_class (&t, stored);

  return cls ? cls : NONE;
}

/* Chroma is tested first: where it occurs in no class, neither of the two
 * pixels that share it is looked up. */
template <ImageFormat F>
static __device__ __forceinline__ void
classify_yuv (const MoctWork &w, int x, int y, Classes *out)
{
  Yuv8 p = load_yuv<F> (w.frame, x, y);

#pragma unroll
  for (int i = 0; i < 4; i++) {
    uint32_t u = p.u >> 8 * i & 0xff, v = p.v >> 8 * i & 0xff;
    uint32_t yy = p.y[i / 2] >> 16 * (i % 2), uv = u << 8 | v << 16;

    if (moct_chroma (&w.table, u, v))
      out->pair[i] = class_or_none (w.table, (yy & 0xff) | uv) |
          class_or_none (w.table, (yy >> 8 & 0xff) | uv) << 16;
  }
}

/* R G B in the order of a stored colour. */
template <ImageFormat F>
static __device__ __forceinline__ uint32_t
rgb_word (uint32_t px)
{
  return F == IMAGE_RGBA ? px : __byte_perm (px, 0, 0x3012);
}

template <ImageFormat F>
static __device__ __forceinline__ void
classify_rgba (const MoctWork &w, int x, int y, Classes *out)
{
  const uint8_t *row =
      w.frame.plane[0] + (size_t) y * w.frame.stride[0] + 4 * x;
  uint4 a = load16 (row), b = load16 (row + 16);
  const uint32_t px[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};

#pragma unroll
  for (int i = 0; i < 4; i++)
    out->pair[i] = class_or_none (w.table, rgb_word<F> (px[2 * i])) |
        class_or_none (w.table, rgb_word<F> (px[2 * i + 1])) << 16;
}

/* 24 bytes: pixel i is three of them from 3 i on. */
template <ImageFormat F>
static __device__ __forceinline__ void
classify_rgb (const MoctWork &w, int x, int y, Classes *out)
{
  const uint8_t *row =
      w.frame.plane[0] + (size_t) y * w.frame.stride[0] + 3 * x;
  uint2 a = load8 (row), b = load8 (row + 8), c = load8 (row + 16);
  const uint32_t words[7] = {a.x, a.y, b.x, b.y, c.x, c.y, 0};
  uint32_t cls[8];

#pragma unroll
  for (int i = 0; i < 8; i++) {
    uint32_t px = __funnelshift_r (
        words[3 * i / 4], words[3 * i / 4 + 1], 8 * (3 * i % 4));

    cls[i] = class_or_none (
        w.table, F == IMAGE_RGB ? px : __byte_perm (px, 0, 0x3012));
  }
#pragma unroll
  for (int i = 0; i < 4; i++)
    out->pair[i] = cls[2 * i] | cls[2 * i + 1] << 16;
}

/* Pixel by pixel, whatever the alignment and the width; the format is F where
 * VECTOR, else the frame's. */
template <ImageFormat F, bool VECTOR>
static __device__ __forceinline__ void
classify_any (const MoctWork &w, int x, int y, Classes *out)
{
  Image frame = w.frame;

  if (VECTOR)
    frame.format = F;

  ImageRow row = image_row (&frame, y);

#pragma unroll
  for (int i = 0; i < 8; i++) {
    uint8_t c[3];

    if (x + i >= frame.width)
      break;
    image_row_read (&row, x + i, c);
    out->pair[i / 2] ^= (NONE ^ class_or_none (w.table, moct_stored (c)))
        << 16 * (i % 2);
  }
}

template <ImageFormat F, bool VECTOR>
static __device__ __forceinline__ void
classify (const MoctWork &w, int x, int y, Classes *out)
{
  if (!VECTOR || x + 8 > w.frame.width)
    classify_any<F, VECTOR> (w, x, y, out);
  else if (F == IMAGE_RGBA || F == IMAGE_BGRA)
    classify_rgba<F> (w, x, y, out);
  else if (F == IMAGE_RGB || F == IMAGE_BGR)
    classify_rgb<F> (w, x, y, out);
  else
    classify_yuv<F> (w, x, y, out);
}
