/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parts of the CPU backend that have files of their own. */
#pragma once

#include "moct/moct_core.h"

/* Adds a sum to the result, unless it is empty or its area is not wanted. */
static inline void
moct_report (const MoctWork *w, const MoctSum *sum, int cls)
{
  if (sum->n && sum->n >= w->min_area && sum->n <= w->max_area)
    w->result->blobs[w->result->n_blobs++] = (MoctBlob){*sum, cls, 0};
}

/* paper/pyramid_cpu.c */
const char *moct_pyramid_cpu (const Device *dev, const MoctWork *w);
const char *moct_per_object_cpu (const Device *dev, const MoctWork *w);
/* The number of texels that @method needs; 0 unless the method is one of the
 * paper's. */
size_t moct_texels (const MoctWork *work, MoctMethod method);
