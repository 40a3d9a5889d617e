/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The paper's operator and the one it is compared with, as loops over the
 * texels of one level after the other. */
#include "moct/paper/pyramid_core.h"

#include "common/parallel.h"
#include "moct/moct_cpu.h"

#define FEW 1024 /* up to this many texels, no other thread helps */

/* A level, and the level below it, if any. */
typedef struct {
  const MoctWork *w;
  const MoctLevel *below, *level;
} Pass;

/* The level of halved masks of colour @k, and the level below it. */
typedef struct {
  const MoctWork *w;
  int k;
  const MoctHalf *below, *level;
} HalfPass;

static void
report_texels_cpu (const MoctWork *w, const MoctSum *sums)
{
  w->result->n_blobs = 0;
  w->result->n_overflow = 0;
  for (int k = 0; k < w->n_colours; k++)
    moct_report (w, &sums[k], k + 1);
}

static void
sweep_texels (void *data, int begin, int end)
{
  const Pass *pass = data;
  const MoctWork *w = pass->w;
  const MoctLevel *base = pass->level;

  for (int at = begin; at < end; at++) {
    MoctTexel t = moct_texel_of (base, (unsigned) at);

    if (t.i < base->n)
      w->texels[base->first + at] = moct_sweep (w, base, t);
  }
}

static void
gather_texels (void *data, int begin, int end)
{
  const Pass *pass = data;
  const MoctWork *w = pass->w;
  const MoctLevel *level = pass->level;

  for (int at = begin; at < end; at++) {
    MoctTexel t = moct_texel_of (level, (unsigned) at);

    if (t.i < level->n)
      w->texels[level->first + at] = moct_gather (w, pass->below, t);
  }
}

static void
for_level_texels (const MoctLevel *level, ParallelBody body, Pass *pass)
{
  int n = (int) moct_level_texels (level);

  parallel_for (n, n > FEW ? 0 : n, body, pass);
}

const char *
moct_pyramid_cpu (const Device *dev, const MoctWork *w)
{
  MoctLevel level = moct_base (w);

  (void) dev;
  TRY (moct_pyramid_check (w));
  for_level_texels (&level, sweep_texels, &(Pass){w, NULL, &level});
  while (level.cells_x > 1 || level.cells_y > 1) {
    MoctLevel below = level;

    level = moct_above (w, &below);
    for_level_texels (&level, gather_texels, &(Pass){w, &below, &level});
  }
  report_texels_cpu (w, w->texels + level.first);
  return NULL;
}

static void
mask_rows (void *data, int begin, int end)
{
  const HalfPass *pass = data;
  const MoctHalf to = *pass->level;

  for (int y = begin; y < end; y++)
    for (int x = 0; x < to.width; x++)
      to.mask[(size_t) y * to.width + x] =
          moct_mask_pixel (pass->w, pass->k, x, y);
}

static void
halve_mask_rows (void *data, int begin, int end)
{
  const HalfPass *pass = data;
  const MoctHalf to = *pass->level;

  for (int y = begin; y < end; y++)
    for (int x = 0; x < to.width; x++)
      to.texels[(size_t) y * to.width + x] = moct_halve (pass->below, x, y);
}

static void
for_mask_rows (const MoctHalf *level, ParallelBody body, HalfPass *pass)
{
  bool few = level->width * level->height <= FEW;

  parallel_for (level->height, few ? level->height : 0, body, pass);
}

const char *
moct_per_object_cpu (const Device *dev, const MoctWork *w)
{
  (void) dev;
  TRY (moct_per_object_check (w));
  for (int k = 0; k < w->n_colours; k++) {
    MoctHalf level = moct_mask (w);

    for_mask_rows (&level, mask_rows, &(HalfPass){w, k, NULL, &level});
    while (level.mask || level.width > 1 || level.height > 1) {
      MoctHalf below = level;

      level = moct_half_above (w, k, &below);
      for_mask_rows (
          &level, halve_mask_rows, &(HalfPass){w, k, &below, &level});
    }
  }
  report_texels_cpu (w, w->texels);
  return NULL;
}

size_t
moct_texels (const MoctWork *w, MoctMethod method)
{
  return method == MOCT_PYRAMID   ? moct_pyramid_texels (w)
      : method == MOCT_PER_OBJECT ? moct_per_object_texels (w)
                                  : 0;
}
