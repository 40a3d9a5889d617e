/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The loop of label equivalence, and the parts of a pass. */
#pragma once

#include "gpuccl/gpuccl_cuda.cuh"
#include "gpuccl/paper/equivalence_core.h"

/* Analyses the thread's own pixel. */
static __device__ __forceinline__ void
gpuccl_analyse (GpucclLoop *loop)
{
  const GpucclFrame f = loop->work.frame;
  uint32_t *list = loop->list, *label;
  int x = gpuccl_x (), y = gpuccl_y ();

  if (x >= f.width || y >= f.height)
    return;
  label = &list[(size_t) y * f.width + x];
  if (*label)
    *label = gpuccl_root (list, *label);
}

/* Ends an iteration.  Returns whether scanning changed a label. */
static __device__ __forceinline__ uint32_t
gpuccl_end_iteration (GpucclLoop *loop)
{
  uint32_t changed = loop->changed;

  loop->changed = 0;
  loop->work.result->iterations = ++loop->iterations;
  return changed;
}

C_BEGIN

/* Whether the device can repeat a graph by itself; and the graph, of @scan,
 * analysis and, unless it is NULL, @relabel, repeated until no label
 * changes. */
bool gpuccl_loop_possible (void);
const char *gpuccl_loop_make (GpucclLoopGraph *g, const GpucclFrame *f,
    GpucclLoop *loop, GpucclPass scan, GpucclPass relabel);

C_END
