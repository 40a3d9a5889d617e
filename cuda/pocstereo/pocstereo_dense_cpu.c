/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Steps 2 to 7 at every pixel, from the phasors of all pixels. */
#include "common/parallel.h"
#include "common/vectors.h"
#include "pocstereo/pocstereo_cpu.h"
#include "pocstereo/pocstereo_dense_core.h"

/* ---- The correlation at a pixel ----
 *
 * pocstereo_add_line () of all lines, and pocstereo_peak (), many products at
 * once. */

/* The lines around a pixel and the pixel below it, and the lines of the other
 * view at the same rows. */
typedef struct {
  int lines, bytes, blocks; /* bytes: of a pixel's phasors */
  const int8_t *field[POCSTEREO_MAX_LINES + 1]; /* rows of this view */
  const int8_t *other[POCSTEREO_MAX_LINES + 1]; /* rows of the other view */
  PocstereoTwin twin[POCSTEREO_BLOCKS][POCSTEREO_MAX_LINES + 1];
} Look;

/* Sets the rows for pixels in the rows @y and @y + 1. */
INLINED void
look_at_rows (Look *look, const PocstereoTables *t, const int8_t *field,
    const int8_t *other, const PocstereoLayer *layer, int y)
{
  look->lines = t->lines;
  look->bytes = pocstereo_phasor_bytes (t->bandwidth);
  look->blocks = (look->bytes + POCSTEREO_BLOCK - 1) / POCSTEREO_BLOCK;
  for (int j = 0; j <= t->lines; j++) {
    int row = pocstereo_clamp (y + j - t->lines / 2, 0, layer->height - 1);
    size_t at = (size_t) row * layer->width * look->bytes;

    look->field[j] = field + at;
    look->other[j] = other + at;
  }
}

/* Moves to column @x: loads the phasors of the left lines there. */
INLINED void
look_at_column (Look *look, int x)
{
  for (int b = 0; b < look->blocks; b++)
    for (int j = 0; j <= look->lines; j++)
      pocstereo_make_twin (&look->twin[b][j],
          look->field[j] + (size_t) x * look->bytes + b * POCSTEREO_BLOCK);
}

/* Sums over lines of the products of a block. */
typedef struct {
  int32_t real[POCSTEREO_BLOCK / 2], imaginary[POCSTEREO_BLOCK / 2];
} Block;

/* Products of components beyond the bandwidth are not used. */
INLINED void
add_line_products (const Look *look, int b, size_t at, int j, Block *sum)
{
  const PocstereoTwin *twin = &look->twin[b][j];
  const int8_t *other = look->other[j] + at;
  int16_t g[POCSTEREO_BLOCK];

#pragma omp simd
  for (int i = 0; i < POCSTEREO_BLOCK; i++)
    g[i] = other[i];
  add_products (sum->real, twin->real, g, POCSTEREO_BLOCK / 2);
  add_products (sum->imaginary, twin->imaginary, g, POCSTEREO_BLOCK / 2);
}

/* Adds the products of the lines from @from on and before @to. */
INLINED void
add_inner_lines (
    const Look *look, int b, size_t at, int from, int to, Block *restrict sum)
{
  memset (sum->real, 0, sizeof sum->real);
  memset (sum->imaginary, 0, sizeof sum->imaginary);
  for (int j = from; j < to; j++)
    add_line_products (look, b, at, j, sum);
}

/* Writes @sum plus line @j as re and im of each frequency. */
INLINED void
add_last_line (const Look *look, int b, size_t at, int j, Block sum,
    int32_t r[POCSTEREO_SUMS])
{
  int32_t *to = r + b * POCSTEREO_BLOCK;

  add_line_products (look, b, at, j, &sum);
#pragma omp simd
  for (int i = 0; i < POCSTEREO_BLOCK / 2; i++) {
    to[2 * i] = sum.real[i];
    to[2 * i + 1] = sum.imaginary[i];
  }
}

/* The sums over lines of F conj (G) in the first row (@below 0) or the second
 * (1); g lies around column @q. */
INLINED void
sum_one_row (const Look *look, int below, int q, int32_t r[POCSTEREO_SUMS])
{
  int last = below + look->lines - 1;

  for (int b = 0; b < look->blocks; b++) {
    size_t at = (size_t) q * look->bytes + b * POCSTEREO_BLOCK;
    Block sum;

    add_inner_lines (look, b, at, below, last, &sum);
    add_last_line (look, b, at, last, sum, r);
  }
}

/* The sums in both rows, which share all lines but two. */
INLINED void
sum_two_rows (const Look *look, int q, int32_t r[2][POCSTEREO_SUMS])
{
  for (int b = 0; b < look->blocks; b++) {
    size_t at = (size_t) q * look->bytes + b * POCSTEREO_BLOCK;
    Block sum;

    add_inner_lines (look, b, at, 1, look->lines, &sum);
    add_last_line (look, b, at, 0, sum, r[0]);
    add_last_line (look, b, at, look->lines, sum, r[1]);
  }
}

/* Lags whose correlation is computed at once, and room for all lags. */
#define LAG_BLOCK 8
#define LAG_ROOM \
 ((POCSTEREO_MAX_LAGS + 2 + LAG_BLOCK - 1) / LAG_BLOCK * LAG_BLOCK)

/* The tables lag_cosine and lag_sine of PocstereoTables, transposed. */
typedef struct {
  int32_t cosine[POCSTEREO_MAX_BANDWIDTH][LAG_ROOM];
  int32_t sine[POCSTEREO_MAX_BANDWIDTH][LAG_ROOM];
} Lags;

static Lags
transpose_lags (const PocstereoTables *t)
{
  Lags lags = {0};

  for (int k = 0; k < t->bandwidth; k++)
    for (int n = 0; n <= t->lags + 1; n++) {
      lags.cosine[k][n] = t->lag_cosine[n][k];
      lags.sine[k][n] = t->lag_sine[n][k];
    }
  return lags;
}

/* The highest lag as pocstereo_peak () finds it, for @first <= 0 <= @last. */
INLINED int
find_highest_lag (const Lags *lags, int bandwidth, const int32_t *r, int first,
    int last, int32_t *height)
{
  int32_t before[LAG_ROOM], after[LAG_ROOM];
  int best = first, m = 0;

  do {
    int32_t even[LAG_BLOCK] = {0}, odd[LAG_BLOCK] = {0};

    for (int k = 0; k < bandwidth; k++)
#pragma omp simd
      for (int i = 0; i < LAG_BLOCK; i++) {
        even[i] += r[2 * k] * lags->cosine[k][m + i];
        odd[i] += r[2 * k + 1] * lags->sine[k][m + i];
      }
#pragma omp simd
    for (int i = 0; i < LAG_BLOCK; i++) {
      before[m + i] = even[i] + odd[i];
      after[m + i] = even[i] - odd[i];
    }
    m += LAG_BLOCK;
  } while (m <= last || m <= -first);
  *height = before[-first];
  for (int n = first + 1; n <= last; n++) {
    int32_t at = n < 0 ? before[-n] : after[n];

    best = at > *height ? n : best;
    *height = at > *height ? at : *height;
  }
  return best;
}

/* ---- Every pixel of a layer ---- */

/* The input and output of the search in a layer, seen from one view. */
typedef struct {
  const PocstereoTables *t;
  const Lags *lags;
  const PocstereoLayer *layer, *above; /* above: NULL in the coarsest layer */
  const int8_t *field, *other;         /* phasors of this view and the other */
  const int32_t *parent;               /* disparities of the layer above */
  int candidates, reach; /* reach: @lags of pocstereo_reaches_base () */
  int32_t *found, *height;
  uint16_t min_peak;
  PocstereoMatch *match; /* of layer 0 */
} Search;

/* Removes each candidate that pocstereo_reaches_base () leaves out because of
 * an earlier candidate, and returns the number of candidates that stay. */
INLINED int
keep_distinct_bases (int *base, int n, int lags)
{
  int left = 0;

  for (int i = 0; i < n; i++) {
    int now = base[i];
    bool is_new = true;

    for (int j = 0; j < left; j++)
      is_new &= !pocstereo_reaches_base (base[j], now, lags);
    base[left] = now;
    left += is_new;
  }
  return left;
}

INLINED int
seen_column (const Search *s, int x, int disparity)
{
  return pocstereo_clamp (x - disparity, 0, s->layer->width - 1);
}

INLINED void
try_base (
    const Search *s, const int32_t *r, int base, int lags, PocstereoBest *best)
{
  int first, last, lag;
  int32_t height;

  pocstereo_lags (s->layer, base, lags, &first, &last);
  lag = find_highest_lag (s->lags, s->t->bandwidth, r, first, last, &height);
  pocstereo_take_higher_peak (height, base + lag, best);
}

/* The disparities that a pixel tries, which are those of its parents. */
typedef struct {
  int base[POCSTEREO_CANDIDATES], n;
} Tries;

INLINED void
take_parent_bases (const Search *s, int x, int y, Tries *tries)
{
  for (int i = 0; i < s->candidates; i++) {
    PocstereoPoint p =
        pocstereo_parent (i, x, y, s->above->width, s->above->height);
    int base = 2 * s->parent[(size_t) p.y * s->above->width + p.x];

    tries->base[i] = pocstereo_clamp (base, s->layer->floor, s->layer->ceil);
  }
  tries->n = keep_distinct_bases (tries->base, s->candidates, s->reach);
}

/* Tries @base in column @x of two rows. */
INLINED void
try_two_rows (
    const Search *s, const Look *look, int x, int base, PocstereoBest best[2])
{
  int32_t r[2][POCSTEREO_SUMS];

  sum_two_rows (look, seen_column (s, x, base), r);
  for (int row = 0; row < 2; row++)
    try_base (s, r[row], base, s->t->lags, &best[row]);
}

/* Steps 4 and 5 of the pixels (@x, @y) and, with @rows 2, (@x, @y + 1). */
INLINED void
search_pixel (const Search *s, const Look *look, int x, int y, int rows,
    const Tries *tries)
{
  const PocstereoLayer *layer = s->layer;
  PocstereoBest best[2] = {{INT32_MIN, 0}, {INT32_MIN, 0}};

  for (int i = 0; i < layer->tiles && !s->above; i++)
    try_two_rows (s, look, x,
        pocstereo_clamp (
            pocstereo_tile_base (layer, i), layer->floor, layer->ceil),
        best);
  for (int i = 0; i < tries->n; i++)
    try_two_rows (s, look, x, tries->base[i], best);
  for (int row = 0; row < rows; row++) {
    size_t at = (size_t) (y + row) * layer->width + x;

    s->found[at] = best[row].disparity;
    s->height[at] = best[row].height;
  }
}

/* The last search of layer 0, around medians, which lie in s->parent.  @r: the
 * sums at the disparity that it finds. */
INLINED void
search_pixel_again (const Search *s, const Look *look, int x, int y, int row,
    int32_t r[POCSTEREO_SUMS])
{
  const PocstereoLayer *layer = s->layer;
  size_t at = (size_t) (y + row) * layer->width + x;
  PocstereoBest best = {s->height[at], s->found[at]};
  int base[POCSTEREO_AGAIN], n = s->candidates > 1 ? POCSTEREO_AGAIN : 0;

  for (int i = 0; i < n; i++) {
    PocstereoPoint p = pocstereo_place_around (
        i, x, y + row, POCSTEREO_AGAIN_APART, layer->width, layer->height);

    base[i] = s->parent[(size_t) p.y * layer->width + p.x];
  }
  n = keep_distinct_bases (base, n, POCSTEREO_AGAIN_LAGS);
  for (int i = 0; i < n; i++) {
    sum_one_row (look, row, seen_column (s, x, base[i]), r);
    try_base (s, r, base[i], POCSTEREO_AGAIN_LAGS, &best);
  }
  if (!n || base[n - 1] != best.disparity)
    sum_one_row (look, row, seen_column (s, x, best.disparity), r);
  s->found[at] = best.disparity;
}

/* The number of rows that are searched at once: an even row and the next, whose
 * pixels have the same parents. */
INLINED int
rows_at_once (int y, int end)
{
  return y % 2 || y + 1 == end ? 1 : 2;
}

VECTORS static void
search_pixel_rows (void *data, int begin, int end)
{
  const Search *s = data;
  Look look;
  Tries tries = {.n = 0};

  for (int y = begin, rows; y < end; y += rows) {
    rows = rows_at_once (y, end);
    look_at_rows (&look, s->t, s->field, s->other, s->layer, y);
    for (int x = 0; x < s->layer->width; x++) {
      if (s->above && x % 2 == 0)
        take_parent_bases (s, x, y, &tries); /* also for the next pixel */
      look_at_column (&look, x);
      search_pixel (s, &look, x, y, rows, &tries);
    }
  }
}

/* Sums over lines at the best disparities of some pixels of a row. */
typedef int32_t Found[2 * POCSTEREO_MAX_BANDWIDTH][POCSTEREO_LANES];

/* Step 7 of @n pixels from (@x, @y) on, in @rows rows. */
INLINED void
refine_pixels (const Search *s, Look *look, int x, int y, int n, int rows)
{
  Found found[2];

  for (int row = 0; row < 2; row++)
    memset (found[row], 0, look->bytes * sizeof *found[row]);
  for (int i = 0; i < n; i++) {
    look_at_column (look, x + i);
    for (int row = 0; row < rows; row++) {
      int32_t r[POCSTEREO_SUMS];

      search_pixel_again (s, look, x + i, y, row, r);
      for (int k = 0; k < look->bytes; k++)
        found[row][k][i] = r[k];
    }
  }
  for (int row = 0; row < rows; row++) {
    size_t at = (size_t) (y + row) * s->layer->width + x;

    pocstereo_refine_cpu (s->t, found[row], s->found + at, n, s->match + at);
  }
}

VECTORS static void
refine_pixel_rows (void *data, int begin, int end)
{
  const Search *s = data;
  int width = s->layer->width;
  Look look;

  for (int y = begin, rows; y < end; y += rows) {
    PocstereoMatch *match = s->match + (size_t) y * width;

    rows = rows_at_once (y, end);
    look_at_rows (&look, s->t, s->field, s->other, s->layer, y);
    for (int x = 0; x < width; x += POCSTEREO_LANES)
      refine_pixels (s, &look, x, y,
          width - x < POCSTEREO_LANES ? width - x : POCSTEREO_LANES, rows);
    for (int i = 0; i < rows * width; i++)
      pocstereo_drop_low_peak (s->min_peak, &match[i]);
  }
}

/* Matches one view in all layers, from the coarsest, @top, to layer 0. */
static void
match_view (Search s, const PocstereoLayer *layers, int top,
    const PocstereoFields *fields, int view, int32_t *parent)
{
  int32_t *found = s.found;

  for (int l = top; l >= 0; l--) {
    s.layer = &layers[l];
    s.above = l < top ? &layers[l + 1] : NULL;
    s.field = fields->phasors[view][l];
    s.other = fields->phasors[1 - view][l];
    s.reach = l ? 0 : s.t->lags;
    s.found = found;
    s.parent = parent;
    parallel_for (s.layer->height, 8, search_pixel_rows, &s);
    if (s.candidates > 1)
      pocstereo_median_cpu (found, parent, s.layer->width, s.layer->height);
    if (!l)
      parallel_for (s.layer->height, 8, refine_pixel_rows, &s);
    else if (s.candidates == 1) {
      found = parent;
      parent = s.found;
    }
  }
}

const char *
pocstereo_dense_cpu (const Device *dev, const PocstereoPyramid *pyramid,
    const PocstereoFields *fields, const PocstereoConstants *constants,
    int candidates, uint16_t final_min_peak, int32_t *scratch,
    PocstereoDenseMatches *matches)
{
  size_t n = (size_t) matches->width * matches->height;
  Lags lags = transpose_lags (constants->host);

  (void) dev;
  for (int v = 0; v < matches->n_views; v++) {
    Search s = {.t = constants->host,
        .lags = &lags,
        .candidates = candidates,
        .found = scratch,
        .height = scratch + n,
        .min_peak = final_min_peak,
        .match = matches->view[v]};

    match_view (s, pyramid->layer[v], pyramid->n_layers - 1, fields, v,
        scratch + 2 * n);
  }
  return NULL;
}
