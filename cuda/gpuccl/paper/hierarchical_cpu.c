/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Hierarchical merging (section 3.3, figure 3): components of small tiles, then
 * of 4 x 4 tiles, of 4 x 4 of these, and so on.  Frames may have any size. */
#include "gpuccl/gpuccl_cpu.h"
#include "gpuccl/paper/equivalence_core.h"

#define TILE 16
#define GROUP 4

static int
smaller_int (int a, int b)
{
  return a < b ? a : b;
}

/* Kernel 1, by improved label equivalence. */
static void
solve_tile_cpu (const GpucclWork *w, int x0, int y0)
{
  ImageBox tile = {x0, y0, smaller_int (x0 + TILE, w->frame.width),
      smaller_int (y0 + TILE, w->frame.height)};
  bool changed;

  gpuccl_begin_labels_cpu (w, tile, w->labels);
  do {
    changed = gpuccl_scan_cpu (w, tile, w->labels, w->labels);
    gpuccl_analyse_cpu (w, tile, w->labels);
  } while (changed);
}

/* Kernel 2 for one pixel.  For each neighbour in the column before (x, y), or
 * with @up in the row above, the higher of the two roots gets the label of the
 * lower. */
static void
merge_pixel_cpu (const GpucclWork *w, int x, int y, bool up)
{
  ImageBox all = {0, 0, w->frame.width, w->frame.height};
  int width = w->frame.width, reach = w->connectivity == 8;
  uint32_t *labels = w->labels;

  for (int k = -reach; k <= reach && labels[(size_t) y * width + x]; k++) {
    int u = up ? x + k : x - 1, v = up ? y - 1 : y + k;
    uint32_t a, b;

    if (!gpuccl_neighbour (w, labels, all, x, y, u, v, &b))
      continue;
    a = gpuccl_root (labels, labels[(size_t) y * width + x]);
    b = gpuccl_root (labels, b);
    if (a < b)
      labels[b - 1] = a;
    else
      labels[a - 1] = b;
  }
}

/* Kernel 3 for one pixel. */
static void
update_pixel_cpu (const GpucclWork *w, int x, int y)
{
  uint32_t *label = &w->labels[(size_t) y * w->frame.width + x];

  if (*label)
    *label = gpuccl_root (w->labels, *label);
}

/* Whether row or column @at begins behind a border between tiles of side @tile
 * that are in one group. */
static bool
is_tile_border (int at, int tile)
{
  return at && at % tile == 0 && at % (GROUP * tile);
}

static void
merge_level_cpu (const GpucclWork *w, int tile)
{
  int width = w->frame.width, height = w->frame.height;

  for (int y = 0; y < height; y++)
    for (int x = tile; x < width; x += tile)
      if (is_tile_border (x, tile))
        merge_pixel_cpu (w, x, y, false);
  for (int y = tile; y < height; y += tile)
    for (int x = 0; x < width && is_tile_border (y, tile); x++)
      merge_pixel_cpu (w, x, y, true);
  for (int y = 0; y < height; y++)
    for (int x = tile; x < width; x += tile)
      update_pixel_cpu (w, x - 1, y), update_pixel_cpu (w, x, y);
  for (int y = tile; y < height; y += tile)
    for (int x = 0; x < width; x++)
      update_pixel_cpu (w, x, y - 1), update_pixel_cpu (w, x, y);
}

const char *
gpuccl_hierarchical_cpu (const Device *dev, const GpucclWork *w)
{
  int width = w->frame.width, height = w->frame.height;
  ImageBox all = {0, 0, width, height};

  (void) dev;
  for (int y = 0; y < height; y += TILE)
    for (int x = 0; x < width; x += TILE)
      solve_tile_cpu (w, x, y);
  for (int tile = TILE; tile < width || tile < height; tile *= GROUP)
    merge_level_cpu (w, tile);
  gpuccl_analyse_cpu (w, all, w->labels); /* kernel 4 */
  w->result->iterations = 0;
  return NULL;
}
