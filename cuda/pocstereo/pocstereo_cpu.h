/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Constants and functions that several files of the CPU backend need. */
#pragma once

#include "common/vectors.h"
#include "pocstereo/pocstereo_slant_core.h"
#include "pocstereo/pocstereo_stages.h"

/* Windows that are transformed at once, and pixels that are refined at once. */
#define POCSTEREO_LANES 16
/* Components of phasors that are multiplied at once; a field has room for as
 * many behind its last pixel. */
#define POCSTEREO_BLOCK 16
#define POCSTEREO_BLOCKS \
 ((2 * POCSTEREO_MAX_BANDWIDTH + POCSTEREO_BLOCK - 1) / POCSTEREO_BLOCK)
#define POCSTEREO_SUMS (POCSTEREO_BLOCKS * POCSTEREO_BLOCK)

/* A block of a line's phasors, in the order whose products with the other line
 * are real parts, and in the order whose products are imaginary parts. */
typedef struct {
  int16_t real[POCSTEREO_BLOCK], imaginary[POCSTEREO_BLOCK];
} PocstereoTwin;

/* F conj (G) has the real part fr gr + fi gi, and the imaginary one fi gr - fr
 * gi. */
INLINED void
pocstereo_make_twin (PocstereoTwin *restrict twin, const int8_t *restrict f)
{
  uint16_t pair[POCSTEREO_BLOCK / 2];
  int8_t swapped[POCSTEREO_BLOCK];

  memcpy (pair, f, sizeof pair);
#pragma omp simd
  for (int i = 0; i < POCSTEREO_BLOCK / 2; i++)
    pair[i] = (uint16_t) (pair[i] << 8 | pair[i] >> 8);
  memcpy (swapped, pair, sizeof pair);
#pragma omp simd
  for (int i = 0; i < POCSTEREO_BLOCK; i++) {
    int16_t sign = (int16_t) - (i % 2); /* all bits, or none */

    twin->real[i] = f[i];
    twin->imaginary[i] = (int16_t) ((swapped[i] ^ sign) - sign);
  }
}

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
