/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The layout of fields, and functions that several files of the CUDA backend
 * need.
 *
 * A word of a field holds one frequency of two lines, re and im of each.  Pair
 * p holds the lines 2 p - L / 2 and 2 p - L / 2 + 1, so the window around line
 * y has the pairs y / 2 to y / 2 + L / 2; rows outside of the view repeat its
 * edge.  A couple holds two frequencies; of an odd number of frequencies the
 * last couple has a 0. */
#pragma once

#include "common/chain.cuh"
#include "pocstereo/pocstereo_stages.h"

/* The first couple of the phasors of a layer's view. */
BOTH uint2 *
pocstereo_couples (const PocstereoFields &f, int view, int l)
{
  return (uint2 *) f.phasors[view][l];
}

/* pocstereo_median_cuda.cu: medians of 5 x 5 numbers of @n_views views.  The
 * numbers of @from are @step int32_t apart. */
const char *pocstereo_median_cuda (const Device *dev,
    const int32_t *const from[2], int step, int32_t *const to[2], int width,
    int height, int n_views);

/* The medians of the disparities of @matches. */
const char *pocstereo_match_medians_cuda (const Device *dev,
    const PocstereoDenseMatches *matches, int32_t *const to[2]);

/* Queues @kernel, which must call await_previous () first. */
template <class... Params, class... Args>
static inline const char *
pocstereo_launch_kernel (const Device *dev, void (*kernel) (Params...),
    dim3 blocks, dim3 threads, const Args &...args)
{
  bool overlap = false;

  TRY (chain_may_overlap (&overlap));
  return launch_after (dev, overlap, kernel, blocks, threads, 0, args...);
}
