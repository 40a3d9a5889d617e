/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pixels without a match take the disparity of the majority around them. */
#include "common/parallel.h"
#include "pocstereo/pocstereo_cpu.h"
#include "pocstereo/pocstereo_fill_core.h"

typedef struct {
  PocstereoGaps gaps;
  uint16_t min_peak;
  PocstereoMatch *matches; /* of the left view */
} Fill;

/* Only pixels without a match change, and no pixel reads their matches. */
static void
fill_gap_rows (void *data, int begin, int end)
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
      *match = pocstereo_filled_match (f->matches[filler], votes);
      pocstereo_drop_low_peak (f->min_peak, match);
    }
}

const char *
pocstereo_fill_cpu (const Device *dev, const PocstereoCensuses *census,
    const int32_t *before, int32_t max_difference, uint16_t min_peak,
    int32_t *scratch, PocstereoDenseMatches *matches)
{
  int width = matches->width, height = matches->height;
  Fill f = {{width, height, scratch, before, matches->view[1],
                {census->view[0], census->view[1]}, max_difference},
      min_peak, matches->view[0]};

  (void) dev;
  pocstereo_disparities_cpu (
      matches->view[0], (size_t) width * height, scratch);
  parallel_for (height, 8, fill_gap_rows, &f);
  return NULL;
}
