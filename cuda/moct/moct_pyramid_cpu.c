/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The paper's own operator, and the one that it is compared with, as loops
 * over the texels of one level after the other. */
#include "moct/moct_pyramid.h"

#include "moct/moct_cpu.h"

#define FEW 1024 /* texels that are not worth waking threads for */

static void
report (const MoctWork *w, const MoctSum *sums)
{
  w->result->n_blobs = 0;
  w->result->n_overflow = 0;
  for (int k = 0; k < w->n_colours; k++)
    moct_report (w, &sums[k], k + 1);
}

static void
sweep (const MoctWork *w, const MoctLevel *base)
{
  unsigned n = (unsigned) moct_level_texels (base);

#pragma omp parallel for if (n > FEW)
  for (unsigned at = 0; at < n; at++) {
    MoctTexel t = moct_texel_of (base, at);

    if (t.i < base->n)
      w->texels[base->first + at] = moct_sweep (w, base, t);
  }
}

static void
gather (const MoctWork *w, const MoctLevel *below, const MoctLevel *level)
{
  unsigned n = (unsigned) moct_level_texels (level);

#pragma omp parallel for if (n > FEW)
  for (unsigned at = 0; at < n; at++) {
    MoctTexel t = moct_texel_of (level, at);

    if (t.i < level->n)
      w->texels[level->first + at] = moct_gather (w, below, t);
  }
}

const char *
moct_pyramid_cpu (const Device *dev, const MoctWork *w)
{
  MoctLevel level = moct_base (w);

  (void) dev;
  TRY (moct_pyramid_check (w));
  sweep (w, &level);
  while (level.cells_x > 1 || level.cells_y > 1) {
    MoctLevel below = level;

    level = moct_above (w, &below);
    gather (w, &below, &level);
  }
  report (w, w->texels + level.first);
  return NULL;
}

static void
mask (const MoctWork *w, int k, const MoctHalf *to)
{
#pragma omp parallel for if (to->width * to->height > FEW)
  for (int y = 0; y < to->height; y++)
    for (int x = 0; x < to->width; x++)
      to->mask[(size_t) y * to->width + x] = moct_mask_pixel (w, k, x, y);
}

static void
halve (const MoctHalf *below, const MoctHalf *level)
{
#pragma omp parallel for if (level->width * level->height > FEW)
  for (int y = 0; y < level->height; y++)
    for (int x = 0; x < level->width; x++)
      level->texels[(size_t) y * level->width + x] = moct_halve (below, x, y);
}

const char *
moct_per_object_cpu (const Device *dev, const MoctWork *w)
{
  (void) dev;
  TRY (moct_per_object_check (w));
  for (int k = 0; k < w->n_colours; k++) {
    MoctHalf level = moct_mask (w);

    mask (w, k, &level);
    while (level.mask || level.width > 1 || level.height > 1) {
      MoctHalf below = level;

      level = moct_half_above (w, k, &below);
      halve (&below, &level);
    }
  }
  report (w, w->texels);
  return NULL;
}
