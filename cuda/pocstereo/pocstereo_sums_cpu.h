/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The correlation at a pixel of a field, for functions that are VECTORS:
 * pocstereo_add_line () of all lines, and pocstereo_peak (), many products at
 * once. */
#pragma once

#include "common/vectors.h"
#include "pocstereo/pocstereo_cpu.h"

#define POCSTEREO_BLOCKS \
 ((2 * POCSTEREO_MAX_BANDWIDTH + POCSTEREO_BLOCK - 1) / POCSTEREO_BLOCK)
#define POCSTEREO_SUMS (POCSTEREO_BLOCKS * POCSTEREO_BLOCK)

/* A block of a line's phasors, so that products with another line's are real
 * parts, and so that they are imaginary ones. */
typedef struct {
  int16_t real[POCSTEREO_BLOCK], imaginary[POCSTEREO_BLOCK];
} PocstereoTwin;

/* The lines around a pixel, and those of the other view that they are compared
 * with.  They are taken by twos: where their number is odd, a line of zeros
 * follows. */
typedef struct {
  int lines, bytes, blocks; /* bytes: of a pixel's phasors */
  const int8_t *field[POCSTEREO_MAX_LINES + 1]; /* rows of this view */
  const int8_t *other[POCSTEREO_MAX_LINES + 1]; /* and of the other one */
  PocstereoTwin twin[POCSTEREO_BLOCKS][POCSTEREO_MAX_LINES + 1];
} PocstereoLook;

/* Row @y of fields of @layer. */
INLINED void
pocstereo_look_at_row (PocstereoLook *look, const PocstereoTables *t,
    const int8_t *field, const int8_t *other, const PocstereoLayer *layer,
    int y)
{
  look->lines = t->lines;
  look->bytes = pocstereo_phasor_bytes (t->bandwidth);
  look->blocks = (look->bytes + POCSTEREO_BLOCK - 1) / POCSTEREO_BLOCK;
  for (int j = 0; j <= t->lines; j++) {
    int row = pocstereo_clamp (y + j - t->lines / 2, 0, layer->height - 1);
    size_t at = (size_t) row * layer->width * look->bytes;

    look->field[j] = field + at;
    look->other[j] = other + at;
  }
  for (int b = 0; b < look->blocks; b++)
    memset (&look->twin[b][t->lines], 0, sizeof look->twin[b][t->lines]);
}

/* F conj (G) has the real part fr gr + fi gi, and the imaginary one fi gr - fr
 * gi. */
INLINED void
pocstereo_make_twin (PocstereoTwin *restrict twin, const int8_t *restrict f)
{
#pragma omp simd
  for (int i = 0; i < POCSTEREO_BLOCK; i += 2) {
    int16_t real = f[i], imaginary = f[i + 1];

    twin->real[i] = real;
    twin->real[i + 1] = imaginary;
    twin->imaginary[i] = imaginary;
    twin->imaginary[i + 1] = (int16_t) -real;
  }
}

/* The window around pixel @x of that row. */
INLINED void
pocstereo_look_at (PocstereoLook *look, int x)
{
  for (int b = 0; b < look->blocks; b++)
    for (int j = 0; j < look->lines; j++)
      pocstereo_make_twin (&look->twin[b][j],
          look->field[j] + (size_t) x * look->bytes + b * POCSTEREO_BLOCK);
}

/* Products of phasors' components are at most 127 x 127: two fit into 16 bits.
 * What a block holds beyond the bandwidth is multiplied and not used. */
INLINED void
pocstereo_add_two (const PocstereoTwin *twin, const int8_t *g, const int8_t *h,
    int32_t *restrict real, int32_t *restrict imaginary)
{
#pragma omp simd
  for (int i = 0; i < POCSTEREO_BLOCK; i++) {
    real[i] += (int16_t) (twin[0].real[i] * g[i] + twin[1].real[i] * h[i]);
    imaginary[i] +=
        (int16_t) (twin[0].imaginary[i] * g[i] + twin[1].imaginary[i] * h[i]);
  }
}

/* The sums over lines of F conj (G), g around column @q. */
INLINED void
pocstereo_sums (const PocstereoLook *look, int q, int32_t r[POCSTEREO_SUMS])
{
  for (int b = 0; b < look->blocks; b++) {
    size_t at = (size_t) q * look->bytes + b * POCSTEREO_BLOCK;
    int32_t real[POCSTEREO_BLOCK] = {0}, imaginary[POCSTEREO_BLOCK] = {0};

    for (int j = 0; j < look->lines; j += 2)
      pocstereo_add_two (&look->twin[b][j], look->other[j] + at,
          look->other[j + 1] + at, real, imaginary);
    for (int i = 0; i < POCSTEREO_BLOCK; i += 2) {
      r[b * POCSTEREO_BLOCK + i] = real[i] + real[i + 1];
      r[b * POCSTEREO_BLOCK + i + 1] = imaginary[i] + imaginary[i + 1];
    }
  }
}

/* pocstereo_peak (), @first <= 0 <= @last. */
INLINED int
pocstereo_highest (const PocstereoCpu *c, int bandwidth, const int32_t *r,
    int first, int last, int32_t *height)
{
  int32_t before[POCSTEREO_LAG_ROOM], after[POCSTEREO_LAG_ROOM];
  int best = first;

  for (int m = 0; m <= last || m <= -first; m += POCSTEREO_LAG_BLOCK) {
    int32_t even[POCSTEREO_LAG_BLOCK] = {0}, odd[POCSTEREO_LAG_BLOCK] = {0};

    for (int k = 0; k < bandwidth; k++)
#pragma omp simd
      for (int i = 0; i < POCSTEREO_LAG_BLOCK; i++) {
        even[i] += r[2 * k] * c->lag_cosine[k][m + i];
        odd[i] += r[2 * k + 1] * c->lag_sine[k][m + i];
      }
#pragma omp simd
    for (int i = 0; i < POCSTEREO_LAG_BLOCK; i++) {
      before[m + i] = even[i] + odd[i];
      after[m + i] = even[i] - odd[i];
    }
  }
  *height = before[-first];
  for (int n = first + 1; n <= last; n++) {
    int32_t at = n < 0 ? before[-n] : after[n];

    best = at > *height ? n : best;
    *height = at > *height ? at : *height;
  }
  return best;
}
