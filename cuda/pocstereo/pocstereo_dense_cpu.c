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

/* Tries each of @n disparities at column @x that differs from those before it:
 * what they found cannot be beaten by the same once more. */
INLINED void
try_all (const Search *s, const PocstereoLook *look, int x, const int *base,
    int n, int lags, PocstereoBest *best)
{
  int32_t r[POCSTEREO_SUMS];

  for (int i = 0; i < n; i++) {
    int first, last, lag;
    int32_t height;
    bool is_new = true;

    for (int j = 0; j < i; j++)
      is_new &= base[i] != base[j];
    if (!is_new)
      continue;
    pocstereo_sums (
        look, pocstereo_clamp (x - base[i], 0, s->layer->width - 1), r);
    pocstereo_lags (s->layer, base[i], lags, &first, &last);
    lag = pocstereo_highest (
        s->w->state, s->t->bandwidth, r, first, last, &height);
    pocstereo_take_higher (height, base[i] + lag, best);
  }
}

/* Steps 4 and 5. */
INLINED void
search (const Search *s, const PocstereoLook *look, int x, int y)
{
  const PocstereoLayer *layer = s->layer;
  PocstereoBest best = {INT32_MIN, 0};
  size_t at = (size_t) y * layer->width + x;
  int base[POCSTEREO_CANDIDATES];

  if (!s->above)
    for (int i = 0; i < layer->tiles; i++) {
      base[0] = pocstereo_tile (layer, i);
      base[0] = pocstereo_clamp (base[0], layer->floor, layer->ceil);
      try_all (s, look, x, base, 1, s->t->lags, &best);
    }
  else {
    for (int i = 0; i < s->candidates; i++) {
      PocstereoPoint p =
          pocstereo_parent (i, x, y, s->above->width, s->above->height);

      base[i] = 2 * s->parent[(size_t) p.y * s->above->width + p.x];
      base[i] = pocstereo_clamp (base[i], layer->floor, layer->ceil);
    }
    try_all (s, look, x, base, s->candidates, s->t->lags, &best);
  }
  s->found[at] = best.disparity;
  s->height[at] = best.height;
}

/* The last look at layer 0, at the medians of what was found, which have taken
 * the parents' place. */
INLINED void
search_again (const Search *s, const PocstereoLook *look, int x, int y)
{
  const PocstereoLayer *layer = s->layer;
  size_t at = (size_t) y * layer->width + x;
  PocstereoBest best = {s->height[at], s->found[at]};
  int base[POCSTEREO_AGAIN];

  for (int i = 0; i < POCSTEREO_AGAIN; i++) {
    PocstereoPoint p = pocstereo_around (
        i, x, y, POCSTEREO_AGAIN_APART, layer->width, layer->height);

    base[i] = s->parent[(size_t) p.y * layer->width + p.x];
  }
  try_all (s, look, x, base, POCSTEREO_AGAIN, POCSTEREO_AGAIN_LAGS, &best);
  s->found[at] = best.disparity;
}

VECTORS static void
search_rows (void *data, int begin, int end)
{
  const Search *s = data;
  PocstereoLook look;

  for (int y = begin; y < end; y++) {
    pocstereo_look_at_row (&look, s->t, s->field, s->other, s->layer, y);
    for (int x = 0; x < s->layer->width; x++) {
      pocstereo_look_at (&look, x);
      search (s, &look, x, y);
    }
  }
}

VECTORS static void
search_rows_again (void *data, int begin, int end)
{
  const Search *s = data;
  PocstereoLook look;

  for (int y = begin; y < end; y++) {
    pocstereo_look_at_row (&look, s->t, s->field, s->other, s->layer, y);
    for (int x = 0; x < s->layer->width; x++) {
      pocstereo_look_at (&look, x);
      search_again (s, &look, x, y);
    }
  }
}

/* Step 7, of @n pixels from (@x, @y) on. */
INLINED void
refine (const Search *s, PocstereoLook *look, int x, int y, int n)
{
  const PocstereoWork *w = s->w;
  size_t at = (size_t) y * w->width + x;
  int32_t r[2 * POCSTEREO_MAX_BANDWIDTH][POCSTEREO_LANES];

  memset (r, 0, look->bytes * sizeof *r);
  for (int i = 0; i < n; i++) {
    int32_t sums[POCSTEREO_SUMS];

    pocstereo_look_at (look, x + i);
    pocstereo_sums (look,
        pocstereo_clamp (x + i - s->found[at + i], 0, w->width - 1), sums);
    for (int k = 0; k < look->bytes; k++)
      r[k][i] = sums[k];
  }
  pocstereo_refine_cpu (s->t, r, s->found + at, n, &w->matches[s->view][at]);
}

VECTORS static void
refine_rows (void *data, int begin, int end)
{
  const Search *s = data;
  const PocstereoWork *w = s->w;
  bool is_last = !w->params.revote && !w->params.slant;
  PocstereoLook look;

  for (int y = begin; y < end; y++) {
    PocstereoMatch *match = &w->matches[s->view][(size_t) y * w->width];

    pocstereo_look_at_row (&look, s->t, s->field, s->other, s->layer, y);
    for (int x = 0; x < w->width; x += POCSTEREO_LANES)
      refine (s, &look, x, y,
          w->width - x < POCSTEREO_LANES ? w->width - x : POCSTEREO_LANES);
    for (int x = 0; x < w->width && is_last; x++)
      pocstereo_forget_low (w->min_peak, &match[x]);
  }
}

static void
search_layer (Search *s, int l)
{
  const PocstereoLayer *layer = s->layer;
  PocstereoCpu *c = s->w->state;

  parallel_for (layer->height, 8, search_rows, s);
  if (s->candidates == 1)
    return;
  pocstereo_median_cpu (c->found, c->parent, layer->width, layer->height);
  if (!l)
    parallel_for (layer->height, 8, search_rows_again, s);
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
    if (!l)
      parallel_for (w->height, 8, refine_rows, &s);
    else if (w->params.candidates == 1) {
      c->found = c->parent;
      c->parent = s.found;
    }
  }
  return NULL;
}
