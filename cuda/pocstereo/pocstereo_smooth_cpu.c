/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Means along surfaces, for a part of a row at once in loops that the compiler
 * turns into vectors. */
#include "common/parallel.h"
#include "common/vectors.h"
#include "pocstereo/pocstereo_cpu.h"
#include "pocstereo/pocstereo_smooth_core.h"

#define PART 256 /* pixels */

/* Adds to each of @n pixels from @middle on its pair at the distance @apart. */
VECTORS static void
add_pairs (const int32_t *middle, ptrdiff_t apart, int n, int32_t *restrict sum,
    int32_t *restrict pairs)
{
  const int32_t *before = middle - apart, *after = middle + apart;

#pragma omp simd
  for (int x = 0; x < n; x++)
    pocstereo_add_pair (
        before[x] - middle[x], after[x] - middle[x], &sum[x], &pairs[x]);
}

typedef struct {
  int width, height;
  const int32_t *disparities; /* or POCSTEREO_FAR */
  float min_sigma;
  PocstereoMatch *matches;
} Smoothing;

/* Smooths the pixels @x to @x + @n - 1 of row @y.  Pairs that reach out of the
 * view are left out. */
static void
smooth_row_part (const Smoothing *s, int x, int y, int n)
{
  int32_t sum[PART] = {0}, pairs[PART] = {0};
  PocstereoMatch *match = s->matches + (size_t) y * s->width + x;

  for (int j = 0; j <= POCSTEREO_SMOOTH_Y; j++)
    for (int i = j ? -POCSTEREO_SMOOTH_X : 1; i <= POCSTEREO_SMOOTH_X; i++) {
      int down = POCSTEREO_SMOOTH_APART * j,
          across = POCSTEREO_SMOOTH_APART * i;
      int away = across < 0 ? -across : across;
      int first = x > away ? x : away;
      int last = x + n < s->width - away ? x + n : s->width - away;

      if (y >= down && y + down < s->height && first < last)
        add_pairs (s->disparities + (size_t) y * s->width + first,
            (ptrdiff_t) down * s->width + across, last - first,
            sum + (first - x), pairs + (first - x));
    }
  for (int i = 0; i < n; i++)
    match[i] =
        pocstereo_smoothed_match (match[i], sum[i], pairs[i], s->min_sigma);
}

static void
smooth_match_rows (void *data, int begin, int end)
{
  const Smoothing *s = data;

  for (int y = begin; y < end; y++)
    for (int x = 0; x < s->width; x += PART)
      smooth_row_part (s, x, y, s->width - x < PART ? s->width - x : PART);
}

const char *
pocstereo_smooth_cpu (const Device *dev, float min_sigma, int32_t *scratch,
    PocstereoDenseMatches *matches)
{
  Smoothing s = {
      matches->width, matches->height, scratch, min_sigma, matches->view[0]};
  size_t n = (size_t) s.width * s.height;

  (void) dev;
  for (size_t i = 0; i < n; i++)
    scratch[i] = pocstereo_disparity_or_far (s.matches[i].disparity);
  parallel_for (s.height, 8, smooth_match_rows, &s);
  return NULL;
}
