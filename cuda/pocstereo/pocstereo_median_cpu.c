/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/parallel.h"
#include "common/vectors.h"
#include "pocstereo/pocstereo_cpu.h"
#include "pocstereo/pocstereo_median_core.h"

#define REACH POCSTEREO_MEDIAN_REACH
#define SIDE (2 * REACH + 1)

#define LANES 16 /* pixels whose medians are taken at once */

static void
gather (const int32_t *row, int width, int x, int32_t to[LANES])
{
  if (x >= 0 && x + LANES <= width)
    memcpy (to, row + x, LANES * sizeof *to);
  else
    for (int i = 0; i < LANES; i++)
      to[i] = row[pocstereo_clamp (x + i, 0, width - 1)];
}

INLINED void
order_lanes (int32_t a[LANES], int32_t b[LANES])
{
#pragma omp simd
  for (int i = 0; i < LANES; i++)
    pocstereo_order (&a[i], &b[i]);
}

/* pocstereo_median25 () of every lane, which the middle number becomes. */
VECTORS static void
median_of_lanes (int32_t v[SIDE * SIDE][LANES])
{
  for (int first = 0; first < SIDE * SIDE / 2; first++) {
    int last = SIDE * SIDE / 2 + 1;

    if (first)
      memcpy (v[last], v[last + first], sizeof v[last]);
    for (int i = first; i < last; i++)
      order_lanes (v[i], v[i + 1]);
    for (int i = last - 2; i >= first; i--)
      order_lanes (v[i], v[i + 1]);
  }
}

typedef struct {
  const int32_t *from;
  int32_t *to;
  int width, height;
} Filter;

static void
filter_row (const Filter *f, int y)
{
  const int width = f->width;
  int32_t *to = f->to + (size_t) y * width;
  const int32_t *row[SIDE];

  for (int j = 0; j < SIDE; j++) {
    int at = pocstereo_clamp (y + j - REACH, 0, f->height - 1);

    row[j] = f->from + (size_t) at * width;
  }
  for (int x = 0; x < width; x += LANES) {
    int32_t v[SIDE * SIDE][LANES];
    int n = width - x < LANES ? width - x : LANES;

    for (int j = 0; j < SIDE; j++)
      for (int i = 0; i < SIDE; i++)
        gather (row[j], width, x + i - REACH, v[SIDE * j + i]);
    median_of_lanes (v);
    memcpy (to + x, v[SIDE * SIDE / 2], n * sizeof *to);
  }
}

static void
filter_rows (void *data, int begin, int end)
{
  for (int y = begin; y < end; y++)
    filter_row (data, y);
}

void
pocstereo_median_cpu (const int32_t *from, int32_t *to, int width, int height)
{
  Filter f = {from, to, width, height};

  parallel_for (height, 0, filter_rows, &f);
}
