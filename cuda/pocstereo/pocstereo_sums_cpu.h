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

/* The lines around a pixel and the one below it, and those of the other view
 * that they are compared with. */
typedef struct {
  int lines, bytes, blocks; /* bytes: of a pixel's phasors */
  const int8_t *field[POCSTEREO_MAX_LINES + 1]; /* rows of this view */
  const int8_t *other[POCSTEREO_MAX_LINES + 1]; /* and of the other one */
  PocstereoTwin twin[POCSTEREO_BLOCKS][POCSTEREO_MAX_LINES + 1];
} PocstereoLook;

/* Rows @y and @y + 1 of fields of @layer. */
INLINED void
pocstereo_look_at_rows (PocstereoLook *look, const PocstereoTables *t,
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
}

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

/* Column @x of those rows. */
INLINED void
pocstereo_look_at (PocstereoLook *look, int x)
{
  for (int b = 0; b < look->blocks; b++)
    for (int j = 0; j <= look->lines; j++)
      pocstereo_make_twin (&look->twin[b][j],
          look->field[j] + (size_t) x * look->bytes + b * POCSTEREO_BLOCK);
}

/* Sums over lines of products, of a block. */
typedef struct {
  int32_t real[POCSTEREO_BLOCK], imaginary[POCSTEREO_BLOCK];
} PocstereoBlock;

/* Products of phasors' components are at most 127 x 127: two fit into 16 bits.
 * What a block holds beyond the bandwidth is multiplied and not used. */
INLINED void
pocstereo_add_two (PocstereoBlock *restrict sum, const PocstereoTwin *twin,
    const int8_t *g, const int8_t *h)
{
#pragma omp simd
  for (int i = 0; i < POCSTEREO_BLOCK; i++) {
    sum->real[i] += (int16_t) (twin[0].real[i] * g[i] + twin[1].real[i] * h[i]);
    sum->imaginary[i] +=
        (int16_t) (twin[0].imaginary[i] * g[i] + twin[1].imaginary[i] * h[i]);
  }
}

/* Lines @from to before @to, an even number of them. */
INLINED void
pocstereo_add_lines (const PocstereoLook *look, int b, size_t at, int from,
    int to, PocstereoBlock *restrict sum)
{
  memset (sum->real, 0, sizeof sum->real);
  memset (sum->imaginary, 0, sizeof sum->imaginary);
  for (int j = from; j < to; j += 2)
    pocstereo_add_two (
        sum, &look->twin[b][j], look->other[j] + at, look->other[j + 1] + at);
}

/* @sum and line @j more, as re and im of each frequency. */
INLINED void
pocstereo_add_last (const PocstereoLook *look, int b, size_t at, int j,
    const PocstereoBlock *sum, int32_t r[POCSTEREO_SUMS])
{
  const PocstereoTwin *twin = &look->twin[b][j];
  const int8_t *g = look->other[j] + at;
  int first = b * POCSTEREO_BLOCK, n = look->bytes - first;
  PocstereoBlock all;

#pragma omp simd
  for (int i = 0; i < POCSTEREO_BLOCK; i++) {
    all.real[i] = sum->real[i] + (int16_t) (twin->real[i] * g[i]);
    all.imaginary[i] =
        sum->imaginary[i] + (int16_t) (twin->imaginary[i] * g[i]);
  }
  for (int i = 0; i < POCSTEREO_BLOCK && i < n; i += 2) {
    r[first + i] = all.real[i] + all.real[i + 1];
    r[first + i + 1] = all.imaginary[i] + all.imaginary[i + 1];
  }
}

/* The sums over lines of F conj (G), g around column @q, in the row that is
 * @below the first one, 0 or 1. */
INLINED void
pocstereo_sums (
    const PocstereoLook *look, int below, int q, int32_t r[POCSTEREO_SUMS])
{
  int last = below + look->lines - 1;

  for (int b = 0; b < look->blocks; b++) {
    size_t at = (size_t) q * look->bytes + b * POCSTEREO_BLOCK;
    PocstereoBlock sum;

    pocstereo_add_lines (look, b, at, below, last, &sum);
    pocstereo_add_last (look, b, at, last, &sum, r);
  }
}

/* In both rows, which share all lines but two. */
INLINED void
pocstereo_sums_of_two (
    const PocstereoLook *look, int q, int32_t r[2][POCSTEREO_SUMS])
{
  for (int b = 0; b < look->blocks; b++) {
    size_t at = (size_t) q * look->bytes + b * POCSTEREO_BLOCK;
    PocstereoBlock sum;

    pocstereo_add_lines (look, b, at, 1, look->lines, &sum);
    pocstereo_add_last (look, b, at, 0, &sum, r[0]);
    pocstereo_add_last (look, b, at, look->lines, &sum, r[1]);
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
