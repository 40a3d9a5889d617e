/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pixels without a match take that of most around them. */
#include "common/parallel.h"
#include "pocstereo/pocstereo_cpu.h"
#include "pocstereo/pocstereo_fill_core.h"

typedef struct {
  PocstereoGaps gaps;
  uint16_t min_peak;
  PocstereoMatch *matches; /* the left view's */
} Fill;

/* Only pixels without a match change, and no other pixel reads these. */
static void
fill_rows (void *data, int begin, int end)
{
  const Fill *f = data;
  const PocstereoGaps *g = &f->gaps;

  for (int y = begin; y < end; y++)
    for (int x = 0; x < g->width; x++) {
      PocstereoMatch *match = &f->matches[(size_t) y * g->width + x];
      int votes;
      int32_t filler;

      if (match->disparity != POCSTEREO_NONE)
        continue;
      filler = pocstereo_filler (g, x, y, &votes);
      if (filler < 0)
        continue;
      *match = pocstereo_filled (f->matches[filler], votes);
      pocstereo_forget_low (f->min_peak, match);
    }
}

const char *
pocstereo_fill_cpu (const Device *dev, const PocstereoWork *w)
{
  PocstereoCpu *c = w->state;
  size_t n = (size_t) w->width * w->height;
  Fill f = {{w->width, w->height, c->found, c->dropped, w->matches[1],
                {c->census[0], c->census[1]}, w->max_difference},
      w->min_peak, w->matches[0]};

  (void) dev;
  if (!w->params.revote)
    pocstereo_census_cpu (w);
  for (size_t i = 0; i < n; i++)
    c->found[i] = w->matches[0][i].disparity;
  parallel_for (w->height, 8, fill_rows, &f);
  return NULL;
}
