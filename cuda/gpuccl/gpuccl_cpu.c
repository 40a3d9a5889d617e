/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CPU backend: its memory, the order of its steps, and the table of
 * stages. */
#include <stdlib.h>
#include <string.h>

#include "gpuccl/gpuccl_cpu.h"

static const char *
open_gpuccl_cpu (const Device *dev, GpucclWork *w)
{
  GpucclCpu *c = calloc (1, sizeof *c);
  size_t words = (w->frame.width + 63) / 64;

  if (!(w->state = c))
    return OUT_OF_MEMORY (sizeof *c, "");
  memory_open (&c->memory, dev);
  c->words = (int) words;
  for (int i = 0; i < GPUCCL_N_PLANES; i++)
    TRY (memory_get (&c->memory, &c->plane[i], words * w->frame.height));
  TRY (memory_get (&c->memory, &c->first, (size_t) w->frame.height + 1));
  return memory_get (&c->memory, &c->seen, GPUCCL_CANDIDATES * words);
}

static void
close_gpuccl_cpu (const Device *dev, GpucclWork *w)
{
  GpucclCpu *c = w->state;

  (void) dev;
  if (!c)
    return;
  memory_free (&c->memory);
  free (c);
}

static const char *
run_cpu (const Device *dev, const GpucclWork *w)
{
  (void) dev;
  memset (w->result, 0, sizeof *w->result);
  w->result->n_unknown = gpuccl_read_bits_cpu (w);
  TRY (gpuccl_write_runs_cpu (w));
  gpuccl_join_runs_cpu (w);
  TRY (gpuccl_sum_runs_cpu (w));
  gpuccl_write_labels_cpu (w);
  return NULL;
}

static const char *
measure_cpu (const Device *dev, const GpucclWork *w)
{
  uint32_t iterations = w->result->iterations;

  (void) dev;
  memset (w->result, 0, sizeof *w->result);
  w->result->iterations = iterations;
  w->result->n_unknown = gpuccl_read_bits_cpu (w);
  gpuccl_read_label_bits_cpu (w);
  TRY (gpuccl_write_runs_cpu (w));
  gpuccl_join_by_labels_cpu (w);
  return gpuccl_sum_runs_cpu (w);
}

static const char *
mask_cpu (const Device *dev, const GpucclWork *w, uint32_t label, uint8_t *out,
    size_t stride)
{
  (void) dev;
  for (int y = 0; y < w->frame.height; y++)
    for (int x = 0; x < w->frame.width; x++)
      out[y * stride + x] =
          w->labels[(size_t) y * w->frame.width + x] == label ? 255 : 0;
  return NULL;
}

const GpucclStages gpuccl_stages_cpu = {open_gpuccl_cpu, close_gpuccl_cpu,
    gpuccl_filter_cpu, run_cpu, false, gpuccl_label_equivalence_cpu,
    gpuccl_improved_cpu, gpuccl_hierarchical_cpu, gpuccl_window_cpu,
    measure_cpu, mask_cpu};
