/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Patches of neighbours, left, right, above and below, whose disparities differ
 * little; the matches of small patches are dropped. */
#include "pocstereo/pocstereo_cpu.h"
#include "pocstereo/pocstereo_revote_core.h"

/* The root of a pixel's patch.  Parents have smaller indices than their
 * children. */
static uint32_t
patch_root (uint32_t *parent, uint32_t i)
{
  while (parent[i] != i)
    i = parent[i] = parent[parent[i]];
  return i;
}

static void
join_patches (uint32_t *parent, uint32_t a, uint32_t b)
{
  a = patch_root (parent, a);
  b = patch_root (parent, b);
  if (a < b)
    parent[b] = a;
  else
    parent[a] = b;
}

const char *
pocstereo_speckle_cpu (const Device *dev, int size, int32_t step,
    int32_t *scratch, PocstereoDenseMatches *matches)
{
  PocstereoMatch *m = matches->view[0];
  uint32_t width = (uint32_t) matches->width, n = width * matches->height;
  uint32_t *parent = (uint32_t *) scratch;
  int32_t *pixels = scratch + n; /* pixels of the patch with this root */

  (void) dev;
  for (uint32_t i = 0; i < n; i++) {
    parent[i] = i;
    pixels[i] = 0;
    if (i % width &&
        pocstereo_is_one_patch (m[i].disparity, m[i - 1].disparity, step))
      join_patches (parent, i, i - 1);
    if (i >= width &&
        pocstereo_is_one_patch (m[i].disparity, m[i - width].disparity, step))
      join_patches (parent, i, i - width);
  }
  for (uint32_t i = 0; i < n; i++)
    pixels[patch_root (parent, i)]++;
  for (uint32_t i = 0; i < n; i++)
    if (pixels[patch_root (parent, i)] < size)
      m[i].disparity = POCSTEREO_NONE;
  return NULL;
}
