/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Steps 2 to 7 at points.  The phasors of a window come from the layer's field
 * or, in a layer without one, from the samples. */
#include "common/parallel.h"
#include "pocstereo/pocstereo_cpu.h"
#include "pocstereo/pocstereo_dense_core.h"
#include "pocstereo/pocstereo_fit_core.h"

/* Phasors of a window, and room for a block behind the last line. */
#define MOST \
 (POCSTEREO_MAX_LINES * 2 * POCSTEREO_MAX_BANDWIDTH + POCSTEREO_BLOCK)

/* The input of the search in layer l. */
typedef struct {
  const PocstereoAsked *asked;
  const PocstereoFields *fields;
  const PocstereoTables *t;
  const PocstereoLayer *layer;
  int l;
} Search;

/* The phasors of the window around (@x, @y), line by line. */
static void
gather_window_phasors (const Search *s, int view, int x, int y, int8_t *phasors)
{
  const PocstereoPyramid *p = s->asked->pyramid;
  int bytes = pocstereo_phasor_bytes (s->t->bandwidth);

  x = pocstereo_clamp (x, 0, s->layer->width - 1);
  if (!(s->fields->layers >> s->l & 1)) {
    pocstereo_window_cpu (
        s->t, p->view[view][s->l], p->stride[s->l], s->layer, x, y, phasors);
    return;
  }
  for (int j = 0; j < s->t->lines; j++) {
    int at = pocstereo_clamp (y + j - s->t->lines / 2, 0, s->layer->height - 1);

    memcpy (phasors + j * bytes,
        s->fields->phasors[view][s->l] +
            ((size_t) at * s->layer->width + x) * bytes,
        bytes);
  }
}

/* pocstereo_add_line () of all @lines, of @bytes each, many products at once.
 * Sums beyond the bandwidth are not used. */
VECTORS static void
add_window_lines (const int8_t *f, const int8_t *g, int lines, int bytes,
    int32_t r[POCSTEREO_SUMS])
{
  for (int b = 0; b < bytes; b += POCSTEREO_BLOCK) {
    int32_t real[POCSTEREO_BLOCK / 2] = {0};
    int32_t imaginary[POCSTEREO_BLOCK / 2] = {0};

    for (int j = 0; j < lines; j++) {
      int16_t right[POCSTEREO_BLOCK];
      PocstereoTwin twin;

      pocstereo_make_twin (&twin, f + j * bytes + b);
#pragma omp simd
      for (int i = 0; i < POCSTEREO_BLOCK; i++)
        right[i] = g[j * bytes + b + i];
      add_products (real, twin.real, right, POCSTEREO_BLOCK / 2);
      add_products (imaginary, twin.imaginary, right, POCSTEREO_BLOCK / 2);
    }
#pragma omp simd
    for (int i = 0; i < POCSTEREO_BLOCK / 2; i++) {
      r[b + 2 * i] = real[i];
      r[b + 2 * i + 1] = imaginary[i];
    }
  }
}

/* The sums over lines of F conj (G) of the windows f around @x and g around @x
 * - @base. */
static void
correlate_windows (const Search *s, const int8_t *f, int x, int y, int base,
    int32_t r[POCSTEREO_SUMS])
{
  int8_t g[MOST] = {0};

  gather_window_phasors (s, 1, x - base, y, g);
  add_window_lines (
      f, g, s->t->lines, pocstereo_phasor_bytes (s->t->bandwidth), r);
}

/* Steps 4 and 5 in one layer: the best disparity around the parent's, or around
 * each tile of the coarsest layer. */
static int
search_point_layer (const Search *s, const int8_t *f, int x, int y, int parent)
{
  int32_t r[POCSTEREO_SUMS];
  PocstereoBest best = {INT32_MIN, 0};
  bool coarsest = s->l == s->asked->pyramid->n_layers - 1;
  int n = coarsest ? s->layer->tiles : 1;

  for (int i = 0; i < n; i++) {
    int base = coarsest ? pocstereo_tile_base (s->layer, i) : 2 * parent;

    base = pocstereo_visible_base (s->layer, x, base);
    correlate_windows (s, f, x, y, base, r);
    pocstereo_try_base (s->t, s->layer, r, base, s->t->lags, &best);
  }
  return best.disparity;
}

/* Step 7: the match at the disparity @base.  @f: the left window's phasors. */
static PocstereoMatch
refine_point (const Search *s, const int8_t *f, int x, int y, int base)
{
  int32_t r[POCSTEREO_SUMS], beside[POCSTEREO_SUMS];
  int side;

  correlate_windows (s, f, x, y, base, r);
  if (s->t->fit != POCSTEREO_TWO_WINDOWS)
    return pocstereo_refine_match (s->t, r, base);
  side = pocstereo_side_of_peak (s->t, r, x - base, s->layer->width);
  correlate_windows (s, f, x, y, base + side, beside);
  return pocstereo_refine_between (s->t, r, beside, side, base);
}

/* Matches a point: Steps 2 to 7. */
static PocstereoMatch
match_point (Search s, PocstereoPoint point)
{
  const PocstereoPyramid *p = s.asked->pyramid;
  int8_t f[MOST] = {0};
  int found = 0;
  PocstereoMatch match;

  for (s.l = p->n_layers - 1; s.l >= 0; s.l--) {
    int x, y;

    s.layer = &p->layer[0][s.l];
    x = pocstereo_clamp (point.x >> s.l, 0, s.layer->width - 1);
    y = pocstereo_clamp (point.y >> s.l, 0, s.layer->height - 1);
    gather_window_phasors (&s, 0, x, y, f);
    found = search_point_layer (&s, f, x, y, found);
  }
  s.l = 0;
  match = refine_point (&s, f, point.x, point.y, found);
  pocstereo_drop_outside (point.x, s.layer->width, &match);
  pocstereo_drop_low_peak (s.asked->min_peak, &match);
  return match;
}

static void
match_points (void *data, int begin, int end)
{
  const Search *s = data;

  for (int i = begin; i < end; i++)
    s->asked->matches[i] = match_point (*s, s->asked->points[i]);
}

const char *
pocstereo_points_cpu (const Device *dev, const PocstereoAsked *asked,
    const PocstereoFields *fields)
{
  Search s = {asked, fields, asked->constants.host, NULL, 0};

  (void) dev;
  parallel_for (asked->n, 64, match_points, &s);
  return NULL;
}
