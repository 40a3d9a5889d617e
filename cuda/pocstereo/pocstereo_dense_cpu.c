/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Steps 2 to 7 at every pixel, on the phasors of all pixels of a layer. */
#include "common/parallel.h"
#include "pocstereo/pocstereo_cpu.h"
#include "pocstereo/pocstereo_dense_core.h"
#include "pocstereo/pocstereo_sums_cpu.h"

/* One layer, seen from one view. */
typedef struct {
  const PocstereoWork *w;
  int view;
  const PocstereoTables *t;
  const PocstereoLayer *layer, *above; /* above: NULL at the coarsest */
  const int8_t *field, *other;         /* phasors of this view and the other */
  const int32_t *parent;               /* disparities of the layer above */
  int candidates;
  int32_t *found, *height;
} Search;

/* Leaves of @n disparities the first of each, and returns how many: what one
 * found cannot be beaten by the same once more. */
INLINED int
distinct (int *base, int n)
{
  int left = 0;

  for (int i = 0; i < n; i++) {
    int now = base[i];
    bool is_new = true;

    for (int j = 0; j < left; j++)
      is_new &= base[j] != now;
    base[left] = now;
    left += is_new;
  }
  return left;
}

INLINED int
column (const Search *s, int x, int disparity)
{
  return pocstereo_clamp (x - disparity, 0, s->layer->width - 1);
}

/* pocstereo_try (). */
INLINED void
try_base (
    const Search *s, const int32_t *r, int base, int lags, PocstereoBest *best)
{
  int first, last, lag;
  int32_t height;

  pocstereo_lags (s->layer, base, lags, &first, &last);
  lag =
      pocstereo_highest (s->w->state, s->t->bandwidth, r, first, last, &height);
  pocstereo_take_higher (height, base + lag, best);
}

/* The disparities that a pixel tries, which are those of its parents. */
typedef struct {
  int base[POCSTEREO_CANDIDATES], n;
} Tries;

INLINED void
take_parents (const Search *s, int x, int y, Tries *tries)
{
  for (int i = 0; i < s->candidates; i++) {
    PocstereoPoint p =
        pocstereo_parent (i, x, y, s->above->width, s->above->height);
    int base = 2 * s->parent[(size_t) p.y * s->above->width + p.x];

    tries->base[i] = pocstereo_clamp (base, s->layer->floor, s->layer->ceil);
  }
  tries->n = distinct (tries->base, s->candidates);
}

/* Tries @base in column @x of two rows. */
INLINED void
try_two (const Search *s, const PocstereoLook *look, int x, int base,
    PocstereoBest best[2])
{
  int32_t r[2][POCSTEREO_SUMS];

  pocstereo_sums_of_two (look, column (s, x, base), r);
  for (int row = 0; row < 2; row++)
    try_base (s, r[row], base, s->t->lags, &best[row]);
}

/* Steps 4 and 5, in @rows rows, 1 or 2; of a second one there is only one, what
 * it finds is not kept. */
INLINED void
search (const Search *s, const PocstereoLook *look, int x, int y, int rows,
    const Tries *tries)
{
  const PocstereoLayer *layer = s->layer;
  PocstereoBest best[2] = {{INT32_MIN, 0}, {INT32_MIN, 0}};

  for (int i = 0; i < layer->tiles && !s->above; i++)
    try_two (s, look, x,
        pocstereo_clamp (pocstereo_tile (layer, i), layer->floor, layer->ceil),
        best);
  for (int i = 0; i < tries->n; i++)
    try_two (s, look, x, tries->base[i], best);
  for (int row = 0; row < rows; row++) {
    size_t at = (size_t) (y + row) * layer->width + x;

    s->found[at] = best[row].disparity;
    s->height[at] = best[row].height;
  }
}

/* The last look at layer 0, at the medians of what was found, which have taken
 * the parents' place. */
INLINED void
search_again (const Search *s, const PocstereoLook *look, int x, int y, int row)
{
  const PocstereoLayer *layer = s->layer;
  size_t at = (size_t) (y + row) * layer->width + x;
  PocstereoBest best = {s->height[at], s->found[at]};
  int base[POCSTEREO_AGAIN], n;

  for (int i = 0; i < POCSTEREO_AGAIN; i++) {
    PocstereoPoint p = pocstereo_around (
        i, x, y + row, POCSTEREO_AGAIN_APART, layer->width, layer->height);

    base[i] = s->parent[(size_t) p.y * layer->width + p.x];
  }
  n = distinct (base, POCSTEREO_AGAIN);
  for (int i = 0; i < n; i++) {
    int32_t r[POCSTEREO_SUMS];

    pocstereo_sums (look, row, column (s, x, base[i]), r);
    try_base (s, r, base[i], POCSTEREO_AGAIN_LAGS, &best);
  }
  s->found[at] = best.disparity;
}

/* Rows of a stretch that are looked at together: an even one and the next,
 * whose parents are the same. */
INLINED int
rows_from (int y, int end)
{
  return y % 2 || y + 1 == end ? 1 : 2;
}

VECTORS static void
search_rows (void *data, int begin, int end)
{
  const Search *s = data;
  PocstereoLook look;
  Tries tries = {.n = 0};

  for (int y = begin, rows; y < end; y += rows) {
    rows = rows_from (y, end);
    pocstereo_look_at_rows (&look, s->t, s->field, s->other, s->layer, y);
    for (int x = 0; x < s->layer->width; x++) {
      if (s->above && x % 2 == 0)
        take_parents (s, x, y, &tries); /* the next pixel's, too */
      pocstereo_look_at (&look, x);
      search (s, &look, x, y, rows, &tries);
    }
  }
}

/* Sums over lines at what was found in some pixels of a row. */
typedef int32_t Found[2 * POCSTEREO_MAX_BANDWIDTH][POCSTEREO_LANES];

/* Step 7, of @n pixels from (@x, @y) on in @rows rows. */
INLINED void
refine (const Search *s, PocstereoLook *look, int x, int y, int n, int rows)
{
  const PocstereoWork *w = s->w;
  Found found[2];

  for (int row = 0; row < 2; row++)
    memset (found[row], 0, look->bytes * sizeof *found[row]);
  for (int i = 0; i < n; i++) {
    pocstereo_look_at (look, x + i);
    for (int row = 0; row < rows; row++) {
      size_t at = (size_t) (y + row) * w->width + x + i;
      int32_t r[POCSTEREO_SUMS];

      if (s->candidates > 1)
        search_again (s, look, x + i, y, row);
      pocstereo_sums (look, row, column (s, x + i, s->found[at]), r);
      for (int k = 0; k < look->bytes; k++)
        found[row][k][i] = r[k];
    }
  }
  for (int row = 0; row < rows; row++) {
    size_t at = (size_t) (y + row) * w->width + x;

    pocstereo_refine_cpu (
        s->t, found[row], s->found + at, n, &w->matches[s->view][at]);
  }
}

VECTORS static void
refine_rows (void *data, int begin, int end)
{
  const Search *s = data;
  const PocstereoWork *w = s->w;
  bool is_last = !w->params.revote && !w->params.slant;
  PocstereoLook look;

  for (int y = begin, rows; y < end; y += rows) {
    PocstereoMatch *match = &w->matches[s->view][(size_t) y * w->width];

    rows = rows_from (y, end);
    pocstereo_look_at_rows (&look, s->t, s->field, s->other, s->layer, y);
    for (int x = 0; x < w->width; x += POCSTEREO_LANES)
      refine (s, &look, x, y,
          w->width - x < POCSTEREO_LANES ? w->width - x : POCSTEREO_LANES,
          rows);
    for (int i = 0; i < rows * w->width && is_last; i++)
      pocstereo_forget_low (w->min_peak, &match[i]);
  }
}

static void
search_layer (Search *s, int l)
{
  const PocstereoLayer *layer = s->layer;
  PocstereoCpu *c = s->w->state;

  parallel_for (layer->height, 8, search_rows, s);
  if (s->candidates > 1)
    pocstereo_median_cpu (c->found, c->parent, layer->width, layer->height);
  if (!l)
    parallel_for (layer->height, 8, refine_rows, s);
}

const char *
pocstereo_dense_cpu (const Device *dev, const PocstereoWork *w, int view)
{
  PocstereoCpu *c = w->state;

  (void) dev;
  for (int l = w->n_layers - 1; l >= 0; l--) {
    const PocstereoLayer *layer = &w->layer[view][l];
    Search s = {w, view, w->tables, layer,
        l + 1 < w->n_layers ? layer + 1 : NULL, c->field[view],
        c->field[1 - view], c->parent, w->params.candidates, c->found,
        c->height};

    for (int v = 0; v < 2; v++)
      pocstereo_field_cpu (w, v, l, c->field[v]);
    search_layer (&s, l);
    if (l && w->params.candidates == 1) {
      c->found = c->parent;
      c->parent = s.found;
    }
  }
  return NULL;
}
