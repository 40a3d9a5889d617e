/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pocstereo/pocstereo_cpu.h"
#include "pocstereo/pocstereo_median_core.h"

#define REACH POCSTEREO_MEDIAN_REACH
#define SIDE (2 * REACH + 1)

void
pocstereo_median_cpu (const int32_t *from, int32_t *to, int width, int height)
{
#pragma omp parallel for schedule(static)
  for (int y = 0; y < height; y++) {
    const int32_t *row[SIDE];

    for (int j = 0; j < SIDE; j++)
      row[j] = from +
          (size_t) pocstereo_clamp (y + j - REACH, 0, height - 1) * width;
    for (int x = 0; x < width; x++) {
      int32_t v[SIDE * SIDE];

      for (int i = 0; i < SIDE; i++) {
        int at = pocstereo_clamp (x + i - REACH, 0, width - 1);

        for (int j = 0; j < SIDE; j++)
          v[SIDE * j + i] = row[j][at];
      }
      to[(size_t) y * width + x] = pocstereo_median25 (v);
    }
  }
}
