/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Third step: from joined runs to components, candidates and labels. */
#include <stdlib.h>
#include <string.h>

#include "common/parallel.h"
#include "gpuccl/gpuccl_cpu.h"

/* Numbers the components from 0 in the order of their first pixels, and
 * replaces every run's parent by the number of its component. */
static uint32_t
number_components (const GpucclWork *w)
{
  const GpucclCpu *c = w->state;
  uint32_t n_runs = c->first[w->frame.height], n = 0;

  for (uint32_t r = 0; r < n_runs; r++)
    c->parents[r] = c->parents[r] == r ? n++ : c->parents[c->parents[r]];
  return n;
}

/* The sum of a component of which only the first pixel is known. */
static GpucclSum
first_pixel_sum (const GpucclWork *w, int x, int y)
{
  GpucclSum s = gpuccl_sum_nothing ();

  s.label = (uint32_t) (y * w->frame.width + x + 1);
  s.box.y0 = y;
  if (!w->frame.depth)
    s.min_z = 0;
  if (!w->rays.known)
    s.min_u = s.max_u = s.min_v = s.max_v = 0;
  return s;
}

/* Adds a run of row @y, the lowest row so far; the sums over a run have closed
 * forms.  @depth and @rays are constants when this is compiled. */
static inline void
add_run_to_sum (const GpucclWork *w, GpucclSum *s, const GpucclRun *run, int y,
    bool depth, bool rays)
{
  uint64_t a = run->x0, n = run->x1 - run->x0, x = n * (a + run->x1 - 1) / 2;

  s->area += (uint32_t) n;
  s->x += x;
  s->y += n * (uint32_t) y;
  s->xx += n * a * a + n * (n - 1) * (6 * a + 2 * n - 1) / 6;
  s->xy += x * (uint32_t) y;
  s->yy += n * (uint32_t) y * (uint32_t) y;
  GPUCCL_LOWER (s->box.x0, run->x0);
  GPUCCL_RAISE (s->box.x1, run->x1);
  s->box.y1 = y + 1;
  if (!depth)
    return;
  s->z += run->z;
  GPUCCL_LOWER (s->min_z, run->min_z);
  GPUCCL_RAISE (s->max_z, run->max_z);
  if (rays) {
    /* at one y, v grows with z or falls with it */
    int32_t a = gpuccl_ray (w->rays.y, y, run->min_z);
    int32_t b = gpuccl_ray (w->rays.y, y, run->max_z);

    GPUCCL_LOWER (s->min_u, run->min_u);
    GPUCCL_RAISE (s->max_u, run->max_u);
    GPUCCL_LOWER (s->min_v, a < b ? a : b);
    GPUCCL_RAISE (s->max_v, a < b ? b : a);
  }
}

static inline void
add_all_runs_of (const GpucclWork *w, bool depth, bool rays)
{
  const GpucclCpu *c = w->state;
  uint32_t n = 0;

  for (int y = 0; y < w->frame.height; y++)
    for (uint32_t r = c->first[y]; r < c->first[y + 1]; r++) {
      uint32_t at = c->parents[r];

      if (at == n)
        c->sums[n++] = first_pixel_sum (w, c->runs[r].x0, y);
      add_run_to_sum (w, &c->sums[at], &c->runs[r], y, depth, rays);
    }
}

static void
add_runs_of_components (const GpucclWork *w)
{
  if (w->rays.known)
    add_all_runs_of (w, true, true);
  else if (w->frame.depth)
    add_all_runs_of (w, true, false);
  else
    add_all_runs_of (w, false, false);
}

/* Adds @s to the candidates if it is one of the largest. */
static void
add_if_candidate (GpucclResult *result, const GpucclSum *s)
{
  GpucclCandidate *k = result->candidates;
  uint32_t n = result->n_candidates, at = n;

  while (at > 0 &&
      gpuccl_before (s->area, s->label, k[at - 1].area, k[at - 1].label))
    at--;
  if (at == GPUCCL_CANDIDATES)
    return;
  if (n < GPUCCL_CANDIDATES)
    result->n_candidates = ++n;
  memmove (k + at + 1, k + at, (n - 1 - at) * sizeof *k);
  k[at] = (GpucclCandidate){.label = s->label, .area = s->area};
}

static void
list_components (const GpucclWork *w, uint32_t n)
{
  const GpucclCpu *c = w->state;
  GpucclResult *result = w->result;

  for (uint32_t i = 0; i < n; i++) {
    const GpucclSum *s = &c->sums[i];

    if (gpuccl_before (
            s->area, s->label, result->largest_area, result->largest_label))
      result->largest_area = s->area, result->largest_label = s->label;
    if (!gpuccl_is_reported (w, s->area))
      continue;
    if (result->n_sums < w->max_sums)
      result->sums[result->n_sums] = *s;
    result->n_sums++;
    if (gpuccl_is_candidate (w, s->area))
      add_if_candidate (result, s);
  }
}

/* Adds the columns of @run to @seen.  Returns how many were not in @seen. */
static uint32_t
add_new_columns (uint64_t *seen, const GpucclRun *run)
{
  uint32_t n = 0;

  for (int x = run->x0, end; x < run->x1; x = end) {
    int i = x / 64;
    uint64_t unseen = ~seen[i] & ~(uint64_t) 0 << x % 64;

    end = 64 * (i + 1);
    if (run->x1 < end)
      unseen &= ~(~(uint64_t) 0 << run->x1 % 64);
    if (!unseen)
      continue;
    seen[i] |= unseen;
    n += __builtin_popcountll (unseen);
  }
  return n;
}

/* Adds row @y of the candidates to their extents; a candidate's runs in a row
 * come one after the other. */
static void
extend_rows (const GpucclWork *w, int y)
{
  const GpucclCpu *c = w->state;
  int first[GPUCCL_CANDIDATES], end[GPUCCL_CANDIDATES] = {0};

  for (uint32_t r = c->first[y]; r < c->first[y + 1]; r++) {
    const GpucclRun *run = &c->runs[r];
    int k = c->candidates[c->parents[r]] - 1;
    uint32_t columns;

    if (k < 0)
      continue;
    first[k] = end[k] ? first[k] : run->x0;
    end[k] = run->x1;
    columns = add_new_columns (c->seen + (size_t) k * c->words, run);
    w->result->candidates[k].columns += columns;
    w->result->candidates[k].heights -= (unsigned long long) columns * y;
  }
  for (uint32_t k = 0; k < w->result->n_candidates; k++)
    if (end[k]) {
      w->result->candidates[k].rows++;
      w->result->candidates[k].widths += end[k] - 1 - first[k];
    }
}

/* Adds the last rows of the columns.  Rows are visited from below, so that a
 * column's first visit is at its last row.  Returns the number of such
 * columns. */
static uint32_t
extend_columns_down (const GpucclWork *w, int y)
{
  const GpucclCpu *c = w->state;
  uint32_t n = 0;

  for (uint32_t r = c->first[y]; r < c->first[y + 1]; r++) {
    int k = c->candidates[c->parents[r]] - 1;
    uint32_t columns;

    if (k < 0)
      continue;
    columns = add_new_columns (c->seen + (size_t) k * c->words, &c->runs[r]);
    w->result->candidates[k].heights += (unsigned long long) columns * y;
    n += columns;
  }
  return n;
}

static int
compare_candidate_labels (const void *label, const void *sum)
{
  uint32_t a = *(const uint32_t *) label, b = ((const GpucclSum *) sum)->label;

  return a < b ? -1 : a > b;
}

/* Measures the extents of the candidates (section 3.5.3). */
static void
measure_candidates (const GpucclWork *w, uint32_t n)
{
  const GpucclCpu *c = w->state;
  GpucclResult *result = w->result;
  size_t seen = (size_t) result->n_candidates * c->words * sizeof *c->seen;
  uint32_t left = 0; /* columns whose last row is not known yet */

  if (!result->n_candidates)
    return;
  memset (c->candidates, 0, n);
  for (uint32_t k = 0; k < result->n_candidates; k++) {
    const GpucclSum *s = bsearch (&result->candidates[k].label, c->sums, n,
        sizeof *c->sums, compare_candidate_labels);

    c->candidates[s - c->sums] = (uint8_t) (k + 1);
  }
  memset (c->seen, 0, seen);
  for (int y = 0; y < w->frame.height; y++)
    extend_rows (w, y);
  memset (c->seen, 0, seen);
  for (uint32_t k = 0; k < result->n_candidates; k++)
    left += result->candidates[k].columns;
  for (int y = w->frame.height - 1; left; y--)
    left -= extend_columns_down (w, y);
}

const char *
gpuccl_sum_runs_cpu (const GpucclWork *w)
{
  GpucclCpu *c = w->state;
  uint32_t n = number_components (w);

  if (n > c->sums_room) {
    c->sums_room = 0;
    TRY (memory_get (&c->memory, &c->sums, 2 * (size_t) n));
    TRY (memory_get (&c->memory, &c->candidates, 2 * (size_t) n));
    c->sums_room = 2 * n;
  }
  w->result->n_labels = n;
  add_runs_of_components (w);
  list_components (w, n);
  TRY (gpuccl_stage_ends (&w->watch, GPUCCL_CRITERION_1));
  measure_candidates (w, n);
  return gpuccl_stage_ends (&w->watch, GPUCCL_CRITERIA_2_AND_3);
}

#define AT_ONCE 8 /* labels */

/* Sets labels @x0 to before @x1 to @label, and perhaps some behind them, but
 * none from @end on.  Most runs and gaps are short: storing a fixed number of
 * labels is faster than a loop of the right length. */
static void
fill_labels (uint32_t *labels, int x0, int x1, int end, uint32_t label)
{
  for (; x0 < x1 && x0 + AT_ONCE <= end; x0 += AT_ONCE)
    for (int i = 0; i < AT_ONCE; i++)
      labels[x0 + i] = label;
  for (; x0 < x1; x0++)
    labels[x0] = label;
}

static void
write_run_label_rows (void *data, int begin, int end)
{
  const GpucclWork *w = data;
  const GpucclCpu *c = w->state;
  int width = w->frame.width;

  for (int y = begin; y < end; y++) {
    uint32_t *labels = w->labels + (size_t) y * width;
    int x = 0;

    for (uint32_t r = c->first[y]; r < c->first[y + 1]; r++) {
      const GpucclRun *run = &c->runs[r];

      fill_labels (labels, x, run->x0, width, 0);
      fill_labels (
          labels, run->x0, run->x1, width, c->sums[c->parents[r]].label);
      x = run->x1;
    }
    fill_labels (labels, x, width, width, 0);
  }
}

void
gpuccl_write_labels_cpu (const GpucclWork *w)
{
  parallel_for (w->frame.height, 0, write_run_label_rows, (void *) w);
}
