/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Patches of neighbours, by 4 sides, whose disparities differ little; small
 * ones go. */
#include "pocstereo/pocstereo_cpu.h"
#include "pocstereo/pocstereo_revote_core.h"

/* The root of a pixel's patch.  Parents come before their children. */
static uint32_t
root (uint32_t *parent, uint32_t i)
{
  while (parent[i] != i)
    i = parent[i] = parent[parent[i]];
  return i;
}

static void
join (uint32_t *parent, uint32_t a, uint32_t b)
{
  a = root (parent, a);
  b = root (parent, b);
  if (a < b)
    parent[b] = a;
  else
    parent[a] = b;
}

const char *
pocstereo_speckle_cpu (const Device *dev, const PocstereoWork *w)
{
  PocstereoCpu *c = w->state;
  PocstereoMatch *m = w->matches[0];
  uint32_t *parent = c->patch, n = (uint32_t) w->width * w->height;
  int32_t *size = c->found;

  (void) dev;
  for (uint32_t i = 0; i < n; i++) {
    parent[i] = i;
    size[i] = 0;
    if (i % w->width &&
        pocstereo_is_joined (
            m[i].disparity, m[i - 1].disparity, w->speckle_step))
      join (parent, i, i - 1);
    if (i >= (uint32_t) w->width &&
        pocstereo_is_joined (
            m[i].disparity, m[i - w->width].disparity, w->speckle_step))
      join (parent, i, i - w->width);
  }
  for (uint32_t i = 0; i < n; i++)
    size[root (parent, i)]++;
  for (uint32_t i = 0; i < n; i++)
    if (size[root (parent, i)] < w->params.speckle_size)
      m[i].disparity = POCSTEREO_NONE;
  return NULL;
}
