/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Constants and functions that several files of the CPU backend need. */
#pragma once

#include "pocstereo/pocstereo_slant_core.h"
#include "pocstereo/pocstereo_stages.h"

/* Windows that are transformed at once, and pixels that are refined at once. */
#define POCSTEREO_LANES 16
/* Components of phasors that are multiplied at once; a field has room for as
 * many behind its last pixel. */
#define POCSTEREO_BLOCK 16

/* pocstereo_phasors_cpu.c: the phasors of the lines of a window, 2 bandwidth
 * bytes a line.  Columns and rows outside of the view repeat its edge. */
void pocstereo_window_cpu (const PocstereoTables *t, const uint16_t *view,
    int stride, const PocstereoLayer *layer, int x, int y, int8_t *phasors);
/* Computes the phasors of the leaning window @lean in @view of @frame. */
void pocstereo_leaning_cpu (const PocstereoTables *t,
    const PocstereoFrame *frame, int view, const PocstereoLean *lean,
    int8_t *phasors);

/* pocstereo_refine_cpu.c: the matches of @n pixels, at most POCSTEREO_LANES, at
 * the disparities @base.  @r: sums over lines, re and im of each frequency, a
 * number for each pixel. */
void pocstereo_refine_cpu (const PocstereoTables *t,
    const int32_t (*r)[POCSTEREO_LANES], const int32_t *base, int n,
    PocstereoMatch *match);

/* pocstereo_median_cpu.c: the medians of the 5 x 5 numbers around each of
 * @from. */
void pocstereo_median_cpu (
    const int32_t *from, int32_t *to, int width, int height);

/* pocstereo_cpu.c: copies the disparities of @n matches. */
void pocstereo_disparities_cpu (
    const PocstereoMatch *matches, size_t n, int32_t *disparities);
