/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/parallel.h"
#include "pocstereo/pocstereo_cpu.h"
#include "pocstereo/pocstereo_median_core.h"

#define REACH POCSTEREO_MEDIAN_REACH
#define SIDE (2 * REACH + 1)

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
  for (int x = 0; x < width; x++) {
    int32_t v[SIDE * SIDE];

    for (int i = 0; i < SIDE; i++) {
      int at = pocstereo_clamp (x + i - REACH, 0, width - 1);

      for (int j = 0; j < SIDE; j++)
        v[SIDE * j + i] = row[j][at];
    }
    to[x] = pocstereo_median25 (v);
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
