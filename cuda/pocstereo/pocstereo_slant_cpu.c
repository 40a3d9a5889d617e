/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Step 7 once more, with windows that lean with the surface. */
#include "common/parallel.h"
#include "pocstereo/pocstereo_cpu.h"
#include "pocstereo/pocstereo_slant_core.h"

#define MOST (POCSTEREO_MAX_LINES * 2 * POCSTEREO_MAX_BANDWIDTH)

/* Measures (@x, @y) again, along @slant. */
static void
measure (const PocstereoWork *w, int view, int x, int y, PocstereoSlant slant,
    PocstereoMatch *match)
{
  const PocstereoCpu *c = w->state;
  const PocstereoTables *t = w->tables;
  PocstereoLean lean = pocstereo_lean (x, y, match->disparity, slant);
  int bytes = pocstereo_phasor_bytes (t->bandwidth);
  int32_t r[2 * POCSTEREO_MAX_BANDWIDTH];
  int8_t g[MOST];

  pocstereo_leaning_cpu (w, 1 - view, &lean, g);
  memset (r, 0, bytes * sizeof *r);
  for (int j = 0; j < t->lines; j++) {
    int row = pocstereo_clamp (y + j - t->lines / 2, 0, w->height - 1);

    pocstereo_add_line (r,
        c->field[view] + ((size_t) row * w->width + x) * bytes, g + j * bytes,
        t->bandwidth);
  }
  pocstereo_take_leaning (pocstereo_refine (t, r, 0), slant.across, match);
}

typedef struct {
  const PocstereoWork *w;
  int view;
} Again;

static void
measure_rows (void *data, int begin, int end)
{
  const Again *again = data;
  const PocstereoWork *w = again->w;
  const PocstereoCpu *c = w->state;

  for (int y = begin; y < end; y++)
    for (int x = 0; x < w->width; x++) {
      PocstereoMatch *match =
          &w->matches[again->view][(size_t) y * w->width + x];
      PocstereoSlant slant;

      if (pocstereo_slant (c->parent, w->width, w->height, x, y, &slant))
        measure (w, again->view, x, y, slant, match);
      pocstereo_forget_low (w->min_peak, match);
    }
}

const char *
pocstereo_slant_cpu (const Device *dev, const PocstereoWork *w, int view)
{
  PocstereoCpu *c = w->state;
  size_t n = (size_t) w->width * w->height;
  Again again = {w, view};

  (void) dev;
  for (size_t i = 0; i < n; i++)
    c->found[i] = w->matches[view][i].disparity;
  pocstereo_median_cpu (c->found, c->parent, w->width, w->height);
  parallel_for (w->height, 8, measure_rows, &again);
  return NULL;
}
