/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The order of the stages, and their memory. */
#include <stdlib.h>

#include "common/memory.h"
#include "emdtrack/emdtrack_work.h"
#include "gpuccl/gpuccl.h"

struct _Emdtrack {
  Device device;
  DeviceMemory memory;
  const EmdtrackStages *stages;
  EmdtrackWork work;
  double scale;
  int most;       /* the greatest value of a map */
  int n_prepared; /* number of targets that there is room for */
  EmdtrackCodebookUpload book;

  EmdtrackReading reading;
  Gpuccl *gpuccl;         /* finds places */
  EmdtrackMatch *matches; /* NULL: nothing has been looked for */
  uint32_t *nearness;     /* pinned, as reading.nearness */
};

static size_t
n_pixels (const Emdtrack *e)
{
  return (size_t) e->work.reader.width * e->work.reader.height;
}

const char *
emdtrack_new (Emdtrack **self, const Device *device, int width, int height)
{
  Emdtrack *e = calloc (1, sizeof *e);
  EmdtrackWork *w;

  *self = e;
  if (!e)
    return OUT_OF_MEMORY (sizeof *e, "");
  e->device = *device;
  memory_open (&e->memory, &e->device);
  e->stages = STAGES (emdtrack, device);
  if (width < 1 || height < 1 || width > EMDTRACK_MAX_SIDE ||
      height > EMDTRACK_MAX_SIDE)
    return "the frame's sides must be 1 to 16384 pixels";
  w = &e->work;
  w->reader.width = width;
  w->reader.height = height;
  w->area = (ImageBox){0, 0, width, height};
  TRY (memory_get (&e->memory, &w->index, n_pixels (e)));
  TRY (memory_get (&e->memory, &w->histogram, n_pixels (e)));
  TRY (memory_get (&e->memory, &w->before, n_pixels (e)));
  TRY (memory_get (&e->memory, &e->book.device_tables, 1));
  TRY (memory_get_pinned (&e->memory, &w->counts, 1));
  TRY (memory_get_pinned (&e->memory, &w->brightness, 1));
  TRY (memory_get_pinned (&e->memory, &e->book.tables, 1));
  w->reader.step = e->book.device_tables->step;
  w->reader.lut = e->book.device_tables->lut;
  w->reader.spectra = e->book.device_tables->spectra;
  return e->stages->open (&e->device, w);
}

void
emdtrack_free (Emdtrack *e)
{
  EmdtrackWork *w;

  if (!e)
    return;
  w = &e->work;
  device_wait (&e->device); /* the device may still use the memory */
  if (w->state)
    e->stages->close (&e->device, w);
  gpuccl_free (e->gpuccl);
  free (e->matches);
  memory_free (&e->memory);
  free (e);
}

void
emdtrack_size (const Emdtrack *e, int *width, int *height)
{
  *width = e->work.reader.width;
  *height = e->work.reader.height;
}

/* Makes room for more targets, or for another solver. */
static const char *
prepare_memory (Emdtrack *e, const EmdtrackParams *p)
{
  EmdtrackWork *w = &e->work;
  bool changed = w->solver != p->solver || w->max_trees != p->max_trees ||
      w->cache_bits != p->cache_bits || p->n_targets > e->n_prepared;

  w->n_targets = p->n_targets;
  if (!changed)
    return NULL;
  w->solver = p->solver;
  w->max_trees = p->max_trees;
  w->cache_bits = p->cache_bits;
  for (int t = 0; t < p->n_targets; t++) {
    if (!w->tree[t])
      TRY (memory_get (&e->memory, &w->tree[t], n_pixels (e)));
    if (!w->map[t])
      TRY (memory_get (&e->memory, &w->map[t], n_pixels (e)));
  }
  e->n_prepared = 0; /* if the rest fails, the next frame tries again */
  TRY (e->stages->prepare (&e->device, w));
  e->n_prepared = p->n_targets;
  return NULL;
}

/* Sets the targets' problems.  The trees and values of a target are forgotten
 * when its problem changes. */
static const char *
set_problems (Emdtrack *e, const EmdtrackParams *p)
{
  EmdtrackWork *w = &e->work;
  uint8_t distance[EMDTRACK_BINS][EMDTRACK_BINS];

  TRY (emdtrack_distances (p, distance, &e->scale));
  e->most = 0;
  for (int i = 0; i < p->bins; i++)
    for (int j = 0; j < p->bins; j++)
      if (distance[i][j] * w->reader.mass > e->most)
        e->most = distance[i][j] * w->reader.mass;
  emdtrack_find_form (distance, p->bins, &w->closed);
  for (int t = 0; t < p->n_targets; t++) {
    EmdtrackProblem now;

    emdtrack_set_problem (
        &now, distance, p->bins, w->reader.mass, &p->targets[t]);
    if (!memcmp (&now, &w->problem[t], sizeof now))
      continue;
    memset (&w->problem[t], 0, sizeof now); /* if the next step fails, the
                                               problem counts as changed */
    w->known[t] = false;
    TRY (e->stages->forget (&e->device, w, t));
    memcpy (&w->problem[t], &now, sizeof now);
  }
  return NULL;
}

static const char *
find_bins (Emdtrack *e, const EmdtrackParams *p, const EmdtrackFrame *f)
{
  if (p->histogram == EMDTRACK_CODEBOOK)
    TRY (emdtrack_codebook_upload (&e->book, &e->device, p, &f->image));
  return e->stages->index (&e->device, &e->work);
}

/* Sets the pixels that get a value.  What earlier frames stored belongs to
 * others: the next frame forgets it. */
static void
set_area (Emdtrack *e, ImageBox region)
{
  EmdtrackWork *w = &e->work;
  int width = w->reader.width, height = w->reader.height;
  ImageBox area = {emdtrack_clamp (region.x0, width),
      emdtrack_clamp (region.y0, height), emdtrack_clamp (region.x1, width),
      emdtrack_clamp (region.y1, height)};

  if (area.x0 >= area.x1 || area.y0 >= area.y1)
    area = (ImageBox){0, 0, 0, 0};
  if (!memcmp (&area, &w->area, sizeof area))
    return;
  w->area = area;
  memset (w->problem, 0, sizeof w->problem);
}

static const char *
find_histograms (Emdtrack *e, const EmdtrackParams *p, const EmdtrackFrame *f,
    ImageBox region)
{
  EmdtrackWork *w = &e->work;

  TRY (emdtrack_set_reader (w, p, f));
  set_area (e, region);
  if (p->histogram != EMDTRACK_CHANNELS)
    TRY (find_bins (e, p, f));
  if (!emdtrack_pixels (w))
    return NULL;
  return p->histogram == EMDTRACK_CHANNELS ? e->stages->spectra (&e->device, w)
                                           : e->stages->window (&e->device, w);
}

const char *
emdtrack_queue_histograms (
    Emdtrack *e, const EmdtrackParams *p, const EmdtrackFrame *f)
{
  TRY (emdtrack_check (p));
  /* the maps belong to other histograms */
  memset (e->work.known, 0, sizeof e->work.known);
  return find_histograms (e, p, f, emdtrack_defaults ().region);
}

static const char *
find_values (Emdtrack *e, int target)
{
  const EmdtrackWork *w = &e->work;

  if (w->solver == EMDTRACK_AUTO && w->closed.form != EMDTRACK_FORM_ANY)
    return e->stages->closed (&e->device, w, target);
  if (w->solver == EMDTRACK_PAPER)
    return e->stages->paper (&e->device, w, target);
  return e->stages->reuse (&e->device, w, target);
}

static const char *
run_stages (Emdtrack *e, const EmdtrackParams *p, const EmdtrackFrame *f)
{
  TRY (find_histograms (e, p, f, p->region));
  TRY (prepare_memory (e, p));
  TRY (set_problems (e, p));
  for (int t = 0; t < p->n_targets && emdtrack_pixels (&e->work); t++)
    TRY (find_values (e, t));
  TRY (device_wait (&e->device));
  return e->stages->finish (&e->device, &e->work);
}

const char *
emdtrack_run (Emdtrack *e, const EmdtrackParams *p, const EmdtrackFrame *f,
    EmdtrackResults *results)
{
  EmdtrackWork *w = &e->work;
  EmdtrackHistogram *last = w->before;
  const char *err;

  TRY (emdtrack_check (p));
  w->before = w->histogram;
  w->histogram = last;
  memset (w->counts, 0, sizeof *w->counts);
  memset (results, 0, sizeof *results);
  err = run_stages (e, p, f);
  for (int t = 0; t < EMDTRACK_TARGETS; t++)
    w->known[t] = !err && t < p->n_targets;
  if (err) /* trees and values may be half stored: the next frame forgets
              them */
    memset (w->problem, 0, sizeof w->problem);
  TRY (err);
  results->n_targets = p->n_targets;
  memcpy (results->map, w->map, p->n_targets * sizeof results->map[0]);
  results->area = w->area;
  results->mass = w->reader.mass;
  results->most = e->most;
  results->scale = e->scale;
  results->form = w->closed.form;
  results->counts = *w->counts;
  return NULL;
}

const char *
emdtrack_reset (Emdtrack *e)
{
  EmdtrackWork *w = &e->work;

  memset (w->known, 0, sizeof w->known);
  for (int t = 0; t < e->n_prepared; t++)
    TRY (e->stages->forget (&e->device, w, t));
  return NULL;
}

const char *
emdtrack_index (Emdtrack *e, const EmdtrackParams *p, const EmdtrackFrame *f)
{
  TRY (emdtrack_check (p));
  if (p->histogram == EMDTRACK_CHANNELS)
    return "a spectrum has many bins; regions need a codebook";
  TRY (emdtrack_set_reader (&e->work, p, f));
  return find_bins (e, p, f);
}

const char *
emdtrack_brightness (
    Emdtrack *e, const EmdtrackParams *p, const EmdtrackFrame *f, double *mean)
{
  EmdtrackWork *w = &e->work;
  double rows, columns;

  TRY (emdtrack_check (p));
  if (f->layout != EMDTRACK_PLAIN)
    return "frames of many channels have no brightness";
  TRY (emdtrack_set_reader (w, p, f));
  TRY (e->stages->brightness (&e->device, w));
  TRY (device_wait (&e->device));
  rows = (f->image.height + EMDTRACK_SPARSE - 1) / EMDTRACK_SPARSE;
  columns = (f->image.width + EMDTRACK_SPARSE - 1) / EMDTRACK_SPARSE;
  *mean = (double) *w->brightness / rows / columns;
  return NULL;
}

static bool
is_near_frame (int from, int to)
{
  return from < to && from >= -EMDTRACK_MAX_AWAY && to <= EMDTRACK_MAX_AWAY &&
      to - from <= EMDTRACK_MAX_REGION;
}

/* The greatest number of a region's rows or columns that are counted. */
static int64_t
counted_lines (int from, int to, int last, int apart)
{
  return (emdtrack_clamp (to, last) - emdtrack_clamp (from, last) + apart - 1) /
      apart;
}

static const char *
check_region (const EmdtrackReader *reader, const EmdtrackRegion *r)
{
  ImageBox b = r->box;

  if (!is_near_frame (b.x0, b.x1) || !is_near_frame (b.y0, b.y1) ||
      r->apart < 1 || r->apart > EMDTRACK_MAX_REGION)
    return "a region is empty or too large";
  return counted_lines (b.x0, b.x1, reader->width, r->apart) *
              counted_lines (b.y0, b.y1, reader->height, r->apart) >
          EMDTRACK_MAX_COUNTED
      ? "a region has too many pixels; count those that are farther apart"
      : NULL;
}

const char *
emdtrack_count (
    Emdtrack *e, const EmdtrackRegion *regions, int n, const uint32_t **counts)
{
  EmdtrackWork *w = &e->work;

  if (n < 0 || n > EMDTRACK_REGIONS)
    return "too many regions at once";
  for (int i = 0; i < n; i++)
    TRY (check_region (&w->reader, &regions[i]));
  if (!w->regions)
    TRY (memory_get_pinned (&e->memory, &w->regions, EMDTRACK_REGIONS));
  if (!w->region_counts)
    TRY (memory_get_pinned (
        &e->memory, &w->region_counts, EMDTRACK_REGIONS * EMDTRACK_BINS));
  memcpy (w->regions, regions, n * sizeof *regions);
  TRY (e->stages->count (&e->device, w, n));
  *counts = w->region_counts;
  return device_wait (&e->device);
}

bool
emdtrack_waits_for_gpu (const Emdtrack *e)
{
  return e->device.kind == DEVICE_CUDA;
}

/* ---- Maps and places ---- */

/* Lets e->reading read the map of @target. */
static EmdtrackReading *
reading_of (Emdtrack *e, int target)
{
  const EmdtrackWork *w = &e->work;

  e->reading.map = (EmdtrackMap){w->area, w->map[target]};
  e->reading.width = w->reader.width;
  e->reading.height = w->reader.height;
  return &e->reading;
}

const char *
emdtrack_copy_map (Emdtrack *e, int target, uint16_t *map, size_t stride)
{
  EmdtrackReading *r = reading_of (e, target);

  r->whole = map;
  r->stride = stride;
  return e->stages->spread (&e->device, r);
}

static const char *
prepare_places (Emdtrack *e, EmdtrackReading *r)
{
  DeviceMemory *m = &e->memory;

  if (e->matches)
    return NULL;
  TRY (memory_get (m, &r->mask, (size_t) r->width * r->height));
  TRY (memory_get (m, &r->nearness, EMDTRACK_MATCHES));
  TRY (memory_get_pinned (m, &e->nearness, EMDTRACK_MATCHES));
  TRY (memory_get_pinned (m, &r->spots, EMDTRACK_MATCHES));
  gpuccl_free (e->gpuccl); /* of a call that failed */
  TRY (gpuccl_new (&e->gpuccl, &e->device, r->width, r->height));
  e->matches = calloc (EMDTRACK_MATCHES, sizeof *e->matches);
  return e->matches ? NULL
                    : OUT_OF_MEMORY (EMDTRACK_MATCHES * sizeof *e->matches, "");
}

/* Finds the components of r->mask. */
static const char *
find_components (
    Emdtrack *e, EmdtrackReading *r, int max, GpucclResults *results)
{
  GpucclFrame frame = {.width = r->width,
      .height = r->height,
      .source = GPUCCL_MASK,
      .map = r->mask,
      .map_stride = r->width,
      .map_step = 1};
  GpucclParams p = gpuccl_defaults ();

  p.connectivity = 8;
  p.min_area = 1;
  p.max_components = max;
  TRY (gpuccl_run (e->gpuccl, &p, &frame, results));
  r->labels = results->labels;
  r->n_spots = results->n_components;
  return NULL;
}

const char *
emdtrack_detect (Emdtrack *e, int target, int limit, int max,
    const EmdtrackMatch **matches, int *n, uint32_t *all)
{
  EmdtrackReading *r = reading_of (e, target);
  GpucclResults found;

  *n = 0;
  r->limit = limit;
  TRY (prepare_places (e, r));
  TRY (e->stages->below (&e->device, r));
  TRY (find_components (e, r, max, &found));
  *matches = e->matches;
  *all = found.n_labels;
  if (!r->n_spots)
    return NULL;
  for (int i = 0; i < r->n_spots; i++)
    r->spots[i] = (EmdtrackSpot){
        found.components[i].sum.box, found.components[i].sum.label};
  TRY (e->stages->nearest (&e->device, r));
  TRY (device_copy (
      &e->device, e->nearness, r->nearness, r->n_spots * sizeof *e->nearness));
  TRY (device_wait (&e->device));
  for (int i = 0; i < r->n_spots; i++) {
    const GpucclComponent *c = &found.components[i];

    e->matches[i] = (EmdtrackMatch){c->sum.box, c->sum.area, c->cx, c->cy,
        (uint16_t) (EMDTRACK_NO_VALUE - e->nearness[i])};
  }
  *n = r->n_spots;
  return NULL;
}

const uint8_t *
emdtrack_histograms (const Emdtrack *e)
{
  return e->work.histogram->bin;
}
