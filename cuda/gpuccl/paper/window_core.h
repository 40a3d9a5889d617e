/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The earlier detection by windows (section 2.3).  The part of a window outside
 * of the frame does not count. */
#pragma once

#include "gpuccl/gpuccl_core.h"

#define GPUCCL_WINDOW_REACH 25 /* of 51 x 51 pixels */
#define GPUCCL_GROWTH_REACH 9  /* of 19 x 19 */

BOTH ImageBox
gpuccl_window_of (const GpucclFrame *f, int x, int y, int reach)
{
  ImageBox b = {x - reach, y - reach, x + reach + 1, y + reach + 1};

  b.x0 = b.x0 < 0 ? 0 : b.x0;
  b.y0 = b.y0 < 0 ? 0 : b.y0;
  b.x1 = b.x1 > f->width ? f->width : b.x1;
  b.y1 = b.y1 > f->height ? f->height : b.y1;
  return b;
}

/* Whether @n outliers in @window are 90 % of it, which marks the outlier in its
 * middle. */
BOTH bool
gpuccl_window_marks (ImageBox window, uint32_t n)
{
  uint32_t pixels =
      (uint32_t) (window.x1 - window.x0) * (uint32_t) (window.y1 - window.y0);

  return 10 * n >= 9 * pixels;
}
