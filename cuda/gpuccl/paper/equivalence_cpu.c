/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Label equivalence (section 3.1) and its improvement (3.2), pass by pass as
 * the paper's kernels do it.  The frame is not padded (3.5). */
#include "gpuccl/gpuccl_cpu.h"
#include "gpuccl/paper/equivalence_core.h"

void
gpuccl_begin_labels_cpu (const GpucclWork *w, ImageBox box, uint32_t *labels)
{
  for (int y = box.y0; y < box.y1; y++)
    for (int x = box.x0; x < box.x1; x++)
      labels[(size_t) y * w->frame.width + x] = gpuccl_first_label (w, x, y);
}

bool
gpuccl_scan_cpu (
    const GpucclWork *w, ImageBox box, const uint32_t *labels, uint32_t *to)
{
  bool changed = false;

  for (int y = box.y0; y < box.y1; y++)
    for (int x = box.x0; x < box.x1; x++) {
      uint32_t label = labels[(size_t) y * w->frame.width + x], min;

      if (!label)
        continue;
      min = gpuccl_min_label (w, labels, box, x, y);
      if (min < label) {
        GPUCCL_LOWER (to[label - 1], min);
        changed = true;
      }
    }
  return changed;
}

void
gpuccl_analyse_cpu (const GpucclWork *w, ImageBox box, uint32_t *list)
{
  for (int y = box.y0; y < box.y1; y++)
    for (int x = box.x0; x < box.x1; x++) {
      uint32_t *label = &list[(size_t) y * w->frame.width + x];

      if (*label)
        *label = gpuccl_root (list, *label);
    }
}

/* The third kernel of section 3.1. */
static void
relabel_cpu (const GpucclWork *w)
{
  size_t pixels = (size_t) w->frame.width * w->frame.height;

  for (size_t i = 0; i < pixels; i++)
    if (w->labels[i])
      w->labels[i] = w->scratch[w->labels[i] - 1];
}

/* Iterates until no label changes.  The first checks may be left out
 * (3.5.2). */
static const char *
iterate_cpu (const GpucclWork *w, uint32_t *list)
{
  ImageBox all = {0, 0, w->frame.width, w->frame.height};
  uint32_t n = 0;
  bool changed;

  TRY (gpuccl_stage_ends (&w->watch, GPUCCL_INIT));
  do {
    changed = gpuccl_scan_cpu (w, all, w->labels, list);
    TRY (gpuccl_stage_ends (&w->watch, GPUCCL_SCANNING));
    gpuccl_analyse_cpu (w, all, list);
    TRY (gpuccl_stage_ends (&w->watch, GPUCCL_ANALYSIS));
    if (list != w->labels)
      relabel_cpu (w);
    n++;
  } while (changed || n <= (uint32_t) w->skip_checks);
  w->result->iterations = n;
  return NULL;
}

const char *
gpuccl_label_equivalence_cpu (const Device *dev, const GpucclWork *w)
{
  ImageBox all = {0, 0, w->frame.width, w->frame.height};

  (void) dev;
  gpuccl_begin_labels_cpu (w, all, w->labels);
  gpuccl_begin_labels_cpu (w, all, w->scratch);
  return iterate_cpu (w, w->scratch);
}

const char *
gpuccl_improved_cpu (const Device *dev, const GpucclWork *w)
{
  ImageBox all = {0, 0, w->frame.width, w->frame.height};

  (void) dev;
  gpuccl_begin_labels_cpu (w, all, w->labels);
  return iterate_cpu (w, w->labels);
}
