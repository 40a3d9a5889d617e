/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Third step: from joined runs to components, the candidates among them, and
 * the labels. */
#include <stdlib.h>
#include <string.h>

#include "gpuccl/gpuccl_cpu.h"

/* Numbers the components from 0 in the order of their first pixels, and turns
 * every run's parent into its number. */
static uint32_t
number_components (const GpucclWork *w)
{
  const GpucclCpu *c = w->state;
  uint32_t n_runs = c->first[w->frame.height], n = 0;

  for (uint32_t r = 0; r < n_runs; r++)
    c->parents[r] = c->parents[r] == r ? n++ : c->parents[c->parents[r]];
  return n;
}

static GpucclSum
sum_of (const GpucclWork *w, const GpucclRun *run, int y)
{
  uint32_t n = run->x1 - run->x0;
  GpucclSum s = gpuccl_sum_pixel (
      run->x0, y, (uint32_t) (y * w->frame.width + run->x0 + 1));

  s.area = n;
  s.x = (unsigned long long) n * (run->x0 + run->x1 - 1) / 2;
  s.y = (unsigned long long) n * y;
  s.box.x1 = run->x1;
  if (!w->frame.depth)
    return s;
  s.z = run->z;
  s.min_z = run->min_z, s.max_z = run->max_z;
  if (w->rays.known) {
    /* at one y, v grows with z or falls with it */
    int32_t a = gpuccl_ray (w->rays.y, y, run->min_z);
    int32_t b = gpuccl_ray (w->rays.y, y, run->max_z);

    s.min_u = run->min_u, s.max_u = run->max_u;
    s.min_v = a < b ? a : b, s.max_v = a < b ? b : a;
  }
  return s;
}

static void
add_runs (const GpucclWork *w)
{
  const GpucclCpu *c = w->state;
  uint32_t n = 0;

  for (int y = 0; y < w->frame.height; y++)
    for (uint32_t r = c->first[y]; r < c->first[y + 1]; r++) {
      GpucclSum s = sum_of (w, &c->runs[r], y);

      if (c->parents[r] == n)
        c->sums[n++] = s;
      else
        gpuccl_sum_add (&c->sums[c->parents[r]], &s);
    }
}

/* Keeps @s among the candidates where it is one of the largest. */
static void
consider (GpucclResult *result, const GpucclSum *s)
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
    if (s->area < w->min_area)
      continue;
    if (result->n_sums < w->max_sums)
      result->sums[result->n_sums] = *s;
    result->n_sums++;
    if (gpuccl_is_candidate (w, s->area))
      consider (result, s);
  }
}

#define NO_ROW UINT16_MAX

/* Adds the rows of candidate @k, whose runs in a row follow on each other, and
 * notes its columns' first and last rows. */
static void
extend (const GpucclWork *w, const uint8_t *candidate)
{
  const GpucclCpu *c = w->state;
  int width = w->frame.width;

  for (int y = 0; y < w->frame.height; y++) {
    int first[GPUCCL_CANDIDATES], last[GPUCCL_CANDIDATES] = {0};

    for (uint32_t r = c->first[y]; r < c->first[y + 1]; r++) {
      const GpucclRun *run = &c->runs[r];
      int k = candidate[c->parents[r]] - 1;
      uint16_t *top = c->columns + (size_t) 2 * k * width,
               *bottom = top + width;

      if (k < 0)
        continue;
      if (!last[k])
        first[k] = run->x0;
      last[k] = run->x1;
      for (int x = run->x0; x < run->x1; x++) {
        GPUCCL_LOWER (top[x], y);
        bottom[x] = (uint16_t) y;
      }
    }
    for (uint32_t k = 0; k < w->result->n_candidates; k++)
      if (last[k]) {
        w->result->candidates[k].rows++;
        w->result->candidates[k].widths += last[k] - 1 - first[k];
      }
  }
}

static void
add_columns (const GpucclWork *w, uint32_t k)
{
  const GpucclCpu *c = w->state;
  const uint16_t *top = c->columns + (size_t) 2 * k * w->frame.width;
  const uint16_t *bottom = top + w->frame.width;

  for (int x = 0; x < w->frame.width; x++)
    if (top[x] != NO_ROW) {
      w->result->candidates[k].columns++;
      w->result->candidates[k].heights += bottom[x] - top[x];
    }
}

static int
compare_label (const void *label, const void *sum)
{
  uint32_t a = *(const uint32_t *) label, b = ((const GpucclSum *) sum)->label;

  return a < b ? -1 : a > b;
}

/* The extents of the candidates (section 3.5.3). */
static void
measure_candidates (const GpucclWork *w, uint32_t n)
{
  const GpucclCpu *c = w->state;
  GpucclResult *result = w->result;

  if (!result->n_candidates)
    return;
  memset (c->candidates, 0, n);
  for (uint32_t k = 0; k < result->n_candidates; k++) {
    const GpucclSum *s = bsearch (&result->candidates[k].label, c->sums, n,
        sizeof *c->sums, compare_label);

    c->candidates[s - c->sums] = (uint8_t) (k + 1);
  }
  memset (c->columns, 0xff,
      (size_t) 2 * result->n_candidates * w->frame.width * sizeof *c->columns);
  extend (w, c->candidates);
  for (uint32_t k = 0; k < result->n_candidates; k++)
    add_columns (w, k);
}

const char *
gpuccl_measure_cpu (const GpucclWork *w)
{
  GpucclCpu *c = w->state;
  uint32_t n = number_components (w);

  if (n > c->sums_room) {
    c->sums_room = 0;
    TRY (
        gpuccl_renew_cpu ((void **) &c->sums, 2 * (size_t) n, sizeof *c->sums));
    TRY (gpuccl_renew_cpu (
        (void **) &c->candidates, 2 * (size_t) n, sizeof *c->candidates));
    c->sums_room = 2 * n;
  }
  w->result->n_labels = n;
  add_runs (w);
  list_components (w, n);
  measure_candidates (w, n);
  return NULL;
}

void
gpuccl_write_labels_cpu (const GpucclWork *w)
{
  const GpucclCpu *c = w->state;
  int width = w->frame.width;

#pragma omp parallel for schedule(static)
  for (int y = 0; y < w->frame.height; y++) {
    uint32_t *labels = w->labels + (size_t) y * width;
    int at = 0;

    for (uint32_t r = c->first[y]; r < c->first[y + 1]; r++) {
      const GpucclRun *run = &c->runs[r];
      uint32_t label = c->sums[c->parents[r]].label;

      memset (labels + at, 0, (run->x0 - at) * sizeof *labels);
      for (at = run->x0; at < run->x1; at++)
        labels[at] = label;
    }
    memset (labels + at, 0, (width - at) * sizeof *labels);
  }
}
