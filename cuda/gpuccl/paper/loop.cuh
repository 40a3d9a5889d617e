/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The loop of label equivalence, and what is in each of its passes. */
#pragma once

#include "gpuccl/gpuccl_cuda.cuh"
#include "gpuccl/paper/equivalence_core.h"

/* Analysis, for the thread's own pixel. */
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

/* Ends an iteration: whether scanning changed a label. */
static __device__ __forceinline__ uint32_t
gpuccl_end_iteration (GpucclLoop *loop)
{
  uint32_t changed = loop->changed;

  loop->changed = 0;
  loop->work.result->iterations = ++loop->iterations;
  return changed;
}

C_BEGIN

/* Whether the device can repeat by itself; a graph of
 * @scan, analysis and, where it is not NULL, @relabel, again and again until
 * nothing changes. */
bool gpuccl_loop_possible (void);
const char *gpuccl_loop_make (GpucclLoopGraph *g, const GpucclFrame *f,
    GpucclLoop *loop, GpucclPass scan, GpucclPass relabel);

C_END
