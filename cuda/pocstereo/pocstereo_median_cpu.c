/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Medians of 5 x 5 numbers, several pixels at once in loops that the compiler
 * turns into vectors.  Each column of 5 is ordered once, for the five pixels
 * around that need it. */
#include "common/parallel.h"
#include "common/vectors.h"
#include "pocstereo/pocstereo_cpu.h"
#include "pocstereo/pocstereo_median_core.h"

#define REACH POCSTEREO_MEDIAN_REACH
#define SIDE (2 * REACH + 1)
#define LANES 16            /* pixels whose medians are computed at once */
#define PART (8 * LANES)    /* pixels whose columns are ordered at once */
#define ROOM (PART + LANES) /* the columns of PART pixels and those around */

typedef struct {
  const int32_t *from;
  int32_t *to;
  int width, height;
} Filter;

INLINED void
order_lanes (int32_t *restrict a, int32_t *restrict b)
{
#pragma omp simd
  for (int i = 0; i < LANES; i++)
    pocstereo_order_two (&a[i], &b[i]);
}

/* Orders five numbers of each lane, by nine comparisons. */
INLINED void
order_five_lanes (int32_t *a, int32_t *b, int32_t *c, int32_t *d, int32_t *e)
{
  order_lanes (a, d);
  order_lanes (b, e);
  order_lanes (a, c);
  order_lanes (b, d);
  order_lanes (a, b);
  order_lanes (c, e);
  order_lanes (b, c);
  order_lanes (d, e);
  order_lanes (c, d);
}

/* The 7th of 13 numbers ("forgetful selection"): the least and the greatest of
 * the first 8 are not the median; they are dropped, the next number comes in,
 * and so on. */
INLINED void
median_of_13_lanes (int32_t v[13][LANES], int32_t median[LANES])
{
  for (int first = 0; first < 6; first++) {
    const int last = 7; /* v[first] to v[last] are still in */

    if (first)
      memcpy (v[last], v[last + first], sizeof v[last]);
    for (int i = first; i < last; i++)
      order_lanes (v[i], v[i + 1]);
    for (int i = last - 2; i >= first; i--)
      order_lanes (v[i], v[i + 1]);
  }
  memcpy (median, v[6], sizeof v[6]);
}

/* The medians of 5 x 5 numbers from column @x on; columns are in order.  Once
 * the rows are ordered, too, number j of row i has (i + 1) (j + 1) - 1 numbers
 * below it and (5 - i) (5 - j) - 1 above: a number with more than 12 on one
 * side is not the median. */
INLINED void
median_of_lanes (int32_t column[SIDE][ROOM], int x, int32_t median[LANES])
{
  int32_t v[SIDE][LANES], left[SIDE * SIDE][LANES];
  int n = 0;

  for (int i = 0; i < SIDE; i++) {
    for (int j = 0; j < SIDE; j++)
      memcpy (v[j], column[i] + x + j, sizeof v[j]);
    order_five_lanes (v[0], v[1], v[2], v[3], v[4]);
    for (int j = 0; j < SIDE; j++)
      if ((i + 1) * (j + 1) <= 13 && (SIDE - i) * (SIDE - j) <= 13)
        memcpy (left[n++], v[j], sizeof v[j]);
  }
  median_of_13_lanes (left, median);
}

/* The columns of 5 around row @y, from column @x - REACH on. */
static void
gather_columns (const Filter *f, int x, int y, int32_t column[SIDE][ROOM])
{
  for (int j = 0; j < SIDE; j++) {
    const int32_t *row = f->from +
        (size_t) pocstereo_clamp (y + j - REACH, 0, f->height - 1) * f->width;

    if (x >= REACH && x - REACH + ROOM <= f->width)
      memcpy (column[j], row + x - REACH, ROOM * sizeof *row);
    else
      for (int i = 0; i < ROOM; i++)
        column[j][i] = row[pocstereo_clamp (x + i - REACH, 0, f->width - 1)];
  }
}

/* The medians of @n pixels from (@x, @y) on. */
VECTORS static void
median_part (const Filter *f, int x, int y, int n)
{
  int32_t column[SIDE][ROOM], median[PART];

  gather_columns (f, x, y, column);
  for (int i = 0; i < ROOM; i += LANES)
    order_five_lanes (column[0] + i, column[1] + i, column[2] + i,
        column[3] + i, column[4] + i);
  for (int i = 0; i < n; i += LANES)
    median_of_lanes (column, i, median + i);
  memcpy (f->to + (size_t) y * f->width + x, median, n * sizeof *median);
}

static void
median_rows (void *data, int begin, int end)
{
  const Filter *f = data;

  for (int y = begin; y < end; y++)
    for (int x = 0; x < f->width; x += PART)
      median_part (f, x, y, f->width - x < PART ? f->width - x : PART);
}

void
pocstereo_median_cpu (const int32_t *from, int32_t *to, int width, int height)
{
  Filter f = {from, to, width, height};

  parallel_for (height, 0, median_rows, &f);
}
