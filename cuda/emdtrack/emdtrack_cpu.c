/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Histograms and closed forms as loops, and the CPU backend's table of
 * stages. */
#include <stdatomic.h>
#include <stdlib.h>

#include "emdtrack/emdtrack_cpu.h"

static const char *
open_emdtrack_cpu (const Device *dev, EmdtrackWork *w)
{
  EmdtrackCpu *c = calloc (1, sizeof *c);
  size_t strips = (size_t) emdtrack_strips (w->area);

  (void) dev;
  if (!(w->state = c))
    return OUT_OF_MEMORY (sizeof *c, "");
  return emdtrack_renew_cpu (
      (void **) &c->columns, strips * w->reader.width, sizeof *c->columns);
}

static void
close_emdtrack_cpu (const Device *dev, EmdtrackWork *w)
{
  EmdtrackCpu *c = w->state;

  (void) dev;
  for (int t = 0; t < EMDTRACK_TARGETS; t++) {
    emdtrack_store_close_cpu (&c->store[t]);
    free (c->cache[t].entry);
  }
  free (c->columns);
  free (c->where);
  free (c->unsolved);
  free (c);
}

static const char *
prepare_cache_cpu (EmdtrackCache *cache, uint32_t room)
{
  if (cache->entry && cache->room == room)
    return NULL;
  cache->n = 0;
  cache->room = room;
  return emdtrack_renew_cpu (
      (void **) &cache->entry, room, sizeof *cache->entry);
}

static const char *
prepare_cpu (const Device *dev, EmdtrackWork *w)
{
  EmdtrackCpu *c = w->state;
  size_t pixels = (size_t) w->reader.width * w->reader.height;

  for (int t = 0; t < w->n_targets; t++) {
    if (w->solver == EMDTRACK_PAPER) {
      TRY (prepare_cache_cpu (&c->cache[t], 1u << w->cache_bits));
    } else if (!c->store[t].tree || c->store[t].room != w->max_trees) {
      TRY (device_clear (dev, w->tree[t], pixels * sizeof *w->tree[t]));
      TRY (emdtrack_store_open_cpu (&c->store[t], w->max_trees));
    }
  }
  if (w->solver != EMDTRACK_PAPER || c->where)
    return NULL;
  TRY (emdtrack_renew_cpu ((void **) &c->where, pixels, sizeof *c->where));
  return emdtrack_renew_cpu (
      (void **) &c->unsolved, pixels, sizeof *c->unsolved);
}

static const char *
forget_cpu (const Device *dev, EmdtrackWork *w, int target)
{
  EmdtrackCpu *c = w->state;
  EmdtrackCache *cache = &c->cache[target];
  size_t pixels = (size_t) w->reader.width * w->reader.height;

  if (c->store[target].tree)
    emdtrack_store_clear_cpu (&c->store[target]);
  if (cache->entry)
    memset (cache->entry, 0, cache->room * sizeof *cache->entry);
  cache->n = 0;
  return device_clear (dev, w->tree[target], pixels * sizeof *w->tree[target]);
}

static void
index_pixel_rows (void *data, int begin, int end)
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
index_cpu (const Device *dev, const EmdtrackWork *w)
{
  (void) dev;
  parallel_for (
      w->reader.height, emdtrack_grain (w, 0), index_pixel_rows, (void *) w);
  return NULL;
}

static inline void
add_histogram (EmdtrackHistogram *to, const EmdtrackHistogram *h)
{
  for (int i = 0; i < EMDTRACK_BINS; i++)
    to->bin[i] += h->bin[i];
}

static inline void
subtract_histogram (EmdtrackHistogram *from, const EmdtrackHistogram *h)
{
  for (int i = 0; i < EMDTRACK_BINS; i++)
    from->bin[i] -= h->bin[i];
}

static const uint8_t *
read_index_row (const EmdtrackWork *w, int y)
{
  return w->index +
      (size_t) emdtrack_clamp (y, w->reader.height - 1) * w->reader.width;
}

/* Slides a window along row @y of the area over the histograms of columns. */
static void
slide_window (const EmdtrackWork *w, const EmdtrackHistogram *column, int y)
{
  int last = w->reader.width - 1, half = w->window / 2, x0 = w->area.x0;
  EmdtrackHistogram *out =
      w->histogram + (size_t) (y - w->area.y0) * emdtrack_across (w->area);
  EmdtrackHistogram h = {{0}};

  for (int x = x0 - half; x <= x0 + half; x++)
    add_histogram (&h, &column[emdtrack_clamp (x, last)]);
  *out++ = h;
  for (int x = x0 + 1; x < w->area.x1; x++) {
    add_histogram (&h, &column[emdtrack_clamp (x + half, last)]);
    subtract_histogram (&h, &column[emdtrack_clamp (x - half - 1, last)]);
    *out++ = h;
  }
}

static void
count_window_strip (
    const EmdtrackWork *w, EmdtrackHistogram *column, int y0, int y1)
{
  int half = w->window / 2;
  int from = emdtrack_clamp (w->area.x0 - half, w->reader.width);
  int to = emdtrack_clamp (w->area.x1 + half, w->reader.width);

  memset (column + from, 0, (to - from) * sizeof *column);
  for (int y = y0 - half; y <= y0 + half; y++)
    for (int x = from; x < to; x++)
      column[x].bin[read_index_row (w, y)[x]]++;
  slide_window (w, column, y0);
  for (int y = y0 + 1; y < y1; y++) {
    const uint8_t *come = read_index_row (w, y + half);
    const uint8_t *go = read_index_row (w, y - half - 1);

    for (int x = from; x < to; x++) {
      column[x].bin[come[x]]++;
      column[x].bin[go[x]]--;
    }
    slide_window (w, column, y);
  }
}

static void
count_window_strips (void *data, int begin, int end)
{
  const EmdtrackWork *w = data;
  const EmdtrackCpu *c = w->state;

  for (int i = begin; i < end; i++) {
    int y0 = w->area.y0 + i * EMDTRACK_STRIP;
    int y1 = emdtrack_clamp (y0 + EMDTRACK_STRIP, w->area.y1);

    count_window_strip (w, c->columns + (size_t) i * w->reader.width, y0, y1);
  }
}

static const char *
window_cpu (const Device *dev, const EmdtrackWork *w)
{
  (void) dev;
  parallel_for (emdtrack_strips (w->area), emdtrack_grain (w, 1),
      count_window_strips, (void *) w);
  return NULL;
}

static void
read_spectra_of_rows (void *data, int begin, int end)
{
  const EmdtrackWork *w = data;
  const EmdtrackReader *r = &w->reader;

  for (int y = begin; y < end; y++)
    for (int x = 0; x < emdtrack_across (w->area); x++) {
      EmdtrackHistogram *h =
          &w->histogram[(size_t) y * emdtrack_across (w->area) + x];

      memset (h, 0, sizeof *h);
      emdtrack_spectrum (r, w->area.x0 + x, w->area.y0 + y, r->mass, h->bin);
    }
}

static const char *
spectra_cpu (const Device *dev, const EmdtrackWork *w)
{
  (void) dev;
  parallel_for (emdtrack_down (w->area), emdtrack_grain (w, 0),
      read_spectra_of_rows, (void *) w);
  return NULL;
}

typedef struct {
  const EmdtrackWork *w;
  int target;
} Closed;

static void
closed_form_rows (void *data, int begin, int end)
{
  const Closed *closed = data;
  const EmdtrackWork *w = closed->w;
  const EmdtrackProblem *p = &w->problem[closed->target];
  size_t width = emdtrack_across (w->area);
  uint16_t *map = w->map[closed->target];

  for (size_t i = begin * width; i < end * width; i++)
    map[i] =
        (uint16_t) emdtrack_closed (&w->closed, w->histogram[i].bin, p->target);
}

static const char *
closed_cpu (const Device *dev, const EmdtrackWork *w, int target)
{
  Closed closed = {w, target};

  (void) dev;
  parallel_for (emdtrack_down (w->area), emdtrack_grain (w, 0),
      closed_form_rows, &closed);
  w->counts->closed += emdtrack_pixels (w);
  return NULL;
}

typedef struct {
  const EmdtrackReader *reader;
  atomic_ullong sum;
} Brightness;

/* Adds the grey values of every EMDTRACK_SPARSE-th pixel in every
 * EMDTRACK_SPARSE-th row. */
static void
add_brightness_rows (void *data, int begin, int end)
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
brightness_cpu (const Device *dev, const EmdtrackWork *w)
{
  int rows = (w->reader.height + EMDTRACK_SPARSE - 1) / EMDTRACK_SPARSE;
  Brightness b = {.reader = &w->reader};

  (void) dev;
  parallel_for (rows, emdtrack_grain (w, 0), add_brightness_rows, &b);
  *w->brightness = b.sum;
  return NULL;
}

/* Columns of a region whose losses are computed once for all rows. */
#define COLUMNS 64

/* Counts the region's part in the @n columns from @x on, whose losses are
 * given. */
static void
count_region_columns (const EmdtrackWork *w, const EmdtrackRegion *r, int x,
    const int *loss, int n, uint32_t *out)
{
  ImageBox b = r->box;
  uint64_t factor = emdtrack_region_factor (b.y0, b.y1);
  int y1 = emdtrack_clamp (b.y1, w->reader.height);

  for (int y = emdtrack_first_inside (b.y0, r->apart); y < y1; y += r->apart) {
    int max = 256 - emdtrack_region_loss (y, b.y0, b.y1, factor);
    const uint8_t *at = read_index_row (w, y) + x;
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
count_region_pixels (
    const EmdtrackWork *w, const EmdtrackRegion *r, uint32_t *out)
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
    count_region_columns (w, r, x, loss, n, out);
  }
}

static void
count_regions (void *data, int begin, int end)
{
  const EmdtrackWork *w = data;

  for (int i = begin; i < end; i++)
    count_region_pixels (
        w, &w->regions[i], w->region_counts + i * EMDTRACK_BINS);
}

static const char *
count_cpu (const Device *dev, const EmdtrackWork *w, int n)
{
  (void) dev;
  parallel_for (n, n > 32 ? 16 : n, count_regions, (void *) w);
  return NULL;
}

/* ---- Maps and places ---- */

static void
spread_map_rows (void *data, int begin, int end)
{
  const EmdtrackReading *r = data;

  for (int y = begin; y < end; y++) {
    uint16_t *row = (uint16_t *) ((char *) r->whole + y * r->stride);

    for (int x = 0; x < r->width; x++)
      row[x] = emdtrack_value (&r->map, x, y);
  }
}

static const char *
spread_cpu (const Device *dev, const EmdtrackReading *r)
{
  (void) dev;
  parallel_for (r->height, 0, spread_map_rows, (void *) r);
  return NULL;
}

static void
mask_rows (void *data, int begin, int end)
{
  const EmdtrackReading *r = data;

  for (int y = begin; y < end; y++)
    for (int x = 0; x < r->width; x++)
      r->mask[(size_t) y * r->width + x] =
          emdtrack_value (&r->map, x, y) < r->limit ? 255 : 0;
}

static const char *
below_cpu (const Device *dev, const EmdtrackReading *r)
{
  (void) dev;
  parallel_for (r->height, 0, mask_rows, (void *) r);
  return NULL;
}

static void
find_nearest_of_spots (void *data, int begin, int end)
{
  const EmdtrackReading *r = data;

  for (int i = begin; i < end; i++) {
    EmdtrackSpot s = r->spots[i];
    uint32_t most = 0;

    for (int y = s.box.y0; y < s.box.y1; y++)
      for (int x = s.box.x0; x < s.box.x1; x++) {
        uint32_t near = EMDTRACK_NO_VALUE - emdtrack_value (&r->map, x, y);

        if (r->labels[(size_t) y * r->width + x] == s.label)
          most = near > most ? near : most;
      }
    r->nearness[i] = most;
  }
}

static const char *
nearest_cpu (const Device *dev, const EmdtrackReading *r)
{
  (void) dev;
  parallel_for (r->n_spots, 1, find_nearest_of_spots, (void *) r);
  return NULL;
}

static const char *
finish_cpu (const Device *dev, EmdtrackWork *w)
{
  (void) dev;
  (void) w;
  return NULL;
}

const EmdtrackStages emdtrack_stages_cpu = {open_emdtrack_cpu,
    close_emdtrack_cpu, prepare_cpu, forget_cpu, index_cpu, window_cpu,
    spectra_cpu, closed_cpu, emdtrack_reuse_cpu, emdtrack_paper_cpu, finish_cpu,
    brightness_cpu, count_cpu, spread_cpu, below_cpu, nearest_cpu};
