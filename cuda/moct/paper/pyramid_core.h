/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The paper's own operator, and the operator that the paper compares with it.
 * Both give the same sums as the fused method, at the paper's cost: every pixel
 * is classified once for each colour.
 *
 * A texel holds a MoctSum: the paper's three channels, its bounding box
 * (section 3.3) and second moments. */
#pragma once

#include "moct/moct_core.h"

/* The limit of w->texels for both methods: 4 GiB. */
#define MOCT_MAX_TEXELS ((size_t) 1 << 26)

/* Whether the pixel at (@x, @y) counts for colour @k, whose window is @in. */
BOTH bool
moct_counts (const MoctWork *w, int k, const ImageBox *in, const ImageRow *row,
    int x, int y)
{
  uint8_t c[3];

  image_row_read (row, x, c);
  return moct_class (&w->table, moct_stored (c)) == k + 1u && x >= in->x0 &&
      x < in->x1 && y >= in->y0 && y < in->y1;
}

/* ---- Multiple parallel reduction (sections 3.1 and 3.2) ---- */

/* A level: a texture of cells, row after row of texels.  A cell of the base
 * covers as many pixels as it has texels. */
typedef struct {
  size_t first; /* number of its first texel in w->texels */
  MoctLayout layout;
  int n;             /* texels of a cell that are in use, one for each colour */
  int width, height; /* of a cell, in texels */
  int cells_x, cells_y;
} MoctLevel;

/* The texel of colour @i in the cell (@cx, @cy). */
typedef struct {
  int cx, cy, i;
} MoctTexel;

BOTH size_t
moct_level_texels (const MoctLevel *l)
{
  return (size_t) l->cells_x * l->width * ((size_t) l->cells_y * l->height);
}

BOTH size_t
moct_texel_at (const MoctLevel *l, MoctTexel t)
{
  size_t column = (size_t) t.cx * l->width + t.i % l->width;
  size_t row = (size_t) t.cy * l->height + t.i / l->width;

  return row * l->cells_x * l->width + column;
}

/* The texel at @at; its i is n or more if the texel is not used. */
BOTH MoctTexel
moct_texel_of (const MoctLevel *l, unsigned at)
{
  unsigned columns = (unsigned) l->cells_x * l->width;
  int column = (int) (at % columns), row = (int) (at / columns);
  MoctTexel t = {column / l->width, row / l->height,
      row % l->height * l->width + column % l->width};

  return t;
}

BOTH MoctLevel
moct_base (const MoctWork *w)
{
  MoctLevel l = {0, w->layout, w->n_colours, 1, 1, 0, 0};
  int side = 1;

  while (side * side < l.n)
    side++;
  if (l.layout != MOCT_VERTICAL)
    l.width = l.layout == MOCT_SQUARE ? side : l.n;
  if (l.layout != MOCT_HORIZONTAL)
    l.height = l.layout == MOCT_SQUARE ? side : l.n;
  l.cells_x = (w->frame.width - 1) / l.width + 1;
  l.cells_y = (w->frame.height - 1) / l.height + 1;
  return l;
}

/* Whether a cell is gathered from a row of cells rather than a column: first
 * the direction in which the texels of a colour are neighbours, then the other
 * direction. */
BOTH bool
moct_gathers_along_x (const MoctLevel *l)
{
  return l->layout == MOCT_HORIZONTAL ? l->cells_y == 1 : l->cells_x > 1;
}

/* The level above @below.  Levels use w->texels in turn: the base and every
 * second level begin at its start, the others behind the base. */
BOTH MoctLevel
moct_above (const MoctWork *w, const MoctLevel *below)
{
  MoctLevel base = moct_base (w), l = *below;
  int *cells = moct_gathers_along_x (below) ? &l.cells_x : &l.cells_y;

  *cells = (*cells - 1) / w->reduction_factor + 1;
  l.first = below->first ? 0 : moct_level_texels (&base);
  return l;
}

/* Local evaluation: the sum of the pixels of a colour in one cell of the
 * base. */
BOTH MoctSum
moct_sweep (const MoctWork *w, const MoctLevel *base, MoctTexel t)
{
  ImageBox in = w->windows[t.i];
  int x0 = t.cx * base->width, y0 = t.cy * base->height;
  int x1 = x0 + base->width, y1 = y0 + base->height;
  MoctSum sum;

  x1 = x1 < w->frame.width ? x1 : w->frame.width;
  y1 = y1 < w->frame.height ? y1 : w->frame.height;
  moct_sum_clear (&sum);
  for (int y = y0; y < y1; y++) {
    ImageRow row = image_row (&w->frame, y);

    for (int x = x0; x < x1; x++)
      if (moct_counts (w, t.i, &in, &row, x, y))
        moct_sum_add_pixel (&sum, x, y);
  }
  return sum;
}

/* Texel @t of the level above @below: the sum of the texels of its colour in
 * reduction_factor cells, or in the cells that are left. */
BOTH MoctSum
moct_gather (const MoctWork *w, const MoctLevel *below, MoctTexel t)
{
  bool along_x = moct_gathers_along_x (below);
  int *first = along_x ? &t.cx : &t.cy, left;
  size_t step = along_x
      ? (size_t) below->width
      : (size_t) below->cells_x * below->width * below->height;
  const MoctSum *from;
  MoctSum sum;

  *first *= w->reduction_factor;
  left = (along_x ? below->cells_x : below->cells_y) - *first;
  from = w->texels + below->first + moct_texel_at (below, t);
  moct_sum_clear (&sum);
  for (int i = 0; i < w->reduction_factor && i < left; i++)
    moct_sum_add (&sum, &from[i * step]);
  return sum;
}

/* Number of texels of w->texels that the method needs: the base, about one a
 * pixel, and the level above it.  0: more than MOCT_MAX_TEXELS. */
BOTH size_t
moct_pyramid_texels (const MoctWork *w)
{
  MoctLevel base = moct_base (w), above = moct_above (w, &base);
  size_t n = moct_level_texels (&base) + moct_level_texels (&above);

  return n <= MOCT_MAX_TEXELS ? n : 0;
}

static inline const char *
moct_pyramid_check (const MoctWork *w)
{
  return moct_pyramid_texels (w)
      ? NULL
      : "method=pyramid would need more than 4 GiB for frames of this "
        "size and this number of colours; use method=fused";
}

/* Texels that the levels read, and equation (1)'s bound of it for @p pixels,
 * @n objects and reduction factor @r; its i is equation (2)'s. */
BOTH unsigned long long
moct_pyramid_reads (const MoctWork *w)
{
  MoctLevel l = moct_base (w);
  unsigned long long reads = 0;

  for (; l.cells_x > 1 || l.cells_y > 1; l = moct_above (w, &l))
    reads += (unsigned long long) l.cells_x * l.cells_y * l.n;
  return reads;
}

BOTH unsigned long long
moct_pyramid_bound (
    unsigned long long p, unsigned long long n, unsigned long long r)
{
  unsigned long long level = n, bound = 0;

  while (level < p) {
    level *= r;
    bound += level;
  }
  return bound;
}

/* ---- Colour by colour (Brunner and others, section 2) ---- */

/* A level of one colour: the mask, a byte a pixel, or texels. */
typedef struct {
  uint8_t *mask; /* NULL above the mask */
  MoctSum *texels;
  int width, height;
} MoctHalf;

/* Where things lie in w->texels: first the sum of each colour. */
typedef struct {
  size_t mask, levels[2], end;
} MoctHalves;

BOTH MoctHalves
moct_halves (const MoctWork *w)
{
  size_t width = w->frame.width, height = w->frame.height;
  MoctHalves h;

  h.mask = (size_t) w->n_colours;
  h.levels[0] = h.mask + (width * height - 1) / sizeof (MoctSum) + 1;
  h.levels[1] = h.levels[0] + ((width + 1) / 2) * ((height + 1) / 2);
  h.end = h.levels[1] + ((width + 3) / 4) * ((height + 3) / 4);
  return h;
}

BOTH MoctHalf
moct_mask (const MoctWork *w)
{
  MoctHalf h = {(uint8_t *) (w->texels + moct_halves (w).mask), NULL,
      w->frame.width, w->frame.height};

  return h;
}

BOTH uint8_t
moct_mask_pixel (const MoctWork *w, int k, int x, int y)
{
  ImageRow row = image_row (&w->frame, y);

  return moct_counts (w, k, &w->windows[k], &row, x, y);
}

/* The level above @below of colour @k; the last one is its sum. */
BOTH MoctHalf
moct_half_above (const MoctWork *w, int k, const MoctHalf *below)
{
  MoctHalves at = moct_halves (w);
  MoctSum *first = w->texels + at.levels[0], *other = w->texels + at.levels[1];
  MoctHalf h = {NULL, below->texels == first ? other : first,
      (below->width + 1) / 2, (below->height + 1) / 2};

  if (h.width == 1 && h.height == 1)
    h.texels = &w->texels[k];
  return h;
}

/* Texel (@x, @y) of the level above @below. */
BOTH MoctSum
moct_halve (const MoctHalf *below, int x, int y)
{
  MoctSum sum;

  moct_sum_clear (&sum);
  for (int v = 2 * y; v < 2 * y + 2 && v < below->height; v++)
    for (int u = 2 * x; u < 2 * x + 2 && u < below->width; u++) {
      size_t at = (size_t) v * below->width + u;

      if (!below->mask)
        moct_sum_add (&sum, &below->texels[at]);
      else if (below->mask[at])
        moct_sum_add_pixel (&sum, u, v);
    }
  return sum;
}

/* As moct_pyramid_texels(). */
BOTH size_t
moct_per_object_texels (const MoctWork *w)
{
  size_t n = moct_halves (w).end;

  return n <= MOCT_MAX_TEXELS ? n : 0;
}

static inline const char *
moct_per_object_check (const MoctWork *w)
{
  return moct_per_object_texels (w)
      ? NULL
      : "method=per-object would need more than 4 GiB for frames of "
        "this size; use method=fused";
}
