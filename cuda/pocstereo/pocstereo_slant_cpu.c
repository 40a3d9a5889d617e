/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Step 7 again, with windows that lean with the surface. */
#include "common/parallel.h"
#include "pocstereo/pocstereo_cpu.h"
#include "pocstereo/pocstereo_slant_core.h"

#define MOST (POCSTEREO_MAX_LINES * 2 * POCSTEREO_MAX_BANDWIDTH)

/* The input and output of one view. */
typedef struct {
  const PocstereoTables *t;
  const PocstereoFrame *frame;
  int view;
  const int8_t *field;   /* the view's phasors of layer 0 */
  const int32_t *smooth; /* medians of the view's disparities */
  uint16_t min_peak;
  PocstereoMatch *matches;
} Leaning;

/* Measures the pixel (@x, @y) again, along @slant. */
static void
measure_leaning_pixel (
    const Leaning *s, int x, int y, PocstereoSlant slant, PocstereoMatch *match)
{
  const PocstereoTables *t = s->t;
  PocstereoLean lean = pocstereo_lean_window (x, y, match->disparity, slant);
  int bytes = pocstereo_phasor_bytes (t->bandwidth);
  int32_t r[2 * POCSTEREO_MAX_BANDWIDTH];
  int8_t g[MOST];

  pocstereo_leaning_cpu (t, s->frame, 1 - s->view, &lean, g);
  memset (r, 0, bytes * sizeof *r);
  for (int j = 0; j < t->lines; j++) {
    int row = pocstereo_clamp (y + j - t->lines / 2, 0, s->frame->height - 1);

    pocstereo_add_line (r,
        s->field + ((size_t) row * s->frame->width + x) * bytes, g + j * bytes,
        t->bandwidth);
  }
  pocstereo_take_leaning_match (
      pocstereo_refine_match (t, r, 0), slant.across, match);
}

static void
measure_leaning_rows (void *data, int begin, int end)
{
  const Leaning *s = data;
  int width = s->frame->width;

  for (int y = begin; y < end; y++)
    for (int x = 0; x < width; x++) {
      PocstereoMatch *match = &s->matches[(size_t) y * width + x];
      PocstereoSlant slant;

      if (pocstereo_find_slant (
              s->smooth, width, s->frame->height, x, y, &slant))
        measure_leaning_pixel (s, x, y, slant, match);
      pocstereo_drop_low_peak (s->min_peak, match);
    }
}

const char *
pocstereo_slant_cpu (const Device *dev, const PocstereoFrame *frame,
    const PocstereoFields *fields, const PocstereoConstants *constants,
    uint16_t final_min_peak, int32_t *scratch, PocstereoDenseMatches *matches)
{
  size_t n = (size_t) frame->width * frame->height;
  int32_t *own = scratch, *smooth = scratch + n;

  (void) dev;
  for (int v = 0; v < matches->n_views; v++) {
    Leaning s = {constants->host, frame, v, fields->phasors[v][0], smooth,
        final_min_peak, matches->view[v]};

    pocstereo_disparities_cpu (matches->view[v], n, own);
    pocstereo_median_cpu (own, smooth, frame->width, frame->height);
    parallel_for (frame->height, 8, measure_leaning_rows, &s);
  }
  return NULL;
}
