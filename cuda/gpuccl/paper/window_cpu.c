/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The detection by windows.  The outliers in a window are counted by a
 * summed-area table (F. Crow, SIGGRAPH 1984). */
#include "gpuccl/gpuccl_cpu.h"
#include "gpuccl/paper/window_core.h"

/* Replaces the counts in w->scratch by sums over all pixels above and to the
 * left, including the pixel. */
static void
sum_areas (const GpucclWork *w)
{
  int width = w->frame.width;

  for (int y = 0; y < w->frame.height; y++) {
    uint32_t *row = w->scratch + (size_t) y * width, sum = 0;

    for (int x = 0; x < width; x++) {
      sum += row[x];
      row[x] = sum + (y ? row[x - width] : 0);
    }
  }
}

static uint32_t
area_sum_at (const GpucclWork *w, int x, int y)
{
  return x && y ? w->scratch[(size_t) (y - 1) * w->frame.width + x - 1] : 0;
}

static uint32_t
count_in_window (const GpucclWork *w, ImageBox b)
{
  return area_sum_at (w, b.x1, b.y1) - area_sum_at (w, b.x0, b.y1) -
      area_sum_at (w, b.x1, b.y0) + area_sum_at (w, b.x0, b.y0);
}

/* Marks the outliers whose surroundings are outliers: w->labels is 1. */
static void
mark_outliers (const GpucclWork *w)
{
  for (int y = 0; y < w->frame.height; y++)
    for (int x = 0; x < w->frame.width; x++) {
      size_t i = (size_t) y * w->frame.width + x;
      ImageBox b = gpuccl_window_of (&w->frame, x, y, GPUCCL_WINDOW_REACH);

      w->labels[i] = gpuccl_foreground_at (&w->frame, &w->values, x, y) &&
          gpuccl_window_marks (b, count_in_window (w, b));
    }
}

/* Labels the outliers around the marked ones with the label of the first. */
static void
grow_marks (const GpucclWork *w)
{
  uint32_t label = 0;

  for (int y = 0; y < w->frame.height; y++)
    for (int x = 0; x < w->frame.width; x++) {
      size_t i = (size_t) y * w->frame.width + x;
      bool in = gpuccl_foreground_at (&w->frame, &w->values, x, y) &&
          count_in_window (
              w, gpuccl_window_of (&w->frame, x, y, GPUCCL_GROWTH_REACH));

      if (in && !label)
        label = (uint32_t) i + 1;
      w->labels[i] = in ? label : 0;
    }
}

const char *
gpuccl_window_cpu (const Device *dev, const GpucclWork *w)
{
  size_t pixels = (size_t) w->frame.width * w->frame.height;

  (void) dev;
  for (int y = 0; y < w->frame.height; y++)
    for (int x = 0; x < w->frame.width; x++)
      w->scratch[(size_t) y * w->frame.width + x] =
          gpuccl_foreground_at (&w->frame, &w->values, x, y);
  sum_areas (w);
  mark_outliers (w);
  for (size_t i = 0; i < pixels; i++)
    w->scratch[i] = w->labels[i];
  sum_areas (w);
  grow_marks (w);
  w->result->iterations = 0;
  return NULL;
}
