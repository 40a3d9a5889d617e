/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Conversion between R'G'B' and Y'CbCr, 8 bits each, in 16.16 fixed point, so
 * that both backends agree bit for bit.  The coefficients follow from the two
 * luma weights of each matrix (ITU-R BT.601-7, BT.709-6, BT.2020-2). */
#pragma once

#include "common/image.h"

/* The weights of a conversion, times 65536. */
typedef struct {
  int y0;                     /* Y of black: 0 or 16 */
  int y, rv, gu, gv, bu;      /* to RGB: of Y, of V in R, of U in G, … */
  int yr, yg, yb;             /* to YUV: of R, G and B in Y */
  int ur, ug, ub, vr, vg, vb; /* of R, G and B in U and V */
} Yuv;

/* The weights of @matrix.  The host calls it and gives kernels the result by
 * value. */
static inline Yuv
yuv_of (ImageMatrix matrix, bool full_range)
{
  static const double kr_of[] = {0.299, 0.2126, 0.2627};
  static const double kb_of[] = {0.114, 0.0722, 0.0593};
  double kr = kr_of[matrix], kb = kb_of[matrix], kg = 1 - kr - kb;
  double sy = full_range ? 1 : 255. / 219, sc = full_range ? 1 : 255. / 224;
  double one = 65536, u = .5 / (1 - kb), v = .5 / (1 - kr);
  Yuv m;

  m.y0 = full_range ? 0 : 16;
  m.y = (int) (sy * one + .5);
  m.rv = (int) (2 * (1 - kr) * sc * one + .5);
  m.bu = (int) (2 * (1 - kb) * sc * one + .5);
  m.gu = (int) (2 * kb * (1 - kb) / kg * sc * one + .5);
  m.gv = (int) (2 * kr * (1 - kr) / kg * sc * one + .5);
  m.yr = (int) (kr / sy * one + .5);
  m.yb = (int) (kb / sy * one + .5);
  m.yg = (int) (one / sy + .5) - m.yr - m.yb;
  m.ub = (int) (.5 / sc * one + .5);
  m.ur = (int) (kr * u / sc * one + .5);
  m.ug = m.ub - m.ur;
  m.vr = m.ub;
  m.vb = (int) (kb * v / sc * one + .5);
  m.vg = m.vr - m.vb;
  return m;
}

/* @v, limited to 0..255. */
BOTH uint8_t
yuv_clip (int v)
{
  return (uint8_t) (v < 0 ? 0 : v > 255 ? 255 : v);
}

/* Sets @rgb to the colour @yuv, rounded to the nearest. */
BOTH void
yuv_to_rgb (const Yuv *m, const uint8_t yuv[3], uint8_t rgb[3])
{
  int y = (yuv[0] - m->y0) * m->y + (1 << 15);
  int u = yuv[1] - 128, v = yuv[2] - 128;

  rgb[0] = yuv_clip ((y + m->rv * v) >> 16);
  rgb[1] = yuv_clip ((y - m->gu * u - m->gv * v) >> 16);
  rgb[2] = yuv_clip ((y + m->bu * u) >> 16);
}

/* Sets @yuv to the colour @rgb, rounded to the nearest. */
BOTH void
yuv_from_rgb (const Yuv *m, const uint8_t rgb[3], uint8_t yuv[3])
{
  int r = rgb[0], g = rgb[1], b = rgb[2], half = 1 << 15;

  yuv[0] =
      yuv_clip (m->y0 + ((m->yr * r + m->yg * g + m->yb * b + half) >> 16));
  yuv[1] = yuv_clip (128 + ((m->ub * b - m->ur * r - m->ug * g + half) >> 16));
  yuv[2] = yuv_clip (128 + ((m->vr * r - m->vg * g - m->vb * b + half) >> 16));
}
