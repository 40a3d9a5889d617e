/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Classes, fragments and sums of pixels.
 *
 * Sums are integers, so that the order of summation cannot change them.  They
 * are made in two steps.  A tile is 16 x 16 pixels, the paper's cell; the
 * pixels of one class in one tile are a fragment, whose moments about the
 * tile's corner fit in four words.  Fragments then add up to sums in frame
 * coordinates: of a colour, or of a blob, a group of fragments of a colour that
 * are connected. */
#pragma once

#include "common/image.h"
#include "common/math_core.h"

/* ---- Classification: stored colour -> class (0: none, else 1 + colour)
 * ---- */

#define MOCT_CELLS (32 * 32 * 32) /* of 8 x 8 x 8 stored colours */
#define MOCT_PLACES 65536         /* number of places for cells */
#define MOCT_PART 512             /* stored colours in a cell */
#define MOCT_CUT 0x8000u

typedef struct {
  const uint16_t *cells;  /* [moct_place ()]: the class of the whole cell, or
                             MOCT_CUT + number in @parts */
  const uint16_t *parts;  /* [][c0 % 8][c1 % 8][c2 % 8] */
  const uint32_t *chroma; /* bit c1 * 256 + c2: with some c0, the colour has a
                             class */
} MoctTable;

/* The place of a stored colour's cell.  One product takes the place of the six
 * steps that would bring three times five bits side by side.  The factor, found
 * by search, gives every cell its own place, and neighbouring places to cells
 * that differ only in c0. */
BOTH uint32_t
moct_place (uint32_t c)
{
  return (c & 0xf8f8f8u) * 0x20c0u >> 16;
}

/* The place of a stored colour in its cell.  The product brings the lowest
 * three bits of c0, c1 and c2 to the top of the word, side by side. */
BOTH uint32_t
moct_in_cell (uint32_t c)
{
  return (c & 0x070707u) * 0x20040080u >> 23;
}

/* The class of stored colour @c, whose cell is cut and has the entry @v. */
BOTH unsigned
moct_class_in_part (const MoctTable *t, unsigned v, uint32_t c)
{
  return t->parts[(v & ~MOCT_CUT) * MOCT_PART + moct_in_cell (c)];
}

/* The class of stored colour c0 | c1 << 8 | c2 << 16; higher bits do not
 * matter. */
BOTH unsigned
moct_class (const MoctTable *t, uint32_t c)
{
  unsigned v = t->cells[moct_place (c)];

  return v & MOCT_CUT ? moct_class_in_part (t, v, c) : v;
}

BOTH uint32_t
moct_stored (const uint8_t c[3])
{
  return (uint32_t) c[0] | (uint32_t) c[1] << 8 | (uint32_t) c[2] << 16;
}

BOTH bool
moct_chroma (const MoctTable *t, unsigned c1, unsigned c2)
{
  return t->chroma[c1 << 3 | c2 >> 5] >> (c2 & 31) & 1;
}

/* ---- Fragments ---- */

#define MOCT_TILE 16
#define MOCT_SLOTS 6 /* fragments in a tile before the overflow list */

typedef struct {
  uint16_t cls[MOCT_SLOTS]; /* class of each slot; slots that are not used come
                               last and have 0 */
  int32_t more;             /* 1 + number of the first overflow fragment, 0:
                               none */
} MoctTile;

/* The moments of a fragment, in half words; coordinates count from the tile's
 * corner.  The greatest value, 16 * 1240 for the squares, is far below
 * 65536. */
typedef struct {
  uint32_t xx_yy;  /* sum of x * x, and sum of y * y << 16 */
  uint32_t xy_x;   /* sum of x * y, and sum of x << 16 */
  uint32_t n_y;    /* number of pixels, and sum of y << 16 */
  uint32_t extent; /* bit x: the fragment has a pixel in column x; bit 16 + y:
                      in row y */
} MoctFragment;

/* A fragment that found no slot in its tile. */
typedef struct {
  uint32_t tile, cls;
  int32_t next; /* 1 + number of the tile's next overflow fragment, 0: none */
} MoctOverflow;

/* The sum of the squares of all numbers below @k. */
BOTH uint32_t
moct_squares (uint32_t k)
{
  return k * (k - 1) * (2 * k - 1) / 6;
}

BOTH int
moct_highest_bit (uint32_t v)
{
#ifdef __CUDA_ARCH__
  return 31 - __clz ((int) v);
#else
  return 31 - __builtin_clz (v);
#endif
}

/* Adds the pixels of row @y of a tile, one for each bit of @mask.  Runs of bits
 * are added at once, since the sums over a run have closed forms. */
BOTH void
moct_fragment_add_row (MoctFragment *f, uint32_t mask, uint32_t y)
{
  if (!mask)
    return;
  f->extent |= mask | 0x10000u << y;
  while (mask) {
    uint32_t a = math_lowest_bit (mask);
    uint32_t n = math_lowest_bit (~(mask >> a)), b = a + n;
    uint32_t x = n * (a + b - 1) / 2;

    f->xx_yy += (moct_squares (b) - moct_squares (a)) | (n * y * y) << 16;
    f->xy_x += (x * y) | x << 16;
    f->n_y += n | (n * y) << 16;
    mask &= ~(((1u << n) - 1) << a);
  }
}

/* The box of a fragment of the tile at (@tx, @ty), pixels in the frame. */
BOTH ImageBox
moct_fragment_box (const MoctFragment *f, int tx, int ty)
{
  uint32_t columns = f->extent & 0xffff, rows = f->extent >> 16;
  ImageBox box;

  box.x0 = tx * MOCT_TILE + math_lowest_bit (columns);
  box.x1 = tx * MOCT_TILE + moct_highest_bit (columns) + 1;
  box.y0 = ty * MOCT_TILE + math_lowest_bit (rows);
  box.y1 = ty * MOCT_TILE + moct_highest_bit (rows) + 1;
  return box;
}

/* Whether at most @distance pixels lie between two boxes, along x and y. */
BOTH bool
moct_boxes_near (ImageBox a, ImageBox b, int distance)
{
  return a.x0 - b.x1 <= distance && b.x0 - a.x1 <= distance &&
      a.y0 - b.y1 <= distance && b.y0 - a.y1 <= distance;
}

/* ---- Sums in frame coordinates ---- */

/* The sums of at most 2^30 pixels with coordinates below 2^15 are below
 * 2^60. */
typedef struct {
  unsigned long long n, x, y, xx, xy, yy;
  ImageBox box;
} MoctSum;

BOTH void
moct_sum_clear (MoctSum *s)
{
  s->n = s->x = s->y = s->xx = s->xy = s->yy = 0;
  s->box.x0 = s->box.y0 = INT32_MAX;
  s->box.x1 = s->box.y1 = INT32_MIN;
}

BOTH MoctSum
moct_fragment_sum (const MoctFragment *f, int tx, int ty)
{
  unsigned long long X = (unsigned long long) tx * MOCT_TILE;
  unsigned long long Y = (unsigned long long) ty * MOCT_TILE;
  unsigned long long n = f->n_y & 0xffff, x = f->xy_x >> 16, y = f->n_y >> 16;
  MoctSum s;

  s.n = n;
  s.x = x + n * X;
  s.y = y + n * Y;
  s.xx = (f->xx_yy & 0xffff) + 2 * X * x + n * X * X;
  s.yy = (f->xx_yy >> 16) + 2 * Y * y + n * Y * Y;
  s.xy = (f->xy_x & 0xffff) + X * y + Y * x + n * X * Y;
  s.box = moct_fragment_box (f, tx, ty);
  return s;
}

BOTH void
moct_sum_add (MoctSum *s, const MoctSum *t)
{
  s->n += t->n;
  s->x += t->x;
  s->y += t->y;
  s->xx += t->xx;
  s->xy += t->xy;
  s->yy += t->yy;
  s->box.x0 = t->box.x0 < s->box.x0 ? t->box.x0 : s->box.x0;
  s->box.y0 = t->box.y0 < s->box.y0 ? t->box.y0 : s->box.y0;
  s->box.x1 = t->box.x1 > s->box.x1 ? t->box.x1 : s->box.x1;
  s->box.y1 = t->box.y1 > s->box.y1 ? t->box.y1 : s->box.y1;
}

/* Moves the pixels of a sum; their coordinates must stay positive. */
BOTH void
moct_sum_move (MoctSum *s, int dx, int dy)
{
  unsigned long long u = (unsigned long long) dx, v = (unsigned long long) dy;

  s->xx += 2 * u * s->x + s->n * u * u;
  s->xy += u * s->y + v * s->x + s->n * u * v;
  s->yy += 2 * v * s->y + s->n * v * v;
  s->x += s->n * u;
  s->y += s->n * v;
  s->box.x0 += dx;
  s->box.x1 += dx;
  s->box.y0 += dy;
  s->box.y1 += dy;
}

BOTH void
moct_sum_add_pixel (MoctSum *s, int x, int y)
{
  MoctSum p = {1, (unsigned long long) x, (unsigned long long) y,
      (unsigned long long) x * x, (unsigned long long) x * y,
      (unsigned long long) y * y, {x, y, x + 1, y + 1}};

  moct_sum_add (s, &p);
}
