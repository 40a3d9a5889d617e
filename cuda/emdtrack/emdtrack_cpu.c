/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Histograms and closed forms as loops, and the CPU backend's table. */
#include <stdatomic.h>
#include <stdlib.h>

#include "emdtrack/emdtrack_cpu.h"

const char *
emdtrack_renew_cpu (void **p, size_t n, size_t size)
{
  free (*p);
  *p = calloc (n, size);
  return *p ? NULL : "out of memory";
}

static const char *
open (const Device *dev, EmdtrackWork *w)
{
  EmdtrackCpu *c = calloc (1, sizeof *c);
  size_t strips = (size_t) emdtrack_strips (w);

  (void) dev;
  if (!(w->state = c))
    return "out of memory";
  return emdtrack_renew_cpu (
      (void **) &c->columns, strips * w->reader.width, sizeof *c->columns);
}

static void
close (const Device *dev, EmdtrackWork *w)
{
  EmdtrackCpu *c = w->state;

  (void) dev;
  for (int t = 0; t < EMDTRACK_TARGETS; t++) {
    emdtrack_table_close (&c->table[t]);
    free (c->cache[t].entry);
  }
  free (c->columns);
  free (c->where);
  free (c->unsolved);
  free (c);
}

static const char *
prepare_cache (EmdtrackCache *cache, uint32_t room)
{
  if (cache->entry && cache->room == room)
    return NULL;
  cache->n = 0;
  cache->room = room;
  return emdtrack_renew_cpu (
      (void **) &cache->entry, room, sizeof *cache->entry);
}

static const char *
prepare (const Device *dev, EmdtrackWork *w)
{
  EmdtrackCpu *c = w->state;
  size_t pixels = (size_t) w->reader.width * w->reader.height;

  for (int t = 0; t < w->n_targets; t++) {
    if (w->solver == EMDTRACK_PAPER) {
      TRY (prepare_cache (&c->cache[t], 1u << w->cache_bits));
    } else if (!c->table[t].tree || c->table[t].room != w->max_trees) {
      TRY (device_clear (dev, w->tree[t], pixels * sizeof *w->tree[t]));
      TRY (emdtrack_table_open (&c->table[t], w->max_trees));
    }
  }
  if (w->solver != EMDTRACK_PAPER || c->where)
    return NULL;
  TRY (emdtrack_renew_cpu ((void **) &c->where, pixels, sizeof *c->where));
  return emdtrack_renew_cpu (
      (void **) &c->unsolved, pixels, sizeof *c->unsolved);
}

static const char *
forget (const Device *dev, EmdtrackWork *w, int target)
{
  EmdtrackCpu *c = w->state;
  EmdtrackCache *cache = &c->cache[target];
  size_t pixels = (size_t) w->reader.width * w->reader.height;

  if (c->table[target].tree)
    emdtrack_table_clear (&c->table[target]);
  if (cache->entry)
    memset (cache->entry, 0, cache->room * sizeof *cache->entry);
  cache->n = 0;
  return device_clear (dev, w->tree[target], pixels * sizeof *w->tree[target]);
}

static void
index_rows (void *data, int begin, int end)
{
  const EmdtrackWork *w = data;
  const EmdtrackReader *r = &w->reader;

  for (int y = begin; y < end; y++) {
    uint8_t *out = w->index + (size_t) y * r->width;
    ImageRow row = {0};

    if (r->frame.layout == EMDTRACK_PLAIN)
      row = image_row (&r->frame.image, y);
    for (int x = 0; x < r->width; x++)
      out[x] = (uint8_t) emdtrack_bin (r, &row, x, y);
  }
}

static const char *
index_pixels (const Device *dev, const EmdtrackWork *w)
{
  (void) dev;
  parallel_for (
      w->reader.height, emdtrack_grain (w, 0), index_rows, (void *) w);
  return NULL;
}

static inline void
add (EmdtrackHistogram *to, const EmdtrackHistogram *h)
{
  for (int i = 0; i < EMDTRACK_BINS; i++)
    to->bin[i] += h->bin[i];
}

static inline void
subtract (EmdtrackHistogram *from, const EmdtrackHistogram *h)
{
  for (int i = 0; i < EMDTRACK_BINS; i++)
    from->bin[i] -= h->bin[i];
}

static const uint8_t *
index_row (const EmdtrackWork *w, int y)
{
  return w->index +
      (size_t) emdtrack_clamp (y, w->reader.height - 1) * w->reader.width;
}

/* A window slides along row @y over the histograms of columns. */
static void
slide (const EmdtrackWork *w, const EmdtrackHistogram *column, int y)
{
  int width = w->reader.width, half = w->window / 2;
  EmdtrackHistogram *out = w->histogram + (size_t) y * width;
  EmdtrackHistogram h = {{0}};

  for (int x = -half; x <= half; x++)
    add (&h, &column[emdtrack_clamp (x, width - 1)]);
  out[0] = h;
  for (int x = 1; x < width; x++) {
    add (&h, &column[emdtrack_clamp (x + half, width - 1)]);
    subtract (&h, &column[emdtrack_clamp (x - half - 1, width - 1)]);
    out[x] = h;
  }
}

static void
window_strip (const EmdtrackWork *w, EmdtrackHistogram *column, int y0, int y1)
{
  int width = w->reader.width, half = w->window / 2;

  memset (column, 0, width * sizeof *column);
  for (int y = y0 - half; y <= y0 + half; y++)
    for (int x = 0; x < width; x++)
      column[x].bin[index_row (w, y)[x]]++;
  slide (w, column, y0);
  for (int y = y0 + 1; y < y1; y++) {
    const uint8_t *come = index_row (w, y + half);
    const uint8_t *go = index_row (w, y - half - 1);

    for (int x = 0; x < width; x++) {
      column[x].bin[come[x]]++;
      column[x].bin[go[x]]--;
    }
    slide (w, column, y);
  }
}

static void
window_strips (void *data, int begin, int end)
{
  const EmdtrackWork *w = data;
  const EmdtrackCpu *c = w->state;
  int height = w->reader.height;

  for (int i = begin; i < end; i++) {
    int y0 = i * EMDTRACK_STRIP;
    int y1 = y0 + EMDTRACK_STRIP < height ? y0 + EMDTRACK_STRIP : height;

    window_strip (w, c->columns + (size_t) i * w->reader.width, y0, y1);
  }
}

static const char *
window (const Device *dev, const EmdtrackWork *w)
{
  (void) dev;
  parallel_for (
      emdtrack_strips (w), emdtrack_grain (w, 1), window_strips, (void *) w);
  return NULL;
}

static void
read_spectra_of_rows (void *data, int begin, int end)
{
  const EmdtrackWork *w = data;
  const EmdtrackReader *r = &w->reader;

  for (int y = begin; y < end; y++)
    for (int x = 0; x < r->width; x++) {
      EmdtrackHistogram *h = &w->histogram[(size_t) y * r->width + x];

      memset (h, 0, sizeof *h);
      emdtrack_spectrum (r, x, y, r->mass, h->bin);
    }
}

static const char *
spectra (const Device *dev, const EmdtrackWork *w)
{
  (void) dev;
  parallel_for (w->reader.height, emdtrack_grain (w, 0), read_spectra_of_rows,
      (void *) w);
  return NULL;
}

typedef struct {
  const EmdtrackWork *w;
  int target;
} Closed;

static void
close_rows (void *data, int begin, int end)
{
  const Closed *closed = data;
  const EmdtrackWork *w = closed->w;
  const EmdtrackProblem *p = &w->problem[closed->target];
  size_t width = w->reader.width;
  uint16_t *map = w->map[closed->target];

  for (size_t i = begin * width; i < end * width; i++)
    map[i] =
        (uint16_t) emdtrack_closed (&w->closed, w->histogram[i].bin, p->target);
}

static const char *
closed (const Device *dev, const EmdtrackWork *w, int target)
{
  Closed closed = {w, target};

  (void) dev;
  parallel_for (w->reader.height, emdtrack_grain (w, 0), close_rows, &closed);
  w->counts->closed += (uint64_t) w->reader.width * w->reader.height;
  return NULL;
}

typedef struct {
  const EmdtrackReader *reader;
  atomic_ullong sum;
} Brightness;

/* Every EMDTRACK_SPARSE-th row, and of these every such pixel. */
static void
add_rows (void *data, int begin, int end)
{
  Brightness *b = data;
  const EmdtrackReader *r = b->reader;
  uint64_t sum = 0;

  for (int i = begin; i < end; i++) {
    int y = i * EMDTRACK_SPARSE;
    ImageRow row = image_row (&r->frame.image, y);

    for (int x = 0; x < r->width; x += EMDTRACK_SPARSE)
      sum += emdtrack_luma (r, &row, x, y);
  }
  atomic_fetch_add (&b->sum, sum);
}

static const char *
brightness (const Device *dev, const EmdtrackWork *w)
{
  int rows = (w->reader.height + EMDTRACK_SPARSE - 1) / EMDTRACK_SPARSE;
  Brightness b = {.reader = &w->reader};

  (void) dev;
  parallel_for (rows, emdtrack_grain (w, 0), add_rows, &b);
  *w->brightness = b.sum;
  return NULL;
}

/* Columns of a region whose losses are worked out once for all rows. */
#define COLUMNS 64

/* The part of a region that @n columns from @x on have, with their losses. */
static void
count_columns (const EmdtrackWork *w, const EmdtrackRegion *r, int x,
    const int *loss, int n, uint32_t *out)
{
  ImageBox b = r->box;
  uint64_t factor = emdtrack_region_factor (b.y0, b.y1);
  int y1 = emdtrack_clamp (b.y1, w->reader.height);

  for (int y = emdtrack_first_inside (b.y0, r->apart); y < y1; y += r->apart) {
    int max = 256 - emdtrack_region_loss (y, b.y0, b.y1, factor);
    const uint8_t *at = index_row (w, y) + x;
    int from = 0, to = n;

    while (from < to && loss[from] >= max)
      from++;
    while (from < to && loss[to - 1] >= max)
      to--;
    for (int i = from; i < to; i++)
      out[at[i * r->apart]] += (uint32_t) (max - loss[i]);
  }
}

static void
count_region (const EmdtrackWork *w, const EmdtrackRegion *r, uint32_t *out)
{
  ImageBox b = r->box;
  uint64_t factor = emdtrack_region_factor (b.x0, b.x1);
  int x1 = emdtrack_clamp (b.x1, w->reader.width);

  memset (out, 0, EMDTRACK_BINS * sizeof *out);
  for (int x = emdtrack_first_inside (b.x0, r->apart); x < x1;
       x += COLUMNS * r->apart) {
    int loss[COLUMNS], n = 0;

    for (int at = x; at < x1 && n < COLUMNS; at += r->apart)
      loss[n++] = emdtrack_region_loss (at, b.x0, b.x1, factor);
    count_columns (w, r, x, loss, n, out);
  }
}

static void
count_regions (void *data, int begin, int end)
{
  const EmdtrackWork *w = data;

  for (int i = begin; i < end; i++)
    count_region (w, &w->regions[i], w->region_counts + i * EMDTRACK_BINS);
}

static const char *
count (const Device *dev, const EmdtrackWork *w, int n)
{
  (void) dev;
  parallel_for (n, n > 32 ? 16 : n, count_regions, (void *) w);
  return NULL;
}

void
emdtrack_add_counts (EmdtrackCounts *to, const EmdtrackCounts *from)
{
  to->unchanged += from->unchanged;
  to->own += from->own;
  to->neighbour += from->neighbour;
  to->table += from->table;
  to->simplex += from->simplex;
  to->pivots += from->pivots;
  to->fallback += from->fallback;
  to->unstored += from->unstored;
  to->cached += from->cached;
}

const EmdtrackStages emdtrack_stages_cpu = {open, close, prepare, forget,
    index_pixels, window, spectra, closed, emdtrack_reuse_cpu,
    emdtrack_paper_cpu, brightness, count};
