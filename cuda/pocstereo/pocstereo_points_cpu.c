/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Steps 2 to 7 at points.  If points are asked for whose windows together hold
 * more lines than a layer has pixels, the phasors of all its pixels are taken
 * first and shared. */
#include "common/parallel.h"
#include "pocstereo/pocstereo_cpu.h"
#include "pocstereo/pocstereo_dense_core.h"
#include "pocstereo/pocstereo_fit_core.h"

#define MOST (POCSTEREO_MAX_LINES * 2 * POCSTEREO_MAX_BANDWIDTH)

/* One layer, and where its phasors come from. */
typedef struct {
  const PocstereoWork *w;
  const PocstereoTables *t;
  const PocstereoLayer *layer;
  int l;
  const int8_t *field[2]; /* NULL: they are taken at each window */
} Search;

/* The phasors of the window around (x, y), line by line. */
static void
gather (const Search *s, int view, int x, int y, int8_t *phasors)
{
  int bytes = pocstereo_phasor_bytes (s->t->bandwidth);

  x = pocstereo_clamp (x, 0, s->layer->width - 1);
  if (!s->field[0]) {
    pocstereo_window_cpu (s->t, s->w->view[view][s->l], s->w->stride[s->l],
        s->layer, x, y, phasors);
    return;
  }
  for (int j = 0; j < s->t->lines; j++) {
    int at = pocstereo_clamp (y + j - s->t->lines / 2, 0, s->layer->height - 1);

    memcpy (phasors + j * bytes,
        s->field[view] + ((size_t) at * s->layer->width + x) * bytes, bytes);
  }
}

/* The sums over lines of F conj (G), g around x - base. */
static void
correlate (const Search *s, const int8_t *f, int x, int y, int base, int32_t *r)
{
  int bytes = pocstereo_phasor_bytes (s->t->bandwidth);
  int8_t g[MOST];

  gather (s, 1, x - base, y, g);
  memset (r, 0, bytes * sizeof *r);
  for (int j = 0; j < s->t->lines; j++)
    pocstereo_add_line (r, f + j * bytes, g + j * bytes, s->t->bandwidth);
}

/* Steps 4 and 5: the best disparity of the layer around each of its bases. */
static int
search (
    const Search *s, const int8_t *f, int x, int y, int parent, bool coarsest)
{
  int32_t r[2 * POCSTEREO_MAX_BANDWIDTH];
  PocstereoBest best = {INT32_MIN, 0};
  int n = coarsest ? s->layer->tiles : 1;

  for (int i = 0; i < n; i++) {
    int base = coarsest ? pocstereo_tile (s->layer, i) : 2 * parent;

    base = pocstereo_seen (s->layer, x, base);
    correlate (s, f, x, y, base, r);
    pocstereo_try (s->t, s->layer, r, base, s->t->lags, &best);
  }
  return best.disparity;
}

static void
match (const Search *s, int i)
{
  const PocstereoWork *w = s->w;
  PocstereoCpu *c = w->state;
  int x = pocstereo_clamp (w->points[i].x >> s->l, 0, s->layer->width - 1);
  int y = pocstereo_clamp (w->points[i].y >> s->l, 0, s->layer->height - 1);
  int8_t f[MOST];
  int32_t r[2 * POCSTEREO_MAX_BANDWIDTH];

  gather (s, 0, x, y, f);
  c->base[i] = search (s, f, x, y, c->base[i], s->l == w->n_layers - 1);
  if (s->l)
    return;
  correlate (s, f, x, y, c->base[i], r);
  w->point_matches[i] = pocstereo_refine (s->t, r, c->base[i]);
  pocstereo_forget_outside (x, w->width, &w->point_matches[i]);
  pocstereo_forget_low (w->min_peak, &w->point_matches[i]);
}

static void
match_points (void *data, int begin, int end)
{
  for (int i = begin; i < end; i++)
    match (data, i);
}

static const char *
grow (PocstereoCpu *c, int n)
{
  if (n <= c->max_points)
    return NULL;
  c->max_points = 0;
  TRY (memory_get (&c->memory, &c->base, n));
  c->max_points = n;
  return NULL;
}

/* Lines of all windows against pixels of both views. */
static bool
is_crowded (const PocstereoWork *w, const PocstereoLayer *layer)
{
  return (int64_t) w->n_points * w->tables->lines >
      (int64_t) layer->width * layer->height;
}

const char *
pocstereo_points_cpu (const Device *dev, const PocstereoWork *w)
{
  PocstereoCpu *c = w->state;

  (void) dev;
  TRY (grow (c, w->max_points));
  for (int l = w->n_layers - 1; l >= 0; l--) {
    Search s = {w, w->tables, &w->layer[0][l], l, {NULL, NULL}};

    if (w->n_averaged || is_crowded (w, s.layer)) {
      TRY (pocstereo_need_fields_cpu (w));
      for (int v = 0; v < 2; v++) {
        pocstereo_field_cpu (w, v, l, c->field[v]);
        s.field[v] = c->field[v];
      }
    }
    parallel_for (w->n_points, 64, match_points, &s);
  }
  return NULL;
}
