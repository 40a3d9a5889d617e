/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the files of the CUDA backend share.
 *
 * On CUDA, a word of a field holds one frequency of two lines, re and im of
 * each.  Pair p holds lines 2 p - L / 2 and the next, so that the window around
 * line y takes pairs y / 2 to y / 2 + L / 2; rows outside the view repeat its
 * edge.  Frequencies go by couples; an odd one out has 0 beside it. */
#pragma once

#include "common/chain.cuh"
#include "pocstereo/pocstereo_stages.h"

/* The first couple of a layer. */
BOTH uint2 *
pocstereo_couples (const PocstereoFields &f, int view, int l)
{
  return (uint2 *) f.phasors[view][l];
}

/* pocstereo_median_cuda.cu: of 5 x 5 of @from's numbers, @step int32_t apart,
 * of @n_views views. */
const char *pocstereo_median_cuda (const Device *dev,
    const int32_t *const from[2], int step, int32_t *const to[2], int width,
    int height, int n_views);

/* Of the disparities of @matches. */
const char *pocstereo_match_medians_cuda (const Device *dev,
    const PocstereoDenseMatches *matches, int32_t *const to[2]);

/* Queues @kernel, which calls await_previous () first. */
template <class... Params, class... Args>
static inline const char *
pocstereo_launch_kernel (const Device *dev, void (*kernel) (Params...),
    dim3 blocks, dim3 threads, const Args &...args)
{
  bool overlap = false;

  TRY (chain_may_overlap (&overlap));
  return launch_after (dev, overlap, kernel, blocks, threads, 0, args...);
}
